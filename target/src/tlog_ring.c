/* SPDX-License-Identifier: MIT */
/* tlog_ring.c - the slow half of the record path: switching chunks, making room. No interrupt is ever masked here.
 *
 * Roles
 *   writer    a context that logs: a thread, an interrupt handler, a fault handler, on the ring's CPU
 *   owner     the writer that has reserved a slot and not yet written its head
 *   reader    whatever reads the memory, at any instant: a debugger, a crash dump, a sink
 *
 * The fact that makes it safe
 *   Only one CPU writes a ring, and its exclusive watch ends at every interrupt entry and return. So no other writer
 *   ran between a load-exclusive and a store-exclusive that succeeds: whatever was loaded between the two still held
 *   when the store happened. Every change of shared state below is such a store, made only while the condition holds
 *   that makes it right. It does not matter which writer makes the change, nor how often a writer tries.
 *
 * Reservation and stamp are one step
 *   tlog_port_reserve() reads the clock between the load and the store of the cursor. So slots are in the order of
 *   their stamps. tlog_ring.h says how that holds when the clock is too slow to tell events apart (TLOG_UNIQUE_STAMPS).
 *
 * A slot, lap by lap (the tag of odd laps is 1, of even laps 2; the tag is in the head, which is written last)
 *
 *        empty, tag 2 --reserve--> owned, still tag 2 --head---> tag 1        lap 1
 *               tag 1 --reserve--> owned, still tag 1 --head---> tag 2        lap 2, and so on
 *
 *   The lap guard: in lap n the cursor may reach a slot that already bears the tag of lap n. That tag is left from lap
 *   n - 2, because the slot's owner of lap n - 1 is still interrupted, or its thread preempted or deleted. Nobody else
 *   may write there: the writers claim the slot, which gives it both tags, and pass it (tlog_claim.c). The guard costs
 *   three instructions and no store. It also finds the end mark, which bears both tags.
 *   For the reader: in lap n the slots before the cursor bear the tag of lap n, the others that of lap n - 1. A slot
 *   with the wrong one of the two has an owner at work, and is no event; nor is a claimed slot.
 *
 * A chunk; its lap word counts n laps, and the cursor bears the tag t of the lap it is in
 *
 *        full, t(n), n laps --open--> first slot, t(n + 1), n laps --count--> first slot, t(n + 1), n + 1 laps
 *             ^                                                                           |
 *             +------------------------ slots are reserved ---------------+               |
 *             +------------------------ slots are reserved -------------------------------+
 *        some slot, t(n), n laps --park--> some slot, both tags, n laps --open--> some slot, t(n), n laps
 *
 *   A cursor with both tags finds every slot taken, so no slot can be reserved in a parked chunk, as in a full one.
 *   When a parked chunk is opened again, its cursor stands where it stood before. The writer that opens a lap counts
 *   it. If it is interrupted before that, the next writer counts the lap.
 *
 *   Only home is open, and during a switch the chunk that is about to become home. To switch is to open the next chunk
 *   and then to make it home. Each arrow, and making a chunk home, happens only while home is closed and the state left
 *   of the arrow is there. So a writer that is interrupted between two steps finds the remaining ones done, by the
 *   writer that came in between.
 *
 * The chunk that a closed home leads to
 *   Full: the chunk that its flags and `next` tell, or home itself, or none. Parked before it was full: home itself.
 *   Parked with a `goal`: the goal. The writer that parks a chunk sets the goal first, and the parking happens only
 *   while the goal is still that one.
 *   Why chunks are parked: without a goal, because an event was dropped. Then the first event that finds room again
 *   takes the slow path, which first logs the records that report the loss. With a goal, by the command to leave it.
 *
 * Several CPUs (TLOG_CPUS > 1)
 *   Each CPU has a ring, whose writers are the contexts on that CPU, and all of the above holds. Words that several
 *   CPUs change - the filters and the word they are computed from, the flags of a chunk, the boot id - are changed by
 *   store-exclusives. Still a ring can have a writer on another CPU: a thread that asked for its CPU's number and was
 *   then moved, in the middle of a call; or a writer that opens the rings of all CPUs (tlog_start.c). For such a writer
 *   "no other writer ran" is too much to say. It knows only what a store-exclusive itself tells: there was no store to
 *   the word that was watched. That is enough. A step also needs conditions on other words; each of them stays true
 *   until the watched word is stored to, or may become false without harm:
 *     reserve    the slot is free: it is taken by a store to the cursor, which is watched. If the high word is carried
 *                over between its load and the reading of the clock, the mirror bit shows it
 *     open       home is closed and leads to this chunk: home is left for this chunk only after a store to its cursor,
 *                which is watched. The lap of this chunk is counted: its next lap cannot begin before that
 *     count      the cursor is a lap ahead of the lap word: that stays so until a store to the lap word, which is
 *                watched
 *     make home  the next chunk is open: it may have become full, and the writer that then finds it full switches again
 *     park       the chunk is home: it may have been left, and is full then. A full chunk opens the same with both tags
 *     urgent     the chunk is home: it may have been left; its emergency slot is as good
 *   Other CPUs see the steps of one CPU in order: all exclusives but those of `reserve` are fences, and publishing a
 *   slot is a fence between stores. The event is in the ring of the CPU where the call began, in the order of stamps
 *   there. All this needs a watch that ends when another CPU stores (port/tlog_port.h). Without that, threads that may
 *   be moved to another CPU must not log, and no CPU may enable, disable or filter while another CPU does.
 *
 * Bounds: every loop below starts again only when an interrupt, or another CPU, came in between and logged, too. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"
#include "tlog_switch_impl.h"

#include <stddef.h>

#if TLOG_ENABLE

/* The cursor of a CPU whose ring is not open yet. Its index is 0, so it stands on itself, and the head of that slot
 * bears both tags. The cursor itself does not: the chunk is not parked. */
