/* calls.h - the calls whose every instruction is interrupted, by name: between runtime/sweep/calls.c, which makes them
 * and is compiled as the runtime is, and runtime/sweep/run.c, which tells when. */
#ifndef RUNTIME_SWEEP_CALLS_H
#define RUNTIME_SWEEP_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* What a call is, besides a call. */
enum {
    SWEEP_LOGS = 1 << 0,    /* it logs event number n, once */
    SWEEP_MUTES = 1 << 1,   /* events that come in between may vanish uncounted */
    SWEEP_FILTERS = 1 << 2, /* it logs an event that it has suppressed, unless another one records it again */
    SWEEP_FAST = 1 << 10,   /* it logs whatever the filter says */
    SWEEP_URGENT = 1 << 11, /* it may take an emergency slot */
    /* of chunks made at run time */
    SWEEP_CHUNKS = 1 << 3,  /* it does something with them */
    SWEEP_LEAVES = 1 << 4,  /* the current chunk is left for another one, and nothing else */
    SWEEP_SENDS = 1 << 5,   /* one is sent, once */
    SWEEP_DIVERTS = 1 << 6, /* others may be sent to somebody else meanwhile */
    SWEEP_DELETES = 1 << 7, /* events in one go with it */
    /* it takes thousands of instructions; on even parts, on odd ones, or on all */
    SWEEP_LONG_EVEN = 1 << 8,
    SWEEP_LONG_ODD = 1 << 9,
    SWEEP_LONG = SWEEP_LONG_EVEN | SWEEP_LONG_ODD,
};

struct sweep_call {
    const char *name;
    void (*call)(uint32_t n);
    uint32_t slots; /* an event of so many */
    uint32_t is;
};

/* Without interrupts: every word of the ring as it must be after every call (runtime/sweep/exact.c,
 * runtime/sweep/exact_event.c). */
void sweep_exact(void);

/* Of the call that logs any event of one slot. */
extern volatile uint32_t sweep_class, sweep_event;

extern const struct sweep_call sweep_calls[];
extern const uint32_t sweep_call_count;

/* Keep what tlog_chunk.c knows of the chunks, and tell how many bytes of the arena they fill; make it so again. */
uint32_t sweep_chunks_save(void);
void sweep_chunks_restore(void);

/* Forget all names; let their ring be opened, or not. */
void sweep_names_reset(bool opened);

#endif
