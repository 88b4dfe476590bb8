/* SPDX-License-Identifier: MIT */
/* tlog_switch_impl.h - the usual switch from a full chunk to the next one, or to the next lap, inline.
 *
 * Private to tlog_ring.c, which says what the steps are, and has the switch for all other cases. */
#ifndef TLOG_SWITCH_IMPL_H
#define TLOG_SWITCH_IMPL_H

#include "tlog_ring_impl.h"

#if TLOG_ENABLE && !TLOG_MINIMAL

/* Whether the lap word has counted the lap that the cursor is in. */
static inline bool is_lap_counted(uint32_t lap, uint32_t cursor)
{
    return ((lap ^ cursor) & TLOG_TAG_MASK) == 0;
}

/* The offset from a full chunk to the chunk that follows it; false if there is none. */
static inline bool find_next(const struct tlog_chunk *chunk, uint32_t *offset)
{
    uint32_t flags = ((const volatile struct tlog_chunk *)chunk)->flags;
    *offset = TLOG_CHUNKS > 1 || (TLOG_ARENA && flags & TLOG_CHUNK_JTN)
                  ? ((const volatile struct tlog_chunk *)chunk)->next
                  : 0;
    return !(flags & TLOG_CHUNK_STOP) && (!TLOG_ARENA || *offset != TLOG_NEXT_STOP);
}

enum { TLOG_RING_HOME_CHANGES = TLOG_CHUNKS > 1 || TLOG_ARENA }; /* another chunk can become home */

static TLOG_FORCE_INLINE bool has_moved(const struct tlog_cpu *cpu, const struct tlog_chunk *home, uint32_t home_cursor)
{
    return !is_home(cpu, home) || cursor_of(home) != home_cursor;
}

static TLOG_FORCE_INLINE bool leads_away(const struct tlog_chunk *home, uint32_t cursor, const struct tlog_chunk *next)
{
    return TLOG_ARENA && follower(home, cursor) != next;
}

static TLOG_FORCE_INLINE bool follows_itself(const struct tlog_chunk *home, const struct tlog_chunk *next)
{
    return !TLOG_RING_HOME_CHANGES || (TLOG_CHUNKS == 1 && next == home);
}

/* Whether home has begun another lap, or its cursor has moved. A chunk that was left, and has become home again since,
 * may have the same cursor; its lap is another one. */
static TLOG_FORCE_INLINE bool was_left(const struct tlog_chunk *home, uint32_t home_lap, uint32_t home_cursor)
{
    return lap_of(home) != home_lap || cursor_of(home) != home_cursor;
}

/* Whether the usual switch is made in few instructions also where a lap begins with slots that tell the time: with
 * traceevents alone, and stamps that need no claim. */
enum { TLOG_RING_TELLS_TIME = TLOG_TRACEEVENTS && TLOG_LAP_SLOTS == 2u && !TLOG_UNIQUE_STAMPS };

/* Whether the port makes the usual switch, in tlog_ring_slow(). */
#ifdef TLOG_PORT_BEGIN_LAP
enum { TLOG_RING_LAP_AT_ONCE = 1 };
#else
enum { TLOG_RING_LAP_AT_ONCE = 0 };
#endif

/* Step 2 of the usual switch: count the lap, unless that is done. */
static TLOG_FORCE_INLINE void count_opened(struct tlog_chunk *next, uint32_t lap, uint32_t lap_after)
{
    do {
        if (tlog_port_load_exclusive(&next->lap) != lap) {
            tlog_port_clear_exclusive();
            break;
        }
    } while (tlog_port_store_exclusive(lap_after, &next->lap));
    if (!TLOG_RING_TELLS_TIME && (int32_t)(lap_after ^ ((volatile struct tlog_chunk *)next)->lap_high) < 0)
        tlog_ring_carry_laps(next);
}

/* What these two slots tell. */
struct lap_time {
    uint32_t number, slots; /* of the lap, and of the chunk */
    uint32_t high, low;
};

/* Read that between the load of the cursor and its store. Returns the cursor behind them; 0: they are not free, or
 * something else needs the usual way, such as a count that is to be carried over. */
