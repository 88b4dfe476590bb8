/* clock.h - from the times in a trace.dat file to ns, as trace-cmd report shows them. */
#ifndef TRACEDAT_READ_CLOCK_H
#define TRACEDAT_READ_CLOCK_H

#include "base/cursor.h"

struct tracedat_clock_sync;

/* All 0 to begin with, except is_ns. */
struct tracedat_clock {
    uint64_t offset;      /* ns, of DATE and OFFSET, modulo 2^64 */
    uint32_t mult, shift; /* of TSC2NSEC: ns = ticks * mult >> shift; shift is at most 32 */
    bool has_tsc;         /* mult and shift are there */
    bool is_ns;           /* the clock counts ns, by its name; true as long as no name is known */
    bool named;           /* an option gave the name */
    bool named_later;     /* version 6: the name stands behind the table of pages, and is read later */
    bool interpolate;     /* of TIME_SHIFT */
    uint32_t nsync;       /* CPUs that have samples of TIME_SHIFT; 0: no option, or one that makes no sense */
    uint32_t nallocated;
    struct tracedat_clock_sync *sync; /* by CPU */
};

/* The ns of a time in the file; ticks if the clock's frequency is not known. top: the event is in the top buffer, the
 * only one whose times are shifted between guest and host. */
uint64_t tracedat_clock_ns(const struct tracedat_clock *clock, uint64_t time, unsigned cpu, bool top);

/* Take the clock's name: a word, or the one in brackets, as in "local [global] counter". */
void tracedat_clock_set_name(struct tracedat_clock *clock, const char *names);

/* Take the content of the option TIME_SHIFT. *memory: bytes that may be used, less what this takes. The cursor is bad
 * afterwards if the option makes no sense or needs more. */
void tracedat_clock_take_sync(struct tracedat_clock *clock, struct cursor *cursor, uint64_t *memory);

/* Free what was allocated. */
void tracedat_clock_free(struct tracedat_clock *clock);

#endif
