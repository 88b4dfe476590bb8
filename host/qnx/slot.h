/* slot.h - what a slot of a .kev file is: about the trace, part of an event, or damaged. Private to the reader. */
#ifndef QNX_SLOT_H
#define QNX_SLOT_H

#include "qnx/file.h"
#include "events/qnx_join.h"
#include "events/qnx_types.h"

unsigned kev_cpu(const struct kev_slot *slot);
bool kev_is_control(const struct kev_slot *slot, uint32_t event);
bool kev_is_empty(const struct kev_slot *slot);

/* Slots that are about the trace, and no events. */
bool kev_tells_trace(const struct kev_slot *slot);

/* What is wrong with a slot by itself, or NULL. */
const char *kev_fault(const struct kev_slot *slot, unsigned release, unsigned ncpus);

struct qnx_slot kev_joinable(const struct kev_slot *slot, uint64_t time);
struct qnx_event kev_event(const struct qnx_joined *joined, bool big);

/* Which kernel buffers there are, and how many slots of the one at hand. Starts as zeros. */
struct kev_buffers {
    bool per_cpu; /* every CPU counts its own */
    bool known[KEV_CPUS_MAX];
    uint32_t last[KEV_CPUS_MAX]; /* number */
    uint32_t expected;           /* slots; 0 = not told */
    uint32_t found;
};

/* A buffer begins: how many are missing before it. */
uint32_t kev_buffers_step(struct kev_buffers *buffers, const struct kev_slot *slot);

/* Whether the buffer at hand has another number of slots than it says. In QNX 8 nobody says which slots that counts. */
bool kev_buffers_wrong(const struct kev_buffers *buffers, unsigned release);

#endif
