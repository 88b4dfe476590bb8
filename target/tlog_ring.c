/* tlog_ring.c - the slow half of the record path: switching chunks, reporting losses. No interrupt is ever masked here.
 *
 * Roles
 *   writer    a context that logs: a thread, an interrupt handler, a fault handler, on the ring's CPU
 *   owner     the writer that has reserved a slot and not yet written word 0 of it
 *   reader    whatever reads the memory, at any instant: a debugger, a crash dump, a sink
 *
 * The fact that makes it safe
 *   Only one CPU writes a ring, and its exclusive watch ends at every interrupt entry and return. So no other writer
 *   ran between a load-exclusive and a store-exclusive that succeeds: whatever was loaded between the two still held
 *   when the store happened. Every change of shared state below is such a store, and is made only while the condition
 *   holds that makes it right. It does not matter which writer makes the change, nor how often a writer tries.
 *
 * Reservation and stamp are one step
 *   tlog_port_reserve() reads the clock between the load and the store of the cursor. So slots are in the order of
 *   their stamps. tlog_ring.h says how that holds when the clock is too slow to tell events apart (TLOG_UNIQUE_STAMPS).
 *
 * A slot, lap by lap (the tag of odd laps is 1, of even laps 2; the tag is in word 0, which is written last)
 *
 *        empty, tag 2 --reserve--> owned, still tag 2 --word 0--> tag 1        lap 1
 *               tag 1 --reserve--> owned, still tag 1 --word 0--> tag 2        lap 2, and so on
 *
 *   The lap guard: the cursor may reach, in lap n, a slot that already bears the tag of lap n. That tag is left from
 *   lap n - 2, because the owner of the slot in lap n - 1 is still interrupted, or its thread preempted. No other
 *   writer may write there then. The event is dropped and counted, and so are the following ones until the owner has
 *   come back. The guard costs three instructions, no store. The end mark, which bears both tags, is found by it, too.
 *   For the reader: in lap n the slots before the cursor bear the tag of lap n, the others that of lap n - 1. A slot
 *   with another tag has an owner at work, or an owner that came back too late to publish. It shows, and is no event.
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
 *   it. If it is interrupted before that, the next writer that finds the lap not counted counts it.
 *
 *   Only home is open, and during a switch the chunk that is about to become home. To switch is to open the next chunk
 *   and then to make it home. Each arrow, and making a chunk home, happens only while home is closed and the state left
 *   of the arrow is there. So a writer that is interrupted between two steps finds the remaining steps done, by the
 *   writer that came in between.
 *
 * The chunk that a closed home leads to
 *   Full: the chunk that its flags and `next` tell, or home itself, or none. Parked before it was full: home itself.
 *   Parked with a `goal`: the goal. The writer that parks a chunk sets the goal first, and the parking happens only
 *   while the goal is still that one. A chunk is parked without a goal when an event was dropped: so the first event
 *   that finds room again takes the slow path, and the records that report the loss are logged before it. A chunk is
 *   parked with a goal by the command to leave it.
 *
 * Several CPUs (TLOG_CPUS > 1)
 *   Each CPU has a ring, whose writers are the contexts on that CPU, and all of the above holds. Words that several
 *   CPUs change - the filters and the word they are computed from, the flags of a chunk, the boot id - are changed by
 *   store-exclusives. Still a ring can have a writer on another CPU: a thread that asked for its CPU's number and was
 *   then moved, in the middle of a call; or a writer that opens the rings of all CPUs (tlog_start.c). For such a writer
 *   "no other writer ran" is too much to say. It knows only what a store-exclusive itself tells: there was no store to
 *   the word that was watched. That is enough, because every condition on other words that a step needs either stays
 *   true until the watched word is stored to, or may become false without harm:
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
 * Bounds: every loop below starts again only when an interrupt, or another CPU, came in between and logged, too.
 */
#include "tlog.h"

#include <stddef.h>

#if TLOG_ENABLE

