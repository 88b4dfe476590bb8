/* cpu.h - what runs on each CPU, as switches, wake-ups and interrupts tell it.
 *
 * Vocabulary
 *   seed   a switch that was not logged, and is written because viewers ignore the first switch of a CPU
 *   gap    a time in which events were lost: viewers show a task "(events lost)" in it
 */
#ifndef PERFETTO_CPU_H
#define PERFETTO_CPU_H

#include "formats/perfetto/bundle.h"
#include "formats/perfetto/shape.h"

#define PERFETTO_CPUS_MOST 1024u /* trace_processor stops at the first bundle of a CPU beyond */

struct perfetto_cpu {
    bool has_events;
    uint64_t first, last;       /* times of events on it */
    bool has_current, is_fresh; /* a task is known to run; known since the last loss */
    uint32_t current;           /* that task */
    bool is_seeded, in_gap;
    uint64_t gap_from, gap_to; /* in_gap */
    struct perfetto_lane lane;
    uint64_t losses; /* uuid of the track; 0: none yet */
};

/* The CPUs of the trace. NULL: no memory. */
struct perfetto_cpu *perfetto_cpus_new(const struct trace *trace);
void perfetto_cpus_free(struct perfetto_cpu *cpus);

/* Note an event. time: as in packets. */
void perfetto_cpu_note(struct perfetto *state, unsigned cpu, const struct trace_event *event, uint64_t time);

/* Whether the CPU has bundles: otherwise its switches, wake-ups and interrupts are written as instants. */
static inline bool perfetto_cpu_has_bundles(unsigned cpu)
{
    return cpu < PERFETTO_CPUS_MOST;
}

/* Write an event of the forms SWITCH, WAKING, WAKEUP, IRQ_ENTRY and IRQ_EXIT, of a CPU that has bundles. 0, or -1 after
 * trace_fail(). */
int perfetto_cpu_event(struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape,
                       const struct trace_event *event, uint64_t time);

/* Remember why a task will wait, if the event tells that. 0, or -1 after trace_fail(). */
int perfetto_cpu_block(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape,
                       const struct trace_event *event);

/* Events were lost before that time. Sets *from to the time of the last event before them. 0, or -1 after
 * trace_fail(). */
int perfetto_cpu_lose(struct perfetto *state, unsigned cpu, uint64_t time, uint64_t *from);

/* All events have come. 0, or -1 after trace_fail(). */
int perfetto_cpu_finish(struct perfetto *state, unsigned cpu);

#endif
