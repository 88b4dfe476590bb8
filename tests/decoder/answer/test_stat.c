/* test_stat.c - the figures of --stat for schedules that were written by hand, each with figures derived by hand. */
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
static void add(const struct trace_type *type, uint64_t time, uint32_t a, uint32_t b)
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

static void change(uint64_t time, uint32_t from, uint32_t state, uint32_t to)
{
    add(&on_switch, time, from, state << 16 | to);
}

static struct stat_task *task(uint64_t pid)
{
    return table_at(&stat->tasks, pid);
}

static int set_up(void **state)
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

static int tear_down(void **state)
{
    (void)state;
    stat_free(stat);
    trace_free(&trace);
    return 0;
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/* One cycle of a task: woken, runs 10 later, begins 5 later, ends `length` after that, sleeps 5 later. */
static void cycle(uint64_t time, uint32_t pid, uint64_t length)
{
    add(&on_wake, time, pid, 0);
    change(time + 10, IDLE, READY, pid);
    add(&on_begin, time + 15, pid, 0);
    add(&on_end, time + 15 + length, pid, 0);
    add(&on_sleep, time + 18 + length, pid, 0);
    change(time + 20 + length, pid, ASLEEP, IDLE);
}

static void cycles_have_responses_latencies_and_periods(void **state)
{
    (void)state;
    cycle(1000, HIGH, 100);
    cycle(2000, HIGH, 300);
    add(&on_miss, 2500, HIGH, 0);
    cycle(3100, HIGH, 200);
    stat_end(stat);
    assert_int_equal(task(HIGH)->turns, 3);
    assert_int_equal(task(HIGH)->running.all, 110 + 310 + 210);
    assert_int_equal(task(HIGH)->ready, 30);
    assert_int_equal(task(HIGH)->missed, 1);
    assert_int_equal(task(HIGH)->latency.n, 3);
    assert_int_equal(task(HIGH)->latency.most, 10);
    assert_int_equal(task(HIGH)->response.n, 3);
    assert_int_equal(task(HIGH)->response.least, 115);
    assert_int_equal(task(HIGH)->response.most, 315);
    assert_int_equal(task(HIGH)->response.most_at, 2000);
    assert_int_equal(samples_percentile(&task(HIGH)->response, 50), 215);
    assert_int_equal(task(HIGH)->cycle.n, 3);
    assert_int_equal(task(HIGH)->cycle.time, 600);
    assert_int_equal(task(HIGH)->period.n, 2);
    assert_int_equal(task(HIGH)->period.least, 1000);
    assert_int_equal(task(HIGH)->period.most, 1100);
    assert_int_equal(stat->cpu[0].busy, 110 + 310 + 210);
    assert_int_equal(stat->cpu[0].idle, 10 + (2010 - 1120) + (3110 - 2320));
}

/* What it waited for, and for how long, the last time up to the end. */
static void reasons_have_their_times(void **state)
{
    const struct stat_reason *sleep, *queue;
    char name[32];
    (void)state;
    trace_set_name(&trace, (enum trace_name_kind)(TRACE_NAME_OBJECT + 1), 7, "samples");
    add(&on_wake, 100, LOW, 0);
    change(100, IDLE, READY, LOW);
    add(&on_sleep, 150, 0, 0); /* 0: the running one */
    change(200, LOW, ASLEEP, IDLE);
    add(&on_wake, 260, LOW, 0);
    change(270, IDLE, READY, LOW);
    add(&on_receive, 280, LOW, 7);
    change(300, LOW, ASLEEP, IDLE);
    add(&on_wake, 700, LOW, 0);
    change(710, IDLE, READY, LOW);
    add(&on_receive, 720, LOW, 7);
    change(730, LOW, ASLEEP, IDLE);
    add(&on_sleep, 800, LOW, 0); /* another wait, and that of a ready task: the state ends there */
    add(&on_wake, 900, MIDDLE, 0);
    add(&on_receive, 950, MIDDLE, 7);
    change(1000, IDLE, READY, HIGH);
    stat_end(stat);
    assert_int_equal(task(LOW)->nreasons, 2);
    sleep = task(LOW)->reason[0], queue = task(LOW)->reason[1];
    assert_string_equal(stat_reason_name(stat, sleep), "task_sleep");
    assert_true(sleep->span.time == 60 && sleep->open == 200);
    assert_true(task(MIDDLE)->ready == 50 && task(MIDDLE)->reason[0]->open == 50 && task(MIDDLE)->latency.n == 0);
    assert_string_equal(stat_reason_name(stat, queue), "queue_receive");
    stat_object_name(stat, queue, name);
    assert_string_equal(name, "samples");
    assert_true(queue->span.n == 2 && queue->span.time == 470 && queue->span.most_at == 300 && queue->open == 0);
}

/* A task that logs no cycles: from the wake-up until it sleeps; a lock is not the end. */
static void without_cycles_a_response_ends_where_the_task_waits(void **state)
{
    (void)state;
    add(&on_wake, 100, LOW, 0);
    change(110, IDLE, READY, LOW);
    add(&on_wait, 150, LOW, 2);
    change(160, LOW, LOCKED, HIGH);
    add(&on_wake, 300, LOW, 0);
    change(320, HIGH, ASLEEP, LOW);
    change(400, LOW, ASLEEP, IDLE);
    stat_end(stat);
    assert_int_equal(task(LOW)->response.n, 1);
    assert_int_equal(task(LOW)->response.most, 300);
    assert_int_equal(task(LOW)->latency.n, 2);
    assert_int_equal((uint64_t)task(LOW)->latency.sum, 30);
}

/* Firmware that does not log when a task blocks: that it is woken tells. */
static void a_task_that_is_woken_was_not_ready(void **state)
{
    (void)state;
    add(&on_wake, 100, LOW, 0);
    change(110, IDLE, READY, LOW);
    change(200, LOW, READY, IDLE);
    add(&on_wake, 1000, LOW, 0);
    change(1030, IDLE, READY, LOW);
    change(1100, LOW, READY, IDLE);
    stat_end(stat);
    assert_int_equal(task(LOW)->latency.n, 2);
    assert_int_equal(task(LOW)->ready, 10 + 30);
    assert_int_equal(task(LOW)->reason[0]->span.time, 800);
    assert_int_equal(task(LOW)->response.n, 1);
    assert_int_equal(task(LOW)->response.most, 100);
    assert_int_equal(task(LOW)->preempted, 1); /* the last time it may have been */
}

/* Behind a gap nothing is measured that began before it. */
static void no_figure_spans_a_gap(void **state)
{
    (void)state;
    add(&on_wake, 100, LOW, 0);
    change(110, IDLE, READY, LOW);
    add(&on_begin, 120, LOW, 0);
    add(&on_lock, 130, LOW, 2);
    add(&trace_loss_type, 150, 5, 0);
    add(&on_unlock, 190, LOW, 2);
    add(&on_end, 200, LOW, 0);
    change(210, LOW, ASLEEP, IDLE);
    add(&on_wake, 300, LOW, 0);
    add(&trace_loss_type, 310, 5, 0);
    change(320, IDLE, READY, LOW);
    stat_end(stat);
    assert_int_equal(task(LOW)->response.n, 0);
    assert_int_equal(task(LOW)->latency.n, 1);
    assert_int_equal(task(LOW)->cycle.n, 0);
    assert_int_equal(((struct stat_mutex *)table_at(&stat->mutexes, 2))->hold.n, 0);
    assert_int_equal(task(LOW)->running.all, 40 + 20);
}

/* ---- interrupts -------------------------------------------------------------------------------------------------- */

static struct stat_irq *irq(uint64_t number)
{
    return table_at(&stat->irqs, number);
}

/* The handler of 9 is left, and thread code goes on, with a switch; that is known at 500, where 9 comes again. */
static void a_handler_that_was_left_ran_for_an_unknown_time(void **state)
{
    (void)state;
    change(100, IDLE, ASLEEP, MIDDLE);
    add(&on_entry, 200, 9, 0);
    change(450, MIDDLE, READY, LOW);
    add(&on_exit_, 500, 9, TRACE_EXIT_LEFT);
    add(&on_entry, 500, 9, 0);
    add(&on_exit_, 700, 9, 1);
    stat_end(stat);
    assert_true(irq(9)->left == 1 && irq(9)->own.all == 200 && task(MIDDLE)->running.all == 100);
    assert_true(stat->cpu[0].irq_time == 200 && stat_unknown(stat, &stat->cpu[0]) == 300);
    assert_true(stat_load_part(stat, &stat->cpu[0], 2, 6) < 0 && stat_load_part(stat, &stat->cpu[0], 4, 6) > 0.8);
}

/* Hits are counted one by one; a count tells of all up to then, so the last one stands. Neither takes time. */
static void hits_and_counts_are_told_apart(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 7; i++)
        add(&on_hit, 100 + i, 5 + i % 2u, 0);
    add(&on_count, 200, 5, 1000);
    add(&on_count, 300, 5, 65560);
    stat_end(stat);
    assert_true(irq(5)->hits == 4 && irq(5)->counts == 2 && irq(5)->told == 65560);
    assert_true(irq(6)->hits == 3 && irq(6)->counts == 0 && irq(6)->told == 0);
    assert_true(irq(5)->entered.all == 0 && stat->cpu[0].irq_time == 0);
}

