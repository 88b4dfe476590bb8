/* tlog_ring.c - the slow half of the record path: switching, losing, going on. Nothing here masks interrupts.
 *
 * Roles
 *   writer    a context that logs: a thread, an interrupt handler, a fault handler, on the ring's CPU
 *   owner     the writer that has reserved a slot and not yet written its word 0
 *   reader    whoever looks at the memory, at any instant: debugger, crash dump, sink
 *
 * The one fact that makes it safe
 *   Only one CPU writes a ring, and its exclusive watch ends at every interrupt entry and return. So between a
 *   load-exclusive and a store-exclusive that succeeds, no other writer ran: whatever was loaded between them still
 *   held when the store happened. Every change of shared state below is such a store, made only while the condition
 *   that makes it right holds. It does not matter which writer makes it, nor how often one tries.
 *
 * Reservation and stamp are one step
 *   tlog_port_reserve() reads the clock between the cursor's load and its store. Slot order is time order. How that holds
 *   when the clock is too slow to tell events apart (TLOG_UNIQUE_STAMPS), see tlog_ring.h.
 *
 * A slot, lap by lap (tag of odd laps 1, of even laps 2; word 0 decides)
 *
 *        empty, tag 2 --reserve--> owned, still tag 2 --word 0--> tag 1        lap 1
 *               tag 1 --reserve--> owned, still tag 1 --word 0--> tag 2        lap 2, and so on
 *
 *   In lap n a slot that already bears lap n's tag before anyone wrote it in lap n has kept it from lap n - 2: its
 *   owner of lap n - 1 is still interrupted, or its thread preempted. Then nobody may write there, and the event is
 *   dropped and counted until the owner has come back. That is the lap guard; it costs three instructions and no store.
 *   The same test finds the end of the chunk, because the end mark bears both tags. For the reader: in lap n, slots
 *   before the cursor bear lap n's tag, the others lap n - 1's. Anything else is an owner at work, or one that came
 *   back too late to publish; both show, neither can pass for an event of its neighbours.
 *
 * A chunk, whose lap word counts n laps; the cursor bears the tag t of the lap it is in
 *
 *        full, t(n), n laps --open--> first slot, t(n + 1), n laps --count--> first slot, t(n + 1), n + 1 laps
 *             ^                                                                           |
 *             +------------------------ slots are reserved ---------------+               |
 *             +------------------------ slots are reserved -------------------------------+
 *        some slot, t(n), n laps --park--> some slot, both tags, n laps --open--> some slot, t(n), n laps
 *
 *   A cursor with both tags finds every slot taken, so a parked chunk is as closed as a full one. It is opened again
 *   where it was left. Counting is done by whoever opened, and made up for by whoever finds it not done.
 *
 *   Only the current chunk (home) is ever not closed. To switch: open the next chunk, make it home; each step happens
 *   only while home is closed and the state left of the arrow is there, so a writer that is interrupted between two steps
 *   finds the rest done, by whoever came in between.
 *
 * Where home leads when it is closed
 *   Full: to the chunk that its flags and `next` tell, or to itself, or nowhere. Parked before it is full: to itself.
 *   Parked with a `goal`: there. Whoever parks it sets the goal before, and the parking happens only while the goal is
 *   still that one. A chunk is parked without a goal when an event was lost, so that the first event that finds room
 *   again comes here and is preceded by the records that tell of the loss; and with one by the command to leave it.
 *
 * Several CPUs (TLOG_CPUS > 1)
 *   Each has a ring, whose writers are the contexts on that CPU, and all of the above holds. What several of them change -
 *   the filters and what they follow from, a chunk's flags, the number of the run - they change by store-exclusives.
 *   Still a ring can have a writer on another CPU: a thread that asked where it is and was then moved, in the middle of a
 *   call, or one that opens the rings of all CPUs (tlog_start.c). Then "no other writer ran" shrinks to what a store-
 *   exclusive itself tells: nobody has stored to the word that was watched. That is enough, because what a step looks at
 *   besides that word either cannot cease to hold without a store to it, or may:
 *     reserve   the slot is free: it is taken by a store to the cursor, which is watched. The high word may be carried over
 *               between loading it and reading the clock: then the two disagree
 *     open      home is closed and leads here: home is left for this chunk when it is open, by a store to its cursor. The
 *               lap is counted: the next one cannot begin before that
 *     count     the cursor is a lap ahead of the lap word: it stays so until the lap word is stored to
 *     go home   the next chunk is not closed: it may be full by then, and whoever comes finds that and goes on
 *     park      the chunk is home: it may be one left behind by then, full, which opens the same with both tags
 *     urgent    the chunk is home: it may be one left behind by then; its slot is good all the same
 *   The steps of one CPU are seen by the others in their order, for all exclusives but those of reserve are fences, and
 *   publishing is one for stores. The event is in the ring of the CPU where the call began, in the order of time there.
 *   It all rests on a watch that ends when another CPU stores (port/tlog_port.h). Without that, threads that may be moved
 *   must not log, nor one CPU steer while another does.
 *
 * Bounds: every loop below goes round again only when an interrupt, or another CPU, came in between that itself logged.
 */
