/* run.h - schedules: a call by the thread, interrupted at every instruction; that interrupt is interrupted, too, and
 * the one in it. The delays grow by single instructions, until the interrupt comes after the call.
 *
 * The test that sweeps sets the memory before a schedule and checks it afterwards: runtime/sweep/ring.c,
 * runtime/sweep/chunk.c. */
#ifndef RUNTIME_SWEEP_RUN_H
#define RUNTIME_SWEEP_RUN_H

#include "calls.h"

/* What a context does: `count` calls of one kind; or of all kinds that log, in turn (SWEEP_MIXED); or the test's
 * sweep_own(), which is not a call (SWEEP_OWN). */
struct sweep_work {
    uint32_t call, count;
};
enum { SWEEP_MIXED = 1000, SWEEP_OWN };
extern void (*sweep_own)(void);

extern int sweep_depth;                  /* interrupts in interrupts: 1..3 */
extern struct sweep_work sweep_works[4]; /* by level; 0: the thread */

/* Make the calls. Any context may do this. */
void sweep_do(struct sweep_work work);

/* Sweep a call that `outer` interrupts at every instruction, which `inner` interrupts, which `innermost` interrupts; as
 * deep as sweep_depth. */
void sweep_three(uint32_t call, struct sweep_work outer, struct sweep_work inner, struct sweep_work innermost);

/* The same; the third interrupt, if any, does what the second does. */
void sweep(uint32_t call, struct sweep_work outer, struct sweep_work inner);

/* Whether a call may suppress events of another one, or end its suppression. */
bool sweep_mutes(void);

/* Whether all calls of the work have all these SWEEP_... bits. */
bool sweep_is(struct sweep_work work, uint32_t is);

struct sweep_set {
    const char *name;
    void (*set)(void);
};

/* Run the set of sweeps that QEMU's arguments name; returns the exit code. */
int sweep_main(const struct sweep_set *sets, uint32_t count);

/* Defined by the test: its memory, besides the events, that calls change; words == 0 ends the list. */
struct sweep_memory {
    void *at;
    uint32_t words;
};
extern const struct sweep_memory sweep_own_memory[];

/* Defined by the test. Set the memory to what every schedule begins with; check it in an interrupt that has interrupted
 * that many contexts; check it after a schedule. */
void sweep_restore(void);
void sweep_check_instant(uint32_t interrupted);
void sweep_check_end(void);

#endif
