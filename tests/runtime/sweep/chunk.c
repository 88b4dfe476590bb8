/* chunk.c - chunks made at run time, on the target: an interrupt in front of every instruction of every call that logs
 * or that acts on chunks, by interrupts that make the same calls.
 *
 * It works like runtime/sweep/ring.c, which describes how. A sent chunk is copied as a sink would copy it, and read
 * after the schedule together with the memory: no event may be found in two places, or twice in one, and those found
 * nowhere are the dropped and the overwritten ones. */
#include "runtime/chunk_ops.h"
#include "runtime/chunk_read.h"
#include "lib/logged.h"
#include "run.h"
#include "lib/test.h"
#include "lib/irq.h"
#include "tlog.h"

#include <stddef.h>

enum { SLOTS = CHUNK_SLOTS, NUMBERS = CHUNKS + 1 };

static struct tlog_chunk *default_ring(void)
{
    return tlog_cpu0.ring->first;
}

static bool is_current(const struct tlog_chunk *chunk)
{
    return ((volatile struct tlog_cpu *)&tlog_cpu0)->cursor == &chunk->cursor;
}

static uint32_t number_of(const struct tlog_chunk *chunk)
{
    return chunk->place >> 8 & 0xFFu;
}

/* ---- sending ----------------------------------------------------------------------------------------------------- */

enum { SENT_MAX = 4 };

static struct sent {
    struct chunk_view view;
    struct tlog_slot slots[SLOTS];
} sent[SENT_MAX];
static uint32_t sent_count;
static volatile uint32_t is_being_sent[NUMBERS];

const struct sweep_memory sweep_own_memory[] = {
    {sent, sizeof(sent) / 4u},
    {&sent_count, 1},
    {(void *)(uintptr_t)is_being_sent, NUMBERS},
    {NULL, 0},
};

static void copy_slots(struct tlog_slot *to, const struct tlog_slot *from)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        const volatile uint32_t *word = from[i].word;
        volatile uint32_t *copy = to[i].word;
        copy[0] = word[0];
        copy[1] = word[1];
        copy[2] = word[2];
        copy[TLOG_WORD_HEAD] = word[TLOG_WORD_HEAD]; /* last: its tag says whether the other words are valid */
    }
}

static int copy_chunk(const struct tlog_chunk *chunk)
{
    const volatile struct tlog_chunk *now = chunk;
    bool was_current =
        is_current(chunk); /* current is read before the cursor: an interrupt between the two may leave the chunk */
    uint32_t cursor = now->cursor, number = number_of(chunk), place = tlog_ring_add(&sent_count, 1u);
    if (number >= NUMBERS || is_being_sent[number] || place >= SENT_MAX || !(now->flags & TLOG_CHUNK_BUSY)) {
        test_fail(__FILE__, __LINE__, "a chunk is sent by one at a time");
        return 1;
    }
    is_being_sent[number] = 1;
    sent[place].view = (struct chunk_view){chunk, now->cursor, now->lap, sent[place].slots};
    copy_slots(sent[place].slots, tlog_chunk_slots(chunk));
    if (!was_current && now->cursor != cursor)
        test_fail(__FILE__, __LINE__, "a chunk that is being sent is not opened");
    is_being_sent[number] = 0;
    return 0;
}

/* The functions that out_shark_udp.c calls, without a network. */
int tlog_udp_open(const char *local_ip, const char *target_ip);
int tlog_udp_put_slots(const struct tlog_slot *slots, uint32_t count);
int tlog_udp_flush(void);

int tlog_udp_open(const char *local_ip, const char *target_ip)
{
    (void)local_ip, (void)target_ip;
    return -1;
}

int tlog_udp_put_slots(const struct tlog_slot *slots, uint32_t count)
{
    (void)slots, (void)count;
    return -1;
}

