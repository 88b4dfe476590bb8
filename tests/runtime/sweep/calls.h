/* calls.h - the calls whose every instruction is interrupted, by name. runtime/sweep/calls.c makes them, and is
 * compiled as the runtime is; runtime/sweep/run.c decides when they are made. */
#ifndef RUNTIME_SWEEP_CALLS_H
#define RUNTIME_SWEEP_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* What a call does. */
enum {
    SWEEP_LOGS = 1 << 0,    /* it logs event number n, once */
    SWEEP_MUTES = 1 << 1,   /* events that come in between may be suppressed without being counted */
    SWEEP_FILTERS = 1 << 2, /* it logs an event that it has suppressed, unless an interrupt ends the suppression */
    SWEEP_FAST = 1 << 10,   /* it logs whatever the filter is */
    SWEEP_URGENT = 1 << 11, /* it may take an emergency slot */
    /* calls on chunks made at run time */
    SWEEP_CHUNKS = 1 << 3,  /* it changes or sends chunks */
    SWEEP_LEAVES = 1 << 4,  /* it only leaves the current chunk for another one */
    SWEEP_SENDS = 1 << 5,   /* it sends a chunk, once */
    SWEEP_DIVERTS = 1 << 6, /* while it runs, chunks of other calls may go to another sender */
    SWEEP_DELETES = 1 << 7, /* it deletes chunks with events in them */
    /* it takes thousands of instructions; it is tested in parts with even numbers, with odd ones, or in all */
    SWEEP_LONG_EVEN = 1 << 8,
    SWEEP_LONG_ODD = 1 << 9,
    SWEEP_LONG = SWEEP_LONG_EVEN | SWEEP_LONG_ODD,
};

struct sweep_call {
    const char *name;
    void (*call)(uint32_t n);
    uint32_t slots; /* number of slots of its event */
    uint32_t flags; /* SWEEP_... bits */
};

/* The tests without interrupts: after every call, every word of the ring is compared with what it must be
 * (runtime/sweep/exact.c, runtime/sweep/exact_event.c). */
void sweep_exact(void);

/* Class and event of the call that logs an event of any class. */
extern volatile uint32_t sweep_class, sweep_event;

extern const struct sweep_call sweep_calls[];
extern const uint32_t sweep_call_count;

/* Save tlog_chunk.c's state, and return how many bytes of the arena the chunks fill; restore that state. */
uint32_t sweep_chunks_save(void);
void sweep_chunks_restore(void);

/* Delete all names; their ring is then open, or not yet. */
void sweep_names_reset(bool opened);

#endif
