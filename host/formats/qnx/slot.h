/* slot.h - what a slot of a .kev file is: something about the trace, part of an event, or damaged. For the reader. */
#ifndef QNX_SLOT_H
#define QNX_SLOT_H

#include "formats/qnx/file.h"
#include "events/qnx_join.h"
#include "events/qnx_types.h"

/* The slot's CPU, 0 .. KEV_CPUS_MAX - 1. */
unsigned kev_cpu(const struct kev_slot *slot);

/* Whether it is of class CONTROL and that number. */
bool kev_is_control(const struct kev_slot *slot, uint32_t event);

/* Whether all its words are 0. */
bool kev_is_empty(const struct kev_slot *slot);

/* Whether it is about the trace, and no event. */
bool kev_tells_trace(const struct kev_slot *slot);

/* What is wrong with the slot, as far as the slot alone can tell; NULL: nothing. */
const char *kev_fault(const struct kev_slot *slot, unsigned release, unsigned ncpus);

/* The slot as events are joined from, of that time. Its data stays in the kev_slot. */
struct qnx_slot kev_joinable(const struct kev_slot *slot, uint64_t time);

/* The event that was joined. Its data stays in *joined. */
struct qnx_event kev_event(const struct qnx_joined *joined, bool big);

/* Counts the kernel buffers, and the slots of the present one. All zeros at the beginning, except for per_cpu. */
struct kev_buffers {
    bool per_cpu;                /* each CPU numbers its own buffers, else all CPUs together; then [0] is used */
    bool known[KEV_CPUS_MAX];    /* a buffer has come */
    uint32_t last[KEV_CPUS_MAX]; /* number of the latest one */
    uint32_t expected;           /* slots of the present buffer, as it tells; 0: it does not */
    uint32_t found;              /* slots of it so far */
};

/* A buffer begins with the slot. Returns how many buffers are missing before it. */
uint32_t kev_buffers_step(struct kev_buffers *buffers, const struct kev_slot *slot);

/* Whether the present buffer, which ends, has another number of slots than it tells. False in QNX 8, for which it is
 * not documented which slots the number counts. */
bool kev_buffers_wrong(const struct kev_buffers *buffers, unsigned release);

#endif