const uint32_t tlog_ring_full[TLOG_RING_FULL_WORDS] = {[0] = TLOG_TAG_ODD, [TLOG_WORD_HEAD] = TLOG_TAG_MASK};

uint32_t tlog_ring_told_at[TLOG_CPUS][TLOG_TOLD_CHUNKS * TLOG_TOLD_WORDS];
#if TLOG_ARENA
struct tlog_chunk *tlog_ring_told_of;
#endif

__attribute__((cold)) void tlog_ring_forget_told(const struct tlog_chunk *chunk)
{
    uint32_t *word = tlog_ring_told(chunk);
    for (const uint32_t *end = word + TLOG_TOLD_WORDS; word != NULL && word < end; word++) {
        uint32_t told;
        do
            told = tlog_port_load_exclusive(word);
        while ((int32_t)((lap_of(chunk) | TLOG_CLAIM_SLOT_MASK) - told) < 0 && tlog_port_store_exclusive(0, word));
        tlog_port_clear_exclusive();
    }
}

uint32_t tlog_ring_add(uint32_t *word, uint32_t n)
{
    uint32_t before;
    do
        before = tlog_port_load_exclusive(word);
    while (tlog_port_store_exclusive(before + n, word));
    return before;
}

#if !TLOG_HAS_COARSE
/* The high word is stored only if it still has the value that was loaded: if an interrupt has carried it over
 * meanwhile, that is not undone. */
__attribute__((cold)) void tlog_ring_tick(struct tlog_cpu *cpu)
{
    uint32_t high;
    tlog_ring_advance_last(cpu);
    do {
        high = tlog_port_load_exclusive(&cpu->high);
        if ((int32_t)(high ^ tlog_ring_time(cpu)) >= 0) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(tlog_ring_carry(high), &cpu->high));
    if (TLOG_TRACEEVENTS && high >> 31)
        tlog_ring_tell_time(cpu);
}
#endif

/* With TLOG_MINIMAL tlog_minimal.c has the rest. */
#if !TLOG_MINIMAL

const struct tlog_hook *tlog_ring_hook;

/* ---- switching chunks -------------------------------------------------------------------------------------------- */

