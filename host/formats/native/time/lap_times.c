/* lap_times.c - which times of a lap are believed: see lap_times.h.
 *
 * Slots are in the order of time. Records and CONTROL TIME slots tell a whole stamp, all other slots only its low word.
 *
 * First the whole stamps are judged. Together with the first ones of the lane's next lap they form sequences in order.
 * A stamp is believed if it is in every longest sequence. If a seal confirms the next lap, no stamp may be later than
 * the first one of that lap. A slot at an end of the lane has a neighbour on one side only: it must not be further from
 * that neighbour than AWAY_MAX, more than any clock runs between two events.
 *
 * Then low words become stamps, between two whole ones that are believed. Where they step back once and stay back, the
 * clock has wrapped; a single slot that is out of order is damaged.
 */
#include "formats/native/time/lap_times.h"

#include "formats/native/time/following.h"
#include "formats/native/time/lone_jump.h"

#include <string.h>

#define AWAY_MAX ((uint64_t)1 << 40) /* ticks that a slot at an end of the lane may be away from the next one */

#define MISFIT "its time does not fit those around it"

/* ---- slots ------------------------------------------------------------------------------------------------------- */

/* Whether a slot tells a low word only. */
static bool tells_low(const struct native_lap_times *times, uint32_t slot)
{
    uint64_t stamp;
    return native_times_state(times, slot) == NATIVE_TRACEEVENT && !native_times_are_time(times, slot)
           && !native_times_are_placed(times, slot, &stamp);
}

static void damage(const struct native_lap_times *times, uint32_t slot, const char *why)
{
    times->lap->state[slot - 1u] = NATIVE_DAMAGED;
    trace_damage(times->loader->trace, native_damage_offset(times->image, native_slot_offset(slot)),
                 native_damage_length(times->image, TLOG_SLOT_BYTES), 0, "a slot is damaged: %s", why);
}

/* ---- whole stamps ------------------------------------------------------------------------------------------------ */

/* Add the following stamps to n stamps, and rank them together. */
static void rank_with_following(const struct native_lap_times *times, uint32_t n,
                                const struct native_following *following)
{
    struct native_ranked_stamp *ranked = times->loader->ranked;
    for (uint32_t i = 0; i < following->n; i++)
        ranked[n + i] = (struct native_ranked_stamp){.slot = 0, .stamp = following->stamp[i], .whole = true};
    native_rank_stamps(ranked, n + following->n);
}

/* Whether no slot behind one tells a whole stamp. */
static bool is_last_whole(const struct native_lap_times *times, uint32_t slot, const struct native_following *following)
{
    uint64_t stamp;
    for (slot++; slot <= times->lap->last; slot++) {
        if (native_times_tell_all(times, slot, &stamp))
            return false;
    }
    return following->n == 0;
}

/* Whether a COARSE slot behind a CONTROL TIME tells as many wraps, believed or not. */
static bool has_coarse_behind(const struct native_lap_times *times, uint32_t slot)
{
    return slot < times->lap->last && native_times_state(times, slot + 1u) == NATIVE_SILENT
           && native_coarse_stamp(native_lap_slot(times->lap, slot + 1u)) / NATIVE_WRAP
                  == native_told_stamp(native_lap_slot(times->lap, slot)) / NATIVE_WRAP;
}

/* Whether a slot that only tells the time is not alone in telling that the clock ran on, from the stamp `before`: an
 * anchor has two clocks. And firmware that is idle logs a CONTROL TIME for each wrap, one behind the other. */
static bool is_supported(const struct native_lap_times *times, uint32_t slot, uint64_t before)
{
    return native_anchor_at(times->anchors, slot) != NULL || has_coarse_behind(times, slot)
           || (slot > times->lap->first && native_times_are_time(times, slot) && native_times_are_time(times, slot - 1u)
               && native_told_stamp(native_lap_slot(times->lap, slot)) - before < 2u * NATIVE_WRAP);
}

/* Whether a CONTROL TIME alone tells that the clock ran on by whole wraps. The slots behind it tell how far slots are
 * from each other. before: the last whole stamp. */
static bool is_lone_time(const struct native_lap_times *times, uint32_t slot, uint64_t before,
                         const struct native_following *following)
{
    const unsigned char *at = native_lap_slot(times->lap, slot);
    uint32_t ticks = native_low_stamp(native_lap_slot(times->lap, times->lap->last)) - native_low_stamp(at);
    return !times->proven && native_times_are_time(times, slot) && before > 0
           && native_is_jump(before, native_told_stamp(at), ticks) && is_last_whole(times, slot, following)
           && !is_supported(times, slot, before);
}