/* 9 runs from 200 to 300, 10 inside of it from 220 to 250. LOW is interrupted; a switch inside of 9 goes to HIGH. */
static void interrupts_take_time_from_tasks(void **state)
{
    (void)state;
    change(100, IDLE, READY, LOW);
    add(&on_entry, 200, 9, 0);
    add(&on_entry, 220, 10, 0);
    add(&on_exit_, 250, 10, 0);
    change(280, LOW, READY, HIGH);
    add(&on_exit_, 300, 9, 0);
    change(400, HIGH, ASLEEP, IDLE);
    add(&on_entry, 500, 9, 0);
    add(&on_exit_, 550, 9, 0);
    add(&on_exit_, 560, 9, 0); /* of an entry that is not there */
    add(&on_entry, 600, 10, 0);
    stat_end(stat);
    assert_int_equal(irq(9)->entered.all, 2);
    assert_int_equal(irq(9)->span.n, 2);
    assert_int_equal(irq(9)->span.time, 150);
    assert_int_equal(irq(9)->span.most, 100);
    assert_int_equal(irq(9)->span.most_at, 200);
    assert_int_equal(irq(9)->own.all, 120);
    assert_int_equal(irq(9)->deepest, 0);
    assert_int_equal(irq(10)->deepest, 1);
    assert_int_equal(irq(10)->entered.all, 2);
    assert_int_equal(irq(10)->span.n, 1);
    assert_int_equal(stat->deepest, 2);
    assert_int_equal(stat->cpu[0].irq_time, 150);
    assert_int_equal(task(LOW)->running.all, 100);
    assert_int_equal(task(LOW)->interrupted, 80);
    assert_int_equal(task(HIGH)->running.all, 100);
    assert_int_equal(task(HIGH)->interrupted, 20);
    assert_int_equal(stat->cpu[0].busy, 300 + 50);
    assert_int_equal(stat->cpu[0].idle, 100 + 50);
}

