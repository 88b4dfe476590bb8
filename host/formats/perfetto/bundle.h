/* bundle.h - events of one CPU as Linux's tracer has them, many in a packet.
 *
 * Switches and wake-ups are columns: all times, then all pids, and so on. Other events follow one by one. Viewers take
 * a bundle's events of one time in this order: its switches, its wake-ups, its other events. So if a switch follows a
 * wake-up of the same time, it begins a new bundle.
 */
#ifndef PERFETTO_BUNDLE_H
#define PERFETTO_BUNDLE_H

#include "formats/perfetto/packet.h"
#include "formats/perfetto/tasks.h"

#define BUNDLE_NAME_BYTES 64u /* of an interrupt's name that are kept */

struct perfetto_bundle;

/* A CPU's bundle, if it has one at present, and whether events were lost before its next one. */
struct perfetto_lane {
    struct perfetto_bundle *bundle; /* NULL: none; the last one has been written */
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

/* An event that is not in a column. number: of an interrupt, or the iid of why a task waits. */
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

/* The bundle of a CPU's lane. If it has none, the bundle whose CPU has waited longest for an event is written, and
 * given to this CPU. Valid until the next call. NULL after trace_fail(). */
struct perfetto_bundle *perfetto_bundle_of(struct perfetto *state, struct perfetto_lane *lane, unsigned cpu);

/* Add an event. Times are those of packets. If the time goes back, among switches or among wake-ups, a new bundle
 * begins. 0, or -1 after trace_fail(). */
int perfetto_bundle_switch(struct perfetto *state, struct perfetto_bundle *bundle, const struct perfetto_switch *event);
int perfetto_bundle_waking(struct perfetto *state, struct perfetto_bundle *bundle, const struct perfetto_waking *event);
int perfetto_bundle_other(struct perfetto *state, struct perfetto_bundle *bundle, const struct perfetto_other *event);

/* The same for sched_wakeup, which Linux logs after sched_waking. */
int perfetto_bundle_wakeup(struct perfetto *state, struct perfetto_bundle *bundle, uint32_t task,
                           const struct perfetto_waking *event);

/* Events were lost: the lane's next bundle says so. 0, or -1 after trace_fail(). */
int perfetto_bundle_lose(struct perfetto *state, struct perfetto_lane *lane);

/* Write the bundle, and whether events were lost before it. 0, or -1 after trace_fail(). */
int perfetto_bundle_flush(struct perfetto *state, struct perfetto_bundle *bundle);

#endif
