/* unseen_wraps.c - wraps of the clock that the firmware has not seen, lap by lap: see unseen_wraps.h.
 *
 * Anchors divide a lane into intervals. The anchor at the end of an interval tells how many wraps the firmware's count
 * lacks there. Within the interval the count may jump: there the firmware noticed that wraps were missing. Ahead of the
 * jump the count lacks as many as at the beginning of the interval, from the jump on as many as the anchor tells. If
 * that leaves a wrap or more between the two slots around the jump, the clock wrapped earlier: in the half wrap ahead
 * of the jump, for the firmware looks for missing wraps at the end of each half wrap. The place is where the stamps
 * step back, or else where the firmware was idle for longest.
 *
 * Behind the last anchor, and in dumps without a coarse clock, only steps back tell. A single stamp may be damaged: so
 * a step back counts only if two of the last stamps ahead of it are later than the two behind it.
 */
#include "formats/native/unseen_wraps.h"

#include <stdlib.h>

#define NEAR      8u /* slots at the beginning of a lap: its anchor is among them */
#define LOW_SLOTS 6u /* slots that must be earlier for a step back to count, if they tell low words only */

/* The stamps that the slots of a lap tell, in order. The first one is the last stamp ahead of the lap. */
struct stamps {
    const struct native_loader *loader;
    struct native_lap *lap;
    struct native_counted_stamp *counted;
    uint32_t n;
    uint64_t wraps; /* that the firmware's count lacks so far */
};

/* Note a place where wraps were not seen, ahead of stamp number i. Without wraps: only that its slot's stamp is
 * known. */
static void add_place(struct stamps *stamps, uint32_t i, uint64_t wraps, bool exact)
{
    struct native_lap *lap = stamps->lap;
    const struct native_counted_stamp *counted = &stamps->counted[i];
    if (counted->slot > 0 && lap->nunseen < NATIVE_UNSEEN_MAX)
        lap->unseen[lap->nunseen++] = (struct native_unseen_wrap){counted->stamp, wraps, counted->slot, exact};
}

