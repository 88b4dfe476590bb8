/* define.c - own events: what the slots hold for every type of field, computed by hand; kinds, groups, levels, texts.
 *
 * Runs on the host, in the portable form, and on the target in every form: with ids by the linker, with
 * TLOG_PORTABLE_EVENTS, and as records (TLOG_TRACEEVENTS = 0). */
#define TLOG_LEVEL 3
#include "lib/irq.h"
#include "lib/test.h"
#include "tlog.h"

#include <stddef.h>

enum state { IDLE, RUN, STALL = 7 };
enum bits { RX = 1, TX = 2, ERROR = 0x80 };

TLOG_DEFINE_EVENT(empty)
TLOG_DEFINE_EVENT(one_u8, (u8, a))
TLOG_DEFINE_EVENT(one_i8, (int8_t, a))
TLOG_DEFINE_EVENT(two_i16, (i16, a), (i16, b, "mV"))
TLOG_DEFINE_EVENT(u8_i16, (u8, ch), (i16, mv, "%"))
TLOG_DEFINE_EVENT(four_u8, (u8, a), (hex8, b), (bool, c), (uint8_t, d))
TLOG_DEFINE_EVENT(one_f32, (f32, a))
TLOG_DEFINE_EVENT(small_enums, (enum8, a, IDLE, RUN, STALL), (flags8, b, RX, TX, ERROR), (enum16, c, IDLE))

#define TLOG_EVENT_GROUP 2
TLOG_DEFINE_EVENT(grouped, (u32, a))
#undef TLOG_EVENT_GROUP
TLOG_NAME_GROUP(2, "motor");
TLOG_NAME_GROUP(3, "motors");
#define TLOG_EVENT_LEVEL TLOG_LEVEL_DEBUG
TLOG_DEFINE_EVENT(debugging, (u32, a))
TLOG_DEFINE_SPAN(debugged)
#undef TLOG_EVENT_LEVEL
#define TLOG_EVENT_LEVEL TLOG_LEVEL_INFO
TLOG_DEFINE_EVENT(informing, (u32, a))
#undef TLOG_EVENT_LEVEL
TLOG_DEFINE_SPAN(work)

static struct tlog_chunk *chunk(void)
{
    return tlog_cpu0.ring->first;
}

/* The first slot behind those that tell the time, and the next free one. */
#define FIRST (TLOG_TRACEEVENTS ? 3u : 1u)

static uint32_t next_free(void)
{
    return chunk()->cursor >> TLOG_CURSOR_SHIFT;
}

static const uint32_t *slot(uint32_t index)
{
    return &chunk()->cursor + index * 4u;
}

static void reset(void)
{
    tlog_cpu0 = (struct tlog_cpu)TLOG_CPU_INIT(tlog_cpu0.ring);
    test_clock_set(1000);
    tlog_start();
    if (TLOG_TRACEEVENTS == 0)
        return;
    CHECK(next_free() == FIRST);
}

/* The words ahead of the fields: the address of the description. The slots of an event with so many words of fields. */
#define AHEAD        ((uint32_t)TLOG_OWN_PREFIX / 4u)
#define SLOTS(words) (TLOG_TRACEEVENTS ? TLOG_TRACE_SLOTS(AHEAD + (words)) : 1u)

#if TLOG_TRACEEVENTS

/* The head of an event, without the id: in lap 1. Class 12 is 0x3000; CONTROL 0x105 is 0x10405. */
static bool head_is(uint32_t head, uint32_t group, uint32_t kind, uint32_t part)
{
    if (TLOG_OWN_PORTABLE)
        return head == (part << 30 | (0x10505u + kind));
    return (head & 0xFFFFFF00u) == (part << 30 | kind << 16 | 0x3100u | group << 10) && (head & 0xFFu) < 64u;
}

static uint32_t word(uint32_t i)
{
    return slot(FIRST + (AHEAD + i) / 2u)[(AHEAD + i) % 2u];
}

/* The first slots behind the beginning of the lap hold one event with these words, and no other slot is taken. */
static void check_event(uint32_t group, uint32_t kind, const uint32_t *words, uint32_t count)
{
    const uint32_t n = TLOG_TRACE_SLOTS(AHEAD + count);
    CHECK(next_free() == FIRST + n && tlog_dropped() == 0);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t part = n == 1u ? 0 : i == 0 ? 1u : i + 1u == n ? 3u : 2u;
        CHECK(head_is(slot(FIRST + i)[TLOG_WORD_HEAD], group, kind, part));
        CHECK(slot(FIRST + i)[TLOG_WORD_LOW] == slot(FIRST)[TLOG_WORD_LOW]);
    }
    for (uint32_t i = 0; i < n * 2u - AHEAD; i++)
        CHECK(word(i) == (i < count ? words[i] : 0));
}

