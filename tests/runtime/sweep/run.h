/* run.h - schedules: a call by the thread, interrupted everywhere; the interrupt, too; and the one in that. The delays
 * grow by single instructions, until the interrupt comes after the call.
 *
 * What the memory is before, and whether it is right afterwards, is the affair of the test that sweeps:
 * runtime/sweep/ring.c, runtime/sweep/chunk.c. */
#ifndef RUNTIME_SWEEP_RUN_H
#define RUNTIME_SWEEP_RUN_H

#include "calls.h"

/* What a context does: so many calls of one kind, or of all that log in turn, or what the test says that is not a
 * call. */
struct sweep_work {
    uint32_t call, count;
};
enum { SWEEP_MIXED = 1000, SWEEP_OWN };
extern void (*sweep_own)(void);

extern int sweep_depth;                  /* interrupts in interrupts: 1..3 */
extern struct sweep_work sweep_works[4]; /* of each level, 0: the thread */

/* Make the calls. Any context. */
void sweep_do(struct sweep_work work);

/* A call, interrupted everywhere by outer, which is interrupted everywhere by inner, and that by innermost; as deep as
 * sweep_depth. */
void sweep_three(uint32_t call, struct sweep_work outer, struct sweep_work inner, struct sweep_work innermost);

/* The same, where the third one, if any, does what the second does. */
void sweep(uint32_t call, struct sweep_work outer, struct sweep_work inner);

/* Whether a call may keep events of another from being recorded, or let them be that were not to be. */
bool sweep_mutes(void);

/* Whether a work is nothing but calls that are all of these. */
bool sweep_is(struct sweep_work work, uint32_t is);

struct sweep_set {
    const char *name;
    void (*set)(void);
};

/* Make the set of sweeps that QEMU's arguments tell; the exit code. */
int sweep_main(const struct sweep_set *sets, uint32_t count);

/* Given by the test: what it knows besides the events, and calls change; words == 0 is the end. */
struct sweep_memory {
    void *at;
    uint32_t words;
};
extern const struct sweep_memory sweep_own_memory[];

/* Put the memory where every schedule begins; look at it in an interrupt that has interrupted so many contexts; judge
 * it after a schedule. */
void sweep_restore(void);
void sweep_check_instant(uint32_t interrupted);
void sweep_check_end(void);

#endif
