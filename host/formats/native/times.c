/* times.c - which times of a lap are believed: see times.h.
 *
 * Records and CONTROL TIME slots tell a whole stamp, all other slots only its low word. Slot order is time order: so of
 * the whole stamps those are believed that are in every longest sequence in order, to which the first ones of the lap
 * behind belong. A seal's word for that lap is final. At an end of the lane, where a slot has a neighbour on one side
 * only, it is not believed if it is further away from that one than any clock runs between two events.
 *
 * Between two stamps that are believed the low words tell the rest. Where they step back once and stay back, the clock
 * has wrapped; a single slot that is out of order is damaged.
 */
#include "formats/native/times.h"

#include "formats/native/order.h"

#include <string.h>

#define REASON     ((uint64_t)1 << 40) /* ticks that one slot alone may be away from the next one */
#define SLOTS_READ 64u                 /* of the lap behind */

#define MISFIT "its time does not fit those around it"

/* ---- slots ------------------------------------------------------------------------------------------------------- */

static enum native_state state_of(const struct native_times *times, uint32_t slot)
{
    return (enum native_state)times->lap->state[slot - 1u];
}

static bool is_time(const struct native_times *times, uint32_t slot)
{
    const unsigned char *at = native_lap_slot(times->lap, slot);
    return state_of(times, slot) == NATIVE_TRACEEVENT && native_is_control(at, TLOG_CONTROL_TIME);
}

/* The step ahead of a slot that tells the low word only, or NULL. */
static const struct native_step *step_at(const struct native_times *times, uint32_t slot)
{
    for (uint32_t i = 0; i < times->lap->steps; i++) {
        if (times->lap->step[i].slot == slot && state_of(times, slot) == NATIVE_TRACEEVENT && !is_time(times, slot))
            return &times->lap->step[i];
    }
    return NULL;
}

/* Whether a slot tells a whole stamp, which is then *stamp. */
static bool tells_all(const struct native_times *times, uint32_t slot, uint64_t *stamp)
{
    const unsigned char *at = native_lap_slot(times->lap, slot);
    const struct native_step *step = step_at(times, slot);
    bool record = state_of(times, slot) == NATIVE_RECORD;
    *stamp = record ? native_stamp(at) : step != NULL ? step->stamp : native_told_stamp(at);
    return record || step != NULL || is_time(times, slot);
}

/* Whether a slot tells a low word only. */
static bool tells_low(const struct native_times *times, uint32_t slot)
{
    return state_of(times, slot) == NATIVE_TRACEEVENT && !is_time(times, slot) && step_at(times, slot) == NULL;
}

static void damage(const struct native_times *times, uint32_t slot, const char *why)
{
    times->lap->state[slot - 1u] = NATIVE_DAMAGED;
    trace_damage(times->loader->trace, native_damage_offset(times->image, native_slot_offset(slot)),
                 native_damage_length(times->image, TLOG_SLOT_BYTES), 0, "a slot is damaged: %s", why);
}

/* ---- the lap behind ---------------------------------------------------------------------------------------------- */

/* The last of the slots from `first` on that are looked at, of a part. */
static uint32_t last_read(const struct native_times *times, uint32_t first)
{
    uint32_t last = native_part_last(times->loader->index, times->behind);
    return last - first < SLOTS_READ ? last : first + SLOTS_READ - 1u;
}

/* Whether a slot of the lap behind, which is loaded, tells a whole stamp, and its seal does not contradict. */
static bool is_voice(const struct native_times *times, const struct native_image *image, uint32_t slot, uint64_t *stamp)
{
    const struct native_view *view = &times->loader->other;
    const unsigned char *at = native_view_slot(view, slot);
    bool time = native_is_control(at, TLOG_CONTROL_TIME);
    if (native_slot_tag(at) != native_tag(times->behind->lap) || !native_has_slot(image, slot)
        || slot == image->displaced.torn_slot || (!time && !native_is_record(at)))
        return false;
    if (image->sealed && native_view_group_difference(view, image, native_group_of(image->layout, slot)) != 0)
        return false;
    *stamp = (time ? native_told_stamp(at) : native_stamp_in(image, at)) + times->lap->trail.wraps * NATIVE_WRAP;
    return true;
}

