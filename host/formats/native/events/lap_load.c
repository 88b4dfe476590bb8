/* lap_load.c - which slots of a lap are events: see lap.h.
 *
 * Nearly always one image shows the whole lap, and nothing is wrong with it. Then there are two things to do: check the
 * CRCs of its groups, if there is a seal, and native_lap_check().
 *
 * Else each slot gets a state by its own bits; slots that are no events are taken from other images; combine events
 * must have all their slots; and the times must be in order, see lap_times.h.
 */
#include "base/heap.h"
#include "formats/native/chunks/lap.h"

#include "formats/native/time/lap_times.h"
#include "formats/native/time/lone_jump.h"
#include "formats/native/time/set_back.h"
#include "formats/native/time/unseen_wraps.h"

#include <inttypes.h>
#include <string.h>

#define SLOTS_NEAR 64u /* on each side of a slot, of which one is an event */

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Have room for one entry of `size` bytes for each slot, where there is room for *room entries. Returns where the
 * entries are now, or NULL after trace_fail(). */
static void *reserve(struct trace *trace, void *entries, size_t *room, size_t slots, size_t size)
{
    if (slots <= *room)
        return entries;
    entries = heap_realloc(entries, slots * size);
    if (entries == NULL)
        trace_fail(trace, "%s: no memory for %zu slots", trace->input_name, slots);
    else
        *room = slots;
    return entries;
}

static int reserve_state(struct trace *trace, unsigned char **state, size_t *room, size_t slots)
{
    unsigned char *bigger = reserve(trace, *state, room, slots, sizeof **state);
    if (bigger == NULL)
        return -1;
    *state = bigger;
    return 0;
}

static int reserve_contexts(struct trace *trace, struct native_lap *lap, size_t slots)
{
    uint16_t *bigger;
    if (!lap->has_contexts)
        return 0;
    bigger = reserve(trace, lap->contexts, &lap->contexts_room, slots, sizeof *bigger);
    if (bigger == NULL)
        return -1;
    lap->contexts = bigger;
    return 0;
}

static int reserve_ranked(struct native_loader *loader, size_t slots)
{
    struct native_ranked_stamp *bigger =
        reserve(loader->trace, loader->ranked, &loader->ranked_room, slots, sizeof *bigger);
    if (bigger == NULL)
        return -1;
    loader->ranked = bigger;
    return 0;
}

static int reserve_counted(struct native_loader *loader, size_t slots)
{
    struct native_counted_stamp *bigger =
        reserve(loader->trace, loader->counted, &loader->counted_room, slots, sizeof *bigger);
    if (bigger == NULL)
        return -1;
    loader->counted = bigger;
    return 0;
}

/* ---- contexts ---------------------------------------------------------------------------------------------------- */

/* Take the context out of the high word of a slot in view, so that the wraps stand where records without contexts have
 * them. Traceevents have no context. */
static void take_context(struct native_lap *lap, const struct native_image *image, uint32_t index)
{
    unsigned char *slot = lap->view.bytes + native_slot_offset(index);
    uint32_t high = get_le32(slot + NATIVE_HIGH), wraps = (high & ~TLOG_HIGH_MIRROR) >> TLOG_CONTEXT_BITS;
    uint32_t context = high & TLOG_CONTEXT_MASK;
    bool is_mode = (image->place & TLOG_CONTEXT_KIND) == TLOG_CONTEXT_MODE;
    lap->contexts[index - 1u] = 0;
    if (native_is_traceevent(native_head(slot)))
        return;
    lap->contexts[index - 1u] = (uint16_t)(is_mode ? TRACE_CONTEXT_MODE | (context & 31u) : context);
    put_le32(slot + NATIVE_HIGH, (high & TLOG_HIGH_MIRROR) | wraps);
}

/* Take the contexts out of slots first to last, which are in view as they were in the image. */
static void take_contexts(struct native_lap *lap, const struct native_image *image, uint32_t first, uint32_t last)
{
    if (!lap->has_contexts)
        return;
    native_view_will_change(&lap->view);
    for (uint32_t i = first; i <= last && native_has_slot(image, i); i++)
        take_context(lap, image, i);
}