/* The cursor of a CPU whose ring is not open yet: its index is 0, so it stands on itself, and it bears both tags. */
const uint32_t tlog_ring_full[TLOG_RING_FULL_WORDS] = {TLOG_TAG_MASK};

#define ALWAYS_INLINE inline __attribute__((always_inline))

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

/* Whether the slot that the cursor stands on bears that tag. */
static bool slot_has_tag(const struct tlog_chunk *chunk, uint32_t cursor, uint32_t tag)
{
    return (*(const volatile uint32_t *)((uintptr_t)&chunk->cursor + (cursor >> 12)) & tag & TLOG_TAG_MASK) != 0;
}

/* Whether the slot was free that a cursor stood on. True also if the cursor has moved: then the caller looks again. */
static inline bool is_free(const struct tlog_chunk *chunk, uint32_t cursor, uint32_t tag)
{
    return !slot_has_tag(chunk, cursor, tag) || cursor != cursor_of(chunk);
}

/* Whether a chunk is home. Where a ring has only one chunk, that chunk is home as soon as it is open. */
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

/* ---- switching chunks -------------------------------------------------------------------------------------------- */

/* The chunk that a chunk leads to, whose cursor had that value: the chunk where logging continues. A chunk that is not
 * full and has no goal leads to itself, if the slot at the cursor is free. NULL: there is no such chunk, or it is being
 * sent. Offsets are encoded as in the header's word `next`; 0 is the chunk itself. */
static inline struct tlog_chunk *follower(const struct tlog_chunk *chunk, uint32_t cursor)
{
    const volatile struct tlog_chunk *home = chunk;
    uint32_t offset = TLOG_ARENA && is_parked(cursor) ? home->goal : 0;
    if (offset == 0 && !is_full(chunk, cursor))
        return is_free(chunk, cursor, cursor & lap_of(chunk)) ? (struct tlog_chunk *)(uintptr_t)chunk : NULL;
    if (offset == 0 && home->flags & TLOG_CHUNK_STOP)
        return NULL;
    if (offset == 0 && (TLOG_CHUNKS > 1 || TLOG_ARENA) && home->flags & TLOG_CHUNK_JTN)
        offset = home->next;
    if (TLOG_ARENA && offset == TLOG_NEXT_STOP)
        return NULL;
    struct tlog_chunk *next = (struct tlog_chunk *)((uintptr_t)chunk + (uintptr_t)(intptr_t)(int32_t)offset);
    return TLOG_ARENA && ((const volatile struct tlog_chunk *)next)->flags & TLOG_CHUNK_BUSY ? NULL : next;
}

/* Whether that chunk is home, still has that cursor, and leads to `next`. A chunk that was full and is parked now has
 * another cursor: then there is a loss to report, and the writer that switches must notice it. */
static inline bool leads_to(const struct tlog_cpu *cpu, const struct tlog_chunk *home, uint32_t cursor,
                            const struct tlog_chunk *next)
{
    return cursor_of(home) == cursor && is_home(cpu, home) && (!TLOG_ARENA || follower(home, cursor) == next);
}

/* The cursor that opens a closed chunk: a parked chunk continues where it was parked, a full one at the first slot of
 * the next lap. 0: the chunk is open, or its lap is not counted. */
static inline uint32_t opening_cursor(const struct tlog_chunk *chunk, uint32_t cursor)
{
    uint32_t after = ~lap_of(chunk) & TLOG_TAG_MASK;
    if (is_full(chunk, cursor))
        return (cursor & TLOG_TAG_MASK) != after ? TLOG_CURSOR_STEP | after : 0;
    return is_parked(cursor) ? cursor ^ after : 0;
}

/* Step 1: open `next`, if home still leads there. In a ring with traceevents a lap begins with two slots that tell the
 * time: the store that opens the lap also reserves these two, if they are free. */