/* Load slots of a part into the loader's other view, with all of their groups, and the seal. */
static void load_behind(const struct native_times *times, const struct native_image *image, uint32_t first,
                        uint32_t last)
{
    struct native_view *view = &times->loader->other;
    size_t end = native_group_of(image->layout, last);
    size_t from = native_group_offset(image->layout, native_group_of(image->layout, first));
    native_view_load(view, image, from,
                     native_group_offset(image->layout, end) + native_group_size(image->layout, end) - from);
    if (image->sealed)
        native_view_load(view, image, native_seal_offset(image->layout), native_seal_size(image->layout));
}

/* The first whole stamps of the lap behind. */
struct voices {
    uint64_t stamp[NATIVE_VOICES];
    uint32_t n;
    uint64_t limit; /* the first of them that a seal speaks for, or the last stamp there can be */
    bool begins;    /* the first of them is a CONTROL TIME */
};

/* Where the lap behind steps back by less than half a wrap, a wrap was not seen between the laps, if seals speak for
 * both. */
static void unwrap_voices(const struct native_times *times, struct voices *voices)
{
    struct native_trail trail = {{0}, 0, 0};
    uint64_t stamp, latest;
    for (uint32_t i = times->lap->last; i >= times->lap->first && trail.n < NATIVE_TRAIL; i--) {
        if (tells_all(times, i, &stamp))
            native_trail_add(&trail, stamp);
    }
    latest = native_trail_second(&trail);
    for (uint32_t i = 0; i < 2u; i++) {
        if (!times->proven || voices->limit == INT64_MAX || voices->n < 2u || voices->stamp[i] >= latest
            || latest - voices->stamp[i] >= NATIVE_WRAP / 2u)
            return;
    }
    for (uint32_t i = 0; i < voices->n; i++)
        voices->stamp[i] += NATIVE_WRAP;
    voices->limit += NATIVE_WRAP;
}

static struct voices hear_behind(const struct native_times *times)
{
    struct voices voices = {{0}, 0, INT64_MAX, false};
    const struct native_image *image;
    uint32_t first, last;
    if (times->behind == NULL)
        return voices;
    image = &times->loader->index->images[times->behind->image];
    if (native_view_fit(&times->loader->other, image) != 0)
        return voices;
    first = native_part_first(times->loader->index, times->behind);
    last = last_read(times, first);
    load_behind(times, image, first, last);
    for (uint32_t slot = first; slot <= last && voices.n < NATIVE_VOICES; slot++) {
        if (!is_voice(times, image, slot, &voices.stamp[voices.n]))
            continue;
        if (image->sealed && voices.n > 0 && voices.stamp[voices.n] < voices.stamp[voices.n - 1u])
            break; /* a wrap was not seen there: these do not tell when this lap was */
        if (image->sealed && voices.n == 0)
            voices.limit = voices.stamp[0];
        voices.begins =
            voices.begins
            || (voices.n == 0 && native_is_control(native_view_slot(&times->loader->other, slot), TLOG_CONTROL_TIME));
        voices.n++;
    }
    unwrap_voices(times, &voices);
    return voices;
}

/* ---- sequences in order ------------------------------------------------------------------------------------------ */

/* Add the voices to n stamps, and find out which of these fit. */
static void weigh(const struct native_times *times, uint32_t n, const struct voices *voices)
{
    struct native_order *order = times->loader->order;
    for (uint32_t i = 0; i < voices->n; i++)
        order[n + i] = (struct native_order){.slot = 0, .stamp = voices->stamp[i]};
    native_order_records(order, n + voices->n);
}

/* Collect the whole stamps that can be; the other records are damaged. */
static uint32_t collect_whole(const struct native_times *times, const struct voices *voices)
{
    uint32_t n = 0;
    uint64_t stamp;
    for (uint32_t i = times->lap->first; i <= times->lap->last; i++) {
        if (!tells_all(times, i, &stamp))
            continue;
        if (stamp >= times->from && stamp <= voices->limit)
            times->loader->order[n++] = (struct native_order){.slot = i, .stamp = stamp};
        else if (stamp > voices->limit || !is_time(times, i))
            damage(times, i, "its time is not within that of its lap");
    }
    return n;
}