/* ---- one image's part of a lap ----------------------------------------------------------------------------------- */

/* A part of a lap that is loaded and judged: slots first to last, from one image. */
struct loaded_part {
    const struct native_image *image;
    const struct native_view *view;
    unsigned char *state; /* of each slot, from slot 1 on */
    struct native_claims claims;
    uint64_t lap;
    uint32_t first, last;
};

static struct loaded_part prepare_part(const struct native_index *index, const struct native_part *part,
                                       const struct native_view *view, unsigned char *state)
{
    return (struct loaded_part){.image = &index->images[part->image],
                                .view = view,
                                .state = state,
                                .lap = part->lap,
                                .first = native_part_first(index, part),
                                .last = native_part_available(index, part)};
}

/* What a slot is by its own bytes. Emergency slots are never claimed. */
static enum native_state judge_slot(const unsigned char *slot, uint64_t lap, bool may_be_claimed)
{
    uint32_t head = native_head(slot);
    uint32_t tag = head & TLOG_TAG_MASK;
    if (tag == native_tag(lap)) {
        if (!native_is_traceevent(head))
            return native_is_record(slot) ? NATIVE_RECORD : NATIVE_DAMAGED;
        return head & NATIVE_TRACEEVENT_ZERO ? NATIVE_DAMAGED : NATIVE_TRACEEVENT;
    }
    if (tag == TLOG_TAG_MASK && may_be_claimed)
        return NATIVE_CLAIMED;
    return tag == native_tag_before(lap) ? NATIVE_UNFINISHED : NATIVE_DAMAGED;
}

/* Whether a slot was emptied: it is the one at the cursor, in a later lap than the first, and its owner of the lap
 * before does not come, or came late. */
static bool is_emptied(const struct loaded_part *loaded, uint32_t index)
{
    return index == loaded->image->used + 1u && index <= loaded->image->layout.slots
           && loaded->lap + 1u == loaded->image->lap
           && native_head(native_view_slot(loaded->view, index)) == native_tag(loaded->lap);
}

/* Whether a slot is a traceevent that firmware does not write that is not built to log traceevents. */
static bool is_strange(const unsigned char *slot)
{
    return native_is_traceevent(native_head(slot)) && !native_is_no_event(slot)
           && !native_is_control(slot, TLOG_CONTROL_TRIGGER) && !native_is_control(slot, TLOG_CONTROL_FAULT);
}

/* What a slot of the part is, unless the seal has shown that it is damaged. */
static enum native_state judge(const struct loaded_part *loaded, uint32_t index)
{
    bool is_normal = index <= loaded->image->layout.slots;
    if (native_is_torn(loaded->image, index))
        return NATIVE_DAMAGED;
    if (is_normal && native_claims_have(&loaded->claims, index))
        return NATIVE_CLAIMED;
    if (!native_has_slot(loaded->image, index))
        return NATIVE_DAMAGED;
    if (loaded->image->partial && native_is_unread(native_view_slot(loaded->view, index)))
        return NATIVE_ABSENT;
    if (loaded->image->partial && native_has_head_alone(native_view_slot(loaded->view, index), NATIVE_HEAD_NOTHING))
        return NATIVE_FRAGMENT;
    if (is_emptied(loaded, index))
        return NATIVE_CLAIMED;
    if (!is_normal && loaded->image->records_only && is_strange(native_view_slot(loaded->view, index)))
        return NATIVE_DAMAGED;
    return judge_slot(native_view_slot(loaded->view, index), loaded->lap, is_normal);
}

/* Whether there is a slot behind the part that is formatted: it is of the lap before. */
static bool has_behind(const struct loaded_part *loaded)
{
    const struct native_image *image = loaded->image;
    return !image->sealed && image->lap > 1u && loaded->last < image->layout.slots
           && native_has_slot(image, loaded->last + 1u);
}

