/* sweep_exact_event.c - the memory of a ring with traceevents, word by word, as target/FORMAT.md says it is after every call.
 *
 * Nothing interrupts here. A chunk as it is to be is written beside the one the runtime writes: events, the slots that tell
 * the time, pads, losses and the records that tell of them. Both were the same noise before, also around the chunk; so
 * nothing is written wrong, nor anything else. The ring is one of the test's own, of any size. */
#include "sweep.h"
#include "sweep_read.h"
#include "test.h"
#include "test_irq.h"
#include "tlog.h"

extern const uint32_t tlog_build_id[2] __attribute__((weak));

enum { BOOT = 9, CRC = 15, FLAGS = 17, LOST_AT = 19, CURSOR = 24, LAP, DROPPED, REPORTED, HEADER };
enum { GUARD = 12, MOST = 116, END = 4, SEAL = 8, STOP = 8 };
enum { WORDS = GUARD + HEADER + 4 * MOST + END + SEAL + 4 + GUARD };
enum { TIME = 0x001, BUFFER = 0x002, PRINTK = 0x101, PAD = 0x102, CONTROL = 1, USER = 6, COMM = 7 };

static uint32_t memory[WORDS] __attribute__((aligned(16))), model[WORDS];
static uint32_t *const chunk = model + GUARD;
static struct tlog_ring ring = TLOG_RING(memory + GUARD, 0, 8u, 0u, 1u, TLOG_ROLE_EVENTS, false);

static struct {
    uint32_t slots, index, lap; /* lap 0: the ring is not opened */
    bool is_parked;
    uint64_t clock, halves; /* halves: of wraps of the clock, as far as the runtime knows */
} is;

/* ---- what is to be ------------------------------------------------------------------------------------------------- */

static uint32_t low(void)
{
    return (uint32_t)is.clock;
}

static uint32_t tag(void)
{
    return is.lap % 2u ? 0x100u : 0x200u;
}

/* Words of a chunk of so many slots, the seal included. */
static uint32_t size_of(uint32_t slots)
{
    uint32_t groups = (slots + 31u) / 32u;
    return HEADER + 4u * slots + END + SEAL + (groups + 3u) / 4u * 4u;
}

static uint32_t crc(const uint32_t *words, uint32_t count)
{
    uint32_t crc = ~0u;
    for (uint32_t bit = 0; bit < count * 32u; bit++)
        crc = ((crc ^ words[bit / 32u] >> bit % 32u) & 1u) != 0 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    return ~crc;
}

static void put_slot(uint32_t word0, uint32_t word1, uint32_t word2, uint32_t word3)
{
    uint32_t *slot = chunk + HEADER + 4u * (is.index++ - 1u);
    slot[0] = word0 | tag();
    slot[1] = word1;
    slot[2] = word2;
    slot[3] = word3;
}

static uint32_t event_word(uint32_t class, uint32_t event)
{
    return (event >> 8) << 16 | class << 10 | (event & 0xFFu);
}

static uint32_t wraps(void)
{
    return (uint32_t)(is.halves / 2u);
}

static void put_reference(void)
{
    put_slot(event_word(CONTROL, BUFFER), low(), is.lap & 0x3FFFFFu, is.slots);
    put_slot(event_word(CONTROL, TIME), low(), wraps(), low());
}

static void expect_start(void)
{
    const uint32_t boot = chunk[BOOT], words[] = {
        0x00D6B7EDu, 0x474F4C54u, 1u | 112u << 16 | 4u << 24, 1u << 24,      (uint32_t)(uintptr_t)(memory + GUARD),
        is.slots,    0,           size_of(is.slots) * 4u,     TLOG_CLOCK_HZ, boot == ~0u ? 1u : boot + 1u};
    if (is.lap > 0)
        return;
    for (uint32_t i = 0; i < size_of(is.slots); i++)
        chunk[i] = i < 10u ? words[i] : i < 12u && tlog_build_id ? tlog_build_id[i - 10u] : i > HEADER ? chunk[i] : 0;
    chunk[CRC] = crc(chunk, CRC);
    chunk[FLAGS] = ring.last_flags;
    for (uint32_t i = 0; i < is.slots; i++)
        chunk[HEADER + 4u * i] = 0x200u;
    for (uint32_t i = HEADER + 4u * is.slots; i < size_of(is.slots); i++)
        chunk[i] = i == HEADER + 4u * is.slots ? 0x300u : 0;
    is.lap = is.index = 1;
    if (is.slots > 2u)
        put_reference();
}

