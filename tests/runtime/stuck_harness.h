/* stuck_harness.h - what stuck.c and dead.c log, in threads that are stopped, and how they read the ring and check it.
 *
 * Definitions of one test, in a file of their own. */
#ifndef RUNTIME_STUCK_HARNESS_H
#define RUNTIME_STUCK_HARNESS_H

#ifndef TEST_TURNS
#define TEST_TURNS 4
#endif
#include "tlog.h"
#include "src/tlog_ring_impl.h"

#include "lib/claims.h"
#include "lib/passed.h"
#include "lib/test.h"
#include "lib/threads.h"

enum {
#ifdef __arm__
    EVENTS = 256, /* of so many newest ones the test knows more than their number */
#else
    EVENTS = 16384,
#endif
    SALT = 0x5A000000,
    CHUNK = TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS),
    RING = TLOG_SLOTS * TLOG_CHUNKS
};

extern uint32_t __start_tlog_chunks[], __stop_tlog_chunks[];

static struct tlog_cpu fresh;
static uint32_t logged;             /* calls begun */
static uint32_t lengths[EVENTS];    /* words of each event; 0: a record */
static bool returned[EVENTS];       /* this and the others: of event n at n % EVENTS */
static bool was_stopped_in[EVENTS]; /* logged by a thread that may have been stopped */

static bool same_heads; /* all records have the same par1 */

/* The low half of n, of a record. */
static uint32_t par1_of(uint32_t n)
{
    return same_heads ? 7u : n & 0xFFFFu;
}

/* Event n has so many words, each n | SALT; or it is a record with par1 = n, par2 = n | SALT. */
static void log_event(uint32_t n, uint32_t length)
{
    if (length == 0)
        tlog_record_call(FTrace_EVT_user_event_0, par1_of(n), n | SALT);
#if TLOG_TRACEEVENTS
    uint32_t words[20];
    for (uint32_t i = 0; i < 20u; i++)
        words[i] = n | SALT;
    if (length == 2u)
        trace_logi(1, n | SALT, n | SALT);
    else if (length > 2u)
        tlog_event_words(TLOG_TRACE_USER, 1, words, length);
#endif
    if (logged - n <= EVENTS)
        returned[n % EVENTS] = true;
}

/* The number of the next event. */
static uint32_t next_event(uint32_t length)
{
    lengths[logged % EVENTS] = length;
    returned[logged % EVENTS] = false;
    was_stopped_in[logged % EVENTS] = false;
    return logged++;
}

static void log_one(uint32_t length)
{
    const uint32_t n = next_event(length);
    log_event(n, length);
}

static void log_many(uint32_t count)
{
    static const uint32_t order[] = {2, 0, 5, 0, 2};
    for (uint32_t i = 0; i < count; i++)
        log_one(TLOG_TRACEEVENTS ? order[i % 5u] : 0);
}

static uint32_t stopped_length, stopped_event[TURNS], length_of_stopped[TURNS];

static void stopped_call(int number)
{
    log_event(stopped_event[number], length_of_stopped[number]);
    turns[number].has_ended = true;
}

/* The thread's event will have stopped_length words. */
static void prepare(uint32_t number)
{
    stopped_event[number] = next_event(stopped_length);
    length_of_stopped[number] = stopped_length;
    was_stopped_in[stopped_event[number] % EVENTS] = true;
}

static void begin(uint32_t number)
{
    prepare(number);
    turn_begin(number, stopped_call);
}

#ifdef __arm__
static void copy(void *to, const void *from, size_t bytes)
{
    const uint32_t *word = from;
    for (uint32_t *at = to; bytes > 0; bytes -= 4u)
        *at++ = *word++;
}

static void test_keep(bool restore)
{
    static uint32_t chunks[CHUNK * TLOG_CHUNKS / 4u];
    static struct tlog_cpu cpu;
    copy(restore ? __start_tlog_chunks : chunks, restore ? chunks : __start_tlog_chunks, sizeof chunks);
    copy(restore ? &tlog_cpu0 : &cpu, restore ? &cpu : &tlog_cpu0, sizeof cpu);
    if (restore)
        passed_restore();
    else
        passed_keep();
    returned[(logged - 1u) % EVENTS] = false;
}
#endif