/* Whether a slot was wiped: its head is 0. The ones ahead of the part and behind it are loaded, too. */
static bool is_wiped(const struct loaded_part *loaded, uint32_t index)
{
    return index > 0 && index <= loaded->last + has_behind(loaded) && native_has_slot(loaded->image, index)
           && native_head(native_view_slot(loaded->view, index)) == 0;
}

/* Whether what wiped the slot behind or ahead of a slot may have reached it: it ends in 0, or it begins with 0. */
static bool is_beside_wiped(const struct loaded_part *loaded, uint32_t index)
{
    const unsigned char *slot = native_view_slot(loaded->view, index);
    bool behind = slot[TLOG_SLOT_BYTES - 1u] == 0 && is_wiped(loaded, index + 1u) && slot[TLOG_SLOT_BYTES] == 0;
    return !loaded->image->sealed && (behind || (slot[0] == 0 && is_wiped(loaded, index - 1u)));
}

/* Whether a slot is earlier than the one ahead of it, and both are events. */
static bool steps_back(const struct loaded_part *loaded, uint32_t index)
{
    return index > loaded->first && loaded->state[index - 1u] <= NATIVE_TRACEEVENT
           && loaded->state[index - 2u] <= NATIVE_TRACEEVENT
           && (int32_t)(native_low_stamp(native_view_slot(loaded->view, index))
                        - native_low_stamp(native_view_slot(loaded->view, index - 1u)))
                  < 0;
}

/* Nothing shows where the emergency slots end, so bytes may have been lost from them, or have come in, ahead of the
 * first one that is damaged or out of order. It and all behind it are not relied on, nor is the one ahead, where that
 * may have been. */
static void judge_emergency(const struct loaded_part *loaded, struct trace *trace)
{
    uint32_t wrong = loaded->first;
    if (loaded->first <= loaded->image->layout.slots || loaded->image->sealed)
        return;
    while (wrong <= loaded->last && loaded->state[wrong - 1u] != NATIVE_DAMAGED && !steps_back(loaded, wrong))
        wrong++;
    for (uint32_t i = wrong > loaded->first ? wrong - 1u : wrong; wrong <= loaded->last && i <= loaded->last; i++) {
        if (loaded->state[i - 1u] != NATIVE_DAMAGED)
            trace_damage(trace, native_damage_offset(loaded->image, native_slot_offset(i)),
                         native_damage_length(loaded->image, TLOG_SLOT_BYTES), 0,
                         "a slot is damaged: it is not known whether it is in its place");
        loaded->state[i - 1u] = NATIVE_DAMAGED;
    }
}

/* Set the state of each slot, unless the seal has shown that it is damaged. */
static void judge_slots(const struct loaded_part *loaded, struct trace *trace)
{
    for (uint32_t i = loaded->first; i <= loaded->last; i++) {
        unsigned char *state = &loaded->state[i - 1u];
        const char *why = "its bits contradict each other";
        if (*state == NATIVE_DAMAGED)
            continue;
        *state = (unsigned char)judge(loaded, i);
        if (*state <= NATIVE_TRACEEVENT && is_beside_wiped(loaded, i)) {
            *state = NATIVE_DAMAGED;
            why = "what wiped the one beside it may have reached it";
        }
        if (*state == NATIVE_DAMAGED && native_has_slot(loaded->image, i))
            trace_damage(trace, native_damage_offset(loaded->image, native_slot_offset(i)),
                         native_damage_length(loaded->image, TLOG_SLOT_BYTES), 0, "a slot is damaged: %s", why);
    }
    judge_emergency(loaded, trace);
}

/* Damage those of slots first to last that the part has. Returns how many these are. */
static uint32_t damage_slots(const struct loaded_part *loaded, uint32_t first, uint32_t last)
{
    uint32_t n = 0;
    for (uint32_t i = first < loaded->first ? loaded->first : first; i <= last && i <= loaded->last; i++, n++)
        loaded->state[i - 1u] = NATIVE_DAMAGED;
    return n;
}

