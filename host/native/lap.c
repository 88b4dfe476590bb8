/* lap.c - which slots of a lap are events: see lap.h.
 *
 * Nearly always one image shows the lap and nothing is wrong with it: then the group CRCs and one pass over the slots
 * are all there is to do. Else every slot gets a state; other images fill in what is not an event; and the times are
 * put in order by leaving out the fewest events. An event that is left out is damaged, and so is one that could be the
 * one to leave out: a gap is better than an event that may be wrong.
 */
#include "native/lap.h"

#include "native/traceevent.h"

#include "base/crc32.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* More events than this beyond the time at which the next lap begins, and that time is not believed. */
#define BEYOND_MAX 2u

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static int fit_state(struct trace *trace, unsigned char **state, size_t *room, size_t slots)
{
    unsigned char *bigger;

    if (slots <= *room)
        return 0;
    bigger = realloc(*state, slots);
    if (bigger == NULL)
        return trace_fail(trace, "%s: no memory for %zu slots", trace->input_name, slots);
    *state = bigger;
    *room = slots;
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

static int fit_contexts(struct trace *trace, struct native_lap *lap, size_t slots)
{
    uint16_t *bigger;

    if (!lap->has_contexts || slots <= lap->contexts_room)
        return 0;
    bigger = realloc(lap->contexts, slots * sizeof *bigger);
    if (bigger == NULL)
        return trace_fail(trace, "%s: no memory for %zu slots", trace->input_name, slots);
    lap->contexts = bigger;
    lap->contexts_room = slots;
    return 0;
}

/* ---- contexts ---------------------------------------------------------------------------------------------------- */

/* Take the context out of a slot in view, so that its time is where it is in all others. traceevents have none. */
static void take_context(struct native_lap *lap, const struct native_image *image, uint32_t index)
{
    unsigned char *slot = lap->view.bytes + native_slot_offset(index);
    uint32_t high = get_le32(slot + 4), wraps = (high & ~TLOG_HIGH_MIRROR) >> TLOG_CONTEXT_BITS;
    uint32_t context = high & TLOG_CONTEXT_MASK;
    bool is_mode = (image->place & TLOG_CONTEXT_KIND) == TLOG_CONTEXT_MODE;

    lap->contexts[index - 1u] = 0;
    if ((get_le32(slot) & TLOG_CLASS_MASK) != 0)
        return;
    lap->contexts[index - 1u] = (uint16_t)(is_mode ? TRACE_CONTEXT_MODE | (context & 31u) : context);
    put_le32(slot + 4, (high & TLOG_HIGH_MIRROR) | wraps);
}

/* Of slots first to last, as they came from the image. */
static void take_contexts(struct native_lap *lap, const struct native_image *image, uint32_t first, uint32_t last)
{
    if (!lap->has_contexts)
        return;
    native_view_change(&lap->view);
    for (uint32_t i = first; i <= last && native_has_slot(image, i); i++)
        take_context(lap, image, i);
}

/* ---- one image's slots of a lap ---------------------------------------------------------------------------------- */

/* Slots first to last of a lap in one image: a part of the lap or all of it. */
struct part {
    const struct native_image *image;
    const struct native_view *view;
    unsigned char *state; /* of slot 1 on */
    uint32_t lap, first, last;
};

/* What a slot is by its own bytes. */
static enum native_slot judge_slot(const unsigned char *slot, uint32_t lap)
{
    uint32_t word0 = get_le32(slot);
    uint32_t tag = word0 & TLOG_TAG_MASK;

    if (tag == native_tag(lap)) {
        if ((word0 & TLOG_CLASS_MASK) == 0)
            return native_is_record(slot) ? NATIVE_RECORD : NATIVE_DAMAGED;
        return word0 & NATIVE_TRACEEVENT_ZERO ? NATIVE_DAMAGED : NATIVE_TRACEEVENT;
    }
    return tag == native_tag_before(lap) ? NATIVE_UNFINISHED : NATIVE_DAMAGED;
}

static void judge_slots(const struct part *part, struct trace *trace)
{
    for (uint32_t i = part->first; i <= part->last; i++) {
        bool have = native_has_slot(part->image, i);

        if (part->state[i - 1u] == NATIVE_DAMAGED)
            continue;
        part->state[i - 1u] =
            (unsigned char)(have ? judge_slot(part->view->bytes + native_slot_offset(i), part->lap) : NATIVE_DAMAGED);
        if (part->state[i - 1u] == NATIVE_DAMAGED && have)
            trace_damage(trace, native_place(part->image, native_slot_offset(i)),
                         native_length(part->image, TLOG_SLOT_BYTES), 0,
                         "a slot is damaged: its bits contradict each other");
    }
}

/* Slots of a group that are in the part. */
static uint32_t damage_slots(const struct part *part, uint32_t first, uint32_t last)
{
    uint32_t n = 0;

    for (uint32_t i = first < part->first ? part->first : first; i <= last && i <= part->last; i++, n++)
        part->state[i - 1u] = NATIVE_DAMAGED;
    return n;
}

/* The CRC of a group is wrong: one byte may be, and then its slot; else any slot of the group. */
static void damage_group(const struct part *part, size_t group, uint32_t difference, struct trace *trace)
{
    size_t offset = native_group_offset(part->image, group), size = native_group_size(part->image, group);
    struct crc32_error error = crc32_locate(difference, (uint32_t)size);
    uint32_t first = native_group_first(part->image, group);
    uint32_t last = first + (uint32_t)(size / TLOG_SLOT_BYTES) - 1u;
    uint32_t n;

    if (error.at < size) {
        first += error.at / TLOG_SLOT_BYTES;
        last = first;
        offset = native_slot_offset(first);
        size = TLOG_SLOT_BYTES;
    }
    n = damage_slots(part, first, last);
    if (n > 0)
        trace_damage(trace, native_place(part->image, offset), native_length(part->image, size), 0,
                     "the check value of %" PRIu32 " slot%s is wrong", last - first + 1u, last == first ? "" : "s");
}

/* Compare all groups that have slots of the part with the seal. Without a current one nothing can be said. */
static bool check_groups(const struct part *part, struct trace *trace)
{
    size_t last = native_group_of(part->image, part->last);
    bool right = true;

    if (!part->image->sealed)
        return true;
    for (size_t group = native_group_of(part->image, part->first); group <= last; group++) {
        uint32_t difference =
            crc32_of(part->view->bytes + native_group_offset(part->image, group), native_group_size(part->image, group))
            ^ native_group_crc(part->view, part->image, group);

        if (difference == 0)
            continue;
        right = false;
        damage_group(part, group, difference, trace);
    }
    return right;
}

/* Bring the part into view, with all of the groups it touches. */
static void view_part(struct native_view *view, const struct native_image *image, uint32_t first, uint32_t last)
{
    size_t end = native_group_of(image, last);
    size_t from = native_group_offset(image, native_group_of(image, first));
    size_t to = native_group_offset(image, end) + native_group_size(image, end);

    native_view_part(view, image, from, to - from);
    if (image->sealed)
        native_view_part(view, image, native_seal_offset(image), native_seal_size(image));
}

/* ---- the order of time ------------------------------------------------------------------------------------------- */

/* A record among those of a lap that are to be put in order. */
struct native_order {
    uint64_t time;
    uint64_t best[2]; /* working space: last and first time of the best sequences of each length */
    uint32_t slot;
    uint32_t before;     /* records in the longest sequence in order that ends with this one */
    uint32_t after;      /* ... that begins with it */
    uint32_t candidates; /* records that can stand in this place of a longest sequence */
};

static int fit_order(struct native_loader *loader, size_t slots)
{
    struct native_order *order;

    if (slots <= loader->order_room)
        return 0;
    order = realloc(loader->order, slots * sizeof *order);
    if (order == NULL)
        return trace_fail(loader->trace, "%s: no memory for %zu slots", loader->trace->input_name, slots);
    loader->order = order;
    loader->order_room = slots;
    return 0;
}

/* Length of the longest sequence in order that ends with each record. */
static uint32_t count_before(struct native_order *order, uint32_t n)
{
    uint32_t longest = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t low = 0, high = longest;

        while (low < high) {
            uint32_t middle = (low + high) / 2u;

            if (order[middle].best[0] <= order[i].time)
                low = middle + 1u;
            else
                high = middle;
        }
        order[low].best[0] = order[i].time;
        order[i].before = low + 1u;
        longest = low == longest ? longest + 1u : longest;
    }
    return longest;
}

