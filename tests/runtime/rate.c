/* rate.c - the clock's rate changes, with an interrupt at every instruction of the call, which changes it, too.
 *
 * The marks in the ring, in the order of their times, must be a chain: each has a right check, the old rate is the new
 * one of the mark before, and the ns are exactly those that the ticks between take. An hour of a thousand changes a
 * second must be right to 1 ns. The test's own sums have the ticks at each rate, and are rounded once. */
#include "lib/irq.h"
#include "lib/test.h"
#include "tlog.h"

#ifndef TEST_CHANGES
#define TEST_CHANGES 20000u
#endif

#ifdef __unix__
__extension__ typedef __int128 wide;
#endif

enum { RATES = 5, MARKS = 32, NS_PER_S = 1000000000 };

static const uint32_t rates[RATES] = {8000000, 72000000, 32768, 4294967295u, 1};

/* ---- the marks in the ring --------------------------------------------------------------------------------------- */

struct mark {
    uint64_t ticks, ns;
    uint32_t fraction, before, hz;
};

static struct mark marks[MARKS], last; /* last: of the schedule before */
static uint32_t nmarks, events;

/* A mark is logged behind its change: so that of an interrupt may stand ahead of it, also with the same time. */
static bool is_behind(const struct mark *mark, const struct mark *other)
{
    return mark->ticks > other->ticks
           || (mark->ticks == other->ticks && mark->before == other->hz && mark->hz != other->before);
}

static void take_mark(const uint32_t *slot)
{
    uint32_t word[TLOG_RATE_WORDS], sum = 0, i;
    for (i = 0; i < TLOG_RATE_WORDS; i++)
        word[i] = slot[i / 2u * 4u + i % 2u];
    for (i = 0; i < TLOG_RATE_CHECK; i++) {
        sum = (sum ^ word[i]) * 0x9E3779B1u;
        sum = sum << 15 | sum >> 17;
    }
    CHECK(sum == word[TLOG_RATE_CHECK] && nmarks < MARKS);
    struct mark mark = {(uint64_t)word[0] << 32 | word[1], (uint64_t)word[3] << 32 | word[2], word[4], word[5],
                        word[6]};
    for (i = nmarks++; i > 0 && is_behind(&marks[i - 1u], &mark); i--)
        marks[i] = marks[i - 1u];
    marks[i] = mark;
}

static void read_ring(void)
{
    const struct tlog_chunk *home = tlog_ring_home(&tlog_cpus[0]);
    const uint32_t *first = &home->cursor, n = *first >> TLOG_CURSOR_SHIFT;
    nmarks = events = 0;
    for (uint32_t i = 1; i < n && !test_has_failed(); i++) {
        const uint32_t *slot = first + 4u * i, head = slot[TLOG_WORD_HEAD] & ~TLOG_TAG_MASK;
        const uint32_t rate = TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_RATE);
        CHECK((slot[TLOG_WORD_HEAD] & TLOG_TAG_MASK) == TLOG_TAG_ODD);
        events += head == FTrace_EVT_user_event_0;
        if (head == (rate | TLOG_STRUCT_CB << TLOG_STRUCT_SHIFT)) {
            for (uint32_t k = 1; k < TLOG_RATE_SLOTS; k++)
                CHECK(slot[4u * k + 2u] == slot[2]
                      && (slot[4u * k + TLOG_WORD_HEAD] & ~(3u << 30 | TLOG_TAG_MASK)) == rate);
            take_mark(slot);
        }
    }
}

/* The marks follow each other from `last` on. */
static void check_chain(void)
{
    read_ring();
    for (uint32_t i = 0; i < nmarks && !test_has_failed(); i++) {
        const struct mark *mark = &marks[i];
        const uint64_t rate = last.hz != 0 ? last.hz : mark->hz, passed = (mark->ticks - last.ticks) * NS_PER_S;
        const uint64_t fraction = (passed % rate << 32) / rate + last.fraction;
        test_note("mark", i);
        CHECK(mark->ticks >= last.ticks && mark->before == last.hz && mark->hz != last.hz);
        CHECK(mark->ns == last.ns + passed / rate + (fraction >> 32) && mark->fraction == (uint32_t)fraction);
        last = *mark;
    }
}

static void begin(void)
{
    const struct tlog_ring *ring = tlog_cpus[0].ring;
    tlog_cpus[0] = (struct tlog_cpu)TLOG_CPU_INIT(ring);
}

static void log_one(void)
{
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, 0, 0);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void first_rate(void)
{
    test_clock_set(1000);
    begin();
    log_one();
    check_chain();
    CHECK(nmarks == (TLOG_CLOCK_HZ != 0) && last.hz == TLOG_CLOCK_HZ && events == 1);
}

static void rates_that_change_nothing(void)
{
    begin();
    tlog_clock_rate(rates[0]);
    tlog_clock_rate(rates[0]);
    tlog_clock_rate(0);
    log_one();
    tlog_clock_rate(0);
    tlog_clock_rate(rates[0]);
    check_chain();
    CHECK(nmarks == 1 && events == 1);
}

