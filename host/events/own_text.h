/* own_text.h - formats of TLOG_PRINTK that name their arguments: such a text is an event with fields. */
#ifndef EVENTS_OWN_TEXT_H
#define EVENTS_OWN_TEXT_H

#include "events/own_descriptor.h"

/* The descriptor of a format like "motor: rpm=%d state=%u temp=%d°C\n": a name and a colon, then fields with blanks or
 * commas between them. The data of the event are the format's arguments. NULL: the format is another one, or there is
 * no memory. Ends with own_descriptor_free(). */
struct own_descriptor *own_text_describe(const char *format);

#endif
