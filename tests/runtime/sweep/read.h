/* read.h - the ring as a reader finds it, held against what was logged. */
#ifndef RUNTIME_SWEEP_READ_H
#define RUNTIME_SWEEP_READ_H

#include "tlog.h"

enum {
    SWEEP_CHUNK_WORDS = TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS) / 4u,
    SWEEP_RING_WORDS = TLOG_CHUNKS * SWEEP_CHUNK_WORDS,
};

/* The default ring's memory. */
#define sweep_ring ((uint32_t *)(void *)tlog_cpu0.ring->first)

struct sweep_expected {
    bool stops; /* the ring stops when it is full, and no loss is told of */
    bool fits;  /* nothing is lost: the interrupts log less than comes round to a slot whose owner is interrupted */
    bool muted; /* there was a call that may mute others */
};

/* After a schedule whose calls have all returned, and after one more event: besides, each is found, overwritten or
 * counted as dropped. */
void sweep_read_end(const struct sweep_expected *expected);

#endif