/* The same backwards: ... that begins with each record. */
static void count_after(struct native_order *order, uint32_t n)
{
    uint32_t longest = 0;

    for (uint32_t i = n; i-- > 0;) {
        uint32_t low = 0, high = longest;

        while (low < high) {
            uint32_t middle = (low + high) / 2u;

            if (order[middle].best[1] >= order[i].time)
                low = middle + 1u;
            else
                high = middle;
        }
        order[low].best[1] = order[i].time;
        order[i].after = low + 1u;
        longest = low == longest ? longest + 1u : longest;
    }
}

static bool is_in_longest(const struct native_order *order, uint32_t longest)
{
    return order->before + order->after - 1u == longest;
}

static void damage_time(struct native_loader *loader, const struct native_lap *lap, const struct native_image *image,
                        uint32_t slot, const char *why)
{
    lap->state[slot - 1u] = NATIVE_DAMAGED;
    trace_damage(loader->trace, native_place(image, native_slot_offset(slot)), native_length(image, TLOG_SLOT_BYTES), 0,
                 "a slot is damaged: %s", why);
}

/* Keep the records that stand in every longest sequence in order. */
static void keep_longest(struct native_loader *loader, const struct native_lap *lap, const struct native_image *image,
                         uint32_t n)
{
    struct native_order *order = loader->order;
    uint32_t longest = count_before(order, n);

    count_after(order, n);
    for (uint32_t i = 0; i < n; i++)
        order[i].candidates = 0;
    for (uint32_t i = 0; i < n; i++)
        order[order[i].before - 1u].candidates += is_in_longest(&order[i], longest);
    for (uint32_t i = 0; i < n; i++) {
        if (!is_in_longest(&order[i], longest) || order[order[i].before - 1u].candidates != 1u)
            damage_time(loader, lap, image, order[i].slot, "its time does not fit those around it");
    }
}

