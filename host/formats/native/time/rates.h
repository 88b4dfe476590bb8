/* rates.h - a clock whose rate changes (target/FORMAT.md, 1.5): from its marks to ns.
 *
 * Each mark tells a time in ticks and in ns, and the rates before and behind it. Marks are found wherever they stand
 * before any event is decoded, because those of one CPU hold for all. Between two of them the clock has one rate.
 */
#ifndef NATIVE_RATES_H
#define NATIVE_RATES_H

#include "formats/native/chunks/image.h"
#include "formats/native/chunks/index.h"
#include "formats/native/time/scale.h"

/* What a mark or a fact tells. */
struct native_rate_mark {
    uint64_t ticks, ns;
    uint32_t fraction;   /* of a ns, times 2^32 */
    uint32_t before, hz; /* ticks per second; before: 0 = not told */
    uint64_t offset;     /* in the input */
    uint16_t ring;       /* as in native_part */
};

struct native_rates {
    struct native_rate_mark *marks; /* in the order of their times; n of them, each once */
    size_t n, room;
    struct native_rate *rate; /* the pieces that they make; nrates of them, the first one from 0 on */
    size_t nrates;
};

/* Whether the rate of the clock changes in the run of an index. */
bool native_rates_are_needed(const struct native_index *index);

/* Add a mark. Returns 0, or -1 after trace_fail(). */
int native_rates_add(struct native_rates *rates, struct trace *trace, const struct native_rate_mark *mark);

/* Collect the marks of all laps, beside those that were added. Reports those that are damaged. Returns 0, or -1 after
 * trace_fail(). */
int native_rates_find(struct native_rates *rates, const struct native_index *index, struct native_view *view);

/* Make the pieces. Tells what contradicts, and what is missing. Without any mark there is none. Returns 0, or -1 after
 * trace_fail(). */
int native_rates_make(struct native_rates *rates, struct trace *trace);

/* Tell the trace the rates, and how many of the slots that the dump has are marks. Notes where times are not
 * certain. */
void native_rates_tell(const struct native_rates *rates, const struct native_index *index, struct trace *trace);

void native_rates_free(struct native_rates *rates);

#endif