/* Whether that chunk is home, still has that cursor, and leads to `next`. A chunk that was full and is parked now has
 * another cursor: then there is a loss to report, and the writer that switches must notice it. */
static inline bool leads_to(const struct tlog_cpu *cpu, const struct tlog_chunk *home, uint32_t cursor,
                            const struct tlog_chunk *next)
{
    return cursor_of(home) == cursor && !tlog_ring_is_held() && is_home(cpu, home)
           && (!TLOG_ARENA || follower(home, cursor) == next)
           && (!is_parked(cursor) || ((TLOG_CPUS == 1 || tlog_cpu_here() == cpu) && !tlog_ring_is_triggered(cpu)));
}

/* The cursor that opens a closed chunk: a parked chunk continues where it was parked, a full one at the first slot of
 * the next lap. A chunk that was left while a writer passed a slot there continues behind that slot, if it is noted
 * already. 0: the chunk is open, or its lap is not counted, or tlog_ring_pass() must come first. */
static inline uint32_t opening_cursor(const struct tlog_chunk *chunk, uint32_t cursor)
{
    uint32_t after = ~lap_of(chunk) & TLOG_TAG_MASK;
    if (is_full(chunk, cursor))
        return (cursor & TLOG_TAG_MASK) != after ? TLOG_CURSOR_STEP | after : 0;
    if (!is_parked(cursor))
        return 0;
    if (!tlog_ring_is_noted(chunk, cursor, lap_of(chunk)))
        return cursor ^ after;
    return TLOG_ARENA ? (cursor ^ after) + TLOG_CURSOR_STEP : 0;
}

/* The slots that a store of opening_cursor() passes: 1 or 0. */
static inline uint32_t passed_slots(const struct tlog_chunk *chunk, uint32_t cursor, uint32_t opening)
{
    return TLOG_ARENA && !is_full(chunk, cursor) ? (opening >> TLOG_CURSOR_SHIFT) - (cursor >> TLOG_CURSOR_SHIFT) : 0;
}

/* Step 1: open `next`, if home still leads there. In a ring with traceevents a lap begins with two slots that tell the
 * time, and with a coarse clock there is one more: the store that opens the lap also reserves these, if they are
 * free. */
static inline void open_chunk(struct tlog_cpu *cpu, struct tlog_chunk *home, uint32_t home_cursor,
                              struct tlog_chunk *next)
{
    struct tlog_reference reference;
    uint32_t before, cursor, claimed, behind;
    bool has_reference;
    do {
        claimed = tlog_ring_claim(cpu);
        before = tlog_port_load_exclusive(&next->cursor);
        cursor = opening_cursor(next, before);
        if (cursor == 0 || !leads_to(cpu, home, home_cursor, next)) {
            tlog_port_clear_exclusive();
            return;
        }
        if (TLOG_UNIQUE_STAMPS)
            reference.at.low = claimed;
        has_reference = TLOG_LAP_SLOTS > 0 && tlog_ring_refer(cpu, next, cursor, &reference);
        behind = cursor;
        if (has_reference)
            behind += TLOG_LAP_SLOTS * TLOG_CURSOR_STEP;
        if (TLOG_LAP_SLOTS > 0 && ((reference.at.high ^ reference.at.low) & TLOG_HIGH_MIRROR) != 0) {
            tlog_port_clear_exclusive(); /* tlog_ring_tick() must come first */
            return;
        }
    } while (tlog_ring_commit(cpu, claimed, behind, &next->cursor));
    if (passed_slots(next, before, cursor) > 0)
        tlog_ring_add(&next->extra, 1u);
    if (has_reference) {
        tlog_ring_add(&next->extra, TLOG_LAP_SLOTS);
        tlog_ring_put_reference(next, &reference);
    }
}

