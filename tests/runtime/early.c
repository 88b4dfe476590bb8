/* early.c - TLOG_START = 1 and 2: what is logged before the start is dropped and counted, to the event.
 *
 * Interrupts come at each step of the calls that start, and ahead of each store to the chunks. They log, some of them
 * more than the ring holds, or start as well. Behind that each event is in the ring or counted. Names that were given
 * before the start are kept. */
#include "tlog.h"

#include <string.h>

#include "lib/test.h"
#include "stores.h"

enum { BEFORE = 3, MOST = 3 * TLOG_SLOTS, BLOCK = 16 };

static struct tlog_cpu fresh;
static uint32_t logged;
static uint32_t points_left; /* steps and stores until the interrupt comes */
static uint32_t burst;       /* events that it logs */
static bool starts_again;    /* it starts first */
static bool is_step;         /* the store that follows is one with the step */

/* An event that no filter suppresses. */
static void log_event(void)
{
    tlog_record_fast(FTrace_EVT_user_event_0, 7, logged);
    logged++;
}

static void start(void)
{
    if (TLOG_START == 1)
        tlog_start();
    else
        tlog_enable();
}

static void come(void)
{
    if (points_left == 0 || --points_left > 0)
        return;
    if (starts_again)
        start();
    for (uint32_t i = 0; i < burst; i++)
        log_event();
    tlog_posix_watching = false;
}

static void step(void)
{
    come();
    is_step = true;
}

static void at_store(bool is_chunks)
{
    if (!is_step && is_chunks)
        come();
    is_step = false;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static const struct tlog_chunk *chunk_at(uint32_t number)
{
    return (const void *)((const char *)tlog_ring_first(&tlog_cpu0)
                          + number * TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS));
}

/* Events that were put into slots, overwritten ones included. */
static uint32_t kept(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < TLOG_CHUNKS; i++) {
        const struct tlog_chunk *chunk = chunk_at(i);
        const uint32_t laps = chunk->lap >> TLOG_LAP_SHIFT;
        if (laps > 0)
            sum += (laps - 1u) * chunk->slots + (chunk->cursor >> TLOG_CURSOR_SHIFT) - 1u - chunk->extra;
    }
    return sum;
}

/* Slots with both tags. */
static uint32_t claimed(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < TLOG_CHUNKS; i++)
        for (uint32_t slot = 1; slot <= TLOG_SLOTS; slot++)
            sum += ((&chunk_at(i)->cursor)[slot * 4u + TLOG_WORD_HEAD] & TLOG_TAG_MASK) == TLOG_TAG_MASK;
    return sum;
}

/* Events that a reader finds, in the first lap. */
static uint32_t visible(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < TLOG_CHUNKS; i++)
        for (uint32_t slot = 1; slot < chunk_at(i)->cursor >> TLOG_CURSOR_SHIFT && chunk_at(i)->lap >> TLOG_LAP_SHIFT;
             slot++)
            sum += ((&chunk_at(i)->cursor)[slot * 4u + TLOG_WORD_HEAD] & 0x3FFu)
                   == ((uint32_t)FTrace_EVT_user_event_0 | TLOG_TAG_ODD);
    return sum;
}

/* The marks of a pause are no `extra`: the start and the stop. */
static uint32_t marks(void)
{
    return TLOG_START == 2 ? 1u : 0u;
}

static void soil(uint32_t salt)
{
    uint32_t noise = 0x2545F491u + salt;
    for (uint32_t *word = __start_tlog_chunks; word < __stop_tlog_chunks; word++) {
        noise = noise * 1664525u + 1013904223u;
        *word = salt == 0 ? 0 : noise;
    }
}

static void start_anew(uint32_t salt)
{
    points_left = logged = 0;
    tlog_cpu0 = fresh;
    tlog_ring_boot = tlog_ring_untold = 0;
    soil(salt);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void test_counted(void)
{
    for (uint32_t early = 0; early < 5u && !test_has_failed(); early++) {
        start_anew(early);
        test_note("early", early);
        for (uint32_t i = 0; i < early; i++)
            log_event();
        tlog_tick();
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, 1, 2);
        logged += TLOG_START == 1; /* the filter suppresses it in the other case */
        CHECK(!tlog_ring_is_open(&tlog_cpu0) && tlog_dropped() == logged);
        start();
        CHECK(tlog_ring_is_open(&tlog_cpu0) && tlog_dropped() == logged && chunk_at(0)->dropped == logged);
        log_event();
        CHECK(kept() == 1u + marks() && tlog_dropped() == logged - 1u && claimed() == 0);
        if (!TLOG_MINIMAL)
            CHECK(chunk_at(0)->reported == chunk_at(0)->dropped);
    }
}