/* Whether the runtime knows in which half of a wrap the clock is. */
static bool knows_time(void)
{
    return is.clock >> 31 == is.halves;
}

static bool is_closed(void)
{
    return is.is_parked || is.index > is.slots;
}

static void expect_words(uint32_t class, uint32_t event, const uint32_t *words, uint32_t count);
static bool expect_ready(bool is_telling);

static void expect_tick(void)
{
    if (knows_time())
        return;
    is.halves++;
    if (is.halves % 2u == 0)
        expect_words(CONTROL, TIME, (const uint32_t[]){wraps(), low()}, 2);
}

static void expect_loss(void)
{
    expect_start();
    expect_tick();
    if (chunk[DROPPED]++ == chunk[REPORTED])
        chunk[LOST_AT] = low();
    is.is_parked = true;
}

static void expect_record(uint32_t code, uint32_t par1, uint32_t par2)
{
    put_slot(par1 << 16 | code, wraps() | (low() & 0x80000000u), low(), par2);
}

/* Of the two records that tell of a loss what finds no room is told later. */
static void expect_telling(void)
{
    uint32_t count = chunk[DROPPED] - chunk[REPORTED], ticks = low() - chunk[LOST_AT];
    chunk[REPORTED] = chunk[DROPPED];
    if (expect_ready(true))
        expect_record(0x40, 0, ticks);
    else
        is.is_parked = true;
    if (expect_ready(true)) {
        expect_record(0x50, 0, count);
    } else {
        chunk[REPORTED] -= count;
        is.is_parked = true;
    }
    is.is_parked |= chunk[DROPPED] != chunk[REPORTED];
}

/* What is closed is opened: where it was parked, or in the next lap. False: it has stopped. */
static bool expect_opening(bool is_telling)
{
    bool was_parked = is.is_parked;
    if (is.index > is.slots && chunk[FLAGS] & STOP)
        return false;
    is.is_parked = false;
    if (is.index > is.slots) {
        is.lap++;
        is.index = 1;
        if (is.slots > 2u && knows_time())
            put_reference();
    }
    if (was_parked && !is_telling && chunk[DROPPED] != chunk[REPORTED])
        expect_telling();
    return true;
}

/* Room for one slot at the present time. */
static bool expect_ready(bool is_telling)
{
    expect_start();
    while (is_closed() || !knows_time()) {
        if (!is_closed())
            expect_tick();
        else if (!expect_opening(is_telling))
            return false;
    }
    return true;
}

/* Room for n slots side by side. A lap that is too short for what is left of it is filled up with pads. */
static bool expect_room(uint32_t n)
{
    const uint32_t most = is.slots > 2u ? is.slots - 2u : is.slots;
    expect_start();
    for (;;) {
        bool fits = !is_closed() && is.index + n - 1u <= is.slots;
        if (fits && knows_time())
            return true;
        if (n > most || (is_closed() && !expect_opening(false)))
            return false;
        if (!is_closed())
            expect_tick();
        while (!is_closed() && is.index + n - 1u > is.slots && n <= most)
            put_slot(event_word(CONTROL, PAD), low(), 0, 0);
    }
}

static void expect_words(uint32_t class, uint32_t event, const uint32_t *words, uint32_t count)
{
    const uint32_t n = count <= 2u ? 1u : (count + 1u) / 2u;
    if (!expect_room(n)) {
        expect_loss();
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t part = n == 1u ? 0u : i == 0 ? 1u : i + 1u < n ? 2u : 3u;
        put_slot(part << 30 | event_word(class, event), low(), 2u * i < count ? words[2u * i] : 0,
                 2u * i + 1u < count ? words[2u * i + 1u] : 0);
    }
}