/* Step 2: count the lap that the cursor is in, unless the cursor bears the same tag as the lap word, or both tags. */
static TLOG_FORCE_INLINE void count_lap(struct tlog_chunk *chunk)
{
    uint32_t lap, cursor;
    do {
        lap = tlog_port_load_exclusive(&chunk->lap);
        cursor = cursor_of(chunk);
        if (((lap ^ cursor) & TLOG_TAG_MASK) != TLOG_TAG_MASK) {
            tlog_port_clear_exclusive();
            break;
        }
    } while (tlog_port_store_exclusive((lap ^ TLOG_TAG_MASK) + TLOG_LAP_STEP, &chunk->lap));
    if ((int32_t)(lap_of(chunk) ^ ((volatile struct tlog_chunk *)chunk)->lap_high) < 0)
        tlog_ring_carry_laps(chunk);
}

__attribute__((cold)) void tlog_ring_count_lap(struct tlog_chunk *chunk)
{
    count_lap(chunk);
}

/* Step 3: make `next` home, if it is open and home still leads there. */
static inline void make_home(struct tlog_cpu *cpu, struct tlog_chunk *home, uint32_t home_cursor,
                             struct tlog_chunk *next)
{
    do {
        tlog_port_load_exclusive_pointer((void **)&cpu->cursor);
        if (!leads_to(cpu, home, home_cursor, next) || is_closed(next)) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive_pointer(&next->cursor, (void **)&cpu->cursor));
}

/* Open the chunk that home, which had that cursor, leads to, and make it home. False: home leads to no chunk, or there
 * is no free slot. True does not say that the switch is done: the caller tries to reserve again. */
static __attribute__((cold)) bool switch_chunk(struct tlog_cpu *cpu, struct tlog_chunk *home, uint32_t cursor)
{
    struct tlog_chunk *next = follower(home, cursor);
    if (next == NULL)
        return false;
    open_chunk(cpu, home, cursor, next);
    tlog_ring_count_lap(next);
    if ((TLOG_CHUNKS > 1 || TLOG_ARENA) && next != home)
        make_home(cpu, home, cursor, next);
    return true;
}

/* ---- parking ----------------------------------------------------------------------------------------------------- */

/* Set the goal of home, the chunk that home leads to once it is parked. A dropped event (command: false) must not
 * change the goal of a chunk that is already parked. False: nothing was set. */
bool tlog_ring_set_goal(struct tlog_cpu *cpu, struct tlog_chunk *home, uint32_t goal, bool command)
{
    do {
        tlog_port_load_exclusive(&home->goal);
        if (!is_home(cpu, home) || (!command && is_parked(cursor_of(home)))) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(goal, &home->goal));
    return true;
}

/* Park home; false: it is not home any more, or its goal is another one. The lap must be counted before, because the
 * tag of a parked chunk's lap is in the lap word only. Cursor and lap word can belong to different laps if an interrupt
 * came between the two loads, or if another thread has opened the lap and not counted it yet: then this tries again. */
__attribute__((cold)) bool tlog_ring_park(struct tlog_cpu *cpu, struct tlog_chunk *home, uint32_t goal)
{
    uint32_t cursor;
    bool is_counted;
    do {
        tlog_ring_count_lap(home);
        cursor = tlog_port_load_exclusive(&home->cursor);
        bool has_goal = !TLOG_ARENA || ((volatile struct tlog_chunk *)home)->goal == goal;
        is_counted = (cursor & lap_of(home) & TLOG_TAG_MASK) != 0;
        if (!is_home(cpu, home) || !has_goal) {
            tlog_port_clear_exclusive();
            return false;
        }
        if (!is_counted)
            tlog_port_clear_exclusive();
    } while (!is_counted || tlog_port_store_exclusive(cursor | TLOG_TAG_MASK, &home->cursor));
    return true;
}

/* Do the switch of a tlog_ring_leave() that was interrupted after it parked home: the goal says where to go. */
static __attribute__((cold)) void finish_leave(struct tlog_cpu *cpu)
{
    struct tlog_chunk *home = tlog_ring_home(cpu);
    if (is_parked(cursor_of(home)) && ((volatile struct tlog_chunk *)home)->goal != 0)
        switch_chunk(cpu, home, cursor_of(home));
}