/* The CRC of a group is wrong in these bits. If a single wrong byte explains that, the slot with that byte is damaged.
 * Otherwise, and always in an image with a break, any slot may be wrong: the whole group is damaged. */
static void damage_group(const struct loaded_part *loaded, size_t group, uint32_t difference, struct trace *trace)
{
    struct native_layout layout = loaded->image->layout;
    size_t offset = native_group_offset(layout, group), size = native_group_size(layout, group);
    struct crc32_error error = crc32_locate(difference, (uint32_t)size);
    uint32_t first = native_group_first(layout, group);
    uint32_t last = first + native_group_slots(layout, group) - 1u;
    uint32_t n;
    if (error.at < size && loaded->image->displaced.by == 0) {
        first += error.at / TLOG_SLOT_BYTES;
        last = first;
        offset = native_slot_offset(first);
        size = TLOG_SLOT_BYTES;
    }
    n = damage_slots(loaded, first, last);
    if (n > 0)
        trace_damage(trace, native_damage_offset(loaded->image, offset), native_damage_length(loaded->image, size), 0,
                     "the check value of %" PRIu32 " slot%s is wrong", last - first + 1u, last == first ? "" : "s");
}

/* Check all groups that have slots of the part against the seal. True: all are right, or there is no current seal to
 * check them against. */
static bool check_groups(const struct loaded_part *loaded, struct trace *trace)
{
    size_t last = native_group_of(loaded->image->layout, loaded->last);
    bool right = true;
    if (!loaded->image->sealed)
        return true;
    for (size_t group = native_group_of(loaded->image->layout, loaded->first); group <= last; group++) {
        uint32_t difference = native_view_group_difference(loaded->view, loaded->image, group);
        if (difference == 0)
            continue;
        right = false;
        damage_group(loaded, group, difference, trace);
    }
    return right;
}

/* Load the part's slots, and check its groups. Returns whether all of them are right. */
static bool load_part(const struct loaded_part *loaded, struct native_view *view)
{
    if (loaded->last < loaded->first)
        return true;
    native_view_load_slots(view, loaded->image, loaded->first, loaded->last);
    if (!loaded->image->sealed && loaded->first > 1u)
        native_view_load(view, loaded->image, native_slot_offset(loaded->first - 1u), TLOG_SLOT_BYTES);
    if (has_behind(loaded))
        native_view_load(view, loaded->image, native_slot_offset(loaded->last + 1u), TLOG_SLOT_BYTES);
    return check_groups(loaded, view->trace);
}

/* Damage the slots of a lap that are cut off an image, unless another image has them. */
static void damage_cut(const struct native_loader *loader, struct native_lap *lap, const struct native_part *part)
{
    uint32_t end = native_part_last(loader->index, part);
    for (uint32_t i = native_part_available(loader->index, part) + 1u; i <= end && i <= lap->last; i++) {
        if (lap->state[i - 1u] == NATIVE_ABSENT)
            lap->state[i - 1u] = NATIVE_DAMAGED;
    }
}

/* ---- combine events ---------------------------------------------------------------------------------------------- */

/* Whether a slot is a further one of a combine event. */
static bool is_further(const struct native_lap *lap, uint32_t index)
{
    uint32_t structure = native_head(native_lap_slot(lap, index)) >> TLOG_STRUCT_SHIFT;
    return lap->state[index - 1u] == NATIVE_TRACEEVENT && (structure == TLOG_STRUCT_CC || structure == TLOG_STRUCT_CE);
}

/* The state of the first slot of a combine event that lacks slot `behind`. If slot `behind` is itself overwritten,
 * unfinished or damaged, it stands for the whole event, and the first slot is a fragment. */
static enum native_state judge_lacking(const struct native_lap *lap, uint32_t behind)
{
    if (behind > lap->last)
        return lap->last == lap->end && lap->last < lap->slots ? NATIVE_UNFINISHED : NATIVE_DAMAGED;
    return lap->state[behind - 1u] >= NATIVE_UNFINISHED ? NATIVE_FRAGMENT : NATIVE_DAMAGED;
}

