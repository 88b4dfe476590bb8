/* slice.c - two threads of one CPU, between which the scheduler may switch at any step. Host only.
 *
 * Unlike an interrupt, a thread that preempts another need not have ended when the other one continues. Both threads
 * open the ring at once: every schedule in which the first is preempted after any number of steps, then the second,
 * then the first once more. And one thread dumps while the other one is in the middle of an event, which it continues
 * while the sink writes. At last a debugger reads the memory amid a dump: no seal that it finds is half one. */
#define _XOPEN_SOURCE 700
#include "tlog.h"

#include <string.h>

#include "lib/passed.h"
#include "lib/seal.h"
#include "lib/test.h"
#include "lib/threads.h"

enum { THREADS = TURNS, SLOT_WORDS = 4 };
enum { CHUNK = TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS) };

static void (*amid_dump)(void); /* called when a dump has made a check sum; NULL: nothing */

static uint32_t crc_in_steps(uint32_t crc, const uint32_t *words, uint32_t count)
{
    crc = tlog_ring_crc(crc, words, count);
    if (amid_dump != NULL)
        amid_dump();
    return crc;
}

#define tlog_ring_crc crc_in_steps
#include "src/tlog_send.c"
#undef tlog_ring_crc

extern uint32_t __start_tlog_chunks[], __stop_tlog_chunks[];

static struct tlog_cpu fresh;
static uint32_t steps;
static uint32_t old[4096]; /* memory as an older run left it */
static uint32_t boot;

static void step(void)
{
    steps++;
    preempt();
}

static void log_one(int number)
{
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, 7, (uint32_t)number);
    turns[number].has_ended = true;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static const struct tlog_chunk *chunk_at(uint32_t number)
{
    return (const struct tlog_chunk *)((uintptr_t)tlog_ring_first(&tlog_cpu0) + number * CHUNK);
}

/* Whether the slot is that CONTROL event of the ones that begin a lap and state its time. */
static bool is_time(const uint32_t *slot, uint32_t event)
{
    return TLOG_TRACEEVENTS && slot[TLOG_WORD_HEAD] == (TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, event) | TLOG_TAG_ODD)
           && slot[TLOG_WORD_LOW] == ((const uint32_t *)(chunk_at(0) + 1))[TLOG_WORD_LOW];
}

static void check_chunk(uint32_t number)
{
    const struct tlog_chunk *chunk = chunk_at(number);
    const uint32_t full = (TLOG_SLOTS + 1u) << TLOG_CURSOR_SHIFT | TLOG_TAG_EVEN;
    CHECK(tlog_ring_is_chunk(chunk) && chunk->boot == boot && (chunk->place >> 8 & 0xFFu) == number);
    CHECK(chunk->next == (number + 1u < TLOG_CHUNKS ? CHUNK : 0u - number * CHUNK));
    CHECK(chunk->flags == (TLOG_CHUNKS > 1 ? TLOG_CHUNK_JTN : 0u));
    CHECK(chunk->dropped == 0 && chunk->reported == 0 && chunk->goal == 0 && chunk->emergency_used == 0);
    CHECK(number == 0 || (chunk->cursor == full && chunk->lap == TLOG_LAP_NONE));
}

/* So many slots are filled, and the others are empty: up to the mark, if the rest is not formatted yet. */
static void check_empty(uint32_t filled)
{
    const uint32_t *slot = (const uint32_t *)(chunk_at(0) + 1);
    uint32_t i = filled;
    while (i < TLOG_SLOTS && slot[i * SLOT_WORDS + TLOG_WORD_HEAD] == TLOG_SLOT_EMPTY)
        i++;
    CHECK(i == TLOG_SLOTS || (TLOG_FORMS && slot[i * SLOT_WORDS + TLOG_WORD_HEAD] == TLOG_TAG_MASK));
    CHECK(chunk_at(0)->cursor >> TLOG_CURSOR_SHIFT == 1u + filled && chunk_at(0)->lap == TLOG_LAP_FIRST);
}

/* Both events are there, after the slots that state the time; all slots after them are empty. */
static void check_slots(void)
{
    const uint32_t *slot = (const uint32_t *)(chunk_at(0) + 1), ahead = TLOG_TRACEEVENTS ? 2u : 0u;
    uint32_t seen = 0;
    if (ahead > 0)
        CHECK(is_time(slot, TLOG_CONTROL_BUFFER) && is_time(slot + SLOT_WORDS, TLOG_CONTROL_TIME));
    for (uint32_t i = ahead; i < ahead + THREADS; i++) {
        CHECK((slot[i * SLOT_WORDS + TLOG_WORD_HEAD] & 0xFFFFu) == ((uint32_t)FTrace_EVT_user_event_0 | TLOG_TAG_ODD));
        seen |= 1u << slot[i * SLOT_WORDS + TLOG_WORD_PAR2];
    }
    CHECK(seen == 3u);
    check_empty(ahead + THREADS);
}