__attribute__((cold)) void tlog_ring_leave(struct tlog_cpu *cpu, struct tlog_chunk *to)
{
    struct tlog_chunk *home;
    uint32_t goal;
    tlog_ring_start(cpu);
    do {
        finish_leave(cpu);
        home = tlog_ring_home(cpu);
        goal = to != NULL ? (uint32_t)((uintptr_t)to - (uintptr_t)home) : ((volatile struct tlog_chunk *)home)->next;
    } while (!tlog_ring_set_goal(cpu, home, goal, true) || !tlog_ring_park(cpu, home, goal));
    if (switch_chunk(cpu, home, cursor_of(home)) && tlog_ring_is_losing(cpu))
        tlog_ring_report(cpu);
}

__attribute__((cold)) bool tlog_ring_shut(struct tlog_cpu *cpu, struct tlog_chunk *chunk)
{
    uint32_t cursor;
    tlog_ring_count_lap(chunk);
    do {
        cursor = tlog_port_load_exclusive(&chunk->cursor);
        if (is_home(cpu, chunk) || (cursor & lap_of(chunk) & TLOG_TAG_MASK) == 0) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(cursor | TLOG_TAG_MASK, &chunk->cursor));
    return true;
}

/* ---- the slow path ----------------------------------------------------------------------------------------------- */

static bool has_goal(const struct tlog_chunk *home, uint32_t cursor)
{
    return TLOG_ARENA && is_parked(cursor) && ((const volatile struct tlog_chunk *)home)->goal != 0;
}

/* Whether the cursor stands on a slot that is not free, in an open chunk, or in one that was parked without a goal. */
static bool is_stuck(const struct tlog_chunk *home, uint32_t cursor)
{
    if (is_full(home, cursor) || has_goal(home, cursor))
        return false;
    return !is_free(home, cursor, cursor & lap_of(home))
           || (is_parked(cursor) && tlog_ring_is_noted(home, cursor, lap_of(home)));
}

/* An event passes so many slots that are not free, neighbours without notes as one. The others are left to those behind
 * it, and it is dropped: so each takes a bounded time. */
enum { TLOG_RING_PASSES_MOST = 8 };

/* Get past the slot at home's cursor, which is not free: format it, or pass it, unless enough were passed. */
static inline bool get_past(struct tlog_cpu *cpu, struct tlog_chunk *home, uint32_t *passed)
{
    return tlog_ring_form(cpu, 1u) || ((*passed)++ < TLOG_RING_PASSES_MOST && tlog_ring_pass(cpu, home));
}

/* False: the ring is not open, and no event opens it. */
static inline bool open_for_event(struct tlog_cpu *cpu)
{
    if (tlog_ring_is_early(cpu))
        return false;
    if (!tlog_ring_is_open(cpu))
        tlog_ring_open(cpu, 1);
    return true;
}

/* A chunk that is parked is opened only by the ring's CPU: a thread that was moved to another one drops its event. The
 * loop ends when the cursor stands on a free slot, or when enough were passed that are not. */
__attribute__((cold)) bool tlog_ring_make_room(struct tlog_cpu *cpu, bool reports)
{
    if (!open_for_event(cpu))
        return false;
    tlog_ring_tick(cpu); /* before a lap begins: its first two slots may tell the time */
    struct tlog_chunk *home = tlog_ring_home(cpu);
    uint32_t cursor = cursor_of(home), passed = 0;
    bool was_parked = false, passed_time = false; /* passed a slot where the time should have been told */
    do {
        if (tlog_ring_is_held() || tlog_ring_is_triggered(cpu))
            return false;
        was_parked |= is_parked(cursor);
        if (TLOG_CPUS > 1 && is_parked(cursor) && tlog_cpu_here() != cpu)
            return false;
        bool stuck = is_stuck(home, cursor);
        if (!stuck ? !switch_chunk(cpu, home, cursor) : !get_past(cpu, home, &passed))
            return false;
        passed_time |= stuck && cursor >> TLOG_CURSOR_SHIFT <= TLOG_LAP_SLOTS;
        tlog_ring_tick(cpu); /* again: a lap does not begin while the clock has passed half a wrap unseen */
        home = tlog_ring_home(cpu);
        cursor = cursor_of(home);
    } while (is_closed(home) || is_stuck(home, cursor));
    if (TLOG_LAP_SLOTS > 0 && passed_time && !slot_has_tag(home, cursor + TLOG_CURSOR_STEP, cursor)) /* room for both */
        tlog_ring_put_time(cpu, tlog_ring_wraps(((volatile struct tlog_cpu *)cpu)->high));
    return !was_parked || !reports || !tlog_ring_is_losing(cpu) || tlog_ring_report(cpu);
}

