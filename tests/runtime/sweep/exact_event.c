/* exact_event.c - compares the memory of a ring with traceevents after every call, word by word, with what
 * target/FORMAT.md says.
 *
 * No interrupts come here. runtime/sweep/model.c computes what the memory must hold; each test tells it what a call
 * does. */
#include "calls.h"
#include "model.h"
#include "lib/test.h"
#include "lib/irq.h"
#include "tlog.h"

enum { CONTROL = 1, USER = 6, COMM = 7, OWN = 12, PRINTK = 0x101 };

/* Numbers in which each bit is set and clear. */
static uint32_t any(uint32_t i)
{
    static const uint32_t some[] = {0xFFFFFFFFu, 0, 0x5A0FA5F0u, 0xA5F05A0Fu, 0x80008001u};
    return some[i % (sizeof(some) / sizeof(some[0]))];
}

static uint32_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 16) % limit;
}

static uint32_t left; /* the value in registers without an argument */

/* Makes a call with the value `left` in every register that holds no argument. After the call instruction stand two
 * NOPs, which look like a free slot if tlog takes its return address for a cursor. */
static uint32_t call_with(uintptr_t call, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    register uint32_t r0 __asm("r0") = a, r1 __asm("r1") = b, r2 __asm("r2") = c, r3 __asm("r3") = d;
    register uint32_t r5 __asm("r5") = left;
    register uintptr_t to __asm("r4") = call;
    __asm volatile(
        "mov r6, r5\n\tmov r7, r5\n\tmov r8, r5\n\tmov r9, r5\n\tmov r10, r5\n\tmov r11, r5\n\tmov r12, r5\n\t"
        "mov lr, r5\n\tblx r4\n\tnop\n\tnop\n\t"
        : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)
        : "r"(r5), "r"(to)
        : "r6", "r7", "r8", "r9", "r10", "r11", "r12", "lr", "cc", "memory");
    const uint32_t result = r0, also = r1; /* before another call takes these registers */
    left = any(left + also + model.index);
    return result;
}

/* ---- the calls of the sweeps ------------------------------------------------------------------------------------- */

static bool is_name(const char *a, const char *b)
{
    for (; *a == *b; a++, b++)
        if (*a == 0)
            return true;
    return false;
}

static void expect_fast(uint32_t n)
{
    expect_record(0x8009u, (n ^ 0x5A00u) & 0xFFFFu, n);
}

static void expect_09(uint32_t n)
{
    expect_record(0x09, (n ^ 0x5A00u) & 0xFFFFu, n);
}

static void expect_refused(uint32_t n)
{
    (void)n;
    expect_loss();
}

static void expect_event(uint32_t n)
{
    expect_words(USER, 1, (const uint32_t[]){n, ~n}, 2);
}

static void expect_any(uint32_t n)
{
    if (sweep_class - 1u < 31u && sweep_event < 0x400u)
        expect_words(sweep_class, sweep_event, (const uint32_t[]){n, ~n}, 2);
    else
        expect_loss();
}

static void expect_inline(uint32_t n)
{
    expect_words(USER, 1, (const uint32_t[]){n, ~n, n + 0x100u, n - 1u, n + 0x200u}, 5);
}

static void expect_any_words(uint32_t n)
{
    expect_words(USER, 1, (const uint32_t[]){n, ~n, n + 0x100u, n - 1u, n + 0x200u, n - 2u, n + 0x300u, n - 3u}, 8);
}

/* An event of these bytes, filled up with zeros to whole words. */
static void expect_bytes(uint32_t class, uint32_t event, const char *bytes, uint32_t count)
{
    uint32_t words[224] = {0};
    for (uint32_t i = 0; i < count; i++)
        words[i / 4u] |= (uint32_t)(unsigned char)bytes[i] << i % 4u * 8u;
    expect_words(class, event, words, (count + 3u) / 4u);
}

static void expect_text(uint32_t n)
{
    const char c = (char)(n + 1u), bytes[16] = {c, 1, 1, 1, c, 1, 1, 1, c, 1, 1, 1, c, 1, 1, 0};
    expect_bytes(USER, 2, bytes, c == 0 ? 1u : 16u);
}

static void expect_three(uint32_t n)
{
    expect_words(USER, 1, (const uint32_t[]){n, ~n, n + 0x100u}, 3);
}

/* Where the formats of the four TLOG_PRINTK calls below are: taken from the runtime's first events, and all different.
 */
enum { FORMATS = 4, FORMATS_END = 128 };
static uint32_t format_at[FORMATS];