/* A combine event that lacks a slot is one missing event: overwritten, unfinished or damaged, as that slot is. The
 * slots of it that are there are fragments. */
static void check_combined(const struct native_lap *lap, const struct native_image *image)
{
    uint32_t n, rest;
    for (uint32_t i = lap->first; i <= lap->last; i += n) {
        bool begun = lap->state[i - 1u] == NATIVE_TRACEEVENT && !is_further(lap, i);
        n = begun ? native_lap_event_slots(lap, i) : 1u;
        if (n > 0 && !is_further(lap, i))
            continue;
        for (rest = i + 1u; rest <= lap->last && is_further(lap, rest);)
            rest++;
        for (uint32_t j = i; j < rest; j++)
            lap->state[j - 1u] = NATIVE_FRAGMENT;
        if (begun)
            lap->state[i - 1u] = (unsigned char)judge_lacking(lap, rest);
        if (lap->state[i - 1u] == NATIVE_DAMAGED)
            trace_damage(lap->view.trace, native_damage_offset(image, native_slot_offset(i)),
                         native_damage_length(image, TLOG_SLOT_BYTES), 0, "an event of several slots lacks one");
        n = rest - i;
    }
}

static bool is_event(const struct native_lap *lap, uint32_t index)
{
    return lap->state[index - 1u] == NATIVE_RECORD || lap->state[index - 1u] == NATIVE_TRACEEVENT;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static bool lacks_slots(const struct native_lap *lap)
{
    for (uint32_t i = lap->first; i <= lap->last; i++) {
        if (!is_event(lap, i) && lap->state[i - 1u] != NATIVE_CLAIMED)
            return true;
    }
    return false;
}

/* Whether an image may show slots in the wrong place: whole slots were lost from it, and it may not be known where. */
static bool is_shifted(const struct native_image *image)
{
    return image->displaced.by < 0 && image->displaced.by % (int32_t)TLOG_SLOT_BYTES == 0;
}

/* Whether a slot is another one than an event of the lap, and not earlier; `ahead`: and not later. */
static bool is_apart(const struct native_lap *lap, uint32_t index, const unsigned char *slot, bool ahead)
{
    const unsigned char *other = native_lap_slot(lap, index);
    uint32_t ticks = native_low_stamp(slot) - native_low_stamp(other);
    return memcmp(slot, other, TLOG_SLOT_BYTES) != 0 && (int32_t)(ahead ? 0u - ticks : ticks) >= 0;
}

/* Whether a slot can stand between the events nearest to a place of the lap. */
static bool lies_between(const struct native_lap *lap, uint32_t index, const unsigned char *slot)
{
    uint32_t before = index - 1u, behind = index + 1u;
    while (before >= lap->first && index - before < SLOTS_NEAR && !is_event(lap, before))
        before--;
    while (behind <= lap->last && behind - index < SLOTS_NEAR && !is_event(lap, behind))
        behind++;
    return (before < lap->first || !is_event(lap, before) || is_apart(lap, before, slot, false))
           && (behind > lap->last || !is_event(lap, behind) || is_apart(lap, behind, slot, true));
}

/* Take those slots from another image of the lap that are events only there. */
static int fill_in(struct native_loader *loader, struct native_lap *lap, const struct native_part *part, bool shifted)
{
    const struct native_image *image = &loader->index->images[part->image];
    struct loaded_part loaded;
    if (native_view_reserve(&loader->other, image) != 0
        || reserve_state(loader->trace, &loader->other_state, &loader->other_room, native_last_slot(image->layout))
               != 0)
        return -1;
    loaded = prepare_part(loader->index, part, &loader->other, loader->other_state);
    loaded.claims = native_claims_load(&loader->other, image);
    memset(loaded.state, NATIVE_ABSENT, loaded.last);
    load_part(&loaded, &loader->other);
    judge_slots(&loaded, loader->trace);
    native_view_will_change(&lap->view);
    for (uint32_t i = loaded.first; i <= loaded.last && i <= lap->last; i++) {
        if (i < lap->first || is_event(lap, i) || lap->state[i - 1u] == NATIVE_CLAIMED)
            continue;
        if (lap->state[i - 1u] != NATIVE_ABSENT && loaded.state[i - 1u] >= NATIVE_UNFINISHED)
            continue;
        if ((shifted || is_shifted(image)) && !lies_between(lap, i, native_view_slot(loaded.view, i)))
            loaded.state[i - 1u] = NATIVE_DAMAGED;
        lap->state[i - 1u] = loaded.state[i - 1u];
        memcpy(lap->view.bytes + native_slot_offset(i), native_view_slot(loaded.view, i), TLOG_SLOT_BYTES);
        take_contexts(lap, image, i, i);
    }
    damage_cut(loader, lap, part);
    return 0;
}

/* ---- the lap ----------------------------------------------------------------------------------------------------- */

/* Make a COARSE slot in view, which is believed, a CONTROL TIME: both tell the wraps that the firmware has counted. */
static void make_time(struct native_lap *lap, uint32_t index)
{
    unsigned char *slot = lap->view.bytes + native_slot_offset(index);
    uint32_t event = TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_COARSE ^ TLOG_CONTROL_TIME);
    native_view_will_change(&lap->view);
    put_le32(slot + NATIVE_DATA, (uint32_t)(native_coarse_stamp(slot) >> 32));
    put_le32(slot + NATIVE_HEAD, native_head(slot) ^ (event & ~TLOG_CLASS_MASK));
}

