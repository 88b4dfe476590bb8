/* map_linux.c - see map_linux.h. */
#include "decode/map_linux.h"

#include "base/text.h"
#include <stdio.h>

/* ---- Linux's types ----------------------------------------------------------------------------------------------- */

/* Fields and print formats are those of Linux (include/trace/events/sched.h and irq.h), because viewers look for them.
 * Offsets are ours, and trace.dat tells them to viewers. */
/* clang-format off */
static const struct tlog_field switch_fields[] = {
    {"prev_comm",  TLOG_KIND_CHARS,   0, DECODE_COMM_BYTES},
    {"prev_pid",   TLOG_KIND_SIGNED, 16, 4},
    {"prev_prio",  TLOG_KIND_SIGNED, 20, 4},
    {"prev_state", TLOG_KIND_SIGNED, 24, 8},
    {"next_comm",  TLOG_KIND_CHARS,  32, DECODE_COMM_BYTES},
    {"next_pid",   TLOG_KIND_SIGNED, 48, 4},
    {"next_prio",  TLOG_KIND_SIGNED, 52, 4},
};
static const struct tlog_type type_switch = {
    "sched", "sched_switch", TLOG_MEANS_SWITCH, DECODE_SWITCH_BYTES, 7, switch_fields,
    "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=%s next_pid=%d next_prio=%d\", "
    "REC->prev_comm, REC->prev_pid, REC->prev_prio, REC->prev_state ? "
    "__print_flags(REC->prev_state, \"|\", { 1, \"S\" }, { 2, \"D\" }, { 32, \"X\" }) : \"R\", "
    "REC->next_comm, REC->next_pid, REC->next_prio",
};

#define WAKING_PRINT \
    "\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, REC->target_cpu"
static const struct tlog_field waking_fields[] = {
    {"comm",       TLOG_KIND_CHARS,   0, DECODE_COMM_BYTES},
    {"pid",        TLOG_KIND_SIGNED, 16, 4},
    {"prio",       TLOG_KIND_SIGNED, 20, 4},
    {"target_cpu", TLOG_KIND_SIGNED, 24, 4},
};
static const struct tlog_type type_waking = {
    "sched", "sched_waking", TLOG_MEANS_WAKE, DECODE_WAKING_BYTES, 4, waking_fields, WAKING_PRINT,
};
static const struct tlog_type type_wakeup = {
    "sched", "sched_wakeup", TLOG_MEANS_PLAIN, DECODE_WAKING_BYTES, 4, waking_fields, WAKING_PRINT,
};

static const struct tlog_field entry_fields[] = {
    {"irq",  TLOG_KIND_SIGNED, 0, 4},
    {"name", TLOG_KIND_STRING, 4, 4},
};
static const struct tlog_type type_entry = {
    "irq", "irq_handler_entry", TLOG_MEANS_IRQ_ENTRY, 8, 2, entry_fields,
    "\"irq=%d name=%s\", REC->irq, __get_str(name)",
};

static const struct tlog_field exit_fields[] = {
    {"irq", TLOG_KIND_SIGNED, 0, 4},
    {"ret", TLOG_KIND_SIGNED, 4, 4},
};
static const struct tlog_type type_exit = {
    "irq", "irq_handler_exit", TLOG_MEANS_IRQ_EXIT, DECODE_EXIT_BYTES, 2, exit_fields,
    "\"irq=%d ret=%s\", REC->irq, "
    "__print_symbolic(REC->ret, { 0, \"unhandled\" }, { 1, \"handled\" }, { 4, \"unknown\" }, { 8, \"left\" })",
};
/* clang-format on */

void decode_map_declare_types(struct decode_map *map)
{
    map->id_switch = trace_type(map->trace, &type_switch);
    map->id_waking = trace_type(map->trace, &type_waking);
    map->id_wakeup = trace_type(map->trace, &type_wakeup); /* trace-cmd report --profile needs it in any case */
    map->id_entry = trace_type(map->trace, &type_entry);
    map->id_exit = trace_type(map->trace, &type_exit);
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/* Write a task's name, pid and priority as they stand in payloads: DECODE_TASK_BYTES. name: NULL = it has none, so that
 * it becomes "task-NUMBER", with the prefix of the trace. */
static void write_task(unsigned char *to, const struct trace *trace, uint32_t number, const char *name, uint32_t pid,
                       int32_t priority)
{
    char text[32];
    if (name == NULL) {
        snprintf(text, sizeof text, "%stask-%u", trace->task_prefix, number);
        name = text;
    }
    memset(to, 0, DECODE_COMM_BYTES);
    memcpy(to, name, text_length(name, DECODE_COMM_BYTES - 1));
    put_le32(to + DECODE_COMM_BYTES, pid);
    put_le32(to + DECODE_COMM_BYTES + 4, (uint32_t)priority);
}

void decode_map_make_task(const struct decode_map *map, unsigned char *field, uint32_t number, int32_t priority)
{
    const char *name = number == 0              ? "idle"
                       : number == UNKNOWN_TASK ? TRACE_UNKNOWN_COMM
                                                : trace_name(map->trace, TRACE_NAME_TASK, number);
    write_task(field, map->trace, number, name, pid_of(map, number), priority);
}

/* ---- interrupts -------------------------------------------------------------------------------------------------- */

const char *decode_map_name_interrupt(const struct decode_map *map, uint32_t irq)
{
    const char *name = trace_name(map->trace, TRACE_NAME_IRQ, irq);
    char text[48];
    if (name != NULL)
        snprintf(text, sizeof text, "ISR:%s", name);
    else
        snprintf(text, sizeof text, "ISR:%u", irq);
    trace_set_name(map->trace, TRACE_NAME_TASK, INTERRUPT_TASK + irq, text);
    name = trace_name(map->trace, TRACE_NAME_TASK, INTERRUPT_TASK + irq);
    return name != NULL ? name + strlen(map->trace->task_prefix) + strlen("ISR:") : "?";
}

/* Write the payload of an interrupt's entry: the name, which has at most 31 bytes, follows a fixed part of 8 bytes.
 * Returns its size, a multiple of 4; DECODE_ENTRY_BYTES are written in any case. */
static uint16_t write_entry(unsigned char *to, uint32_t irq, const char *name)
{
    size_t length = strlen(name) + 1;
    memset(to, 0, DECODE_ENTRY_BYTES);
    put_le32(to, irq);
    put_le32(to + 4, 8u | (uint32_t)length << 16);
    memcpy(to + 8, name, length);
    return (uint16_t)((8 + length + 3) & ~(size_t)3);
}

const struct entry *decode_map_entry_of(struct decode_map *map, uint32_t irq)
{
    struct entry *entry = &map->entry[irq < INTERRUPTS ? irq : INTERRUPTS];
    if (irq >= INTERRUPTS || entry->size == 0)
        entry->size = write_entry(entry->data, irq, decode_map_name_interrupt(map, irq));
    return entry;
}
