/* event.c - traceevents in a ring: exact slots, and simple, combine, text and record events logged by a thread and by
 * an interrupt that comes at every step; only whole events may be found.
 *
 * Runs on the host and on the target, with TLOG_TRACEEVENTS = 1. */
#include "lib/claims.h"
#include "lib/test.h"
#include "lib/irq.h"
#include "tlog.h"

enum { EVENTS = 300, SALT = 0x5A5A0000 };

static uint32_t lengths[EVENTS]; /* number of words of each logged event; 0 = a record */
static volatile uint32_t logged;

static struct tlog_chunk *chunk(void)
{
    return tlog_cpu0.ring->first;
}

static const uint32_t *slot(uint32_t index)
{
    return &chunk()->cursor + index * 4u;
}

static uint32_t head_at(uint32_t index)
{
    return slot(index)[TLOG_WORD_HEAD];
}

static uint32_t stamp_at(uint32_t index)
{
    return slot(index)[TLOG_WORD_LOW];
}

static void reset(void)
{
    tlog_cpu0 = (struct tlog_cpu)TLOG_CPU_INIT(tlog_cpu0.ring);
    test_clock_set(1000);
    logged = 0;
    tlog_start();
}

static void check_slot(uint32_t index, uint32_t head, uint32_t stamp, uint32_t d0, uint32_t d1)
{
    const uint32_t *at = slot(index);
    CHECK(at[TLOG_WORD_HEAD] == head && at[TLOG_WORD_LOW] == stamp && at[0] == d0 && at[1] == d1);
}

/* ---- exact slots --------------------------------------------------------------------------------------------------
 *
 * The head in lap 1: structure << 30 | event 9..8 << 16 | class << 10 | 0x100 | event 7..0. Class CONTROL is 1: 0x400;
 * class USER is 6: 0x1800; event 0x305 is 3 << 16 | 0x05. */

static void references(void)
{
    reset();
    check_slot(1, 0x00000502, stamp_at(1), 1, TLOG_SLOTS);  /* CONTROL BUFFER: 0x400 | 0x100 | 2 */
    check_slot(2, 0x00000501, stamp_at(1), 0, stamp_at(1)); /* CONTROL TIME */
    CHECK(chunk()->cursor == (3u << 16 | 0x100u));
}

/* Log up to the first event of the next lap. */
static void begin_lap(void)
{
    do
        tlog_event(TLOG_TRACE_USER, 1, 0, 0);
    while (chunk()->cursor >> TLOG_CURSOR_SHIFT != 4u);
}

/* The chunk has begun `laps` laps, an odd number. The next ones tell their numbers. */
static void check_numbers(uint64_t laps)
{
    reset();
    for (uint32_t lap = 1; lap <= 3u; lap++)
        begin_lap();
    chunk()->lap = (uint32_t)laps << TLOG_LAP_SHIFT | TLOG_TAG_ODD;
    chunk()->lap_high = (uint32_t)(laps >> 16) | ((uint32_t)laps << 16 & TLOG_COUNT_MIRROR);
    for (uint32_t next = (uint32_t)laps + 1u; next != (uint32_t)laps + 4u; next++) {
        begin_lap();
        check_slot(1, 0x00000402u | (next & 1u ? TLOG_TAG_ODD : TLOG_TAG_EVEN), stamp_at(1), next, TLOG_SLOTS);
    }
}

static void numbers(void)
{
    for (uint64_t half = 0; half < 5u; half++) {
        check_numbers((half << 15) + 1u);
        check_numbers((half << 15) + 0x7FFDu);
        check_numbers((half << 15) + 0x7FFFu);
    }
    check_numbers(0xFFFFFFFFu);
    check_numbers(0x40000FFFFu);
}