static __attribute__((noinline, cold)) void log_slowly(uint32_t par1, uint32_t par2, uint32_t code,
                                                       struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    enum tlog_taken taken = TLOG_TAKEN_NOT_SET;
    if (!tlog_ring_make_room(cpu, true))
        taken = tlog_ring_take(cpu, 1, &at);
    if (taken == TLOG_TAKEN)
        tlog_ring_fill(&at, code, par1, par2);
    else if (taken == TLOG_TAKEN_NOT_SET)
        tlog_ring_slow(par1, par2, code, cpu);
    else
        tlog_ring_lose(cpu, par1, par2, code);
}

/* As log_slowly(), but first the ring is opened, or slots are formatted; with TLOG_RING_LAP_AT_ONCE only if that is
 * due. */
static __attribute__((noinline, cold)) void form_and_log(uint32_t par1, uint32_t par2, uint32_t code,
                                                         struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    if (!tlog_ring_is_open(cpu))
        tlog_ring_open(cpu, 1);
    else if (!TLOG_RING_LAP_AT_ONCE || tlog_ring_is_at_mark(cpu, ((volatile struct tlog_cpu *)cpu)->cursor))
        tlog_ring_form(cpu, 1u);
    if (tlog_ring_reserve(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, &at))
        tlog_ring_fill(&at, code, par1, par2);
    else
        log_slowly(par1, par2, code, cpu);
}

#if TLOG_TRACEEVENTS
__attribute__((noinline)) void tlog_ring_switch(struct tlog_cpu *cpu)
{
    if (TLOG_RING_TELLS_TIME)
        switch_full(cpu, ((volatile struct tlog_cpu *)cpu)->cursor);
}
#endif

/* Calls only log_slowly(), as its last step, so that few registers are saved when chunks are switched. */
static __attribute__((noinline, cold)) TLOG_PORT_FEW_REGISTERS void switch_and_log(uint32_t par1, uint32_t par2,
                                                                                   uint32_t code, struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    if (TLOG_RING_LAP_AT_ONCE && TLOG_FORMS) { /* it is not the usual switch, which was tried */
        form_and_log(par1, par2, code, cpu);
        return;
    }
    if (TLOG_RING_TELLS_TIME)
        tlog_ring_switch(cpu);
    else if (TLOG_LAP_SLOTS == 0 && !TLOG_RING_LAP_AT_ONCE)
        switch_full(cpu, ((volatile struct tlog_cpu *)cpu)->cursor);
    if (tlog_ring_reserve(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, &at))
        tlog_ring_fill(&at, code, par1, par2);
    else if (tlog_ring_is_at_mark(cpu, ((volatile struct tlog_cpu *)cpu)->cursor))
        form_and_log(par1, par2, code, cpu);
    else
        log_slowly(par1, par2, code, cpu);
}

/* Pass all claimed slots without notes that stand side by side at the cursor, and log the event behind them, by one
 * store to the cursor. Neither such a slot nor one of its neighbours can be emptied while the cursor stands here: so a
 * thread that was moved to another CPU may do this, too. If the slot behind them is not free they are only passed. If
 * it was told that some owners never come back, tlog_ring_pass() looks at each slot. */