/* ---- schedules --------------------------------------------------------------------------------------------------- */

static void start_anew(void)
{
    tlog_cpu0 = fresh;
    tlog_ring_boot = 0;
    passed_clear();
    memcpy(__start_tlog_chunks, old, (uintptr_t)__stop_tlog_chunks - (uintptr_t)__start_tlog_chunks);
}

static void try(uint32_t first, uint32_t second, uint32_t again)
{
    start_anew();
    turn_begin(0, log_one);
    turn_begin(1, log_one);
    test_note("first preempted after", first);
    test_note("second preempted after", second);
    test_note("first goes on for", again);
    run(0, first);
    run(1, second);
    run(0, again);
    run(1, FOREVER);
    run(0, FOREVER);
    for (uint32_t i = 0; i < (TLOG_FORMS ? 1u : TLOG_CHUNKS) && !test_has_failed(); i++)
        check_chunk(i);
    if (!test_has_failed())
        check_slots();
}

static void test_schedules(void)
{
    start_anew();
    steps = 0;
    log_one(0);
    const uint32_t most = steps + 4u;
    boot = tlog_ring_boot;
    for (uint32_t first = 0; first < most; first++)
        for (uint32_t second = 0; second < most && !test_has_failed(); second++)
            for (uint32_t again = 0; again < 3u; again++)
                try(first, second, again == 2u ? most / 2u : again);
}

/* ---- events of one slot and of two ------------------------------------------------------------------------------ */

#if TLOG_TRACEEVENTS
/* The second thread needs one slot more than it wants at first: it opens the ring and then formats another slot. */
static void log_sized(int number)
{
    const uint32_t words[] = {(uint32_t)number, 0, 0, 0};
    if (number == 1)
        tlog_event_words_any(TLOG_TRACE_USER, 1, words, 4u);
    tlog_event_words_any(TLOG_TRACE_USER, 1, words, 2u);
    turns[number].has_ended = true;
}

/* The slots that the one formats and those that the other one does are as many as one of them wanted. Whatever that is,
 * events find room in the laps behind. */
static void try_sizes(uint32_t filled, uint32_t first, uint32_t second, uint32_t again)
{
    start_anew();
    turn_begin(0, log_sized);
    turn_begin(1, log_sized);
    test_note("filled", filled);
    test_note("first preempted after", first);
    test_note("second preempted after", second);
    test_note("first goes on for", again);
    for (uint32_t i = 0; i < filled; i++)
        trace_logi(2, i, 0);
    run(0, first);
    run(1, second);
    run(0, again);
    run(1, FOREVER);
    run(0, FOREVER);
    if (filled == 0)
        check_empty(2u + 4u);
    for (uint32_t i = 0; i < 2u * TLOG_SLOTS * TLOG_CHUNKS; i++)
        trace_logi(2, i, 0);
    CHECK(tlog_dropped() == 0);
}

static void test_sizes(void)
{
    for (uint32_t filled = 0; filled < 2u; filled++) {
        start_anew();
        for (uint32_t i = 0; i < filled; i++)
            trace_logi(2, i, 0);
        steps = 0;
        log_sized(1);
        const uint32_t most = steps + 4u;
        for (uint32_t first = 0; first < most; first++)
            for (uint32_t second = 0; second < most && !test_has_failed(); second++)
                for (uint32_t again = 0; again < 8u; again++)
                    try_sizes(filled, first, second, again == 7u ? most / 2u : again);
    }
}
#endif

/* ---- a dump ------------------------------------------------------------------------------------------------------ */

static bool rests; /* when the dump begins no event is being logged */

/* The sink: while it writes, the thread that is in the middle of an event continues. */
static int write_slowly(void *ctx, const void *bytes, uint32_t length)
{
    (void)ctx, (void)bytes, (void)length;
    running->left = 0;
    preempt();
    for (uint32_t i = 0; i < TLOG_CHUNKS && !test_has_failed(); i++)
        if (tlog_ring_is_chunk(chunk_at(i)) && chunk_at(i)->boot == tlog_ring_boot)
            check_seal(chunk_at(i), rests);
    return 0;
}

static void dump(int number)
{
    static const struct tlog_sink sink = {write_slowly, NULL};
    tlog_dump(&sink);
    turns[number].has_ended = true;
}

