/* memory.c - what runs of the firmware leave to each other in memory, and how a dump treats it: numbers of runs, names
 * of any length, chunks of firmware with another layout. Host only. */
#include <string.h>

#include "src/tlog_name.c" /* included as source: its state is reset between runs */
#include "lib/test.h"

enum { MEMORY = 16384, SLOT_WORDS = 4 };
enum { CHUNK = TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS), NAMES = TLOG_CHUNK_BYTES(TLOG_NAME_SLOTS, 0u) };

extern uint32_t __start_tlog_chunks[], __stop_tlog_chunks[];

static struct tlog_cpu fresh, fresh_names;
static uint32_t before[MEMORY / 4];

static uint32_t bytes(void)
{
    return (uint32_t)((uintptr_t)__stop_tlog_chunks - (uintptr_t)__start_tlog_chunks);
}

static void reset(void)
{
    tlog_cpu0 = fresh;
    names[0] = fresh_names;
    memset(links, 0, sizeof links);
    hands[0] = 0;
    version = 0;
    tlog_ring_boot = 0;
}

static void log_one(void)
{
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, 1, 2);
}

static void name_one(void)
{
    tlog_name(TLOG_NAME_TASK, 1, "task");
}

/* ---- numbers of runs --------------------------------------------------------------------------------------------- */

enum { RUNS = 4, KINDS = 4 };

/* What a run does: 0 names only, 1 logs only, 2 names and then logs, 3 logs and then names. */
static void run_of(uint32_t kind)
{
    reset();
    if (kind == 0 || kind == 2)
        name_one();
    if (kind != 0)
        log_one();
    if (kind == 3)
        name_one();
}

/* tlog_chunk_behind() goes through the same chunks, in the same order, as a search of the memory. */
static void test_behind(void)
{
    const struct tlog_chunk *chunk = NULL, *found = NULL;
    const uintptr_t end = (uintptr_t)__stop_tlog_chunks;
    uint32_t roles = 0;
    memset(__start_tlog_chunks, 0, bytes());
    CHECK(tlog_chunk_behind(NULL) == NULL);
    run_of(2);
    run_of(3);
    for (uintptr_t at = (uintptr_t)__start_tlog_chunks; (found = tlog_ring_find(at, end)) != NULL;
         at = (uintptr_t)found + found->buf_size) {
        chunk = tlog_chunk_behind(chunk);
        CHECK(chunk == found);
        roles |= 1u << (chunk->place >> 16 & TLOG_ROLE_MASK);
    }
    CHECK(chunk != NULL && tlog_chunk_behind(chunk) == NULL && roles == 3u);
}

/* A chunk that bears the number of this run was written in this run: a run that gives no names leaves the names' chunk
 * alone. */
static void check_run(uint32_t kind, uint32_t boot_before)
{
    const struct tlog_chunk *chunk = tlog_chunk_behind(NULL);
    CHECK(tlog_ring_boot == boot_before + 1u);
    for (; chunk != NULL; chunk = tlog_chunk_behind(chunk)) {
        bool is_names = (chunk->place >> 16 & 0x3Fu) == TLOG_ROLE_NAMES;
        CHECK(chunk->boot != tlog_ring_boot || !is_names || kind != 1);
    }
}