/* Only from here on COARSE slots are believed or not. */
static void settle_coarse(struct native_lap *lap, const struct native_image *image,
                          const struct native_anchors *anchors)
{
    for (uint32_t i = lap->first; i <= lap->last; i++) {
        const unsigned char *slot = native_lap_slot(lap, i);
        if (lap->state[i - 1u] != NATIVE_TRACEEVENT || !native_is_control(slot, TLOG_CONTROL_COARSE))
            continue;
        if (native_anchors_believe(anchors, image, i, slot))
            make_time(lap, i);
        else
            lap->state[i - 1u] = NATIVE_SILENT;
    }
}

/* Go on with a lap that is not clean, or is spread over several images. The states of the first part's slots are
 * set. */
static int load_carefully(struct native_loader *loader, struct native_lap *lap, const struct native_part *parts,
                          size_t n, const struct native_part *behind, const struct native_anchors *anchors,
                          struct native_span span)
{
    const struct native_image *image = &loader->index->images[parts->image];
    struct native_lap_times times = {loader, lap, image, anchors, behind, span, image->sealed};
    for (size_t i = 1; i < n && lacks_slots(lap); i++) {
        if (fill_in(loader, lap, &parts[i], is_shifted(image)) != 0)
            return -1;
        times.proven = times.proven && loader->index->images[parts[i].image].sealed;
    }
    check_combined(lap, image);
    settle_coarse(lap, image, anchors);
    if (reserve_ranked(loader, lap->last + NATIVE_FOLLOWING) != 0
        || reserve_counted(loader, lap->last + NATIVE_COUNTED_AROUND) != 0)
        return -1;
    native_set_backs_add(loader, lap, anchors, span, times.proven);
    if (span.next != NATIVE_STAMP_UNKNOWN)
        times.span.next += lap->trail.set_back;
    native_lap_times_settle(&times);
    return loader->trace->failed ? -1 : 0;
}

/* Set which lap it is, and its first and last slot, by all of its parts. A part that is longer than the latest image is
 * of another chunk, and does not count. */
