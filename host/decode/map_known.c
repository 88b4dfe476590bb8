/* map_known.c - see map_known.h. */
#include "decode/map_known.h"

#include "decode/map_linux.h"

/* Let the events of out from index `first` on, which were added behind `event`, stand before it. Returns the event. */
static struct tlog_event *put_before(struct trace_batch *out, struct tlog_event *event, size_t first)
{
    struct tlog_event moved = *event;
    size_t n = out->n - first;
    memmove(event, event + 1, n * sizeof moved);
    event[n] = moved;
    return event + n;
}

/* Derive a switch to or from the unknown task, which every writer gets. */
static void tell_switch(struct decode_map *map, struct trace_batch *out, const struct tlog_event *like, uint32_t from,
                        uint64_t state, uint32_t to)
{
    bool derives = map->derives;
    map->derives = map->converts;
    derive_switch(map, out, like, from, state, to);
    map->derives = derives;
    if (map->converts)
        out->event[out->n - 1u].flags |= TLOG_FLAG_TELLS;
}

/* Add an event of an interrupt, which the caller makes an entry or an exit. */
static struct tlog_event *add_of_interrupt(struct decode_map *map, struct trace_batch *out,
                                           const struct tlog_event *like, uint32_t irq)
{
    struct tlog_event *event = &out->event[out->n];
    *event = (struct tlog_event){.time = like->time,
                                 .rest = like->rest,
                                 .flags = TLOG_FLAG_DERIVED | TLOG_FLAG_TELLS | TLOG_FLAG_IN_INTERRUPT,
                                 .task = pid_of(map, INTERRUPT_TASK + irq)};
    out->n++;
    map->trace->counts.derived++;
    return event;
}

/* Derive the entry of an interrupt that runs where something is known again. */
static void tell_entry(struct decode_map *map, struct trace_batch *out, const struct tlog_event *like, uint32_t irq)
{
    const struct entry *entry;
    if (!map->converts)
        return;
    entry = decode_map_entry_of(map, irq);
    memcpy(change(out, add_of_interrupt(map, out, like, irq), map->id_entry, entry->size), entry->data,
           sizeof entry->data);
}

/* Derive the exits of all interrupts but the `depth` outermost ones, and what runs behind each. result: what the exits
 * tell, TRACE_EXIT_... */
static void tell_exits(struct decode_map *map, const struct cpu *cpu, struct trace_batch *out,
                       const struct tlog_event *like, unsigned depth, uint32_t result)
{
    for (unsigned i = cpu->depth; i > depth; i--) {
        uint32_t irq = cpu->interrupt[i - 1u];
        unsigned char *data;
        if (map->converts) {
            data = change(out, add_of_interrupt(map, out, like, irq), map->id_exit, DECODE_EXIT_BYTES);
            put_le32(data, irq);
            put_le32(data + 4, result);
        }
        derive_switch(map, out, like, INTERRUPT_TASK + irq, DECODE_STATE_SLEEPING,
                      i > 1 ? INTERRUPT_TASK + cpu->interrupt[i - 2u] : cpu->scheduled);
    }
}

struct tlog_event *decode_map_running(struct decode_map *map, struct cpu *cpu, struct tlog_event *event,
                                      uint32_t number, struct trace_batch *out)
{
    struct task *task = task_of(map, number);
    uint32_t from = cpu->scheduled;
    size_t first;
    if (number == 0)
        return event;
    if (task != NULL)
        task->ran = true;
    cpu->scheduled = number;
    find_running(map, cpu);
    event->task = cpu->pid;
    if (from != UNKNOWN_TASK || cpu->depth > 0)
        return event;
    if (task != NULL) {
        task->state = DECODE_STATE_RUNNING;
        task->woken = false;
        task->begun = true;
    }
    first = out->n;
    tell_switch(map, out, event, from, DECODE_STATE_SLEEPING, number);
    return put_before(out, event, first);
}

struct tlog_event *decode_map_teller(struct decode_map *map, struct cpu *cpu, enum decode_teller teller,
                                     struct tlog_event *event, uint32_t number, struct trace_batch *out)
{
    if (cpu->scheduled != UNKNOWN_TASK || cpu->depth > 0 || !decode_tells(teller, number, &cpu->hint))
        return event;
    return decode_map_running(map, cpu, event, number, out);
}

/* Tell that it is not known any more what runs on the CPU: which interrupts, and which task. event: what they are like;
 * they come to stand before it if is_before is set. Returns it. */
