/* rates.h - a clock whose rate changes (target/FORMAT.md, 1.5): from its marks to ns.
 *
 * Each mark tells a time in ticks and in ns, and the rates before and behind it. Marks are found wherever they stand
 * before any event is decoded, because those of one CPU hold for all: events/rate_search.h. Between two of them the
 * clock has one rate, unless marks were lost.
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

/* What cannot be read of a lane, or is missing: a mark may be lost there. Nothing that can be read is between the two
 * stamps. As a doubt: there the rate is not known. */
struct native_rate_hole {
    uint64_t from, to; /* UINT64_MAX: there is nothing behind it */
};

struct native_rates {
    struct native_rate_mark *marks; /* in the order of their times; n of them, each once */
    size_t n, room;
    struct native_rate *rate; /* the pieces that they make; nrates of them, the first one from 0 on */
    size_t nrates;
    struct native_rate_hole *holes; /* nholes of them */
    size_t nholes, holes_room;
    struct native_rate_hole *doubts; /* times at which the rate is not known, in order; ndoubts of them */
    size_t ndoubts;
};

/* Whether the rate of the clock changes in the run of an index. */
bool native_rates_are_needed(const struct native_index *index);

/* Add a mark. Returns 0, or -1 after trace_fail(). */
int native_rates_add(struct native_rates *rates, struct trace *trace, const struct native_rate_mark *mark);

/* Read the words of a mark, whose slots stand side by side: all but its offset and its ring. False: its check is
 * wrong. */
bool native_rates_read_mark(const unsigned char *slot, struct native_rate_mark *mark);

/* Add a hole. Returns 0, or -1 after trace_fail(). */
int native_rates_add_hole(struct native_rates *rates, struct trace *trace, struct native_rate_hole hole);

/* Make the pieces. Tells what contradicts, and what is missing. Without any mark there is none, and all is doubt.
 * Returns 0, or -1 after trace_fail(). */
int native_rates_make(struct native_rates *rates, struct trace *trace);

/* The doubt that a stamp is in, or NULL: its time in ns is right. */
const struct native_rate_hole *native_rates_doubt(const struct native_rates *rates, uint64_t stamp);

/* Tell the trace the rates, and how many of the slots that the dump has are marks. Notes where times are not
 * certain. */
void native_rates_tell(const struct native_rates *rates, const struct native_index *index, struct trace *trace);

void native_rates_free(struct native_rates *rates);

#endif
