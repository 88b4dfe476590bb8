/* unique.c - TLOG_UNIQUE_STAMPS: with a clock that stands still, or moves rarely, every stamp is greater than the
 * previous one.
 *
 * That holds for any mix of events, with an interrupt at every step and a second interrupt in it. Every lost event is
 * counted, and 63-bit time continues over wraps that the clock itself has not reached.
 *
 * Runs on the host and on the target, with TLOG_TRACEEVENTS = 1, a few emergency slots, one chunk or more, and on the
 * target with a clock in memory. */
#include "lib/claims.h"
#include "lib/form.h"
#include "lib/test.h"
#include "lib/irq.h"
#include "tlog.h"

#include <stddef.h>

enum { EVENTS = 200, SALT = 0x5A5A0000, STAMPS = TLOG_CHUNKS * (TLOG_SLOTS + TLOG_EMERGENCY_SLOTS), KINDS = 7 };

/* 0: only as much as takes about a minute under QEMU. */
#ifndef TEST_LONG
#ifdef __unix__
#define TEST_LONG 1u
#else
#define TEST_LONG 0u
#endif
#endif

/* ---- a clock that stands still ----------------------------------------------------------------------------------- */

#ifdef __unix__
/* The simulated core's clock moves in every step. Here it is set back before tlog can read it. */
static uint32_t held;
static void (*next_interrupt)(void);

static void hold(void)
{
    tlog_posix_clock = held;
    if (next_interrupt != NULL)
        next_interrupt();
}

static void hold_clock(void)
{
    if (tlog_posix_interrupt != hold)
        next_interrupt = tlog_posix_interrupt;
    tlog_posix_interrupt = hold;
    tlog_posix_clock = held;
}
#else
#define held test_clock[0]
static void hold_clock(void)
{
}
#endif

static void set_clock(uint32_t value)
{
    held = value;
    test_clock_set(value);
    hold_clock();
}

static void arm(int level, uint32_t delay, void (*handler)(void))
{
    test_irq_arm(level, delay, handler);
    hold_clock();
}

static uint32_t period; /* the clock moves with every period-th event; 0: never */

static void move_clock(void)
{
    static uint32_t turns;
    uint32_t turn = tlog_ring_add(&turns, 1u) + 1u;
    if (period > 0 && turn % period == 0)
        tlog_ring_add((uint32_t *)(uintptr_t)&held, 1u);
}

/* ---- logging ----------------------------------------------------------------------------------------------------- */

static volatile uint32_t logged;

/* Event n carries n, whatever its kind is. */
static void log_one(uint32_t kind)
{
    uint32_t words[12], n = tlog_ring_add((uint32_t *)(uintptr_t)&logged, 1u);
    move_clock();
    if (n >= EVENTS)
        return;
    for (uint32_t i = 0; i < 12u; i++)
        words[i] = n | SALT;
    if (kind == 0)
        tlog_record_call(FTrace_EVT_user_event_0, n, n | SALT);
    else if (kind == 1)
        trace_logi(1, n | SALT, n | SALT);
    else if (kind == 2)
        tlog_event_words(TLOG_TRACE_USER, 1, words, 4);
    else if (kind == 3)
        tlog_event_words(TLOG_TRACE_USER, 1, words, 12);
    else if (kind == 4)
        FAST_TRACER_LOGEVENT(FTrace_EVT_user_event_0, n, n | SALT);
    else if (kind == 5)
        tlog_printk_few(words, 4);
    else
        tlog_record_emergency(FTrace_EVT_user_event_0, n, n | SALT);
}

static void log_mixed(uint32_t count, uint32_t first)
{
    for (uint32_t i = 0; i < count; i++)
        log_one((first + i * 3u) % KINDS);
}

