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

/* An empty one. NULL: no memory. */
struct perfetto_bundle *perfetto_bundle_new(unsigned cpu);
void perfetto_bundle_free(struct perfetto_bundle *bundle);

/* Add an event. Times are those of packets, and do not go back within switches, nor within wake-ups; if they do all the
 * same, a new bundle begins. 0, or -1 after trace_fail(). */
int perfetto_bundle_switch(struct perfetto *state, struct perfetto_bundle *bundle, const struct perfetto_switch *event);
int perfetto_bundle_waking(struct perfetto *state, struct perfetto_bundle *bundle, const struct perfetto_waking *event);
int perfetto_bundle_other(struct perfetto *state, struct perfetto_bundle *bundle, const struct perfetto_other *event);

/* The same of a wake-up that Linux logs behind that of waking. */
int perfetto_bundle_wakeup(struct perfetto *state, struct perfetto_bundle *bundle, uint32_t task,
                           const struct perfetto_waking *event);

/* Events were lost: the next bundle says so. 0, or -1 after trace_fail(). */
int perfetto_bundle_lose(struct perfetto *state, struct perfetto_bundle *bundle);

/* Write what is in it. 0, or -1 after trace_fail(). */
int perfetto_bundle_flush(struct perfetto *state, struct perfetto_bundle *bundle);

#endif
