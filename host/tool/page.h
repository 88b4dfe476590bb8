/* page.h - what is put into a page that shows a trace: the inputs, and the firmware as --save-events saves it. */
#ifndef TOOL_PAGE_H
#define TOOL_PAGE_H

#include "library/decoder.h"

/* Fill the page's lists of files from the sources, which are prepared: they must live as long. 0, or -1 after
 * trace_fail() of the first source's trace. */
int decode_page_fill(struct trace_page *page, struct tlog_decoder *decoders, unsigned n);

/* Free what filling took, and the options. */
void decode_page_free(struct trace_page *page);

#endif