static void find_extent(const struct native_loader *loader, struct native_lap *lap, const struct native_part *parts,
                        size_t n)
{
    const struct native_index *index = loader->index;
    uint32_t slots = native_last_slot(index->images[parts->image].layout);
    lap->first = native_part_first(index, parts);
    lap->last = native_part_available(index, parts);
    lap->end = native_part_last(index, parts);
    for (size_t i = 1; i < n; i++) {
        uint32_t first = native_part_first(index, &parts[i]), last = native_part_available(index, &parts[i]);
        uint32_t end = native_part_last(index, &parts[i]);
        lap->first = first < lap->first ? first : lap->first;
        lap->last = last > lap->last && last <= slots ? last : lap->last;
        lap->end = end > lap->end && end <= slots ? end : lap->end;
    }
    lap->broken = false;
    for (size_t i = 0; i < n; i++)
        lap->broken = lap->broken || index->images[parts[i].image].broken;
    lap->lap = parts->lap;
    lap->slots = index->images[parts->image].layout.slots;
    lap->number = parts->number;
}

/* Have room for the lap's slots, and for the seal of an image that has one. */
static int reserve_lap(const struct native_loader *loader, struct native_lap *lap, const struct native_image *image)
{
    size_t size = native_slot_offset(lap->last + 1u), whole = (size_t)image->size + image->region_size;
    size = image->packed || size < image->available ? image->available : size;
    if (native_view_reserve_bytes(&lap->view, image->packed ? whole : size) != 0
        || reserve_state(loader->trace, &lap->state, &lap->room, lap->last) != 0)
        return -1;
    memset(lap->state, NATIVE_ABSENT, lap->last);
    return reserve_contexts(loader->trace, lap, lap->last);
}

/* Whether no slot of a part was passed or is torn, and none at its ends is beside a wiped one. */
static bool has_events_only(const struct loaded_part *loaded)
{
    return loaded->claims.n == 0 && loaded->image->displaced.torn[0].last == 0
           && !is_beside_wiped(loaded, loaded->first) && !is_beside_wiped(loaded, loaded->last);
}

/* Whether a clean lap, which that part shows, has what may be wrong although all slots are in order. */
static bool is_doubtful(const struct loaded_part *loaded, const struct native_lap *lap,
                        const struct native_part *behind, struct native_span span)
{
    if (loaded->first > loaded->image->layout.slots && loaded->image->records_only && !lap->records)
        return true;
    return behind == NULL && !loaded->image->sealed && native_lap_has_lone_jump(lap, span);
}

int native_lap_load(struct native_loader *loader, struct native_lap *lap, const struct native_part *parts, size_t n,
                    const struct native_part *behind, struct native_span span)
{
    const struct native_image *image = &loader->index->images[parts->image];
    struct native_anchors anchors = native_anchors_of_lap(loader->index, parts);
    struct loaded_part loaded;
    bool whole;
    lap->nunseen = 0;
    lap->has_contexts = native_has_context(image);
    lap->clean = lap->records = false;
    find_extent(loader, lap, parts, n);
    if (lap->last < lap->first) {
        lap->base_stamp = span.from;
        return 0;
    }
    if (reserve_lap(loader, lap, image) != 0)
        return -1;
    loaded = prepare_part(loader->index, parts, &lap->view, lap->state);
    whole = load_part(&loaded, &lap->view) && loaded.first == lap->first && loaded.last == lap->end;
    loaded.claims = native_claims_load(&lap->view, image);
    whole = whole && has_events_only(&loaded);
    take_contexts(lap, image, loaded.first, loaded.last);
    if (whole && lap->trail.wraps == 0 && lap->trail.set_back == 0 && native_anchors_all_counted(&anchors))
        native_lap_check(lap, span);
    if (lap->clean && is_doubtful(&loaded, lap, behind, span))
        lap->clean = lap->records = false;
    if (lap->clean) {
        lap->trail.told = 0;
        lap->trail.counted |= lap->counted;
        native_unseen_wraps_follow(lap);
        return 0;
    }
    judge_slots(&loaded, loader->trace);
    damage_cut(loader, lap, parts);
    return load_carefully(loader, lap, parts, n, behind, &anchors, span);
}
