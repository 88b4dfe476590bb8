/* map_linux.h - the events of Linux that the mapping makes. For map_event.c and map_known.c only. */
#ifndef DECODE_MAP_LINUX_H
#define DECODE_MAP_LINUX_H

#include "decode/map_state.h"

#include <string.h>

/* Declare Linux's types in the trace. */
void decode_map_declare_types(struct decode_map *map);

/* ---- tasks in payloads ------------------------------------------------------------------------------------------- */

/* Write a task's name, pid and priority as they stand in payloads: DECODE_TASK_BYTES. */
void decode_map_make_task(const struct decode_map *map, unsigned char *field, uint32_t number, int32_t priority);

/* Put a task into a payload. Most events of a busy trace are switches, so the bytes are kept, and are made again only
 * after any task was given a name. */
static inline void put_task(struct decode_map *map, unsigned char *field, uint32_t number)
{
    struct task *task = task_of(map, number);
    if (task == NULL) {
        decode_map_make_task(map, field, number, 0);
        return;
    }
    if (task->naming != map->trace->naming + 1u) {
        decode_map_make_task(map, task->field, number, task->priority);
        task->naming = map->trace->naming + 1u;
    }
    memcpy(field, task->field, DECODE_TASK_BYTES);
}

static inline void set_priority(struct task *task, int32_t priority)
{
    task->priority = priority;
    put_le32(task->field + DECODE_COMM_BYTES + 4, (uint32_t)priority);
}

/* ---- interrupts -------------------------------------------------------------------------------------------------- */

/* Give the task that stands for an interrupt its name, such as "ISR:uart". Returns the part after "ISR:". */
const char *decode_map_name_interrupt(const struct decode_map *map, uint32_t irq);

/* The payload of an interrupt's entry. It is made once, with the name that is known then. */
const struct entry *decode_map_entry_of(struct decode_map *map, uint32_t irq);

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Give an event of out another type, and a payload of size bytes that the caller fills. There is room: map_slices() has
 * made sure. */
static inline unsigned char *change(struct trace_batch *out, struct tlog_event *event, uint16_t type, size_t size)
{
    unsigned char *data = out->room + out->used;
    out->used += (size + 7u) & ~(size_t)7;
    event->data = data;
    event->type = type;
    event->size = (uint16_t)size;
    return data;
}

/* Make the event a sched_switch. state: of the task switched out, DECODE_STATE_... */
static inline void change_to_switch(struct decode_map *map, struct trace_batch *out, struct tlog_event *event,
                                    uint32_t from, uint64_t state, uint32_t to)
{
    unsigned char *data = change(out, event, map->id_switch, DECODE_SWITCH_BYTES);
    event->task = pid_of(map, from);
    put_task(map, data, from);
    put_le64(data + DECODE_TASK_BYTES, state);
    put_task(map, data + DECODE_TASK_BYTES + 8, to);
}

/* Add a derived event to out, with the time of the event `like`. Returns NULL if the mode wants no derived events. */
static inline struct tlog_event *derive(struct decode_map *map, struct trace_batch *out, const struct tlog_event *like)
{
    struct tlog_event *derived = &out->event[out->n];
    if (!map->derives)
        return NULL;
    *derived =
        (struct tlog_event){.time = like->time, .rest = like->rest, .flags = TLOG_FLAG_DERIVED, .group = like->group};
    out->n++;
    map->trace->counts.derived++;
    return derived;
}

/* Derive a sched_switch. */
static inline void derive_switch(struct decode_map *map, struct trace_batch *out, const struct tlog_event *like,
                                 uint32_t from, uint64_t state, uint32_t to)
{
    struct tlog_event *derived = derive(map, out, like);
    if (derived != NULL)
        change_to_switch(map, out, derived, from, state, to);
}

#endif