static struct tlog_event *tell_unknown(struct decode_map *map, const struct cpu *cpu, struct tlog_event *event,
                                       bool is_before, struct trace_batch *out)
{
    const struct tlog_event like = *event;
    size_t first = out->n;
    tell_exits(map, cpu, out, &like, 0, TRACE_EXIT_UNKNOWN);
    if (cpu->scheduled != UNKNOWN_TASK && cpu->begun)
        tell_switch(map, out, &like, cpu->scheduled, DECODE_STATE_SLEEPING, UNKNOWN_TASK);
    return is_before ? put_before(out, event, first) : event;
}

struct tlog_event *decode_map_leave(struct decode_map *map, struct cpu *cpu, struct tlog_event *event, unsigned depth,
                                    struct trace_batch *out)
{
    size_t first = out->n;
    if (depth >= cpu->depth)
        return event;
    if (map->left == 0)
        map->left_first = cpu->interrupt[cpu->depth - 1u];
    map->left += cpu->depth - depth;
    tell_exits(map, cpu, out, &(struct tlog_event){.time = event->time, .rest = event->rest, .group = event->group},
               depth, TRACE_EXIT_LEFT);
    cpu->depth = depth;
    find_running(map, cpu);
    event->task = cpu->pid;
    if (depth == 0 && !trace_context_is_interrupt(event->context))
        event->flags &= (uint8_t)~TLOG_FLAG_IN_INTERRUPT;
    return put_before(out, event, first);
}

/* Events are missing behind this one: what runs is not known until an event tells it. */
static void lose(struct decode_map *map, struct cpu *cpu)
{
    map->task[UNKNOWN_TASK].state = DECODE_STATE_RUNNING;
    map->gaps++;
    cpu->depth = 0;
    cpu->scheduled = UNKNOWN_TASK;
    cpu->hint = cpu->again = NO_TASK;
    find_running(map, cpu);
}

void decode_map_gap(struct decode_map *map, struct cpu *cpu, struct tlog_event *event, struct trace_batch *out)
{
    map->trace->counts.events--; /* map_slices() counts it, but it is no event of the input */
    if (cpu->leading == 0) {
        event = tell_unknown(map, cpu, event, true, out);
        lose(map, cpu);
    }
    cpu->leading -= cpu->leading > 0;
    event->task = pid_of(map, UNKNOWN_TASK);
    event->flags &= (uint8_t)~TLOG_FLAG_IN_INTERRUPT;
}

/* While an interrupt runs, its exit tells what runs behind it. */
void decode_map_no_switches(struct decode_map *map, struct cpu *cpu, struct tlog_event *event, struct trace_batch *out)
{
    const struct tlog_event like = *event;
    size_t first = out->n;
    if (cpu->depth == 0 && cpu->scheduled != UNKNOWN_TASK && cpu->begun)
        tell_switch(map, out, &like, cpu->scheduled, DECODE_STATE_SLEEPING, UNKNOWN_TASK);
    event = put_before(out, event, first);
    map->task[UNKNOWN_TASK].state = DECODE_STATE_RUNNING;
    cpu->scheduled = UNKNOWN_TASK;
    cpu->hint = cpu->again = NO_TASK;
    find_running(map, cpu);
    event->task = cpu->pid;
}

void decode_map_resume(struct decode_map *map, struct cpu *cpu, struct trace_batch *out)
{
    tell_unknown(map, cpu, &(struct tlog_event){.time = cpu->paused_at}, false, out);
    lose(map, cpu);
    cpu->is_paused = false;
}

/* What the user wants begins: tell what runs. */
static void tell_running(struct decode_map *map, const struct cpu *cpu, const struct tlog_event *like,
                         struct trace_batch *out)
{
    uint32_t inside = cpu->scheduled;
    if (inside != UNKNOWN_TASK)
        tell_switch(map, out, like, UNKNOWN_TASK, DECODE_STATE_SLEEPING, inside);
    for (unsigned i = 0; i < cpu->depth; i++) {
        tell_entry(map, out, like, cpu->interrupt[i]);
        derive_switch(map, out, like, inside, DECODE_STATE_RUNNING, INTERRUPT_TASK + cpu->interrupt[i]);
        inside = INTERRUPT_TASK + cpu->interrupt[i];
    }
}

void decode_map_tell_edge(struct decode_map *map, struct cpu *cpu, const struct decode_edge *edge,
                          struct trace_batch *out)
{
    struct tlog_event like = {.time = edge->time};
    unsigned char *data;
    if (!edge->begins && !map->trace->mapped)
        tell_unknown(map, cpu, &like, false, out);
    if (map->marks) {
        out->event[out->n] = like;
        data = change(out, &out->event[out->n++], map->id_left_out, 8);
        put_le64(data, edge->begins);
        out->event[out->n - 1u].size = 4;
        out->event[out->n - 1u].task = cpu->pid;
    }
    if (edge->begins && !map->trace->mapped)
        tell_running(map, cpu, &like, out);
}