/* ---- what is ------------------------------------------------------------------------------------------------------- */

static void check_memory(void)
{
    if (is.lap > 0) {
        chunk[CURSOR] = is.index << 16 | (is.is_parked ? 0x300u : tag());
        chunk[LAP] = is.lap << 10 | tag();
    }
    for (uint32_t at = 0; at < 2u * GUARD + size_of(is.slots) && !test_has_failed(); at++)
        if (memory[at] != model[at]) {
            test_note("word", at - GUARD);
            test_note("is", memory[at]);
            test_note("expected", model[at]);
            test_note("index", is.index);
            test_fail(__FILE__, __LINE__, "a word of the ring");
        }
    if (test_has_failed() || is.lap == 0)
        return;
    CHECK(tlog_cpu0.high == (wraps() | (uint32_t)(is.halves & 1u) << 31));
    CHECK(tlog_cpu0.cursor == memory + GUARD + CURSOR && tlog_cpu0.clock == test_clock && tlog_cpu0.ring == &ring);
    CHECK(tlog_cpu0.muted == 0 && tlog_dropped() == chunk[DROPPED]);
}

static void set_clock(uint64_t clock)
{
    is.clock = clock;
    test_clock_set((uint32_t)clock);
}

static void set_stop(bool stops)
{
    chunk[FLAGS] = memory[GUARD + FLAGS] = stops ? STOP : 0;
}

/* A ring of so many slots, not opened yet, in memory full of noise, in which a run of that number stood. */
static void begin(uint32_t slots, uint32_t boot, uint64_t clock)
{
    for (uint32_t i = 0; i < WORDS; i++)
        model[i] = memory[i] = 0xDEADBEEFu ^ i * 0x9E3779B9u;
    ring.pattern[5] = is.slots = slots;
    ring.pattern[7] = size_of(slots) * 4u;
    model[GUARD + BOOT] = memory[GUARD + BOOT] = boot;
    tlog_cpu0 = (struct tlog_cpu)TLOG_CPU_INIT(&ring);
    tlog_ring_boot = 0;
    is.lap = 0;
    is.is_parked = false;
    is.halves = 0;
    set_clock(clock);
    if (slots > MOST)
        test_fail(__FILE__, __LINE__, "slots");
}

/* As if it had gone round and round before, until that time. */
static void begin_late(uint32_t slots, uint64_t clock)
{
    begin(slots, 7, 5);
    tlog_start();
    expect_start();
    memory[GUARD + LAP] += 0x1FFFF0u << 10;
    is.lap += 0x1FFFF0u;
    set_clock(clock);
    is.halves = clock >> 31;
    tlog_cpu0.high = wraps() | (uint32_t)(is.halves & 1u) << 31;
}

/* Numbers with each bit set and clear. */
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

static uint32_t left; /* what is left in registers */

/* A call that finds that in every register that a caller need not keep and that bears no argument. Where it returns to
 * stands what looks like a free slot, should it take its return address for one. */
static uint32_t call_with(uintptr_t call, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    register uint32_t r0 __asm("r0") = a, r1 __asm("r1") = b, r2 __asm("r2") = c, r3 __asm("r3") = d;
    register uintptr_t to __asm("r4") = call;
    __asm volatile("mov r12, %[left]\n\tmov lr, %[left]\n\tblx %[to]\n\tnop\n\tnop\n\t"
                   : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)
                   : [left] "r"(left), [to] "r"(to)
                   : "r12", "lr", "cc", "memory");
    left = any(left + r1 + is.index);
    return r0;
}

/* ---- the calls of the sweeps --------------------------------------------------------------------------------------- */

static bool is_name(const char *a, const char *b)
{
    for (; *a == *b; a++, b++)
        if (*a == 0)
            return true;
    return false;
}

static void expect_fast(uint32_t n)
{
    if (expect_ready(false))
        expect_record(0x8009u, (n ^ 0x5A00u) & 0xFFFFu, n);
    else
        expect_loss();
}