/* How many stamps are in the longest sequence that the i-th one is in. */
static uint32_t reach(const struct native_order *order, uint32_t i)
{
    return order[i].before + order[i].after - 1u;
}

/* A CONTROL TIME that begins the lap behind, and tells less than the last of n stamps of this one, says nothing if what
 * follows it is later. */
static void hush(const struct native_times *times, uint32_t n, struct voices *voices)
{
    uint64_t last = n > 0 ? times->loader->order[n - 1u].stamp : 0;
    if (!voices->begins || voices->n < 2u || voices->limit != INT64_MAX || voices->stamp[0] >= last
        || voices->stamp[1] < last)
        return;
    voices->n--;
    memmove(voices->stamp, voices->stamp + 1, voices->n * sizeof *voices->stamp);
}

/* Decide about the whole stamps by themselves. Those that contradict each other are in doubt: then the low words of
 * the slots around them decide. A CONTROL TIME slot that tells less than the events before it is not damaged: a wrap
 * was not seen, and its low word is right. */
static void settle_whole(const struct native_times *times, struct voices *voices)
{
    struct native_order *order = times->loader->order;
    uint32_t n = collect_whole(times, voices), longest = 0;
    uint64_t before = times->from;
    hush(times, n, voices);
    weigh(times, n, voices);
    for (uint32_t i = 0; i < n + voices->n; i++)
        longest = reach(order, i) > longest ? reach(order, i) : longest;
    for (uint32_t i = 0; i < n; i++) {
        if (order[i].keep)
            before = order[i].stamp;
        else if (reach(order, i) == longest)
            times->lap->state[order[i].slot - 1u] = NATIVE_DOUBTED;
        else if (order[i].stamp >= before || !is_time(times, order[i].slot))
            damage(times, order[i].slot, MISFIT);
    }
}

/* ---- low words --------------------------------------------------------------------------------------------------- */

/* A walk over a lap's slots, on which the low words become stamps. */
struct walk {
    const struct native_times *times;
    struct native_trail trail; /* the last stamps, and what wraps have been added since the last whole one */
    uint64_t base, wraps;      /* that whole stamp; ticks */
    uint64_t next;             /* the next whole stamp, if it is less than a wrap behind the base; else 0 */
    bool has_base;             /* base is of this lap */
    uint32_t n;                /* stamps in loader->order */
};

static void walk_add(struct walk *walk, uint32_t slot, uint64_t stamp)
{
    walk->times->loader->order[walk->n++] = (struct native_order){.slot = slot, .stamp = stamp};
    native_trail_add(&walk->trail, stamp);
}

/* The stamp that a low word tells. Where the clock wraps the firmware has a CONTROL TIME slot: so it is of the same
 * wrap as the last whole stamp. If that is of an earlier lap, or the next whole one is near, it is the first stamp with
 * this low word that is not before. */
static uint64_t walk_stamp(const struct walk *walk, uint32_t low)
{
    uint64_t behind = native_stamp_from(walk->base, low);
    if (!walk->has_base || behind <= walk->next)
        return behind + walk->wraps;
    return ((walk->base & ~(uint64_t)UINT32_MAX) | low) + walk->wraps;
}

/* The next slot behind one that tells a low word, of the same event or another; 0: a whole stamp comes first. */
static uint32_t next_low(const struct native_times *times, uint32_t slot)
{
    uint64_t stamp;
    for (uint32_t i = slot + 1u; i <= times->lap->last && !tells_all(times, i, &stamp); i++) {
        if (tells_low(times, i) && native_lap_combined(times->lap, i) > 0)
            return i;
    }
    return 0;
}

/* The next whole stamp from a slot on, or the one that the lap behind has; UNKNOWN: none. CONTROL TIME slots that tell
 * less than `least` do not count. */
static uint64_t next_whole(const struct native_times *times, uint32_t slot, uint64_t least, const struct voices *voices)
{
    uint64_t stamp;
    for (; slot <= times->lap->last; slot++) {
        if (tells_all(times, slot, &stamp) && (stamp >= least || !is_time(times, slot)))
            return stamp;
    }
    return voices->n > 0 ? voices->stamp[0] : NATIVE_STAMP_UNKNOWN;
}

