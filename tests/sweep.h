/* sweep.h - the calls whose every instruction is interrupted, by name: between sweep_calls.c, which makes them and is
 * compiled as the runtime is, and sweep.c, which tells when. */
#ifndef SWEEP_H
#define SWEEP_H

#include <stdbool.h>
#include <stdint.h>

/* What a call is, besides a call. */
enum {
    SWEEP_LOGS = 1 << 0,    /* it logs event number n, once */
    SWEEP_MUTES = 1 << 1,   /* events that come in between may vanish uncounted */
    SWEEP_FILTERS = 1 << 2, /* it logs an event that it has suppressed, unless another one records it again */
    SWEEP_FAST = 1 << 3,    /* it logs whatever the filter says */
};

struct sweep_call {
    const char *name;
    void (*call)(uint32_t n);
    uint32_t slots; /* an event of so many */
    uint32_t is;
};

/* Without interrupts: every word of the ring as it must be after every call (sweep_exact.c). */
void sweep_exact(void);

extern const struct sweep_call sweep_calls[];
extern const uint32_t sweep_call_count;

/* Event n carries n itself and, where there is room, this. */
#define SWEEP_SALT 0x5A00u

/* Forget all names; let their ring be opened, or not. */
void sweep_names_reset(bool opened);

#endif