/* Log an event by that call, and compare its words. */
#define WORDS(call, ...)                                                                                               \
    do {                                                                                                               \
        static const uint32_t expected[] = {__VA_ARGS__};                                                              \
        reset();                                                                                                       \
        call;                                                                                                          \
        check_event(0, 0, expected, sizeof(expected) / 4u);                                                            \
    } while (0)

#else

/* Log an event by that call: a record with code 0x0F, and par2 as told. */
#define WORDS(call, ...)                                                                                               \
    do {                                                                                                               \
        static const uint32_t expected[] = {__VA_ARGS__};                                                              \
        reset();                                                                                                       \
        call;                                                                                                          \
        check_record(0, 0, expected[0]);                                                                               \
    } while (0)

static void check_record(uint32_t group, uint32_t kind, uint32_t par2)
{
    const uint32_t *at = slot(next_free() - 1u), head = at[TLOG_WORD_HEAD];
    CHECK(at[0] == par2 && (head & 0x00FFu) == 0x0Fu && (head & 0xFC00u) == 0);
    CHECK(head >> 24 == (group | kind << 4) && (head >> 16 & 0xFFu) < 64u);
}

#endif

static void small(void)
{
    WORDS(trace_one_u8(0xF2), 0xF2);
    WORDS(trace_one_i8(-2), 0xFE);
    WORDS(trace_two_i16(-2, -3), 0xFFFDFFFE);
    WORDS(trace_u8_i16(3, -120), 0xFF880003);
    WORDS(trace_four_u8(1, 0xAB, true, 4), 0x0401AB01);
    WORDS(trace_one_f32(-1.5f), 0xBFC00000);
    WORDS(trace_small_enums(STALL, RX | ERROR, IDLE), 0x00008107);
    WORDS(TLOG_COUNTER(depth, -5), 0xFFFFFFFB);
}

static void levels(void)
{
    reset();
    uint32_t before = next_free();
    trace_debugging(1);
    TLOG_SPAN_BEGIN(debugged);
    TLOG_SPAN_END(debugged);
    CHECK(next_free() == before);
    trace_informing(1);
    CHECK(next_free() == before + SLOTS(1u));
}

static void groups(void)
{
    reset();
    tlog_filter_group(2, true);
    uint32_t before = next_free();
    trace_grouped(5);
    CHECK(next_free() == before);
    trace_one_u8(5);
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, 1, 2);
    before += SLOTS(1u) + 1u;
    CHECK(next_free() == before);
    tlog_disable();
    tlog_filter_group(2, false);
    tlog_filter_group(4, true);
    trace_grouped(5);
    before++; /* trace_stop */
    CHECK(next_free() == before);
    tlog_enable();
    trace_grouped(5);
    before += 3u; /* a pair and trace_start */
    CHECK(next_free() == before + SLOTS(1u) && tlog_dropped() == 0);
}

/* Group 2 is called motor, group 3 motors, and the others have no name. */
static void groups_by_name(void)
{
    static const char *const wrong[] = {"", "moto", "motor ", "motorss", "Motor", NULL};
    reset();
    CHECK(tlog_group_enable("motors", false));
    trace_grouped(5);
    CHECK(next_free() == FIRST + SLOTS(1u));
    CHECK(tlog_group_enable("motor", false));
    for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        CHECK(!tlog_group_enable(wrong[i], true));
    CHECK(tlog_group_enable("motors", true));
    trace_grouped(5);
    CHECK(next_free() == FIRST + SLOTS(1u));
    CHECK(tlog_group_enable("motor", true));
    trace_grouped(5);
    CHECK(next_free() == FIRST + 2u * SLOTS(1u) && tlog_dropped() == 0);
}

static void in_scope(void)
{
    TLOG_SPAN_SCOPE(work);
    trace_one_u8(1);
}

#if !TLOG_TRACEEVENTS