/* All sequences of four runs. */
static void test_numbers(void)
{
    for (uint32_t sequence = 0; sequence < KINDS * KINDS * KINDS * KINDS; sequence++) {
        memset(__start_tlog_chunks, 0, bytes());
        for (uint32_t i = 0, rest = sequence; i < RUNS && !test_has_failed(); i++, rest /= KINDS) {
            test_note("sequence", sequence);
            test_note("run", i);
            run_of(rest % KINDS);
            check_run(rest % KINDS, i);
        }
    }
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* An id, a time and a text of so many bytes, in slots of 12 bytes: two at least. */
static uint32_t slots_for(uint32_t length)
{
    uint32_t slots = (length + 4u + (uint32_t)sizeof(uintptr_t) + 11u) / 12u;
    return slots > 2u ? slots : 2u;
}

static void check_names(uint32_t kept, uint32_t dropped)
{
    const struct tlog_chunk *chunk = tlog_ring_first(&names[0]);
    const uint32_t *slot = (const uint32_t *)(chunk + 1);
    CHECK(chunk->dropped == dropped && chunk->cursor >> TLOG_CURSOR_SHIFT == kept + 1u);
    for (uint32_t i = 0; i < kept; i++)
        CHECK((slot[i * SLOT_WORDS + TLOG_WORD_HEAD] & TLOG_TAG_MASK) == TLOG_TAG_ODD);
}

/* All sequences of six names that take two to four slots each: a name that does not fit is dropped, and a shorter one
 * after it is still kept. */
static void test_names(void)
{
    static const char text[] = "abcdefghijklmnopqrstuvwxyz01234";
    static const uint32_t lengths[] = {3, 12, 13, 24, 31};
    for (uint32_t sequence = 0; sequence < 5u * 5u * 5u * 5u * 5u * 5u && !test_has_failed(); sequence++) {
        uint32_t kept = 0, dropped = 0;
        reset();
        for (uint32_t i = 0, rest = sequence; i < 6u; i++, rest /= 5u) {
            uint32_t length = lengths[rest % 5u], slots = slots_for(length);
            tlog_name(TLOG_NAME_TASK, i, text + sizeof(text) - 1u - length);
            dropped += kept + slots > TLOG_NAME_SLOTS;
            kept += kept + slots > TLOG_NAME_SLOTS ? 0 : slots;
        }
        test_note("sequence", sequence);
        check_names(kept, dropped);
    }
}

/* ---- another layout ---------------------------------------------------------------------------------------------- */

/* Puts a chunk there, as firmware with another layout would have. */
static void put_chunk(uint32_t at, uint32_t slots, uint32_t boot)
{
    struct tlog_chunk *chunk = (struct tlog_chunk *)((uintptr_t)__start_tlog_chunks + at);
    memset(chunk, 0, TLOG_CHUNK_BYTES(slots, 0u));
    memcpy(chunk, tlog_cpu0.ring->pattern, sizeof(tlog_cpu0.ring->pattern));
    chunk->self = (uint32_t)(uintptr_t)chunk;
    chunk->self_high = (uint32_t)((uint64_t)(uintptr_t)chunk >> 32);
    chunk->slots = slots;
    chunk->emergency = 0;
    chunk->buf_size = TLOG_CHUNK_BYTES(slots, 0u);
    chunk->boot = boot;
    chunk->check = tlog_ring_check(chunk);
    chunk->cursor = 1u << TLOG_CURSOR_SHIFT | TLOG_TAG_ODD;
    chunk->lap = TLOG_LAP_FIRST;
    for (uint32_t i = 0; i < slots; i++)
        (&chunk->cursor)[(i + 1u) * SLOT_WORDS + TLOG_WORD_HEAD] = TLOG_SLOT_EMPTY;
    (&chunk->cursor)[(slots + 1u) * SLOT_WORDS + TLOG_WORD_HEAD] = TLOG_TAG_MASK;
}

/* A dump has written a seal behind a chunk of this run, and has changed nothing before it that means anything. */
static void check_chunk(const struct tlog_chunk *chunk, uint32_t size, uint32_t slots, uint32_t emergency)
{
    const uint32_t at = (uint32_t)((uintptr_t)chunk - (uintptr_t)__start_tlog_chunks);
    const uint32_t seal = TLOG_HEADER_BYTES + (slots + 1u + emergency) * TLOG_SLOT_BYTES + TLOG_CLAIMS * 4u;
    CHECK(tlog_ring_is_chunk(chunk) && chunk->boot == tlog_ring_boot && chunk->buf_size == size);
    const uint32_t same =
        TLOG_FORMS ? TLOG_CURSOR_OFFSET + (chunk->cursor >> TLOG_CURSOR_SHIFT) * TLOG_SLOT_BYTES : seal;
    const uint32_t changing = TLOG_CURSOR_OFFSET + TLOG_SLOT_BYTES; /* the cursor is parked */
    CHECK(memcmp(chunk, (const char *)before + at, TLOG_CURSOR_OFFSET) == 0);
    CHECK(same <= changing
          || memcmp((const char *)chunk + changing, (const char *)before + at + changing, same - changing) == 0);
    CHECK(((const struct tlog_seal *)((uintptr_t)chunk + seal))->magic == TLOG_WIRE_SEAL);
}

static uint32_t sent;

static int count_bytes(void *ctx, const void *memory, uint32_t length)
{
    (void)ctx, (void)memory;
    sent += length;
    return length <= TLOG_DUMP_PIECE ? 0 : -1;
}

static void try_layout(uint32_t at, uint32_t slots)
{
    static const struct tlog_sink sink = {count_bytes, NULL};
    memset(__start_tlog_chunks, 0, bytes());
    put_chunk(at, slots, 7);
    reset();
    log_one();
    name_one();
    tlog_disable(); /* or the dump begins with a mark */
    memcpy(before, __start_tlog_chunks, bytes());
    test_note("at", at);
    test_note("slots", slots);
    sent = 0;
    CHECK(tlog_dump(&sink) == 0 && sent == bytes());
    check_chunk(tlog_ring_first(&tlog_cpu0), CHUNK, TLOG_SLOTS, TLOG_EMERGENCY_SLOTS);
    if (!test_has_failed())
        check_chunk(tlog_ring_first(&names[0]), NAMES, TLOG_NAME_SLOTS, 0);
}

/* Chunks of every size at every place. */
static void test_layouts(void)
{
    for (uint32_t at = 0; at + TLOG_CHUNK_BYTES(1u, 0u) <= bytes(); at += TLOG_SLOT_BYTES)
        for (uint32_t slots = 1; at + TLOG_CHUNK_BYTES(slots, 0u) <= bytes() && !test_has_failed(); slots++)
            try_layout(at, slots);
}

int main(void)
{
    fresh = tlog_cpu0;
    fresh_names = names[0];
    if (bytes() > sizeof(before))
        return 1;
    test_run("chunks one behind the other", test_behind);
    test_run("every run has a number of its own", test_numbers);
    test_run("names of any length in any order", test_names);
    test_run("chunks of firmware with another layout", test_layouts);
    return test_end();
}