static void simple(void)
{
    reset();
    tlog_event(TLOG_TRACE_USER, 0x305, 0x11111111, 0x22222222);
    check_slot(3, 0x00031905, stamp_at(3), 0x11111111, 0x22222222);
    CHECK(trace_logi(7, 1, 2) == 0);
    check_slot(4, 0x00001907, stamp_at(4), 1, 2);
    CHECK(trace_logi(1024, 1, 2) == -1 && trace_logi(-1, 1, 2) == -1 && chunk()->cursor >> 16 == 5);
    CHECK(stamp_at(4) - stamp_at(3) < 0x80000000u);
}

static void combine(void)
{
    static const uint32_t words[5] = {10, 11, 12, 13, 14};
    reset();
    tlog_event_words(TLOG_TRACE_COMM, 1, words, 5); /* class 7: 0x1C00; three slots: begin, continuation, end */
    check_slot(3, 0x40001D01, stamp_at(3), 10, 11);
    check_slot(4, 0x80001D01, stamp_at(3), 12, 13);
    check_slot(5, 0xC0001D01, stamp_at(3), 14, 0);
    tlog_event_words(TLOG_TRACE_COMM, 1, words, 2);
    check_slot(6, 0x00001D01, stamp_at(6), 10, 11);
    tlog_event_words(TLOG_TRACE_COMM, 1, words, 0);
    check_slot(7, 0x00001D01, stamp_at(7), 0, 0);
}

static const uint32_t counted[2 * TLOG_SLOTS + 1] = {
    100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120,
    121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140,
};

/* At slot `index` begins an event of `count` words 100, 101, 102 and so on; class COMM is 7. */
static void check_words(uint32_t index, uint32_t count)
{
    uint32_t n = (count + 1u) / 2u, tag = chunk()->cursor & TLOG_TAG_MASK;
    CHECK(tlog_dropped() == 0 && chunk()->cursor >> 16 == index + n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t part = n == 1u ? 0 : i == 0 ? 1u : i + 1u == n ? 3u : 2u;
        check_slot(index + i, part << 30 | 0x1C01u | tag, stamp_at(index), 100u + 2u * i,
                   2u * i + 1u < count ? 101u + 2u * i : 0);
    }
}

#define ONE_SIZE(count)                                                                                                \
    reset();                                                                                                           \
    tlog_event_words(TLOG_TRACE_COMM, 1, counted, count);                                                              \
    check_words(3, count)

/* Every size that fits into a lap: as a compile-time constant and as a variable, and at each place of two laps. */
static void sizes(void)
{
    ONE_SIZE(1);
    ONE_SIZE(3);
    ONE_SIZE(4);
    ONE_SIZE(6);
    ONE_SIZE(7);
    ONE_SIZE(8);
    ONE_SIZE(9);
    ONE_SIZE(10);
    ONE_SIZE(13);
    ONE_SIZE(16);
    ONE_SIZE(27);
    ONE_SIZE(28);
    for (volatile uint32_t count = 1; count <= 2u * (TLOG_SLOTS - 2u); count++) {
        for (uint32_t used = 0; used < 2u * TLOG_SLOTS; used++) {
            uint32_t n = (count + 1u) / 2u;
            reset();
            for (uint32_t i = 0; i < used; i++)
                trace_logi(1, 0, 0);
            tlog_event_words(TLOG_TRACE_COMM, 1, counted, count);
            check_words((chunk()->cursor >> 16) - n, count);
        }
    }
}

static void texts(void)
{
    reset();
    CHECK(trace_logs(6, "hello") == 0); /* one slot: 68 65 6c 6c  6f 00 00 00 */
    check_slot(3, 0x00001906, stamp_at(3), 0x6C6C6568, 0x0000006F);
    trace_logs(6, "hello, world"); /* 13 bytes with the NUL: two slots */
    check_slot(4, 0x40001906, stamp_at(4), 0x6C6C6568, 0x77202C6F);
    check_slot(5, 0xC0001906, stamp_at(4), 0x646C726F, 0);
    CHECK(trace_logb(6, "abc", 3) == 0);
    check_slot(6, 0x00001906, stamp_at(6), 0x00636261, 0);
    CHECK(trace_logbc(_TRACE_SYSTEM_C, 0x21, "abcde", 5) == 0);
    check_slot(7, 0x00001521, stamp_at(7), 0x64636261, 0x65);
    CHECK(trace_logb(6, "", 897) == -1 && trace_logs(1024, "") == -1 && trace_logbc(0, 1, "", 0) == -1);
    CHECK(tlog_dropped() == 0);
}