static void kinds(void)
{
    reset();
    trace_grouped(77);
    check_record(2, 0, 77);
    TLOG_SPAN_BEGIN(work);
    check_record(0, 1, 0);
    TLOG_SPAN_END(work);
    check_record(0, 2, 0);
    trace_empty();
    check_record(0, 0, 0);
    uint32_t before = next_free();
    in_scope();
    CHECK(next_free() == before + 3u);
    check_record(0, 2, 0);
}

int test_main(void)
{
    test_run("fields of up to 32 bits", small);
    test_run("groups, kinds, a span in a scope", kinds);
    test_run("groups are suppressed", groups);
    test_run("groups by name", groups_by_name);
    test_run("levels that are not compiled", levels);
    return test_end();
}

#else

TLOG_DEFINE_EVENT(one_u32, (u32, a))
TLOG_DEFINE_EVENT(one_i32, (i32, a))
TLOG_DEFINE_EVENT(two_u32, (u32, a), (hex32, b))
TLOG_DEFINE_EVENT(one_u64, (u64, a))
TLOG_DEFINE_EVENT(one_i64, (i64, a))
TLOG_DEFINE_EVENT(late_u64, (u8, a), (u64, b), (u8, c))
TLOG_DEFINE_EVENT(one_f64, (f64, a))
TLOG_DEFINE_EVENT(mixed, (u8, a), (i16, b), (u32, c))
TLOG_DEFINE_EVENT(gaps, (bool, a), (u16, b), (u8, c), (u32, d))
TLOG_DEFINE_EVENT(hexes, (hex16, a), (hex64, b))
TLOG_DEFINE_EVENT(enums, (enum32, a, IDLE), (flags16, b, RX, ERROR), (flags32, c, TX))
TLOG_DEFINE_EVENT(eight, (u32, a), (u32, b), (u32, c), (u32, d), (u32, e), (u32, f), (u32, g), (u32, h))
TLOG_DEFINE_EVENT(five, (u32, a), (u32, b), (u32, c), (u32, d), (u32, e))
TLOG_DEFINE_EVENT(seven, (u32, a), (u32, b), (u32, c), (u32, d), (u32, e), (u32, f), (u16, g))
TLOG_DEFINE_EVENT(nine, (u64, a), (u64, b), (u64, c), (u64, d), (u16, e))
TLOG_DEFINE_EVENT(bytes, (u16, before), (u8[3], mac), (u16, after))
TLOG_DEFINE_EVENT(many_bytes, (u8, before), (u8[10], data), (u8, after))
TLOG_DEFINE_EVENT(halves, (u8, before), (u16[3], data))
TLOG_DEFINE_EVENT(full, (u32[5], data))
TLOG_DEFINE_EVENT(longest, (u8[100], data), (u8, after))
TLOG_DEFINE_EVENT(pointer, (ptr, a))
TLOG_DEFINE_EVENT(text, (str, a))
TLOG_DEFINE_EVENT(text_behind, (u8, a), (str, b))
TLOG_DEFINE_EVENT(text_far, (u32, a), (u8, b), (str, c))

static void fields(void)
{
    WORDS(trace_one_u32(0x80000001), 0x80000001);
    WORDS(trace_one_i32(-1), 0xFFFFFFFF);
    WORDS(trace_two_u32(0x11111111, 0x22222222), 0x11111111, 0x22222222);
    WORDS(trace_one_u64(0x1122334455667788), 0x55667788, 0x11223344);
    WORDS(trace_one_i64(-2), 0xFFFFFFFE, 0xFFFFFFFF);
    WORDS(trace_late_u64(0xAA, 0x1122334455667788, 0xBB), 0xAA, 0x55667788, 0x11223344, 0xBB);
    WORDS(trace_one_f64(-2.25), 0, 0xC0020000);
    WORDS(trace_mixed(3, -120, 0xCAFE0001), 0xFF880003, 0xCAFE0001);
    WORDS(trace_gaps(true, 0x2222, 0x33, 0x44444444), 0x22220001, 0x33, 0x44444444);
    WORDS(trace_hexes(0xBEEF, 0x0123456789ABCDEF), 0xBEEF, 0x89ABCDEF, 0x01234567);
    WORDS(trace_enums(0x12345678, 0xFEDC, 0x9ABCDEF0), 0x12345678, 0xFEDC, 0x9ABCDEF0);
}

