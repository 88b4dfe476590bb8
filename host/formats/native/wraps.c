/* wraps.c - the wraps that were not seen, lap by lap: see wraps.h.
 *
 * Anchors divide a lane into intervals. At its end the firmware's count lacks what the anchor there tells; up to where
 * the count jumps, which is where the firmware saw that wraps were missing, it lacks what it lacked ahead. If there is
 * still a wrap or more left over, the clock wrapped in the half wrap ahead of that place: the firmware looks for
 * missing wraps whenever one half wrap ends. There it was where the clock steps back, or else where it was idle for
 * longest.
 *
 * Behind the last anchor, and in dumps without a coarse clock, only steps back tell: see unwrap.c. */
#include "formats/native/wraps.h"

#include <stdlib.h>

#define NEAR 8u /* slots at the beginning of a lap: its anchor is among them */

/* What the slots of a lap tell, in order. */
struct tale {
    const struct native_loader *loader;
    struct native_lap *lap;
    struct native_told *told;
    uint32_t n;
    uint64_t wraps; /* that are missing so far */
};

/* Add a step ahead of a slot, which is marked if there are wraps. */
static void add_step(struct tale *tale, uint32_t i, uint64_t wraps, bool vouched)
{
    struct native_lap *lap = tale->lap;
    const struct native_told *told = &tale->told[i];
    if (told->slot > 0 && lap->steps < NATIVE_STEPS_MAX)
        lap->step[lap->steps++] = (struct native_step){told->stamp, wraps, told->slot, vouched};
}

/* Whether the next anchor begins the next lap. */
static bool is_near(const struct tale *tale, const struct native_anchors *anchors, const struct native_part *behind)
{
    const struct native_index *index = tale->loader->index;
    return behind != NULL && anchors->behind != NULL && &index->parts[anchors->behind->part] == behind
           && anchors->behind->slot - native_part_first(index, behind) < NEAR;
}

/* ---- what the slots tell ----------------------------------------------------------------------------------------- */

static bool is_control(const struct native_lap *lap, uint32_t slot, uint32_t number)
{
    return lap->state[slot - 1u] == NATIVE_TRACEEVENT && native_is_control(native_lap_slot(lap, slot), number);
}

static int slot_order(const void *slot, const void *anchor)
{
    uint32_t left = *(const uint32_t *)slot, right = ((const struct native_anchor *)anchor)->slot;
    return (left > right) - (left < right);
}

/* Whether a COARSE slot is an anchor. */
static bool is_anchor(const struct native_anchors *anchors, uint32_t slot)
{
    return anchors->n > 0 && bsearch(&slot, anchors->first, anchors->n, sizeof *anchors->first, slot_order) != NULL;
}

/* Add the stamp that a slot tells, or its low word. */
static void tell(struct tale *tale, const struct native_anchors *anchors, uint32_t slot, bool all)
{
    const unsigned char *at = native_lap_slot(tale->lap, slot);
    enum native_state state = (enum native_state)tale->lap->state[slot - 1u];
    struct native_told *told = &tale->told[tale->n];
    *told = (struct native_told){native_low_stamp(at), 0, slot, true};
    if (state == NATIVE_RECORD)
        told->stamp = native_stamp(at);
    else if (!all || state != NATIVE_TRACEEVENT || native_lap_combined(tale->lap, slot) == 0)
        return;
    else if (is_control(tale->lap, slot, TLOG_CONTROL_TIME))
        told->stamp = native_told_stamp(at);
    else if (is_control(tale->lap, slot, TLOG_CONTROL_COARSE) && is_anchor(anchors, slot))
        told->stamp = native_coarse_stamp(at);
    else
        told->whole = false;
    tale->n++;
}

/* The stamp with a low word, by the stamp of the slot before and the whole stamps on both sides; next may be UNKNOWN.
 * The firmware logs a CONTROL TIME where it counts a wrap, but interrupts may log ahead of that. */
static uint64_t stamp_of_low(uint32_t low, uint64_t before, uint64_t base, uint64_t next)
{
    uint64_t follows = native_stamp_from(before, low);
    if (next != NATIVE_STAMP_UNKNOWN && next - base < NATIVE_WRAP && follows <= next)
        return follows;
    return (base & ~(uint64_t)UINT32_MAX) | low;
}

/* Make whole stamps of the low words of slots from .. to - 1, with a whole stamp ahead of the first one. */
static void complete_behind(struct native_told *told, uint32_t from, uint32_t to, uint64_t next)
{
    uint64_t base = told[from - 1u].stamp;
    for (uint32_t i = from; i < to; i++)
        told[i].stamp = stamp_of_low((uint32_t)told[i].stamp, told[i - 1u].stamp, base, next);
}

/* The same of the lap's first slots, if no whole stamp is ahead of them. */
static void complete_ahead(struct native_told *told, uint32_t to, uint64_t next)
{
    if (next == NATIVE_STAMP_UNKNOWN && to > 1u) {
        told[1].stamp = native_stamp_from(told[0].stamp, (uint32_t)told[1].stamp);
        complete_behind(told, 2, to, next);
        return;
    }
    for (uint32_t i = to - 1u; i > 0; i--) {
        told[i].stamp = native_stamp_until(next, (uint32_t)told[i].stamp);
        next = told[i].stamp;
    }
}