static void reset(uint32_t clock, bool stop)
{
    tlog_cpu0 = (struct tlog_cpu)TLOG_CPU_INIT(tlog_cpu0.ring);
    tlog_ring_boot = 0;
    set_clock(clock);
    logged = 0;
    if (stop)
        tlog_stop_when_full(true);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static struct found {
    bool seen[EVENTS];
    uint64_t stamp[STAMPS];
    uint32_t stamps, kept, laps;
    uint64_t last; /* stamp of the previous event; its wraps are unknown until a slot states them */
    bool any, is_known;
} found;

static struct tlog_chunk *chunk_at(uint32_t number)
{
    return (void *)((char *)tlog_cpu0.ring->first + number * TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS));
}

static const uint32_t *slot_of(const struct tlog_chunk *chunk, uint32_t index)
{
    return &chunk->cursor + index * 4u;
}

static void store_stamp(uint64_t time)
{
    CHECK(found.stamps < STAMPS);
    found.stamp[found.stamps++] = found.last = time;
    found.any = true;
}

/* Adds the next stamp in order, given its low word: it must be greater than the previous one. */
static void add_low_stamp(uint32_t low)
{
    uint32_t step = low - (uint32_t)found.last;
    CHECK(!found.any || (step != 0 && step < 0x80000000u));
    store_stamp(found.any ? found.last + step : low);
}

/* States the full time of the stamp that was added last, and so of all stamps before it. */
static void set_last_time(uint64_t time)
{
    CHECK((uint32_t)time == (uint32_t)found.last && (!found.is_known || time == found.last));
    for (uint32_t i = 0; i < found.stamps; i++)
        found.stamp[i] += time - found.last;
    found.last = time;
    found.is_known = true;
}

/* Adds the next stamp in order, given in full. */
static void add_stamp(uint64_t time)
{
    if (!found.is_known) {
        add_low_stamp((uint32_t)time);
        set_last_time(time);
        return;
    }
    CHECK(time > found.last);
    store_stamp(time);
}

static uint64_t time_of(const uint32_t *record)
{
    return (uint64_t)(record[TLOG_WORD_HIGH] & ~TLOG_HIGH_MIRROR) << 32 | record[TLOG_WORD_LOW];
}

static void note(uint32_t n)
{
    n ^= SALT;
    CHECK(n < logged && n < EVENTS && !found.seen[n]);
    found.seen[n] = true;
    found.kept++;
}

static void read_record(const uint32_t *at)
{
    add_stamp(time_of(at));
    CHECK(((at[TLOG_WORD_HIGH] ^ at[TLOG_WORD_LOW]) & TLOG_HIGH_MIRROR) == 0);
    if ((at[TLOG_WORD_HEAD] & TLOG_RECORD_CODE) == FTrace_EVT_user_event_0)
        note(at[TLOG_WORD_PAR2]);
}

/* A slot that states the time; after a BUFFER slot (is_reference) it has the same stamp as that one. */
static void read_time(const uint32_t *at, bool is_reference)
{
    if (is_reference) {
        CHECK(at[TLOG_WORD_LOW] == (uint32_t)found.last && at[1] == at[TLOG_WORD_LOW]);
        set_last_time((uint64_t)at[0] << 32 | at[1]);
    } else {
        CHECK(at[TLOG_WORD_LOW] - at[1] < 0x80000000u);
        add_stamp(((uint64_t)at[0] << 32) + at[TLOG_WORD_LOW]);
    }
}

static bool ends_event(const uint32_t *at)
{
    return at[TLOG_WORD_HEAD] >> 30 == TLOG_STRUCT_S || at[TLOG_WORD_HEAD] >> 30 == TLOG_STRUCT_CE;
}