/* Own events: each is the first one of its group. */
static void expect_own_two(uint32_t n)
{
    expect_words(OWN, 0, (const uint32_t[]){n, ~n}, 2);
}

static void expect_own_four(uint32_t n)
{
    expect_words(OWN + 1, 0, (const uint32_t[]){n, (n & 0xFFu) | n << 16, n + 0x100u, n - 1u}, 4);
}

static void expect_print(uint32_t n)
{
    expect_words(CONTROL, PRINTK, (const uint32_t[]){format_at[0], n}, 2);
}

static void expect_print_two(uint32_t n)
{
    expect_words(CONTROL, PRINTK, (const uint32_t[]){format_at[1], n, ~n}, 3);
}

static void expect_print_six(uint32_t n)
{
    expect_words(CONTROL, PRINTK, (const uint32_t[]){format_at[2], n, ~n, n + 1u, n + 2u, n + 3u, n + 4u}, 7);
}

static void expect_print_many(uint32_t n)
{
    expect_words(CONTROL, PRINTK, (const uint32_t[]){format_at[3], n, ~n, 0x74786574u, 0}, 5);
}

static const struct {
    const char *name;
    void (*expect)(uint32_t n);
    uint32_t class; /* 0: a record */
} by_name[] = {
    {"TRACER_LOGEVENT", expect_09, 0},
    {"FAST_TRACER_LOGEVENT", expect_fast, 0},
    {"tlog_record_call", expect_09, 0},
    {"TRACER_LOGEVENT of any code", expect_09, 0},
    {"tlog_record_emergency", expect_09, 0},
    {"tlog_record_call refused", expect_refused, 0},
    {"tlog_event", expect_event, USER},
    {"tlog_event of any class", expect_any, USER},
    {"tlog_event_words", expect_inline, USER},
    {"tlog_event_words of any count", expect_any_words, USER},
    {"tlog_event_text", expect_text, USER},
    {"trace_logi", expect_event, USER},
    {"trace_logb", expect_three, USER},
    {"own event", expect_own_two, OWN},
    {"own event of four words", expect_own_four, OWN + 1},
    {"TLOG_PRINTK", expect_print, CONTROL},
    {"TLOG_PRINTK of two words", expect_print_two, CONTROL},
    {"TLOG_PRINTK of six words", expect_print_six, CONTROL},
    {"TLOG_PRINTK of a text", expect_print_many, CONTROL},
};
enum { KNOWN = sizeof(by_name) / sizeof(by_name[0]) };

/* The sweep's call with the name of by_name[known]. */
static const struct sweep_call *call_of(uint32_t known)
{
    const struct sweep_call *call = sweep_calls;
    while (call < sweep_calls + sweep_call_count - 1u && !is_name(call->name, by_name[known].name))
        call++;
    return call;
}