#include "tlog.h"

#include <stddef.h>

#if TLOG_ENABLE

/* As a cursor: slot 0 is the word itself, and bears both tags. */
const uint32_t tlog_ring_full[TLOG_RING_FULL_WORDS] = {TLOG_TAG_MASK};

static bool is_parked(uint32_t cursor)
{
    return (cursor & TLOG_TAG_MASK) == TLOG_TAG_MASK;
}

static bool is_full(const struct tlog_chunk *chunk, uint32_t cursor)
{
    return cursor >> TLOG_CURSOR_SHIFT > chunk->slots;
}

static uint32_t cursor_of(const struct tlog_chunk *chunk)
{
    return ((const volatile struct tlog_chunk *)chunk)->cursor;
}

static uint32_t lap_of(const struct tlog_chunk *chunk)
{
    return ((const volatile struct tlog_chunk *)chunk)->lap;
}

static bool is_closed(const struct tlog_chunk *chunk)
{
    uint32_t cursor = cursor_of(chunk);
    return is_parked(cursor) || is_full(chunk, cursor);
}

/* Whether the slot the cursor stands on bears a tag. */
static bool bears(const struct tlog_chunk *chunk, uint32_t cursor, uint32_t tag)
{
    return (*(const volatile uint32_t *)((uintptr_t)&chunk->cursor + (cursor >> 12)) & tag & TLOG_TAG_MASK) != 0;
}

/* Whether the slot that a cursor stood on was free, unless somebody has moved the cursor since: then that is to be seen again. */
static inline bool is_free(const struct tlog_chunk *chunk, uint32_t cursor, uint32_t tag)
{
    return !bears(chunk, cursor, tag) || cursor != cursor_of(chunk);
}

/* An only chunk is home since it was opened. */
static bool is_home(const struct tlog_cpu *cpu, const struct tlog_chunk *chunk)
{
    return (TLOG_CHUNKS == 1 && !TLOG_ARENA) || ((const volatile struct tlog_cpu *)cpu)->cursor == &chunk->cursor;
}

static bool is_losing(const struct tlog_cpu *cpu)
{
    const volatile struct tlog_chunk *first = tlog_ring_first(cpu);
    return first->dropped != first->reported;
}

uint32_t tlog_ring_add(uint32_t *word, uint32_t n)
{
    uint32_t before;
    do
        before = tlog_port_load_exclusive(word);
    while (tlog_port_store_exclusive(before + n, word));
    return before;
}

/* ---- leading on -------------------------------------------------------------------------------------------------- */