static inline void open_chunk(struct tlog_cpu *cpu, struct tlog_chunk *home, uint32_t home_cursor,
                              struct tlog_chunk *next)
{
    struct tlog_reserved at;
    uint32_t cursor, claimed;
    bool has_reference;
    do {
        claimed = tlog_ring_claim(cpu);
        cursor = opening_cursor(next, tlog_port_load_exclusive(&next->cursor));
        if (cursor == 0 || !leads_to(cpu, home, home_cursor, next)) {
            tlog_port_clear_exclusive();
            return;
        }
        if (TLOG_UNIQUE_STAMPS)
            at.low = claimed;
        has_reference = TLOG_TRACEEVENTS && tlog_ring_refer(cpu, next, cursor, &at);
        if (TLOG_TRACEEVENTS && ((at.high ^ at.low) & TLOG_HIGH_MIRROR) != 0) { /* tlog_ring_tick() must come first */
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_ring_commit(cpu, claimed, cursor + (has_reference ? 2u * TLOG_CURSOR_STEP : 0u), &next->cursor));
    if (has_reference)
        tlog_ring_put_reference(next, &at);
}

/* Step 2: count the lap that the cursor is in, unless the cursor bears the same tag as the lap word, or both tags. */
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
    count_lap(next);
    if ((TLOG_CHUNKS > 1 || TLOG_ARENA) && next != home)
        make_home(cpu, home, cursor, next);
    return true;
}

/* ---- parking ----------------------------------------------------------------------------------------------------- */

/* Set the goal of home, the chunk that home leads to once it is parked. A dropped event (command: false) must not
 * change the goal of a chunk that is already parked. False: nothing was set. */
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

/* Park home; false: it is not home any more, or its goal is another one. The lap must be counted before, because the
 * tag of a parked chunk's lap is in the lap word only. Cursor and lap word can belong to different laps if an interrupt
 * came between the two loads, or if another thread has opened the lap and not counted it yet: then this tries again. */
static __attribute__((cold)) bool park(struct tlog_cpu *cpu, struct tlog_chunk *home, uint32_t goal)
{
    uint32_t cursor;
    bool is_counted;
    do {
        count_lap(home);
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

static void report_loss(struct tlog_cpu *cpu);

/* Do the switch of a tlog_ring_leave() that was interrupted after it parked home: the goal says where to go. */
static __attribute__((cold)) void finish_leave(struct tlog_cpu *cpu)
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
        finish_leave(cpu);
        home = tlog_ring_home(cpu);
        goal = to != NULL ? (uint32_t)((uintptr_t)to - (uintptr_t)home) : ((volatile struct tlog_chunk *)home)->next;
    } while (!set_goal(cpu, home, goal, true) || !park(cpu, home, goal));
    if (switch_chunk(cpu, home, cursor_of(home)) && is_losing(cpu))
        report_loss(cpu);
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

/* ---- losses ------------------------------------------------------------------------------------------------------ */

/* Park home, so that the next event takes the slow path, which finds that there is a loss to report. */
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

/* Log an important event in an emergency slot. These are filled only once, in the order of stamps, from the slot behind
 * the end mark on. False: none is left, or the chunk is not home any more. */
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

/* Deal with an event that found no slot: it goes to an emergency slot or is dropped. The two records that report a loss
 * are not dropped events themselves: the second one takes its count back, so that the loss is reported later. */
static void lose_event(struct tlog_cpu *cpu, uint32_t par1, uint32_t par2, uint32_t code)
{
    if (code == (TLOG_CODE_OWN | FTrace_EVT_blackout_end))
        tlog_ring_add(&tlog_ring_first(cpu)->reported, 0u - par2);
    if (code & TLOG_CODE_OWN)
        park_for_loss(cpu);
    else if (!(TLOG_ARENA || TLOG_EMERGENCY_SLOTS > 0) || !is_urgent(code) || !put_urgent(cpu, code, par1, par2))
        tlog_ring_drop(cpu);
}

/* Report the loss, because there is room again. The count is added to `reported` before it is logged, and in one step
 * with reading it, so an interrupt in between cannot report the same events. If the records find no room after all,
 * lose_event() takes the count off again. */
static __attribute__((noinline, cold)) void report_loss(struct tlog_cpu *cpu)
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
    if (is_losing(cpu)) /* an interrupt has dropped more events, and the records have opened the chunk that it parked */
        park_for_loss(cpu);
}

