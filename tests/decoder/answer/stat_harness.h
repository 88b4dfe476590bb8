/* stat_harness.h - what tests of the figures of --stat share: types of events, and one call for each event. */
#ifndef ANSWER_STAT_HARNESS_H
#define ANSWER_STAT_HARNESS_H

#include "answer/figures.h"
#include "answer/mutexes.h"
#include "answer/scheduling.h"
#include "base/bytes.h"
#include "model/known.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

enum { IDLE, HIGH, MIDDLE, LOW }; /* tasks */
enum { READY, ASLEEP, LOCKED };   /* states in which they leave the CPU */

/* ---- events ------------------------------------------------------------------------------------------------------ */

static const struct trace_field switch_fields[] = {{"prev_pid", TRACE_SIGNED, 0, 4},
                                                   {"prev_prio", TRACE_SIGNED, 4, 4},
                                                   {"prev_state", TRACE_SIGNED, 8, 8},
                                                   {"next_pid", TRACE_SIGNED, 16, 4},
                                                   {"next_prio", TRACE_SIGNED, 20, 4}};
static const struct trace_field pid_fields[] = {{"pid", TRACE_SIGNED, 0, 4}};
static const struct trace_field irq_fields[] = {{"irq", TRACE_SIGNED, 0, 4}};
static const struct trace_field exit_fields[] = {{"irq", TRACE_SIGNED, 0, 4}, {"ret", TRACE_SIGNED, 4, 4}};
static const struct trace_field task_fields[] = {{"context", TRACE_TASK_OR_0, 0, 4}};
static const struct trace_field mutex_fields[] = {{"context", TRACE_TASK, 0, 4}, {"mutex", TRACE_MUTEX, 4, 4}};
static const struct trace_field queue_fields[] = {{"context", TRACE_TASK, 0, 4}, {"queue", TRACE_OBJECT + 1, 4, 4}};
static const struct trace_field count_fields[] = {{"number", TRACE_SIGNED, 0, 4}, {"count", TRACE_SIGNED, 4, 4}};
static const struct trace_field stack_fields[] = {{"task", TRACE_TASK, 0, 4}, {"stack_free", TRACE_SIGNED, 4, 2}};

static const struct trace_type on_switch = {"sched", "sched_switch", TRACE_SWITCH, 24, 5, switch_fields, NULL};
static const struct trace_type on_wake = {"sched", "sched_waking", TRACE_WAKE, 4, 1, pid_fields, NULL};
static const struct trace_type on_entry = {"irq", "irq_handler_entry", TRACE_IRQ_ENTRY, 4, 1, irq_fields, NULL};
static const struct trace_type on_exit_ = {"irq", "irq_handler_exit", TRACE_IRQ_EXIT, 8, 2, exit_fields, NULL};
static const struct trace_type on_sleep = {"shark", "task_sleep", TRACE_BLOCK, 4, 1, task_fields, NULL};
static const struct trace_type on_receive = {"rtos", "queue_receive", TRACE_BLOCK, 8, 2, queue_fields, NULL};
static const struct trace_type on_begin = {"shark", "task_begin_cycle", TRACE_UNBLOCK, 4, 1, task_fields, NULL};
static const struct trace_type on_end = {"shark", "task_end_cycle", TRACE_BLOCK, 4, 1, task_fields, NULL};
static const struct trace_type on_miss = {"shark", "task_deadline_miss", TRACE_PLAIN, 4, 1, task_fields, NULL};
static const struct trace_type on_wait = {"shark", "set_mutex_wait", TRACE_LOCK, 8, 2, mutex_fields, NULL};
static const struct trace_type on_lock = {"shark", "set_mutex_lock", TRACE_PLAIN, 8, 2, mutex_fields, NULL};
static const struct trace_type on_unlock = {"shark", "set_mutex_unlock", TRACE_PLAIN, 8, 2, mutex_fields, NULL};
static const struct trace_type on_stack = {"user", "watermark", TRACE_PLAIN, 8, 2, stack_fields, NULL};

static const struct trace_type on_hit = {"shark", "interrupt_hit", TRACE_PLAIN, 8, 2, count_fields, NULL};
static const struct trace_type on_count = {"shark", "interrupt_count", TRACE_PLAIN, 8, 2, count_fields, NULL};

static struct trace trace;
static struct stat *stat;
static unsigned cpu_of_events;
static int32_t priority_of[4] = {99, 1, 2, 3};

/* Give one event to the figures. */
static inline void add(const struct trace_type *type, uint64_t time, uint32_t a, uint32_t b)
{
    static struct trace_batch batch;
    memset(batch.room, 0, 32);
    put_le32(batch.room, a);
    put_le32(batch.room + 4, b);
    batch.n = 1;
    batch.event[0] =
        (struct trace_event){.time = time, .data = batch.room, .task = TRACE_UNKNOWN_TASK, .size = type->size};
    batch.event[0].type = trace_type(&trace, type);
    if (type == &on_switch) {
        put_le32(batch.room + 4, (uint32_t)priority_of[a % 4u]);
        batch.room[8] = (unsigned char)(b >> 16);
        put_le32(batch.room + 16, b & 0xFFFFu);
        put_le32(batch.room + 20, (uint32_t)priority_of[(b & 0xFFFFu) % 4u]);
    }
    stat_batch(stat, cpu_of_events, &batch);
}

static inline void change(uint64_t time, uint32_t from, uint32_t state, uint32_t to)
{
    add(&on_switch, time, from, state << 16 | to);
}

static inline struct stat_task *task(uint64_t pid)
{
    return table_at(&stat->tasks, pid);
}

static inline int set_up(void **state)
{
    (void)state;
    trace_init(&trace, "dump.bin");
    trace.ncpus = 2;
    cpu_of_events = 0;
    trace.clock_hz = 1000000000;
    stat = stat_new(&trace);
    for (int i = 1; i < 4; i++)
        priority_of[i] = i;
    return stat == NULL;
}

static inline int tear_down(void **state)
{
    (void)state;
    stat_free(stat);
    trace_free(&trace);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
