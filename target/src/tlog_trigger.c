/* SPDX-License-Identifier: MIT */
/* tlog_trigger.c - tlog_trigger(): so many further events are recorded, then logging stops.
 *
 * While a trigger is set home is parked: every event takes the slow path, and there this one. It first takes a ticket,
 * by a store-exclusive to the trigger's state; without a ticket it is dropped. Then it reserves its slots, by a
 * store-exclusive that leaves the cursor parked, made only while the trigger is still the one of the ticket. An event
 * that is dropped after all gives its ticket back. So no event is logged without a ticket.
 *
 * The state: set | pending | number of the trigger | tickets left. Pending: the slot that marks the place is not logged
 * yet. The first writer reserves a slot for it and clears the bit; a writer that was overtaken there makes its slot a
 * PAD. No ticket is taken while the bit is set, so all events with a ticket stand behind the mark.
 *
 * The next lap is opened as usual, by a store that leaves the cursor without both tags. An event could be logged in
 * that instant. So the first slot is *blocked* before: it bears both tags, and a code that a claimed slot has not. Each
 * step below is one store-exclusive, made only while what is left of it holds:
 *
 *   block     the chunk is full, and home, or follows home, which is full and parked: slot 1 is blocked
 *   open      slot 1 is blocked: the cursor stands on slot 1, with the tag of the next lap
 *   park      the lap is counted: the cursor gets both tags
 *   home      the chunk is parked, and home is still the full chunk before it: it becomes home
 *   unblock   the chunk is home and parked on slot 1, which is blocked: the slot gets the head of a free one, or if its
 *             owner had not come back when it was blocked, that of a claimed one
 *
 * A slot whose owner has not come back is passed as always (tlog_claim.c); the cursor stays parked. One event can be
 * logged without a ticket: that of slot 1's own owner, if it comes back between open and park. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#if TLOG_ENABLE && !TLOG_ARENA && !TLOG_MINIMAL

#define TLOG_TRIGGER_SET     0x80000000u
#define TLOG_TRIGGER_PENDING 0x40000000u
#define TLOG_TRIGGER_NUMBER  0x3C000000u
#define TLOG_TRIGGER_NEXT    0x04000000u
#define TLOG_TRIGGER_LEFT    0x03FFFFFFu

static uint32_t states[TLOG_CPUS];

static uint32_t *state_at(const struct tlog_cpu *cpu)
{
    return &states[cpu - tlog_cpus];
}

static uint32_t state_of(const struct tlog_cpu *cpu)
{
    return *(volatile uint32_t *)state_at(cpu);
}

/* Whether the trigger is still the one that a state tells, and its place is marked. */
static bool is_same_trigger(const struct tlog_cpu *cpu, uint32_t state)
{
    return ((state_of(cpu) ^ state) & ~TLOG_TRIGGER_LEFT) == 0;
}

/* Tell a reader of the memory how many events are left. */
static void publish_state(struct tlog_cpu *cpu)
{
    uint32_t state, *word = &tlog_ring_first(cpu)->trigger;
    do {
        tlog_port_load_exclusive(word);
        state = state_of(cpu);
    } while (tlog_port_store_exclusive(state & TLOG_TRIGGER_SET ? TLOG_TRIGGER_ARMED | (state & TLOG_TRIGGER_LEFT) : 0,
                                       word));
}

/* ---- the next lap ------------------------------------------------------------------------------------------------ */

static uint32_t *head_of_first(struct tlog_chunk *chunk)
{
    return &chunk->cursor + 4 + TLOG_WORD_HEAD;
}

static bool is_blocked(struct tlog_chunk *chunk)
{
    return tlog_ring_is_blocked(*(volatile uint32_t *)head_of_first(chunk));
}

static bool is_first(uint32_t cursor)
{
    return cursor >> TLOG_CURSOR_SHIFT == 1u;
}

/* What a step found: each of these still holds while the step stores. */
struct seen {
    struct tlog_cpu *cpu;
    struct tlog_chunk *home, *chunk;         /* that the step changes: home, or the one that follows it */
    uint32_t home_cursor, cursor, lap, head; /* head: of slot 1 */
};

static struct seen look_at_chunk(struct tlog_cpu *cpu, struct tlog_chunk *home, struct tlog_chunk *chunk)
{
    return (struct seen){
        cpu, home, chunk, cursor_of(home), cursor_of(chunk), lap_of(chunk), *(volatile uint32_t *)head_of_first(chunk)};
}