/* The thread is in the middle of an event when the dump begins, and goes on by so many steps at each piece of the dump.
 */
static void try_dump(uint32_t filled, uint32_t first, uint32_t again)
{
    start_anew();
    for (uint32_t i = 0; i < filled; i++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_1, 9, i);
    test_note("filled", filled);
    test_note("preempted after", first);
    test_note("goes on for", again);
    turn_begin(0, log_one);
    turn_begin(1, dump);
    run(0, first);
    rests = turns[0].has_ended;
    for (uint32_t piece = 0; piece < 8u; piece++) {
        run(1, FOREVER);
        run(0, again);
    }
    run(0, FOREVER);
    run(1, FOREVER);
    CHECK(turns[0].has_ended && turns[1].has_ended);
}

static void test_dump(void)
{
    static const uint32_t goes_on[] = {1, 2, 3, FOREVER};
    for (uint32_t filled = 1; filled < 3u * TLOG_SLOTS * TLOG_CHUNKS; filled++) {
        rests = false;
        for (uint32_t first = 1; !rests && !test_has_failed(); first++)
            for (uint32_t i = 0; i < 4u; i++)
                try_dump(filled, first, goes_on[i]);
    }
}

/* A seal that a reader finds while it is made: whatever it has, its check sum is right. */
static void check_found(const struct tlog_chunk *chunk)
{
    const struct tlog_seal *seal = seal_of(chunk);
    const uint32_t *groups = (const uint32_t *)(seal + 1);
    const uint32_t normal = TLOG_GROUPS(TLOG_SLOTS), all = normal + TLOG_GROUPS(TLOG_EMERGENCY_SLOTS);
    uint32_t crc = tlog_ring_crc(~0u, &seal->magic, offsetof(struct tlog_seal, crc) / 4u);
    crc = tlog_ring_crc(crc, tlog_chunk_claims(chunk)->note, TLOG_CLAIMS);
    CHECK(seal->magic != TLOG_WIRE_SEAL || seal->crc == ~tlog_ring_crc(crc, groups, all));
    check_seal(chunk, false);
}

static bool interrupts; /* an interrupt logs once, amid the dump */
static uint32_t sums;   /* check sums that are made before it comes */

static void read_amid(void)
{
    if (interrupts && sums-- == 0) {
        tlog_enable();
        TRACER_LOGEVENT(FTrace_EVT_user_event_2, 9, 0);
        tlog_disable();
    }
    for (uint32_t i = 0; i < TLOG_CHUNKS; i++)
        if (tlog_ring_is_chunk(chunk_at(i)) && chunk_at(i)->boot == tlog_ring_boot)
            check_found(chunk_at(i));
}

static int write_nothing(void *ctx, const void *bytes, uint32_t length)
{
    (void)ctx, (void)bytes, (void)length;
    return 0;
}

/* Memory that was sealed before is sealed again, after more events. */
static void seal_again(uint32_t filled)
{
    static const struct tlog_sink sink = {write_nothing, NULL};
    start_anew();
    for (uint32_t i = 0; i < filled; i++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_1, 9, i);
    tlog_dump(&sink);
    TRACER_LOGEVENT(FTrace_EVT_user_event_1, 9, filled);
    amid_dump = read_amid;
    tlog_dump(&sink);
    amid_dump = NULL;
    read_amid();
}

static void test_amid_dump(void)
{
    for (uint32_t filled = 1; filled < 3u * TLOG_SLOTS * TLOG_CHUNKS && !test_has_failed(); filled++) {
        test_note("filled", filled);
        for (uint32_t i = 0; i <= 12u; i++) {
            test_note("interrupt after sums", i);
            interrupts = i > 0;
            sums = i - 1u;
            seal_again(filled);
        }
    }
}

/* Makes the older run: it has filled the ring more than once. */
static void prepare(void)
{
    for (uint32_t i = 0; i < 3u * TLOG_SLOTS * TLOG_CHUNKS; i++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_1, 9, i);
    memcpy(old, __start_tlog_chunks, (uintptr_t)__stop_tlog_chunks - (uintptr_t)__start_tlog_chunks);
}

int main(void)
{
    fresh = tlog_cpu0;
    tlog_posix_interrupt = step;
    test_run("two threads open the ring, memory is empty", test_schedules);
    prepare();
    test_run("two threads open the ring of an older run", test_schedules);
#if TLOG_TRACEEVENTS
    test_run("two threads open the ring with events of one slot and of two", test_sizes);
#endif
    test_run("one dumps while the other one is in an event", test_dump);
    test_run("memory is read amid a dump", test_amid_dump);
    return test_end();
}