static void filters(void)
{
    reset();
    tlog_filter_class(TLOG_TRACE_USER, true);
    trace_logi(7, 1, 2);
    trace_logs(7, "text");
    CHECK(chunk()->cursor >> 16 == 3);
    tlog_event(TLOG_TRACE_COMM, 1, 2, 3);
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, 1, 2);
    CHECK(chunk()->cursor >> 16 == 5);
    tlog_disable();
    tlog_event(TLOG_TRACE_COMM, 1, 2, 3);
    tlog_filter_class(TLOG_TRACE_USER, false);
    trace_logi(7, 1, 2);
    CHECK(chunk()->cursor >> 16 == 6); /* trace_stop */
    tlog_enable();
    trace_logi(7, 1, 2);
    CHECK(chunk()->cursor >> 16 == 10); /* a pair and trace_start */
}

/* An event that does not fit into the rest of a lap is put whole into the next lap. */
static void at_the_end(void)
{
    static const uint32_t words[12] = {0};
    for (uint32_t used = 0; used < TLOG_SLOTS - 2u; used++) {
        for (uint32_t n = 1; n <= 6u; n++) {
            uint32_t left = TLOG_SLOTS - 2u - used;
            reset();
            for (uint32_t i = 0; i < used; i++)
                trace_logi(1, 0, 0);
            tlog_event_words(TLOG_TRACE_USER, 2, words, n == 1u ? 2u : n * 2u);
            CHECK(tlog_dropped() == 0);
            CHECK(chunk()->lap >> TLOG_LAP_SHIFT == (n <= left ? 1u : 2u));
            CHECK(chunk()->cursor >> 16 == (n <= left ? 3u + used + n : 3u + n));
        }
    }
}

static void too_long(void)
{
    static uint32_t words[TLOG_EVENT_WORDS_MAX + 1u];
    reset();
    uint32_t fits = (TLOG_SLOTS - 2u) * 2u;
    tlog_event_words(TLOG_TRACE_USER, 2, words, fits);
    CHECK(tlog_dropped() == 0);
    volatile uint32_t more = fits + 1u;
    tlog_event_words(TLOG_TRACE_USER, 2, words, more);
    CHECK(tlog_dropped() == 1);
    more = TLOG_EVENT_WORDS_MAX + 1u;
    tlog_event_words(TLOG_TRACE_USER, 2, words, more);
    CHECK(tlog_dropped() == 2);
}

/* Every wrap of the clock is reported by a CONTROL TIME event. */
static void wraps(void)
{
    reset();
    for (uint32_t half = 0; half < 7u; half++) {
        test_clock_set(half * 0x80000000u + 5u);
        trace_logi(1, 0, 0);
    }
    uint32_t told = 0;
    for (uint32_t i = 1; i < chunk()->cursor >> 16; i++)
        if ((head_at(i) & 0xFCFFu) == 0x0401u) {
            CHECK(slot(i)[0] == told);
            told++;
        }
    CHECK(told == 4); /* the one that begins the lap, and one for each of three wraps */
}

/* The clock passes one or two halves of a wrap before an event for which the rest of the lap has no room. */
static void wraps_at_the_end(void)
{
    static const uint32_t words[12] = {0};
    for (uint32_t half = 1; half < 3u; half++) {
        reset();
        while (chunk()->cursor >> 16 < TLOG_SLOTS - 2u)
            trace_logi(1, 0, 0);
        for (uint32_t i = 1; i <= half; i++)
            test_clock_set(i * 0x80000000u + 5u), tlog_cpu0.high = (i - 1u) << 31;
        tlog_event_words(TLOG_TRACE_USER, 2, words, 12);
        CHECK(tlog_dropped() == 0 && chunk()->lap >> TLOG_LAP_SHIFT == 2u);
    }
}

