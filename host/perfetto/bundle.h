/* bundle.h - events of one CPU as Linux's tracer has them, many in a packet.
 *
 * Switches and wake-ups are columns: all times, then all pids, and so on. The others follow one by one. Viewers take
 * those of one time in this order: all switches of a bundle, its wake-ups, its other events. So a wake-up that comes
 * before a switch of the same time ends its bundle.
 */
#ifndef PERFETTO_BUNDLE_H
#define PERFETTO_BUNDLE_H

#include "perfetto/packet.h"
#include "perfetto/tasks.h"

#define BUNDLE_NAME_BYTES 64u /* of an interrupt's name that are kept */

struct perfetto_bundle;

/* What a CPU has of the bundles: one while it takes part, and whether events were lost before its next one. */
struct perfetto_lane {
    struct perfetto_bundle *bundle; /* NULL: none; what was in the last one is written */
    bool lost;
};

/* A switch on a CPU. */
struct perfetto_switch {
    uint64_t time;
    uint64_t state; /* of the task switched out, as Linux has it */
    uint32_t next;
    int32_t priority; /* of the next task */
    const char *comm; /* the same */
};

struct perfetto_waking {
    uint64_t time;
    uint32_t pid, target_cpu;
    int32_t priority;
    const char *comm;
    bool in_interrupt;
};

/* What the other events have in common: number is an interrupt's, or the iid of why a task waits. */
struct perfetto_other {
    unsigned field; /* FTRACE_... */
    uint64_t time;
    uint32_t task; /* that runs, below interrupts */
    uint64_t number;
    const unsigned char *name; /* of an interrupt, length bytes; else NULL */
    size_t length;
};

/* Bundles, of which there are a few however many CPUs there are. NULL: no memory. */
struct perfetto_bundles *perfetto_bundles_new(void);
void perfetto_bundles_free(struct perfetto_bundles *bundles);

/* The bundle of a CPU's lane. If it has none, it gets that of the CPU that has waited longest for an event, which is
 * written then. Good until the next call. NULL after trace_fail(). */
struct perfetto_bundle *perfetto_bundle_of(struct perfetto *state, struct perfetto_lane *lane, unsigned cpu);

/* Add an event. Times are those of packets, and do not go back within switches, nor within wake-ups; if they do all the
 * same, a new bundle begins. 0, or -1 after trace_fail(). */
int perfetto_bundle_switch(struct perfetto *state, struct perfetto_bundle *bundle, const struct perfetto_switch *event);
int perfetto_bundle_waking(struct perfetto *state, struct perfetto_bundle *bundle, const struct perfetto_waking *event);
int perfetto_bundle_other(struct perfetto *state, struct perfetto_bundle *bundle, const struct perfetto_other *event);

/* The same of a wake-up that Linux logs behind that of waking. */
int perfetto_bundle_wakeup(struct perfetto *state, struct perfetto_bundle *bundle, uint32_t task,
                           const struct perfetto_waking *event);

/* Events were lost: the lane's next bundle says so. 0, or -1 after trace_fail(). */
int perfetto_bundle_lose(struct perfetto *state, struct perfetto_lane *lane);

/* Write what is in it, and that events were lost before. 0, or -1 after trace_fail(). */
int perfetto_bundle_flush(struct perfetto *state, struct perfetto_bundle *bundle);

#endif