static void expect_09(uint32_t n)
{
    if (expect_ready(false))
        expect_record(0x09, (n ^ 0x5A00u) & 0xFFFFu, n);
    else
        expect_loss();
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

/* Bytes, filled up with zeros to whole words. */
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

/* The formats stand one behind the other from address 1 on, in any order. */
static uint32_t format_at;

static void expect_print(uint32_t n)
{
    expect_words(CONTROL, PRINTK, (const uint32_t[]){format_at, n}, 2);
}

static void expect_print_many(uint32_t n)
{
    const uint32_t at = format_at == 1u ? 1u + sizeof("event %u") : 1u;
    expect_words(CONTROL, PRINTK, (const uint32_t[]){at, n, ~n, 0x74786574u, 0}, 5);
}

static const struct {
    const char *name;
    void (*expect)(uint32_t n);
    uint32_t class; /* 0: of records */
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
    {"TLOG_PRINTK", expect_print, CONTROL},
    {"TLOG_PRINTK of a text", expect_print_many, CONTROL},
};
enum { KNOWN = sizeof(by_name) / sizeof(by_name[0]) };

/* The call of that name. */
static const struct sweep_call *call_of(uint32_t known)
{
    const struct sweep_call *call = sweep_calls;
    while (call < sweep_calls + sweep_call_count - 1u && !is_name(call->name, by_name[known].name))
        call++;
    return call;
}

static void log_by(uint32_t known, uint32_t n)
{
    call_with((uintptr_t)call_of(known)->call, n, left, left, left);
    by_name[known].expect(n);
}

/* ---- tests --------------------------------------------------------------------------------------------------------- */

static void every_call_is_known(void)
{
    for (uint32_t call = 0, logging = 0; call < sweep_call_count; call++) {
        logging += (sweep_calls[call].is & SWEEP_LOGS) != 0;
        CHECK(call + 1u < sweep_call_count || logging == KNOWN);
    }
    for (uint32_t known = 0; known < KNOWN; known++)
        CHECK(is_name(call_of(known)->name, by_name[known].name));
    begin(8, 1, 1);
    format_at = 1;
    log_by(KNOWN - 2u, 1);
    format_at = memory[GUARD + HEADER + 10];
    CHECK(format_at == 1u || format_at == 1u + sizeof("event %u %u %s"));
}

static void opening(void)
{
    for (uint32_t i = 0; i < 5u && !test_has_failed(); i++) {
        begin(i + 1u, any(i), 5);
        tlog_start();
        expect_start();
        check_memory();
    }
    for (uint32_t known = 0; known < 4u * KNOWN && !test_has_failed(); known++) {
        begin(known / KNOWN + 1u, 1, 0x90000000u);
        log_by(known % KNOWN, known);
        check_memory();
    }
}

/* Each call on each slot of some laps, while the clock stands, goes, and wraps. */
static void each_slot(uint32_t known, uint64_t clock, uint32_t step)
{
    begin_late(8, clock);
    for (uint32_t i = 0; i <= 24u && !test_has_failed(); i++) {
        log_by(known, any(i));
        check_memory();
        set_clock(is.clock + step);
    }
}

static void each_call(void)
{
    for (uint32_t known = 0; known < KNOWN && !test_has_failed(); known++) {
        test_note("call", known);
        each_slot(known, 1, 0);
        each_slot(known, 0x455555555u, 0x01010101u);
        each_slot(known, 0x3FFFFFFF80000003u, 0x7FFFFFF1u);
    }
}

/* Words that are all different. */
static uint32_t *some_words(uint32_t count)
{
    static uint32_t words[225];
    for (uint32_t i = 0; i < count && i < 225u; i++)
        words[i] = any(i + is.index) ^ i * 0x9E3779B9u;
    return words;
}

static void log_words(uint32_t class, uint32_t event, uint32_t count)
{
    const uint32_t *words = some_words(count);
    call_with((uintptr_t)tlog_event_words_any, class, event, (uint32_t)(uintptr_t)words, count);
    if (class - 1u < 31u && event < 0x400u && count <= 224u)
        expect_words(class, event, words, count);
    else
        expect_loss();
}

/* Every number of words, in rings that it fits into just, and just not. */
static void sizes(void)
{
    for (uint32_t count = 0; count <= 225u && !test_has_failed(); count++) {
        uint32_t n = count <= 2u ? 1u : (count + 1u) / 2u;
        test_note("count", count);
        for (uint32_t more = n > 1u ? 1 : 2; more <= 4u && !test_has_failed(); more++) {
            begin_late(n + more <= MOST ? n + more : MOST, any(count));
            for (uint32_t i = 0; i < 3u; i++)
                log_words(USER, 1 + i, count);
            check_memory();
        }
    }
}

/* Events of up to 17 slots at every distance from the end of a lap. */
static void places(void)
{
    for (uint32_t n = 1; n <= 17u && !test_has_failed(); n++)
        for (uint32_t before = 0; before <= n + 3u && !test_has_failed(); before++) {
            test_note("slots", n);
            begin_late(n + 5u, 0x1FFFFFFF0u);
            for (uint32_t i = 0; i < before; i++)
                log_words(31, 0x3FF, 2);
            set_clock(is.clock + before % 2u * 0x20u); /* half a wrap, or none */
            log_words(1u + n, 0x100u + n, 2u * n - before / 2u % 2u);
            check_memory();
        }
}

/* Classes and numbers of events, also those that there are not: what is not logged is counted as lost. */
static void numbers(void)
{
    static const uint32_t events[] = {0, 1, 0x80, 0xFF, 0x100, 0x2FE, 0x3FF, 0x400, 0x401, 0x80000001u, 0xFFFFFFFFu};
    for (uint32_t class = 0; class <= 34u && !test_has_failed(); class ++)
        for (uint32_t i = 0; i < sizeof(events) / sizeof(events[0]) && !test_has_failed(); i++) {
            test_note("class", class);
            test_note("event", events[i]);
            begin_late(12, 3);
            sweep_class = class < 34u ? class : 0x10001u;
            sweep_event = events[i];
            log_by(7, any(i));
            log_words(sweep_class, events[i], 1);
            log_words(sweep_class, events[i], 5);
            check_memory();
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
        bool fits = count <= 896u;
        test_note("count", count);
        begin_late(MOST, 3);
        CHECK(log_bytes(COMM << 10 | 0x3FFu, 0x3FF, from, count) == (fits ? 0 : -1));
        if (fits)
            expect_bytes(COMM, 0x3FF, from, count);
        CHECK((int)call_with((uintptr_t)trace_logb, count, (uint32_t)(uintptr_t)from, count, left) == (fits ? 0 : -1));
        if (fits)
            expect_bytes(USER, count, from, count);
        check_memory();
        from[count] = 0;
        CHECK((int)call_with((uintptr_t)trace_logs, 0x100u + count % 4u, (uint32_t)(uintptr_t)from, left, left) == 0);
        expect_bytes(USER, 0x100u + count % 4u, from, count < 895u ? count + 1u : 895u);
        call_with((uintptr_t)tlog_event_text, 31, count, (uint32_t)(uintptr_t)from, left);
        expect_bytes(31, count, from, count < 895u ? count + 1u : 895u);
        from[count] = was;
        check_memory();
    }
    for (uint32_t i = 0; i < 5u && !test_has_failed(); i++) {
        static const uint32_t bad[][2] = {{0x3FF, 1}, {32u << 10, 1}, {USER << 10, 0x400}, {USER << 10, ~0u}, {~0u, 1}};
        CHECK(log_bytes(bad[i][0], bad[i][1], bytes, 4) == -1);
        CHECK(bad[i][0] != USER << 10 || trace_logb((int)bad[i][1], bytes, 4) == -1);
        CHECK(bad[i][0] != USER << 10 || trace_logs((int)bad[i][1], bytes) == -1);
        CHECK(bad[i][0] != USER << 10 || trace_logi((int)bad[i][1], 1, 2) == -1);
        check_memory();
    }
}

static uint32_t bit_of(uint32_t class)
{
    return 1u << (class < 16u ? 15u + class : 31u);
}

/* A class's bit, and no other one, keeps a call from recording; of classes from 16 on it is the one that disables all. */
static void filters(void)
{
    for (uint32_t known = 0; known < KNOWN && !test_has_failed(); known++) {
        const uint32_t class = by_name[known].class;
        if (class == 0)
            continue;
        test_note("call", known);
        begin_late(20, 1);
        tlog_cpu0.filter = bit_of(class);
        call_with((uintptr_t)call_of(known)->call, 1, left, left, left);
        check_memory();
        tlog_cpu0.filter = ~bit_of(class);
        log_by(known, any(known));
        check_memory();
    }
    for (uint32_t class = 0; class <= 40u && !test_has_failed(); class ++)
        for (uint32_t count = 1; count <= 36u && !test_has_failed(); count += 7u) {
            test_note("class", class);
            begin_late(20, 1);
            sweep_class = class;
            tlog_cpu0.filter = bit_of(class);
            call_with((uintptr_t)tlog_event_words_any, class, 1, (uint32_t)(uintptr_t)some_words(count), count);
            call_with((uintptr_t)call_of(7)->call, 1, left, left, left);
            check_memory();
            tlog_cpu0.filter = ~bit_of(class);
            log_words(class, 1, count);
            log_by(7, class);
            check_memory();
        }
    sweep_class = USER;
    tlog_cpu0.filter = 0;
}

/* tlog_filter_class() suppresses one of the classes 1..15. */
static void classes(void)
{
    for (uint32_t class = 0; class <= 40u && !test_has_failed(); class ++) {
        begin_late(8, 1);
        call_with((uintptr_t)tlog_filter_class, class, 1, left, left);
        CHECK(tlog_cpu0.filter == (class - 1u < 15u ? bit_of(class) : 0));
        call_with((uintptr_t)tlog_filter_class, class, 0, left, left);
        CHECK(tlog_cpu0.filter == 0);
        check_memory();
    }
}

/* Anything after anything: in rings that stop and go on, with a clock that stands, goes, and wraps. */
static void step(void)
{
    static const uint32_t ahead[] = {0, 1, 0x10000, 0x7FFFFFFFu};
    uint32_t what = random_below(KNOWN + 8u);
    if (random_below(4) > 0 && knows_time()) /* that a wrap has passed unseen nobody can know */
        set_clock(is.clock + ahead[random_below(16) == 0 ? 3 : random_below(3)]);
    if (what < KNOWN) {
        log_by(what, any(what + is.index));
    } else if (what < KNOWN + 5u) {
        log_words(1u + random_below(31), random_below(1024), random_below(is.slots * 2u));
    } else if (what == KNOWN + 5u) {
        expect_start();
        tlog_tick();
        expect_tick();
    } else if (what == KNOWN + 6u && is.lap > 0) {
        set_stop(random_below(3) == 0);
    }
}

static void anything(void)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 5, 8, 13, 20};
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && !test_has_failed(); i++) {
        test_note("slots", sizes[i]);
        begin(sizes[i], 3, i % 2u * 0x7FFFFFFFu);
        for (uint32_t n = 0; n < 400u && !test_has_failed(); n++) {
            test_note("step", n);
            step();
            check_memory();
        }
    }
}

void sweep_exact(void)
{
    static void (*const tests[])(void) = {every_call_is_known, opening, each_call, sizes,   places, numbers,
                                          bytes_and_texts,     filters, classes,   anything};
    const struct tlog_ring *usual = tlog_cpu0.ring;
    for (uint32_t i = 0; i < sizeof(tests) / sizeof(tests[0]) && !test_has_failed(); i++) {
        test_note("test", i);
        tests[i]();
    }
    tlog_cpu0 = (struct tlog_cpu)TLOG_CPU_INIT(usual);
    tlog_ring_boot = 0;
}