/* Whether the words of both chunks are as they were seen. */
static bool is_as_seen(const struct seen *seen)
{
    return cursor_of(seen->home) == seen->home_cursor && cursor_of(seen->chunk) == seen->cursor
           && lap_of(seen->chunk) == seen->lap && *(volatile uint32_t *)head_of_first(seen->chunk) == seen->head;
}

static bool still_holds(const struct seen *seen)
{
    return state_of(seen->cpu) & TLOG_TRIGGER_SET && !tlog_ring_is_held() && is_home(seen->cpu, seen->home)
           && is_as_seen(seen) && (TLOG_CPUS == 1 || tlog_cpu_here() == seen->cpu);
}

static void put_if_seen(const struct seen *seen, uint32_t *word, uint32_t value)
{
    do {
        tlog_port_load_exclusive(word);
        if (!still_holds(seen)) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(value, word));
}

static void make_chunk_home(const struct seen *seen)
{
    do {
        tlog_port_load_exclusive_pointer((void **)&seen->cpu->cursor);
        if (!still_holds(seen)) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive_pointer(&seen->chunk->cursor, (void **)&seen->cpu->cursor));
}

/* The head that blocks a slot. That of a slot whose owner has not filled it also tells when it was claimed: in the lap
 * that is about to begin, behind the one in which it was reserved. */
static uint32_t blocked_head(uint32_t head, uint32_t lap)
{
    if ((head & TLOG_TAG_MASK) == (lap & TLOG_TAG_MASK))
        return TLOG_BLOCKED_FREE;
    return ((is_parked(head) ? head : lap + TLOG_LAP_STEP) & ~TLOG_CLAIM_SLOT_MASK)
           | TLOG_BLOCKED_STUCK; /* a claimed one keeps its lap */
}

/* The head that the slot gets in the lap that has begun: that of a free slot, or of a claimed one, which is passed. */
static uint32_t unblocked_head(uint32_t head, uint32_t lap)
{
    bool is_free = (head & TLOG_CLAIM_SLOT_MASK) == TLOG_BLOCKED_FREE;
    return is_free ? ~lap & TLOG_TAG_MASK : (head & ~TLOG_CLAIM_SLOT_MASK) | TLOG_TAG_MASK;
}

/* Take the next step of the switch to a chunk, home being full and parked. */
static void step_to(const struct seen *seen)
{
    const uint32_t after = ~seen->lap & TLOG_TAG_MASK, counted = seen->lap & TLOG_TAG_MASK;
    if (is_full(seen->chunk, seen->cursor) && !tlog_ring_is_blocked(seen->head))
        put_if_seen(seen, head_of_first(seen->chunk), blocked_head(seen->head, seen->lap));
    else if (is_full(seen->chunk, seen->cursor))
        put_if_seen(seen, &seen->chunk->cursor, TLOG_CURSOR_STEP | after);
    else if ((seen->cursor & counted) == 0)
        tlog_ring_count_lap(seen->chunk);
    else if (!is_parked(seen->cursor))
        put_if_seen(seen, &seen->chunk->cursor, seen->cursor | TLOG_TAG_MASK);
    else
        make_chunk_home(seen);
}

/* Take one step towards a home that is parked, not full, and not blocked. False: there is nothing to be done, or no
 * chunk follows (none). begun: a lap has begun. */
static bool step_home(struct tlog_cpu *cpu, bool *none, bool *begun)
{
    struct tlog_chunk *home = tlog_ring_home(cpu), *next;
    struct seen seen = look_at_chunk(cpu, home, home);
    if (!is_parked(seen.cursor)) {
        tlog_ring_park(cpu, home, 0);
        return true;
    }
    if (is_full(home, seen.cursor)) {
        next = follower(home, seen.cursor);
        *none = next == NULL;
        seen = next != NULL ? look_at_chunk(cpu, home, next) : seen;
        if (next != NULL)
            step_to(&seen);
        return next != NULL;
    }
    if (!tlog_ring_is_blocked(seen.head) || !is_first(seen.cursor))
        return false;
    put_if_seen(&seen, head_of_first(home), unblocked_head(seen.head, seen.lap));
    *begun = true;
    return true;
}

/* ---- reserving --------------------------------------------------------------------------------------------------- */

enum tlog_trigger_fit { TLOG_TRIGGER_RESERVED, TLOG_TRIGGER_ENDS, TLOG_TRIGGER_STUCK, TLOG_TRIGGER_MOVED };