/* Make whole stamps of low words. next: a stamp of the lap behind, or UNKNOWN. */
static void complete(struct tale *tale, uint64_t next)
{
    for (uint32_t from = 1, to; from <= tale->n; from = to + 1u) {
        uint64_t behind;
        for (to = from; to < tale->n && !tale->told[to].whole;)
            to++;
        behind = to < tale->n ? tale->told[to].stamp : next;
        if (from == 1u)
            complete_ahead(tale->told, to, behind);
        else
            complete_behind(tale->told, from, to, behind);
    }
}

/* Leave out slots that are out of place between their neighbours. */
static void leave_out(struct tale *tale)
{
    uint32_t n = 1;
    for (uint32_t i = 1; i < tale->n; i++) {
        const struct native_told *told = &tale->told[i];
        bool inside = n > 1u && i + 1u < tale->n;
        uint64_t before = inside ? tale->told[n - 1u].stamp : 0, behind = inside ? told[1].stamp : 0;
        if (!inside || before > behind || (told->stamp >= before && told->stamp <= behind))
            tale->told[n++] = *told;
    }
    tale->n = n;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static void lack(struct tale *tale, uint32_t from, uint32_t to, uint64_t wraps)
{
    for (uint32_t i = from; i < to; i++)
        tale->told[i].wraps = wraps;
}

/* Where the firmware's count jumps by a wrap or more for the last time, among the slots behind `from` up to `to`; or
 * `to`. */
static uint32_t find_jump(const struct tale *tale, uint32_t from, uint32_t to)
{
    for (uint32_t i = to; i > from; i--) {
        if (tale->told[i].stamp - tale->told[i - 1u].stamp >= NATIVE_WRAP
            && tale->told[i].stamp > tale->told[i - 1u].stamp)
            return i;
    }
    return to;
}

/* Where n wraps were missed, among the slots behind `from` and ahead of `to`, of which only those count that the
 * firmware logged in the last half wrap; `rest` ticks are left over at the end. Returns `to` if it was there. Steps
 * back ahead of the last one take a wrap each. */
static uint32_t find_place(struct tale *tale, uint32_t from, uint32_t to, uint64_t *n, uint64_t rest)
{
    uint32_t first = to - 1u, place = to;
    bool steps = false;
    while (first > from && tale->told[first - 1u].stamp >> 31 == tale->told[to - 1u].stamp >> 31)
        first--;
    for (uint32_t i = first + 1u; i < to; i++) {
        uint64_t idle = tale->told[i].stamp - tale->told[i - 1u].stamp;
        if (idle > INT64_MAX && steps && *n > 1u) {
            lack(tale, place, i, ++tale->wraps);
            add_step(tale, place, 1, true);
            --*n;
        }
        if (idle > INT64_MAX || (!steps && idle > rest)) {
            steps = idle > INT64_MAX;
            rest = idle;
            place = i;
        }
    }
    return place;
}

/* Settle the slots behind `from` up to `to`, which is an anchor, or stands for it: at the end the firmware's count
 * lacks `wraps`. */
static void settle(struct tale *tale, uint32_t from, uint32_t to, uint64_t wraps)
{
    uint32_t jump = find_jump(tale, from, to), place = jump;
    uint64_t left =
        tale->told[jump].stamp + wraps * NATIVE_WRAP - (tale->told[jump - 1u].stamp + tale->wraps * NATIVE_WRAP);
    uint64_t n = left <= INT64_MAX ? left / NATIVE_WRAP : 0;
    lack(tale, from + 1u, jump, tale->wraps);
    if (n > 0)
        place = find_place(tale, from, jump, &n, left % NATIVE_WRAP);
    if (place < jump) {
        lack(tale, place, jump, tale->wraps + n);
        add_step(tale, place, n, true);
    }
    lack(tale, jump, to + 1u, wraps);
    tale->wraps = wraps;
}

/* ---- a lap ------------------------------------------------------------------------------------------------------- */

static uint64_t wraps_of(const struct native_anchor *anchor)
{
    return (anchor->stamp - anchor->told) / NATIVE_WRAP;
}

/* Settle the intervals that end in the lap. Returns the last anchor's place. */
static uint32_t settle_anchors(struct tale *tale, const struct native_anchors *anchors)
{
    uint32_t from = 0;
    for (uint32_t i = 1, k = 0; i < tale->n && k < anchors->n; i++) {
        while (k < anchors->n && anchors->first[k].slot < tale->told[i].slot)
            k++;
        if (k < anchors->n && anchors->first[k].slot == tale->told[i].slot
            && anchors->first[k].told == tale->told[i].stamp) {
            settle(tale, from, i, wraps_of(&anchors->first[k]));
            from = i;
        }
    }
    return from;
}

/* Settle the slots behind the lap's last anchor. */
static void settle_end(struct tale *tale, uint32_t from, const struct native_anchors *anchors,
                       const struct native_part *behind, uint64_t next)
{
    uint64_t before = tale->wraps;
    if (is_near(tale, anchors, behind)) {
        tale->told[tale->n] = (struct native_told){anchors->behind->told, 0, 0, true};
        settle(tale, from, tale->n, wraps_of(anchors->behind));
        return;
    }
    tale->lap->trail.wraps = tale->wraps;
    native_unwrap(&tale->lap->trail, tale->told + from + 1u, tale->n - from - 1u, next);
    for (uint32_t i = from + 1u; i < tale->n; i++) {
        if (tale->told[i].wraps > before)
            add_step(tale, i, 1, false);
        before = tale->told[i].wraps;
    }
    tale->wraps = tale->lap->trail.wraps;
}

/* Add wraps to a record, or to the time that a CONTROL TIME tells. */
static void add_wraps(struct native_lap *lap, uint32_t index, uint64_t wraps)
{
    unsigned char *slot = lap->view.bytes + native_slot_offset(index);
    size_t at = native_is_traceevent(native_head(slot)) ? NATIVE_DATA : NATIVE_HIGH;
    uint32_t high = get_le32(slot + at), mirror = at == NATIVE_HIGH ? high & TLOG_HIGH_MIRROR : 0;
    if (wraps > 0 && (at == NATIVE_HIGH || native_is_control(slot, TLOG_CONTROL_TIME)))
        put_le32(slot + at, ((high + (uint32_t)wraps) & ~TLOG_HIGH_MIRROR) | mirror);
}

/* Add the wraps that are missing to all slots, and to the steps. Slots that are left out have those of the one
 * ahead. */
static void add_all(const struct tale *tale)
{
    uint64_t wraps = tale->told[0].wraps;
    native_view_will_change(&tale->lap->view);
    for (uint32_t i = tale->lap->first, k = 1, step = 0; i <= tale->lap->last; i++) {
        for (; k < tale->n && tale->told[k].slot <= i; k++)
            wraps = tale->told[k].wraps;
        add_wraps(tale->lap, i, wraps);
        for (; step < tale->lap->steps && tale->lap->step[step].slot == i; step++)
            tale->lap->step[step].stamp += wraps * NATIVE_WRAP;
    }
}

static bool has_records(const struct native_lap *lap)
{
    uint32_t i = lap->first;
    while (i <= lap->last && lap->state[i - 1u] != NATIVE_RECORD)
        i++;
    return i <= lap->last;
}

/* Collect what the slots tell. The first place is what was told last ahead of the lap. Without a coarse clock only
 * records are listened to, if there are any: of other slots, damage does not show so well. */
static void collect(struct tale *tale, const struct native_anchors *anchors, const struct native_part *behind,
                    uint64_t from)
{
    bool is_exact = !native_anchors_all_counted(anchors), all = is_exact || !has_records(tale->lap);
    uint64_t missing = tale->wraps * NATIVE_WRAP;
    tale->told[0] = (struct native_told){from >= missing ? from - missing : 0, tale->wraps, 0, true};
    tale->n = 1;
    for (uint32_t i = tale->lap->first; i <= tale->lap->last; i++)
        tell(tale, anchors, i, all);
    if (all)
        complete(tale, is_near(tale, anchors, behind) ? anchors->behind->told : NATIVE_STAMP_UNKNOWN);
    if (is_exact && tale->n > 1u && !tale->told[1].whole && is_near(tale, anchors, behind))
        add_step(tale, 1, 0, true);
    if (is_exact)
        leave_out(tale);
    if (tale->n > 1u && (from < missing || from == 0))
        tale->told[0].stamp = tale->told[1].stamp;
}

void native_wraps_add(struct native_loader *loader, struct native_lap *lap, const struct native_anchors *anchors,
                      const struct native_part *behind, struct native_span span)
{
    struct tale tale = {loader, lap, loader->told, 0, lap->trail.wraps};
    collect(&tale, anchors, behind, span.from);
    settle_end(&tale, settle_anchors(&tale, anchors), anchors, behind, span.next);
    lap->trail.wraps = tale.wraps;
    add_all(&tale);
}

void native_wraps_mark(struct native_lap *lap)
{
    for (uint32_t i = 0; i < lap->steps; i++) {
        uint32_t slot = lap->step[i].slot;
        if (lap->step[i].wraps == 0)
            continue;
        while (slot < lap->last && lap->state[slot - 1u] > NATIVE_TRACEEVENT)
            slot++;
        if (lap->state[slot - 1u] > NATIVE_TRACEEVENT)
            continue;
        lap->state[slot - 1u] = NATIVE_WRAPPED;
        lap->step[i].slot = slot;
    }
}

void native_wraps_follow(struct native_lap *lap)
{
    uint64_t stamp[NATIVE_TRAIL];
    uint32_t n = 0;
    for (uint32_t i = lap->last; i >= lap->first && n < NATIVE_TRAIL; i--) {
        const unsigned char *slot = native_lap_slot(lap, i);
        if (native_lap_state(lap, i) <= NATIVE_WRAPPED && !native_is_traceevent(native_head(slot)))
            stamp[n++] = native_stamp(slot);
    }
    while (n > 0)
        native_trail_add(&lap->trail, stamp[--n]);
}