/* Collect the whole stamps that can be right; other records are damaged. */
static uint32_t collect_whole(const struct native_lap_times *times, const struct native_following *following)
{
    uint32_t n = 0;
    uint64_t stamp, before = times->lap->trail.counted ? times->span.from : 0;
    for (uint32_t i = times->lap->first; i <= times->lap->last; i++) {
        if (!native_times_tell_all(times, i, &stamp))
            continue;
        if (is_lone_time(times, i, before, following)) {
            damage(times, i, MISFIT);
            continue;
        }
        before = stamp;
        if (stamp >= times->span.from && stamp <= following->limit)
            times->loader->ranked[n++] = (struct native_ranked_stamp){.slot = i, .stamp = stamp};
        else if (stamp > following->limit || !native_times_are_time(times, i))
            damage(times, i, "its time is not within that of its lap");
    }
    return n;
}

/* How many stamps the longest sequence has that number i is in. */
static uint32_t sequence_length(const struct native_ranked_stamp *ranked, uint32_t i)
{
    return ranked[i].before + ranked[i].after - 1u;
}

/* A CONTROL TIME or COARSE slot with which the next lap begins does not count if it is before the last of n stamps of
 * this lap, and the stamp behind it is not. */
static void drop_first_following(const struct native_lap_times *times, uint32_t n, struct native_following *following)
{
    uint64_t last = n > 0 ? times->loader->ranked[n - 1u].stamp : 0;
    if (!following->begins || following->n < 2u || following->limit != INT64_MAX || following->stamp[0] >= last
        || following->stamp[1] < last)
        return;
    following->n--;
    memmove(following->stamp, following->stamp + 1, following->n * sizeof *following->stamp);
}

/* Judge the whole stamps by themselves. Those that contradict each other are in doubt: then the low words of the slots
 * around them decide. A CONTROL TIME slot that tells less than the events ahead of it is not damaged: a wrap was not
 * seen, and its low word is right. */
static void settle_whole(const struct native_lap_times *times, struct native_following *following)
{
    struct native_ranked_stamp *ranked = times->loader->ranked;
    uint32_t n = collect_whole(times, following), longest = 0;
    uint64_t before = times->span.from;
    drop_first_following(times, n, following);
    rank_with_following(times, n, following);
    for (uint32_t i = 0; i < n + following->n; i++)
        longest = sequence_length(ranked, i) > longest ? sequence_length(ranked, i) : longest;
    for (uint32_t i = 0; i < n; i++) {
        if (ranked[i].keep)
            before = ranked[i].stamp;
        else if (sequence_length(ranked, i) == longest)
            times->lap->state[ranked[i].slot - 1u] = NATIVE_DOUBTED;
        else if (ranked[i].stamp >= before || !native_times_are_time(times, ranked[i].slot))
            damage(times, ranked[i].slot, MISFIT);
    }
}

/* ---- low words --------------------------------------------------------------------------------------------------- */

/* A walk through a lap's slots, on which the low words become stamps. */
struct walk {
    const struct native_lap_times *times;
    struct native_trail trail; /* the last stamps */
    uint64_t base;             /* the last whole stamp */
    uint64_t wraps;            /* ticks that were added since that for wraps */
    uint64_t next;             /* the next whole stamp, if it is less than a wrap later than base; else 0 */
    bool has_base;             /* base is of this lap */
    uint32_t n;                /* stamps in loader->ranked */
};

static void walk_add(struct walk *walk, uint32_t slot, uint64_t stamp, bool whole)
{
    walk->times->loader->ranked[walk->n++] = (struct native_ranked_stamp){.slot = slot, .stamp = stamp, .whole = whole};
    native_trail_add(&walk->trail, stamp);
}

/* The stamp that a low word tells. Where the clock wraps, the firmware logs a CONTROL TIME: so it is of the same wrap
 * as the last whole stamp. But if that one is of an earlier lap, or the next whole stamp is near, it is the first stamp
 * with this low word from the last whole one on. */
static uint64_t walk_stamp(const struct walk *walk, uint32_t low)
{
    uint64_t behind = native_stamp_from(walk->base, low);
    if (!walk->has_base || behind <= walk->next)
        return behind + walk->wraps;
    return ((walk->base & ~(uint64_t)UINT32_MAX) | low) + walk->wraps;
}