/* How n slots at the parked cursor fit. */
static enum tlog_trigger_fit look_at_slots(const struct tlog_chunk *chunk, uint32_t now, uint32_t n)
{
    const uint32_t index = now >> TLOG_CURSOR_SHIFT, tag = lap_of(chunk) & TLOG_TAG_MASK;
    if (!is_parked(now) || is_full(chunk, now))
        return TLOG_TRIGGER_MOVED;
    if (is_first(now) && slot_has_tag(chunk, now, TLOG_TAG_ODD) && slot_has_tag(chunk, now, TLOG_TAG_EVEN)
        && is_blocked((struct tlog_chunk *)(uintptr_t)chunk))
        return TLOG_TRIGGER_MOVED;
    if (slot_has_tag(chunk, now, tag) || tlog_ring_is_noted(chunk, now, lap_of(chunk)))
        return TLOG_TRIGGER_STUCK;
    for (uint32_t i = 1; i < n; i++)
        if (index + i > chunk->slots || slot_has_tag(chunk, now + i * TLOG_CURSOR_STEP, tag))
            return TLOG_TRIGGER_ENDS;
    return TLOG_TRIGGER_RESERVED;
}

/* Reserve n slots at the parked cursor, which stays parked, while the trigger is the one of that state. */
static enum tlog_trigger_fit reserve_parked(struct tlog_cpu *cpu, uint32_t state, uint32_t n, struct tlog_reserved *at)
{
    struct tlog_chunk *home = tlog_ring_home(cpu);
    uint32_t claimed, now, lap;
    enum tlog_trigger_fit fit;
    do {
        claimed = tlog_ring_claim(cpu);
        now = tlog_port_load_exclusive(&home->cursor);
        lap = lap_of(home);
        fit = look_at_slots(home, now, n);
        *at = (struct tlog_reserved){&home->cursor + (now >> TLOG_CURSOR_SHIFT) * 4u,
                                     (now & ~TLOG_TAG_MASK) | (lap & TLOG_TAG_MASK),
                                     ((volatile struct tlog_cpu *)cpu)->high, tlog_ring_stamp(cpu, claimed)};
        if (fit != TLOG_TRIGGER_RESERVED || tlog_ring_is_held() || !is_home(cpu, home) || !is_same_trigger(cpu, state)
            || (int32_t)(at->high ^ at->low) < 0 || (TLOG_CPUS > 1 && tlog_cpu_here() != cpu)) {
            tlog_port_clear_exclusive();
            return fit == TLOG_TRIGGER_RESERVED ? TLOG_TRIGGER_MOVED : fit;
        }
    } while (tlog_ring_commit(cpu, claimed, now + n * TLOG_CURSOR_STEP, &home->cursor));
#if TLOG_CONTEXT
    at->high = tlog_port_context(at->high);
#endif
    return TLOG_TRIGGER_RESERVED;
}

/* ---- slots that are no event ------------------------------------------------------------------------------------- */

static void count_extra(const struct tlog_reserved *at, uint32_t n)
{
    tlog_ring_count_extra(at->slot - (at->cursor >> TLOG_CURSOR_SHIFT) * 4u, n);
}

/* Log a slot that is no event at the cursor, if it is free. */
static void put_here(struct tlog_cpu *cpu, uint32_t state, uint32_t event)
{
    struct tlog_reserved at;
    bool is_time = event == TLOG_CONTROL_TIME;
    if (reserve_parked(cpu, state, 1, &at) != TLOG_TRIGGER_RESERVED)
        return;
    count_extra(&at, 1);
    tlog_ring_fill_control(&at, event, is_time ? tlog_ring_wraps(at.high) : 0, is_time ? at.low : 0);
}

/* Whether an event of n slots goes into a lap. */
static bool fits_in_lap(const struct tlog_chunk *chunk, uint32_t n)
{
    return n + (TLOG_TRACEEVENTS && chunk->slots > 1u ? 1u : 0u) <= chunk->slots;
}

/* Whether slots of home may be reserved for the trigger with that state: nothing holds it, and this is its CPU. */
static bool may_reserve_parked(const struct tlog_cpu *cpu, uint32_t state)
{
    return is_same_trigger(cpu, state) && !tlog_ring_is_held() && (TLOG_CPUS == 1 || tlog_cpu_here() == cpu);
}

