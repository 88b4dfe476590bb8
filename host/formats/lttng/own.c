/* own.c - what tlog-decode adds to the control channels of the traces it writes: see own.h. */
#include "formats/lttng/own.h"

#include <string.h>

#define CLASSES (sizeof names / sizeof names[0])

static const char *const names[] = {
    [TRACE_PLAIN] = "plain",
    [TRACE_SWITCH] = "switch",
    [TRACE_SWITCH_OF] = "switch_of",
    [TRACE_WAKE] = "wake",
    [TRACE_BLOCK] = "block",
    [TRACE_LOCK] = "lock",
    [TRACE_UNBLOCK] = "unblock",
    [TRACE_IRQ_ENTRY] = "irq_entry",
    [TRACE_IRQ_EXIT] = "irq_exit",
    [TRACE_IRQ_LEAVE] = "irq_leave",
    [TRACE_RESUME] = "resume",
    [TRACE_RUNNING] = "running",
    [TRACE_PRIORITY] = "priority",
    [TRACE_LOSS] = "loss",
    [TRACE_DAMAGE] = "damage",
    [TRACE_MARK] = "mark",
    [TRACE_BLOCK_RUNNING] = "block_running",
    [TRACE_LOCK_RUNNING] = "lock_running",
};

const char *lttng_own_class_name(enum trace_class class)
{
    return class < CLASSES ? names[class] : names[TRACE_PLAIN];
}

enum trace_class lttng_own_class(const char *name)
{
    for (size_t i = 0; i < CLASSES; i++) {
        if (strcmp(names[i], name) == 0)
            return (enum trace_class)i;
    }
    return TRACE_PLAIN;
}