int tlog_udp_flush(void)
{
    return -1;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

/* The chunks when a call begins: all are JTN, in a ring, or in a chain that ends with C, which stops. */
struct state {
    uint32_t filled;
    bool alone;     /* A has no link: it starts its next lap */
    bool ring;      /* C is linked to A */
    bool none;      /* no chunk is selected, events go to the default ring */
    bool goes_on;   /* C had stopped, and may go on: there is a loss to report */
    uint32_t clock; /* the clock is set to this just before the call; 0: it is not set */
};

enum { SOME, FULL, ALONE, RING, NONE, STOPPED, GOING_ON, LATE, WRAPPING, STATES };
static const struct state states[STATES] = {
    [SOME] = {.filled = 1},
    [FULL] = {.filled = SLOTS},
    [ALONE] = {.filled = SLOTS, .alone = true},
    [RING] = {.filled = 3 * SLOTS, .ring = true},
    [NONE] = {.filled = 2, .none = true},
    [STOPPED] = {.filled = 3 * SLOTS + 2},
    [GOING_ON] = {.filled = 3 * SLOTS + 2, .goes_on = true},
    [LATE] = {.filled = 3 * SLOTS, .ring = true, .clock = 0x80000005u},     /* the clock has passed half a wrap */
    [WRAPPING] = {.filled = SLOTS - 1, .ring = true, .clock = 0x7FFFFFFDu}, /* it passes half a wrap in the interrupt */
};

static struct state state;
static uint32_t saved_ring[TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS) / 4u], saved_count, saved_clock;
extern uint32_t __tlog_arena_start[];
static uint32_t saved_arena[400], saved_used; /* saved_used: bytes of it in use */
static struct tlog_cpu saved_cpu;
static const struct tlog_chunk *made[CHUNKS];

/* Four words at a time, since copying takes much of a schedule's time. */
static void copy(void *to, const void *from, uint32_t bytes)
{
    const struct tlog_slot *slot = from;
    for (struct tlog_slot *at = to, *end = at + bytes / sizeof(*at); at < end;)
        *at++ = *slot++;
}

static void set_flags(void)
{
    int *number = chunk_numbers;
    FTrace_set_chunk_flags(number[A], state.alone ? FTRACE_CHUNK_FLAG_CYC : FTRACE_CHUNK_FLAG_JTN);
    if (!state.ring)
        return;
    FTrace_set_chunk_flags(number[A], FTRACE_CHUNK_FLAG_JTN | FTRACE_CHUNK_FLAG_FREE);
    FTrace_set_chunk_flags(number[C], FTRACE_CHUNK_FLAG_JTN);
    CHECK(FTrace_chunk_link(number[C], number[A]) == 0);
}

/* Bring the chunks into a state, and save it for sweep_restore(). */
static void enter(uint32_t wanted)
{
    state = states[wanted];
    test_note("state", wanted);
    logged_count = 0;
    test_clock[0] = 0x7FFFFE00u;
    chunk_make_all();
    if (!state.none)
        CHECK(FTrace_actual_chunk_select(chunk_numbers[A]) == 0);
    set_flags();
    sweep_do((struct sweep_work){0, state.filled});
    if (state.goes_on)
        FTrace_set_chunk_flags(chunk_numbers[C], FTRACE_CHUNK_FLAG_CYC);
    saved_used = sweep_chunks_save();
    CHECK(saved_used <= sizeof(saved_arena));
    copy(saved_arena, __tlog_arena_start, saved_used);
    for (int i = A; i < CHUNKS; i++)
        made[i] = tlog_chunk_table()[chunk_numbers[i]];
    copy(saved_ring, default_ring(), sizeof(saved_ring));
    saved_cpu = tlog_cpu0;
    saved_count = logged_count;
    saved_clock = state.clock ? state.clock : test_clock[0];
}