/* The chunk that a closed one, whose cursor is given, leads to; an open one, to itself. NULL: none, or not now. */
static inline struct tlog_chunk *follower(const struct tlog_chunk *chunk, uint32_t cursor)
{
    const volatile struct tlog_chunk *home = chunk;
    uint32_t way = TLOG_ARENA && is_parked(cursor) ? home->goal : 0;
    if (way == 0 && !is_full(chunk, cursor))
        return is_free(chunk, cursor, cursor & lap_of(chunk)) ? (struct tlog_chunk *)(uintptr_t)chunk : NULL;
    if (way == 0 && home->flags & TLOG_CHUNK_STOP)
        return NULL;
    if (way == 0 && (TLOG_CHUNKS > 1 || TLOG_ARENA) && home->flags & TLOG_CHUNK_JTN)
        way = home->next;
    if (TLOG_ARENA && way == TLOG_NEXT_STOP)
        return NULL;
    struct tlog_chunk *next = (struct tlog_chunk *)((uintptr_t)chunk + (uintptr_t)(intptr_t)(int32_t)way);
    return TLOG_ARENA && ((const volatile struct tlog_chunk *)next)->flags & TLOG_CHUNK_BUSY ? NULL : next;
}

/* Whether that chunk is home, is closed as it was seen to be, and leads to next. If it has been parked since, there is a
 * loss to tell of, which whoever switches must see. */
static inline bool leads_to(const struct tlog_cpu *cpu, const struct tlog_chunk *home, uint32_t cursor,
                            const struct tlog_chunk *next)
{
    return cursor_of(home) == cursor && is_home(cpu, home) && (!TLOG_ARENA || follower(home, cursor) == next);
}

/* The cursor that opens a closed chunk: on from where it was parked, or the first slot of the next lap. 0: it is open,
 * or its lap is not counted. */
static inline uint32_t opening(const struct tlog_chunk *chunk, uint32_t cursor)
{
    uint32_t after = ~lap_of(chunk) & TLOG_TAG_MASK;
    if (is_full(chunk, cursor))
        return (cursor & TLOG_TAG_MASK) != after ? TLOG_CURSOR_STEP | after : 0;
    return is_parked(cursor) ? cursor ^ after : 0;
}

/* Step 1. A lap of a ring with traceevents begins with two slots that tell the time, which the one who opens it takes
 * with the same store, if they are free. */
