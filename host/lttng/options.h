/* options.h - what a written LTTng trace looks like, as --lttng tells it. */
#ifndef LTTNG_OPTIONS_H
#define LTTNG_OPTIONS_H

#include "lttng/block.h"

struct trace;

struct lttng_options {
    bool big, packed, heartbeat, flight, compact;
    uint8_t word;   /* bytes: 4 or 8 */
    uint32_t block; /* bytes: a multiple of a page */
};

/* Parse a list such as "word=4,order=big,packed"; NULL = all defaults. 0, or -1 after trace_fail(). */
int lttng_options_parse(struct lttng_options *options, struct trace *trace, const char *list);

#endif
