/* coarse.c - a coarse clock (TLOG_COARSE_HZ): wraps of the clock that passed while nothing was logged are counted, and
 * slots tell the coarse clock. Host only. */
#include "tlog.h"

#include <string.h>

#include "lib/test.h"

enum { SLOTS = TLOG_SLOTS, RATIO = TLOG_CLOCK_HZ / TLOG_COARSE_HZ };
#define WRAP (1ull << 32)

extern uint32_t __start_tlog_chunks[], __stop_tlog_chunks[];

static struct tlog_cpu fresh;
static uint64_t wraps; /* of the clock, and the clock when that was counted */
static uint32_t seen_clock;
static uint32_t steps_left; /* until the interrupt; 0: none */
static void (*interrupt)(void);

static uint64_t true_time(void)
{
    const uint32_t now = tlog_posix_clock;
    wraps += now < seen_clock;
    seen_clock = now;
    return wraps << 32 | now;
}

uint32_t test_coarse_now(void)
{
    return (uint32_t)(true_time() / RATIO);
}

static void step(void)
{
    true_time();
    if (steps_left == 0 || --steps_left > 0)
        return;
    interrupt();
    tlog_posix_watching = false;
}

static void sleep(uint64_t ticks)
{
    const uint64_t time = true_time() + ticks;
    seen_clock = tlog_posix_clock = (uint32_t)time;
    wraps = time >> 32;
}

static void log_one(void)
{
    tlog_record_call(FTrace_EVT_user_event_0, 0, 0);
}

static void start_at(uint32_t clock)
{
    memset(__start_tlog_chunks, 0xA5, (uintptr_t)__stop_tlog_chunks - (uintptr_t)__start_tlog_chunks);
    tlog_cpu0 = fresh;
    tlog_ring_boot = 0;
    steps_left = 0;
    wraps = 0;
    seen_clock = tlog_posix_clock = clock;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static const uint32_t *slot_at(uint32_t s)
{
    return &tlog_ring_first(&tlog_cpu0)->cursor + s * 4u;
}

static bool is_control(const uint32_t *slot, uint32_t event)
{
    return (slot[TLOG_WORD_HEAD] & ~TLOG_TAG_MASK) == TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, event);
}

static uint32_t cursor_index(void)
{
    return tlog_ring_first(&tlog_cpu0)->cursor >> TLOG_CURSOR_SHIFT;
}

/* The slots of the lap up to the cursor tell the same time by both clocks, wherever they tell a coarse clock. Returns
 * how many do. */
static uint32_t check_slots(void)
{
    uint32_t found = 0;
    for (uint32_t s = 1; s < cursor_index(); s++) {
        const uint32_t *slot = slot_at(s);
        if (!is_control(slot, TLOG_CONTROL_COARSE))
            continue;
        const uint64_t time = (uint64_t)slot[1] << 32 | slot[TLOG_WORD_LOW], coarse = (uint64_t)slot[0] * RATIO;
        if (time - coarse + 2u * RATIO > 4u * RATIO && !TLOG_UNIQUE_STAMPS)
            test_fail(__FILE__, __LINE__, "the two clocks of a slot agree");
        found++;
    }
    return found;
}

/* The youngest slot is a record with that time, but for some ticks. A unique stamp can be ahead of the clock, if that
 * stands shortly before where it stood when the last event was logged. */
#define AHEAD (TLOG_UNIQUE_STAMPS ? WRAP / 4 : 0)

static void check_last(uint64_t time)
{
    const uint32_t *slot = slot_at(cursor_index() - 1u);
    CHECK((slot[TLOG_WORD_HEAD] & TLOG_RECORD_CODE) == FTrace_EVT_user_event_0);
    const uint64_t told = (uint64_t)tlog_ring_wraps(slot[TLOG_WORD_HIGH]) << 32 | slot[TLOG_WORD_LOW];
    CHECK(time - told + AHEAD < AHEAD + 1000u);
}

static void check_counts(uint32_t logged)
{
    const struct tlog_chunk *chunk = tlog_ring_first(&tlog_cpu0);
    CHECK(((chunk->lap >> TLOG_LAP_SHIFT) - 1u) * SLOTS + cursor_index() - 1u - chunk->extra == logged);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static const uint64_t gaps[] = {1,
                                WRAP / 2 - 100000,
                                WRAP / 2 + 100000,
                                WRAP * 65 / 100,
                                WRAP - 100000,
                                WRAP,
                                WRAP + 100000,
                                WRAP * 3 / 2,
                                2 * WRAP - 100000,
                                2 * WRAP + 100000,
                                WRAP * 177 / 10,
                                WRAP * 1000};
static const uint32_t phases[] = {0, 1000, 0x7FFF0000, 0x80000000, 0xC0000000, 0xFFFF0000};
enum { GAPS = sizeof gaps / sizeof *gaps, PHASES = sizeof phases / sizeof *phases };

static void test_gaps(void)
{
    for (uint32_t i = 0; i < GAPS * PHASES * 2u && !test_has_failed(); i++) {
        test_note("case", i);
        start_at(phases[i % PHASES]);
        for (uint32_t n = 0; n < 3u; n++) {
            log_one();
            sleep(gaps[i / PHASES % GAPS]);
            if (i < GAPS * PHASES)
                tlog_tick();
            else
                tlog_start();
            log_one();
            check_last(true_time());
        }
        check_slots();
        check_counts(6);
    }
}

static void also_tick(void)
{
    tlog_tick();
}

/* An interrupt comes at each step of the call that counts the wraps, and calls tlog_tick(), too, or logs. */
static void test_interrupts(void)
{
    for (uint32_t i = 0; i < GAPS * PHASES * 2u && !test_has_failed(); i++)
        for (uint32_t at = 1; at < 200u && !test_has_failed(); at++) {
            test_note("case", i);
            test_note("step", at);
            start_at(phases[i % PHASES]);
            log_one();
            sleep(gaps[i / PHASES % GAPS]);
            interrupt = i < GAPS * PHASES ? also_tick : log_one;
            steps_left = at;
            tlog_tick();
            const bool came = steps_left == 0;
            steps_left = 0;
            log_one();
            check_last(true_time());
            sleep(WRAP * 3 / 2);
            tlog_tick();
            log_one();
            check_last(true_time());
            check_slots();
            check_counts(i >= GAPS * PHASES && came ? 4 : 3);
            if (!came)
                break;
        }
}

/* Each lap has a slot that tells the coarse clock. */
static void test_laps(void)
{
    start_at(5);
    for (uint32_t n = 0; n < 10u * SLOTS && !test_has_failed(); n++) {
        log_one();
        CHECK(check_slots() == 1);
        check_counts(n + 1u);
    }
}

static void test_disabled(void)
{
    start_at(5);
    log_one();
    tlog_disable();
    const uint32_t before = cursor_index();
    sleep(5 * WRAP + WRAP / 3);
    tlog_tick();
    CHECK(cursor_index() == before);
    tlog_enable();
    CHECK(cursor_index() > before && check_slots() == 2);
    log_one();
    check_last(true_time());
}

int main(void)
{
    fresh = tlog_cpu0;
    tlog_posix_interrupt = step;
    test_run("wraps that nothing saw", test_gaps);
    test_run("interrupts while they are counted", test_interrupts);
    test_run("each lap tells the coarse clock", test_laps);
    test_run("wraps while logging is disabled", test_disabled);
    return test_end();
}
