/* ring_harness.h - a ring of eight slots a chunk, events that say which they are, and whether they are there: for
 * runtime/ring.c.
 *
 * At the start of every interrupt, and when all calls have returned, the memory is compared with what was logged: each
 * event is found whole, once, in order of time, with a stamp between its call and its return, and attempted = kept +
 * dropped + overwritten (+ unfinished, while writers are interrupted). */
#ifndef RUNTIME_RING_HARNESS_H
#define RUNTIME_RING_HARNESS_H

#include "tlog.h"

enum { SLOTS = 8, CHUNKS = TLOG_CHUNKS, EVENTS = 160, SALT = 0x5A00 };

extern const struct tlog_ring ring_cyclic, ring_stopping; /* in the same memory */
extern struct tlog_cpu ring_cpu;
extern bool ring_has_jumped; /* the clock passed more than half a wrap at once: 32 bits do not tell before from after */

/* What the memory was last found to hold: slots, and events that were lost. */
extern struct ring_found {
    uint32_t kept, unfinished, attempted, overwritten, dropped, told;
    uint64_t last;  /* stamp of the event before */
    uint64_t first; /* of the oldest one */
    bool seen[EVENTS];
} ring_found;

struct ring_view {
    const struct tlog_chunk *chunk;
    uint32_t lap, tag, used; /* the lap in work, its tag, slots of it before the cursor */
};
struct ring_view ring_view_of(uint32_t number);

/* The ring in memory full of noise, with so many events logged since the clock was set. */
void ring_prepare(const struct tlog_ring *ring, uint32_t filled, uint32_t clock);

/* Event i carries par2 = i and par1 = i ^ SALT. Any context. */
void ring_log_one(void);
void ring_log_many(uint32_t count);

/* An event that is refused: counted as lost, though there is room. */
void ring_refuse_one(void);

/* Find what the memory holds, and check each event. */
void ring_read_all(void);

/* At any instant: nothing torn, nothing twice, and the counts agree. Returned calls may not be missing beyond what was
 * overwritten, dropped or is unfinished. */
void ring_check_instant(void);

/* When all calls have returned: besides, all is finished, and the loss told so far is the loss the header says was
 * told. */
void ring_check_end(void);

#endif
