/* linux_event.c - see linux_event.h. */
#include "decode/linux_event.h"

#include "base/bytes.h"

#include <stdio.h>
#include <string.h>

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct trace_field switch_fields[] = {
    {"prev_comm",  TRACE_CHARS,   0, DECODE_COMM_BYTES},
    {"prev_pid",   TRACE_SIGNED, 16, 4},
    {"prev_prio",  TRACE_SIGNED, 20, 4},
    {"prev_state", TRACE_SIGNED, 24, 8},
    {"next_comm",  TRACE_CHARS,  32, DECODE_COMM_BYTES},
    {"next_pid",   TRACE_SIGNED, 48, 4},
    {"next_prio",  TRACE_SIGNED, 52, 4},
};
const struct trace_type decode_type_switch = {
    "sched", "sched_switch", TRACE_SWITCH, DECODE_SWITCH_BYTES, 7, switch_fields,
    "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=%s next_pid=%d next_prio=%d\", "
    "REC->prev_comm, REC->prev_pid, REC->prev_prio, REC->prev_state ? "
    "__print_flags(REC->prev_state, \"|\", { 1, \"S\" }, { 2, \"D\" }) : \"R\", "
    "REC->next_comm, REC->next_pid, REC->next_prio",
};

#define WAKING_PRINT \
    "\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, REC->target_cpu"
static const struct trace_field waking_fields[] = {
    {"comm",       TRACE_CHARS,   0, DECODE_COMM_BYTES},
    {"pid",        TRACE_SIGNED, 16, 4},
    {"prio",       TRACE_SIGNED, 20, 4},
    {"target_cpu", TRACE_SIGNED, 24, 4},
};
const struct trace_type decode_type_waking = {
    "sched", "sched_waking", TRACE_WAKE, DECODE_WAKING_BYTES, 4, waking_fields, WAKING_PRINT,
};
const struct trace_type decode_type_wakeup = {
    "sched", "sched_wakeup", TRACE_PLAIN, DECODE_WAKING_BYTES, 4, waking_fields, WAKING_PRINT,
};

static const struct trace_field entry_fields[] = {
    {"irq",  TRACE_SIGNED, 0, 4},
    {"name", TRACE_STRING, 4, 4},
};
const struct trace_type decode_type_entry = {
    "irq", "irq_handler_entry", TRACE_IRQ_ENTRY, 8, 2, entry_fields,
    "\"irq=%d name=%s\", REC->irq, __get_str(name)",
};

static const struct trace_field exit_fields[] = {
    {"irq", TRACE_SIGNED, 0, 4},
    {"ret", TRACE_SIGNED, 4, 4},
};
const struct trace_type decode_type_exit = {
    "irq", "irq_handler_exit", TRACE_IRQ_EXIT, DECODE_EXIT_BYTES, 2, exit_fields,
    "\"irq=%d ret=%s\", REC->irq, REC->ret ? \"handled\" : \"unhandled\"",
};
/* clang-format on */

/* ---- payloads ---------------------------------------------------------------------------------------------------- */

void decode_put_task(unsigned char *to, const struct trace *trace, uint32_t number, const char *name, uint32_t pid,
                     int32_t priority)
{
    char text[32];
    if (name == NULL) {
        snprintf(text, sizeof text, "%stask-%u", trace->task_prefix, number);
        name = text;
    }
    memset(to, 0, DECODE_COMM_BYTES);
    memcpy(to, name, strnlen(name, DECODE_COMM_BYTES - 1));
    put_le32(to + DECODE_COMM_BYTES, pid);
    put_le32(to + DECODE_COMM_BYTES + 4, (uint32_t)priority);
}

/* The name stands behind the fixed part, which is 8 bytes. */
uint16_t decode_put_entry(unsigned char *to, uint32_t irq, const char *name)
{
    size_t length = strlen(name) + 1;
    memset(to, 0, DECODE_ENTRY_BYTES);
    put_le32(to, irq);
    put_le32(to + 4, 8u | (uint32_t)length << 16);
    memcpy(to + 8, name, length);
    return (uint16_t)((8 + length + 3) & ~(size_t)3);
}
