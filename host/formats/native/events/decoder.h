/* decoder.h - what is kept while a dump is decoded: once for the dump, and for each stream.
 *
 * A stream gives out the events of one lane, one after the other. The reader merges the streams of a CPU by time.
 */
#ifndef NATIVE_DECODER_H
#define NATIVE_DECODER_H

#include "formats/native/chunks/lap.h"
#include "formats/native/time/rates.h"
#include "formats/native/time/scale.h"
#include "formats/native/events/payload.h"

#define NATIVE_STAMP_NEVER UINT64_MAX /* in place of the stamp of the next event: there is none */

#define NATIVE_TASKS 65536u /* numbers of tasks that records can tell */

struct priorities;

/* One for the whole dump. */
struct native_decoder {
    struct trace *trace;
    struct native_index index;
    struct native_loader loader;
    struct native_types types;
    struct native_rates rates;                     /* of a clock whose rate changes */
    struct priorities *priorities;                 /* while the dump is opened: see names.c */
    unsigned char tells_before[NATIVE_TASKS / 8u]; /* a bit per task: see native_tells_before() */
    bool has_priorities;                           /* one of these bits is set */
};

/* Whether records that change the priority of a task tell the one before as well. */
static inline bool native_tells_before(const struct native_decoder *decoder, uint32_t context)
{
    return context < NATIVE_TASKS && ((unsigned)decoder->tells_before[context / 8u] >> context % 8u & 1u) != 0;
}

/* The fields of a record. */
struct native_record {
    uint64_t stamp;
    uint32_t code, par1, par2;
    bool is_loss;     /* the runtime reports a loss with it, */
    bool is_pause;    /* or a pause */
    bool fast;        /* the unchecked path of S.Ha.R.K. has logged it */
    uint16_t context; /* as struct tlog_event has it */
};

/* Marks of wraps that were not seen, which were given out as events. */
struct native_marks {
    uint64_t places, wraps;
};

/* The same of places where the clock was set back. */
struct native_set_back_marks {
    uint64_t places, ticks;
};

/* One for each lane. */
struct native_stream {
    const struct native_lane *lane;
    struct native_lap lap;        /* the one that is loaded */
    uint32_t slot;                /* the next slot of the lap; behind its last one: the lap is done */
    size_t at, end;               /* the lane's parts that are still to come */
    uint64_t stamp;               /* of the last event given out */
    uint64_t recent;              /* of the last event: the next traceevent's stamp is counted from it */
    uint64_t until;               /* events after this stamp have to wait for events of the CPU's other streams */
    uint64_t turn;                /* number of the lap that should come next, among all laps of the lane, from 0 on */
    uint32_t turn_slot;           /* number of its slot that should come next */
    struct native_scale scale;    /* from stamps to ns */
    uint64_t loss, damage;        /* events that are missing before the next one */
    size_t extra;                 /* the lane's next entry in index->extras */
    uint64_t extras;              /* extra slots of earlier entries that are among slots missing further on */
    struct native_marks marks[2]; /* those of which the coarse clock does not tell how many wraps they are, and does */
    struct native_set_back_marks set_back;
    const struct native_rate_hole *doubt; /* the last one that a mark tells; NULL: none does */
    uint16_t trace_group;                 /* of its events, as trace_group() gave it */
    bool ended;                           /* all laps are done */
    bool waits;                           /* the next event is not finished, and the input goes on */
    bool held;                  /* a blackout_start is held back until it is known whether a blackout_end follows */
    struct native_record start; /* that record */
};

#endif