static uint32_t count_beyond(const struct native_lap *lap, uint64_t time)
{
    uint32_t n = 0;

    for (uint32_t i = lap->first; i <= lap->last; i++)
        n += lap->state[i - 1u] == NATIVE_RECORD && native_ticks(native_lap_slot(lap, i)) > time;
    return n;
}

/* Records outside the lap's span are damaged; the others must be in order. */
static int order_records(struct native_loader *loader, const struct native_lap *lap, const struct native_image *image,
                         struct native_span span)
{
    uint64_t before = 0;
    uint32_t n = 0;
    bool in_order = true;

    if (fit_order(loader, native_last_slot(image)) != 0)
        return -1;
    if (count_beyond(lap, span.to) > BEYOND_MAX)
        span.to = UINT64_MAX;
    for (uint32_t i = lap->first; i <= lap->last; i++) {
        uint64_t time = native_ticks(native_lap_slot(lap, i));

        if (lap->state[i - 1u] != NATIVE_RECORD)
            continue;
        if (time < span.from || time > span.to) {
            damage_time(loader, lap, image, i, "its time is not within that of its lap");
            continue;
        }
        in_order = in_order && time >= before;
        before = time;
        loader->order[n].slot = i;
        loader->order[n++].time = time;
    }
    if (!in_order)
        keep_longest(loader, lap, image, n);
    return 0;
}

/* ---- traceevent slots -------------------------------------------------------------------------------------------- */

uint64_t native_time_from(uint64_t ticks, uint32_t low)
{
    return ticks + (uint32_t)(low - (uint32_t)ticks);
}

uint64_t native_time_until(uint64_t ticks, uint32_t low)
{
    uint32_t back = (uint32_t)ticks - low;

    return ticks >= back ? ticks - back : low;
}

uint64_t native_traceevent_time(uint64_t ticks, const unsigned char *slot)
{
    uint64_t time = native_time_from(ticks, get_le32(slot + 4));
    uint64_t told = (uint64_t)get_le32(slot + 8) << 32 | get_le32(slot + 4);

    return native_is_control(slot, TLOG_CONTROL_TIME) && told > time ? told : time;
}

/* Word 0 without what tells the slots of one event apart. */
static uint32_t common_bits(const unsigned char *slot)
{
    return get_le32(slot) & ~(TLOG_STRUCT_CE << TLOG_STRUCT_SHIFT);
}