static void fill(void *at, uint8_t value, size_t bytes)
{
    for (uint8_t *byte = at; bytes > 0; bytes--)
        *byte++ = value;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static struct found {
    uint32_t kept, claimed, unfinished, passed, last_number;
    uint64_t last;
    bool any;
} found;
static bool seen[EVENTS];

static const struct tlog_chunk *chunk_at(uint32_t number)
{
    return (const struct tlog_chunk *)((uintptr_t)tlog_ring_first(&tlog_cpu0) + number * CHUNK);
}

static const uint32_t *slot_at(const struct tlog_chunk *chunk, uint32_t s)
{
    return &chunk->cursor + s * 4u;
}

static bool is_traceevent(const uint32_t *slot)
{
    return (slot[TLOG_WORD_HEAD] & TLOG_CLASS_MASK) != 0;
}

static bool continues(const uint32_t *slot)
{
    return is_traceevent(slot) && slot[TLOG_WORD_HEAD] >> TLOG_STRUCT_SHIFT >= TLOG_STRUCT_CC;
}

/* Whether event n was logged by a thread that was stopped long before. */
static bool was_stopped_long(uint32_t n)
{
    bool is_so = false;
    for (uint32_t i = 0; i < TURNS; i++)
        is_so |= stopped_event[i] == n;
    return is_so;
}

/* Take event n, found in a slot, whose time must not be before that of the event ahead of it. */
static void take(const uint32_t *slot, uint32_t n)
{
    const uint32_t low = slot[TLOG_WORD_LOW];
    const bool is_old = logged - n > EVENTS;
    CHECK(n < logged && (is_old ? was_stopped_long(n) : !seen[n % EVENTS]));
    seen[n % EVENTS] |= !is_old;
    found.kept++;
    if (TLOG_MINIMAL && (is_old || was_stopped_in[n % EVENTS]))
        return;
    CHECK(!found.any || low - (uint32_t)found.last < 0x80000000u);
    found.last = low;
    found.any = true;
}

static void take_record(const uint32_t *slot, uint32_t n)
{
    CHECK(slot[TLOG_WORD_HEAD] >> 16 == par1_of(n));
    take(slot, n);
}

/* The slots of the traceevent that begins at slot s, of `end` - s at most; 0: it is not whole. */
static uint32_t traceevent_slots(const struct tlog_chunk *chunk, uint32_t s, uint32_t end, uint32_t tag)
{
    const uint32_t *slot = slot_at(chunk, s), n = slot[0] ^ SALT;
    const uint32_t count = n < logged ? TLOG_TRACE_SLOTS(lengths[n % EVENTS]) : 0;
    for (uint32_t i = 1; i < count; i++)
        if (s + i >= end || !continues(slot + 4u * i) || (slot[4u * i + TLOG_WORD_HEAD] & TLOG_TAG_MASK) != tag
            || slot[4u * i + TLOG_WORD_LOW] != slot[TLOG_WORD_LOW] || slot[4u * i] != slot[0])
            return 0;
    return count;
}

/* Whether a slot has an event that log_event() did not log: a loss, a priority, or a text, which begins with "abcd". */
static bool is_others(const uint32_t *slot)
{
    const uint32_t code = slot[TLOG_WORD_HEAD] & TLOG_RECORD_CODE;
    if (is_traceevent(slot))
        return slot[0] == 0x64636261u;
    return code == TLOG_RECORD_LOSS || (code == FTrace_EVT_set_priority && slot[TLOG_WORD_HEAD] >> 16 < 5u);
}

/* Read slots from..to-1 of a lap with that tag. */
static void read_range(const struct tlog_chunk *chunk, uint32_t lap, uint32_t index, uint32_t from, uint32_t to,
                       uint32_t tag)
{
    bool is_rest = from > 1u; /* of an event whose first slot is not there */
    for (uint32_t s = from, n = 1; s < to && !test_has_failed(); s += n, n = 1) {
        const uint32_t *slot = slot_at(chunk, s), head = slot[TLOG_WORD_HEAD];
        if (is_claimed(chunk, lap, index, s)) {
            found.claimed++;
            is_rest = true;
        } else if ((head & TLOG_TAG_MASK) != tag || (s == index && head == tag)) { /* or emptied, for the next event */
            found.unfinished++;
            is_rest = true;
        } else if (!is_rest || !continues(slot)) {
            is_rest = false;
            if (!is_traceevent(slot) && !is_others(slot)) {
                take_record(slot, slot[TLOG_WORD_PAR2] ^ SALT);
            } else if (is_others(slot)) {
                is_rest = true;
            } else if ((head & TLOG_CLASS_MASK) >> TLOG_CLASS_SHIFT != TLOG_CLASS_CONTROL) {
                n = traceevent_slots(chunk, s, to, tag);
                CHECK(n > 0);
                take(slot, slot[0] ^ SALT);
                n += n == 0;
            }
        }
    }
}

struct view {
    const struct tlog_chunk *chunk;
    uint32_t lap, index, tag;
};

static struct view view_of(uint32_t number)
{
    const struct tlog_chunk *chunk = chunk_at(number);
    struct view view = {chunk, chunk->lap >> TLOG_LAP_SHIFT, chunk->cursor >> TLOG_CURSOR_SHIFT,
                        chunk->cursor & TLOG_TAG_MASK};
    const uint32_t counted = chunk->lap & TLOG_TAG_MASK;
    view.lap += view.tag != TLOG_TAG_MASK && view.tag != counted;
    view.tag = view.tag == TLOG_TAG_MASK ? counted : view.tag;
    return view;
}

static uint32_t youngest(void)
{
    uint32_t at = 0;
    for (uint32_t i = 1; i < TLOG_CHUNKS; i++)
        if (view_of(i).lap >= view_of(at).lap && view_of(i).lap > 0)
            at = i;
    return at;
}

/* Read all chunks, the oldest lap first. Returns the events that the counts tell: all that were logged and dropped. */
static uint32_t read_all(void)
{
    found = (struct found){0};
    fill(seen, 0, logged < EVENTS ? logged : EVENTS);
    if (!tlog_ring_is_open(&tlog_cpu0))
        return 0;
    const uint32_t last = youngest();
    uint32_t events = tlog_dropped();
    for (uint32_t i = 0; i <= TLOG_CHUNKS; i++) {
        struct view view = view_of((last + i) % TLOG_CHUNKS);
        if (i == 0 && view.lap > 1u)
            read_range(view.chunk, view.lap, view.index, view.index, TLOG_SLOTS + 1u, view.tag ^ TLOG_TAG_MASK);
        if (i == 0 || view.lap == 0)
            continue;
        events += (view.lap - 1u) * TLOG_SLOTS + view.index - 1u - view.chunk->extra;
        read_range(view.chunk, view.lap, view.index, 1, view.index, view.tag);
    }
    return events;
}

static void start_anew(uint32_t filled)
{
    fill(__start_tlog_chunks, 0xA5, (uintptr_t)__stop_tlog_chunks - (uintptr_t)__start_tlog_chunks);
    tlog_cpu0 = fresh;
    tlog_ring_boot = 0;
    fill(tlog_ring_told_at, 0, sizeof tlog_ring_told_at);
    passed_clear();
    logged = 0;
    for (uint32_t i = 0; i < filled; i++)
        log_one(0);
}

/* The newest events are all there, but for those of stopped threads. `lost` slots are not available. */
static void check_newest(uint32_t lost)
{
    uint32_t slots = 0;
    for (uint32_t n = logged; n-- > 0 && !test_has_failed();) {
        slots += lengths[n % EVENTS] > 2u ? TLOG_TRACE_SLOTS(lengths[n % EVENTS]) * 2u - 1u : 1u; /* PADs, too */
        if (slots + lost + 2u * TLOG_TRACEEVENTS * (TLOG_CHUNKS + 1u) >= (uint32_t)RING)
            break;
        CHECK(seen[n % EVENTS] || !returned[n % EVENTS]);
    }
}

static void check(uint32_t not_returned, uint32_t lost)
{
    const uint32_t events = read_all();
    CHECK(events - logged + not_returned <= 2u * not_returned);
    CHECK(tlog_dropped() == 0);
    check_newest(lost);
}

static inline void check_all_back(void)
{
    CHECK(found.unfinished == 0 && found.claimed == 0);
}

static inline void check_none_dead(void)
{
    read_all();
    CHECK(found.claimed == 0 && found.unfinished == 0);
}

/* ---- threads that are stopped at a certain place ----------------------------------------------------------------- */

static uint32_t random_state = 1;

static inline uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

static uint32_t stop_at; /* the index to which the thread that stops moves the cursor */

static inline bool has_reserved(void)
{
    return *tlog_cpu0.cursor >> TLOG_CURSOR_SHIFT == stop_at;
}

/* Stop a thread that has reserved slot s, which is free. */
static inline void stop_owner_of(uint32_t number, uint32_t s)
{
    stopped_length = 0;
    stop_at = s + 1u;
    prepare(number);
    run_until(number, stopped_call, has_reserved);
    CHECK(!turns[number].has_ended);
}

static inline uint32_t next_slot(void)
{
    const uint32_t index = *tlog_cpu0.cursor >> TLOG_CURSOR_SHIFT;
    return index > TLOG_SLOTS ? 1u : index;
}

static inline void fill_lap(void)
{
    while (*tlog_cpu0.cursor >> TLOG_CURSOR_SHIFT <= TLOG_SLOTS)
        log_one(0);
}

/* As if the chunk had begun so many more laps, an even number. */
static inline void skip_laps(uint32_t laps)
{
    ((struct tlog_chunk *)(uintptr_t)chunk_at(0))->lap += laps << TLOG_LAP_SHIFT;
    log_many(3u * RING);
    read_all();
}

#endif
