/* exact.c - compares the ring's memory after every call, word by word, with what target/FORMAT.md says. For rings
 * without traceevents; for the others see runtime/sweep/exact_event.c.
 *
 * No interrupts come here. What was logged is kept as a list, from which every word of every chunk follows. The memory
 * was noise before, so a wrong word, or a write to a word that must not change, is found. */
#include "lib/form.h"
#include "lib/logged.h"
#include "lib/passed.h"
#include "calls.h"
#include "read.h"
#include "lib/test.h"
#include "lib/irq.h"
#include "tlog.h"

extern const uint32_t tlog_build_id[2] __attribute__((weak));

enum { SLOTS = TLOG_SLOTS, CHUNKS = TLOG_CHUNKS, URGENT = TLOG_EMERGENCY_SLOTS, CAPACITY = SLOTS * CHUNKS };
/* Words of a header, and of a slot. */
enum { BOOT = 12, CHECK_SUM = 15, DROPPED_HIGH = 23, LAP_HIGH, EXTRA_HIGH, REPORTED, REPORTED_HIGH };
enum { CURSOR = 28, LAP, DROPPED, EXTRA, HEADER };
enum { HEAD = 3, CLAIMS = 8, EVENTS = 4 * CAPACITY + 16 };
enum { STOP = 8, JOIN = 4 };

static struct {
    uint32_t event[EVENTS][4], count; /* what was put in a slot, without tags */
    uint32_t urgent[URGENT + 1][4], urgent_count, urgent_chunk;
    uint32_t boot, laps_before, extra[CHUNKS];
    uint64_t dropped, reported, lost_at;
    bool stops, is_parked[CHUNKS]; /* is_parked: closed by a loss after it was opened */
    bool is_sealed;
    uint64_t clock;
} wanted;

/* ---- what the memory must hold ----------------------------------------------------------------------------------- */

static uint32_t noise(uint32_t at)
{
    return 0xDEADBEEFu ^ at * 0x9E3779B9u;
}

/* Number of laps that the chunk has begun. */
static uint32_t laps_of(uint32_t chunk)
{
    uint32_t chunks = wanted.count == 0 ? 1 : (wanted.count + SLOTS - 1u) / SLOTS; /* chunks opened */
    return (chunks + CHUNKS - 1u - chunk) / CHUNKS;
}

static uint32_t tag_of(uint32_t lap)
{
    return lap % 2u ? 0x100u : 0x200u;
}

static uint32_t home(void)
{
    return wanted.count == 0 ? 0 : (wanted.count - 1u) / SLOTS % CHUNKS;
}

static uint32_t cursor(uint32_t chunk)
{
    uint32_t used = chunk != home() ? SLOTS : wanted.count == 0 ? 0 : (wanted.count - 1u) % SLOTS + 1u;
    return (used + 1u) << 16 | (wanted.is_parked[chunk] ? 0x300u : tag_of(laps_of(chunk)));
}

/* The folded words as the coefficients of a polynomial, from the first power on. */
static uint32_t check_sum(const uint32_t *words, uint32_t count)
{
    uint32_t sum = 0;
    while (count-- > 0)
        sum = (sum + (words[count] ^ words[count] >> 16)) * 0x9E3779B1u;
    return sum;
}

/* The high word of a count. */
static uint32_t high_word(uint64_t count)
{
    return (uint32_t)(count >> 32) | ((uint32_t)count & 0x80000000u);
}

