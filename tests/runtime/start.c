/* start.c - two CPUs open one ring at once, in a bank that still holds an older run.
 *
 * It runs every schedule in which the first CPU is stopped after any number of exclusive accesses, then the second,
 * then the first once more after a few accesses or not at all. Further, they open one ring each while the clock wraps,
 * and must agree on the time. And one CPU logs while the other one dumps, and they take turns twice.
 *
 * Each CPU is a context of its own in one thread, and yields before each of its accesses. Exclusive accesses are tested
 * in two forms: those of a processor, whose watch ends when the other CPU stores to the word; and compare-and-exchange,
 * which does not notice a word that has changed and changed back. For the first form every state in between is checked
 * as well, since a reset may come there, and the ring may be dumped as soon as it is open. */
#define _XOPEN_SOURCE 700
#include "tlog.h"

#include <string.h>

#include "lib/seal.h"
#include "lib/test.h"
#include "lib/turns.h"

enum { WRITERS = TURNS, SHORT = 3, SLOT_WORDS = 4, OLD = 9, NEW = 7 };
enum { CHUNK = TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS), BANK = TLOG_CHUNKS * CHUNK };

extern uint32_t __start_tlog_chunks[], __stop_tlog_chunks[];

_Thread_local struct tlog_thread tlog_thread;
uint32_t tlog_threads_published[TLOG_CPUS * 16u];

/* The exclusive access that each CPU has begun. */
static struct watch {
    const void *watched; /* NULL: nothing */
    uintptr_t seen;
} watches[WRITERS];
static bool is_compare_exchange;
static uint64_t now;
static uint32_t accesses;

static struct tlog_cpu fresh[TLOG_CPUS];
static uint32_t before[4096];
static struct tlog_chunk *bank; /* the bank that the new run is to take */
static uint32_t boot;

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static struct tlog_chunk *chunk_at(uint32_t number)
{
    return (struct tlog_chunk *)((uintptr_t)bank + number * CHUNK);
}

static bool is_slot(uint32_t head, bool is_first)
{
    return head == TLOG_SLOT_EMPTY
           || (is_first && (head & 0xFFFFu) == ((uint32_t)FTrace_EVT_user_event_0 | TLOG_TAG_ODD));
}

static bool is_whole(uint32_t number)
{
    const struct tlog_chunk *chunk = chunk_at(number);
    bool is_right = tlog_ring_is_chunk(chunk) && chunk->boot == boot;
    for (uint32_t i = 1; i <= TLOG_SLOTS; i++)
        is_right = is_right && is_slot((&chunk->cursor)[i * SLOT_WORDS + TLOG_WORD_HEAD], number == 0);
    return is_right;
}

static bool are_all_whole(void)
{
    bool all = true;
    for (uint32_t i = 0; i < TLOG_CHUNKS; i++)
        all = all && is_whole(i);
    return all;
}

/* The bank holds chunks of its older run unchanged, or none of them; and none if chunks of the new run are there. */
static bool is_old_run_gone(void)
{
    const char *was = (const char *)before + ((uintptr_t)bank - (uintptr_t)__start_tlog_chunks);
    bool is_right = true, has_old = false, has_new = false;
    for (uint32_t i = 0; i < TLOG_CHUNKS; i++) {
        bool is_new = chunk_at(i)->boot == boot, is_chunk = tlog_ring_is_chunk(chunk_at(i));
        has_old = has_old || (is_chunk && !is_new);
        has_new = has_new || (is_chunk && is_new);
        is_right = is_right && (is_new || !is_chunk || memcmp(was + i * CHUNK, chunk_at(i), CHUNK) == 0);
    }
    return is_right && !(has_old && has_new);
}

/* A reset would leave the new run whole, or not at all; and a reader that finds the ring open sees all of it. */
static void check_between(void)
{
    bool is_there = bank->boot == boot && tlog_ring_is_chunk(bank);
    if (is_compare_exchange || TLOG_TRACEEVENTS)
        return;
    if (is_there || tlog_ring_is_open(&tlog_cpus[0]))
        CHECK(are_all_whole());
    CHECK(is_old_run_gone());
}