uint32_t native_combined(const struct native_lap *lap, uint32_t index)
{
    const unsigned char *first = native_lap_slot(lap, index);
    uint32_t part = get_le32(first) >> TLOG_STRUCT_SHIFT;
    uint32_t n = 1;

    if (part != TLOG_STRUCT_CB)
        return part == TLOG_STRUCT_S;
    for (uint32_t i = index + 1u; i <= lap->last && native_lap_state(lap, i) == NATIVE_TRACEEVENT; i++) {
        const unsigned char *slot = native_lap_slot(lap, i);

        part = get_le32(slot) >> TLOG_STRUCT_SHIFT;
        if (common_bits(slot) != common_bits(first) || get_le32(slot + 4) != get_le32(first + 4))
            return 0;
        n++;
        if (part == TLOG_STRUCT_CE)
            return n;
        if (part != TLOG_STRUCT_CC)
            return 0;
    }
    return 0;
}

/* Combine events that lack a slot are unfinished. */
static void check_combined(const struct native_lap *lap)
{
    uint32_t n;

    for (uint32_t i = lap->first; i <= lap->last; i += n) {
        n = lap->state[i - 1u] == NATIVE_TRACEEVENT ? native_combined(lap, i) : 1u;
        if (n == 0) {
            lap->state[i - 1u] = NATIVE_UNFINISHED;
            n = 1;
        }
    }
}

/* Time of the first record at or after a slot. */
static uint64_t next_record(const struct native_lap *lap, uint32_t index)
{
    for (uint32_t i = index; i <= lap->last; i++) {
        if (lap->state[i - 1u] == NATIVE_RECORD)
            return native_ticks(native_lap_slot(lap, i));
    }
    return NATIVE_TIME_UNKNOWN;
}

static bool is_event(const struct native_lap *lap, uint32_t index)
{
    return lap->state[index - 1u] == NATIVE_RECORD || lap->state[index - 1u] == NATIVE_TRACEEVENT;
}

/* The time of a traceevent slot ahead of something at ticks. CONTROL TIME tells an earlier one itself, since from. */
static uint64_t time_ahead(uint64_t ticks, const unsigned char *slot, uint64_t from)
{
    uint64_t told = (uint64_t)get_le32(slot + 8) << 32 | get_le32(slot + 4);

    if (native_is_control(slot, TLOG_CONTROL_TIME) && told >= from && told <= ticks)
        return told;
    return native_time_until(ticks, get_le32(slot + 4));
}

/* Time of the first event of the lap if it is a traceevent slot: counted back from the first record. */
static uint64_t lead_time(const struct native_lap *lap, uint64_t from)
{
    uint64_t time = next_record(lap, lap->first);
    uint32_t first = lap->first, i;

    while (first <= lap->last && !is_event(lap, first))
        first++;
    if (first > lap->last || lap->state[first - 1u] == NATIVE_RECORD)
        return from;
    if (time == NATIVE_TIME_UNKNOWN)
        return native_time_from(from, get_le32(native_lap_slot(lap, first) + 4));
    for (i = first; lap->state[i - 1u] != NATIVE_RECORD;)
        i++;
    while (i-- > first) {
        if (lap->state[i - 1u] == NATIVE_TRACEEVENT)
            time = time_ahead(time, native_lap_slot(lap, i), from);
    }
    return time < from ? from : time;
}