/* ---- the slow path ----------------------------------------------------------------------------------------------- */

/* Whether the lap word has counted the lap that the cursor is in. */
static inline bool is_lap_counted(uint32_t lap, uint32_t cursor)
{
    return ((lap ^ cursor) & TLOG_TAG_MASK) == 0;
}

/* The offset from a full chunk to the chunk that follows it; false if there is none. */
static inline bool find_next(const struct tlog_chunk *chunk, uint32_t *offset)
{
    const volatile struct tlog_chunk *home = chunk;
    uint32_t flags = home->flags;
    *offset = TLOG_CHUNKS > 1 || (TLOG_ARENA && flags & TLOG_CHUNK_JTN) ? home->next : 0;
    return !(flags & TLOG_CHUNK_STOP) && (!TLOG_ARENA || *offset != TLOG_NEXT_STOP);
}

/* The chunk with that cursor, as tlog_ring_chunk() gives it, but compiled to addresses relative to the cursor: the
 * words that are watched here are a cursor and the lap word behind it, and plain loads can have negative offsets. */
static inline struct tlog_chunk *chunk_of_cursor(uint32_t *cursor)
{
    __asm("" : "+r"(cursor));
    return (struct tlog_chunk *)(void *)((char *)cursor - TLOG_CURSOR_OFFSET);
}

enum { HOME_CHANGES = TLOG_CHUNKS > 1 || TLOG_ARENA }; /* another chunk can become home */

static ALWAYS_INLINE bool has_moved(const struct tlog_cpu *cpu, const struct tlog_chunk *home, uint32_t home_cursor)
{
    return !is_home(cpu, home) || cursor_of(home) != home_cursor;
}

static ALWAYS_INLINE bool leads_away(const struct tlog_chunk *home, uint32_t cursor, const struct tlog_chunk *next)
{
    return TLOG_ARENA && follower(home, cursor) != next;
}

static ALWAYS_INLINE bool follows_itself(const struct tlog_chunk *home, const struct tlog_chunk *next)
{
    return !HOME_CHANGES || (TLOG_CHUNKS == 1 && next == home);
}

/* Whether home has begun another lap, or its cursor has moved. A chunk that was left, and has become home again since,
 * may have the same cursor; its lap is another one. */
static ALWAYS_INLINE bool was_left(const struct tlog_chunk *home, uint32_t home_lap, uint32_t home_cursor)
{
    return lap_of(home) != home_lap || cursor_of(home) != home_cursor;
}

/* Step 2 of the usual switch: count the lap, unless that is done. */
static ALWAYS_INLINE void count_opened(struct tlog_chunk *next, uint32_t lap, uint32_t lap_after)
{
    do {
        if (tlog_port_load_exclusive(&next->lap) != lap) {
            tlog_port_clear_exclusive();
            break;
        }
    } while (tlog_port_store_exclusive(lap_after, &next->lap));
}

/* The usual switch, in fewer instructions than switch_chunk() takes: home is full, the chunk that follows it is full,
 * too, and the laps of both are counted. Then this takes the three steps. In all other cases, and when an interrupt
 * comes in between, it returns, and switch_chunk() takes the steps that are left. But the count of a chunk that follows
 * itself is not left: that chunk is open then, so switch_chunk() is not called. Before the ring is open `current` is
 * tlog_ring_full: the word behind it, read as a lap word, does not agree with it, and no other word of it is read. */