static uint32_t header(uint32_t chunk, uint32_t word)
{
    const uint32_t laps = wanted.laps_before + laps_of(chunk);
    const uint32_t bytes = SWEEP_CHUNK_WORDS * 4u, first = chunk == 0, last = chunk == CHUNKS - 1u;
    const uint32_t words[HEADER] = {
        0x00D6B7EDu,
        0x474F4C54u,
        2u | 128u << 16 | 4u << 24,
        chunk << 8 | (uint32_t)CHUNKS << 24,
        SLOTS,
        URGENT,
        bytes,
        TLOG_CLOCK_HZ,
        0,
        0,
        (uint32_t)(uintptr_t)(sweep_ring + chunk * SWEEP_CHUNK_WORDS),
        0,
        wanted.boot,
        tlog_build_id ? tlog_build_id[0] : 0,
        tlog_build_id ? tlog_build_id[1] : 0,
        0,
        last ? 0u - chunk * bytes : bytes,
        (CHUNKS > 1 ? JOIN : 0u) | (last && wanted.stops ? STOP : 0u),
        chunk == wanted.urgent_chunk ? wanted.urgent_count : 0,
        first ? (uint32_t)wanted.lost_at : 0,
        first ? (uint32_t)(wanted.lost_at >> 32) : 0,
        0,
        0,
        first ? high_word(wanted.dropped) : 0,
        high_word((uint64_t)laps << 16),
        0,
        first ? (uint32_t)wanted.reported : 0,
        first ? high_word(wanted.reported) : 0,
        cursor(chunk),
        laps << 16 | tag_of(laps_of(chunk)),
        first ? (uint32_t)wanted.dropped : 0,
        wanted.extra[chunk],
    };
    return word == CHECK_SUM ? check_sum(words, CHECK_SUM) : words[word];
}

static uint32_t slot(uint32_t chunk, uint32_t number, uint32_t word)
{
    uint32_t laps = laps_of(chunk), at = chunk * SLOTS + number, lap = laps;
    if (lap > 0 && at + (lap - 1u) * CAPACITY >= wanted.count)
        lap--; /* not reached in this lap */
    if (lap == 0)
        return word == HEAD ? 0x200u : noise(chunk * SWEEP_CHUNK_WORDS + HEADER + number * 4u + word);
    return wanted.event[at + (lap - 1u) * CAPACITY][word] | (word == HEAD ? tag_of(lap) : 0);
}

/* Noise for seals and for unused emergency slots. Even words have one tag and odd words the other, like a cursor and a
 * lap. */
static uint32_t seal(uint32_t word)
{
    return word % 2u ? 0x5A5A5A5Au : 0xA5A5A5A5u;
}

/* The notes of claimed slots, of which there are none here. */
static bool is_claim(uint32_t word)
{
    return word / 4u - HEADER / 4u - (SLOTS + 1u + URGENT) < CLAIMS / 4u;
}

static uint32_t expected(uint32_t chunk, uint32_t word)
{
    if (word < HEADER)
        return header(chunk, word);
    uint32_t number = (word - HEADER) / 4u;
    if (number < SLOTS)
        return slot(chunk, number, word % 4u);
    if (number == SLOTS)
        return word % 4u == HEAD ? 0x300u : 0;
    number -= SLOTS + 1u;
    if (chunk == wanted.urgent_chunk && number + 1u <= wanted.urgent_count)
        return wanted.urgent[number][word % 4u] | (word % 4u == HEAD ? 0x100u : 0);
    return wanted.is_sealed && !is_claim(word) ? seal(word) : 0;
}

/* Whether a word means anything: in the first lap nothing behind the cursor does; nor does a seal without its magic. */
static bool is_formed(uint32_t word)
{
    const uint32_t seal = HEADER + (SLOTS + 1u + URGENT) * 4u + CLAIMS;
    if (TLOG_FORMS && !wanted.is_sealed && word > seal)
        return false;
    return !tlog_ring_is_forming(&tlog_cpu0) || word < HEADER
           || (word - HEADER) / 4u + 1u < tlog_ring_home(&tlog_cpu0)->cursor >> TLOG_CURSOR_SHIFT;
}

static void check_memory(void)
{
    for (uint32_t at = 0; at < SWEEP_RING_WORDS; at++)
        if (is_formed(at) && sweep_ring[at] != expected(at / SWEEP_CHUNK_WORDS, at % SWEEP_CHUNK_WORDS)) {
            test_note("word", at);
            test_note("is", sweep_ring[at]);
            test_note("expected", expected(at / SWEEP_CHUNK_WORDS, at % SWEEP_CHUNK_WORDS));
            test_fail(__FILE__, __LINE__, "a word of the ring");
            return;
        }
}

/* ---- what the test does ------------------------------------------------------------------------------------------ */

