/* form.c - memory of any content becomes chunks while the first lap is written.
 *
 * The memory holds noise, ones, an earlier run, or chunks of other firmware. At each step of each of the first events,
 * and behind it, the memory must show only events of this run, none twice and none that was not logged; and all that
 * were. A chunk of the earlier run is there as that run left it, or not at all. An interrupt at each step logs as well,
 * and its events stay there while the call that it interrupted goes on. An event that needs several slots is not
 * dropped.
 *
 * Nor may a reader find damage there, at any moment: half a header, a seal above what it is not of, a chunk whose end
 * does not show. The header's constant words are stored plainly, without a step between them: so the compiler calls
 * this test ahead of each store, too (HOW_form in tests/module.mk). */
#include "tlog.h"
#include "src/tlog_form.h"

#include <string.h>

#include "lib/claims.h"
#include "lib/marks.h"
#include "lib/test.h"
#include "stores.h"

enum { CHUNK = TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS), RING = TLOG_CHUNKS * TLOG_SLOTS, SLOT_WORDS = 4 };
enum { AHEAD = TLOG_LAP_SLOTS, OLD = 1 << 16, MOST = 3 * RING + 9 };
enum { MARK_NEAR = 64 };
enum { BLOCK = TLOG_BLOCK_SLOTS, GAP = 14 };

static struct tlog_cpu fresh;
static uint32_t logged;     /* calls that were begun */
static uint32_t salt;       /* of this run's events */
static uint32_t steps_left; /* until the interrupt comes */
static uint32_t burst;      /* events that it logs */
static uint32_t starts;     /* calls of tlog_start() that were interrupted */
static bool starts_again;   /* the interrupt calls it, too */
static bool is_looking, watches, was_interrupted;
static bool has_looked;       /* and nothing was stored since */
static bool is_step;          /* the store that follows is one with the step */
static uint32_t irq_event;    /* the first event of an interrupt that has ended, plus 1; 0: there is none */
static uint32_t soiled[4096]; /* the memory as this run found it */

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static const struct tlog_chunk *chunk_at(uint32_t number)
{
    return (const void *)((const char *)tlog_cpu0.ring->first + number * CHUNK);
}

/* Whether a reader takes it for a chunk of this run. */
static bool is_there(uint32_t number)
{
    const struct tlog_chunk *chunk = chunk_at(number);
    return tlog_ring_boot != 0 && tlog_ring_is_chunk(chunk) && chunk->boot == tlog_ring_boot;
}

/* The lap that these two words tell. */
static uint32_t lap_by(uint32_t lap, uint32_t cursor)
{
    return (lap >> TLOG_LAP_SHIFT) + ((cursor & lap & TLOG_TAG_MASK) == 0);
}

static uint32_t lap_of(uint32_t number)
{
    return is_there(number) ? lap_by(chunk_at(number)->lap, chunk_at(number)->cursor) : 0;
}

static struct {
    uint32_t events, unfinished, claimed, next; /* next: one more than the number of the last event */
    bool any, seen[5 * RING + 64];
} found;

static void read_slot(const uint32_t *slot, uint32_t tag)
{
    const uint32_t head = slot[TLOG_WORD_HEAD], cls = (head & TLOG_CLASS_MASK) >> TLOG_CLASS_SHIFT;
    if ((head & TLOG_TAG_MASK) == TLOG_TAG_MASK && found.claimed < starts * BLOCK) {
        found.claimed++;
        return;
    }
    if ((head & TLOG_TAG_MASK) != tag) {
        CHECK((head & TLOG_TAG_MASK) == (tag ^ TLOG_TAG_MASK)); /* not the mark, and no noise */
        found.unfinished++;
        return;
    }
    if (cls == TLOG_CLASS_CONTROL || (cls != 0 && head >> TLOG_STRUCT_SHIFT >= TLOG_STRUCT_CC))
        return;
    if (cls == 0 && starts > 0 && (head & TLOG_RECORD_CODE) == TLOG_RECORD_LOSS)
        return;
    if (cls == 0 && (marks_is_one(slot) || marks_is_pause(slot)))
        return;
    CHECK(slot[0] - salt < logged && !found.seen[slot[0] - salt]); /* an event of this run */
    if (test_has_failed())
        return;
    CHECK(was_interrupted || !found.any || slot[0] - salt == found.next);
    found.seen[slot[0] - salt] = true;
    found.next = slot[0] - salt + 1u;
    found.any = true;
    found.events++;
}