static __attribute__((noinline)) void pass_and_log(uint32_t par1, uint32_t par2, uint32_t code, struct tlog_cpu *cpu)
{
    uint32_t *current = ((volatile struct tlog_cpu *)cpu)->cursor, *slot;
    const uint32_t cursor = tlog_port_load_exclusive(current);
    uint32_t behind = cursor + TLOG_CURSOR_STEP, next;
    slot = (uint32_t *)(uintptr_t)((uintptr_t)current + (cursor >> 12));
    if (__builtin_expect(!tlog_ring_is_unnoted(head_in(slot)) || tlog_ring_has_told(chunk_of_cursor(current)), 0))
        goto slow;
    slot += 4;
    next = head_in(slot);
    if (__builtin_expect(tlog_ring_is_unnoted(next), 0)) {
        slot = skip_unnoted(slot);
        next = head_in(slot);
        behind = (cursor & 0xFFFFu) | (uint32_t)((uintptr_t)slot - (uintptr_t)current) << 12;
    }
    struct tlog_reserved at = {slot, cursor, ((volatile struct tlog_cpu *)cpu)->high, tlog_port_now_at(cpu->clock)};
    if (__builtin_expect(
            !TLOG_UNIQUE_STAMPS && (next & cursor & TLOG_TAG_MASK) == 0 && (int32_t)(at.high ^ at.low) >= 0, 1)) {
        if (tlog_port_store_exclusive(behind + TLOG_CURSOR_STEP, current))
            goto slow;
        tlog_ring_count_extra(current, (behind - cursor) >> TLOG_CURSOR_SHIFT);
        if (TLOG_CONTEXT)
            at.high = tlog_port_context(at.high);
        tlog_ring_fill(&at, code, par1, par2);
        return;
    }
    if (!is_parked(cursor) && !tlog_port_store_exclusive(behind, current))
        tlog_ring_count_extra(current, (behind - cursor) >> TLOG_CURSOR_SHIFT);
slow:
    tlog_port_clear_exclusive();
    switch_and_log(par1, par2, code, cpu);
}

/* Whether the slot is claimed and has no note on which the cursor stands. The slots that begin a lap, and tell the
 * time, are passed in another way. */
static TLOG_FORCE_INLINE bool is_unnoted_at(const uint32_t *current, uint32_t cursor)
{
    return tlog_ring_is_unnoted(head_in((const uint32_t *)((uintptr_t)current + (cursor >> 12))))
           && (TLOG_LAP_SLOTS == 0 || cursor >> TLOG_CURSOR_SHIFT > TLOG_LAP_SLOTS);
}

#ifdef TLOG_PORT_BEGIN_LAP
static __attribute__((noinline, cold)) void slow_in_full(uint32_t par1, uint32_t par2, uint32_t code,
                                                         struct tlog_cpu *cpu)
#else
__attribute__((cold)) void tlog_ring_slow(uint32_t par1, uint32_t par2, uint32_t code, struct tlog_cpu *cpu)
#endif
{
    uint32_t *current = ((volatile struct tlog_cpu *)cpu)->cursor;
    if (tlog_ring_drop_at_once(cpu, current, code))
        return;
    if (is_unnoted_at(current, *(volatile uint32_t *)current))
        pass_and_log(par1, par2, code, cpu);
    else
        switch_and_log(par1, par2, code, cpu);
}

#ifdef TLOG_PORT_BEGIN_LAP
/* The usual switch comes first, and reserves the event's slot by the store that opens the lap. The slot is filled
 * before the lap is counted, because then the event's parameters need no registers. To others that is as if a writer
 * had come between opening and counting. */
__attribute__((cold)) TLOG_PORT_FEW_REGISTERS void tlog_ring_slow(uint32_t par1, uint32_t par2, uint32_t code,
                                                                  struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    struct tlog_chunk *chunk;
    TLOG_PORT_KEEP(code);
    if (__builtin_expect(!tlog_port_begin_lap(cpu, &at), 0)) {
        slow_in_full(par1, par2, code, cpu);
        return;
    }
    chunk = (struct tlog_chunk *)(void *)at.slot - 1;
    __asm("" : "+r"(chunk)); /* addresses are relative to it */
    tlog_ring_fill(&at, code, par1, par2);
    count_lap(chunk);
}
#endif

#endif

#endif