/* Two CPUs run side by side: LOW goes from one to the other, and an interrupt of one takes nothing from the other. */
static void cpus_are_counted_by_themselves(void **state)
{
    (void)state;
    add(&on_wake, 50, LOW, 0);
    change(100, IDLE, READY, LOW);
    cpu_of_events = 1;
    change(150, IDLE, READY, HIGH);
    add(&on_entry, 200, 9, 0);
    cpu_of_events = 0;
    change(220, LOW, READY, MIDDLE);
    cpu_of_events = 1;
    add(&on_exit_, 240, 9, 0);
    change(300, HIGH, ASLEEP, LOW);
    cpu_of_events = 0;
    change(400, MIDDLE, ASLEEP, IDLE);
    stat_end(stat);
    assert_int_equal(task(LOW)->running.all, 120 + 100);
    assert_int_equal(task(LOW)->interrupted, 0);
    assert_int_equal(task(LOW)->ready, 50 + 80);
    assert_int_equal(task(HIGH)->running.all, 110);
    assert_int_equal(task(HIGH)->interrupted, 40);
    assert_int_equal(task(MIDDLE)->running.all, 180);
    assert_int_equal(stat->cpu[0].busy, 300);
    assert_int_equal(stat->cpu[1].busy, 250);
    assert_int_equal(stat->cpu[1].irq_time, 40);
    assert_int_equal(stat->cpu[0].irq_time, 0);
}