static void log_by(uint32_t known, uint32_t n)
{
    model_format();
    call_with((uintptr_t)call_of(known)->call, n, left, left, left);
    by_name[known].expect(n);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void every_call_is_known(void)
{
    for (uint32_t call = 0, logging = 0; call < sweep_call_count; call++) {
        logging += (sweep_calls[call].flags & SWEEP_LOGS) != 0;
        CHECK(call + 1u < sweep_call_count || logging == KNOWN);
    }
    for (uint32_t known = 0; known < KNOWN; known++)
        CHECK(is_name(call_of(known)->name, by_name[known].name));
    for (uint32_t i = 0; i < FORMATS; i++) {
        model_begin(8, 1, 1);
        log_by(KNOWN - FORMATS + i, 1);
        format_at[i] = *model_slot(2);
        CHECK(format_at[i] - 1u < FORMATS_END);
        for (uint32_t before = 0; before < i; before++)
            CHECK(format_at[i] != format_at[before]);
    }
}

static void opening(void)
{
    for (uint32_t i = 0; i < 5u && !test_has_failed(); i++) {
        model_begin(i + 1u, any(i), 5);
        model_format();
        tlog_start();
        expect_start();
        model_check();
    }
    for (uint32_t known = 0; known < 4u * KNOWN && !test_has_failed(); known++) {
        model_begin(known / KNOWN + 1u, 1, 0x90000000u);
        log_by(known % KNOWN, known);
        model_check();
    }
}

/* Each call on each slot of some laps, while the clock stands still, moves, and wraps. */
static void each_slot(uint32_t known, uint64_t clock, uint32_t step)
{
    model_begin_late(8, clock);
    for (uint32_t i = 0; i <= 24u && !test_has_failed(); i++) {
        log_by(known, any(i));
        model_check();
        model_set_clock(model.clock + step);
    }
}

static void each_call(void)
{
    for (uint32_t known = 0; known < KNOWN && !test_has_failed(); known++) {
        test_note("call", known);
        each_slot(known, 1, 0);
        each_slot(known, 0x455555555u, 0x01010101u);
        each_slot(known, 0x3FFFFFFF80000003u, 0x7FFFFFF1u);
        each_slot(known, 0x3FFFFFFF7FFFFFF0u, 0x20);
    }
}

/* Words that all differ. */
static uint32_t *some_words(uint32_t count)
{
    static uint32_t words[225];
    for (uint32_t i = 0; i < count && i < 225u; i++)
        words[i] = any(i + model.index) ^ i * 0x9E3779B9u;
    return words;
}

static void log_words(uint32_t class, uint32_t event, uint32_t count)
{
    const uint32_t *words = some_words(count);
    model_format();
    call_with((uintptr_t)tlog_event_words_any, class, event, (uint32_t)(uintptr_t)words, count);
    if (class - 1u < 31u && event < 0x400u && count <= 224u)
        expect_words(class, event, words, count);
    else
        expect_loss();
}

/* Every number of words, in rings that are just large enough for it, and just too small. */
static void sizes(void)
{
    for (uint32_t count = 0; count <= 225u && !test_has_failed(); count++) {
        uint32_t n = count <= 2u ? 1u : (count + 1u) / 2u;
        test_note("count", count);
        for (uint32_t more = n > 1u ? 1 : 2; more <= 4u && !test_has_failed(); more++) {
            model_begin_late(n + more <= MODEL_MOST ? n + more : MODEL_MOST, any(count));
            for (uint32_t i = 0; i < 3u; i++)
                log_words(USER, 1 + i, count);
            model_check();
        }
    }
}

/* Events of up to 17 slots at every distance from the end of a lap. */
static void places(void)
{
    for (uint32_t n = 1; n <= 17u && !test_has_failed(); n++)
        for (uint32_t before = 0; before <= n + 3u && !test_has_failed(); before++) {
            test_note("slots", n);
            model_begin_late(n + 5u, 0x1FFFFFFF0u);
            for (uint32_t i = 0; i < before; i++)
                log_words(31, 0x3FF, 2);
            model_set_clock(model.clock + before % 2u * 0x20u); /* half a wrap, or none */
            log_words(1u + n, (before % 2u ? 0x180u : 0x100u) + n, 2u * n - before / 2u % 2u);
            model_check();
        }
}

static void sizes_at_the_end(void)
{
    model_is_last = true;
    sizes();
    places();
    model_is_last = false;
}

/* Bit i of `owned`: the slot i slots behind that one gets an owner (an interrupted writer), or its owner finishes. */
static void toggle_owned(uint32_t index, uint32_t owned)
{
    for (uint32_t i = 0; i < 18u; i++)
        if (owned >> i & 1u && index + i <= model.slots)
            model_toggle(index + i);
}

/* One, two or more of the slots that an event would take have an owner that has not finished: they are passed, or the
 * event is lost if there is no other place for it. */
static void owned_by(uint32_t known, uint32_t n, uint32_t owned)
{
    model_begin_late(n + 6u, 1);
    log_words(USER, 1, 2);
    model_clear();
    const uint32_t first = model.index;
    toggle_owned(first, owned);
    for (uint32_t i = 0; i < 4u; i++) {
        if (i == 2u)
            toggle_owned(first, owned);
        if (known < KNOWN)
            log_by(known, any(i));
        else
            log_words(USER, 1, 2u * n - owned % 2u);
        model_check();
    }
}

/* A lap whose first slots have owners begins without the slots that state the time. */
static void owned_at_first(uint32_t owned)
{
    model_begin_late(6, 0x1FFFFFFF0u);
    while (model.index <= model.slots)
        log_words(USER, 1, 2);
    for (uint32_t i = 0; i < 3u; i++)
        if (owned >> i & 1u)
            model_toggle(1u + i);
    for (uint32_t i = 0; i < 3u; i++) {
        log_words(USER, 1, 2u * i + 1u);
        model_check();
    }
}

static void owned(void)
{
    for (uint32_t i = 0; i < 8u && !test_has_failed(); i++)
        owned_at_first(i);
    for (uint32_t n = 1; n <= 17u && !test_has_failed(); n++)
        for (uint32_t i = 0; i < 2u * n && !test_has_failed(); i++) {
            test_note("slots", n);
            test_note("owned", i);
            owned_by(KNOWN, n, i < n ? 1u << i : (2u << i % n | 1u << i % n));
        }
    for (uint32_t known = 0; known < KNOWN && !test_has_failed(); known++)
        for (uint32_t i = 1; i < 16u && !test_has_failed(); i++) {
            test_note("call", known);
            owned_by(known, 3, i);
        }
}

/* All kinds of class and event numbers, also invalid ones: what is not logged is counted as lost. */
static void numbers(void)
{
    static const uint32_t events[] = {0, 1, 0x80, 0xFF, 0x100, 0x2FE, 0x3FF, 0x400, 0x401, 0x80000001u, 0xFFFFFFFFu};
    for (uint32_t class = 0; class <= 34u && !test_has_failed(); class ++)
        for (uint32_t i = 0; i < sizeof(events) / sizeof(events[0]) && !test_has_failed(); i++) {
            test_note("class", class);
            test_note("event", events[i]);
            model_begin_late(12, 3);
            sweep_class = class < 34u ? class : 0x10001u;
            sweep_event = events[i];
            log_by(7, any(i));
            log_words(sweep_class, events[i], 1);
            log_words(sweep_class, events[i], 5);
            model_check();
        }
    sweep_class = USER;
    sweep_event = 1;
}

/* What QNX's calls refuse is neither logged nor counted. */
static int log_bytes(uint32_t class, uint32_t event, const char *bytes, uint32_t count)
{
    return (int)call_with((uintptr_t)trace_logbc, class, event, (uint32_t)(uintptr_t)bytes, count);
}

static void bytes_and_texts(void)
{
    static char bytes[904];
    for (uint32_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(i % 251u + 1u);
    for (uint32_t count = 0; count <= 900u && !test_has_failed(); count += count == 24u ? 861u : 1u) {
        char *from = bytes + count % 4u, was = from[count];
        const bool fits = count <= 896u;
        const uint32_t class = count % 2u ? 31u : COMM;
        test_note("count", count);
        model_begin_late(MODEL_MOST, 3);
        CHECK(log_bytes(class << 10 | 0x3FFu, 0x3FF, from, count) == (fits ? 0 : -1));
        if (fits)
            expect_bytes(class, 0x3FF, from, count);
        CHECK((int)call_with((uintptr_t)trace_logb, count, (uint32_t)(uintptr_t)from, count, left) == (fits ? 0 : -1));
        if (fits)
            expect_bytes(USER, count, from, count);
        model_check();
        from[count] = 0;
        CHECK((int)call_with((uintptr_t)trace_logs, 0x100u + count % 4u, (uint32_t)(uintptr_t)from, left, left) == 0);
        expect_bytes(USER, 0x100u + count % 4u, from, count < 895u ? count + 1u : 895u);
        call_with((uintptr_t)tlog_event_text, 31, count, (uint32_t)(uintptr_t)from, left);
        expect_bytes(31, count, from, count < 895u ? count + 1u : 895u);
        from[count] = was;
        model_check();
    }
    for (uint32_t i = 0; i < 5u && !test_has_failed(); i++) {
        static const uint32_t bad[][2] = {{0x3FF, 1}, {32u << 10, 1}, {USER << 10, 0x400}, {USER << 10, ~0u}, {~0u, 1}};
        CHECK(log_bytes(bad[i][0], bad[i][1], bytes, 4) == -1);
        CHECK(bad[i][0] != USER << 10 || trace_logb((int)bad[i][1], bytes, 4) == -1);
        CHECK(bad[i][0] != USER << 10 || trace_logs((int)bad[i][1], bytes) == -1);
        CHECK(bad[i][0] != USER << 10 || trace_logi((int)bad[i][1], 1, 2) == -1);
        model_check();
    }
}

static uint32_t bit_of(uint32_t class)
{
    return 1u << (class < 16u ? 15u + class : 31u);
}

/* Only the bit of its class keeps a call from recording; for classes from 16 on it is the bit that disables all. */
static void filters(void)
{
    for (uint32_t known = 0; known < KNOWN && !test_has_failed(); known++) {
        const uint32_t class = by_name[known].class;
        if (class == 0)
            continue;
        test_note("call", known);
        model_begin_late(20, 1);
        tlog_cpu0.filter = bit_of(class);
        call_with((uintptr_t)call_of(known)->call, 1, left, left, left);
        model_check();
        tlog_cpu0.filter = ~bit_of(class);
        log_by(known, any(known));
        model_check();
    }
    for (uint32_t class = 0; class <= 40u && !test_has_failed(); class ++)
        for (uint32_t count = 1; count <= 36u && !test_has_failed(); count += 7u) {
            test_note("class", class);
            model_begin_late(20, 1);
            sweep_class = class;
            tlog_cpu0.filter = bit_of(class);
            call_with((uintptr_t)tlog_event_words_any, class, 1, (uint32_t)(uintptr_t)some_words(count), count);
            call_with((uintptr_t)call_of(7)->call, 1, left, left, left);
            model_check();
            tlog_cpu0.filter = ~bit_of(class);
            log_words(class, 1, count);
            log_by(7, class);
            model_check();
        }
    sweep_class = USER;
    tlog_cpu0.filter = 0;
}

/* tlog_filter_class() suppresses one of the classes 1..15. */
static void classes(void)
{
    for (uint32_t class = 0; class <= 40u && !test_has_failed(); class ++) {
        model_begin_late(8, 1);
        call_with((uintptr_t)tlog_filter_class, class, 1, left, left);
        CHECK(tlog_cpu0.filter == (class - 1u < 15u ? bit_of(class) : 0));
        call_with((uintptr_t)tlog_filter_class, class, 0, left, left);
        CHECK(tlog_cpu0.filter == 0);
        model_check();
    }
}

static bool has_owner[21]; /* of each slot, the first one being 1 */
static uint32_t owner_count, most_owners;

/* One random step: any call may follow any other one, in rings that stop and go on, with a clock that stands still,
 * moves, and wraps, and with owners that do not finish for a while. */
static void step(void)
{
    static const uint32_t ahead[] = {0, 1, 0x10000, 0x7FFFFFFFu};
    const bool many = most_owners > 8u; /* than notes: most of them stay */
    uint32_t what = random_below(KNOWN + (many ? 24u : 8u));
    if (random_below(4) > 0 && model_knows_time()) /* tlog cannot know of a wrap that passed without a call */
        model_set_clock(model.clock + ahead[random_below(16) == 0 ? 3 : random_below(3)]);
    if (what < KNOWN) {
        log_by(what, any(what + model.index));
    } else if (what < KNOWN + 5u) {
        log_words(1u + random_below(31), random_below(1024), random_below(model.slots * 2u));
    } else if (what == KNOWN + 5u) {
        model_format();
        expect_start();
        tlog_tick();
        expect_tick();
    } else if (what == KNOWN + 6u && model.lap > 0) {
        model_set_stop(random_below(3) == 0);
    } else if (model.lap > TLOG_FORMS) { /* no slot of lap 1 has an owner of an earlier lap */
        uint32_t slot = 1u + random_below(model.slots);
        while (owner_count == most_owners && !has_owner[slot])
            slot = slot % model.slots + 1u;
        if (many && has_owner[slot] && random_below(8) > 0)
            return;
        owner_count -= has_owner[slot];
        has_owner[slot] = model_toggle(slot);
        owner_count += has_owner[slot];
    }
}

static void anything(void)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 5, 8, 13, 20};
    static const uint32_t owners[] = {1, 3, 12}; /* the last one is more than there are notes */
    enum { SIZES = sizeof(sizes) / sizeof(sizes[0]), RUNS = 3 * SIZES };
    for (uint32_t i = 0; i < RUNS && !test_has_failed(); i++) {
        test_note("slots", sizes[i % SIZES]);
        model_begin(sizes[i % SIZES], 3, i % 2u * 0x7FFFFFFFu);
        most_owners = owners[i / SIZES] < model.slots ? owners[i / SIZES] : model.slots;
        for (uint32_t slot = 0; slot < sizeof(has_owner) / sizeof(has_owner[0]); slot++)
            has_owner[slot] = false;
        owner_count = 0;
        for (uint32_t n = 0; n < 400u && !test_has_failed(); n++) {
            test_note("step", n);
            step();
            model_check();
        }
    }
}

void sweep_exact(void)
{
    static void (*const tests[])(void) = {every_call_is_known, opening, each_call, sizes,
                                          sizes_at_the_end,    places,  owned,     numbers,
                                          bytes_and_texts,     filters, classes,   anything};
    const struct tlog_ring *usual = tlog_cpu0.ring;
    for (uint32_t i = 0; i < sizeof(tests) / sizeof(tests[0]) && !test_has_failed(); i++) {
        test_note("test", i);
        tests[i]();
    }
    tlog_cpu0 = (struct tlog_cpu)TLOG_CPU_INIT(usual);
    tlog_ring_boot = 0;
}