/* Reserve n slots, in the next lap if necessary. False: the trigger is another one, or there is no room. */
static bool find_parked_room(struct tlog_cpu *cpu, uint32_t state, uint32_t n, struct tlog_reserved *at)
{
    const struct tlog_chunk *first = tlog_ring_home(cpu);
    uint32_t left = 3u * first->slots * (TLOG_CHUNKS > 1 ? cpu->ring->chunks : 1u) + 3u;
    bool none = false;
    while (left > 0 && !none && fits_in_lap(first, n) && may_reserve_parked(cpu, state)) {
        bool begun = false;
        tlog_ring_tick(cpu);
        if (tlog_ring_form(cpu, n))
            continue;
        if (step_home(cpu, &none, &begun)) {
            if (TLOG_TRACEEVENTS && begun && first->slots > 1u)
                put_here(cpu, state, TLOG_CONTROL_TIME);
            continue;
        }
        enum tlog_trigger_fit fit = none ? TLOG_TRIGGER_MOVED : reserve_parked(cpu, state, n, at);
        if (fit == TLOG_TRIGGER_RESERVED)
            return true;
        if (fit == TLOG_TRIGGER_STUCK && !tlog_ring_pass(cpu, tlog_ring_home(cpu)))
            return false;
        if (fit == TLOG_TRIGGER_ENDS)
            put_here(cpu, state, TLOG_CONTROL_PAD);
        left -= fit != TLOG_TRIGGER_MOVED;
    }
    return false;
}

/* Reserve n slots that are no event, while events or the mark are still to be recorded. */
static bool reserve_extra(struct tlog_cpu *cpu, uint32_t n, struct tlog_reserved *at)
{
    const uint32_t state = state_of(cpu);
    if ((state & (TLOG_TRIGGER_LEFT | TLOG_TRIGGER_PENDING)) == 0 || !find_parked_room(cpu, state, n, at))
        return false;
    count_extra(at, n);
    return true;
}

/* Store a state, if it still is the one that was seen. */
static bool change_state(struct tlog_cpu *cpu, uint32_t state, uint32_t after)
{
    do {
        if (tlog_port_load_exclusive(state_at(cpu)) != state) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(after, state_at(cpu)));
    publish_state(cpu);
    return true;
}

/* Mark the place. A slot that was reserved before another writer's mark is a PAD. What was lost since the trigger
 * before stopped logging is reported ahead of it. False: there is no room. */