/* The next slot that tells a low word; 0: a slot with a whole stamp comes first, or none. */
static uint32_t next_low(const struct native_lap_times *times, uint32_t slot)
{
    uint64_t stamp;
    for (uint32_t i = slot + 1u; i <= times->lap->last && !native_times_tell_all(times, i, &stamp); i++) {
        if (tells_low(times, i) && native_lap_event_slots(times->lap, i) > 0)
            return i;
    }
    return 0;
}

/* The next whole stamp from a slot on, or the first following one; NATIVE_STAMP_UNKNOWN: there is none. CONTROL TIME
 * slots that tell less than `least` do not count. */
static uint64_t next_whole(const struct native_lap_times *times, uint32_t slot, uint64_t least,
                           const struct native_following *following)
{
    uint64_t stamp;
    for (; slot <= times->lap->last; slot++) {
        if (native_times_tell_all(times, slot, &stamp) && (stamp >= least || !native_times_are_time(times, slot)))
            return stamp;
    }
    return following->n > 0 ? following->stamp[0] : NATIVE_STAMP_UNKNOWN;
}

/* Whether the clock has wrapped ahead of a slot: that slot and the next one are earlier than the last ones. The slot
 * alone is enough if a seal confirms it, or if a whole stamp comes next and is behind that wrap. */
static bool has_wrapped(const struct walk *walk, uint32_t slot, const struct native_following *following)
{
    const struct native_lap_times *times = walk->times;
    uint64_t latest = native_trail_earliest(&walk->trail), whole;
    uint64_t stamp = walk_stamp(walk, native_low_stamp(native_lap_slot(times->lap, slot)));
    uint32_t next = next_low(times, slot);
    if (times->proven)
        return true;
    if (next != 0)
        return stamp < latest && walk_stamp(walk, native_low_stamp(native_lap_slot(times->lap, next))) < latest;
    whole = next_whole(times, slot + 1u, walk->trail.stamp[0], following);
    return whole != NATIVE_STAMP_UNKNOWN && whole >= stamp + NATIVE_WRAP;
}

static void walk_low(struct walk *walk, uint32_t slot, const struct native_following *following)
{
    uint32_t low = native_low_stamp(native_lap_slot(walk->times->lap, slot));
    if (walk->next == 0 && walk->trail.n > 0 && walk_stamp(walk, low) < walk->trail.stamp[0]
        && has_wrapped(walk, slot, following))
        walk->wraps += NATIVE_WRAP;
    walk_add(walk, slot, walk_stamp(walk, low), false);
}

/* Whether a record is alone in telling that the clock ran on by a wrap or more: no whole stamp comes behind it,
 * although the firmware would have logged a CONTROL TIME ahead of the next traceevent. */
static bool is_alone(const struct walk *walk, uint32_t slot, uint64_t stamp, const struct native_following *following)
{
    const struct native_lap_times *times = walk->times;
    return !times->proven && !native_times_are_time(times, slot) && walk->trail.n > 0
           && stamp - walk->trail.stamp[0] >= NATIVE_WRAP && next_low(times, slot) != 0
           && next_whole(times, slot + 1u, 0, following) == NATIVE_STAMP_UNKNOWN;
}

/* Go on from a whole stamp. */
static void set_base(struct walk *walk, uint32_t slot, uint64_t stamp, const struct native_following *following)
{
    uint64_t next = next_whole(walk->times, slot + 1u, stamp, following);
    walk->base = stamp;
    walk->has_base = true;
    walk->wraps = 0;
    walk->next = next > stamp && next - stamp < NATIVE_WRAP ? next : 0;
}

static void walk_whole(struct walk *walk, uint32_t slot, uint64_t stamp, const struct native_following *following)
{
    if (native_times_are_time(walk->times, slot)
        && (stamp < native_trail_second_latest(&walk->trail) || stamp < walk->times->span.from)) {
        walk_low(walk, slot, following);
        return;
    }
    if (is_alone(walk, slot, stamp, following)) {
        damage(walk->times, slot, MISFIT);
        return;
    }
    set_base(walk, slot, stamp, following);
    walk_add(walk, slot, stamp, true);
}

/* Rank the lap's first slots, up to slot `end`, with the latest stamps that they can have ahead of a whole one. Returns
 * how many there are. */
