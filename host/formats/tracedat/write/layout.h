/* layout.h - sizes and numbers on which the parts of a trace.dat file must agree. */
#ifndef TRACEDAT_WRITE_LAYOUT_H
#define TRACEDAT_WRITE_LAYOUT_H

#include "model/module.h"

enum {
    TRACEDAT_COMMON_SIZE = 8, /* bytes of the fields that every record begins with: id, flags, preempt count, pid */
    TRACEDAT_FIRST_ID = 1000, /* event id of type 0 */
    TRACEDAT_END_ID = TRACEDAT_FIRST_ID + (int)TRACE_TYPES_MAX, /* of the event that a loss at the very end gets */
};

#define TRACEDAT_EARLIEST 1000u /* ns: no event in a file is earlier; page.c says why */

/* Bytes of a page. */
static inline uint32_t tracedat_page_size(const struct trace_options *options)
{
    return options->page_size != 0 ? options->page_size : 4096;
}

/* Bytes of a long of the target. */
static inline unsigned tracedat_long_size(const struct trace_options *options)
{
    return options->long_size != 0 ? options->long_size : 8;
}

/* A number of bytes, rounded up to whole pages. */
static inline uint64_t tracedat_whole_pages(const struct trace_options *options, uint64_t size)
{
    uint64_t page = tracedat_page_size(options);
    return (size + page - 1) / page * page;
}

/* Whether the times in the file are ticks, and the file says how to make ns of them. */
static inline bool tracedat_has_ticks(const struct trace *trace, const struct trace_options *options)
{
    return options->raw_tsc && trace->clock_hz != 0;
}

#endif
