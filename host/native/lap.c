/* lap.c - which slots of a lap are events: see lap.h.
 *
 * Nearly always one image shows the lap, and nothing is wrong with it: then all there is to do is to check the CRCs
 * of its groups, and what native/clean.c checks. Else each slot gets a state; slots that are no events are taken from
 * other images; and the stamps are put in order by leaving out as few events as possible. An event that is left out
 * is damaged, and so is one that could be left out in its place: a gap is better than an event that may be wrong.
 */
#include "native/lap.h"

#include "native/clean.h"
#include "native/order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* If more events than this are beyond the stamp at which the next lap begins, that stamp is not believed. */
#define BEYOND_MAX 2u

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Have room for one entry of `size` bytes for each slot in what has room for *room of them. Returns where the entries
 * are now, or NULL after trace_fail(). */
static void *fit(struct trace *trace, void *entries, size_t *room, size_t slots, size_t size)
{
    if (slots <= *room)
        return entries;
    entries = realloc(entries, slots * size);
    if (entries == NULL)
        trace_fail(trace, "%s: no memory for %zu slots", trace->input_name, slots);
    else
        *room = slots;
    return entries;
}

static int fit_state(struct trace *trace, unsigned char **state, size_t *room, size_t slots)
{
    unsigned char *bigger = fit(trace, *state, room, slots, sizeof **state);
    if (bigger == NULL)
        return -1;
    *state = bigger;
    return 0;
}

static int fit_contexts(struct trace *trace, struct native_lap *lap, size_t slots)
{
    uint16_t *bigger;
    if (!lap->has_contexts)
        return 0;
    bigger = fit(trace, lap->contexts, &lap->contexts_room, slots, sizeof *bigger);
    if (bigger == NULL)
        return -1;
    lap->contexts = bigger;
    return 0;
}

static int fit_order(struct native_loader *loader, size_t slots)
{
    struct native_order *bigger = fit(loader->trace, loader->order, &loader->order_room, slots, sizeof *bigger);
    if (bigger == NULL)
        return -1;
    loader->order = bigger;
    return 0;
}

void native_lap_free(struct native_lap *lap)
{
    free(lap->view.bytes);
    free(lap->state);
    free(lap->contexts);
}

void native_loader_free(struct native_loader *loader)
{
    free(loader->other.bytes);
    free(loader->other_state);
    free(loader->order);
}

/* ---- contexts ---------------------------------------------------------------------------------------------------- */

/* Take the context out of word 1 of a slot in view, so that the wraps are where all other slots have them. Traceevents
 * have no context. */