static void sizes(void)
{
    WORDS(trace_five(1, 2, 3, 4, 5), 1, 2, 3, 4, 5);
    WORDS(trace_seven(1, 2, 3, 4, 5, 6, 0xF007), 1, 2, 3, 4, 5, 6, 0xF007);
    WORDS(trace_eight(1, 2, 3, 4, 5, 6, 7, 8), 1, 2, 3, 4, 5, 6, 7, 8);
    WORDS(trace_nine(1, 2, 3, 4, 0xF005), 1, 0, 2, 0, 3, 0, 4, 0, 0xF005);
}

static void arrays(void)
{
    static const uint8_t some[10] = {0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19};
    static const uint16_t half[3] = {0x1111, 0x2222, 0x3333};
    static const uint32_t whole[5] = {1, 2, 3, 4, 0xFFFFFFFF};
    static uint8_t hundred[100];
    WORDS(trace_bytes(0xABCD, some, 0x4321), 0x1110ABCD, 0x43210012);
    WORDS(trace_many_bytes(0xEE, some, 0xFF), 0x121110EE, 0x16151413, 0xFF191817);
    WORDS(trace_halves(7, half), 0x11110007, 0x33332222);
    WORDS(trace_full(whole), 1, 2, 3, 4, 0xFFFFFFFF);
    for (uint32_t i = 0; i < 100u; i++)
        hundred[i] = (uint8_t)i;
    reset();
    trace_longest(hundred, 200);
    for (uint32_t i = 0; i < 25u; i++)
        CHECK(word(i) == 0x03020100u + i * 0x04040404u);
    CHECK(word(25) == 200u && next_free() == FIRST + TLOG_TRACE_SLOTS(AHEAD + 26u));
}

static void pointers(void)
{
    static int object;
    reset();
    trace_pointer(&object);
    CHECK(word(0) == (uint32_t)(uintptr_t)&object);
    CHECK(sizeof(void *) == 4 || word(1) == (uint32_t)((uint64_t)(uintptr_t)&object >> 32));
    CHECK(next_free() == FIRST + TLOG_TRACE_SLOTS(AHEAD + (uint32_t)sizeof(void *) / 4u));
}

/* The first slots hold one event: so many words ahead, and a text, which was cut at 63 characters. */
static void check_text(uint32_t ahead, const char *text, uint32_t length)
{
    const uint32_t kept = length < 63u ? length : 63u, words = kept / 4u + 1u;
    CHECK(next_free() == FIRST + TLOG_TRACE_SLOTS(ahead + words));
    for (uint32_t i = 0; i < TLOG_TRACE_SLOTS(ahead + words) * 2u - ahead; i++) {
        const uint32_t at = ahead + i, word = slot(FIRST + at / 2u)[at % 2u];
        for (uint32_t k = 0; k < 4u; k++)
            CHECK((word >> k * 8u & 0xFFu) == (4u * i + k < kept ? (unsigned char)text[4u * i + k] : 0));
    }
}

/* Texts of each length at each alignment, alone and behind one and two words. Bytes behind the NUL are not 0. */
static void check_lengths(unsigned char first, unsigned char step)
{
    static char room[84] __attribute__((aligned(8)));
    for (uint32_t i = 0; i < 79u * 4u; i++) {
        const uint32_t length = i / 4u;
        char *text = room + i % 4u;
        for (uint32_t k = 0; k < 80u; k++)
            text[k] = (char)(k == length ? 0 : first + (k * step) % 20u);
        reset();
        trace_text(text);
        check_text(AHEAD, text, length);
        reset();
        trace_text_behind(5, text);
        CHECK(word(0) == 5);
        check_text(AHEAD + 1u, text, length);
        reset();
        trace_text_far(5, 6, text);
        CHECK(word(0) == 5 && word(1) == 6);
        check_text(AHEAD + 2u, text, length);
        reset();
        TLOG_PRINTK("%s", text);
        check_text(1, text, length);
        CHECK((slot(FIRST)[TLOG_WORD_HEAD] & 0x3FFFFCFFu) == 0x10401u);
    }
}

static void texts(void)
{
    WORDS(trace_text(""), 0);
    WORDS(trace_text("abc"), 0x00636261);
    WORDS(trace_text("abcd"), 0x64636261, 0);
    WORDS(trace_text("abcdefghi"), 0x64636261, 0x68676665, 0x00000069);
    WORDS(trace_text(&"xabcdef"[1]), 0x64636261, 0x00006665);
    WORDS(trace_text(NULL), 0x6C756E28, 0x0000296C);
    WORDS(trace_text_behind(5, "abcd"), 5, 0x64636261, 0);
    check_lengths('A', 1);
    check_lengths(0xFFu - 19u, 1);
    check_lengths(0x80, 0);
    check_lengths(1, 0);
}