void sweep_restore(void)
{
    sweep_chunks_restore();
    copy(__tlog_arena_start, saved_arena, saved_used);
    copy(default_ring(), saved_ring, sizeof(saved_ring));
    tlog_cpu0 = saved_cpu;
    tlog_ring_untold = 0; /* of a pause that found no room for its records */
    logged_count = saved_count;
    test_clock[0] = saved_clock;
    sweep_names_reset(true);
    sent_count = 0;
    chunk_sender = copy_chunk;
    tlog_chunk_set_sender(copy_chunk);
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static struct chunk_marks marks[NUMBERS];

static void read_memory(bool marked)
{
    struct tlog_chunk **table = tlog_chunk_table();
    chunk_read(default_ring(), NULL);
    for (uint32_t i = 0; i < NUMBERS && !test_has_failed(); i++)
        if (table[i] != NULL)
            chunk_read(table[i], marked ? &marks[i] : NULL);
}

/* Reads the sent copies, then the memory. Returns the number of slots that were read in copies and have been
 * overwritten in memory since. */
static uint32_t read_all(void)
{
    for (uint32_t i = 0; i < NUMBERS; i++)
        for (uint32_t slot = 0; slot < SLOTS; slot++)
            ((volatile uint32_t *)marks[i].place)[slot] = 0;
    chunk_read_start();
    for (uint32_t i = 0; i < sent_count && !test_has_failed(); i++)
        chunk_read_view(&sent[i].view, &marks[number_of(sent[i].view.chunk)]);
    uint32_t once = chunk_found.kept - chunk_found.again;
    chunk_found.attempted = chunk_found.overwritten = chunk_found.kept = chunk_found.again = chunk_found.unfinished = 0;
    read_memory(true);
    return once - chunk_found.again;
}

void sweep_check_instant(uint32_t interrupted)
{
    chunk_read_start();
    read_memory(false);
    CHECK(chunk_found.unfinished <= interrupted);
    CHECK(chunk_found.kept + chunk_found.overwritten + chunk_found.unfinished + chunk_found.claimed
          >= chunk_found.attempted);
    CHECK(default_ring()->reported - default_ring()->dropped - 1u >= 0x80000000u
          || default_ring()->reported == default_ring()->dropped);
}

/* Number of calls so far that tlog refuses, so that they count as a loss. */
static uint32_t refused(void)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < logged_count; n++)
        count += logged_events[n].slots == 0;
    return count;
}

static uint32_t is_any(uint32_t is)
{
    uint32_t any = 0;
    for (int level = 0; level <= sweep_depth; level++)
        if (sweep_works[level].count > 0 && sweep_works[level].call != SWEEP_MIXED)
            any |= sweep_calls[sweep_works[level].call].flags;
    return any & is;
}

/* Whether nothing may be lost: the chunks never stop, and no context goes so far around that it reaches the slot of a
 * context that it interrupted, or the end of a chunk that it went to. */
static bool fits(void)
{
    uint32_t events = 1, left = 0;
    for (int level = 0; level <= sweep_depth; level++) {
        struct sweep_work work = sweep_works[level];
        bool leaves = work.count > 0 && sweep_is(work, SWEEP_LEAVES);
        if (!leaves && !sweep_is(work, SWEEP_LOGS) && is_any(SWEEP_CHUNKS))
            return false;
        events += leaves ? 0 : work.count;
        left += leaves;
    }
    if (left > 0)
        return state.ring && left == 1 && events <= SLOTS;
    return (state.ring && events <= 3u * SLOTS) || (state.alone && events <= SLOTS);
}

static void check_sent(void)
{
    uint32_t most = 0;
    for (int level = 0; level <= sweep_depth; level++)
        most += sweep_is(sweep_works[level], SWEEP_SENDS) ? sweep_works[level].count : 0;
    CHECK(sent_count <= most);
    /* the thread's call interrupts no other one, so it is not refused */
    if (sweep_is(sweep_works[0], SWEEP_SENDS) && !is_any(SWEEP_DIVERTS | SWEEP_DELETES))
        CHECK(sent_count > 0);
}

/* The most slots that can have gone with deleted chunks. Their headers still tell the laps, unless a new chunk was made
 * there; that is done only with a chunk that has not been in use. */
static uint32_t deleted(void)
{
    uint32_t slots = SLOTS + CHUNK_EMERGENCY;
    for (int i = A; i < CHUNKS; i++)
        if (tlog_chunk_table()[chunk_numbers[i]] != made[i])
            slots += (made[i]->lap >> TLOG_LAP_SHIFT) * SLOTS;
    return slots;
}