static void while_logging_is_disabled(void)
{
    begin();
    tlog_clock_rate(rates[1]);
    tlog_disable();
    tlog_clock_rate(rates[2]);
    tlog_clock_rate(rates[3]);
    read_ring();
    CHECK(nmarks == 1);
    tlog_enable();
    tlog_disable();
    tlog_enable();
    read_ring();
    test_note("marks", nmarks);
    CHECK(nmarks == 2 && marks[1].before == rates[2] && marks[1].hz == rates[3]);
    last = marks[1];
}

static void a_ring_without_room(void)
{
    begin();
    tlog_stop_when_full(true);
    while (tlog_dropped() == 0)
        log_one();
    tlog_clock_rate(rates[0]);
    read_ring();
    CHECK(nmarks == 0);
    tlog_stop_when_full(false);
    begin();
    tlog_clock_rate(rates[1]);
    read_ring();
    CHECK(nmarks == 1 && marks[0].before == rates[0]);
    last = marks[0];
}

#if TLOG_UNIQUE_STAMPS || !defined(__unix__)
static void many_changes(void)
{
}
#else
/* Advance the clock so that each rate lasts for about 1 ms, and count the ticks at each. */
static void many_changes(void)
{
    uint64_t at[RATES] = {0};
    wide sum = 0;
    begin();
    tlog_clock_rate(rates[0]);
    check_chain();
    struct mark from = last, to;
    for (uint32_t i = 1; i <= TEST_CHANGES && !test_has_failed(); i++) {
        tlog_posix_clock += rates[(i - 1u) % 3u] / 1000u + i % 7u;
        tlog_clock_rate(rates[i % 3u]);
        to = from;
        const uint32_t *cursor = tlog_cpus[0].cursor, n = *cursor >> TLOG_CURSOR_SHIFT;
        for (uint32_t k = n - 1u; k > 0 && to.hz == from.hz; k--) { /* the mark may stand ahead of BUFFER and TIME */
            const uint32_t *slot = cursor + 4u * k;
            if ((slot[TLOG_WORD_HEAD] & ~TLOG_TAG_MASK)
                != (TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_RATE) | TLOG_STRUCT_CB << TLOG_STRUCT_SHIFT))
                continue;
            nmarks = 0;
            take_mark(slot);
            to = marks[0];
        }
        CHECK(to.hz == rates[i % 3u] && to.before == from.hz);
        at[(i - 1u) % 3u] += to.ticks - from.ticks;
        from = to;
    }
    for (uint32_t i = 0; i < RATES; i++)
        sum += ((wide)at[i] * NS_PER_S << 32) / rates[i];
    const wide wrong = ((wide)from.ns << 32) + from.fraction - ((wide)last.ns << 32) - last.fraction - sum;
    test_note("2^-32 ns less", (uint32_t)-wrong);
    CHECK(wrong > -((wide)1 << 32) && wrong <= RATES);
    last = from;
}
#endif

/* ---- interrupts -------------------------------------------------------------------------------------------------- */

static uint32_t inner[2];

static void interrupt(void)
{
    test_clock_step();
    log_one();
    for (uint32_t i = 0; i < 2u; i++)
        tlog_clock_rate(inner[i]);
    log_one();
}

/* True if the interrupt came before the call had returned. */
static bool schedule(uint32_t hz, uint32_t delay)
{
    const struct mark before = last;
    begin();
    log_one();
    test_irq_arm(1, delay, interrupt);
    tlog_clock_rate(hz);
    bool taken = test_irq_disarm(1);
    log_one();
    check_chain();
    if (!test_has_failed() && (events != (taken ? 4u : 2u) || (!taken && nmarks != (before.hz != hz))))
        test_fail(__FILE__, __LINE__, "all events are there, and the mark");
    if (!test_has_failed() && last.hz != hz && (!taken || (last.hz != inner[0] && last.hz != inner[1])))
        test_fail(__FILE__, __LINE__, "the rate is one that was told");
    if (!test_has_failed() && taken && nmarks == 0 && (inner[1] != 0 ? inner[1] : inner[0]) != before.hz)
        test_fail(__FILE__, __LINE__, "a call that interrupts another one is marked");
    return taken;
}

static void sweep(uint32_t first, uint32_t second)
{
    bool taken = true;
    inner[0] = first;
    inner[1] = second;
    for (uint32_t delay = test_irq_first(); taken && !test_has_failed(); delay += TEST_STRIDE) {
        test_note("delay", delay);
        taken = schedule(rates[delay / TEST_STRIDE % 2u], delay);
    }
}

static void an_interrupt_changes_it(void)
{
    sweep(rates[2], 0);
}

static void an_interrupt_changes_it_back(void)
{
    sweep(rates[3], rates[0]);
}

static void an_interrupt_changes_it_twice(void)
{
    sweep(rates[3], rates[2]);
}

int test_main(void)
{
    test_run("the first rate", first_rate);
    test_run("rates that change nothing", rates_that_change_nothing);
    test_run("while logging is disabled", while_logging_is_disabled);
    test_run("a ring without room", a_ring_without_room);
    test_run("an interrupt changes it", an_interrupt_changes_it);
    test_run("an interrupt changes it back", an_interrupt_changes_it_back);
    test_run("an interrupt changes it twice", an_interrupt_changes_it_twice);
    test_run("many changes", many_changes);
    return test_end();
}
