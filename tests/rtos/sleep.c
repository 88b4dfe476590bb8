/* sleep.c - the hooks that a kernel calls around WFI keep the time right, though the clock stands still in the sleep.
 *
 * SLEEP_HEADER is the header by which the kernel gets its hooks, SLEEP_BEGIN and SLEEP_END are what the kernel calls.
 * The true time is a variable, which the sleep clock tells. Exits with 1 if the time is off by more than a tick of the
 * sleep clock, right behind the hook, where the handler runs that ended the sleep. */
#include SLEEP_HEADER
#include "tlog.h"
#include "out_semihost.h"

enum { PER_SLEEP_TICK = TLOG_CLOCK_HZ / TLOG_SLEEP_HZ + 1 };

volatile uint32_t test_clock[1];
static uint64_t true_time;

uint32_t test_sleep_now(void)
{
    return (uint32_t)(true_time * TLOG_SLEEP_HZ / TLOG_CLOCK_HZ);
}

static uint64_t time_now(void)
{
    tlog_tick();
    return (uint64_t)tlog_ring_wraps(tlog_cpus[0].high) << 32 | test_clock[0];
}

static void be_awake(uint32_t ticks)
{
    true_time += ticks;
    test_clock[0] += ticks;
}

int main(void)
{
    uint32_t failed = 0;
    tlog_start();
    for (uint32_t i = 0; i < 500; i++) {
        be_awake(i % 7u * 300u);
        SLEEP_BEGIN;
        true_time += i % 50u == 0 ? 0x180000001u : i * 997u % 20000u;
        SLEEP_END;
        const int64_t off = (int64_t)(time_now() - true_time);
        failed += i > 0 && (off > PER_SLEEP_TICK || off < -PER_SLEEP_TICK);
    }
    semihost_print(failed ? "the time is wrong\n" : "the time is right\n");
    return failed != 0;
}