static void check_counts(void)
{
    uint32_t read_when_sent = read_all(), dropped = default_ring()->dropped, unseen = logged_count - chunk_found.events;
    uint32_t gone = chunk_found.overwritten - read_when_sent;
    test_note("dropped", dropped);
    CHECK(chunk_found.unfinished == 0);
    CHECK(chunk_found.kept + chunk_found.claimed + chunk_found.overwritten == chunk_found.attempted);
    CHECK(dropped - default_ring()->reported < 0x80000000u);
    CHECK(tlog_cpu0.filter == 0 && tlog_cpu0.muted == 0);
    if (sweep_mutes())
        return;
    CHECK(unseen >= dropped);
    if (is_any(SWEEP_DELETES)) {
        CHECK(unseen - dropped <= chunk_found.overwritten + deleted());
        return;
    }
    CHECK(chunk_found.attempted - chunk_found.extra + chunk_found.urgent + dropped == logged_count);
    CHECK(gone < 0x80000000u && unseen - dropped <= gone);
    /* Without a drop all that `extra` counts are slots that writers passed: a slot that is passed holds no event. */
    CHECK(dropped > 0 || unseen + chunk_found.extra == gone + chunk_found.claimed);
    CHECK(chunk_found.overwritten > 0 || chunk_found.told == default_ring()->reported);
    if (fits())
        CHECK(dropped == refused());
}

/* Whatever the schedule did, a new chunk can be selected, is logged to, and every loss and pause is reported. */
static void check_alive(void)
{
    const uint32_t n = logged_count, dropped = default_ring()->dropped;
    for (uint32_t i = 0; i < NUMBERS; i++)
        CHECK(tlog_chunk_table()[i] == NULL || !(tlog_chunk_table()[i]->flags & TLOG_CHUNK_BUSY));
    CHECK(FTrace_set_chunk_flags(chunk_numbers[C], FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC) == 0);
    CHECK(FTrace_actual_chunk_select(chunk_numbers[C]) == 0);
    sweep_do((struct sweep_work){0, 1});
    chunk_read_start();
    chunk_read(tlog_chunk_table()[chunk_numbers[C]], NULL);
    CHECK(chunk_found.seen[n] && default_ring()->dropped == dropped && default_ring()->reported == dropped);
    CHECK(tlog_ring_held == 0 && tlog_ring_untold == 0);
}

void sweep_check_end(void)
{
    test_irq_mask(true);
    sweep_do((struct sweep_work){0, 1});
    if (!test_irq_is_masked())
        test_fail(__FILE__, __LINE__, "interrupts are held off as before");
    test_irq_mask(false);
    if (!test_has_failed())
        check_sent();
    if (!test_has_failed())
        check_counts();
    if (!test_has_failed())
        check_alive();
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

#ifndef SWEEP_PART
#define SWEEP_PART 0u
#endif

static const uint32_t counts[] = {1, SLOTS - 1, SLOTS, SLOTS + 1, 2 * SLOTS + 1};
enum { COUNTS = sizeof(counts) / sizeof(counts[0]) };

static const struct sweep_work none = {0, 0};

/* Interrupt number `number`: first, events in numbers around what a chunk holds; then every other call. */
static struct sweep_work handler(uint32_t number)
{
    if (number < COUNTS)
        return (struct sweep_work){0, counts[number]};
    return (struct sweep_work){number - COUNTS + 1u, 1};
}

static uint32_t handlers(void)
{
    return COUNTS + sweep_call_count - 1u;
}

/* Whether a call that takes long is tested in this part. */
static bool is_part(uint32_t is)
{
    return (is & SWEEP_LONG) == 0 || (is & (SWEEP_PART % 2u ? SWEEP_LONG_ODD : SWEEP_LONG_EVEN)) != 0;
}

/* What interrupts a call in this part: events, the same call, or another one. */
enum { EVENTS, ITSELF, ANOTHER, KINDS };
static struct sweep_work pick(uint32_t call, uint32_t kind)
{
    if (kind == EVENTS)
        return (struct sweep_work){0, counts[(SWEEP_PART / 5u + SWEEP_PART + call) % COUNTS]};
    return (struct sweep_work){kind == ITSELF ? call : (SWEEP_PART * 5u + call * 7u) % sweep_call_count, 1};
}

/* Every call in two of the states, interrupted by events and by calls; in one state only if it takes long. */
static void set_1(void)
{
    sweep_depth = 1;
    for (uint32_t i = 0; i < STATES; i++) {
        enter(i);
        for (uint32_t call = 0; call < sweep_call_count && !test_has_failed(); call++) {
            uint32_t is = sweep_calls[call].flags, turn = (SWEEP_PART + i + call) % STATES,
                     any = SWEEP_PART / 5u + call;
            bool once = (is & SWEEP_LONG) != 0 || SWEEP_PART % 5u == 0;
            if (turn == 0 && is_part(is))
                sweep(call, pick(call, once ? any % KINDS : EVENTS), none);
            else if (turn == STATES / 2u && !once)
                sweep(call, pick(call, any % 2u ? ANOTHER : ITSELF), none);
        }
    }
}

static void set_1_long(void)
{
    sweep_depth = 1;
    for (uint32_t i = 0; i < STATES && !test_has_failed(); i++) {
        enter(i);
        for (uint32_t call = 0; call < sweep_call_count; call++)
            for (uint32_t number = 0; number < handlers() && !test_has_failed(); number++)
                sweep(call, handler(number), none);
    }
}

/* The calls and interrupts of depth 2: one event, and calls that leave, open or keep busy a chunk. */
static const char *const short_calls[] = {
    "TRACER_LOGEVENT",   "tlog_next_chunk",       "FTrace_actual_chunk_select",
    "FTrace_send_chunk", "tlog_record_emergency", "FTrace_set_chunk_flags of all",
};
enum { LOG, NEXT, SELECT, SEND, URGENT, REOPEN, SHORT_CALLS = sizeof(short_calls) / sizeof(short_calls[0]) };

static bool is_same(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++)
        ;
    return *a == *b;
}