/* ---- interrupted everywhere -------------------------------------------------------------------------------------- */

/* Own events with words alone, which the portable form has not. */
#if !TLOG_OWN_PORTABLE
TLOG_DEFINE_EVENT(two, (u32, a), (u32, b))
TLOG_DEFINE_EVENT(five, (u32, a), (u32, b), (u32, c), (u32, d), (u32, e))
#define OWN_TWO(word)  trace_two(word, word)
#define OWN_FIVE(word) trace_five(word, word, word, word, word)
#else
#define OWN_TWO(word)  trace_logi(1, word, word)
#define OWN_FIVE(word) tlog_event_words(TLOG_TRACE_USER, 1, words, 5)
#endif

/* Event n has `length` words, each n | SALT. Every other event is an own one. */
static void log_one(uint32_t length)
{
    uint32_t words[20], n = tlog_ring_add((uint32_t *)(uintptr_t)&logged, 1u);
    if (n >= EVENTS)
        return;
    lengths[n] = length;
    for (uint32_t i = 0; i < 20u; i++)
        words[i] = n | SALT;
    if (length == 0)
        tlog_record_call(FTrace_EVT_user_event_0, n, n | SALT);
    else if (length == 2 && n % 2u)
        OWN_TWO(n | SALT);
    else if (length == 5 && n % 2u)
        OWN_FIVE(n | SALT);
    else if (length == 2)
        trace_logi(1, n | SALT, n | SALT);
    else
        tlog_event_words(TLOG_TRACE_USER, 1, words, length);
}

static uint32_t burst;

static void interrupt(void)
{
    static const uint32_t order[] = {2, 5, 0, 8, 2, 3, 12};
    for (uint32_t i = 0; i < burst; i++)
        log_one(order[i % 7u]);
}

static struct found {
    bool seen[EVENTS];
    uint32_t kept, last;
    bool any;
} found;

static bool ends_event(const uint32_t *at)
{
    return at[TLOG_WORD_HEAD] >> 30 == TLOG_STRUCT_S || at[TLOG_WORD_HEAD] >> 30 == TLOG_STRUCT_CE;
}

/* The number of slots of traceevent number n, which begins at slot `index`; 0 if it is not whole. */
static uint32_t read_traceevent(uint32_t index, uint32_t end, uint32_t tag, uint32_t n)
{
    const uint32_t *at = slot(index);
    const uint32_t stamp = at[TLOG_WORD_LOW];
    uint32_t count;
    for (count = 1; !ends_event(at); count++) {
        at += 4;
        if (index + count >= end || at[TLOG_WORD_LOW] != stamp || (at[TLOG_WORD_HEAD] & TLOG_TAG_MASK) != tag
            || at[0] != (n | SALT))
            return 0;
    }
    return count == TLOG_TRACE_SLOTS(lengths[n]) ? count : 0;
}

/* The number of slots of the event that begins at slot `index`; 0 if it was not logged or is not whole. */
static uint32_t read_event(uint32_t index, uint32_t end, uint32_t tag)
{
    const uint32_t *at = slot(index), head = at[TLOG_WORD_HEAD], stamp = at[TLOG_WORD_LOW];
    bool is_record = (head & TLOG_CLASS_MASK) == 0, is_control = (head & TLOG_CLASS_MASK) == 0x400u;
    uint32_t n = at[0]; /* par2 of a record, or the first data of a traceevent */
    if ((head & TLOG_TAG_MASK) != tag || (found.any && stamp - found.last >= 0x80000000u))
        return 0;
    found.last = stamp;
    found.any = true;
    if (is_control || (is_record && (head & 0xFFu) == TLOG_RECORD_LOSS))
        return 1;
    n ^= SALT;
    if (n >= EVENTS || n >= logged || found.seen[n])
        return 0;
    found.seen[n] = true;
    found.kept++;
    return is_record ? lengths[n] == 0 : read_traceevent(index, end, tag, n);
}

