/* bprint.h - the text of an event ftrace:bprint: a format string, and its arguments as model/printk.h packs them. */
#ifndef TEXT_BPRINT_H
#define TEXT_BPRINT_H

#include "text/out.h"

/* Put the text. Arguments that are not there are 0, or an empty text. */
void bprint_put(struct out *out, const char *format, const unsigned char *args, size_t size);

#endif
