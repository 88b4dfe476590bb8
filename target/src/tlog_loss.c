/* SPDX-License-Identifier: MIT */
/* tlog_loss.c - events that find no slot: how they are dropped and counted, emergency slots, the records that report a
 * loss. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#if TLOG_ENABLE

/* ---- counts with a high word ------------------------------------------------------------------------------------- */

__attribute__((cold)) void tlog_ring_carry_count(uint32_t *high, const uint32_t *low)
{
    uint32_t value;
    do {
        value = tlog_port_load_exclusive(high);
        if ((int32_t)(value ^ *(const volatile uint32_t *)low) >= 0) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(value + TLOG_COUNT_MIRROR + (value >> 31), high));
}

uint32_t tlog_ring_held, tlog_ring_untold;
bool (*tlog_ring_tell_pause)(struct tlog_cpu *cpu);

/* With TLOG_MINIMAL tlog_minimal.c has the rest. */
#if !TLOG_MINIMAL

static bool has_dropped(const struct tlog_cpu *cpu)
{
    const volatile struct tlog_chunk *first = tlog_ring_first(cpu);
    return first->dropped != first->reported || first->dropped_high != first->reported_high;
}

bool tlog_ring_is_losing(const struct tlog_cpu *cpu)
{
    return has_dropped(cpu) || tlog_ring_is_untold(cpu);
}

/* ---- dropping ---------------------------------------------------------------------------------------------------- */

__attribute__((cold)) void tlog_ring_close(struct tlog_cpu *cpu)
{
    struct tlog_chunk *home;
    do
        home = tlog_ring_home(cpu);
    while (((TLOG_ARENA && !tlog_ring_set_goal(cpu, home, 0, false)) || !tlog_ring_park(cpu, home, 0))
           && !is_home(cpu, home));
}

__attribute__((cold)) void tlog_ring_drop(struct tlog_cpu *cpu)
{
    if (tlog_port_refuses())
        return;
    if (tlog_ring_is_early(cpu) && tlog_ring_drop_early(cpu))
        return;
    if (!tlog_ring_is_open(cpu))
        tlog_ring_open(cpu, 1);
    uint32_t *current = ((volatile struct tlog_cpu *)cpu)->cursor, cursor = *(volatile uint32_t *)current;
    if (is_parked(cursor) && tlog_ring_count_drop(cpu, current, cursor))
        return;
    struct tlog_chunk *first = tlog_ring_first(cpu);
    tlog_ring_tick(cpu);
    if (tlog_ring_add(&first->dropped, 1u) == first->reported) {
        first->lost_at = tlog_port_now_at(cpu->clock);
        first->lost_high = tlog_ring_wraps(((volatile struct tlog_cpu *)cpu)->high);
    }
    tlog_ring_carry_count(&first->dropped_high, &first->dropped);
    tlog_ring_close(cpu); /* the next event finds that there is a loss to report */
}

/* ---- emergency slots --------------------------------------------------------------------------------------------- */

#if TLOG_FORMS
/* Make the next n emergency slots empty, if there are so many, by stores that are made only while they are the next. */
static void empty_urgent(struct tlog_chunk *home, uint32_t n)
{
    const uint32_t used = ((volatile struct tlog_chunk *)home)->emergency_used;
    uint32_t *head = &home->cursor + (home->slots + 2u + used) * 4u + TLOG_WORD_HEAD, *end = head + n * 4u;
    while (head < end && used + n <= home->emergency) {
        tlog_port_load_exclusive(head);
        if (((volatile struct tlog_chunk *)home)->emergency_used != used) {
            tlog_port_clear_exclusive();
            return;
        }
        if (tlog_port_store_exclusive(TLOG_SLOT_EMPTY, head) == 0)
            head += 4;
    }
}
#else
static inline void empty_urgent(struct tlog_chunk *home, uint32_t n)
{
    (void)home, (void)n;
}
#endif

bool tlog_ring_reserve_urgent(struct tlog_cpu *cpu, uint32_t n, struct tlog_reserved *at)
{
    struct tlog_chunk *home = tlog_ring_home(cpu);
    uint32_t used, claimed;
    bool is_late; /* the clock has passed half a wrap */
    do {
        empty_urgent(home, n);
        tlog_ring_tick(cpu);
        claimed = tlog_ring_claim(cpu);
        used = tlog_port_load_exclusive(&home->emergency_used);
        *at = (struct tlog_reserved){&home->cursor + (home->slots + 2u + used) * 4u, TLOG_TAG_ODD,
                                     ((volatile struct tlog_cpu *)cpu)->high, tlog_ring_stamp(cpu, claimed)};
        is_late = ((at->high ^ at->low) & TLOG_HIGH_MIRROR) != 0;
        bool ends = used + n > home->emergency || !is_home(cpu, home);
        if (is_late || ends)
            tlog_port_clear_exclusive();
        if (ends && !is_late)
            return false;
    } while (is_late || tlog_ring_commit(cpu, claimed, used + n, &home->emergency_used));
    return true;
}