/* Whether slot i continues an event that began before it. */
static bool continues(uint32_t i)
{
    return head_at(i) >> 30 >= TLOG_STRUCT_CC && (head_at(i) & TLOG_CLASS_MASK) != 0;
}

/* Read slots from..to-1. Passed are claimed slots, and the rest of an event whose beginning the next lap has
 * overwritten or was claimed. */
static void read_range(uint32_t from, uint32_t to, uint32_t tag, uint32_t lap)
{
    bool is_rest = from > 1u;
    for (uint32_t i = from, n; i < to; i += n) {
        n = 1;
        if (is_claimed(chunk(), lap, chunk()->cursor >> 16, i)) {
            is_rest = true;
        } else if (!is_rest || !continues(i)) {
            is_rest = false;
            n = read_event(i, to, tag);
            CHECK(n > 0);
            n += n == 0;
        }
    }
}

static void check_ring(void)
{
    uint32_t tag = chunk()->cursor & TLOG_TAG_MASK, index = chunk()->cursor >> 16, lap = chunk()->lap >> TLOG_LAP_SHIFT;
    for (uint32_t i = 0; i < EVENTS; i++)
        found.seen[i] = false;
    found.kept = 0;
    found.any = false;
    if (tag == TLOG_TAG_MASK)
        tag = chunk()->lap & TLOG_TAG_MASK;
    if (lap > 1u)
        read_range(index, TLOG_SLOTS + 1u, tag ^ TLOG_TAG_MASK, lap);
    read_range(1, index, tag, lap);
    CHECK((lap - 1u) * TLOG_SLOTS + index - 1u - chunk()->extra + tlog_dropped() == logged);
    if (lap == 1u)
        CHECK(found.kept == logged
              && tlog_dropped() == 0); /* in the first lap every slot is free, so nothing is lost */
}

static bool schedule(uint32_t length, uint32_t filled, uint32_t delay)
{
    reset();
    for (uint32_t i = 0; i < filled; i++)
        log_one(2);
    test_irq_arm(1, delay, interrupt);
    log_one(length);
    bool taken = test_irq_disarm(1);
    log_one(2);
    check_ring();
    return taken;
}

static void everywhere(void)
{
    static const uint32_t kinds[] = {0, 2, 5, 12, 19}, bursts[] = {1, 3, 7, 20};
    static uint32_t schedules;
    for (uint32_t k = 0; k < 5u; k++)
        for (uint32_t b = 0; b < 4u; b++)
            for (uint32_t filled = 0; filled <= 2u * TLOG_SLOTS && !test_has_failed(); filled++) {
                bool taken = true;
                burst = bursts[b];
                test_note("kind", kinds[k]);
                test_note("burst", burst);
                test_note("filled", filled);
                for (uint32_t delay = test_irq_first(); taken && !test_has_failed(); delay += TEST_STRIDE) {
                    test_note("delay", delay);
                    taken = schedule(kinds[k], filled, delay);
                    test_note("schedules", ++schedules);
                }
            }
}

/* ---- every size, interrupted everywhere
 * --------------------------------------------------------------------------- */

static uint32_t longest; /* words of the interrupted event */

/* The part of slot i of the interrupted event. */
static uint32_t part_of(uint32_t i)
{
    uint32_t n = TLOG_TRACE_SLOTS(longest);
    return n == 1u ? TLOG_STRUCT_S : i == 0 ? TLOG_STRUCT_CB : i + 1u == n ? TLOG_STRUCT_CE : TLOG_STRUCT_CC;
}

