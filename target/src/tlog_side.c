/* SPDX-License-Identifier: MIT */
/* tlog_side.c - slots side by side in any ring, also in one that otherwise holds only records: for a fault, and for a
 * mark of the clock's rate. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#if TLOG_ENABLE

/* The result of trying to reserve slots: done; there are not so many side by side here, because the lap ends or an
 * owner is in the way further on; or another reason. */
enum tlog_side_fit { TLOG_SIDE_RESERVED, TLOG_SIDE_SHORT, TLOG_SIDE_BUSY };

/* The atomic step of tlog_port_reserve(), for n slots side by side, of which `extra` are no event of their own. */
static enum tlog_side_fit reserve_side(struct tlog_cpu *cpu, uint32_t n, uint32_t extra, struct tlog_reserved *at)
{
    uint32_t *cursor = ((volatile struct tlog_cpu *)cpu)->cursor, now, claimed;
    const struct tlog_chunk *home = tlog_ring_chunk(cursor);
    do {
        claimed = tlog_ring_claim(cpu);
        now = tlog_port_load_exclusive(cursor);
        volatile uint32_t *slot = cursor + (now >> TLOG_CURSOR_SHIFT) * 4u;
        bool is_short = (now >> TLOG_CURSOR_SHIFT) + n - 1u > home->slots;
        *at = (struct tlog_reserved){(uint32_t *)(uintptr_t)slot, now, ((volatile struct tlog_cpu *)cpu)->high, 0};
        const bool taken = (slot[TLOG_WORD_HEAD] & now & TLOG_TAG_MASK) != 0;
        for (uint32_t i = 1; i < n && !is_short; i++)
            is_short = (slot[4u * i + TLOG_WORD_HEAD] & now & TLOG_TAG_MASK) != 0;
        at->low = tlog_ring_stamp(cpu, claimed);
        if (taken || is_short || (int32_t)(at->high ^ at->low) < 0) {
            tlog_port_clear_exclusive();
            return is_short && !taken ? TLOG_SIDE_SHORT : TLOG_SIDE_BUSY;
        }
    } while (tlog_ring_commit(cpu, claimed, now + n * TLOG_CURSOR_STEP, cursor));
    tlog_ring_count_extra(cursor, extra);
    return TLOG_SIDE_RESERVED;
}

void tlog_side_fill(const struct tlog_reserved *at, uint32_t i, uint32_t head, const uint32_t words[2])
{
    uint32_t *slot = at->slot + 4u * i;
    slot[0] = words[0];
    slot[1] = words[1];
    slot[TLOG_WORD_LOW] = at->low;
    tlog_port_publish();
    *(volatile uint32_t *)(slot + TLOG_WORD_HEAD) = head | (at->cursor & TLOG_TAG_MASK);
}

/* Leave the slot at the cursor over. */
static void pad_slot(struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    if (reserve_side(cpu, 1, 1, &at) == TLOG_SIDE_RESERVED)
        tlog_side_fill(&at, 0, TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_PAD), (const uint32_t[2]){0, 0});
}

enum tlog_side tlog_side_reserve(struct tlog_cpu *cpu, uint32_t n, uint32_t extra, struct tlog_reserved *at)
{
    tlog_ring_start(cpu);
    for (uint32_t tries = 0; tries < TLOG_SIDE_TRIES && n <= tlog_ring_home(cpu)->slots; tries++) {
        tlog_ring_form(cpu, n);
        enum tlog_side_fit fit = reserve_side(cpu, n, extra, at);
        if (fit == TLOG_SIDE_RESERVED)
            return TLOG_SIDE_HERE;
        if (fit == TLOG_SIDE_SHORT)
            pad_slot(cpu);
        if (!tlog_ring_make_room(cpu, true))
            return TLOG_SIDE_STOPPED;
    }
    return TLOG_SIDE_NOWHERE;
}

#endif
