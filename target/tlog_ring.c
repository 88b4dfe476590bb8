/* tlog_ring.c - the slow half of the record path: opening, switching, dropping. Nothing here masks interrupts.
 *
 * Roles
 *   writer    a context that logs: a thread, an interrupt handler, a fault handler, on this CPU
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
 *   tlog_port_reserve() reads the clock between the cursor's load and its store. Slot order is time order.
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
 *        full, t(n), n laps --count the lap--> full, t(n), n + 1 laps --open--> first slot, t(n + 1), n + 1 laps
 *             ^                                                                           |
 *             +----------------------------- slots are reserved --------------------------+
 *
 *   Only the current chunk (cpu->home) is ever not full. To switch: count the next chunk's lap, open it, make it home;
 *   each step happens only while home is full and the state left of the arrow is there, so a writer that is interrupted
 *   between two steps finds the rest done, by whoever came in between. cpu->cursor is a copy of where home's cursor is,
 *   for the fast path's single load. When it is behind, the fast path finds a full chunk and comes here. While a loss
 *   is not yet told (dropped != reported) it points at a word that looks like a full chunk, so that the first event
 *   that finds room again is preceded by the loss records.
 *
 * Bounds: every loop below goes round again only when an interrupt came in between that itself logged.
 */
#include "tlog.h"

/* As a cursor: slot 0 is the word itself, and bears both tags. */
const uint32_t tlog_ring_full[1] = {TLOG_TAG_MASK};

/* Marks the loss records, which are not lost themselves. Shifted out when word 0 is packed. */
static const uint32_t own_record = 0x80000000u;

static bool is_full(const volatile struct tlog_chunk *chunk)
{
    return chunk->cursor >> TLOG_CURSOR_SHIFT > chunk->slots;
}

/* What the slot that the cursor stands on tells, both read at one moment. */
enum way { FREE, OWNED, FULL };

static inline enum way way_on(const volatile struct tlog_chunk *chunk)
{
    uint32_t cursor, slot;
    do {
        cursor = chunk->cursor;
        slot = *(const volatile uint32_t *)((uintptr_t)&chunk->cursor + (cursor >> 12));
    } while (cursor != chunk->cursor);
    if ((slot & cursor & TLOG_TAG_MASK) == 0)
        return FREE;
    return cursor >> TLOG_CURSOR_SHIFT > chunk->slots ? FULL : OWNED;
}

static bool is_home(const volatile struct tlog_cpu *cpu, const struct tlog_chunk *chunk)
{
    return cpu->home == chunk;
}

static bool is_losing(const struct tlog_cpu *cpu)
{
    const volatile struct tlog_chunk *first = cpu->ring->first;
    return first->dropped != first->reported;
}

static uint32_t add(uint32_t *word, uint32_t n)
{
    uint32_t before;
    do
        before = tlog_port_load_exclusive(word);
    while (tlog_port_store_exclusive(before + n, word));
    return before;
}

/* Bring the fast path's copy of the cursor's place up to date. */
static void aim(struct tlog_cpu *cpu)
{
    uint32_t *cursor;
    do {
        tlog_port_load_exclusive_pointer((void **)&cpu->cursor);
        cursor = is_losing(cpu) ? (uint32_t *)(uintptr_t)tlog_ring_full : &cpu->home->cursor;
    } while (tlog_port_store_exclusive_pointer(cursor, (void **)&cpu->cursor));
}

/* Step 1: from the state "full, tags equal" to "full, tags differ". */
static inline void count_lap(struct tlog_cpu *cpu, struct tlog_chunk *home, struct tlog_chunk *next)
{
    uint32_t lap;
    do {
        lap = tlog_port_load_exclusive(&next->lap);
        bool counted = ((lap ^ ((volatile struct tlog_chunk *)next)->cursor) & TLOG_TAG_MASK) != 0 || !is_full(next);
        if (counted || (TLOG_CHUNKS > 1 && !(is_home(cpu, home) && is_full(home)))) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive((lap ^ TLOG_TAG_MASK) + TLOG_LAP_STEP, &next->lap));
}