static void read_range(const struct tlog_chunk *chunk, uint32_t from, uint32_t to, uint32_t tag)
{
    for (uint32_t i = from; i < to && !test_has_failed(); i++)
        read_slot(&chunk->cursor + i * SLOT_WORDS, tag);
}

static void read_all(void)
{
    uint32_t last = 0;
    memset(&found, 0, sizeof found);
    for (uint32_t i = 1; i < TLOG_CHUNKS; i++)
        last = lap_of(i) > 0 && lap_of(i) >= lap_of(last) ? i : last;
    for (uint32_t i = 0; i <= TLOG_CHUNKS && !test_has_failed(); i++) {
        const uint32_t number = (last + i) % TLOG_CHUNKS, lap = lap_of(number);
        const struct tlog_chunk *chunk = chunk_at(number);
        const uint32_t index = chunk->cursor >> TLOG_CURSOR_SHIFT, tag = lap & 1u ? TLOG_TAG_ODD : TLOG_TAG_EVEN;
        CHECK(lap == 0 || (chunk->dropped <= 2u * starts && chunk->trigger == 0 && chunk->lap_high == 0));
        if (i == 0 && lap > 1u)
            read_range(chunk, index, TLOG_SLOTS + 1u, tag ^ TLOG_TAG_MASK);
        if (i > 0 && lap > 0)
            read_range(chunk, 1, index, tag);
    }
    CHECK(found.events <= logged && found.unfinished <= 24u);
}

/* The header and the slots of a chunk that is not this run's are what they were. */
static void check_earlier(uint32_t number)
{
    const char *chunk = (const char *)chunk_at(number);
    const char *was = (const char *)soiled + (chunk - (const char *)__start_tlog_chunks);
    const uint32_t bytes = (uint32_t)sizeof(struct tlog_chunk) + TLOG_SLOTS * SLOT_WORDS * 4u;
    CHECK(!tlog_ring_is_chunk(chunk_at(number)) || is_there(number) || memcmp(was, chunk, bytes) == 0);
}

/* ---- what a reader would take for damage: FORMAT.md, sections 2.6 and 4 ------------------------------------------ */

static const struct tlog_seal *seal_of(uint32_t number)
{
    return (const void *)((const char *)chunk_at(number) + tlog_cpu0.ring->seal);
}

static bool is_right(const struct tlog_seal *seal)
{
    const uint32_t *groups = (const uint32_t *)(seal + 1), *notes = (const uint32_t *)(const void *)seal - TLOG_CLAIMS;
    uint32_t crc = tlog_ring_crc(~0u, &seal->magic, 11);
    crc = tlog_ring_crc(crc, notes, TLOG_CLAIMS);
    return seal->magic == TLOG_WIRE_SEAL && ~tlog_ring_crc(crc, groups, TLOG_GROUPS(TLOG_SLOTS)) == seal->crc;
}

/* A right seal stands behind a right header, and is no newer. As long as nothing was logged its groups are right. */
static void check_seal(uint32_t number)
{
    const struct tlog_chunk *chunk = chunk_at(number);
    const struct tlog_seal *seal = seal_of(number);
    const uint32_t *slots = (const uint32_t *)(chunk + 1), *crc = (const uint32_t *)(seal + 1);
    if (seal->magic != TLOG_WIRE_SEAL || !is_right(seal))
        return;
    const uint32_t lap = lap_by(chunk->lap, chunk->cursor), was = lap_by(seal->lap, seal->cursor);
    CHECK(tlog_ring_is_chunk(chunk));
    CHECK(was < lap || (was == lap && seal->cursor >> TLOG_CURSOR_SHIFT <= chunk->cursor >> TLOG_CURSOR_SHIFT));
    if (seal->lap != chunk->lap || seal->cursor != chunk->cursor)
        return;
    for (uint32_t n, left = TLOG_SLOTS; left > 0; left -= n, slots += n * SLOT_WORDS) {
        n = left < TLOG_GROUP_SLOTS ? left : TLOG_GROUP_SLOTS;
        CHECK(~tlog_ring_crc(~0u, slots, n * SLOT_WORDS) == *crc++);
    }
}

