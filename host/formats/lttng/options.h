/* options.h - what a written LTTng trace looks like, as given with --lttng. */
#ifndef LTTNG_OPTIONS_H
#define LTTNG_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct trace;

struct lttng_options {
    bool big;       /* order=big: numbers are big-endian */
    bool packed;    /* nothing is aligned */
    bool heartbeat; /* stamps have 32 bits; also given by compact */
    bool flight;    /* files look like those of a flight recorder */
    bool seed;      /* headers are those of the document of 2008 to the letter */
    bool compact;   /* short events are written as compact events, to files of their own */
    uint8_t word;   /* bytes of a long and of a pointer: 4 or 8 */
    uint32_t block; /* bytes of a block: a multiple of LTTNG_PAGE */
};

/* Parse a list such as "word=4,order=big,packed"; NULL = all defaults. 0, or -1 after trace_fail(). */
int lttng_options_parse(struct lttng_options *options, struct trace *trace, const char *list);

#endif