static void check_end(void)
{
    const struct tlog_chunk *first = bank;
    uint32_t all = (uint32_t)((uintptr_t)__stop_tlog_chunks - (uintptr_t)__start_tlog_chunks);
    uint32_t at = (uint32_t)((uintptr_t)bank - (uintptr_t)__start_tlog_chunks);
    const char *was = (const char *)before, *is = (const char *)__start_tlog_chunks;
    CHECK(are_all_whole());
    CHECK(tlog_ring_first(&tlog_cpus[0]) == bank && tlog_cpus[0].cursor == &bank->cursor);
    CHECK(first->cursor >> TLOG_CURSOR_SHIFT == 1u + WRITERS && first->dropped == 0);
    CHECK((&first->cursor)[SLOT_WORDS + TLOG_WORD_PAR2] + (&first->cursor)[2 * SLOT_WORDS + TLOG_WORD_PAR2]
          == 1u); /* the two events carry their CPUs' numbers, 0 and 1 */
    CHECK(memcmp(was, is, at) == 0 && memcmp(was + at + BANK, is + at + BANK, all - at - BANK) == 0);
}

/* ---- exclusives -------------------------------------------------------------------------------------------------- */

static void yield_turn(void)
{
    accesses++;
    if (running == NULL)
        return;
    if (tlog_ring_is_open(&tlog_cpus[0]) && !is_compare_exchange)
        for (uint32_t i = 0; i < TLOG_CHUNKS; i++)
            CHECK(chunk_at(i)->magic == TLOG_WIRE_MAGIC);
    turn_step();
}

static void watch(const void *word, uintptr_t value)
{
    if (running != NULL)
        watches[running - turns] = (struct watch){word, value};
}

/* Whether the store may be made. If so, it ends the other CPUs' watch of the word. */
static bool may_store(const void *word, uintptr_t value)
{
    if (running == NULL)
        return true;
    struct watch *own = &watches[running - turns];
    bool may = own->seen == value && (is_compare_exchange || own->watched == word);
    own->watched = NULL;
    for (struct watch *other = watches; may && other < watches + WRITERS; other++)
        if (other->watched == word)
            other->watched = NULL;
    return may;
}

uint32_t start_load(const uint32_t *word)
{
    yield_turn();
    watch(word, *(const volatile uint32_t *)word);
    return *(const volatile uint32_t *)word;
}

uint32_t start_store(uint32_t value, uint32_t *word)
{
    yield_turn();
    if (!may_store(word, *(volatile uint32_t *)word))
        return 1;
    *(volatile uint32_t *)word = value;
    return 0;
}

void *start_load_pointer(void *const *word)
{
    yield_turn();
    watch(word, (uintptr_t) * (void *const volatile *)word);
    return *(void *const volatile *)word;
}

uint32_t start_store_pointer(void *value, void **word)
{
    yield_turn();
    if (!may_store(word, (uintptr_t) * (void *volatile *)word))
        return 1;
    *(void *volatile *)word = value;
    return 0;
}

void start_publish(void)
{
    yield_turn();
}

uint32_t tlog_port_now_at(const volatile uint32_t *clock)
{
    (void)clock;
    return (uint32_t)++now;
}

const volatile uint32_t *tlog_port_clock_start(void)
{
    return NULL;
}

uint32_t tlog_port_filter(const struct tlog_cpu *cpu, uint32_t **cursor)
{
    *cursor = cpu->cursor;
    return cpu->filter;
}

bool tlog_port_reserve(struct tlog_cpu *cpu, uint32_t *cursor, struct tlog_reserved *out)
{
    do {
        out->cursor = start_load(cursor);
        out->slot = (uint32_t *)((uintptr_t)cursor + (out->cursor >> 12));
        if (*(volatile uint32_t *)out->slot & out->cursor & TLOG_TAG_MASK)
            return false;
        out->high = cpu->high;
        out->low = tlog_port_now_at(cpu->clock);
        if ((int32_t)(out->high ^ out->low) < 0)
            return false;
    } while (start_store(out->cursor + TLOG_CURSOR_STEP, cursor));
    return true;
}

/* ---- schedules --------------------------------------------------------------------------------------------------- */

static void log_one(uint32_t par1, uint32_t number)
{
    tlog_ring_record(&tlog_cpus[0], FTrace_EVT_user_event_0, par1, number);
}

static void write_in_turn(int number)
{
    log_one(NEW, (uint32_t)number);
    turns[number].has_ended = true;
}

/* Let a CPU make `count` accesses. */
static void run(uint32_t number, uint32_t count)
{
    bool runs = count > 0 && !turns[number].has_ended;
    turn_run(number, count);
    if (runs)
        check_between();
}

