/* test_stat_mutexes.c - what --stat tells of mutexes: waits, holders, inversions of priority; for schedules that were
 * written by hand, with figures derived by hand. */
#include "stat_harness.h"

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

/* LOW sleeps with the mutex, which HIGH comes to wait for; MIDDLE runs up to 700. woken: when LOW is; 0: not before. */
static void sleep_with_mutex(uint64_t woken)
{
    change(60, IDLE, READY, LOW);
    add(&on_lock, 100, LOW, 2);
    change(150, LOW, ASLEEP, HIGH);
    add(&on_wait, 200, HIGH, 2);
    change(210, HIGH, LOCKED, MIDDLE);
    if (woken != 0)
        add(&on_wake, woken, LOW, 0);
    change(700, MIDDLE, ASLEEP, LOW);
    add(&on_unlock, 800, LOW, 2);
    change(805, LOW, READY, HIGH);
    add(&on_lock, 810, HIGH, 2);
    stat_end(stat);
}

/* A holder that sleeps is not kept from running by anybody. */
static void a_holder_that_sleeps_is_no_inversion(void **state)
{
    (void)state;
    sleep_with_mutex(0);
    assert_int_equal(((struct stat_mutex *)table_at(&stat->mutexes, 2))->wait.n, 1);
    assert_int_equal(stat->ninversions, 0);
}

/* One that sleeps at first is kept from running from the time on at which it is woken. */
static void a_holder_is_preempted_once_it_is_ready(void **state)
{
    (void)state;
    sleep_with_mutex(500);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_inversion_is_found_and_named),
        TEST(the_order_of_priorities_is_seen),
        TEST(a_wait_below_a_more_important_task_is_no_inversion),
        TEST(a_holder_that_sleeps_is_no_inversion),
        TEST(a_holder_is_preempted_once_it_is_ready),
        TEST(waits_without_an_end_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
