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
 *
 * No stamp is raised in silence: each slot ahead of which more wraps are missing than ahead of the last one gets a
 * mark, which becomes an event. There is one more reason for a mark: slots of traceevents, which have no count, run on
 * over a wrap, and nothing behind them in the lane tells a count. Then the firmware may have counted that wrap or not.
 */
#include "formats/native/time/unseen_wraps.h"

#include "base/heap.h"
#include "base/sort.h"

#define NEAR      8u /* slots at the beginning of a lap: its anchor is among them */
#define LOW_SLOTS 6u /* slots that must be earlier for a step back to count, if they tell low words only */

/* The stamps that the slots of a lap tell, in order. The first one is the last stamp ahead of the lap. */
struct stamps {
    const struct native_loader *loader;
    struct native_lap *lap;
    struct native_counted_stamp *counted;
    uint32_t n;
    uint64_t wraps; /* that the firmware's count lacks so far */
    bool goes_on;   /* the lane has slots behind these */
};

/* Whether the next lap begins with an anchor. */
static bool has_anchor_behind(const struct stamps *stamps, const struct native_anchors *anchors,
                              const struct native_part *behind)
{
    const struct native_index *index = stamps->loader->index;
    return behind != NULL && anchors->behind != NULL && &index->parts[anchors->behind->part] == behind
           && anchors->behind->slot - native_part_first(index, behind) < NEAR;
}

/* ---- what the slots tell ----------------------------------------------------------------------------------------- */

/* Add the stamp of a record or an anchor; if `all`, also those of CONTROL TIME slots, and the low words of slots that
 * tell no more. */