/* Log an important event in an emergency slot. False: none is left, or the chunk is not home any more. */
static bool put_urgent(struct tlog_cpu *cpu, uint32_t code, uint32_t par1, uint32_t par2)
{
    struct tlog_reserved at;
    if (!tlog_ring_reserve_urgent(cpu, 1, &at))
        return false;
    if (TLOG_CONTEXT)
        at.high = tlog_port_context(at.high);
    tlog_ring_fill(&at, code, par1, par2);
    return true;
}

__attribute__((cold)) void tlog_ring_lose(struct tlog_cpu *cpu, uint32_t par1, uint32_t par2, uint32_t code)
{
    const bool has_urgent =
        (TLOG_ARENA || TLOG_EMERGENCY_SLOTS > 0) && !tlog_ring_is_held() && !tlog_ring_is_early(cpu);
    if (!has_urgent || !is_urgent(code) || !put_urgent(cpu, code, par1, par2))
        tlog_ring_drop(cpu);
}

/* ---- reporting --------------------------------------------------------------------------------------------------- */

/* Log one of the two records that report a loss. The value has 47 bits. False: there is no room after all; then home is
 * parked again. */
static bool put_record(struct tlog_cpu *cpu, uint32_t which, uint32_t low, uint32_t high)
{
    struct tlog_reserved at;
    uint32_t *cursor;
    do {
        cursor = ((volatile struct tlog_cpu *)cpu)->cursor;
        if (tlog_ring_reserve(cpu, cursor, &at)) {
            tlog_ring_count_extra(cursor, 1);
            tlog_ring_fill(&at, TLOG_RECORD_LOSS, high << TLOG_LOSS_VALUE_SHIFT | which, low);
            return true;
        }
    } while (tlog_ring_make_room(cpu, false));
    if (tlog_ring_reserve_triggered(cpu, 1, &at)) {
        tlog_ring_fill(&at, TLOG_RECORD_LOSS, high << TLOG_LOSS_VALUE_SHIFT | which, low);
        return true;
    }
    tlog_ring_close(cpu);
    return false;
}

/* Log how long ago the loss began. */
static void put_start(struct tlog_cpu *cpu, uint32_t lost_at, uint32_t lost_high)
{
    uint32_t low = tlog_port_now_at(cpu->clock) - lost_at;
    uint32_t high = tlog_ring_wraps(((volatile struct tlog_cpu *)cpu)->high) - lost_high;
    put_record(cpu, 0, low, high - (low > ~lost_at));
}

/* Take all events that are not reported yet: their number, low and high word. The count is added to `reported` in one
 * step with reading it, so an interrupt in between cannot report the same events. */
static uint32_t take_loss(struct tlog_chunk *first, uint32_t *high)
{
    uint32_t reported, dropped;
    tlog_ring_carry_count(&first->dropped_high, &first->dropped);
    *high = (first->dropped_high - first->reported_high) & ~TLOG_COUNT_MIRROR;
    do {
        reported = tlog_port_load_exclusive(&first->reported);
        dropped = ((volatile struct tlog_chunk *)first)->dropped;
    } while (tlog_port_store_exclusive(dropped, &first->reported));
    *(volatile uint32_t *)&first->reported_high = first->dropped_high;
    *high -= *high > 0 && dropped < reported;
    return dropped - reported;
}

/* If the second record finds no room after all, the count is taken off again, and this is false. */
static bool report_dropped(struct tlog_cpu *cpu)
{
    struct tlog_chunk *first = tlog_ring_first(cpu);
    const uint32_t lost_at = first->lost_at, lost_high = first->lost_high;
    uint32_t high, low = take_loss(first, &high);
    if (low == 0 && high == 0)
        return true;
    put_start(cpu, lost_at, lost_high);
    const bool has_room = put_record(cpu, TLOG_LOSS_END, low, high);
    if (!has_room)
        tlog_ring_add(&first->reported, 0u - low);
    return has_room;
}

__attribute__((noinline, cold)) bool tlog_ring_report(struct tlog_cpu *cpu)
{
    if (tlog_ring_is_held())
        return true;
    bool has_room = report_dropped(cpu);
    if (tlog_ring_is_untold(cpu) && !tlog_ring_is_off())
        has_room = tlog_ring_tell_pause(cpu) && has_room;
    /* True if an interrupt dropped more events; the records have opened the chunk that it parked. */
    if (has_dropped(cpu))
        tlog_ring_close(cpu);
    return has_room;
}

#endif

#endif