/* It becomes known at 300 what an interrupt from 100 to 150 has interrupted. Then nothing is known again, up to a
 * switch from idle, which has run since the first event behind the loss: an interrupt's time is busy all the same. */
static void interrupts_of_what_was_not_known_count_once(void **state)
{
    static const struct trace_type on_loss = {"tlog", "lost", TRACE_LOSS, 4, 1, pid_fields, NULL};
    (void)state;
    add(&on_miss, 0, LOW, 0);
    add(&on_entry, 100, 9, 0);
    add(&on_exit_, 150, 9, 0);
    change(300, LOW, READY, HIGH);
    add(&on_loss, 400, 1, 0);
    add(&on_entry, 500, 9, 0);
    add(&on_exit_, 520, 9, 0);
    change(600, IDLE, READY, HIGH);
    stat_end(stat);
    assert_int_equal(task(LOW)->running.all, 250);
    assert_int_equal(task(LOW)->interrupted, 50);
    assert_int_equal(stat->cpu[0].busy, 300 + 100 + 20);
    assert_int_equal(stat->cpu[0].idle, 100 - 20);
    assert_int_equal(stat_unknown(stat, &stat->cpu[0]), 100);
    assert_int_equal(stat->cpu[0].irq_time, 50 + 20);
}

/* The exit of an inner interrupt is missing: it ends with the outer one, and has no length. */
static void an_outer_exit_ends_inner_interrupts(void **state)
{
    (void)state;
    change(100, IDLE, READY, LOW);
    add(&on_entry, 200, 9, 0);
    add(&on_entry, 220, 10, 0);
    add(&on_exit_, 300, 9, 0);
    add(&on_entry, 400, 10, 0);
    add(&on_exit_, 410, 10, 0);
    stat_end(stat);
    assert_int_equal(irq(9)->span.time, 100);
    assert_int_equal(irq(10)->span.n, 1);
    assert_int_equal(irq(10)->span.time, 10);
    assert_int_equal(stat->cpu[0].irq_time, 110);
}

/* ---- mutexes ----------------------------------------------------------------------------------------------------- */

/* LOW holds the mutex; HIGH comes at 200 and waits; MIDDLE comes at 300 and runs to 700; LOW gives it back at 800. */
static void invert(void)
{
    add(&on_wake, 50, LOW, 0);
    change(60, IDLE, READY, LOW);
    add(&on_lock, 100, LOW, 2);
    add(&on_wake, 180, HIGH, 0);
    change(190, LOW, READY, HIGH);
    add(&on_wait, 200, HIGH, 2);
    change(210, HIGH, LOCKED, LOW);
    add(&on_wake, 290, MIDDLE, 0);
    change(300, LOW, READY, MIDDLE);
    change(700, MIDDLE, ASLEEP, LOW);
    add(&on_unlock, 800, LOW, 2);
    add(&on_wake, 801, HIGH, 0);
    change(805, LOW, READY, HIGH);
    add(&on_lock, 810, HIGH, 2);
    add(&on_unlock, 900, HIGH, 2);
    change(950, HIGH, ASLEEP, LOW);
    stat_end(stat);
}

static void an_inversion_is_found_and_named(void **state)
{
    const struct stat_wait *found = &stat->inversion[0];
    const struct stat_mutex *mutex;
    (void)state;
    invert();
    mutex = table_at(&stat->mutexes, 2);
    assert_int_equal(stat_priority_order_of(stat), TRACE_LOWEST_FIRST);
    assert_int_equal(mutex->inversions[TRACE_LOWEST_FIRST], 1);
    assert_int_equal(mutex->inversions[TRACE_HIGHEST_FIRST], 0);
    assert_int_equal(stat->ninversions, 1);
    assert_ptr_equal(found->task, task(HIGH));
    assert_ptr_equal(found->holder, task(LOW));
    assert_ptr_equal(mutex_intruder(found, TRACE_LOWEST_FIRST)->task, task(MIDDLE));
    assert_int_equal(mutex_intruder(found, TRACE_LOWEST_FIRST)->time, 400);
    assert_int_equal(found->time, 610);
    assert_int_equal(found->begin, 200);
    assert_int_equal(mutex->wait.n, 1);
    assert_int_equal(mutex->wait.time, 610);
    assert_int_equal(mutex->hold.n, 2);
    assert_int_equal(mutex->hold.most, 700);
    assert_ptr_equal(mutex->longest_holder, task(LOW));
    assert_ptr_equal(mutex->longest_waiter, task(HIGH));
}