static uint32_t short_call(uint32_t number)
{
    uint32_t call = 0;
    while (!is_same(sweep_calls[call].name, short_calls[number]))
        call++;
    return call;
}

static void sweep_2(uint32_t call, uint32_t outer, uint32_t inner)
{
    sweep(short_call(call), (struct sweep_work){short_call(outer), 1}, (struct sweep_work){short_call(inner), 1});
}

/* Only one of them without -O and on ARMv6-M, where each takes half a minute. */
static void set_2(void)
{
    static const struct pick {
        uint8_t state, call, outer, inner;
    } picks[] = {
        {FULL, LOG, NEXT, LOG}, {RING, NEXT, LOG, LOG}, {RING, SEND, LOG, NEXT}, {STOPPED, URGENT, URGENT, LOG}};
    enum { PICKS = sizeof(picks) / sizeof(picks[0]) };
    const uint32_t mine = SWEEP_PART / 3u % PICKS;
    const bool has_one = SWEEP_PART % 5u == 0 || SWEEP_PART >= 20u;
    sweep_depth = 2;
    for (uint32_t i = 0; i < PICKS && !test_has_failed(); i++) {
        if (has_one && i != mine)
            continue;
        enter(picks[i].state);
        sweep_2(picks[i].call, picks[i].outer, picks[i].inner);
    }
}

static void set_2_long(void)
{
    static const uint8_t full[] = {FULL, RING, STOPPED, GOING_ON};
    sweep_depth = 2;
    for (uint32_t i = 0; i < sizeof(full); i++) {
        enter(full[i]);
        for (uint32_t call = 0; call < SHORT_CALLS; call++)
            for (uint32_t outer = LOG; outer <= SELECT && !test_has_failed(); outer++)
                sweep_2(call, outer, outer == LOG ? NEXT : LOG);
    }
}

/* Without -O most calls take thousands of instructions; there the innermost interrupt leaves the chunk. */
static void set_3(void)
{
    const struct sweep_work log = {short_call(LOG), 1}, next = {short_call(NEXT), 1};
    sweep_depth = 3;
    if (SWEEP_PART % 5u == 0) {
        enter(SOME);
        sweep_three(short_call(LOG), log, log, next);
    } else {
        enter(FULL);
        sweep_2(LOG, NEXT, LOG);
    }
}

int test_main(void)
{
    static const struct sweep_set sets[] = {
        {"chunks, interrupted everywhere", set_1},
        {"chunks, interrupted everywhere, in an interrupt everywhere", set_2},
        {"chunks, interrupted everywhere, three deep", set_3},
        {"chunks, interrupted everywhere, by everything, in every state", set_1_long},
        {"chunks, interrupted everywhere, in an interrupt everywhere, every call that steers", set_2_long},
    };
    return sweep_main(sets, sizeof(sets) / sizeof(sets[0]));
}