static uint32_t rank_first(const struct native_lap_times *times, uint32_t end, uint64_t whole)
{
    uint32_t n = 0, slots;
    for (uint32_t i = times->lap->first; i < end; i += slots) {
        uint64_t stamp = native_stamp_until(whole, native_low_stamp(native_lap_slot(times->lap, i)));
        slots = tells_low(times, i) || native_times_are_time(times, i) ? native_lap_event_slots(times->lap, i) : 1u;
        if (native_times_state(times, i) == NATIVE_TRACEEVENT && slots > 0)
            times->loader->ranked[n++] = (struct native_ranked_stamp){.slot = i, .stamp = stamp};
        slots = slots > 0 ? slots : 1u;
    }
    return n;
}

/* Whether the clock has wrapped behind number i of n stamps. Those behind it are counted back, the others have `back`
 * ticks still to go: that one and the one ahead of it are later than two behind it. It alone is enough if a seal
 * confirms it, or if it is the first. */
static bool has_wrapped_behind(const struct native_lap_times *times, uint32_t i, uint32_t n, uint64_t back)
{
    const struct native_ranked_stamp *ranked = times->loader->ranked;
    uint64_t latest = i + 1u < n ? ranked[i + 1u].stamp : UINT64_MAX;
    if (ranked[i].stamp < back + NATIVE_WRAP || times->proven)
        return times->proven && ranked[i].stamp >= back + NATIVE_WRAP && ranked[i].stamp - back > latest;
    latest = i + 2u < n && ranked[i + 2u].stamp > latest ? ranked[i + 2u].stamp : latest;
    return i + 2u < n && ranked[i].stamp - back > latest && (i == 0 || ranked[i - 1u].stamp > latest + back);
}

/* Count the stamps of the lap's first slots back from its first whole stamp. Returns that slot. */
static uint32_t walk_back(struct walk *walk)
{
    const struct native_lap_times *times = walk->times;
    struct native_ranked_stamp *ranked = times->loader->ranked;
    uint32_t end = times->lap->first;
    uint64_t whole = 0, back = 0;
    while (end <= times->lap->last && !(native_times_tell_all(times, end, &whole) && whole >= times->span.from))
        end++;
    if (end > times->lap->last)
        return times->lap->first;
    walk->n = rank_first(times, end, whole);
    for (uint32_t i = walk->n; i-- > 0;) {
        back += has_wrapped_behind(times, i, walk->n, back) ? NATIVE_WRAP : 0;
        ranked[i].stamp = ranked[i].stamp >= back ? ranked[i].stamp - back : (uint32_t)ranked[i].stamp;
    }
    for (uint32_t i = 0; i < walk->n; i++)
        native_trail_add(&walk->trail, ranked[i].stamp);
    return end;
}

/* The stamp that a slot in doubt tells. */
static uint64_t doubted_stamp(const struct native_lap_times *times, uint32_t slot)
{
    const unsigned char *at = native_lap_slot(times->lap, slot);
    return native_is_traceevent(native_head(at)) ? native_told_stamp(at) : native_stamp(at);
}

/* How many slots an event with a whole stamp has. Several, if it is a combine event ahead of which the clock
 * wrapped. */
static uint32_t slots_at(const struct native_lap_times *times, uint32_t slot)
{
    uint64_t stamp;
    uint32_t n = native_times_are_placed(times, slot, &stamp) ? native_lap_event_slots(times->lap, slot) : 1u;
    return n > 0 ? n : 1u;
}

/* Collect the stamps of all slots. Returns how many there are. */
static uint32_t collect_all(const struct native_lap_times *times, const struct native_following *following)
{
    struct walk walk = {.times = times, .base = times->span.from};
    uint64_t stamp;
    uint32_t n;
    for (uint32_t i = walk_back(&walk); i <= times->lap->last; i += n) {
        n = 1;
        if (native_times_state(times, i) == NATIVE_DOUBTED) {
            times->loader->ranked[walk.n++] =
                (struct native_ranked_stamp){.slot = i, .stamp = doubted_stamp(times, i), .whole = true};
        } else if (native_times_tell_all(times, i, &stamp)) {
            walk_whole(&walk, i, stamp, following);
            n = slots_at(times, i);
        } else if (tells_low(times, i) && native_lap_event_slots(times->lap, i) > 0) {
            walk_low(&walk, i, following);
            n = native_lap_event_slots(times->lap, i);
        }
    }
    return walk.n;
}

/* ---- all slots --------------------------------------------------------------------------------------------------- */

/* The further slots of a combine event whose first one is damaged become fragments. */
static void leave_fragments(const struct native_lap_times *times, uint32_t slot)
{
    uint32_t n = native_lap_event_slots(times->lap, slot);
    for (uint32_t i = 1; i < n; i++)
        times->lap->state[slot + i - 1u] = NATIVE_FRAGMENT;
}