static void set_clock(uint64_t clock)
{
    wanted.clock = clock;
    test_clock_set((uint32_t)clock);
}

/* A ring in memory full of noise, with the number of an older run in its header. */
static void begin(uint32_t boot, uint64_t clock)
{
    for (uint32_t i = 0; i < SWEEP_RING_WORDS; i++)
        sweep_ring[i] = noise(i);
    sweep_ring[BOOT] = boot;
    tlog_cpu0 = (struct tlog_cpu)TLOG_CPU_INIT(tlog_cpu0.ring);
    tlog_ring_boot = 0;
    passed_clear();
    wanted.count = wanted.urgent_count = wanted.laps_before = 0;
    wanted.dropped = wanted.reported = wanted.lost_at = 0;
    wanted.stops = wanted.is_sealed = false;
    for (uint32_t i = 0; i < CHUNKS; i++)
        wanted.is_parked[i] = false, wanted.extra[i] = 0;
    wanted.boot = boot == 0xFFFFFFFFu ? 1u : boot + 1u;
    set_clock(clock);
}

/* As if the ring had been filled that many times before, and sealed. */
static void begin_late(uint64_t clock, uint32_t laps)
{
    begin(7, clock);
    tlog_start();
    form_all(&tlog_cpu0);
    wanted.laps_before = laps;
    wanted.is_sealed = true;
    for (uint32_t i = 0; i < CHUNKS; i++) {
        sweep_ring[i * SWEEP_CHUNK_WORDS + LAP] += laps << 16;
        sweep_ring[i * SWEEP_CHUNK_WORDS + LAP_HIGH] = high_word((uint64_t)(laps + laps_of(i)) << 16);
        for (uint32_t word = HEADER + (SLOTS + 1) * 4u; word < SWEEP_CHUNK_WORDS; word++)
            if (!is_claim(word))
                sweep_ring[i * SWEEP_CHUNK_WORDS + word] = seal(word);
    }
}

/* As if that many events had been lost, and reported, before. */
static void lost_before(uint64_t count)
{
    wanted.dropped = wanted.reported = count;
    sweep_ring[DROPPED] = sweep_ring[REPORTED] = (uint32_t)count;
    sweep_ring[DROPPED_HIGH] = sweep_ring[REPORTED_HIGH] = high_word(count);
}

static void write_event(uint32_t *words, uint32_t code, uint32_t par1, uint32_t par2)
{
    words[0] = par2;
    words[1] = (uint32_t)(wanted.clock >> 32) | ((uint32_t)wanted.clock & 0x80000000u);
    words[2] = (uint32_t)wanted.clock;
    words[HEAD] = par1 << 16 | code;
}

static void expect_slot(uint32_t code, uint32_t par1, uint32_t par2)
{
    if (wanted.count < EVENTS)
        write_event(wanted.event[wanted.count++], code, par1, par2);
    wanted.is_parked[home()] = false;
}

/* A record of a loss: 0 tells how long ago it began, 1 how many events were lost. */
static void expect_record_of_loss(uint32_t which, uint64_t value)
{
    expect_slot(0xFF, (uint32_t)(value >> 32) << 1 | which, (uint32_t)value);
    wanted.extra[home()]++;
}

/* An event in a ring with room for it and for the report of losses before it. */
static void expect_event(uint32_t code, uint32_t par1, uint32_t par2)
{
    if (!TLOG_MINIMAL && wanted.dropped != wanted.reported) {
        expect_record_of_loss(0, wanted.clock - wanted.lost_at);
        expect_record_of_loss(1, wanted.dropped - wanted.reported);
        wanted.reported = wanted.dropped;
    }
    expect_slot(code, par1, par2);
}

static void expect_loss(void)
{
    if (wanted.dropped++ == wanted.reported)
        wanted.lost_at = wanted.clock;
    wanted.is_parked[home()] = !TLOG_MINIMAL;
}

static void expect_urgent(uint32_t code, uint32_t par1, uint32_t par2)
{
    wanted.urgent_chunk = home();
    if (wanted.urgent_count + 1u <= URGENT)
        write_event(wanted.urgent[wanted.urgent_count++], code, par1, par2);
    else
        expect_loss();
}