/* The times of traceevent slots follow from what is before them; they must not lie after what comes behind. */
static void order_traceevents(struct native_loader *loader, struct native_lap *lap, const struct native_image *image,
                              uint64_t from)
{
    uint64_t time = lap->lead = lead_time(lap, from), limit = 0;
    uint32_t limit_until = 0; /* slots up to this one have that limit */

    for (uint32_t i = lap->first; i <= lap->last; i++) {
        const unsigned char *slot = native_lap_slot(lap, i);
        uint64_t this;

        if (lap->state[i - 1u] == NATIVE_RECORD)
            time = native_ticks(slot);
        if (lap->state[i - 1u] != NATIVE_TRACEEVENT)
            continue;
        if (i > limit_until) {
            limit = next_record(lap, i);
            for (limit_until = i; limit_until < lap->last && lap->state[limit_until] != NATIVE_RECORD;)
                limit_until++;
        }
        this = native_traceevent_time(time, slot);
        if (this > limit)
            damage_time(loader, lap, image, i, "its time does not fit those around it");
        else
            time = this;
    }
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

/* Decide on the slots that one image has of the lap. */
static void load_part(struct native_loader *loader, struct part *part)
{
    memset(part->state, NATIVE_ABSENT, native_last_slot(part->image));
    check_groups(part, loader->trace);
    judge_slots(part, loader->trace);
}

static bool lacks_slots(const struct native_lap *lap)
{
    for (uint32_t i = lap->first; i <= lap->last; i++) {
        if (!is_event(lap, i))
            return true;
    }
    return false;
}

/* Take from another image the slots that are events only there. */
static int fill_in(struct native_loader *loader, struct native_lap *lap, const struct native_segment *segment)
{
    const struct native_image *image = &loader->index->images[segment->image];
    struct part part = {image,
                        &loader->other,
                        NULL,
                        lap->lap,
                        native_segment_first(loader->index, segment),
                        native_segment_last(loader->index, segment)};

    if (native_view_fit(&loader->other, image) != 0
        || fit_state(loader->trace, &loader->other_state, &loader->other_room, native_last_slot(image)) != 0)
        return -1;
    part.state = loader->other_state;
    view_part(&loader->other, image, part.first, part.last);
    load_part(loader, &part);
    native_view_change(&lap->view);
    for (uint32_t i = part.first; i <= part.last && i <= lap->last; i++) {
        if (i < lap->first || is_event(lap, i))
            continue;
        if (lap->state[i - 1u] != NATIVE_ABSENT && part.state[i - 1u] >= NATIVE_UNFINISHED)
            continue;
        lap->state[i - 1u] = part.state[i - 1u];
        memcpy(lap->view.bytes + native_slot_offset(i), loader->other.bytes + native_slot_offset(i), TLOG_SLOT_BYTES);
        take_contexts(lap, image, i, i);
    }
    return 0;
}

/* Something is not as it should be, or the lap is spread over images. */
static int load_carefully(struct native_loader *loader, struct native_lap *lap, const struct native_segment *segments,
                          size_t n, struct native_span span)
{
    const struct native_image *image = &loader->index->images[segments->image];

    for (size_t i = 1; i < n && lacks_slots(lap); i++) {
        if (fill_in(loader, lap, &segments[i]) != 0)
            return -1;
    }
    check_combined(lap);
    if (order_records(loader, lap, image, span) != 0)
        return -1;
    order_traceevents(loader, lap, image, span.from);
    return 0;
}

/* All images that show the lap give its extent; those of another size than the latest are not of the same chunk. */
static void find_extent(const struct native_loader *loader, struct native_lap *lap,
                        const struct native_segment *segments, size_t n)
{
    const struct native_index *index = loader->index;
    uint32_t slots = native_last_slot(&index->images[segments->image]);

    lap->first = native_segment_first(index, segments);
    lap->last = native_segment_last(index, segments);
    for (size_t i = 1; i < n; i++) {
        uint32_t first = native_segment_first(index, &segments[i]), last = native_segment_last(index, &segments[i]);

        lap->first = first < lap->first ? first : lap->first;
        lap->last = last > lap->last && last <= slots ? last : lap->last;
    }
    lap->lap = segments->lap;
    lap->self = segments->self;
    lap->number = segments->number;
}

int native_lap_load(struct native_loader *loader, struct native_lap *lap, const struct native_segment *segments,
                    size_t n, struct native_span span)
{
    const struct native_image *image = &loader->index->images[segments->image];
    struct part part = {image,
                        &lap->view,
                        NULL,
                        segments->lap,
                        native_segment_first(loader->index, segments),
                        native_segment_last(loader->index, segments)};
    bool whole;

    lap->has_contexts = native_has_context(image);
    if (native_view_fit(&lap->view, image) != 0
        || fit_state(loader->trace, &lap->state, &lap->room, native_last_slot(image)) != 0
        || fit_contexts(loader->trace, lap, native_last_slot(image)) != 0)
        return -1;
    find_extent(loader, lap, segments, n);
    memset(lap->state, NATIVE_ABSENT, native_last_slot(image));
    part.state = lap->state;
    view_part(&lap->view, image, part.first, part.last);
    whole = check_groups(&part, loader->trace) && part.first == lap->first && part.last == lap->last
            && native_has_slot(image, part.last);
    take_contexts(lap, image, part.first, part.last);
    lap->records = false;
    lap->clean = whole && native_lap_is_clean(lap, span);
    if (lap->clean)
        return 0;
    judge_slots(&part, loader->trace);
    return load_carefully(loader, lap, segments, n, span);
}