static void add_stamp(struct stamps *stamps, const struct native_anchors *anchors, uint32_t slot, bool all)
{
    const unsigned char *at = native_lap_slot(stamps->lap, slot);
    enum native_state state = (enum native_state)stamps->lap->state[slot - 1u];
    struct native_counted_stamp *counted = &stamps->counted[stamps->n];
    *counted = (struct native_counted_stamp){.stamp = native_low_stamp(at), .slot = slot, .whole = true};
    if (state == NATIVE_RECORD)
        counted->stamp = native_stamp(at);
    else if (state != NATIVE_TRACEEVENT || native_lap_event_slots(stamps->lap, slot) == 0)
        return;
    else if (!all && native_anchor_at(anchors, slot) == NULL)
        return;
    else if (native_is_control(at, TLOG_CONTROL_TIME))
        counted->stamp = native_told_stamp(at);
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

/* Whether a stamp is before `latest` because a wrap was not seen: then it is so by less than half a wrap, as the mirror
 * bit tells half wraps apart. */
static bool is_back(uint64_t stamp, uint64_t latest)
{
    return stamp < latest && latest - stamp < NATIVE_WRAP / 2u;
}

/* Leave out stamps that do not lie between their neighbours, if these are in order. But a seal's word is that none is
 * damaged: then one may be back because a wrap was not seen. */
static void leave_out_misplaced(struct stamps *stamps, bool proven)
{
    uint32_t n = 1;
    for (uint32_t i = 1; i < stamps->n; i++) {
        const struct native_counted_stamp *counted = &stamps->counted[i];
        bool inside = n > 1u && i + 1u < stamps->n;
        uint64_t before = inside ? stamps->counted[n - 1u].stamp : 0, behind = inside ? counted[1].stamp : 0;
        if (!inside || before > behind || (counted->stamp >= before && counted->stamp <= behind)
            || (proven && is_back(counted->stamp, before)))
            stamps->counted[n++] = *counted;
    }
    stamps->n = n;
}

/* ---- by anchors -------------------------------------------------------------------------------------------------- */

/* Set how many wraps the firmware's count lacks in stamps `from` to to - 1. */
static void set_wraps(struct stamps *stamps, uint32_t from, uint32_t to, uint64_t wraps)
{
    for (uint32_t i = from; i < to; i++) {
        stamps->counted[i].wraps = wraps;
        stamps->counted[i].exact = true;
    }
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

/* Whether the firmware was idle for a wrap and more right ahead of stamp `jump`, where its count grows by one, as an
 * anchor tells, number `to`. It may also have missed a wrap ahead, and have looked only because a lap began, or for a
 * dump, behind which the lane ends. */
static bool was_idle(const struct stamps *stamps, uint32_t jump, uint32_t to, const struct native_anchor *anchor)
{
    bool ends = to + 1u >= stamps->n && !stamps->goes_on;
    return native_may_be_watched(stamps->counted[jump - 1u].stamp, stamps->counted[jump].stamp)
           && (anchor->watched || (anchor->slot > NEAR && !ends));
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

/* Set the wraps of the stamps behind `from` up to `to`, where an anchor tells how many the firmware's count lacks. */
static void settle_interval(struct stamps *stamps, uint32_t from, uint32_t to, const struct native_anchor *anchor)
{
    uint64_t wraps = (anchor->stamp - anchor->counted) / NATIVE_WRAP;
    uint32_t jump = find_jump(stamps, from, to), place = jump;
    uint64_t left = stamps->counted[jump].stamp + wraps * NATIVE_WRAP
                    - (stamps->counted[jump - 1u].stamp + stamps->wraps * NATIVE_WRAP);
    uint64_t n = left <= INT64_MAX ? left / NATIVE_WRAP : 0, rest = left % NATIVE_WRAP;
    set_wraps(stamps, from + 1u, jump, stamps->wraps);
    if (stamps->wraps == wraps && was_idle(stamps, jump, to, anchor))
        rest = INT64_MAX; /* longer than any: only a step back is a place then */
    if (n > 0)
        place = find_place(stamps, from, jump, &n, rest);
    if (place < jump)
        set_wraps(stamps, place, jump, stamps->wraps + n);
    set_wraps(stamps, jump, to + 1u, wraps);
    stamps->wraps = wraps;
    stamps->lap->trail.exact = true;
}

/* ---- by steps back ----------------------------------------------------------------------------------------------- */

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

/* Set the wraps of the stamps behind number `from`, the last one that is settled: they grow where the stamps step
 * back. In a broken lap slots may stand in the wrong place, so that steps back tell nothing. next: a stamp of the next
 * lap, or NATIVE_STAMP_UNKNOWN. */
static void unwrap(struct stamps *stamps, uint32_t from, uint64_t next)
{
    struct native_counted_stamp *counted = stamps->counted;
    struct native_trail ahead = stamps->lap->trail;
    ahead.wraps = stamps->wraps;
    for (uint32_t i = from < NATIVE_TRAIL ? 1u : from - NATIVE_TRAIL + 1u; i <= from; i++)
        native_trail_add(&ahead, counted[i].stamp + counted[i].wraps * NATIVE_WRAP);
    for (uint32_t i = from + 1u; i < stamps->n; i++) {
        uint64_t latest = counted[i].whole ? native_trail_second_latest(&ahead) : native_trail_earliest(&ahead);
        ahead.wraps +=
            !stamps->lap->broken && stays_back(&counted[i], stamps->n - i, next, ahead.wraps * NATIVE_WRAP, latest);
        counted[i].wraps = ahead.wraps;
        counted[i].exact = false;
        native_trail_add(&ahead, counted[i].stamp + ahead.wraps * NATIVE_WRAP);
    }
    stamps->lap->trail.exact &= ahead.wraps == stamps->wraps;
    stamps->wraps = ahead.wraps;
}

/* ---- a lap ------------------------------------------------------------------------------------------------------- */

/* Set the wraps of all stamps up to the lap's last anchor. Returns its number. */
static uint32_t settle_anchors(struct stamps *stamps, const struct native_anchors *anchors)
{
    uint32_t from = 0;
    for (uint32_t i = 1, k = 0; i < stamps->n && k < anchors->n; i++) {
        while (k < anchors->n && anchors->first[k].slot < stamps->counted[i].slot)
            k++;
        if (k < anchors->n && anchors->first[k].slot == stamps->counted[i].slot
            && anchors->first[k].counted == stamps->counted[i].stamp) {
            settle_interval(stamps, from, i, &anchors->first[k]);
            from = i;
        }
    }
    return from;
}

/* Set the wraps of the stamps behind number `from`, the lap's last anchor. */
static void settle_end(struct stamps *stamps, uint32_t from, const struct native_anchors *anchors,
                       const struct native_part *behind, uint64_t next)
{
    if (has_anchor_behind(stamps, anchors, behind)) {
        stamps->counted[stamps->n] = (struct native_counted_stamp){.stamp = anchors->behind->counted, .whole = true};
        settle_interval(stamps, from, stamps->n, anchors->behind);
        return;
    }
    unwrap(stamps, from, next);
}

/* Note at which slots wraps were not seen: there the whole stamp is known. */
static void note_places(struct native_loader *loader, const struct stamps *stamps)
{
    loader->ncounted = stamps->n;
    loader->has_places = stamps->n > 1u && stamps->counted[1].placed;
    for (uint32_t i = 1; i < stamps->n; i++) {
        stamps->counted[i].placed |= stamps->counted[i].wraps > stamps->counted[i - 1u].wraps;
        loader->has_places |= stamps->counted[i].placed;
    }
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

/* Add the wraps that are missing to all slots. Slots that were left out lack what the one ahead of them lacks. */
static void add_all(const struct stamps *stamps)
{
    uint64_t wraps = stamps->counted[0].wraps;
    native_view_will_change(&stamps->lap->view);
    for (uint32_t i = stamps->lap->first, k = 1; i <= stamps->lap->last; i++) {
        for (; k < stamps->n && stamps->counted[k].slot <= i; k++)
            wraps = stamps->counted[k].wraps;
        add_wraps(stamps->lap, i, wraps);
    }
}

static bool has_records(const struct native_lap *lap)
{
    uint32_t i = lap->first;
    while (i <= lap->last && lap->state[i - 1u] != NATIVE_RECORD)
        i++;
    return i <= lap->last;
}

/* Collect the stamps of a lap's slots; number 0 is `from`, the last stamp ahead of the lap. If the
 * coarse clock tells no wraps, only records and anchors count, if there are records: damage shows less well in other
 * slots. */
static void collect(struct stamps *stamps, const struct native_anchors *anchors, const struct native_part *behind,
                    uint64_t from, bool proven)
{
    bool is_exact = !native_anchors_all_counted(anchors), all = is_exact || !has_records(stamps->lap);
    uint64_t missing = stamps->wraps * NATIVE_WRAP;
    stamps->counted[0] = (struct native_counted_stamp){.stamp = from >= missing ? from - missing : 0,
                                                       .wraps = stamps->wraps,
                                                       .whole = true,
                                                       .exact = stamps->lap->trail.exact};
    stamps->n = 1;
    for (uint32_t i = stamps->lap->first; i <= stamps->lap->last; i++)
        add_stamp(stamps, anchors, i, all);
    if (all)
        complete(stamps, has_anchor_behind(stamps, anchors, behind) ? anchors->behind->counted : NATIVE_STAMP_UNKNOWN);
    if (is_exact && stamps->n > 1u && !stamps->counted[1].whole && has_anchor_behind(stamps, anchors, behind))
        stamps->counted[1].placed = true;
    if (is_exact)
        leave_out_misplaced(stamps, proven);
    if (stamps->n > 1u && (from < missing || from == 0))
        stamps->counted[0].stamp = stamps->counted[1].stamp;
}

void native_unseen_wraps_add(struct native_loader *loader, struct native_lap *lap, const struct native_anchors *anchors,
                             const struct native_part *behind, struct native_span span, bool proven)
{
    struct stamps stamps = {loader, lap, loader->counted, 0, lap->trail.wraps, behind != NULL};
    collect(&stamps, anchors, behind, span.from, proven);
    settle_end(&stamps, settle_anchors(&stamps, anchors), anchors, behind, span.next);
    lap->trail.wraps = stamps.wraps;
    note_places(loader, &stamps);
    add_all(&stamps);
}

static int counted_order(const void *counted, const void *slot)
{
    uint32_t left = ((const struct native_counted_stamp *)counted)->slot, right = *(const uint32_t *)slot;
    return (left > right) - (left < right);
}

bool native_unseen_wraps_place(const struct native_loader *loader, uint32_t slot, uint64_t *stamp)
{
    const struct native_counted_stamp *counted = loader->counted;
    size_t i = loader->has_places ? sort_first(counted, loader->ncounted, sizeof *counted, &slot, counted_order)
                                  : loader->ncounted;
    if (i == loader->ncounted || counted[i].slot != slot || !counted[i].placed)
        return false;
    *stamp = counted[i].stamp + counted[i].wraps * NATIVE_WRAP;
    return true;
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

/* ---- marks ------------------------------------------------------------------------------------------------------- */

static void add_mark(const struct native_loader *loader, struct native_lap *lap, struct native_unseen_wrap mark)
{
    struct native_unseen_wrap *marks = heap_grow(lap->unseen, lap->nunseen, &lap->unseen_room, sizeof *marks);
    if (marks == NULL) {
        trace_fail(loader->trace, "%s: no memory for more than %zu marks", loader->trace->input_name, lap->unseen_room);
        return;
    }
    lap->unseen = marks;
    marks[lap->nunseen++] = mark;
    lap->state[mark.slot - 1u] = NATIVE_WRAPPED;
}

/* What the firmware's count lacks at a slot. */
struct lack {
    uint64_t wraps;
    bool exact;
};

/* The way through the ranked stamps of a lap, and the first ones of the next. */
struct way {
    const struct native_loader *loader;
    uint32_t n, all;       /* stamps of the lap; with those of the next */
    uint32_t next;         /* the next whole one that is believed, or `all` */
    uint32_t here, there;  /* numbers in loader->counted: of the slot that is passed, and of the next whole one */
    struct lack following; /* what is lacking at stamps of the next lap */
};

/* What is lacking at a slot, which is not ahead of stamp *at of loader->counted. */
static struct lack lack_of_slot(const struct native_loader *loader, uint32_t slot, uint32_t *at)
{
    while (*at + 1u < loader->ncounted && loader->counted[*at + 1u].slot <= slot)
        ++*at;
    return (struct lack){loader->counted[*at].wraps, loader->counted[*at].exact};
}

/* What is lacking at stamp number i. A low word alone does not tell; what is lacking at the whole stamps around it
 * does: as much as at the one ahead, unless it would then count more wraps than the one behind it. */
static struct lack lack_at(struct way *way, uint32_t i)
{
    const struct native_ranked_stamp *ranked = way->loader->ranked;
    struct lack here = lack_of_slot(way->loader, ranked[i].slot, &way->here), there;
    while (way->next < way->all && (way->next <= i || !ranked[way->next].keep || !ranked[way->next].whole))
        way->next++;
    if (ranked[i].whole || way->next == way->all)
        return here;
    if (way->next < way->n)
        there = lack_of_slot(way->loader, ranked[way->next].slot, &way->there);
    else
        there = way->following;
    if (ranked[i].stamp / NATIVE_WRAP - here.wraps > ranked[way->next].stamp / NATIVE_WRAP - there.wraps)
        return there;
    return here;
}

void native_unseen_wraps_mark(const struct native_loader *loader, struct native_lap *lap, struct native_settled settled)
{
    const struct native_ranked_stamp *ranked = loader->ranked;
    struct way way = {.loader = loader, .n = settled.n, .all = settled.n + settled.following};
    uint64_t reached = settled.from / NATIVE_WRAP, set_back = loader->set_back_before;
    size_t next = 0;
    way.following = (struct lack){settled.wraps, lap->trail.exact && lap->trail.wraps == settled.wraps};
    for (uint32_t i = 0; i < settled.n; i++) {
        struct native_unseen_wrap mark = {.stamp = ranked[i].stamp, .slot = ranked[i].slot};
        struct lack lack;
        if (!ranked[i].keep)
            continue;
        lack = lack_at(&way, i);
        mark.exact = lack.exact && lack.wraps > lap->trail.told;
        if (lack.wraps > lap->trail.told)
            mark.wraps = lack.wraps - lap->trail.told;
        else if (!ranked[i].whole && way.next == way.all && mark.stamp / NATIVE_WRAP > reached)
            mark.wraps = mark.stamp / NATIVE_WRAP - reached;
        for (; next < loader->nset_backs && loader->set_backs[next].slot <= mark.slot; next++)
            set_back = loader->set_backs[next].ticks;
        mark.set_back = set_back - lap->trail.set_back_told;
        if (mark.wraps > 0 || mark.set_back > 0)
            add_mark(loader, lap, mark);
        lap->trail.told = lack.wraps;
        lap->trail.set_back_told = set_back;
        lap->trail.counted |= ranked[i].whole;
        reached = mark.stamp / NATIVE_WRAP;
    }
}
