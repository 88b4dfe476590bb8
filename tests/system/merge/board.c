/* board.c - firmware of tests/system/merge/merge.sh, for one of two boards that have a common day of N ms, which begins
 * BEGIN ms after the board's reset.
 *
 * In ms n of the day the board logs user_event_1 with par2 = n if n % 2 is PARITY, so that the boards take turns, and
 * every fiftieth ms both log user_event_0 with par2 = n: what they are tied by. The board's clock is said to run at
 * TLOG_CLOCK_HZ, and really does at REAL_HZ. With SAY it also logs that format. */
#include "board.h"
#include "tlog.h"

enum { SYNC_EVERY = 20, TASKS = 2, PER_MS = REAL_HZ / 1000 };

static uint32_t now(void)
{
#ifdef TLOG_CLOCK_READ_C
    return TLOG_CLOCK_READ_C((const volatile void *)TLOG_CLOCK_ADDRESS);
#else
    return ~*(const volatile uint32_t *)TLOG_CLOCK_ADDRESS;
#endif
}

static void wait_until(uint32_t ms, uint32_t us)
{
    while (now() < (BEGIN + ms) * PER_MS + us * (PER_MS / 1000))
        ;
}

static void log_ms(uint32_t n)
{
    wait_until(n, 0);
    if (n % SYNC_EVERY == 0)
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, PARITY, n);
    if (n % 2 != PARITY)
        return;
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 1u + n / 2 % TASKS, 0);
    wait_until(n, 200);
    TRACER_LOGEVENT(FTrace_EVT_interrupt_start, 9, 0);
    TRACER_LOGEVENT(FTrace_EVT_user_event_1, PARITY, n);
#ifdef SAY
    TLOG_PRINTK(SAY, (unsigned)n);
#endif
    wait_until(n, 300);
    TRACER_LOGEVENT(FTrace_EVT_interrupt_end, 9, 0);
}

int main(void)
{
    tlog_start();
    tlog_name(TLOG_NAME_TASK, 1, "control");
    tlog_name(TLOG_NAME_TASK, 2, "radio");
    tlog_name(TLOG_NAME_INTERRUPT, 9, "timer");
    for (uint32_t n = 0; n < N; n++)
        log_ms(n);
    return tlog_dropped() != 0;
}
