/* decoder.h - what is kept while a dump is decoded: by all streams together, and by each of them.
 *
 *   stream   the events of one lane, given out one after the other; the reader merges the streams of a CPU by time
 *   recent   the stamp that the next traceevent slot is counted from: that of the event before it
 */
#ifndef NATIVE_DECODER_H
#define NATIVE_DECODER_H

#include "formats/native/lap.h"
#include "formats/native/scale.h"
#include "formats/native/types.h"

#define NATIVE_STAMP_NEVER UINT64_MAX /* in place of the stamp of the next event: there is none */

#define NATIVE_TASKS 65536u /* contexts that records can tell */

struct priorities;

/* One for the whole dump. */
struct native_decoder {
    struct trace *trace;
    struct native_index index;
    struct native_loader loader;
    struct native_types types;
    struct priorities *priorities;                 /* while the dump is opened: see names.c */
    unsigned char tells_before[NATIVE_TASKS / 8u]; /* a bit per context: native_tells_before() */
    bool has_priorities;                           /* one of these is set */
    bool noted_wrap;                               /* that the clock wrapped unseen */
};

/* Whether records that change the priority of a task tell the one before as well. */
static inline bool native_tells_before(const struct native_decoder *decoder, uint32_t context)
{
    return context < NATIVE_TASKS && ((unsigned)decoder->tells_before[context / 8u] >> context % 8u & 1u) != 0;
}

/* A record by its fields. */
struct native_record {
    uint64_t stamp;
    uint32_t code, par1, par2;
    bool own;         /* the runtime's own: it reports a loss */
    bool fast;        /* logged by the unchecked path of S.Ha.R.K. */
    uint16_t context; /* as struct trace_event has it */
};

/* One for each lane. */
struct native_stream {
    const struct native_lane *lane;
    struct native_lap lap;      /* the one that is loaded */
    uint32_t slot;              /* the next slot of the lap; behind its last one: the lap is done */
    size_t at, end;             /* the lane's parts that are still to come */
    uint64_t stamp;             /* of the last event given out */
    uint64_t recent;            /* see above */
    uint64_t until;             /* events after this stamp wait for events of other streams of the CPU */
    uint64_t turn;              /* which lap should come next: laps of the lane's chunks counted through, from 0 on */
    uint32_t turn_slot;         /* ... and which of its slots */
    struct native_scale scale;  /* from stamps to ns */
    uint64_t loss, damage;      /* events that are missing before the next one */
    size_t extra;               /* the next of the lane's extras */
    uint64_t extras;            /* of those before it: slots that are missing further on, but were no events */
    uint16_t trace_group;       /* of its events, as trace_group() gave it */
    bool held;                  /* start is held back until it is known whether a blackout_end follows */
    bool ended;                 /* all laps are done */
    struct native_record start; /* a blackout_start record */
};

#endif