static inline void open_chunk(struct tlog_cpu *cpu, struct tlog_chunk *home, uint32_t home_cursor,
                              struct tlog_chunk *next)
{
    struct tlog_reserved at;
    uint32_t cursor, claimed;
    bool refers;
    do {
        claimed = tlog_ring_claim(cpu);
        cursor = opening(next, tlog_port_load_exclusive(&next->cursor));
        if (cursor == 0 || !leads_to(cpu, home, home_cursor, next)) {
            tlog_port_clear_exclusive();
            return;
        }
        if (TLOG_UNIQUE_STAMPS)
            at.low = claimed;
        refers = TLOG_TRACEEVENTS && tlog_ring_refer(cpu, next, cursor, &at);
        if (TLOG_TRACEEVENTS && ((at.high ^ at.low) & TLOG_HIGH_MIRROR) != 0) { /* there must be a tick before */
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_ring_commit(cpu, claimed, cursor + (refers ? 2u * TLOG_CURSOR_STEP : 0u), &next->cursor));
    if (refers)
        tlog_ring_put_reference(next, &at);
}

/* Step 2: the lap that the cursor's tag tells, unless it bears both, or the one that the lap word has. */
static __attribute__((cold)) void count_lap(struct tlog_chunk *chunk)
{
    uint32_t lap, cursor;
    do {
        lap = tlog_port_load_exclusive(&chunk->lap);
        cursor = cursor_of(chunk);
        if (((lap ^ cursor) & TLOG_TAG_MASK) != TLOG_TAG_MASK) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive((lap ^ TLOG_TAG_MASK) + TLOG_LAP_STEP, &chunk->lap));
}

/* Step 3. */
static inline void go_home(struct tlog_cpu *cpu, struct tlog_chunk *home, uint32_t home_cursor, struct tlog_chunk *next)
{
    do {
        tlog_port_load_exclusive_pointer((void **)&cpu->cursor);
        if (!leads_to(cpu, home, home_cursor, next) || is_closed(next)) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive_pointer(&next->cursor, (void **)&cpu->cursor));
}

/* Home had that cursor: open what it leads to, unless it is open. False: there is nothing, or no free slot there. */
static __attribute__((cold)) bool switch_chunk(struct tlog_cpu *cpu, struct tlog_chunk *home, uint32_t cursor)
{
    struct tlog_chunk *next = follower(home, cursor);
    if (!next)
        return false;
    open_chunk(cpu, home, cursor, next);
    count_lap(next);
    if ((TLOG_CHUNKS > 1 || TLOG_ARENA) && next != home)
        go_home(cpu, home, cursor, next);
    return true;
}

/* ---- parking ----------------------------------------------------------------------------------------------------- */

/* Say where home leads to once it is parked. Only a command changes that of one that is parked. */
static bool set_goal(struct tlog_cpu *cpu, struct tlog_chunk *home, uint32_t goal, bool command)
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

/* Park home with that goal; true if it is so. A cursor of one lap and the count of the next, seen on both sides of an
 * interrupt, or of a lap that another thread has opened and not counted yet, are looked at again. */
static __attribute__((cold)) bool park(struct tlog_cpu *cpu, struct tlog_chunk *home, uint32_t goal)
{
    uint32_t cursor;
    bool is_counted;
    do {
        count_lap(home);
        cursor = tlog_port_load_exclusive(&home->cursor);
        bool meant = !TLOG_ARENA || ((volatile struct tlog_chunk *)home)->goal == goal;
        is_counted = (cursor & lap_of(home) & TLOG_TAG_MASK) != 0;
        if (!is_home(cpu, home) || !meant) {
            tlog_port_clear_exclusive();
            return false;
        }
        if (!is_counted)
            tlog_port_clear_exclusive();
    } while (!is_counted || tlog_port_store_exclusive(cursor | TLOG_TAG_MASK, &home->cursor));
    return true;
}

static void report(struct tlog_cpu *cpu);

/* Go where a command that was interrupted wanted to go: it said so before. */
static __attribute__((cold)) void obey(struct tlog_cpu *cpu)
{
    struct tlog_chunk *home = tlog_ring_home(cpu);
    uint32_t cursor = cursor_of(home);
    if (is_parked(cursor) && ((volatile struct tlog_chunk *)home)->goal != 0)
        switch_chunk(cpu, home, cursor);
}

__attribute__((cold)) void tlog_ring_leave(struct tlog_cpu *cpu, struct tlog_chunk *to)
{
    struct tlog_chunk *home;
    uint32_t goal;
    tlog_ring_start(cpu);
    do {
        obey(cpu);
        home = tlog_ring_home(cpu);
        goal = to ? (uint32_t)((uintptr_t)to - (uintptr_t)home) : ((volatile struct tlog_chunk *)home)->next;
    } while (!set_goal(cpu, home, goal, true) || !park(cpu, home, goal));
    if (switch_chunk(cpu, home, cursor_of(home)) && is_losing(cpu))
        report(cpu);
}

__attribute__((cold)) bool tlog_ring_shut(struct tlog_cpu *cpu, struct tlog_chunk *chunk)
{
    uint32_t cursor;
    count_lap(chunk);
    do {
        cursor = tlog_port_load_exclusive(&chunk->cursor);
        if (is_home(cpu, chunk) || (cursor & lap_of(chunk) & TLOG_TAG_MASK) == 0) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(cursor | TLOG_TAG_MASK, &chunk->cursor));
    return true;
}

/* ---- what is finished -------------------------------------------------------------------------------------------- */

static bool are_tagged(const struct tlog_slot *slot, uint32_t n, uint32_t tag)
{
    for (; n > 0; n--, slot++)
        if ((*(const volatile uint32_t *)slot->word & TLOG_TAG_MASK) != tag)
            return false;
    return true;
}

bool tlog_ring_is_finished(const struct tlog_chunk *chunk)
{
    uint32_t tag = lap_of(chunk) & TLOG_TAG_MASK, before = (cursor_of(chunk) >> TLOG_CURSOR_SHIFT) - 1u;
    uint32_t emergency_used = ((const volatile struct tlog_chunk *)chunk)->emergency_used;
    const struct tlog_slot *slots = tlog_chunk_slots(chunk);
    return are_tagged(slots, before, tag) && are_tagged(slots + before, chunk->slots - before, tag ^ TLOG_TAG_MASK)
           && are_tagged(tlog_chunk_emergency_slots(chunk), emergency_used, TLOG_TAG_ODD);
}

/* ---- losing ------------------------------------------------------------------------------------------------------ */

/* Make the next event come here, and find that there is a loss to tell of. */
static inline void park_for_loss(struct tlog_cpu *cpu)
{
    struct tlog_chunk *home;
    do
        home = tlog_ring_home(cpu);
    while (((TLOG_ARENA && !set_goal(cpu, home, 0, false)) || !park(cpu, home, 0)) && !is_home(cpu, home));
}

__attribute__((cold)) void tlog_ring_drop(struct tlog_cpu *cpu)
{
    struct tlog_chunk *first = tlog_ring_first(cpu);
    tlog_ring_start(cpu);
    if (TLOG_RUNS > 1)
        first = tlog_ring_first(cpu);
    tlog_ring_tick(cpu);
    if (tlog_ring_add(&first->dropped, 1u) == first->reported)
        first->lost_at = tlog_port_now_at(cpu->clock);
    park_for_loss(cpu);
}

static inline bool is_urgent(uint32_t code)
{
    uint32_t event = code & TLOG_RECORD_CODE;
    return code & TLOG_CODE_URGENT || (event & FTrace_family_mask) == 0 || event == FTrace_EVT_task_deadline_miss
           || event == FTrace_EVT_task_wcet_violation;
}

/* Emergency slots are filled once, in the order of time, from the one behind the end mark on. */
static bool put_urgent(struct tlog_cpu *cpu, uint32_t code, uint32_t par1, uint32_t par2)
{
    struct tlog_chunk *home = tlog_ring_home(cpu);
    struct tlog_reserved at = {0, TLOG_TAG_ODD, 0, 0};
    uint32_t used, claimed;
    bool is_late; /* the clock has passed half a wrap */
    do {
        tlog_ring_tick(cpu);
        claimed = tlog_ring_claim(cpu);
        used = tlog_port_load_exclusive(&home->emergency_used);
        at.high = ((volatile struct tlog_cpu *)cpu)->high;
        at.low = tlog_ring_stamp(cpu, claimed);
        is_late = ((at.high ^ at.low) & TLOG_HIGH_MIRROR) != 0;
        if (is_late)
            tlog_port_clear_exclusive();
        if (!is_late && (used >= home->emergency || !is_home(cpu, home))) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (is_late || tlog_ring_commit(cpu, claimed, used + 1u, &home->emergency_used));
    at.slot = &home->cursor + (home->slots + 2u + used) * 4u;
    if (TLOG_CONTEXT)
        at.high = tlog_port_context(at.high);
    tlog_ring_fill(&at, code, par1, par2);
    return true;
}

/* No room. The records that tell of a loss take back what they would have told. */
static void lose(struct tlog_cpu *cpu, uint32_t par1, uint32_t par2, uint32_t code)
{
    if (code == (TLOG_CODE_OWN | FTrace_EVT_blackout_end))
        tlog_ring_add(&tlog_ring_first(cpu)->reported, 0u - par2);
    if (code & TLOG_CODE_OWN)
        park_for_loss(cpu);
    else if (!(TLOG_ARENA || TLOG_EMERGENCY_SLOTS > 0) || !is_urgent(code) || !put_urgent(cpu, code, par1, par2))
        tlog_ring_drop(cpu);
}

/* Tell of the loss, for there is room again. The count is taken off before it is told, in one step with looking what it
 * is, so that an interrupt in between cannot tell it as well; lose() puts it back when there was no room after all. */
static __attribute__((noinline, cold)) void report(struct tlog_cpu *cpu)
{
    struct tlog_chunk *first = tlog_ring_first(cpu);
    uint32_t ticks = tlog_port_now_at(cpu->clock) - first->lost_at;
    uint32_t reported, dropped;
    do {
        reported = tlog_port_load_exclusive(&first->reported);
        dropped = ((volatile struct tlog_chunk *)first)->dropped;
    } while (tlog_port_store_exclusive(dropped, &first->reported));
    uint32_t count = dropped - reported;
    if (count == 0)
        return;
    tlog_ring_slow(0, ticks, TLOG_CODE_OWN | FTrace_EVT_blackout_start, cpu);
    tlog_ring_slow(0, count, TLOG_CODE_OWN | FTrace_EVT_blackout_end, cpu);
    if (is_losing(cpu)) /* an interrupt has lost more, and the records have opened what it parked */
        park_for_loss(cpu);
}

/* ---- the slow path ----------------------------------------------------------------------------------------------- */

static inline bool is_settled(uint32_t lap, uint32_t cursor)
{
    return ((lap ^ cursor) & TLOG_TAG_MASK) == 0;
}

/* The way from a full chunk to the one that follows; false when there is none. */
static inline bool find_way(const struct tlog_chunk *chunk, uint32_t *way)
{
    const volatile struct tlog_chunk *home = chunk;
    uint32_t flags = home->flags;
    *way = TLOG_CHUNKS > 1 || (TLOG_ARENA && flags & TLOG_CHUNK_JTN) ? home->next : 0;
    return !(flags & TLOG_CHUNK_STOP) && (!TLOG_ARENA || *way != TLOG_NEXT_STOP);
}

/* The chunk whose cursor that is, as tlog_ring_chunk(); but the compiler takes the cursor for the base: what is watched
 * here are a cursor and the lap behind it, and loads do have negative offsets. */
static inline struct tlog_chunk *chunk_at(uint32_t *cursor)
{
    __asm("" : "+r"(cursor));
    return (struct tlog_chunk *)(void *)((char *)cursor - TLOG_CURSOR_OFFSET);
}

/* The usual case, and the same three steps in fewer instructions: home is full, what follows is so, too, and nothing
 * else is the matter with them. Otherwise, and when an interrupt comes in between, switch_chunk() does what is left to do;
 * but the count of a chunk that follows itself is not left to it. Home is to be left as long as it is home and its cursor
 * is what it was; and if its lap is what it was, it has not been left and come back to in the meantime. tlog_ring_full
 * looks unsettled, and more of it is not looked at. */
static inline __attribute__((always_inline)) void turn(struct tlog_cpu *cpu, uint32_t *current)
{
    const bool is_ring = TLOG_CHUNKS > 1 || TLOG_ARENA;
    struct tlog_chunk *home = chunk_at(current), *next = home;
    uint32_t home_lap = 0, home_cursor = 0, way;
    if (is_ring) {
        home_lap = lap_of(home);
        home_cursor = cursor_of(home);
        if (!is_settled(home_lap, home_cursor) || !is_full(home, home_cursor) || !find_way(home, &way))
            return;
        next = chunk_at((uint32_t *)((uintptr_t)&home->cursor + (uintptr_t)(intptr_t)(int32_t)way));
    }
    uint32_t cursor = tlog_port_load_exclusive(&next->cursor), lap = lap_of(next);
    if (!is_settled(lap, cursor) || !is_full(next, cursor) || (!is_ring && !find_way(home, &way))
        || (is_ring && (!is_home(cpu, home) || cursor_of(home) != home_cursor))
        || (TLOG_ARENA && follower(home, home_cursor) != next)) {
        tlog_port_clear_exclusive();
        return;
    }
    const uint32_t lap_after = (lap ^ TLOG_TAG_MASK) + TLOG_LAP_STEP;
    if (tlog_port_store_exclusive(TLOG_CURSOR_STEP | (lap_after & TLOG_TAG_MASK), &next->cursor))
        return;
    do {
        if (tlog_port_load_exclusive(&next->lap) != lap) {
            tlog_port_clear_exclusive();
            break;
        }
    } while (tlog_port_store_exclusive(lap_after, &next->lap));
    if (!is_ring || (TLOG_CHUNKS == 1 && next == home))
        return;
    if (tlog_port_load_exclusive_pointer((void **)&cpu->cursor) != &home->cursor || lap_of(home) != home_lap
        || cursor_of(home) != home_cursor || (TLOG_ARENA && is_closed(next)))
        tlog_port_clear_exclusive();
    else
        tlog_port_store_exclusive_pointer(&next->cursor, (void **)&cpu->cursor);
}

__attribute__((cold)) bool tlog_ring_make_room(struct tlog_cpu *cpu, uint32_t code)
{
    tlog_ring_start(cpu);
    tlog_ring_tick(cpu); /* before a lap begins, for that may tell the time */
    struct tlog_chunk *home = tlog_ring_home(cpu);
    uint32_t cursor = cursor_of(home);
    if (!switch_chunk(cpu, home, cursor))
        return false;
    if (is_parked(cursor) && !(code & TLOG_CODE_OWN) && is_losing(cpu))
        report(cpu);
    return true;
}

static __attribute__((noinline, cold)) void log_slowly(uint32_t par1, uint32_t par2, uint32_t code,
                                                       struct tlog_cpu *cpu)
{
    if (tlog_ring_make_room(cpu, code))
        tlog_ring_slow(par1, par2, code, cpu);
    else
        lose(cpu, par1, par2, code);
}

/* Calls nothing but its own end, so that the switch from chunk to chunk needs few registers saved. */
__attribute__((cold)) TLOG_PORT_FEW_REGISTERS void tlog_ring_slow(uint32_t par1, uint32_t par2, uint32_t code,
                                                                  struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    uint32_t *cursor = ((volatile struct tlog_cpu *)cpu)->cursor;
    if (!TLOG_TRACEEVENTS)
        turn(cpu, cursor);
    if (tlog_ring_reserve(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, &at))
        tlog_ring_fill(&at, code, par1, par2);
    else
        log_slowly(par1, par2, code, cpu);
}

/* The youngest stamp must not fall behind the clock so far that it seems ahead of it. */
static inline void keep_up(struct tlog_cpu *cpu)
{
#if TLOG_UNIQUE_STAMPS
    uint32_t last, time;
    do {
        last = tlog_port_load_exclusive(&cpu->last);
        time = tlog_ring_time(cpu);
        if (time - last < 2u) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(time - 1u, &cpu->last)); /* the clock's time itself is still to be had */
#else
    (void)cpu;
#endif
}

/* The high word moves only from the value it was seen with: an interrupt's later wrap is never undone. */
__attribute__((cold)) void tlog_ring_tick(struct tlog_cpu *cpu)
{
    uint32_t high;
    keep_up(cpu);
    do {
        high = tlog_port_load_exclusive(&cpu->high);
        if ((int32_t)(high ^ tlog_ring_time(cpu)) >= 0) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(tlog_ring_carry(high), &cpu->high));
    if (TLOG_TRACEEVENTS && high >> 31)
        tlog_ring_put_time(cpu, tlog_ring_wraps(high) + 1u);
}

#endif