/* The number of slots of a traceevent; 0 if it is not whole. */
static uint32_t read_traceevent(const struct tlog_chunk *chunk, uint32_t index, uint32_t end, uint32_t tag)
{
    const uint32_t *at = slot_of(chunk, index), head = at[TLOG_WORD_HEAD] & ~TLOG_TAG_MASK;
    const uint32_t control = TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, 0), event = head - control;
    uint32_t count = 1;
    if (event == TLOG_CONTROL_TIME) {
        const uint32_t buffer = control | TLOG_CONTROL_BUFFER;
        read_time(at, index == 2u && (slot_of(chunk, 1)[TLOG_WORD_HEAD] & ~TLOG_TAG_MASK) == buffer);
        return 1;
    }
    add_low_stamp(at[TLOG_WORD_LOW]);
    if (event == TLOG_CONTROL_BUFFER || event == TLOG_EVENT_WORD(0, TLOG_CONTROL_PAD))
        return 1;
    note(at[1]);
    for (; !ends_event(at); count++, at += 4)
        if (index + count >= end || at[4 + TLOG_WORD_LOW] != at[TLOG_WORD_LOW]
            || (at[4 + TLOG_WORD_HEAD] & TLOG_TAG_MASK) != tag)
            return 0;
    return count;
}

/* Whether the slot continues an event that began before it. */
static bool continues(const uint32_t *at)
{
    return at[TLOG_WORD_HEAD] >> 30 >= TLOG_STRUCT_CC && (at[TLOG_WORD_HEAD] & TLOG_CLASS_MASK) != 0;
}

/* Passed are claimed slots, and the rest of an event whose beginning the next lap has overwritten or was claimed. */
static void read_range(const struct tlog_chunk *chunk, uint32_t from, uint32_t to, uint32_t tag)
{
    const uint32_t lap = chunk->lap >> TLOG_LAP_SHIFT, index = chunk->cursor >> TLOG_CURSOR_SHIFT;
    bool is_rest = from > 1u;
    for (uint32_t i = from, n = 1; i < to && !test_has_failed(); i += n) {
        const uint32_t *at = slot_of(chunk, i);
        n = 1;
        if (is_claimed(chunk, lap, index, i))
            is_rest = true;
        if (is_rest && (is_claimed(chunk, lap, index, i) || continues(at)))
            continue;
        is_rest = false;
        CHECK((at[TLOG_WORD_HEAD] & TLOG_TAG_MASK) == tag);
        if ((at[TLOG_WORD_HEAD] & TLOG_CLASS_MASK) == 0) {
            read_record(at);
        } else
            n = read_traceevent(chunk, i, to, tag);
        CHECK(n > 0);
    }
}

static uint32_t lap_of(uint32_t number)
{
    const struct tlog_chunk *chunk = chunk_at(number); /* not reached yet: it has an older number, or none */
    return tlog_ring_is_chunk(chunk) && chunk->boot == tlog_ring_boot ? chunk->lap >> TLOG_LAP_SHIFT : 0;
}

/* First the rest of the previous lap in the chunk that is being written, then the lap of each chunk, oldest first. */
static void read_ring(void)
{
    uint32_t youngest = 0;
    for (uint32_t i = 1; i < TLOG_CHUNKS; i++)
        if (lap_of(i) > 0 && lap_of(i) >= lap_of(youngest))
            youngest = i;
    for (uint32_t i = 0; i <= TLOG_CHUNKS && !test_has_failed(); i++) {
        uint32_t number = (youngest + i) % TLOG_CHUNKS, lap = lap_of(number);
        const struct tlog_chunk *chunk = chunk_at(number);
        uint32_t tag = chunk->lap & TLOG_TAG_MASK, index = chunk->cursor >> TLOG_CURSOR_SHIFT;
        if (i == 0 && lap > 1)
            read_range(chunk, index, TLOG_SLOTS + 1u, tag ^ TLOG_TAG_MASK);
        if (i > 0 && lap > 0)
            read_range(chunk, 1, index, tag);
        if (i > 0 && lap > found.laps)
            found.laps = lap;
    }
}

/* Their stamps increase, and no other event has one of them. */
static void read_emergency_slots(const struct tlog_chunk *chunk)
{
    uint64_t before = 0;
    for (uint32_t i = 0; i < chunk->emergency_used; i++) {
        const uint32_t *at = slot_of(chunk, TLOG_SLOTS + 2u + i);
        uint64_t time = time_of(at);
        CHECK((at[TLOG_WORD_HEAD] & TLOG_TAG_MASK) == TLOG_TAG_ODD && time > before);
        for (uint32_t k = 0; k < found.stamps; k++)
            CHECK(found.stamp[k] != time);
        CHECK(((at[TLOG_WORD_HIGH] ^ at[TLOG_WORD_LOW]) & TLOG_HIGH_MIRROR) == 0);
        note(at[TLOG_WORD_PAR2]);
        before = time;
    }
}

