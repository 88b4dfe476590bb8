/* bundle.h - events of one CPU in the form of Linux's tracer: a bundle is a packet with many of them.
 *
 * Switches and wake-ups are columns: all times, then all pids, and so on. Other events follow one by one. Of events at
 * the same time, viewers take a bundle's switches first, then its wake-ups, then the others. So a switch that follows a
 * wake-up of the same time begins a new bundle.
 */
#ifndef PERFETTO_BUNDLE_H
#define PERFETTO_BUNDLE_H

#include "formats/perfetto/packet.h"
#include "formats/perfetto/tasks.h"

#define BUNDLE_NAME_BYTES 64u /* longer names of interrupts are cut to this */

struct perfetto_bundle;

/* What is kept for each CPU. */
struct perfetto_lane {
    struct perfetto_bundle *bundle; /* that is being filled; NULL: none is */
    bool lost;                      /* events were lost before the next one */
};

/* A switch on a CPU. */
struct perfetto_switch {
    uint64_t time;
    uint64_t state; /* of the task switched out, as Linux has it */
    uint32_t next;
    int32_t priority; /* of the next task */
    const char *comm; /* of the next task */
};

struct perfetto_waking {
    uint64_t time;
    uint32_t pid, target_cpu;
    int32_t priority;
    const char *comm;
    bool in_interrupt;
};

/* An event that is in no column: an interrupt, or why a task waits. */
struct perfetto_other {
    unsigned field; /* FTRACE_... */
    uint64_t time;
    uint32_t task;             /* that runs, or that the interrupt has interrupted */
    uint64_t number;           /* of the interrupt; or the iid of why the task waits */
    const unsigned char *name; /* length bytes, at the entry of an interrupt; else NULL */
    size_t length;
};

/* The bundles of all CPUs. There are a few, however many CPUs the trace has. NULL: no memory. */
struct perfetto_bundles *perfetto_bundles_new(void);
void perfetto_bundles_free(struct perfetto_bundles *bundles);

/* The bundle of a CPU, given by the CPU's lane. If it has none and all are in use, the bundle whose CPU has had no
 * event for the longest time is written, and given to this CPU. Valid until the next call. NULL after trace_fail(). */
struct perfetto_bundle *perfetto_bundle_of(struct perfetto *state, struct perfetto_lane *lane, unsigned cpu);

/* Add an event. Times are those of packets. If the time is earlier than that of the last switch or wake-up, a new
 * bundle begins. 0, or -1 after trace_fail(). */
int perfetto_bundle_switch(struct perfetto *state, struct perfetto_bundle *bundle, const struct perfetto_switch *event);
int perfetto_bundle_waking(struct perfetto *state, struct perfetto_bundle *bundle, const struct perfetto_waking *event);
int perfetto_bundle_other(struct perfetto *state, struct perfetto_bundle *bundle, const struct perfetto_other *event);

/* Add a sched_wakeup in the same way; Linux logs it after sched_waking. task: that runs. */
int perfetto_bundle_wakeup(struct perfetto *state, struct perfetto_bundle *bundle, uint32_t task,
                           const struct perfetto_waking *event);

/* Events of the CPU were lost: its next bundle will say so. 0, or -1 after trace_fail(). */
int perfetto_bundle_note_loss(struct perfetto *state, struct perfetto_lane *lane);

/* Write the bundle, also an empty one if events were lost before it. 0, or -1 after trace_fail(). */
int perfetto_bundle_flush(struct perfetto *state, struct perfetto_bundle *bundle);

#endif