/* The state of RAM variables after a reset. */
static void start_anew(void)
{
    memcpy(tlog_cpus, fresh, sizeof(fresh));
    tlog_ring_boot = 0;
    tlog_ring_high = 0;
}

static void begin(uint32_t number, void (*what)(int number))
{
    watches[number] = (struct watch){NULL, 0};
    turn_begin(number, what);
}

static void restore(void)
{
    memcpy(__start_tlog_chunks, before, (uintptr_t)__stop_tlog_chunks - (uintptr_t)__start_tlog_chunks);
    start_anew();
}

static void try(uint32_t first, uint32_t second, uint32_t again)
{
    restore();
    begin(0, write_in_turn);
    begin(1, write_in_turn);
    test_note("first stops after", first);
    test_note("second stops after", second);
    test_note("first goes on for", again);
    run(0, first);
    run(1, second);
    run(0, again);
    run(1, FOREVER);
    run(0, FOREVER);
    if (!test_has_failed())
        check_end();
}

/* Makes the older runs, and counts the accesses of a new run that is alone. The events differ between old and new runs,
 * so no word that the new run changes gets the value it had in an older run, except the magics: compare-and-exchange
 * would not notice such a word. */
static uint32_t prepare(void)
{
    for (boot = 1; boot <= TLOG_RUNS; boot++) {
        start_anew();
        log_one(OLD, 0);
        log_one(OLD, 1);
    }
    memcpy(before, __start_tlog_chunks, (uintptr_t)__stop_tlog_chunks - (uintptr_t)__start_tlog_chunks);
    start_anew();
    accesses = 0;
    log_one(NEW, 0);
    bank = tlog_ring_first(&tlog_cpus[0]);
    return accesses + 2u;
}

static void test_schedules(void)
{
    uint32_t most = prepare();
    CHECK(tlog_ring_boot == TLOG_RUNS + 1u && (void *)bank == (void *)tlog_cpus[0].ring->first);
    for (uint32_t first = 0; first < most; first++)
        for (uint32_t second = 0; second < most && !test_has_failed(); second++)
            for (uint32_t again = 0; again <= SHORT; again++)
                try(first, second, again == SHORT ? FOREVER : again);
}