/* Whether the clock has wrapped ahead of a slot: it and the next one are before two of the last ones. It alone is
 * enough if a seal speaks for it, or if a whole stamp comes next and is behind that wrap. */
static bool has_wrapped(const struct walk *walk, uint32_t slot, const struct voices *voices)
{
    const struct native_times *times = walk->times;
    uint64_t latest = native_trail_least(&walk->trail), whole;
    uint64_t stamp = walk_stamp(walk, native_low_stamp(native_lap_slot(times->lap, slot)));
    uint32_t next = next_low(times, slot);
    if (times->proven)
        return true;
    if (next != 0)
        return stamp < latest && walk_stamp(walk, native_low_stamp(native_lap_slot(times->lap, next))) < latest;
    whole = next_whole(times, slot + 1u, walk->trail.stamp[0], voices);
    return whole != NATIVE_STAMP_UNKNOWN && whole >= stamp + NATIVE_WRAP;
}

static void walk_low(struct walk *walk, uint32_t slot, const struct voices *voices)
{
    uint32_t low = native_low_stamp(native_lap_slot(walk->times->lap, slot));
    if (walk->next == 0 && walk->trail.n > 0 && walk_stamp(walk, low) < walk->trail.stamp[0]
        && has_wrapped(walk, slot, voices))
        walk->wraps += NATIVE_WRAP;
    walk_add(walk, slot, walk_stamp(walk, low));
}

/* Whether a record takes the clock on by a wrap or more, and no whole stamp behind it says so, too: ahead of a
 * traceevent the firmware has a CONTROL TIME slot there. */
static bool is_alone(const struct walk *walk, uint32_t slot, uint64_t stamp, const struct voices *voices)
{
    const struct native_times *times = walk->times;
    return !times->proven && !is_time(times, slot) && walk->trail.n > 0 && stamp - walk->trail.stamp[0] >= NATIVE_WRAP
           && next_low(times, slot) != 0 && next_whole(times, slot + 1u, 0, voices) == NATIVE_STAMP_UNKNOWN;
}

static void set_base(struct walk *walk, uint32_t slot, uint64_t stamp, const struct voices *voices)
{
    uint64_t next = next_whole(walk->times, slot + 1u, stamp, voices);
    walk->base = stamp;
    walk->has_base = true;
    walk->wraps = 0;
    walk->next = next > stamp && next - stamp < NATIVE_WRAP ? next : 0;
}

static void walk_whole(struct walk *walk, uint32_t slot, uint64_t stamp, const struct voices *voices)
{
    if (is_time(walk->times, slot) && (stamp < native_trail_second(&walk->trail) || stamp < walk->times->from)) {
        walk_low(walk, slot, voices);
        return;
    }
    if (is_alone(walk, slot, stamp, voices)) {
        damage(walk->times, slot, MISFIT);
        return;
    }
    set_base(walk, slot, stamp, voices);
    walk_add(walk, slot, stamp);
}

/* Slots ahead of the lap's first whole stamp: their stamps are counted back from it. Returns that slot. */
static uint32_t walk_back(struct walk *walk)
{
    const struct native_times *times = walk->times;
    uint32_t end = times->lap->first, n;
    uint64_t whole = 0;
    while (end <= times->lap->last && !(tells_all(times, end, &whole) && whole >= times->from))
        end++;
    if (end > times->lap->last)
        return times->lap->first;
    for (uint32_t i = times->lap->first; i < end; i += n) {
        n = tells_low(times, i) || is_time(times, i) ? native_lap_combined(times->lap, i) : 1u;
        if (state_of(times, i) == NATIVE_TRACEEVENT && n > 0)
            walk_add(walk, i, native_stamp_until(whole, native_low_stamp(native_lap_slot(times->lap, i))));
        n = n > 0 ? n : 1u;
    }
    return end;
}

/* The stamp that a slot in doubt tells. */
static uint64_t doubted_stamp(const struct native_times *times, uint32_t slot)
{
    const unsigned char *at = native_lap_slot(times->lap, slot);
    return native_is_traceevent(native_head(at)) ? native_told_stamp(at) : native_stamp(at);
}

/* A whole stamp, or several slots of an event whose first one has a step. */
static uint32_t slots_at(const struct native_times *times, uint32_t slot)
{
    uint32_t n = step_at(times, slot) != NULL ? native_lap_combined(times->lap, slot) : 1u;
    return n > 0 ? n : 1u;
}