/* A slot that was in doubt is again what it is by its bits. */
static void end_doubt(const struct native_lap_times *times, uint32_t slot)
{
    bool event = native_is_traceevent(native_head(native_lap_slot(times->lap, slot)));
    if (native_times_state(times, slot) == NATIVE_DOUBTED)
        times->lap->state[slot - 1u] = event ? NATIVE_TRACEEVENT : NATIVE_RECORD;
}

/* A slot's stamp is not believed. */
static void drop(const struct native_lap_times *times, struct native_ranked_stamp *ranked)
{
    if (native_times_state(times, ranked->slot) == NATIVE_TRACEEVENT)
        leave_fragments(times, ranked->slot);
    damage(times, ranked->slot, MISFIT);
    ranked->keep = false;
}

/* The number, from 1 on, of the last stamp among n that is kept; 0: there is none. */
static uint32_t last_kept(const struct native_ranked_stamp *ranked, uint32_t n)
{
    while (n > 0 && !ranked[n - 1u].keep)
        n--;
    return n;
}

/* The ticks between stamp number `last` and one of those ahead of it. */
static uint64_t ticks_before(const struct native_ranked_stamp *ranked, uint32_t last)
{
    uint32_t first = last;
    for (uint32_t i = 0; i < NATIVE_JUMP_SLOTS && last_kept(ranked, first - 1u) > 0; i++)
        first = last_kept(ranked, first - 1u);
    return ranked[last - 1u].stamp - ranked[first - 1u].stamp;
}

/* At the end of a lane: drop slots that are too far away from the ones ahead, and a last one that jumps. */
static void drop_ends(const struct native_lap_times *times, uint32_t n, const struct native_following *following)
{
    struct native_ranked_stamp *ranked = times->loader->ranked;
    uint32_t last = last_kept(ranked, n), end = last;
    while (following->n == 0 && last > 0) {
        uint32_t ahead = last_kept(ranked, last - 1u);
        uint64_t before = ahead > 0 ? ranked[ahead - 1u].stamp : times->span.from, stamp = ranked[last - 1u].stamp;
        bool away = stamp - before >= AWAY_MAX && (ahead > 0 || before > 0);
        bool jumps = last == end && ahead > 0 && native_is_jump(before, stamp, ticks_before(ranked, ahead))
                     && !is_supported(times, ranked[last - 1u].slot, before);
        if (!away && !jumps)
            break;
        drop(times, &ranked[last - 1u]);
        last = ahead;
    }
}

/* Set base_stamp: that of the first event, if it is a traceevent. */
static void set_base_stamp(const struct native_lap_times *times, uint32_t n)
{
    const struct native_ranked_stamp *ranked = times->loader->ranked;
    times->lap->base_stamp = times->span.from;
    for (uint32_t i = 0; i < n; i++) {
        if (!ranked[i].keep)
            continue;
        if (native_times_state(times, ranked[i].slot) == NATIVE_TRACEEVENT)
            times->lap->base_stamp = ranked[i].stamp;
        break;
    }
}

/* Put the lap's last stamps into its trail. */
static void remember_stamps(const struct native_lap_times *times, uint32_t n)
{
    const struct native_ranked_stamp *ranked = times->loader->ranked;
    uint32_t last = n, left = NATIVE_TRAIL;
    while (last > 0 && left > 0)
        left -= ranked[--last].keep;
    for (; last < n; last++) {
        if (ranked[last].keep)
            native_trail_add(&times->lap->trail, ranked[last].stamp);
    }
}

void native_lap_times_settle(const struct native_lap_times *times)
{
    struct native_ranked_stamp *ranked = times->loader->ranked;
    struct native_following following;
    uint32_t n;
    native_unseen_wraps_add(times->loader, times->lap, times->anchors, times->behind, times->span, times->proven);
    following = native_following_read(times);
    settle_whole(times, &following);
    n = collect_all(times, &following);
    rank_with_following(times, n, &following);
    for (uint32_t i = 0; i < n; i++) {
        end_doubt(times, ranked[i].slot);
        if (ranked[i].keep && ranked[i].stamp >= times->span.from)
            continue;
        drop(times, &ranked[i]);
    }
    if (!times->proven)
        drop_ends(times, n, &following);
    set_base_stamp(times, n);
    remember_stamps(times, n);
    native_unseen_wraps_mark(times->loader, times->lap,
                             (struct native_settled){times->span.from, n, following.n, following.wraps});
}