/* Step 2: from there to "open, tags equal". Only a full chunk's tags ever differ. */
static inline void open_lap(struct tlog_cpu *cpu, struct tlog_chunk *home, struct tlog_chunk *next)
{
    uint32_t lap;
    do {
        uint32_t cursor = tlog_port_load_exclusive(&next->cursor);
        lap = ((volatile struct tlog_chunk *)next)->lap;
        if (((lap ^ cursor) & TLOG_TAG_MASK) == 0 || (TLOG_CHUNKS > 1 && !(is_home(cpu, home) && is_full(home)))) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(TLOG_CURSOR_STEP | (lap & TLOG_TAG_MASK), &next->cursor));
}

/* Step 3, unless next is home already. */
static inline void go_home(struct tlog_cpu *cpu, struct tlog_chunk *home, struct tlog_chunk *next)
{
    do
        if (tlog_port_load_exclusive_pointer((void **)&cpu->home) != home || !is_full(home) || is_full(next)) {
            tlog_port_clear_exclusive();
            return;
        }
    while (tlog_port_store_exclusive_pointer(next, (void **)&cpu->home));
    aim(cpu);
}

/* Home is full: open the next chunk. False when there is none. */
static inline bool switch_chunk(struct tlog_cpu *cpu, struct tlog_chunk *home)
{
    uint32_t next = home->next;
    if (next == TLOG_NEXT_STOP)
        return false;
    struct tlog_chunk *chunk = (struct tlog_chunk *)((uintptr_t)home + (uintptr_t)(intptr_t)(int32_t)next);
    count_lap(cpu, home, chunk);
    open_lap(cpu, home, chunk);
    if (TLOG_CHUNKS > 1)
        go_home(cpu, home, chunk);
    return true;
}

/* Tell of the loss, for there is room again. The count is taken off before it is told, so that an interrupt in between
 * cannot tell it twice; tlog_ring_drop() puts it back when there was no room after all. */
static void report(struct tlog_cpu *cpu)
{
    struct tlog_chunk *first = cpu->ring->first;
    uint32_t count = first->dropped - first->reported;
    uint32_t ticks = tlog_port_now_at(cpu->clock) - first->lost_at;
    add(&first->reported, count);
    aim(cpu);
    tlog_ring_slow(0, ticks, own_record | FTrace_EVT_blackout_start, cpu);
    tlog_ring_slow(0, count, own_record | FTrace_EVT_blackout_end, cpu);
}

static void drop(struct tlog_cpu *cpu, uint32_t code, uint32_t par2)
{
    struct tlog_chunk *first = cpu->ring->first;
    if (code == (own_record | FTrace_EVT_blackout_end))
        add(&first->reported, 0u - par2);
    else if (!(code & own_record) && add(&first->dropped, 1u) == first->reported)
        first->lost_at = tlog_port_now_at(cpu->clock);
    aim(cpu);
}

__attribute__((cold)) void tlog_ring_drop(struct tlog_cpu *cpu)
{
    tlog_ring_start(cpu);
    drop(cpu, 0, 0);
}

/* Nothing is in the way: then it was the clock, or a loss not yet told, or a cursor that is elsewhere. */
static __attribute__((cold, noinline)) void refit(struct tlog_cpu *cpu)
{
    tlog_ring_start(cpu);
    tlog_ring_tick(cpu);
    aim(cpu);
    if (is_losing(cpu))
        report(cpu);
}

__attribute__((cold)) void tlog_ring_slow(uint32_t par1, uint32_t par2, uint32_t code, struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    do {
        struct tlog_chunk *home = ((volatile struct tlog_cpu *)cpu)->home;
        enum way way = home ? way_on(home) : FREE;
        if (way == FREE) {
            refit(cpu);
        } else if (way == OWNED || !switch_chunk(cpu, home)) {
            drop(cpu, code, par2);
            return;
        }
    } while (!tlog_port_reserve(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, &at));
    tlog_ring_fill(&at, code, par1, par2);
}

/* The high word moves only from the value it was seen with: an interrupt's later wrap is never undone. */
__attribute__((cold)) void tlog_ring_tick(struct tlog_cpu *cpu)
{
    uint32_t high;
    do {
        high = tlog_port_load_exclusive(&cpu->high);
        if ((int32_t)(high ^ tlog_port_now_at(cpu->clock)) >= 0) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(high + TLOG_HIGH_MIRROR + (high >> 31), &cpu->high));
}