/* Events that were recorded, overwritten ones included. */
static uint32_t recorded(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < TLOG_CHUNKS; i++)
        if (lap_of(i) > 0)
            sum += (lap_of(i) - 1u) * TLOG_SLOTS + (chunk_at(i)->cursor >> TLOG_CURSOR_SHIFT) - 1u - chunk_at(i)->extra
                   + chunk_at(i)->emergency_used;
    return sum;
}

static void read_all(void)
{
    found = (struct found){0};
    read_ring();
    for (uint32_t i = 0; i < TLOG_CHUNKS && !test_has_failed(); i++)
        if (lap_of(i) > 0)
            read_emergency_slots(chunk_at(i));
    CHECK(found.kept + tlog_dropped() <= logged);
    CHECK(recorded() + tlog_dropped() == logged);
    if (found.laps < 2u)
        CHECK(found.kept + tlog_dropped() == logged);
}

/* ---- one context ------------------------------------------------------------------------------------------------- */

/* The clock stands at 1000. */
static void by_hand(void)
{
    static const uint32_t words[4] = {SALT, SALT, SALT, SALT};
    reset(1000, false);
    tlog_start();
    form_all(&tlog_cpu0); /* an event that finds no slot at once uses one more stamp */
    tlog_event_words(TLOG_TRACE_USER, 1, words, 4);
    tlog_event_words(TLOG_TRACE_USER, 1, words, 4);
    tlog_record_call(FTrace_EVT_user_event_0, 0, 0);
    const uint32_t stamps[] = {1000, 1000, 1001, 1001, 1002, 1002};
    for (uint32_t i = 0; i < 6u; i++)
        CHECK(slot_of(chunk_at(0), 1u + i)[TLOG_WORD_LOW] == stamps[i]);
    CHECK(slot_of(chunk_at(0), 7)[TLOG_WORD_LOW] == 1003);
}

/* After stamps ran ahead of the clock, they equal the clock again as soon as it has caught up. */
static void back_in_step(void)
{
    reset(1000, false);
    log_mixed(6, 0);
    set_clock(5000);
    log_one(0);
    const struct tlog_chunk *chunk = chunk_at(0);
    CHECK(slot_of(chunk, (chunk->cursor >> TLOG_CURSOR_SHIFT) - 1u)[TLOG_WORD_LOW] == 5000);
    read_all();
}

/* Any time may pass between two events, as long as tlog_tick() is called at least once in half a wrap. */
static void long_rests(void)
{
    for (uint32_t rests = 1; rests < 9u; rests++) {
        reset(7, false);
        log_one(0);
        for (uint32_t i = 1; i <= rests; i++) {
            set_clock(7u + i * 0x70000000u);
            tlog_tick();
        }
        log_one(0);
        const struct tlog_chunk *chunk = chunk_at(0);
        CHECK(time_of(slot_of(chunk, (chunk->cursor >> TLOG_CURSOR_SHIFT) - 1u)) >= 7u + rests * 0x70000000ull);
        CHECK(time_of(slot_of(chunk, (chunk->cursor >> TLOG_CURSOR_SHIFT) - 1u)) < 20u + rests * 0x70000000ull);
        read_all();
    }
}