static ALWAYS_INLINE void switch_full(struct tlog_cpu *cpu, uint32_t *current)
{
    struct tlog_chunk *home = chunk_of_cursor(current), *next = home;
    uint32_t home_lap = 0, home_cursor = 0, offset;
    if (HOME_CHANGES) {
        home_lap = lap_of(home);
        home_cursor = cursor_of(home);
        if (!is_lap_counted(home_lap, home_cursor) || !is_full(home, home_cursor) || !find_next(home, &offset))
            return;
        next = chunk_of_cursor((uint32_t *)((uintptr_t)&home->cursor + (uintptr_t)(intptr_t)(int32_t)offset));
    }
    uint32_t cursor = tlog_port_load_exclusive(&next->cursor), lap = lap_of(next);
    if (!is_lap_counted(lap, cursor) || !is_full(next, cursor) || (!HOME_CHANGES && !find_next(home, &offset))
        || (HOME_CHANGES && has_moved(cpu, home, home_cursor)) || leads_away(home, home_cursor, next)) {
        tlog_port_clear_exclusive();
        return;
    }
    const uint32_t lap_after = (lap ^ TLOG_TAG_MASK) + TLOG_LAP_STEP;
    if (tlog_port_store_exclusive(TLOG_CURSOR_STEP | (lap_after & TLOG_TAG_MASK), &next->cursor))
        return;
    count_opened(next, lap, lap_after);
    if (follows_itself(home, next))
        return;
    if (tlog_port_load_exclusive_pointer((void **)&cpu->cursor) != &home->cursor
        || was_left(home, home_lap, home_cursor) || (TLOG_ARENA && is_closed(next)))
        tlog_port_clear_exclusive();
    else
        tlog_port_store_exclusive_pointer(&next->cursor, (void **)&cpu->cursor);
}

__attribute__((cold)) bool tlog_ring_make_room(struct tlog_cpu *cpu, uint32_t code)
{
    tlog_ring_start(cpu);
    tlog_ring_tick(cpu); /* before a lap begins: its first two slots may tell the time */
    struct tlog_chunk *home = tlog_ring_home(cpu);
    uint32_t cursor = cursor_of(home);
    if (!switch_chunk(cpu, home, cursor))
        return false;
    if (is_parked(cursor) && !(code & TLOG_CODE_OWN) && is_losing(cpu))
        report_loss(cpu);
    return true;
}

static __attribute__((noinline, cold)) void log_slowly(uint32_t par1, uint32_t par2, uint32_t code,
                                                       struct tlog_cpu *cpu)
{
    if (tlog_ring_make_room(cpu, code))
        tlog_ring_slow(par1, par2, code, cpu);
    else
        lose_event(cpu, par1, par2, code);
}

/* Calls only log_slowly(), as its last step, so that few registers are saved when chunks are switched. */
__attribute__((cold)) TLOG_PORT_FEW_REGISTERS void tlog_ring_slow(uint32_t par1, uint32_t par2, uint32_t code,
                                                                  struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    uint32_t *cursor = ((volatile struct tlog_cpu *)cpu)->cursor;
    if (!TLOG_TRACEEVENTS)
        switch_full(cpu, cursor);
    if (tlog_ring_reserve(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, &at))
        tlog_ring_fill(&at, code, par1, par2);
    else
        log_slowly(par1, par2, code, cpu);
}

/* Keep the last stamp near the clock. Whether a stamp is ahead of the clock is told from the top bits of their
 * difference (TLOG_AHEAD_SHIFT), so a stamp that falls behind too far would seem to be ahead. */
static inline void advance_last_stamp(struct tlog_cpu *cpu)
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
    } while (tlog_port_store_exclusive(time - 1u, &cpu->last)); /* `time` itself stays free for the next event */
#else
    (void)cpu;
#endif
}

/* The high word is stored only if it still has the value that was loaded: if an interrupt has carried it over
 * meanwhile, that is not undone. */
__attribute__((cold)) void tlog_ring_tick(struct tlog_cpu *cpu)
{
    uint32_t high;
    advance_last_stamp(cpu);
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