/* Whether slot `index` of the lap with that tag is slot i of the event: all words, and the stamp. */
static bool is_part(uint32_t index, uint32_t i, uint32_t tag, uint32_t stamp)
{
    const uint32_t *at = slot(index);
    return at[TLOG_WORD_HEAD] == (part_of(i) << 30 | 0x1C01u | tag) && at[TLOG_WORD_LOW] == stamp
           && at[0] == 100u + 2u * i && at[1] == (2u * i + 1u < longest ? 101u + 2u * i : 0);
}

/* An interrupt finds each slot of the event whole, if the slot bears the tag of the lap, and the first slot only behind
 * the others. Then it logs an event of its own. */
static void look_and_log(void)
{
    const uint32_t tag = chunk()->cursor & TLOG_TAG_MASK, end = chunk()->cursor >> 16, n = TLOG_TRACE_SLOTS(longest);
    bool are_filled = true; /* the slots behind this one */
    for (uint32_t i = n; i-- > 0 && end > n;) {
        uint32_t index = end - n + i;
        bool has_tag = (head_at(index) & TLOG_TAG_MASK) == tag;
        if (has_tag && (head_at(index) & TLOG_CLASS_MASK) >> TLOG_CLASS_SHIFT != TLOG_TRACE_COMM)
            break; /* the event has not been reserved yet, so this is one before it */
        CHECK(!has_tag || is_part(index, i, tag, stamp_at(index)));
        CHECK(!has_tag || i > 0 || are_filled);
        are_filled = are_filled && has_tag;
    }
    trace_logi(1, 0, 0);
}

static void check_event(void)
{
    uint32_t tag = chunk()->cursor & TLOG_TAG_MASK, first = 1;
    while (first <= TLOG_SLOTS && (head_at(first) & 0x3FFFFCFFu) != 0x1C01u)
        first++;
    CHECK(tlog_dropped() == 0 && first + TLOG_TRACE_SLOTS(longest) <= TLOG_SLOTS + 1u);
    for (uint32_t i = 0; i < TLOG_TRACE_SLOTS(longest); i++)
        CHECK(is_part(first + i, i, tag, stamp_at(first)));
}

static bool interrupt_event(uint32_t filled, uint32_t delay)
{
    reset();
    for (uint32_t i = 0; i < filled; i++)
        trace_logi(1, 0, 0);
    test_irq_arm(1, delay, look_and_log);
    tlog_event_words(TLOG_TRACE_COMM, 1, counted, longest);
    bool taken = test_irq_disarm(1);
    check_event();
    return taken;
}

/* In the first lap, in the second one, and where the event begins a lap. */
static void sizes_everywhere(void)
{
    static const uint32_t before[] = {0, 1, TLOG_SLOTS - 2, TLOG_SLOTS - 1, 2 * (TLOG_SLOTS - 2)};
    for (volatile uint32_t count = 3; count <= 32u; count++)
        for (uint32_t i = 0; i < sizeof(before) / sizeof(before[0]) && !test_has_failed(); i++) {
            bool taken = true;
            longest = count;
            test_note("words", count);
            test_note("filled", before[i]);
            for (uint32_t delay = test_irq_first(); taken && !test_has_failed(); delay++) {
                test_note("delay", delay);
                taken = interrupt_event(before[i], delay);
            }
        }
}

int test_main(void)
{
    tlog_start();
    test_run("the beginning of a lap tells the time", references);
    test_run("each lap tells its number", numbers);
    test_run("simple events", simple);
    test_run("combine events", combine);
    test_run("combine events of every size", sizes);
    test_run("texts and bytes", texts);
    test_run("filters", filters);
    test_run("at the end of a lap", at_the_end);
    test_run("too long", too_long);
    test_run("every wrap is told", wraps);
    test_run("a wrap at the end of a lap", wraps_at_the_end);
    test_run("events of every size, interrupted everywhere", sizes_everywhere);
    test_run("interrupt everywhere", everywhere);
    return test_end();
}