/* The stamps pass half wraps and whole wraps that the clock reaches later or never. */
static void ahead_of_the_wrap(void)
{
    for (uint32_t half = 0; half < 3u; half++)
        for (uint32_t before = 0; before < 12u; before++)
            for (uint32_t kind = 0; kind < KINDS; kind++) {
                reset(half * 0x80000000u - before, false);
                for (uint32_t i = 0; i < 4u; i++) {
                    log_one((kind + i) % KINDS);
                    tlog_tick();
                }
                set_clock(half * 0x80000000u + 50u);
                log_one(0);
                read_all();
                CHECK(found.is_known && (before > 0 || half < 2u || found.last >> 32 == 0));
                CHECK((uint32_t)found.last - half * 0x80000000u - 50u < 6u); /* after the slots that state the wrap */
                CHECK(found.last >> 32 == (before > 0 && half != 1u ? 1u : 0u));
            }
}

/* ---- interrupted everywhere -------------------------------------------------------------------------------------- */

static uint32_t burst, inner_delay;

static void inner(void)
{
    tlog_tick();
    log_mixed(2, 2);
}

static void outer(void)
{
    if (inner_delay)
        arm(2, inner_delay, inner);
    log_mixed(burst, burst);
    if (inner_delay && !test_irq_disarm(2))
        inner_delay = 0;
}

static bool schedule(uint32_t clock, bool stop, uint32_t filled, uint32_t kind, uint32_t delay)
{
    reset(clock, stop);
    log_mixed(filled, 0);
    arm(1, delay, outer);
    if (kind == KINDS)
        tlog_tick();
    else
        log_one(kind);
    bool taken = test_irq_disarm(1);
    log_mixed(3, 5);
    read_all();
    return taken;
}

#ifndef TEST_STEP
#define TEST_STEP 5u
#endif

/* Tries every delay. If deep, every third delay, and for each of them some delays of the inner interrupt. */
static void sweep(uint32_t clock, bool stop, uint32_t filled, uint32_t kind, bool deep)
{
    static uint32_t schedules;
    bool taken = true;
    test_note("clock", clock);
    test_note("filled", filled);
    test_note("kind", kind);
    for (uint32_t delay = test_irq_first(); taken && !test_has_failed(); delay += deep ? 3u : TEST_STRIDE) {
        test_note("delay", delay);
        uint32_t second = deep ? test_irq_first() + delay % TEST_STEP : 0;
        do {
            inner_delay = second;
            taken = schedule(clock, stop, filled, kind, delay);
            test_note("schedules", ++schedules);
        } while (taken && inner_delay && (second += TEST_STEP) && !test_has_failed());
    }
}

static void sweep_all(bool stop, bool deep)
{
    static const uint32_t clocks[] = {1000, 0x7FFFFFFAu, 0xFFFFFFF8u, 0x80000000u, 0xFFFFFFFFu};
    static const uint32_t bursts[] = {1, 3, 12};
    for (uint32_t b = 0; b < 3u; b += TEST_LONG ? 1u : 2u)
        for (uint32_t filled = deep ? 3 : 0; filled < TLOG_CHUNKS * 9u; filled += TEST_LONG && !deep ? 1u : 5u)
            for (uint32_t kind = 0; kind <= KINDS && !test_has_failed(); kind += deep ? 4u - 2u * TEST_LONG : 1u) {
                burst = bursts[b];
                period = (filled + kind) % 3u * 3u;
                test_note("burst", burst);
                sweep(clocks[(filled + kind + b) % 5u], stop, filled, kind, deep);
            }
}

static void cyclic(void)
{
    sweep_all(false, false);
}

static void stopping(void)
{
    sweep_all(true, false);
}

static void cyclic_deep(void)
{
    sweep_all(false, true);
}

static void stopping_deep(void)
{
    sweep_all(true, true);
}

int test_main(void)
{
    test_run("stamps by hand", by_hand);
    test_run("back in step with the clock", back_in_step);
    test_run("long rests", long_rests);
    test_run("ahead of the wrap", ahead_of_the_wrap);
    test_run("interrupt everywhere, cyclic", cyclic);
    test_run("interrupt everywhere, stop when full", stopping);
    test_run("interrupt in an interrupt, cyclic", cyclic_deep);
    test_run("interrupt in an interrupt, stop when full", stopping_deep);
    return test_end();
}