/* Numbers in which each bit is set and clear. */
static uint32_t any(uint32_t i)
{
    static const uint32_t some[] = {0xFFFFFFFFu, 0, 0x5A0FA5F0u, 0xA5F05A0Fu, 0x80008001u};
    return some[i % (sizeof(some) / sizeof(some[0]))];
}

static bool is_fast(const struct sweep_call *call)
{
    return (call->flags & SWEEP_FAST) != 0;
}

/* Makes a call with the value `left` in nearly every register. After the call instruction stand two NOPs, which look
 * like a free slot if tlog takes its return address for a cursor. */
static void call_with(const struct sweep_call *call, uint32_t n, uint32_t left)
{
    register uint32_t r0 __asm("r0") = n, r1 __asm("r1") = left, r2 __asm("r2") = left, r3 __asm("r3") = left;
    register void (*to)(uint32_t) __asm("r4") = call->call;
    __asm volatile("push {r4-r7}\n\tmov r12, %[left]\n\tmov lr, %[left]\n\tmov r5, %[left]\n\tmov r6, %[left]\n\t"
                   "mov r7, %[left]\n\tblx %[to]\n\tnop\n\tnop\n\tpop {r4-r7}\n\t"
                   : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)
                   : [left] "r"(left), [to] "r"(to)
                   : "r12", "lr", "cc", "memory");
}

static void log_by(const struct sweep_call *call, uint32_t n)
{
    call_with(call, n, any(n ^ wanted.count));
    if (call->slots > 0)
        expect_event(is_fast(call) ? 0x8009u : 0x09u, (n ^ LOGGED_SALT) & 0xFFFFu, n);
    else
        expect_loss();
}

