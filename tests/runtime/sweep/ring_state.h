/* ring_state.h - the states of a ring in which the sweeps of runtime/sweep/ring.c begin a schedule. */
#ifndef RUNTIME_SWEEP_RING_STATE_H
#define RUNTIME_SWEEP_RING_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* The state of a ring when a call begins. */
struct sweep_state {
    uint32_t filled; /* events in it; 0: it is not even opened */
    bool stops;
    bool goes_on;   /* it had stopped, and may go on: there is a loss to report */
    uint32_t clock; /* the clock is set to this just before the call; 0: it is not set */
};

/* The state that the ring was last brought into. */
extern struct sweep_state sweep_state;

/* What the clock is set to before the ring is filled. */
extern uint32_t sweep_begin_clock;

/* Set to 1 by an interrupt that makes a stopped ring go on; sweep_restore() sets it to 0. */
extern uint32_t sweep_went_on;

/* Bring the ring into a state, and save it for sweep_restore(). */
void sweep_enter(struct sweep_state wanted);

/* Save the ring as it is now for sweep_restore(). */
void sweep_keep(void);

/* A ring with that many events, and a thread that was preempted in the middle of a switch: it has opened the lap that
 * is full now, and has not counted it. */
void sweep_enter_preempted(uint32_t filled);

/* The same, but the lap that the thread has opened is still empty. */
void sweep_enter_in_switch(uint32_t filled);

#endif