/* Before the start names and priorities are kept, and open no ring of events. */
static void test_names(void)
{
    start_anew(9);
    tlog_name(TLOG_NAME_TASK, 5, "early");
    tlog_priority(5, 3);
    const uint32_t lost = TLOG_START == 1 ? 1u : 0u; /* the record of a change of priority */
    CHECK(!tlog_ring_is_open(&tlog_cpu0) && tlog_dropped() == lost && tlog_ring_boot != 0);
    tlog_forget(TLOG_NAME_TASK, 6);
    const struct tlog_chunk *chunk = tlog_chunk_behind(NULL);
    while (chunk != NULL && (chunk->place >> 16 & TLOG_ROLE_MASK) != TLOG_ROLE_NAMES)
        chunk = tlog_chunk_behind(chunk);
    CHECK(chunk != NULL && chunk->cursor >> TLOG_CURSOR_SHIFT >= 3u && chunk->dropped == 0);
    start();
    CHECK(tlog_ring_is_open(&tlog_cpu0) && chunk_at(0)->boot == tlog_ring_boot && tlog_dropped() == lost);
}

/* With TLOG_START = 2 tlog_start() opens the ring, and logging stays off. */
static void test_off(void)
{
    start_anew(1);
    tlog_start();
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, 1, 2);
    CHECK(kept() == (TLOG_START == 1 ? 1u : 0u) && tlog_dropped() == 0);
    tlog_disable();
    tlog_enable();
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, 1, 2);
    CHECK(tlog_dropped() == 0 && kept() >= 1u);
}

/* Calls that do not start. */
static void test_calls(void)
{
    start_anew(1);
    tlog_filter(3, true);
    tlog_filter(3, false);
    tlog_disable();
    tlog_tick();
    tlog_record_any(0, 0, 0x100);
    const uint32_t changes = 2u, wrong = 1u;
    CHECK(!tlog_ring_is_open(&tlog_cpu0) && tlog_dropped() == changes + wrong);
    if (TLOG_START == 1) {
        tlog_enable();
        CHECK(!tlog_ring_is_open(&tlog_cpu0));
    }
    start();
    CHECK(tlog_ring_is_open(&tlog_cpu0) && tlog_dropped() == changes + wrong);
}

static void try_start(uint32_t events, uint32_t at, bool again)
{
    start_anew(at);
    test_note("burst", events);
    test_note("point", at);
    for (uint32_t i = 0; i < BEFORE; i++)
        log_event();
    burst = events;
    starts_again = again;
    points_left = at;
    start();
}

static void test_interrupts(bool again)
{
    static const uint32_t bursts[] = {1, 2, TLOG_SLOTS - BLOCK - 8u, TLOG_SLOTS - 3u, TLOG_SLOTS + 1u, MOST};
    for (uint32_t i = 0; i < sizeof bursts / sizeof *bursts; i++)
        for (uint32_t at = 1; !test_has_failed(); at++) {
            try_start(bursts[i], at, again);
            const bool came = points_left == 0;
            points_left = 0;
            CHECK(tlog_ring_is_open(&tlog_cpu0));
            if (kept() < TLOG_SLOTS - BLOCK - 6u)
                CHECK(visible() == kept() - marks());
            for (uint32_t j = 0; j < TLOG_SLOTS + 3u; j++)
                log_event();
            CHECK(kept() + tlog_dropped() - logged == marks());
            CHECK(tlog_dropped() >= BEFORE && claimed() <= (again ? BLOCK : 0u));
            if (!again)
                CHECK(tlog_dropped() <= BEFORE + (came ? bursts[i] : 0u));
            if (!came)
                break;
        }
}

static void test_drops(void)
{
    test_interrupts(false);
}

static void test_starts(void)
{
    test_interrupts(true);
}

int main(void)
{
    fresh = tlog_cpu0;
    tlog_posix_interrupt = step;
    test_run("names before the start", test_names);
    test_run("events before the start", test_counted);
    test_run("logging is off until it is enabled", test_off);
    test_run("calls that do not start", test_calls);
    test_run("an interrupt logs at each point of the start", test_drops);
    test_run("an interrupt starts at each point of the start", test_starts);
    return test_end();
}
