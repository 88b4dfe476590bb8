/* figures.c - see figures.h. */
#include "answer/figures.h"

#include "model/display.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *stat_task_name(const struct stat *stat, const struct stat_task *task, char room[32])
{
    const char *name = trace_name(stat->trace, TRACE_NAME_TASK, (uint32_t)task->pid);
    if (name != NULL && name[0] != '\0' && trace_task_name_is_shared(stat->trace, (uint32_t)task->pid)) {
        snprintf(room, 32, "%s", name);
        display_tell_apart(stat->trace, (uint32_t)task->pid, room);
        return room;
    }
    if (name != NULL && name[0] != '\0')
        return name;
    if (task->name[0] != '\0')
        return task->name;
    if (task->pid == 0)
        return "idle";
    snprintf(room, 32, "task-%" PRIu64, task->pid);
    return room;
}

/* A trace.dat file has no names of interrupts, but each interrupt is a task there too, with a name like "ISR:uart". */
void stat_irq_name(const struct stat *stat, const struct stat_irq *irq, char name[32])
{
    enum { ROWS = 70000 };
    const char *found = trace_name(stat->trace, TRACE_NAME_IRQ, (uint32_t)irq->number);
    if (found == NULL && stat->trace->mapped && irq->number < UINT32_MAX - ROWS) {
        found = trace_name(stat->trace, TRACE_NAME_TASK, (uint32_t)irq->number + ROWS);
        found = found != NULL && strncmp(found, "ISR:", 4) == 0 ? found + 4 : NULL;
    }
    if (found != NULL)
        snprintf(name, 32, "%s", found);
    else
        snprintf(name, 32, "%" PRIu64, irq->number);
}

void stat_mutex_name(const struct stat *stat, const struct stat_mutex *mutex, char name[32])
{
    const struct role_of *of = &stat->roles.of[mutex->type];
    if (of->object != NULL)
        role_value_name(stat->trace, of, stat_number_of(stat, mutex->number), name);
    else
        snprintf(name, 32, "%" PRIu64, stat_number_of(stat, mutex->number));
}

const char *stat_reason_name(const struct stat *stat, const struct stat_reason *reason)
{
    if (reason->type != UINT16_MAX)
        return stat->trace->types[reason->type]->name;
    return reason->is_lock ? "lock" : "sleep";
}

void stat_object_name(const struct stat *stat, const struct stat_reason *reason, char name[32])
{
    const struct role_of *of = reason->type != UINT16_MAX ? &stat->roles.of[reason->type] : NULL;
    name[0] = '\0';
    if (of != NULL && of->object != NULL)
        role_value_name(stat->trace, of, stat_number_of(stat, reason->object), name);
}

/* ---- order, and all of it ---------------------------------------------------------------------------------------- */

/* The order of elements of a table. Their first member is their number. */
static int by_number(const void *a, const void *b)
{
    const uint64_t *x = *(uint64_t *const *)a, *y = *(uint64_t *const *)b;
    return *x < *y ? -1 : *x > *y;
}

void stat_sort(struct stat *stat)
{
    table_sort(&stat->tasks, by_number);
    table_sort(&stat->irqs, by_number);
    table_sort(&stat->mutexes, by_number);
    table_sort(&stat->watermarks, by_number);
}

bool stat_is_complete(const struct stat *stat)
{
    return !stat->tasks.is_full && !stat->irqs.is_full && !stat->mutexes.is_full && !stat->watermarks.is_full
           && stat->waits_missed == 0 && !stat->reasons_left_out;
}