/* Whether the next lap begins with an anchor. */
static bool has_anchor_behind(const struct stamps *stamps, const struct native_anchors *anchors,
                              const struct native_part *behind)
{
    const struct native_index *index = stamps->loader->index;
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

/* Whether a COARSE slot is an anchor: it is believed. */
static bool is_anchor(const struct native_anchors *anchors, uint32_t slot)
{
    return anchors->n > 0 && bsearch(&slot, anchors->first, anchors->n, sizeof *anchors->first, slot_order) != NULL;
}

/* Add the stamp that a slot tells; if `all`, also the low words of slots that tell no more. */
static void add_stamp(struct stamps *stamps, const struct native_anchors *anchors, uint32_t slot, bool all)
{
    const unsigned char *at = native_lap_slot(stamps->lap, slot);
    enum native_state state = (enum native_state)stamps->lap->state[slot - 1u];
    struct native_counted_stamp *counted = &stamps->counted[stamps->n];
    *counted = (struct native_counted_stamp){native_low_stamp(at), 0, slot, true};
    if (state == NATIVE_RECORD)
        counted->stamp = native_stamp(at);
    else if (!all || state != NATIVE_TRACEEVENT || native_lap_event_slots(stamps->lap, slot) == 0)
        return;
    else if (is_control(stamps->lap, slot, TLOG_CONTROL_TIME))
        counted->stamp = native_told_stamp(at);
    else if (is_control(stamps->lap, slot, TLOG_CONTROL_COARSE) && is_anchor(anchors, slot))
        counted->stamp = native_coarse_stamp(at);
    else
        counted->whole = false;
    stamps->n++;
}

/* The stamp with a low word. before: the stamp of the slot ahead; base, next: the whole stamps on both sides, of which
 * next may be unknown. Where the firmware counts a wrap it logs a CONTROL TIME, but interrupts may log ahead of
 * that. */
static uint64_t stamp_of_low(uint32_t low, uint64_t before, uint64_t base, uint64_t next)
{
    uint64_t follows = native_stamp_from(before, low);
    if (next != NATIVE_STAMP_UNKNOWN && next - base < NATIVE_WRAP && follows <= next)
        return follows;
    return (base & ~(uint64_t)UINT32_MAX) | low;
}

/* Make whole stamps of the low words from number `from` to to - 1. Ahead of them is a whole stamp. */
static void complete_behind(struct native_counted_stamp *counted, uint32_t from, uint32_t to, uint64_t next)
{
    uint64_t base = counted[from - 1u].stamp;
    for (uint32_t i = from; i < to; i++)
        counted[i].stamp = stamp_of_low((uint32_t)counted[i].stamp, counted[i - 1u].stamp, base, next);
}

/* Make whole stamps of the lap's first low words, ahead of which there is no whole stamp. */
static void complete_ahead(struct native_counted_stamp *counted, uint32_t to, uint64_t next)
{
    if (next == NATIVE_STAMP_UNKNOWN && to > 1u) {
        counted[1].stamp = native_stamp_from(counted[0].stamp, (uint32_t)counted[1].stamp);
        complete_behind(counted, 2, to, next);
        return;
    }
    for (uint32_t i = to - 1u; i > 0; i--) {
        counted[i].stamp = native_stamp_until(next, (uint32_t)counted[i].stamp);
        next = counted[i].stamp;
    }
}

/* Make whole stamps of all low words. next: a stamp of the next lap, or NATIVE_STAMP_UNKNOWN. */
static void complete(struct stamps *stamps, uint64_t next)
{
    for (uint32_t from = 1, to; from <= stamps->n; from = to + 1u) {
        uint64_t behind;
        for (to = from; to < stamps->n && !stamps->counted[to].whole;)
            to++;
        behind = to < stamps->n ? stamps->counted[to].stamp : next;
        if (from == 1u)
            complete_ahead(stamps->counted, to, behind);
        else
            complete_behind(stamps->counted, from, to, behind);
    }
}

/* Leave out stamps that do not lie between their neighbours, if these are in order. */
static void leave_out_misplaced(struct stamps *stamps)
{
    uint32_t n = 1;
    for (uint32_t i = 1; i < stamps->n; i++) {
        const struct native_counted_stamp *counted = &stamps->counted[i];
        bool inside = n > 1u && i + 1u < stamps->n;
        uint64_t before = inside ? stamps->counted[n - 1u].stamp : 0, behind = inside ? counted[1].stamp : 0;
        if (!inside || before > behind || (counted->stamp >= before && counted->stamp <= behind))
            stamps->counted[n++] = *counted;
    }
    stamps->n = n;
}

/* ---- by anchors -------------------------------------------------------------------------------------------------- */

/* Set how many wraps the firmware's count lacks in stamps `from` to to - 1. */
static void set_wraps(struct stamps *stamps, uint32_t from, uint32_t to, uint64_t wraps)
{
    for (uint32_t i = from; i < to; i++)
        stamps->counted[i].wraps = wraps;
}

/* The last stamp behind `from` up to `to` that is a wrap or more later than the one ahead: there the firmware's count
 * jumps. If there is none: `to`. */
static uint32_t find_jump(const struct stamps *stamps, uint32_t from, uint32_t to)
{
    for (uint32_t i = to; i > from; i--) {
        if (stamps->counted[i].stamp - stamps->counted[i - 1u].stamp >= NATIVE_WRAP
            && stamps->counted[i].stamp > stamps->counted[i - 1u].stamp)
            return i;
    }
    return to;
}

/* Find the stamp ahead of which *n wraps were missed. It is behind `from`, and was logged in the last half wrap ahead
 * of `to`, or it is `to` itself. rest: ticks that passed right ahead of `to`, besides the wraps. If stamps step back
 * several times, each step but the last takes one of the wraps. */
static uint32_t find_place(struct stamps *stamps, uint32_t from, uint32_t to, uint64_t *n, uint64_t rest)
{
    uint32_t first = to - 1u, place = to;
    bool steps = false;
    while (first > from && stamps->counted[first - 1u].stamp >> 31 == stamps->counted[to - 1u].stamp >> 31)
        first--;
    for (uint32_t i = first + 1u; i < to; i++) {
        uint64_t idle = stamps->counted[i].stamp - stamps->counted[i - 1u].stamp;
        if (idle > INT64_MAX && steps && *n > 1u) {
            set_wraps(stamps, place, i, ++stamps->wraps);
            add_place(stamps, place, 1, true);
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

/* Set the wraps of the stamps behind `from` up to `to`, where an anchor tells that the firmware's count lacks
 * `wraps`. */
static void settle_interval(struct stamps *stamps, uint32_t from, uint32_t to, uint64_t wraps)
{
    uint32_t jump = find_jump(stamps, from, to), place = jump;
    uint64_t left = stamps->counted[jump].stamp + wraps * NATIVE_WRAP
                    - (stamps->counted[jump - 1u].stamp + stamps->wraps * NATIVE_WRAP);
    uint64_t n = left <= INT64_MAX ? left / NATIVE_WRAP : 0;
    set_wraps(stamps, from + 1u, jump, stamps->wraps);
    if (n > 0)
        place = find_place(stamps, from, jump, &n, left % NATIVE_WRAP);
    if (place < jump) {
        set_wraps(stamps, place, jump, stamps->wraps + n);
        add_place(stamps, place, n, true);
    }
    set_wraps(stamps, jump, to + 1u, wraps);
    stamps->wraps = wraps;
}

/* ---- by steps back ----------------------------------------------------------------------------------------------- */

/* Whether a stamp is before `latest` because a wrap was not seen: then it is so by less than half a wrap, as the mirror
 * bit tells half wraps apart. */
static bool is_back(uint64_t stamp, uint64_t latest)
{
    return stamp < latest && latest - stamp < NATIVE_WRAP / 2u;
}

/* Whether a stamp and those behind it are before `latest`. For a whole stamp one behind it is enough, and that may be
 * in the next lap. For a low word it takes LOW_SLOTS: damage does not reach so many. */
static bool stays_back(const struct native_counted_stamp *counted, uint32_t n, uint64_t next, uint64_t added,
                       uint64_t latest)
{
    uint32_t look = counted->whole ? 2u : LOW_SLOTS;
    for (uint32_t i = 0; i < look && i < n; i++) {
        if (!is_back(counted[i].stamp + added, latest))
            return false;
    }
    return n > 1u || (next != NATIVE_STAMP_UNKNOWN && is_back(next + added, latest));
}

/* Set the wraps of n stamps that follow each other: they grow where the stamps step back. next: a stamp of the next
 * lap, or NATIVE_STAMP_UNKNOWN. In a broken lap slots may stand in the wrong place, so that steps back tell nothing. Of
 * the trail only the wraps change. */
static void unwrap(struct native_trail *trail, struct native_counted_stamp *counted, uint32_t n, uint64_t next,
                   bool broken)
{
    struct native_trail ahead = *trail;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t latest = counted[i].whole ? native_trail_second_latest(&ahead) : native_trail_earliest(&ahead);
        ahead.wraps += !broken && stays_back(&counted[i], n - i, next, ahead.wraps * NATIVE_WRAP, latest);
        counted[i].wraps = ahead.wraps;
        native_trail_add(&ahead, counted[i].stamp + ahead.wraps * NATIVE_WRAP);
    }
    trail->wraps = ahead.wraps;
}

/* ---- a lap ------------------------------------------------------------------------------------------------------- */

static uint64_t wraps_of(const struct native_anchor *anchor)
{
    return (anchor->stamp - anchor->counted) / NATIVE_WRAP;
}

/* Set the wraps of all stamps up to the lap's last anchor. Returns its number. */
static uint32_t settle_anchors(struct stamps *stamps, const struct native_anchors *anchors)
{
    uint32_t from = 0;
    for (uint32_t i = 1, k = 0; i < stamps->n && k < anchors->n; i++) {
        while (k < anchors->n && anchors->first[k].slot < stamps->counted[i].slot)
            k++;
        if (k < anchors->n && anchors->first[k].slot == stamps->counted[i].slot
            && anchors->first[k].counted == stamps->counted[i].stamp) {
            settle_interval(stamps, from, i, wraps_of(&anchors->first[k]));
            from = i;
        }
    }
    return from;
}

/* Set the wraps of the stamps behind number `from`, the lap's last anchor. */
static void settle_end(struct stamps *stamps, uint32_t from, const struct native_anchors *anchors,
                       const struct native_part *behind, uint64_t next)
{
    uint64_t before = stamps->wraps;
    if (has_anchor_behind(stamps, anchors, behind)) {
        stamps->counted[stamps->n] = (struct native_counted_stamp){anchors->behind->counted, 0, 0, true};
        settle_interval(stamps, from, stamps->n, wraps_of(anchors->behind));
        return;
    }
    stamps->lap->trail.wraps = stamps->wraps;
    unwrap(&stamps->lap->trail, stamps->counted + from + 1u, stamps->n - from - 1u, next, stamps->lap->broken);
    for (uint32_t i = from + 1u; i < stamps->n; i++) {
        if (stamps->counted[i].wraps > before)
            add_place(stamps, i, 1, false);
        before = stamps->counted[i].wraps;
    }
    stamps->wraps = stamps->lap->trail.wraps;
}

/* Add wraps to a slot that tells wraps: a record, or a CONTROL TIME. */
static void add_wraps(struct native_lap *lap, uint32_t index, uint64_t wraps)
{
    unsigned char *slot = lap->view.bytes + native_slot_offset(index);
    size_t at = native_is_traceevent(native_head(slot)) ? NATIVE_DATA : NATIVE_HIGH;
    uint32_t high = get_le32(slot + at), mirror = at == NATIVE_HIGH ? high & TLOG_HIGH_MIRROR : 0;
    if (wraps > 0 && (at == NATIVE_HIGH || native_is_control(slot, TLOG_CONTROL_TIME)))
        put_le32(slot + at, ((high + (uint32_t)wraps) & ~TLOG_HIGH_MIRROR) | mirror);
}

/* Add the wraps that are missing to all slots, and to the places where they were not seen. Slots that were left out
 * lack what the one ahead of them lacks. */
static void add_all(const struct stamps *stamps)
{
    uint64_t wraps = stamps->counted[0].wraps;
    native_view_will_change(&stamps->lap->view);
    for (uint32_t i = stamps->lap->first, k = 1, step = 0; i <= stamps->lap->last; i++) {
        for (; k < stamps->n && stamps->counted[k].slot <= i; k++)
            wraps = stamps->counted[k].wraps;
        add_wraps(stamps->lap, i, wraps);
        for (; step < stamps->lap->nunseen && stamps->lap->unseen[step].slot == i; step++)
            stamps->lap->unseen[step].stamp += wraps * NATIVE_WRAP;
    }
}

static bool has_records(const struct native_lap *lap)
{
    uint32_t i = lap->first;
    while (i <= lap->last && lap->state[i - 1u] != NATIVE_RECORD)
        i++;
    return i <= lap->last;
}

/* Collect the stamps of a lap's slots; number 0 is `from`, the last stamp ahead of the lap. Without a coarse clock only
 * records count, if there are any: damage shows less well in other slots. */
static void collect(struct stamps *stamps, const struct native_anchors *anchors, const struct native_part *behind,
                    uint64_t from)
{
    bool is_exact = !native_anchors_all_counted(anchors), all = is_exact || !has_records(stamps->lap);
    uint64_t missing = stamps->wraps * NATIVE_WRAP;
    stamps->counted[0] = (struct native_counted_stamp){from >= missing ? from - missing : 0, stamps->wraps, 0, true};
    stamps->n = 1;
    for (uint32_t i = stamps->lap->first; i <= stamps->lap->last; i++)
        add_stamp(stamps, anchors, i, all);
    if (all)
        complete(stamps, has_anchor_behind(stamps, anchors, behind) ? anchors->behind->counted : NATIVE_STAMP_UNKNOWN);
    if (is_exact && stamps->n > 1u && !stamps->counted[1].whole && has_anchor_behind(stamps, anchors, behind))
        add_place(stamps, 1, 0, true);
    if (is_exact)
        leave_out_misplaced(stamps);
    if (stamps->n > 1u && (from < missing || from == 0))
        stamps->counted[0].stamp = stamps->counted[1].stamp;
}

void native_unseen_wraps_add(struct native_loader *loader, struct native_lap *lap, const struct native_anchors *anchors,
                             const struct native_part *behind, struct native_span span)
{
    struct stamps stamps = {loader, lap, loader->counted, 0, lap->trail.wraps};
    collect(&stamps, anchors, behind, span.from);
    settle_end(&stamps, settle_anchors(&stamps, anchors), anchors, behind, span.next);
    lap->trail.wraps = stamps.wraps;
    add_all(&stamps);
}

void native_unseen_wraps_mark(struct native_lap *lap)
{
    for (uint32_t i = 0; i < lap->nunseen; i++) {
        uint32_t slot = lap->unseen[i].slot;
        if (lap->unseen[i].wraps == 0)
            continue;
        while (slot < lap->last && lap->state[slot - 1u] > NATIVE_TRACEEVENT)
            slot++;
        if (lap->state[slot - 1u] > NATIVE_TRACEEVENT)
            continue;
        lap->state[slot - 1u] = NATIVE_WRAPPED;
        lap->unseen[i].slot = slot;
    }
}

void native_unseen_wraps_follow(struct native_lap *lap)
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