static void kinds(void)
{
    static const uint32_t value[] = {77};
    reset();
    trace_empty();
    check_event(0, 0, value, 0);
    reset();
    trace_grouped(77);
    check_event(2, 0, value, 1);
    reset();
    TLOG_SPAN_BEGIN(work);
    check_event(0, 1, value, 0);
    reset();
    TLOG_SPAN_END(work);
    check_event(0, 2, value, 0);
    reset();
    in_scope();
    CHECK(next_free() == FIRST + 2u + SLOTS(1u));
    CHECK(head_is(slot(FIRST)[TLOG_WORD_HEAD], 0, 1, 0));
    CHECK(head_is(slot(FIRST + 1u)[TLOG_WORD_HEAD], 0, 0, SLOTS(1u) == 1u ? 0 : 1u));
    CHECK(head_is(slot(next_free() - 1u)[TLOG_WORD_HEAD], 0, 2, 0));
}

static void suppressed(void)
{
    reset();
    tlog_filter_group(0, true);
    trace_text("abc");
    trace_eight(1, 2, 3, 4, 5, 6, 7, 8);
    trace_nine(1, 2, 3, 4, 5);
    TLOG_SPAN_BEGIN(work);
    TLOG_COUNTER(depth, 5);
    CHECK(next_free() == FIRST && tlog_dropped() == 0);
}

/* Events of each size where the ring is not open, and where the rest of the lap has no room for them. */
static void slow(void)
{
    for (uint32_t used = 0; used <= TLOG_SLOTS; used++) {
        reset();
#ifdef __arm__ /* the host's port reads the clock of a ring that is not open */
        tlog_cpu0 = (struct tlog_cpu)TLOG_CPU_INIT(tlog_cpu0.ring);
#endif
        for (uint32_t i = 0; i < used; i++)
            trace_one_u8(1);
        trace_one_u32(2);
        trace_two_u32(3, 4);
        trace_full((const uint32_t[]){5, 6, 7, 8, 9});
        trace_seven(1, 2, 3, 4, 5, 6, 7);
        trace_nine(1, 2, 3, 4, 5);
        trace_text("a text of several words");
        trace_text("abc");
        trace_text("a text, five words");
        trace_text_behind(1, "abcdef");
        CHECK(tlog_dropped() == 0);
    }
}

/* Texts: DEBUG is above TLOG_LEVEL, the others are suppressed one by one. */
static void text_levels(void)
{
    reset();
    TLOG_DEBUG("never %u", 1u);
    CHECK(next_free() == FIRST);
    TLOG_ERROR("one");
    TLOG_WARNING("two %u", 2u);
    TLOG_INFO("three %u", 3u);
    CHECK(next_free() == FIRST + 3u && slot(FIRST + 2u)[1] == 3u);
    tlog_filter_level(TLOG_LEVEL_WARNING, true);
    tlog_filter_level(TLOG_LEVEL_INFO, true);
    tlog_filter_level(0, true);
    tlog_filter_level(5, true);
    TLOG_INFO("no");
    TLOG_WARNING("no");
    TLOG_ERROR("yes");
    CHECK(next_free() == FIRST + 4u);
    tlog_filter_level(TLOG_LEVEL_INFO, false);
    TLOG_INFO("yes");
    TLOG_WARNING("no");
    CHECK(next_free() == FIRST + 5u);
    tlog_filter_level(TLOG_LEVEL_WARNING, false);
    TLOG_WARNING("yes");
    CHECK(next_free() == FIRST + 6u);
}

int test_main(void)
{
    test_run("fields of up to 32 bits", small);
    test_run("texts of levels", text_levels);
    test_run("fields of every type", fields);
    test_run("events of every size", sizes);
    test_run("arrays", arrays);
    test_run("pointers", pointers);
    test_run("texts", texts);
    test_run("groups, kinds, a span in a scope", kinds);
    test_run("groups are suppressed", groups);
    test_run("groups by name", groups_by_name);
    test_run("events of every size are suppressed", suppressed);
    test_run("levels that are not compiled", levels);
    test_run("events that go the slow way", slow);
    return test_end();
}

#endif