/* The same where the larger priority is the more important one: who preempts whom tells. */
static void the_order_of_priorities_is_seen(void **state)
{
    (void)state;
    priority_of[HIGH] = 3, priority_of[LOW] = 1;
    invert();
    assert_int_equal(stat_priority_order_of(stat), TRACE_HIGHEST_FIRST);
    assert_int_equal(((struct stat_mutex *)table_at(&stat->mutexes, 2))->inversions[TRACE_HIGHEST_FIRST], 1);
    trace.priority_order = TRACE_LOWEST_FIRST; /* as the input tells, whoever preempts whom */
    assert_int_equal(stat_priority_order_of(stat), TRACE_LOWEST_FIRST);
}

/* A third task that is more important than the one that waits, or as important as the holder, inverts nothing. */
static void a_wait_below_a_more_important_task_is_no_inversion(void **state)
{
    (void)state;
    priority_of[MIDDLE] = 0;
    invert();
    assert_int_equal(stat->ninversions, 0);
    tear_down(NULL);
    set_up(NULL);
    priority_of[MIDDLE] = 3;
    invert();
    assert_int_equal(stat->ninversions, 0);
    assert_int_equal(((struct stat_mutex *)table_at(&stat->mutexes, 2))->wait.n, 1);
}

/* A holder that sleeps is not kept from running by anybody. */
static void a_holder_that_sleeps_is_no_inversion(void **state)
{
    (void)state;
    change(60, IDLE, READY, LOW);
    add(&on_lock, 100, LOW, 2);
    change(150, LOW, ASLEEP, HIGH);
    add(&on_wait, 200, HIGH, 2);
    change(210, HIGH, LOCKED, MIDDLE);
    change(700, MIDDLE, ASLEEP, LOW);
    add(&on_unlock, 800, LOW, 2);
    change(805, LOW, READY, HIGH);
    add(&on_lock, 810, HIGH, 2);
    stat_end(stat);
    assert_int_equal(((struct stat_mutex *)table_at(&stat->mutexes, 2))->wait.n, 1);
    assert_int_equal(stat->ninversions, 0);
}

/* One that sleeps at first is kept from running from the time on at which it is woken. */
static void a_holder_is_preempted_once_it_is_ready(void **state)
{
    (void)state;
    change(60, IDLE, READY, LOW);
    add(&on_lock, 100, LOW, 2);
    change(150, LOW, ASLEEP, HIGH);
    add(&on_wait, 200, HIGH, 2);
    change(210, HIGH, LOCKED, MIDDLE);
    add(&on_wake, 500, LOW, 0);
    change(700, MIDDLE, ASLEEP, LOW);
    add(&on_unlock, 800, LOW, 2);
    change(805, LOW, READY, HIGH);
    add(&on_lock, 810, HIGH, 2);
    stat_end(stat);
    assert_int_equal(stat->ninversions, 1);
    assert_int_equal(mutex_intruder(&stat->inversion[0], TRACE_LOWEST_FIRST)->time, 200);
}