static void take_context(struct native_lap *lap, const struct native_image *image, uint32_t index)
{
    unsigned char *slot = lap->view.bytes + native_slot_offset(index);
    uint32_t high = get_le32(slot + NATIVE_WORD_1), wraps = (high & ~TLOG_HIGH_MIRROR) >> TLOG_CONTEXT_BITS;
    uint32_t context = high & TLOG_CONTEXT_MASK;
    bool is_mode = (image->place & TLOG_CONTEXT_KIND) == TLOG_CONTEXT_MODE;
    lap->contexts[index - 1u] = 0;
    if (native_is_traceevent(get_le32(slot)))
        return;
    lap->contexts[index - 1u] = (uint16_t)(is_mode ? TRACE_CONTEXT_MODE | (context & 31u) : context);
    put_le32(slot + NATIVE_WORD_1, (high & TLOG_HIGH_MIRROR) | wraps);
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

/* A part that is being looked at: slots first to last of a lap in one image, all or some of the lap's slots. */
struct shown {
    const struct native_image *image;
    const struct native_view *view;
    unsigned char *state; /* of each slot, from slot 1 on */
    uint32_t lap, first, last;
};

static struct shown shown_part(const struct native_index *index, const struct native_part *part,
                               const struct native_view *view, unsigned char *state)
{
    return (struct shown){.image = &index->images[part->image],
                          .view = view,
                          .state = state,
                          .lap = part->lap,
                          .first = native_part_first(index, part),
                          .last = native_part_last(index, part)};
}

/* What a slot is by its own bytes. */
static enum native_state judge_slot(const unsigned char *slot, uint32_t lap)
{
    uint32_t word0 = get_le32(slot);
    uint32_t tag = word0 & TLOG_TAG_MASK;
    if (tag == native_tag(lap)) {
        if (!native_is_traceevent(word0))
            return native_is_record(slot) ? NATIVE_RECORD : NATIVE_DAMAGED;
        return word0 & NATIVE_TRACEEVENT_ZERO ? NATIVE_DAMAGED : NATIVE_TRACEEVENT;
    }
    return tag == native_tag_before(lap) ? NATIVE_UNFINISHED : NATIVE_DAMAGED;
}

/* Set the state of each slot, but of those that the seal has shown to be damaged. */
static void judge_slots(const struct shown *shown, struct trace *trace)
{
    for (uint32_t i = shown->first; i <= shown->last; i++) {
        bool have = native_has_slot(shown->image, i);
        if (shown->state[i - 1u] == NATIVE_DAMAGED)
            continue;
        shown->state[i - 1u] =
            (unsigned char)(have ? judge_slot(native_view_slot(shown->view, i), shown->lap) : NATIVE_DAMAGED);
        if (shown->state[i - 1u] == NATIVE_DAMAGED && have)
            trace_damage(trace, native_damage_offset(shown->image, native_slot_offset(i)),
                         native_damage_length(shown->image, TLOG_SLOT_BYTES), 0,
                         "a slot is damaged: its bits contradict each other");
    }
}

/* Mark slots first to last as damaged, those of them that the part has. Returns how many these are. */
static uint32_t damage_slots(const struct shown *shown, uint32_t first, uint32_t last)
{
    uint32_t n = 0;
    for (uint32_t i = first < shown->first ? shown->first : first; i <= last && i <= shown->last; i++, n++)
        shown->state[i - 1u] = NATIVE_DAMAGED;
    return n;
}

/* The CRC of a group is wrong by these bits. If one wrong byte explains it the slot with that byte is damaged, else any
 * slot of the group may be. */
static void damage_group(const struct shown *shown, size_t group, uint32_t difference, struct trace *trace)
{
    struct native_layout layout = shown->image->layout;
    size_t offset = native_group_offset(layout, group), size = native_group_size(layout, group);
    struct crc32_error error = crc32_locate(difference, (uint32_t)size);
    uint32_t first = native_group_first(layout, group);
    uint32_t last = first + native_group_slots(layout, group) - 1u;
    uint32_t n;
    if (error.at < size) {
        first += error.at / TLOG_SLOT_BYTES;
        last = first;
        offset = native_slot_offset(first);
        size = TLOG_SLOT_BYTES;
    }
    n = damage_slots(shown, first, last);
    if (n > 0)
        trace_damage(trace, native_damage_offset(shown->image, offset), native_damage_length(shown->image, size), 0,
                     "the check value of %" PRIu32 " slot%s is wrong", last - first + 1u, last == first ? "" : "s");
}

/* Check all groups that have slots of the part against the seal. True if all are right, or the seal is not current, so
 * that nothing can be said. */
static bool check_groups(const struct shown *shown, struct trace *trace)
{
    size_t last = native_group_of(shown->image->layout, shown->last);
    bool right = true;
    if (!shown->image->sealed)
        return true;
    for (size_t group = native_group_of(shown->image->layout, shown->first); group <= last; group++) {
        uint32_t difference = native_view_group_difference(shown->view, shown->image, group);
        if (difference == 0)
            continue;
        right = false;
        damage_group(shown, group, difference, trace);
    }
    return right;
}

/* Load slots first to last, with all of the groups that they are in, and the seal if it is current. */
static void load_slots(struct native_view *view, const struct native_image *image, uint32_t first, uint32_t last)
{
    size_t end = native_group_of(image->layout, last);
    size_t from = native_group_offset(image->layout, native_group_of(image->layout, first));
    size_t to = native_group_offset(image->layout, end) + native_group_size(image->layout, end);
    native_view_load(view, image, from, to - from);
    if (image->sealed)
        native_view_load(view, image, native_seal_offset(image->layout), native_seal_size(image->layout));
}

/* ---- records in order -------------------------------------------------------------------------------------------- */

static void damage_stamp(const struct native_loader *loader, const struct native_lap *lap,
                         const struct native_image *image, uint32_t slot, const char *why)
{
    lap->state[slot - 1u] = NATIVE_DAMAGED;
    trace_damage(loader->trace, native_damage_offset(image, native_slot_offset(slot)),
                 native_damage_length(image, TLOG_SLOT_BYTES), 0, "a slot is damaged: %s", why);
}

/* How many records have a stamp above this one. */
static uint32_t count_beyond(const struct native_lap *lap, uint64_t stamp)
{
    uint32_t n = 0;
    for (uint32_t i = lap->first; i <= lap->last; i++)
        n += lap->state[i - 1u] == NATIVE_RECORD && native_stamp(native_lap_slot(lap, i)) > stamp;
    return n;
}

/* Collect the records that are within the span; the others are damaged. Returns how many there are, and in *in_order
 * whether their stamps never go back. */
static uint32_t collect_records(struct native_loader *loader, const struct native_lap *lap,
                                const struct native_image *image, struct native_span span, bool *in_order)
{
    uint64_t before = 0;
    uint32_t n = 0;
    *in_order = true;
    for (uint32_t i = lap->first; i <= lap->last; i++) {
        uint64_t stamp = native_stamp(native_lap_slot(lap, i));
        if (lap->state[i - 1u] != NATIVE_RECORD)
            continue;
        if (stamp < span.from || stamp > span.to) {
            damage_stamp(loader, lap, image, i, "its time is not within that of its lap");
            continue;
        }
        *in_order = *in_order && stamp >= before;
        before = stamp;
        loader->order[n].slot = i;
        loader->order[n++].stamp = stamp;
    }
    return n;
}

/* See to it that all records are within the span and in order: the others are damaged. */
static int order_records(struct native_loader *loader, const struct native_lap *lap, const struct native_image *image,
                         struct native_span span)
{
    uint32_t n;
    bool in_order;
    if (fit_order(loader, native_last_slot(image->layout)) != 0)
        return -1;
    if (count_beyond(lap, span.to) > BEYOND_MAX)
        span.to = UINT64_MAX;
    n = collect_records(loader, lap, image, span, &in_order);
    if (in_order)
        return 0;
    native_order_records(loader->order, n);
    for (uint32_t i = 0; i < n; i++) {
        if (!loader->order[i].keep)
            damage_stamp(loader, lap, image, loader->order[i].slot, "its time does not fit those around it");
    }
    return 0;
}

/* ---- traceevents in order ---------------------------------------------------------------------------------------- */

/* Word 0 without the bits that differ among the slots of one event. */
static uint32_t common_bits(const unsigned char *slot)
{
    return get_le32(slot) & ~(TLOG_STRUCT_CE << TLOG_STRUCT_SHIFT);
}

uint32_t native_lap_combined(const struct native_lap *lap, uint32_t index)
{
    const unsigned char *first = native_lap_slot(lap, index);
    uint32_t structure = get_le32(first) >> TLOG_STRUCT_SHIFT;
    uint32_t n = 1;
    if (structure != TLOG_STRUCT_CB)
        return structure == TLOG_STRUCT_S;
    for (uint32_t i = index + 1u; i <= lap->last && native_lap_state(lap, i) == NATIVE_TRACEEVENT; i++) {
        const unsigned char *slot = native_lap_slot(lap, i);
        structure = get_le32(slot) >> TLOG_STRUCT_SHIFT;
        if (common_bits(slot) != common_bits(first) || native_low_stamp(slot) != native_low_stamp(first))
            return 0;
        n++;
        if (structure == TLOG_STRUCT_CE)
            return n;
        if (structure != TLOG_STRUCT_CC)
            return 0;
    }
    return 0;
}

/* Combine events that lack a slot are unfinished. */
static void check_combined(const struct native_lap *lap)
{
    uint32_t n;
    for (uint32_t i = lap->first; i <= lap->last; i += n) {
        n = lap->state[i - 1u] == NATIVE_TRACEEVENT ? native_lap_combined(lap, i) : 1u;
        if (n == 0) {
            lap->state[i - 1u] = NATIVE_UNFINISHED;
            n = 1;
        }
    }
}

/* The stamp of the first record in a slot or behind it, or NATIVE_STAMP_UNKNOWN; *slot is where it is, or behind the
 * last slot. */
static uint64_t next_record(const struct native_lap *lap, uint32_t *slot)
{
    for (; *slot <= lap->last; ++*slot) {
        if (lap->state[*slot - 1u] == NATIVE_RECORD)
            return native_stamp(native_lap_slot(lap, *slot));
    }
    return NATIVE_STAMP_UNKNOWN;
}

static bool is_event(const struct native_lap *lap, uint32_t index)
{
    return lap->state[index - 1u] == NATIVE_RECORD || lap->state[index - 1u] == NATIVE_TRACEEVENT;
}

/* The stamp of a traceevent slot ahead of something at ticks. A CONTROL TIME slot may tell an earlier one, if that is
 * not before from. */
static uint64_t stamp_ahead(uint64_t ticks, const unsigned char *slot, uint64_t from)
{
    uint64_t told = native_told_stamp(slot);
    if (native_is_control(slot, TLOG_CONTROL_TIME) && told >= from && told <= ticks)
        return told;
    return native_stamp_until(ticks, native_low_stamp(slot));
}

/* What stamps are counted from at the beginning of the lap. If its first event is a traceevent that is the event's own
 * stamp, counted back from the first record; else it is from. */
static uint64_t find_lead(const struct native_lap *lap, uint64_t from)
{
    uint32_t first = lap->first, record = first;
    uint64_t stamp = next_record(lap, &record);
    while (first <= lap->last && !is_event(lap, first))
        first++;
    if (first > lap->last || first == record)
        return from;
    if (stamp == NATIVE_STAMP_UNKNOWN)
        return native_stamp_from(from, native_low_stamp(native_lap_slot(lap, first)));
    for (uint32_t i = record; i-- > first;) {
        if (lap->state[i - 1u] == NATIVE_TRACEEVENT)
            stamp = stamp_ahead(stamp, native_lap_slot(lap, i), from);
    }
    return stamp < from ? from : stamp;
}

/* Set lead. The stamps of traceevent slots follow from those of the slots ahead. Where that leads to a stamp later than
 * the next record's, the traceevent slot is damaged. */
static void order_traceevents(struct native_loader *loader, struct native_lap *lap, const struct native_image *image,
                              uint64_t from)
{
    uint64_t stamp = lap->lead = find_lead(lap, from), limit = 0;
    uint32_t record = 0; /* slot of the next record, whose stamp is limit */
    for (uint32_t i = lap->first; i <= lap->last; i++) {
        const unsigned char *slot = native_lap_slot(lap, i);
        uint64_t own;
        if (lap->state[i - 1u] == NATIVE_RECORD)
            stamp = native_stamp(slot);
        if (lap->state[i - 1u] != NATIVE_TRACEEVENT)
            continue;
        if (i > record) {
            record = i;
            limit = next_record(lap, &record);
        }
        own = native_traceevent_stamp(stamp, slot);
        if (own > limit)
            damage_stamp(loader, lap, image, i, "its time does not fit those around it");
        else
            stamp = own;
    }
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static bool lacks_slots(const struct native_lap *lap)
{
    for (uint32_t i = lap->first; i <= lap->last; i++) {
        if (!is_event(lap, i))
            return true;
    }
    return false;
}

/* Take from another image of the lap the slots that are events only there. */
static int fill_in(struct native_loader *loader, struct native_lap *lap, const struct native_part *part)
{
    const struct native_image *image = &loader->index->images[part->image];
    struct shown shown;
    if (native_view_fit(&loader->other, image) != 0
        || fit_state(loader->trace, &loader->other_state, &loader->other_room, native_last_slot(image->layout)) != 0)
        return -1;
    shown = shown_part(loader->index, part, &loader->other, loader->other_state);
    load_slots(&loader->other, image, shown.first, shown.last);
    memset(shown.state, NATIVE_ABSENT, native_last_slot(image->layout));
    check_groups(&shown, loader->trace);
    judge_slots(&shown, loader->trace);
    native_view_will_change(&lap->view);
    for (uint32_t i = shown.first; i <= shown.last && i <= lap->last; i++) {
        if (i < lap->first || is_event(lap, i))
            continue;
        if (lap->state[i - 1u] != NATIVE_ABSENT && shown.state[i - 1u] >= NATIVE_UNFINISHED)
            continue;
        lap->state[i - 1u] = shown.state[i - 1u];
        memcpy(lap->view.bytes + native_slot_offset(i), native_view_slot(shown.view, i), TLOG_SLOT_BYTES);
        take_contexts(lap, image, i, i);
    }
    return 0;
}

/* Load a lap that is not clean, or is spread over several images. The states of the first part are known. */
static int load_carefully(struct native_loader *loader, struct native_lap *lap, const struct native_part *parts,
                          size_t n, struct native_span span)
{
    const struct native_image *image = &loader->index->images[parts->image];
    for (size_t i = 1; i < n && lacks_slots(lap); i++) {
        if (fill_in(loader, lap, &parts[i]) != 0)
            return -1;
    }
    check_combined(lap);
    if (order_records(loader, lap, image, span) != 0)
        return -1;
    order_traceevents(loader, lap, image, span.from);
    return 0;
}

/* Set which lap it is, and its first and last slot by all parts. A part that ends behind the latest image is not of the
 * same chunk, and is not counted. */
static void find_extent(const struct native_loader *loader, struct native_lap *lap, const struct native_part *parts,
                        size_t n)
{
    const struct native_index *index = loader->index;
    uint32_t slots = native_last_slot(index->images[parts->image].layout);
    lap->first = native_part_first(index, parts);
    lap->last = native_part_last(index, parts);
    for (size_t i = 1; i < n; i++) {
        uint32_t first = native_part_first(index, &parts[i]), last = native_part_last(index, &parts[i]);
        lap->first = first < lap->first ? first : lap->first;
        lap->last = last > lap->last && last <= slots ? last : lap->last;
    }
    lap->lap = parts->lap;
    lap->number = parts->number;
}

/* Whether the lap in view is clean, of which one image shows all slots. Sets clean, records and lead. */
static bool check_clean(struct native_lap *lap, struct native_span span)
{
    struct native_clean clean = {false, span.from};
    lap->clean = native_is_clean(native_lap_slot(lap, lap->first), lap->last - lap->first + 1u, lap->lap, span, &clean);
    lap->records = clean.records;
    lap->lead = clean.lead;
    return lap->clean;
}

int native_lap_load(struct native_loader *loader, struct native_lap *lap, const struct native_part *parts, size_t n,
                    struct native_span span)
{
    const struct native_image *image = &loader->index->images[parts->image];
    uint32_t slots = native_last_slot(image->layout);
    struct shown shown;
    bool whole;
    lap->has_contexts = native_has_context(image);
    lap->clean = lap->records = false;
    if (native_view_fit(&lap->view, image) != 0 || fit_state(loader->trace, &lap->state, &lap->room, slots) != 0
        || fit_contexts(loader->trace, lap, slots) != 0)
        return -1;
    find_extent(loader, lap, parts, n);
    memset(lap->state, NATIVE_ABSENT, slots);
    shown = shown_part(loader->index, parts, &lap->view, lap->state);
    load_slots(&lap->view, image, shown.first, shown.last);
    whole = check_groups(&shown, loader->trace) && shown.first == lap->first && shown.last == lap->last
            && native_has_slot(image, shown.last);
    take_contexts(lap, image, shown.first, shown.last);
    if (whole && check_clean(lap, span))
        return 0;
    judge_slots(&shown, loader->trace);
    return load_carefully(loader, lap, parts, n, span);
}