/* The end of a chunk of this run is shown in laps 0 and 1: the mark stands behind empty slots, not far off, or at the
 * end. */
static void check_end(uint32_t number)
{
    const struct tlog_chunk *chunk = chunk_at(number);
    const uint32_t lap = lap_of(number), *end = (const uint32_t *)(chunk + 1) + TLOG_SLOTS * SLOT_WORDS;
    uint32_t i = lap == 0 ? 1u : chunk->cursor >> TLOG_CURSOR_SHIFT;
    const uint32_t last = i <= MARK_NEAR && i + MARK_NEAR - 1u < TLOG_SLOTS + 1u ? i + MARK_NEAR - 1u : TLOG_SLOTS + 1u;
    if (!is_there(number) || lap > 1u)
        return;
    if (i > MARK_NEAR)
        CHECK((end[0] | end[1] | end[2]) == 0 && end[TLOG_WORD_HEAD] == TLOG_TAG_MASK);
    else
        while (i < last && (&chunk->cursor)[i * SLOT_WORDS + TLOG_WORD_HEAD] == TLOG_SLOT_EMPTY)
            i++;
    const uint32_t head = (&chunk->cursor)[i * SLOT_WORDS + TLOG_WORD_HEAD];
    CHECK(i > MARK_NEAR || head == TLOG_TAG_MASK || (starts > 0 && head == TLOG_SLOT_CLAIMED)
          || (i == last && end[TLOG_WORD_HEAD] == TLOG_TAG_MASK));
}

/* What holds at each step. */
static void look(void)
{
    read_all();
    CHECK(irq_event == 0 || (found.seen[irq_event - 1u] && found.seen[irq_event]));
    for (uint32_t i = 0; i < TLOG_CHUNKS; i++) {
        const struct tlog_chunk *chunk = chunk_at(i);
        CHECK(chunk->magic != TLOG_WIRE_MAGIC || chunk->tag != TLOG_WIRE_TAG || tlog_ring_is_chunk(chunk));
        check_earlier(i);
        check_seal(i);
        check_end(i);
    }
}

/* Look, unless the store follows right behind a step: the store-exclusive of both is one. */
static void look_once(void)
{
    if (!is_looking && !has_looked && !test_has_failed()) {
        is_looking = true;
        look();
        is_looking = false;
    }
    has_looked = false;
}

/* An interrupt in front of a store to the chunks, or of a step. */
static void come(void);

static void at_store(bool is_chunks)
{
    if (watches && is_chunks)
        look_once();
    if (starts > 0 && is_chunks && !is_looking && !is_step)
        come();
    is_step = false;
}

