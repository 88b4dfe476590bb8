/* sleep.c - the clock advances by the time slept, while interrupts log, and sleep themselves, at every instruction.
 *
 * Each schedule has one sleep: its length lies around one of the borders of the arithmetic, and the clock starts in one
 * of several phases. An interrupt comes after a delay that grows until it comes after the call. No event's time may
 * precede the previous event's; each time lies between the time that had certainly passed when it was logged and the
 * time that had passed at most; and at the end all of the time slept has passed. */
#include "lib/test.h"
#include "lib/irq.h"
#include "tlog.h"

enum { EVENTS = 16, SLACK = 1000000 }; /* SLACK: most ticks that the clock runs by itself in a schedule */

static const uint64_t sleeps[] = {1,           5,           0x3FFFFFFF,  0x40000000,     0x40000001,
                                  0x7FFFFFFF,  0x80000000,  0x80000001,  0xBFFFFFFF,     0xFFFFFFFF,
                                  0x100000000, 0x17FFFFFFF, 0x1FFFFFFFF, 0x500000123ull, 0x12345600000000ull};
static const uint32_t phases[] = {100, 0x3FFFFF00, 0x7FFFFFF0, 0x80000010, 0xBFFFFFFF, 0xFFFFFFF0};
enum { SLEEPS = sizeof(sleeps) / sizeof(sleeps[0]), PHASES = sizeof(phases) / sizeof(phases[0]) };

/* What had been slept when event n was logged: by calls that had returned, and by calls that had begun. */
static struct {
    uint64_t least, most;
} events[EVENTS];
static uint32_t logged;
static volatile uint64_t begun, done;
static uint64_t start; /* time at the start of the schedule */
static uint64_t inner_sleep;

static uint64_t time_now(void)
{
    uint32_t high, low;
    do { /* repeat if the clock passed half a wrap after the tick */
        tlog_tick();
        high = *(volatile uint32_t *)&tlog_cpus[0].high;
        low = tlog_port_now_at(tlog_cpus[0].clock);
    } while ((int32_t)(high ^ low) < 0);
    return (uint64_t)tlog_ring_wraps(high) << 32 | low;
}

static void log_one(void)
{
    if (logged == EVENTS)
        return;
    events[logged].least = done;
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, 0, logged);
    events[logged++].most = begun;
}

static void sleep(uint64_t ticks)
{
    begun += ticks;
    CHECK(tlog_clock_slept(ticks));
}

/* What an interrupt sleeps inside another sleep call has passed only when that outer call has returned. */
static void interrupt(void)
{
    log_one();
    if (inner_sleep)
        sleep(inner_sleep);
    log_one();
}

static void check_events(void)
{
    uint64_t before = 0;
    const uint32_t *slot = &tlog_ring_home(&tlog_cpus[0])->cursor + 4;
    for (uint32_t n = 0; n < logged; slot += 4) {
        if (slot[TLOG_WORD_HEAD] & TLOG_CLASS_MASK)
            continue; /* a CONTROL event that reports the wraps to traceevents */
        uint64_t time = (uint64_t)tlog_ring_wraps(slot[TLOG_WORD_HIGH]) << 32 | slot[TLOG_WORD_LOW];
        CHECK(slot[TLOG_WORD_PAR2] == n++);
        CHECK(((slot[TLOG_WORD_HIGH] ^ slot[TLOG_WORD_LOW]) & TLOG_HIGH_MIRROR) == 0);
        CHECK(time >= before);
        CHECK(time - start >= events[n - 1u].least);
        CHECK(time - start <= events[n - 1u].most + SLACK);
        before = time;
    }
    uint64_t end = time_now();
    CHECK(end >= before && end - start >= begun && end - start <= begun + SLACK);
}

/* The high word fits the counter, unless the counter has just passed half a wrap by itself. */
static bool is_high_right(void)
{
    uint32_t now = tlog_port_now_at(tlog_cpus[0].clock);
    return (int32_t)(tlog_cpus[0].high ^ now) >= 0 || (now & 0x7FFFFFFFu) < SLACK;
}

/* True if the interrupt came before the call had returned. */
static bool schedule(uint32_t phase, uint64_t ticks, uint32_t delay)
{
    const struct tlog_ring *ring = tlog_cpus[0].ring;
    tlog_cpus[0] = (struct tlog_cpu)TLOG_CPU_INIT(ring);
    logged = 0;
    begun = done = 0;
    test_clock_set(phase);
    tlog_start();
    start = time_now();
    log_one();
    begun = ticks;
    test_irq_arm(1, delay, interrupt);
    bool has_slept = tlog_clock_slept(ticks);
    bool taken = test_irq_disarm(1);
    bool is_carried = is_high_right();
    done = begun;
    log_one();
    if (!has_slept || !is_carried)
        test_fail(__FILE__, __LINE__, "tlog_clock_slept() returns true, and the high word is that of the counter");
    if (!test_has_failed())
        check_events();
    return taken;
}

static void every_delay(void)
{
    for (uint32_t i = 0; i < PHASES * SLEEPS && !test_has_failed(); i++) {
        test_note("phase", phases[i % PHASES]);
        test_note("sleep", i / PHASES);
        bool taken = true;
        for (uint32_t delay = test_irq_first(); taken && !test_has_failed(); delay += TEST_STRIDE) {
            test_note("delay", delay);
            taken = schedule(phases[i % PHASES], sleeps[i / PHASES], delay);
        }
    }
}

static void interrupt_logs(void)
{
    inner_sleep = 0;
    every_delay();
}

static void interrupt_sleeps(void)
{
    inner_sleep = 0xC0000000u;
    every_delay();
}

static void interrupt_sleeps_long(void)
{
    inner_sleep = 0x2FFFFFFFFull;
    every_delay();
}

static void one_after_the_other(void)
{
    inner_sleep = 0;
    schedule(5, 1, 1000000000);
    for (uint32_t n = 0; n < 40 && !test_has_failed(); n++) {
        log_one();
        sleep(sleeps[n % SLEEPS]);
        done = begun;
    }
    check_events();
}

int test_main(void)
{
    test_run("one sleep after the other", one_after_the_other);
    test_run("an interrupt logs", interrupt_logs);
    test_run("an interrupt sleeps", interrupt_sleeps);
    test_run("an interrupt sleeps for wraps", interrupt_sleeps_long);
    return test_end();
}