static TLOG_FORCE_INLINE uint32_t open_with_time(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t lap,
                                                 struct lap_time *time)
{
    const uint32_t *slot = &chunk->cursor + 4, heads = head_in(slot) | head_in(slot + 4);
    const uint32_t lap_high = ((volatile struct tlog_chunk *)chunk)->lap_high;
    *time = (struct lap_time){lap >> TLOG_LAP_SHIFT | lap_high << TLOG_LAP_SHIFT, chunk->slots,
                              ((volatile struct tlog_cpu *)cpu)->high, tlog_port_now_at(cpu->clock)};
    return (heads & lap & TLOG_TAG_MASK) != 0 || (int32_t)(time->high ^ time->low) < 0 || (int32_t)(lap ^ lap_high) < 0
                   || time->slots <= TLOG_LAP_SLOTS
               ? 0
               : 3u * TLOG_CURSOR_STEP | (lap & TLOG_TAG_MASK);
}

/* Fill them, as fill_lap() does in tlog_time.c, and count them. */
static TLOG_FORCE_INLINE void tell_time(struct tlog_chunk *chunk, uint32_t lap, const struct lap_time *time)
{
    uint32_t *slot = &chunk->cursor + 4;
    const uint32_t tag = lap & TLOG_TAG_MASK;
    tlog_ring_count_extra(&chunk->cursor, TLOG_LAP_SLOTS);
    slot[0] = time->number;
    slot[1] = time->slots;
    slot[TLOG_WORD_LOW] = slot[4 + TLOG_WORD_LOW] = slot[5] = time->low;
    slot[4] = tlog_ring_wraps(time->high);
    tlog_port_publish();
    *(volatile uint32_t *)(slot + TLOG_WORD_HEAD) = tag + TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_BUFFER);
    *(volatile uint32_t *)(slot + 4 + TLOG_WORD_HEAD) = tag + TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_TIME);
}

/* Whether the usual switch may open `next`, whose cursor is watched: home leads there, and both are full. */
static TLOG_FORCE_INLINE bool is_usual(const struct tlog_cpu *cpu, const struct tlog_chunk *home, uint32_t home_cursor,
                                       const struct tlog_chunk *next, uint32_t cursor, uint32_t lap)
{
    uint32_t offset;
    return is_lap_counted(lap, cursor) && is_full(next, cursor) && (TLOG_RING_HOME_CHANGES || find_next(home, &offset))
           && !(TLOG_RING_HOME_CHANGES && has_moved(cpu, home, home_cursor)) && !leads_away(home, home_cursor, next);
}

/* Step 1: the store that ends the watch, and what it reserves for the time. False: that is left to switch_chunk(). */
static TLOG_FORCE_INLINE bool open_usual(struct tlog_cpu *cpu, struct tlog_chunk *next, uint32_t lap_after)
{
    struct lap_time time;
    const uint32_t opening = TLOG_RING_TELLS_TIME ? open_with_time(cpu, next, lap_after, &time)
                                                  : TLOG_CURSOR_STEP | (lap_after & TLOG_TAG_MASK);
    if (TLOG_RING_TELLS_TIME && opening == 0) {
        tlog_port_clear_exclusive();
        return false;
    }
    if (tlog_port_store_exclusive(opening, &next->cursor))
        return false;
    if (TLOG_RING_TELLS_TIME)
        tell_time(next, lap_after, &time);
    return true;
}

/* The usual switch, in fewer instructions than switch_chunk() takes: home is full, the chunk that follows it is full,
 * too, and the laps of both are counted. Then this takes the three steps. In all other cases, and when an interrupt
 * comes in between, it returns, and switch_chunk() takes the steps that are left. But the count of a chunk that follows
 * itself is not left: that chunk is open then, so switch_chunk() is not called. Before the ring is open `current` is
 * tlog_ring_full: the word behind it, read as a lap word, does not agree with it, and no other word of it is read. */
static TLOG_FORCE_INLINE void switch_full(struct tlog_cpu *cpu, uint32_t *current)
{
    struct tlog_chunk *home = chunk_of_cursor(current), *next = home;
    uint32_t home_lap = 0, home_cursor = 0, offset;
    if (TLOG_RING_HOME_CHANGES) {
        home_lap = lap_of(home);
        home_cursor = cursor_of(home);
        if (!is_lap_counted(home_lap, home_cursor) || !is_full(home, home_cursor) || !find_next(home, &offset))
            return;
        next = chunk_of_cursor((uint32_t *)((uintptr_t)&home->cursor + (uintptr_t)(intptr_t)(int32_t)offset));
    }
    const uint32_t cursor = tlog_port_load_exclusive(&next->cursor), lap = lap_of(next);
    if (!is_usual(cpu, home, home_cursor, next, cursor, lap)) {
        tlog_port_clear_exclusive();
        return;
    }
    const uint32_t lap_after = (lap ^ TLOG_TAG_MASK) + TLOG_LAP_STEP;
    if (!open_usual(cpu, next, lap_after))
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

#endif

#endif
