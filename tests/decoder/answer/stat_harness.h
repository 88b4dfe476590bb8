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

static const struct tlog_field switch_fields[] = {{"prev_pid", TLOG_KIND_SIGNED, 0, 4},
                                                  {"prev_prio", TLOG_KIND_SIGNED, 4, 4},
                                                  {"prev_state", TLOG_KIND_SIGNED, 8, 8},
                                                  {"next_pid", TLOG_KIND_SIGNED, 16, 4},
                                                  {"next_prio", TLOG_KIND_SIGNED, 20, 4}};
static const struct tlog_field pid_fields[] = {{"pid", TLOG_KIND_SIGNED, 0, 4}};
static const struct tlog_field irq_fields[] = {{"irq", TLOG_KIND_SIGNED, 0, 4}};
static const struct tlog_field exit_fields[] = {{"irq", TLOG_KIND_SIGNED, 0, 4}, {"ret", TLOG_KIND_SIGNED, 4, 4}};
static const struct tlog_field task_fields[] = {{"context", TLOG_KIND_TASK_OR_0, 0, 4}};
static const struct tlog_field mutex_fields[] = {{"context", TLOG_KIND_TASK, 0, 4}, {"mutex", TLOG_KIND_MUTEX, 4, 4}};
static const struct tlog_field queue_fields[] = {{"context", TLOG_KIND_TASK, 0, 4},
                                                 {"queue", TLOG_KIND_OBJECT + 1, 4, 4}};
static const struct tlog_field count_fields[] = {{"number", TLOG_KIND_SIGNED, 0, 4}, {"count", TLOG_KIND_SIGNED, 4, 4}};
static const struct tlog_field stack_fields[] = {{"task", TLOG_KIND_TASK, 0, 4},
                                                 {"stack_free", TLOG_KIND_SIGNED, 4, 2}};

static const struct tlog_type on_switch = {"sched", "sched_switch", TLOG_MEANS_SWITCH, 24, 5, switch_fields, NULL};
static const struct tlog_type on_wake = {"sched", "sched_waking", TLOG_MEANS_WAKE, 4, 1, pid_fields, NULL};
static const struct tlog_type on_entry = {"irq", "irq_handler_entry", TLOG_MEANS_IRQ_ENTRY, 4, 1, irq_fields, NULL};
static const struct tlog_type on_exit_ = {"irq", "irq_handler_exit", TLOG_MEANS_IRQ_EXIT, 8, 2, exit_fields, NULL};
static const struct tlog_type on_sleep = {"shark", "task_sleep", TLOG_MEANS_BLOCK, 4, 1, task_fields, NULL};
static const struct tlog_type on_receive = {"rtos", "queue_receive", TLOG_MEANS_BLOCK, 8, 2, queue_fields, NULL};
static const struct tlog_type on_begin = {"shark", "task_begin_cycle", TLOG_MEANS_UNBLOCK, 4, 1, task_fields, NULL};
static const struct tlog_type on_end = {"shark", "task_end_cycle", TLOG_MEANS_BLOCK, 4, 1, task_fields, NULL};
static const struct tlog_type on_miss = {"shark", "task_deadline_miss", TLOG_MEANS_PLAIN, 4, 1, task_fields, NULL};
static const struct tlog_type on_wait = {"shark", "set_mutex_wait", TLOG_MEANS_LOCK, 8, 2, mutex_fields, NULL};
static const struct tlog_type on_lock = {"shark", "set_mutex_lock", TLOG_MEANS_PLAIN, 8, 2, mutex_fields, NULL};
static const struct tlog_type on_unlock = {"shark", "set_mutex_unlock", TLOG_MEANS_PLAIN, 8, 2, mutex_fields, NULL};
static const struct tlog_type on_stack = {"user", "watermark", TLOG_MEANS_PLAIN, 8, 2, stack_fields, NULL};

static const struct tlog_type on_hit = {"shark", "interrupt_hit", TLOG_MEANS_PLAIN, 8, 2, count_fields, NULL};
static const struct tlog_type on_count = {"shark", "interrupt_count", TLOG_MEANS_PLAIN, 8, 2, count_fields, NULL};

static struct trace trace;
static struct stat *stat;
static unsigned cpu_of_events;
static int32_t priority_of[4] = {99, 1, 2, 3};

/* Give one event to the figures. */
static inline void add(const struct tlog_type *type, uint64_t time, uint32_t a, uint32_t b)
{
    static struct trace_batch batch;
    memset(batch.room, 0, 32);
    put_le32(batch.room, a);
    put_le32(batch.room + 4, b);
    batch.n = 1;
    batch.event[0] =
        (struct tlog_event){.time = time, .data = batch.room, .task = TRACE_UNKNOWN_TASK, .size = type->size};
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