static void test_compare_exchange(void)
{
    is_compare_exchange = true;
    test_schedules();
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

static uint64_t entered[WRITERS], left[WRITERS];

/* CPU `number` logs to its own ring. */
static void log_to_own_ring(int number)
{
    entered[number] = now;
    tlog_ring_record(&tlog_cpus[number], FTrace_EVT_user_event_0, NEW, (uint32_t)number);
    left[number] = now;
    turns[number].has_ended = true;
}

static bool is_control(const uint32_t *slot)
{
    return (slot[TLOG_WORD_HEAD] >> 10 & 31u) == TLOG_CLASS_CONTROL;
}

/* The event that a CPU logged last. CONTROL events that another CPU's reports of the time put behind it are skipped. */
static const uint32_t *slot_of(uint32_t number)
{
    const struct tlog_chunk *home = tlog_ring_home(&tlog_cpus[number]);
    const uint32_t *slot = &home->cursor + ((home->cursor >> TLOG_CURSOR_SHIFT) - 1u) * SLOT_WORDS;
    while (is_control(slot))
        slot -= SLOT_WORDS;
    return slot;
}

static uint64_t time_of(const uint32_t *slot)
{
    return (uint64_t)(is_control(slot) ? slot[0] : tlog_ring_wraps(slot[TLOG_WORD_HIGH])) << 32 | slot[TLOG_WORD_LOW];
}

/* Whether the slot before it states the wraps that the 32-bit stamp of the event belongs to. */
static bool states_wraps(const uint32_t *slot)
{
    return !TLOG_TRACEEVENTS || time_of(slot) - time_of(slot - SLOT_WORDS) < 1ull << 32;
}

/* Whether each stamp lies between its call and its return, if the clock's wraps are counted from wrap number `wraps`.
 */
static bool are_in_time(uint64_t wraps)
{
    bool are = true;
    for (uint32_t i = 0; i < WRITERS; i++) {
        const uint64_t stamp = time_of(slot_of(i)) + (wraps << 32);
        are = are && entered[i] <= stamp && stamp <= left[i] && states_wraps(slot_of(i));
    }
    return are;
}

/* Wraps are counted from what the clock was when the first CPU read it, which may be before or after its wrap. */
static void try_wrap(uint64_t clock, uint32_t first, uint32_t second)
{
    restore();
    now = clock;
    test_note("clock", (uint32_t)clock);
    test_note("first stops after", first);
    test_note("second stops after", second);
    begin(0, log_to_own_ring);
    begin(1, log_to_own_ring);
    run(0, first);
    run(1, second);
    run(0, FOREVER);
    run(1, FOREVER);
    CHECK(are_in_time(0) || are_in_time(1));
}

static void test_wraps(void)
{
    enum { LOOKS = 5 };
    const uint32_t most = prepare();
    for (uint64_t wrap = 1ull << 31; wrap <= 1ull << 32; wrap += 1ull << 31)
        for (uint64_t clock = wrap - LOOKS; clock < wrap; clock++)
            for (uint32_t first = 0; first < most; first++)
                for (uint32_t second = 0; second < most && !test_has_failed(); second++)
                    try_wrap(clock, first, second);
}

/* More than three wraps pass while only one CPU is awake and ticks. The other one logs for the first time before that,
 * or after it. */
static void try_late(uint64_t step, bool was_awake)
{
    restore();
    now = 5;
    log_to_own_ring(0);
    if (was_awake)
        log_to_own_ring(1);
    for (uint64_t stop = now + (7ull << 31); now < stop; now += step)
        tlog_tick();
    test_note("step", (uint32_t)step);
    log_to_own_ring(1);
    log_to_own_ring(0);
    CHECK(are_in_time(0));
}

static void test_late(void)
{
    prepare();
    for (uint64_t step = 1ull << 20; step < 1ull << 31 && !test_has_failed(); step += 99999989u) {
        try_late(step, false);
        try_late(step, true);
    }
}

/* ---- a dump ------------------------------------------------------------------------------------------------------ */

static bool at_rest; /* no event was being written when the dump began */

/* The sink: while it writes, the CPU that logs continues. */
static int check_seals(void *ctx, const void *bytes, uint32_t length)
{
    (void)ctx, (void)bytes, (void)length;
    if (running != NULL)
        running->left = 0;
    turn_step();
    for (uint32_t i = 0; i < TLOG_CHUNKS; i++)
        check_seal(chunk_at(i), at_rest);
    return 0;
}

static void dump_in_turn(int number)
{
    static const struct tlog_sink sink = {check_seals, NULL};
    tlog_dump(&sink);
    turns[number].has_ended = true;
}

/* CPU 0 has begun its event before the dump disables logging. */
static void try_dump(uint32_t begun, uint32_t dump, uint32_t again, uint32_t dump_again)
{
    restore();
    log_one(NEW, 0);
    begin(0, write_in_turn);
    begin(1, dump_in_turn);
    test_note("logger stops after", begun);
    test_note("dump stops after", dump);
    test_note("logger goes on for", again);
    test_note("dump goes on for", dump_again);
    run(0, begun);
    at_rest = turns[0].has_ended;
    run(1, dump);
    run(0, again);
    run(1, dump_again);
    for (uint32_t piece = 0; piece < 8u; piece++) {
        run(0, FOREVER);
        run(1, FOREVER);
    }
    CHECK(turns[0].has_ended && turns[1].has_ended);
}

static void test_dump(void)
{
    prepare();
    accesses = 0;
    log_one(NEW, 1);
    const uint32_t most = accesses;
    accesses = 0;
    at_rest = true;
    dump_in_turn(1);
    const uint32_t most_dump = accesses;
    for (uint32_t begun = 1; begun <= most && !test_has_failed(); begun++)
        for (uint32_t dump = 0; dump <= most_dump; dump++)
            for (uint32_t again = 0; again <= most && !test_has_failed(); again++)
                for (uint32_t dump_again = 0; dump_again <= most_dump; dump_again++)
                    try_dump(begun, dump, again, dump_again);
}

static void clear(void)
{
    for (uint32_t *word = __start_tlog_chunks; word < __stop_tlog_chunks; word++)
        *word = 0;
}

int main(void)
{
    memcpy(fresh, tlog_cpus, sizeof(fresh));
    if (!TLOG_TRACEEVENTS)
        test_run("two CPUs open a ring", test_schedules);
    clear();
    test_run("two CPUs open rings while the clock wraps", test_wraps);
    clear();
    test_run("a CPU logs for the first time after many wraps", test_late);
    clear();
    if (TLOG_TRACEEVENTS)
        return test_end();
    test_run("one logs while the other one dumps", test_dump);
    clear();
    test_run("the same with compare-and-exchange", test_compare_exchange);
    return test_end();
}
