/* test_stat.c - the figures of --stat for schedules that were written by hand, each with figures derived by hand. */
#include "stat_harness.h"

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
    static const struct tlog_type on_loss = {"tlog", "lost", TLOG_MEANS_LOSS, 4, 1, pid_fields, NULL};
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
    batch.event[0] = (struct tlog_event){.time = 7, .data = batch.room, .size = 2};
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
        TEST(what_is_too_much_is_left_out_and_told),
        TEST(reasons_are_bounded),
        TEST(nonsense_does_no_harm),
        TEST(stacks_and_heaps_have_their_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
