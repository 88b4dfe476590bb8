/* cpu.h - what runs on each CPU: switches, wake-ups and interrupts, which go into the CPU's bundles.
 *
 * Vocabulary
 *   seed   a switch that the trace does not have. It is written because viewers ignore the first switch of a CPU
 *   gap    a time of which it is not known what ran (model/known.h). Viewers show a task "(events lost)" in it
 */
#ifndef PERFETTO_CPU_H
#define PERFETTO_CPU_H

#include "formats/perfetto/bundle.h"
#include "formats/perfetto/shape.h"

#define PERFETTO_CPUS_MOST 1024u /* trace_processor stops at a bundle of CPU 1024 or above */

struct perfetto_cpu {
    bool has_events;
    uint64_t first, last;       /* times of events on it */
    bool has_current, is_fresh; /* it is known which task runs; and it became known after the last loss */
    uint32_t current;           /* that task */
    bool is_seeded, in_gap;
    bool is_gap_open;          /* there was no event in the gap */
    uint64_t gap_from, gap_to; /* times, valid if in_gap; gap_to: of the first event in it */
    struct perfetto_lane lane;
    uint64_t losses;      /* uuid of the track of its losses; 0: none yet */
    uint64_t lost_at;     /* time of the last one */
    unsigned losses_open; /* losses on it since the CPU's last event: their slices have no end yet */
};

/* The CPUs of the trace. NULL: no memory. */
struct perfetto_cpu *perfetto_cpus_new(const struct trace *trace);
void perfetto_cpus_free(struct perfetto_cpu *cpus);

/* Note that there was an event, and which task ran. time: as in packets. */
void perfetto_cpu_note(struct perfetto *state, unsigned cpu, const struct tlog_event *event, uint64_t time);

/* Whether the CPU has bundles. The switches, wake-ups and interrupts of one that has none are written as instants. */
static inline bool perfetto_cpu_has_bundles(unsigned cpu)
{
    return cpu < PERFETTO_CPUS_MOST;
}

/* Write an event of the forms SWITCH, WAKING, WAKEUP, IRQ_ENTRY and IRQ_EXIT. The CPU must have bundles. 0, or -1 after
 * trace_fail(). */
int perfetto_cpu_event(struct perfetto *state, unsigned cpu, const struct perfetto_shape *shape,
                       const struct tlog_event *event, uint64_t time);

/* The event tells why a task will wait, or that it no longer does. 0, or -1 after trace_fail(). */
int perfetto_cpu_note_wait(struct perfetto *state, unsigned cpu, struct perfetto_shape *shape,
                           const struct tlog_event *event, uint64_t time);

/* From that time on it is not known what runs. Ends all slices that are open on the CPU, and those of mutexes. 0, or -1
 * after trace_fail(). */
int perfetto_cpu_forget(struct perfetto *state, unsigned cpu, uint64_t time);

/* The same, and events were lost. */
int perfetto_cpu_loss(struct perfetto *state, unsigned cpu, uint64_t time);

/* All events have come: write what is left for the CPU. 0, or -1 after trace_fail(). */
int perfetto_cpu_finish(struct perfetto *state, unsigned cpu);

#endif