/* A wait that the trace ends in is as long as the trace, and one without its end until the task ran again. */
static void waits_without_an_end_are_told(void **state)
{
    const struct stat_mutex *mutex;
    (void)state;
    change(60, IDLE, READY, LOW);
    add(&on_wait, 100, LOW, 2);
    change(110, LOW, LOCKED, HIGH);
    change(300, HIGH, ASLEEP, LOW);
    add(&on_sleep, 350, LOW, 0);
    mutex = table_at(&stat->mutexes, 2);
    assert_int_equal(mutex->wait.n, 1);
    assert_int_equal(mutex->wait.most, 200);
    add(&on_wait, 400, LOW, 2);
    change(410, LOW, LOCKED, HIGH);
    add(&on_miss, 1000, HIGH, 0);
    stat_end(stat);
    assert_int_equal(mutex->wait.n, 2);
    assert_int_equal(mutex->wait.most, 600);
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

static void what_is_too_much_is_left_out_and_told(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < 100000; i++) {
        add(&on_wait, i, i, i % 7000u);
        add(&on_entry, i, i, 0);
        add(&on_exit_, i, i, 0);
        change(i, i, LOCKED, i + 1u);
    }
    stat_end(stat);
    assert_int_equal(stat->tasks.n, STAT_TASKS_MOST);
    assert_true(stat->tasks.is_full);
    assert_int_equal(stat->irqs.n, STAT_IRQS_MOST);
    assert_int_equal(stat->mutexes.n, STAT_MUTEXES_MOST);
    assert_true(stat->waits_missed > 0);
}

/* Of one task's reasons the first ones are told, and the others together. */
static void reasons_are_bounded(void **state)
{
    uint64_t time = 0, whole = 0;
    (void)state;
    for (uint32_t i = 0; i < 100; i++) {
        change(time + 10, IDLE, READY, LOW);
        add(&on_receive, time + 20, LOW, 1000 + i);
        change(time + 30, LOW, ASLEEP, IDLE);
        time += 100;
    }
    stat_end(stat);
    assert_int_equal(task(LOW)->nreasons, STAT_REASONS_MOST + 1);
    for (unsigned i = 0; i < task(LOW)->nreasons; i++)
        whole += task(LOW)->reason[i]->span.time;
    assert_int_equal(whole, 99 * 80);
}

/* Times that step back are no lengths, and payloads that are too short are zeros. */
static void nonsense_does_no_harm(void **state)
{
    static struct trace_batch batch;
    (void)state;
    change(UINT64_MAX, IDLE, READY, LOW);
    add(&on_wake, 5, HIGH, 0);
    change(3, LOW, READY, HIGH);
    add(&on_entry, UINT64_MAX - 1u, 1, 0);
    add(&on_exit_, 0, 1, 0);
    batch.n = 1;
    batch.event[0] = (struct trace_event){.time = 7, .data = batch.room, .size = 2};
    batch.event[0].type = trace_type(&trace, &on_switch);
    stat_batch(stat, 0, &batch);
    stat_end(stat);
    assert_int_equal(stat->first, 0);
    assert_int_equal(stat->last, UINT64_MAX);
}

static void stacks_and_heaps_have_their_marks(void **state)
{
    const struct stat_watermark *water;
    (void)state;
    add(&on_stack, 10, LOW, 120);
    add(&on_stack, 20, LOW, (uint32_t)-4);
    add(&on_stack, 30, LOW, 300);
    stat_end(stat);
    assert_int_equal(stat->watermarks.n, 1);
    water = stat->watermarks.element[0];
    assert_int_equal(water->least, -4);
    assert_int_equal(water->least_at, 20);
    assert_int_equal(water->most, 300);
    assert_int_equal(water->n, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cycles_have_responses_latencies_and_periods),
        TEST(reasons_have_their_times),
        TEST(without_cycles_a_response_ends_where_the_task_waits),
        TEST(a_task_that_is_woken_was_not_ready),
        TEST(no_figure_spans_a_gap),
        TEST(a_handler_that_was_left_ran_for_an_unknown_time),
        TEST(hits_and_counts_are_told_apart),
        TEST(interrupts_take_time_from_tasks),
        TEST(cpus_are_counted_by_themselves),
        TEST(interrupts_of_what_was_not_known_count_once),
        TEST(an_outer_exit_ends_inner_interrupts),
        TEST(an_inversion_is_found_and_named),
        TEST(the_order_of_priorities_is_seen),
        TEST(a_wait_below_a_more_important_task_is_no_inversion),
        TEST(a_holder_that_sleeps_is_no_inversion),
        TEST(a_holder_is_preempted_once_it_is_ready),
        TEST(waits_without_an_end_are_told),
        TEST(what_is_too_much_is_left_out_and_told),
        TEST(reasons_are_bounded),
        TEST(nonsense_does_no_harm),
        TEST(stacks_and_heaps_have_their_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