/* No call is going on: the newest events are there, and in the first lap all. */
static void check_rest(void)
{
    const struct tlog_chunk *home = tlog_ring_home(&tlog_cpu0);
    read_all();
    CHECK(found.unfinished == 0 && found.next == logged);
    CHECK(lap_of(0) > 1u || found.events == logged);
    CHECK(tlog_ring_is_finished(home));
    for (const struct tlog_chunk *chunk = tlog_chunk_behind(NULL); chunk != NULL; chunk = tlog_chunk_behind(chunk))
        CHECK(chunk->boot == tlog_ring_boot || (uintptr_t)chunk >= (uintptr_t)chunk_at(TLOG_CHUNKS));
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void log_event(uint32_t slots)
{
    uint32_t words[16] = {logged + salt};
    logged++;
#if TLOG_TRACEEVENTS
    if (slots > 0)
        tlog_event_words_any(TLOG_TRACE_USER, 1, words, slots * 2u);
    else
        trace_logi(1, words[0], 0);
#else
    (void)slots;
    tlog_record_call(FTrace_EVT_user_event_0, 7, words[0]);
#endif
}

static void step(void)
{
    if (is_looking)
        return;
    has_looked = false;
    if (watches)
        look_once();
    has_looked = watches;
    come();
    is_step = true;
}

static void come(void)
{
    if (steps_left == 0 || --steps_left > 0)
        return;
    was_interrupted = true;
    if (starts_again)
        tlog_start();
    for (uint32_t i = 0; i < burst; i++)
        log_event(0);
    irq_event = burst == 2u ? logged - 1u : 0;
    tlog_posix_watching = false;
}

/* A sink that copies nothing. */
static int take(void *ctx, const void *bytes, uint32_t length)
{
    (void)ctx, (void)bytes, (void)length;
    return 0;
}

static const struct tlog_sink sink = {take, NULL};

/* ---- what the memory held before --------------------------------------------------------------------------------- */

enum { ZEROS, ONES, NOISE, RUN, HEADERS, MARKS, KINDS };

static uint32_t *memory_end(void)
{
    return __stop_tlog_chunks;
}

/* A chunk of firmware with another layout, in lap 1, with events in all slots. */
static void put_chunk(uint32_t *at, uint32_t slots)
{
    struct tlog_chunk *chunk = (struct tlog_chunk *)(void *)at;
    memcpy(chunk, tlog_cpu0.ring->pattern, sizeof(tlog_cpu0.ring->pattern));
    chunk->self = (uint32_t)(uintptr_t)chunk;
    chunk->self_high = (uint32_t)((uint64_t)(uintptr_t)chunk >> 32);
    chunk->slots = slots;
    chunk->buf_size = TLOG_CHUNK_BYTES(slots, chunk->emergency);
    chunk->boot = 0x77777777u;
    chunk->check = tlog_ring_check(chunk);
}

static void soil(uint32_t kind)
{
    static uint32_t old[4096];
    const size_t bytes = (uintptr_t)memory_end() - (uintptr_t)__start_tlog_chunks;
    uint32_t noise = 0x2545F491u;
    for (uint32_t *word = __start_tlog_chunks; word < memory_end(); word++) {
        noise = noise * 1664525u + 1013904223u;
        *word = kind == ONES ? ~0u : kind == NOISE ? noise : kind == MARKS ? 0x300u : 0;
    }
    for (uint32_t *at = __start_tlog_chunks; kind == HEADERS && at + 64 < memory_end(); at += 40)
        put_chunk(at, 1);
    if (kind != RUN)
        return;
    if (old[0] == 0) { /* an earlier run has gone round three times, and was dumped */
        salt = OLD;
        for (uint32_t i = 0; i < MOST; i++)
            log_event(0);
        CHECK(tlog_dump(&sink) == 0);
        memcpy(old, __start_tlog_chunks, bytes);
    }
    memcpy(__start_tlog_chunks, old, bytes);
}

static void start_anew(uint32_t kind)
{
    tlog_cpu0 = fresh;
    tlog_ring_boot = logged = steps_left = starts = 0;
    burst = 2;
    watches = was_interrupted = starts_again = false;
    irq_event = 0;
    soil(kind);
    memcpy(soiled, __start_tlog_chunks, (uintptr_t)memory_end() - (uintptr_t)__start_tlog_chunks);
    tlog_cpu0 = fresh;
    tlog_ring_boot = logged = steps_left = 0;
    salt = 0;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* Events one behind the other, looked at in each step. */
static void test_plain(void)
{
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        start_anew(kind);
        test_note("kind", kind);
        watches = true;
        for (uint32_t i = 0; i < MOST && !test_has_failed(); i++) {
            test_note("events", i);
            log_event(0);
            check_rest();
        }
    }
}

/* An interrupt with two events at each step. */
static void test_interrupts(void)
{
    for (uint32_t kind = 0; kind < KINDS; kind++)
        for (uint32_t filled = 0; filled < RING + TLOG_SLOTS + 3u; filled++)
            for (uint32_t at = 1; !test_has_failed(); at++) {
                start_anew(kind);
                test_note("kind", kind);
                test_note("filled", filled);
                test_note("step", at);
                for (uint32_t i = 0; i < filled; i++)
                    log_event(0);
                watches = true;
                steps_left = at;
                log_event(0);
                const bool came = steps_left == 0;
                steps_left = 0;
                for (uint32_t i = 0; i < 3u; i++)
                    log_event(0);
                read_all();
                CHECK(found.unfinished == 0 && found.next == logged && found.seen[logged - 2u]);
                CHECK(lap_of(0) > 1u || found.events == logged);
                if (!came)
                    break;
            }
}

/* Events of several slots: none is dropped, whatever stands behind the mark. */
static void test_sizes(void)
{
    for (uint32_t kind = 0; TLOG_TRACEEVENTS && kind < KINDS; kind++)
        for (uint32_t filled = 0; filled < RING + 3u; filled++)
            for (uint32_t slots = 1; slots <= 8u && slots + AHEAD <= TLOG_SLOTS; slots++)
                for (uint32_t at = 1; !test_has_failed(); at++) {
                    start_anew(kind);
                    test_note("filled", filled);
                    test_note("slots", slots);
                    test_note("step", at);
                    for (uint32_t i = 0; i < filled; i++)
                        log_event(0);
                    steps_left = at;
                    log_event(slots);
                    const bool came = steps_left == 0;
                    steps_left = 0;
                    log_event(slots);
                    CHECK(tlog_dropped() == 0);
                    read_all();
                    CHECK(found.unfinished == 0);
                    if (!came)
                        break;
                }
}

/* A dump seals the chunks that are there, and only them; no seal stands above a slot that is formatted later. */
static void test_dump(void)
{
    for (uint32_t kind = 0; kind < KINDS; kind++)
        for (uint32_t filled = 1; filled < MOST && !test_has_failed(); filled++) {
            start_anew(kind);
            test_note("kind", kind);
            test_note("filled", filled);
            for (uint32_t i = 0; i < filled; i++)
                log_event(0);
            CHECK(tlog_dump(&sink) == 0);
            for (uint32_t i = 0; i < TLOG_CHUNKS; i++)
                CHECK(lap_of(i) == 0 || (is_right(seal_of(i)) && seal_of(i)->cursor == chunk_at(i)->cursor));
            check_rest();
            watches = true;
            log_event(8); /* so it may take a step while the seal still is that of the chunk */
            check_rest();
        }
}

/* tlog_start() behind some events, with an interrupt at each step and at each store, which logs up to two laps, or
 * calls tlog_start(), too. All events are there; at most a block of slots is claimed, and only if the interrupt has
 * come by; and no slot is left to format. */
static void try_start(uint32_t kind, uint32_t filled, uint32_t events, uint32_t at)
{
    start_anew(kind);
    test_note("kind", kind);
    test_note("filled", filled);
    test_note("burst", events);
    test_note("step", at);
    for (uint32_t i = 0; i < filled; i++)
        log_event(0);
    starts = 1;
    burst = events;
    starts_again = events % 2u != 0;
    steps_left = at;
    watches = events == 2u && at % 3u == 0;
    tlog_start();
    watches = false;
}

static void test_start(void)
{
    static const uint32_t bursts[] = {0, 1, 2, 3, TLOG_SLOTS / 2, TLOG_SLOTS - 9, RING + 1, 2 * RING + 2};
    for (uint32_t kind = NOISE; kind <= RUN; kind++)
        for (uint32_t i = 0; i < sizeof bursts / sizeof *bursts; i++)
            for (uint32_t filled = 0; filled <= TLOG_SLOTS + 1u; filled += filled < 3u ? 1u : 13u)
                for (uint32_t at = 1; !test_has_failed(); at++) {
                    try_start(kind, filled, bursts[i], at);
                    const bool came = steps_left == 0;
                    steps_left = 0;
                    CHECK(!came || tlog_cpu0.block == NULL);
                    CHECK(tlog_cpu0.formed == TLOG_FORMED_ALL);
                    for (uint32_t j = 0; j < RING + 3u; j++)
                        log_event(0);
                    CHECK(tlog_dropped() == 0 || (bursts[i] > GAP && tlog_dropped() <= 2u));
                    read_all();
                    CHECK(found.next == logged && found.events + BLOCK + 2u >= RING - AHEAD * TLOG_CHUNKS);
                    CHECK(was_interrupted || found.unfinished == 0);
                    if (!came)
                        break;
                }
}

int main(void)
{
    fresh = tlog_cpu0;
    tlog_posix_interrupt = step;
    test_run("looked at in each step", test_plain);
    test_run("an interrupt in each step", test_interrupts);
    test_run("events of several slots", test_sizes);
    test_run("dumps", test_dump);
    test_run("tlog_start(), interrupted", test_start);
    return test_end();
}