/* Make all slots of the lap stamps. */
static uint32_t collect_all(const struct native_times *times, const struct voices *voices)
{
    struct walk walk = {.times = times, .base = times->from};
    uint64_t stamp;
    uint32_t n;
    for (uint32_t i = walk_back(&walk); i <= times->lap->last; i += n) {
        n = 1;
        if (state_of(times, i) == NATIVE_DOUBTED) {
            times->loader->order[walk.n++] = (struct native_order){.slot = i, .stamp = doubted_stamp(times, i)};
        } else if (tells_all(times, i, &stamp)) {
            walk_whole(&walk, i, stamp, voices);
            n = slots_at(times, i);
        } else if (tells_low(times, i) && native_lap_combined(times->lap, i) > 0) {
            walk_low(&walk, i, voices);
            n = native_lap_combined(times->lap, i);
        }
    }
    return walk.n;
}

/* ---- all slots --------------------------------------------------------------------------------------------------- */

/* The further slots of a combine event whose first one is damaged. */
static void leave_rest(const struct native_times *times, uint32_t slot)
{
    uint32_t n = native_lap_combined(times->lap, slot);
    for (uint32_t i = 1; i < n; i++)
        times->lap->state[slot + i - 1u] = NATIVE_REST;
}

/* A slot is again what it is by its bits. */
static void end_doubt(const struct native_times *times, uint32_t slot)
{
    bool event = native_is_traceevent(native_head(native_lap_slot(times->lap, slot)));
    if (state_of(times, slot) == NATIVE_DOUBTED)
        times->lap->state[slot - 1u] = event ? NATIVE_TRACEEVENT : NATIVE_RECORD;
}

static void drop(const struct native_times *times, struct native_order *order)
{
    if (state_of(times, order->slot) == NATIVE_TRACEEVENT)
        leave_rest(times, order->slot);
    damage(times, order->slot, MISFIT);
    order->keep = false;
}

/* At an end of the lane: leave out slots that are beyond reason away from the next one. */
static void drop_ends(const struct native_times *times, uint32_t n, const struct voices *voices)
{
    struct native_order *order = times->loader->order;
    uint32_t last = n;
    while (voices->n == 0 && last > 0) {
        uint32_t at = last - 1u, ahead = at;
        while (at > 0 && !order[at].keep)
            at--;
        ahead = at;
        while (ahead > 0 && !order[ahead - 1u].keep)
            ahead--;
        if (!order[at].keep || order[at].stamp - (ahead > 0 ? order[ahead - 1u].stamp : times->from) < REASON)
            break;
        drop(times, &order[at]);
        last = at;
    }
}

/* Set lead: what stamps are counted from at the beginning of the lap. */
static void set_lead(const struct native_times *times, uint32_t n)
{
    const struct native_order *order = times->loader->order;
    times->lap->lead = times->from;
    for (uint32_t i = 0; i < n; i++) {
        if (!order[i].keep)
            continue;
        if (state_of(times, order[i].slot) == NATIVE_TRACEEVENT)
            times->lap->lead = order[i].stamp;
        break;
    }
}

/* The lap's last stamps are the trail's. */
static void follow(const struct native_times *times, uint32_t n)
{
    const struct native_order *order = times->loader->order;
    uint32_t last = n, left = NATIVE_TRAIL;
    while (last > 0 && left > 0)
        left -= order[--last].keep;
    for (; last < n; last++) {
        if (order[last].keep)
            native_trail_add(&times->lap->trail, order[last].stamp);
    }
}

void native_times_settle(const struct native_times *times)
{
    struct voices voices = hear_behind(times);
    struct native_order *order = times->loader->order;
    uint32_t n;
    settle_whole(times, &voices);
    n = collect_all(times, &voices);
    weigh(times, n, &voices);
    for (uint32_t i = 0; i < n; i++) {
        end_doubt(times, order[i].slot);
        if (order[i].keep && order[i].stamp >= times->from)
            continue;
        drop(times, &order[i]);
    }
    if (!times->proven)
        drop_ends(times, n, &voices);
    set_lead(times, n);
    follow(times, n);
}
