/* wake.c - sleeps in which the clock stands still, and another clock tells how long: after each of them the time is
 * right to a tick of that clock (tlog_sleep_begin(), tlog_sleep_end(), tlog_wfi()).
 *
 * The true time is a variable of this test, and so is what the sleep clock says. The clock is a word that follows the
 * true time while the core is awake, and stands still, or not, while it sleeps. */
#include "lib/test.h"
#include "lib/irq.h"
#include "tlog.h"

enum { TICK = 1u << TLOG_CLOCK_SHIFT, PER_SLEEP_TICK = TLOG_CLOCK_RATE / TLOG_SLEEP_HZ + 1u };

static uint64_t true_time;   /* in ticks */
static uint64_t start;       /* the clock when that was 0 */
static uint32_t looks;       /* the look at the sleep clock that is behind the sleep; 0: none */
static uint64_t sleep_ticks; /* how long that lasts */
static volatile uint32_t handled;
static volatile uint64_t handled_at;

uint32_t test_sleep_now(void)
{
    if (looks > 0 && --looks == 0)
        true_time += sleep_ticks;
    return (uint32_t)(true_time / TLOG_CLOCK_RATE * TLOG_SLEEP_HZ
                      + true_time % TLOG_CLOCK_RATE * TLOG_SLEEP_HZ / TLOG_CLOCK_RATE);
}

static uint64_t time_now(void)
{
    uint32_t high, low;
    do {
        tlog_tick();
        high = *(volatile uint32_t *)&tlog_cpus[0].high;
        low = tlog_port_now_at(tlog_cpus[0].clock);
    } while ((int32_t)(high ^ low) < 0);
    return ((uint64_t)tlog_ring_wraps(high) << 32 | low) - start;
}

static void count_on(uint64_t ticks)
{
    for (; ticks > 0x40000000u; ticks -= 0x40000000u) {
        test_clock[0] += 0x40000000u / TICK;
        tlog_tick();
    }
    test_clock[0] += (uint32_t)ticks / TICK;
}

static void be_awake(uint64_t ticks)
{
    true_time += ticks;
    count_on(ticks);
}

static void sleep_for(uint64_t ticks, bool stands_still)
{
    tlog_sleep_begin();
    true_time += ticks;
    if (!stands_still)
        count_on(ticks);
    tlog_sleep_end();
}

/* The time is right, and not earlier than it was. */
static void check_time(void)
{
    static uint64_t before;
    const uint64_t time = time_now();
    const int64_t off = (int64_t)(time - true_time);
    before = true_time == 0 ? 0 : before;
    CHECK(off <= (int64_t)PER_SLEEP_TICK && off >= -(int64_t)PER_SLEEP_TICK);
    CHECK(time >= before);
    before = time;
}

static void begin(void)
{
    true_time = 0;
    start = 0;
    start = time_now();
    check_time();
    sleep_for(0, true); /* from a sleep on, the two clocks are compared */
}

static uint64_t any(uint64_t most)
{
    static uint32_t seed = 7;
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % most / TICK * TICK;
}

/* Sleeps that end with a tick of the sleep clock, and start a third of one later: each is measured too long. */
static void sleeps_in_step(void)
{
    const uint64_t third = PER_SLEEP_TICK / 3u / TICK * TICK;
    begin();
    for (uint32_t i = 0; i < 3000 && !test_has_failed(); i++) {
        be_awake(third);
        sleep_for(2u * third, true);
        check_time();
    }
}

static void sleeps_of_all_lengths(void)
{
    static const uint64_t lengths[] = {0, 0, TICK, 0x7FFFFFFFu, 0x100000000u, 0x1234567890u, 0x80000000u};
    begin();
    for (uint32_t i = 0; i < 2000 && !test_has_failed(); i++) {
        be_awake(any(3u * PER_SLEEP_TICK));
        sleep_for(i % 8u == 7u ? lengths[i / 8u % 7u] / TICK * TICK : any(5u * PER_SLEEP_TICK), i % 3u != 0);
        check_time();
    }
    be_awake(0x300000000u);
    sleep_for(any(5u * PER_SLEEP_TICK), true);
    check_time();
}

/* A sleep inside a sleep, as where a kernel's hooks stand around tlog_wfi(). */
static void sleeps_in_sleeps(void)
{
    begin();
    for (uint32_t i = 0; i < 500 && !test_has_failed(); i++) {
        tlog_sleep_begin();
        be_awake(any(PER_SLEEP_TICK));
        sleep_for(any(7u * PER_SLEEP_TICK), true);
        check_time();
        tlog_sleep_end();
        check_time();
    }
}

/* The clock runs 1 in 64 too fast while the core is awake: each sleep is right but for two ticks of the sleep clock. */
static void drifts(void)
{
    begin();
    for (uint32_t i = 0; i < 500 && !test_has_failed(); i++) {
        true_time += 6400u * TICK;
        count_on(6500u * TICK);
        const uint64_t before = time_now(), ticks = any(20u * PER_SLEEP_TICK);
        sleep_for(ticks, true);
        CHECK(time_now() - before + 2u * PER_SLEEP_TICK >= ticks);
        CHECK(time_now() - before <= ticks + 2u * PER_SLEEP_TICK);
    }
}

static void handle(void)
{
    handled_at = time_now();
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, 0, handled++);
}

/* The handler that ends the sleep sees the time behind it. */
static void wakes_by_interrupt(void)
{
    begin();
    for (uint32_t i = 0; i < 50 && !test_has_failed(); i++) {
        sleep_ticks = any(9u * PER_SLEEP_TICK) + 2u * PER_SLEEP_TICK / TICK * TICK;
        handled = 0;
        test_irq_mask(true);
        test_irq_arm(1, 3000, handle);
        looks = 2;
        tlog_wfi();
        CHECK(test_irq_is_masked() && handled == 0);
        check_time();
        test_irq_mask(false);
        while (handled == 0)
            ;
        CHECK(test_irq_disarm(1));
        CHECK((int64_t)(true_time - handled_at) <= (int64_t)PER_SLEEP_TICK);
        be_awake(any(PER_SLEEP_TICK));
    }
}

int test_main(void)
{
    test_run("sleeps in step with the sleep clock", sleeps_in_step);
    test_run("sleeps of all lengths, and the clock goes on in some", sleeps_of_all_lengths);
    test_run("sleeps in sleeps", sleeps_in_sleeps);
    test_run("clocks that drift apart", drifts);
    test_run("an interrupt ends the sleep", wakes_by_interrupt);
    return test_end();
}