static void log_code(uint32_t code, uint32_t n)
{
    tlog_record_call(code, n, ~n);
    expect_event(code, n & 0xFFFFu, ~n);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void opening(void)
{
    for (uint32_t i = 0; i < 5u && !test_has_failed(); i++) {
        begin(any(i), 5);
        tlog_start();
        check_memory();
    }
    for (uint32_t call = 0; call < sweep_call_count && !test_has_failed(); call++) {
        test_note("call", call);
        begin(1, 0x90000000u);
        if (sweep_calls[call].flags & SWEEP_LOGS)
            log_by(&sweep_calls[call], call);
        else
            tlog_tick();
        check_memory();
    }
}

/* A call on each slot of some laps. */
static void each_slot(const struct sweep_call *call, uint32_t laps, uint64_t clock, uint32_t step)
{
    begin_late(clock, laps);
    for (uint32_t i = 0; i <= 3u * CAPACITY && !test_has_failed(); i++) {
        log_by(call, any(i));
        check_memory();
        set_clock(wanted.clock + step);
    }
}

/* MANY: numbers of laps in which each bit is set and clear. FEW: numbers that, as words, look like cursors. */
enum { MANY = 0x1FFFF0, FEW = 62 };

/* Each call while the clock stands still, moves, and wraps. */
static void each_call(void)
{
    for (uint32_t call = 0; call < sweep_call_count && !test_has_failed(); call++) {
        if (!(sweep_calls[call].flags & SWEEP_LOGS) || sweep_calls[call].slots == 0)
            continue;
        test_note("call", call);
        each_slot(&sweep_calls[call], MANY, 1, 0);
        each_slot(&sweep_calls[call], MANY, 0x55555555u, 0x01010101u);
        each_slot(&sweep_calls[call], MANY, 0x80000003u, 0x7FFFFFF1u);
        each_slot(&sweep_calls[call], FEW, 0x80000003u, 0x7FFFFFF1u);
    }
}

/* The clock of a ring in which nothing is logged. */
static void ticking(void)
{
    begin(7, 0);
    for (uint32_t i = 0; i < 9u && !test_has_failed(); i++) {
        set_clock(i * 0x80000000ull + any(i) % 0x7FFFFFFFu);
        tlog_tick();
        CHECK(tlog_cpu0.high == ((uint32_t)(wanted.clock >> 32) | ((uint32_t)wanted.clock & 0x80000000u)));
    }
    for (uint32_t i = 0; i < CAPACITY; i++)
        log_code(0x09, i);
    check_memory();
    set_clock(wanted.clock + 0x7FFFFFFFu);
    tlog_tick();
    check_memory();
}

/* Only the bit of its family keeps a call from recording; commands have bit 31. */
static void filters(void)
{
    for (uint32_t code = 1; code < 0xFFu && !test_has_failed(); code++) {
        uint32_t bit = code < 0xF0u ? 1u << (code & 15u) : 0x80000000u | 1u << (code & 15u);
        test_note("code", code);
        begin(7, 1);
        log_code(code, 1);
        tlog_cpu0.filter = bit;
        tlog_record_call(code, 1, 2);
        tlog_record_emergency(code, 1, 2);
        check_memory();
        tlog_cpu0.filter = code < 0xF0u ? ~bit : 0x7FFFFFFFu;
        log_code(code, 3);
        tlog_record_emergency(code, 4, 5);
        expect_event(code, 4, 5);
        check_memory();
    }
    for (uint32_t call = 0; call < sweep_call_count && !test_has_failed(); call++) {
        if (!(sweep_calls[call].flags & SWEEP_LOGS) || sweep_calls[call].slots == 0)
            continue;
        test_note("call", call);
        begin(7, 1);
        log_by(&sweep_calls[call], any(call));
        tlog_cpu0.filter = is_fast(&sweep_calls[call]) ? 0 : 1u << 9;
        if (!is_fast(&sweep_calls[call]))
            sweep_calls[call].call(1);
        CHECK(is_fast(&sweep_calls[call]) || tlog_cpu0.filter == 1u << 9);
        check_memory();
        tlog_cpu0.filter = is_fast(&sweep_calls[call]) ? 0xFFFFFFFFu : ~(1u << 9);
        log_by(&sweep_calls[call], any(call + 1u));
        check_memory();
    }
    tlog_cpu0.filter = 0;
}

/* Codes that do not exist are counted as lost, though there is room; the next event reports the loss. */
static void lose_two(uint32_t code, bool emergency)
{
    set_clock(wanted.clock + 3u);
    emergency ? tlog_record_emergency(code, 1, 2) : tlog_record_call(code, 1, 2);
    expect_loss();
    check_memory();
    set_clock(wanted.clock + 0x10000u);
    tlog_record_call(code, 1, 2);
    expect_loss();
    check_memory();
    set_clock(wanted.clock + 2u);
    log_code(emergency ? 0x29u : 0x01u, code);
    check_memory();
}

static void refused(void)
{
    static const uint32_t codes[] = {0, 0xFF, 0x100, 0x109, 0x80000009u, 0x40000009u};
    for (uint32_t i = 0; i < 12u && !test_has_failed(); i++) {
        test_note("code", codes[i / 2u]);
        begin_late(0x7FFFFFF0u, MANY);
        for (uint32_t n = 0; n < i; n++)
            log_code(0x19, any(n));
        lost_before((uint64_t)i << 33 | any(i));
        lose_two(codes[i / 2u], i % 2u);
        lose_two(codes[i / 2u], i % 2u);
    }
}

/* Counts of losses that equal other words nearby, before or after two more events are lost. */
static void counts(void)
{
    for (uint32_t i = 0; i < 2u * 7u * CAPACITY && !test_has_failed(); i++) {
        begin_late(5, MANY);
        for (uint32_t n = 0; n <= i / 14u; n++)
            log_code(0x19, any(n));
        const uint32_t lap = sweep_ring[LAP], slot = sweep_ring[HEADER + HEAD], next = sweep_ring[HEADER + 4 + HEAD];
        const uint32_t same[] = {lap,        lap ^ 0x300u, lap ^ 0x10300u, slot, next, (uint32_t)(uintptr_t)sweep_ring,
                                 0xFFFFFFFFu};
        test_note("count", i);
        lost_before(same[i / 2u % 7u] - i % 2u * 2u);
        lose_two(0x109, false);
    }
}

/* Whether an event that finds no slot may take an emergency slot. */
static bool may_be_urgent(uint32_t code)
{
    return (code & 15u) == 0 || code == 0xB2u || code == 0xC2u;
}

enum { CALL, EMERGENCY, FAST, WAYS };

/* A ring that stops; urgent events take emergency slots; then the ring goes on. */
static void stops(uint32_t code, uint32_t way, uint64_t clock)
{
    begin(7, clock);
    tlog_stop_when_full(wanted.stops = true);
    for (uint32_t i = 0; i < CAPACITY; i++)
        log_code(0x39, i);
    check_memory();
    for (uint32_t i = 0; i < URGENT + 2u && !test_has_failed(); i++) {
        set_clock(wanted.clock + 0x1000000u);
        if (way == EMERGENCY)
            tlog_record_emergency(code, ~i, i);
        else if (way == FAST)
            tlog_record_fast(code, ~i, i);
        else
            tlog_record_call(code, ~i, i);
        if (way == EMERGENCY || may_be_urgent(code))
            expect_urgent(code | (way == FAST ? 0x8000u : 0), ~i & 0xFFFFu, i);
        else
            expect_loss();
        check_memory();
    }
    tlog_stop_when_full(wanted.stops = false);
    check_memory();
}

static void losses(void)
{
    for (uint32_t code = 1; code < 0xFFu && !test_has_failed(); code++)
        for (uint32_t way = 0; way < WAYS && !test_has_failed(); way++) {
            if (way == FAST && code >= 0xF0u)
                continue; /* there are no such commands */
            test_note("code", code);
            stops(code, way, 0xFFFFFFF0u - (code & 1u) * 0x80000000u);
            log_code(0x49, code);
            check_memory();
        }
}

/* Each call in a ring that has stopped, while the clock wraps. */
static void each_call_stopped(void)
{
    for (uint32_t call = 0; call < sweep_call_count && !test_has_failed(); call++) {
        if (!(sweep_calls[call].flags & SWEEP_LOGS))
            continue;
        test_note("call", call);
        begin(7, 1);
        tlog_stop_when_full(wanted.stops = true);
        for (uint32_t i = 0; i < CAPACITY; i++)
            log_code(0x39, i);
        for (uint32_t i = 0; i < 10u && !test_has_failed(); i++) {
            set_clock(wanted.clock + 0x7FFFFFF1u);
            call_with(&sweep_calls[call], i, any(i));
            if (sweep_calls[call].flags & SWEEP_URGENT)
                expect_urgent(0x09, (i ^ LOGGED_SALT) & 0xFFFFu, i);
            else
                expect_loss();
            check_memory();
        }
        tlog_stop_when_full(wanted.stops = false);
        log_code(0x49, call);
        check_memory();
    }
}

/* There is a slot for the first of the two records that report a loss, but none for the second: the loss is reported
 * later. */
static void reported_in_part(void)
{
    begin(7, 100);
    tlog_stop_when_full(wanted.stops = true);
    for (uint32_t i = 4; i < CAPACITY; i++)
        log_code(0x39, i);
    for (uint32_t i = 0; i < 2u; i++) {
        set_clock(wanted.clock + 5u);
        tlog_record_call(0x100, 1, 2);
        expect_loss();
        set_clock(wanted.clock + 7u);
        if (i == 0)
            log_code(0x29, 1);
    }
    tlog_record_call(0x29, 1, 2);
    expect_record_of_loss(0, wanted.clock - wanted.lost_at);
    expect_loss();
    check_memory();
    tlog_stop_when_full(wanted.stops = false);
    log_code(0x01, 3);
    check_memory();
}

void sweep_exact(void)
{
    static void (*const tests[])(void) = {opening, each_call, ticking,           filters,         refused,
                                          counts,  losses,    each_call_stopped, reported_in_part};
    const uint32_t count = sizeof(tests) / sizeof(tests[0]) - TLOG_MINIMAL; /* which has no records of losses */
    for (uint32_t i = 0; i < count && !test_has_failed(); i++) {
        test_note("test", i);
        tests[i]();
    }
}
