/* read.h - reads the ring as a reader finds it, and compares it with what was logged. */
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
    bool stops; /* the ring stops when it is full, and reports no loss */
    bool fits; /* nothing is lost: the interrupts log too little to come around to a slot whose writer is interrupted */
    bool muted; /* a call may have suppressed events of other calls */
};

/* Check the memory after a schedule whose calls have all returned, and after one more event. In addition to the checks
 * of sweep_check_instant(), each event must be found, overwritten or counted as dropped. */
void sweep_read_end(const struct sweep_expected *expected);

#endif
