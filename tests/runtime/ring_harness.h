/* ring_harness.h - for runtime/ring.c: a ring of eight slots per chunk, numbered events, and checks that they are in
 * memory.
 *
 * At the start of every interrupt, and when all calls have returned, the memory is compared with what was logged: each
 * event is found whole, once, in order of time, with a stamp between its call and its return. When no call is in
 * progress, attempted = kept + dropped + overwritten, in events, and attempted is the number of calls. */
#ifndef RUNTIME_RING_HARNESS_H
#define RUNTIME_RING_HARNESS_H

#include "tlog.h"

enum { SLOTS = 8, CHUNKS = TLOG_CHUNKS, EVENTS = 160, SALT = 0x5A00 };

extern const struct tlog_ring ring_cyclic, ring_stopping; /* both use the same memory */
extern struct tlog_cpu ring_cpu;
extern bool
    ring_has_jumped; /* the clock passed more than half a wrap at once, so 32 bits do not tell before from after */

/* What the last reading found in memory: numbers of events and slots, and which events. */
extern struct ring_found {
    uint32_t kept, unfinished, attempted, overwritten, dropped, told;
    uint32_t own;     /* records of a loss */
    uint32_t claimed; /* slots that a reader passes */
    bool has_wrapped; /* a chunk is in its second lap or a later one */
    uint64_t last;    /* stamp of the previous event */
    uint64_t first;   /* stamp of the oldest event */
    bool seen[EVENTS];
} ring_found;

struct ring_view {
    const struct tlog_chunk *chunk;
    uint32_t lap, tag, used; /* the lap being written, its tag, its slots before the cursor */
};
struct ring_view ring_view_of(uint32_t number);

/* Fill the memory with noise, set the clock, and log `filled` events to the ring. */
void ring_prepare(const struct tlog_ring *ring, uint32_t filled, uint32_t clock);

/* Event i carries par2 = i and par1 = i ^ SALT. Any context may call these. */
void ring_log_one(void);
void ring_log_many(uint32_t count);

/* Have an event refused: it counts as lost, though there is room. */
void ring_refuse_one(void);

/* Read the whole memory into ring_found, and check each event. */
void ring_read_all(void);

/* At any instant: no event is torn or found twice, and the counts agree. No event whose call has returned is missing,
 * except those overwritten, dropped or unfinished. */
void ring_check_instant(void);

/* When all calls have returned: in addition, every slot is finished, and the loss reported in the ring is the loss that
 * the header says was reported. */
void ring_check_end(void);

#endif