static bool mark_place(struct tlog_cpu *cpu, uint32_t state)
{
    struct tlog_reserved at;
    if (tlog_ring_is_losing(cpu))
        tlog_ring_report(cpu);
    if (!find_parked_room(cpu, state, 1, &at))
        return !is_same_trigger(cpu, state);
    bool is_mine = change_state(cpu, state, state & ~TLOG_TRIGGER_PENDING);
    count_extra(&at, 1);
    tlog_ring_fill_control(&at, is_mine ? TLOG_CONTROL_TRIGGER : TLOG_CONTROL_PAD,
                           is_mine ? state & TLOG_TRIGGER_LEFT : 0, 0);
    return true;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* No ticket is left: from now on events are dropped at once. */
static void halt_home(struct tlog_cpu *cpu, uint32_t state)
{
    struct tlog_chunk *home = tlog_ring_home(cpu);
    uint32_t flags;
    publish_state(cpu); /* the writer that took the last ticket may have been interrupted before it did so */
    do {
        flags = tlog_port_load_exclusive(&home->flags);
        if (state_of(cpu) != state) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(flags | TLOG_CHUNK_HALT, &home->flags));
}

static void give_ticket_back(struct tlog_cpu *cpu, uint32_t state)
{
    uint32_t now = state_of(cpu);
    while (((now ^ state) & ~TLOG_TRIGGER_LEFT) == 0 && !change_state(cpu, now, now + 1u))
        now = state_of(cpu);
}

static bool is_set(const struct tlog_cpu *cpu)
{
    return cpu >= tlog_cpus && cpu < tlog_cpus + TLOG_CPUS && state_of(cpu) & TLOG_TRIGGER_SET;
}

static enum tlog_taken take_ticket(struct tlog_cpu *cpu, uint32_t n, struct tlog_reserved *at)
{
    while (is_set(cpu)) {
        const uint32_t state = state_of(cpu);
        if (tlog_ring_is_held())
            return TLOG_TAKEN_NONE;
        if (state & TLOG_TRIGGER_PENDING) {
            if (!mark_place(cpu, state))
                return TLOG_TAKEN_NONE;
            continue;
        }
        if ((state & TLOG_TRIGGER_LEFT) == 0) {
            halt_home(cpu, state);
            return TLOG_TAKEN_NONE;
        }
        if (tlog_ring_is_losing(cpu))
            tlog_ring_report(cpu);
        if (!change_state(cpu, state, state - 1u))
            continue;
        if (find_parked_room(cpu, state, n, at)) {
            if (n > 1u)
                count_extra(at, n - 1u);
            return TLOG_TAKEN;
        }
        give_ticket_back(cpu, state);
        if (is_same_trigger(cpu, state))
            return TLOG_TAKEN_NONE;
    }
    return TLOG_TAKEN_NOT_SET;
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static const struct tlog_hook hook = {take_ticket, reserve_extra, is_set};

static struct tlog_chunk *chunk_of_cpu(const struct tlog_cpu *cpu, uint32_t number)
{
    struct tlog_chunk *first = tlog_ring_first(cpu);
    return (struct tlog_chunk *)((uintptr_t)first + number * TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS));
}

static void clear_halts(struct tlog_cpu *cpu)
{
    for (uint32_t i = 0; i < tlog_ring_chunks(cpu); i++) {
        uint32_t *word = &chunk_of_cpu(cpu, i)->flags, flags;
        do
            flags = tlog_port_load_exclusive(word);
        while (tlog_port_store_exclusive(flags & ~TLOG_CHUNK_HALT, word));
    }
}

static bool is_any_blocked(const struct tlog_cpu *cpu)
{
    for (uint32_t i = 0; i < tlog_ring_chunks(cpu); i++)
        if (is_blocked(chunk_of_cpu(cpu, i)))
            return true;
    return false;
}

/* Set the trigger, and close home. */
static void set_state(struct tlog_cpu *cpu, uint32_t after)
{
    uint32_t before;
    if (!is_set(cpu) && tlog_ring_is_losing(cpu) && (TLOG_CPUS == 1 || tlog_cpu_here() == cpu))
        tlog_ring_make_room(cpu, true); /* a loss is reported ahead of the mark */
    do
        before = state_of(cpu);
    while (!change_state(cpu, before,
                         TLOG_TRIGGER_SET | TLOG_TRIGGER_PENDING | ((before + TLOG_TRIGGER_NEXT) & TLOG_TRIGGER_NUMBER)
                             | after));
    clear_halts(cpu);
    while (is_set(cpu) && !tlog_ring_park(cpu, tlog_ring_home(cpu), 0)) {
    }
}

/* Finish a switch that has begun, because other writers would take a blocked slot for a claimed one, and take the
 * trigger back in a moment in which no slot is blocked. False: it was not set. */
static bool unset_state(struct tlog_cpu *cpu)
{
    bool none = false, begun = false, is_done = false;
    for (uint32_t tries = 0; !is_done && is_set(cpu); tries++) {
        const uint32_t state = tlog_port_load_exclusive(state_at(cpu));
        if (is_any_blocked(cpu) && tries < 1000u) {
            tlog_port_clear_exclusive();
            step_home(cpu, &none, &begun);
            continue;
        }
        is_done = tlog_port_store_exclusive(state & TLOG_TRIGGER_NUMBER, state_at(cpu)) == 0;
    }
    publish_state(cpu);
    clear_halts(cpu);
    return is_done;
}

static void mark_unset(struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    uint32_t *cursor;
    do {
        cursor = ((volatile struct tlog_cpu *)cpu)->cursor;
        if (tlog_ring_reserve(cpu, cursor, &at)) {
            tlog_ring_count_extra(cursor, 1);
            tlog_ring_fill_control(&at, TLOG_CONTROL_TRIGGER, TLOG_TRIGGER_OFF, 0);
            return;
        }
    } while (tlog_ring_make_room(cpu, true));
}

void tlog_trigger(uint32_t after)
{
    const struct tlog_hook *volatile *set = &tlog_ring_hook;
    struct tlog_cpu *here = tlog_cpu_here();
    if (tlog_port_refuses())
        return;
    tlog_ring_start_all();
    *set = &hook;
    for (struct tlog_cpu *cpu = tlog_cpus; cpu < tlog_cpus + TLOG_CPUS; cpu++) {
        if (after != TLOG_TRIGGER_OFF)
            set_state(cpu, after < TLOG_TRIGGER_LEFT ? after : TLOG_TRIGGER_LEFT);
        else if (unset_state(cpu) && cpu == here)
            mark_unset(cpu);
    }
    const uint32_t state = state_of(here);
    if (state & TLOG_TRIGGER_PENDING)
        mark_place(here, state);
}

#endif
