/* board.c - firmware of tests/system/merge/merge.sh for each of two boards. Both log during the same N ms, the day. It
 * begins BEGIN ms after the board's own reset.
 *
 * In millisecond n of the day a board logs user_event_1 with par2 = n if n % 2 is PARITY, so that the boards take
 * turns. Every SYNC_EVERY ms both log user_event_0 with par2 = n: tlog-decode aligns the two clocks by these pairs. The
 * dump states the clock's rate as TLOG_CLOCK_HZ; the real rate is REAL_HZ. With -DSAY=FORMAT each board also logs n by
 * TLOG_PRINTK with that format. */
#include "board.h"
#include "tlog.h"

enum { SYNC_EVERY = 20, TASKS = 2, PER_MS = REAL_HZ / 1000 };

static uint32_t now(void)
{
#ifdef TLOG_CLOCK_READ
    return board_capture((const volatile void *)TLOG_CLOCK_ADDRESS);
#else
    return ~*(const volatile uint32_t *)TLOG_CLOCK_ADDRESS;
#endif
}

/* Wait until ms milliseconds and us microseconds of the day have passed. */
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
