/* break_search.c - the break of an image without a seal: see break_search.h.
 *
 * Each offset is tried as the break. What counts against a break are the slots that do not fit with it: which are no
 * slots of the lap that the write position tells, or earlier than the slot ahead of them; and the same of the words
 * ahead of the slots. For slots ahead of a break, and for those behind it, that is added up once, so that a try takes a
 * few steps.
 */
#include "formats/native/repair/break_search.h"

#include "base/heap.h"
#include "formats/native/chunks/write_position.h"

#include <string.h>

#define WORD(name) offsetof(struct tlog_chunk, name)
#define FLAGS      0xFDu   /* that a header may have */
#define ZERO       0xFCFFu /* bits of `cursor` and `lap` that are always 0 */
#define COPY_LEAST 8u      /* bytes that are there twice */
#define FIT_PART   4u      /* of the slots that are looked at one in so many may not fit */

/* ---- the image's bytes in both places ---------------------------------------------------------------------------- */

const unsigned char *native_torn_front(const struct native_torn *torn, size_t offset, size_t size)
{
    return offset + size <= torn->n ? torn->bytes + offset : NULL;
}

const unsigned char *native_torn_rear(const struct native_torn *torn, size_t offset, size_t size)
{
    int64_t at = (int64_t)offset + torn->by;
    return at >= 0 && (size_t)at + size <= torn->n ? torn->bytes + at : NULL;
}

/* Bytes that were lost at the break. */
static uint32_t hole(const struct native_torn *torn)
{
    return torn->by < 0 ? (uint32_t)-torn->by : 0;
}

static int64_t at_most(int64_t value, int64_t most)
{
    return value < most ? value : most;
}

/* Put an image's bytes together of both sides of a break. Those that were lost are 0. */
static void put_together(const struct native_torn *torn, uint32_t at, size_t offset, unsigned char *bytes, size_t size)
{
    int64_t from = (int64_t)offset, n = (int64_t)torn->n, end = from + (int64_t)size;
    int64_t front = at_most(at_most(at, n), end), rear = (int64_t)at + hole(torn), last = at_most(end, n - torn->by);
    rear = rear > from ? rear : from;
    memset(bytes, 0, size);
    if (front > from)
        memcpy(bytes, torn->bytes + from, (size_t)(front - from));
    if (last > rear && rear + torn->by >= 0)
        memcpy(bytes + (rear - from), torn->bytes + rear + torn->by, (size_t)(last - rear));
}

/* ---- the header's words ------------------------------------------------------------------------------------------ */

/* A header as it is with a break. */
struct header {
    uint32_t wrong; /* words that cannot be right */
    struct native_position position;
    uint32_t emergency_used;
};

/* Whether a word of the header was lost at a break, or a part of it. */
static bool is_lost(const struct native_torn *torn, uint32_t at, size_t offset)
{
    return offset + sizeof(uint32_t) > at && offset < at + hole(torn);
}

/* Whether the two words of a count are there, and contradict each other. */
static bool is_count_wrong(const struct native_torn *torn, uint32_t at, const unsigned char *bytes, size_t low,
                           size_t high)
{
    return !is_lost(torn, at, low) && !is_lost(torn, at, high)
           && ((get_le32(bytes + low) ^ get_le32(bytes + high)) & TLOG_COUNT_MIRROR) != 0;
}

static uint32_t count_wrong_counts(const struct native_torn *torn, uint32_t at, const unsigned char *bytes)
{
    uint32_t n = is_count_wrong(torn, at, bytes, WORD(dropped), WORD(dropped_high));
    n += is_count_wrong(torn, at, bytes, WORD(reported), WORD(reported_high));
    n += is_count_wrong(torn, at, bytes, WORD(extra), WORD(extra_high));
    return n + is_count_wrong(torn, at, bytes, WORD(lap), WORD(lap_high));
}

/* How many words are wrong. Whether `cursor` and `lap` are wrong or were lost is the same. */
static uint32_t count_wrong_words(const struct native_torn *torn, uint32_t at, const unsigned char *bytes)
{
    struct tlog_chunk words = native_read_header(bytes);
    uint32_t n = count_wrong_counts(torn, at, bytes), lap = words.lap, tag = lap & TLOG_TAG_MASK;
    n += !is_lost(torn, at, WORD(next)) && words.next != TLOG_NEXT_STOP && words.next % 4u != 0;
    n += !is_lost(torn, at, WORD(flags)) && (words.flags & ~FLAGS) != 0;
    n += !is_lost(torn, at, WORD(emergency_used)) && words.emergency_used > torn->image->layout.emergency;
    n += is_lost(torn, at, WORD(cursor)) || (words.cursor & ZERO) != 0 || (words.cursor & TLOG_TAG_MASK) == 0;
    return n + (is_lost(torn, at, WORD(lap)) || (lap & ZERO) != 0 || tag != native_tag(lap >> TLOG_LAP_SHIFT));
}

/* Read the header with a break at an offset. */
static struct header read_header(const struct native_torn *torn, uint32_t at)
{
    unsigned char bytes[TLOG_HEADER_BYTES];
    struct tlog_chunk words;
    struct header header;
    put_together(torn, at, 0, bytes, sizeof bytes);
    words = native_read_header(bytes);
    native_position_read(torn->image, words.cursor, words.lap, words.lap_high, &header.position);
    header.wrong = count_wrong_words(torn, at, bytes);
    header.emergency_used = words.emergency_used;
    return header;
}

/* ---- one slot ---------------------------------------------------------------------------------------------------- */

/* How many slots do not fit. */
struct tally {
    const struct native_torn *torn;
    struct header header;
    uint32_t last;   /* number of the last slot that is looked at, the end mark included */
    uint32_t *front; /* [i]: of slots 1 to i, if all are ahead of the break */
    uint32_t *rear;  /* [i]: of slots i to last, if all are behind the break */
};

static bool is_mark(const struct tally *tally, uint32_t index)
{
    return index == tally->torn->image->layout.slots + 1u;
}

/* Whether a slot may have any bytes: the firmware has not written it yet. Until all slots are formatted the end mark,
 * too, is elsewhere. */
static bool is_unwritten(const struct tally *tally, uint32_t index)
{
    const struct native_image *image = tally->torn->image;
    const struct native_position *position = &tally->header.position;
    bool is_first = (position->lap <= 1u || native_role(image) == TLOG_ROLE_NAMES) && !position->doubtful;
    if (is_mark(tally, index))
        return is_first && position->slot <= image->layout.slots;
    if (index > image->layout.slots)
        return index - native_first_emergency(image->layout) >= tally->header.emergency_used;
    return is_first && (position->lap == 0 || index >= position->slot);
}

static uint32_t expected_tag(const struct tally *tally, uint32_t index)
{
    const struct native_position *position = &tally->header.position;
    if (index > tally->torn->image->layout.slots || native_role(tally->torn->image) == TLOG_ROLE_NAMES)
        return TLOG_TAG_ODD;
    return index < position->slot ? native_tag(position->lap) : native_tag_before(position->lap);
}

static bool is_slot(const struct tally *tally, uint32_t index, const unsigned char *slot)
{
    uint32_t head = native_head(slot), tag = head & TLOG_TAG_MASK;
    if (native_role(tally->torn->image) == TLOG_ROLE_NAMES)
        return (head & TLOG_CLASS_MASK) == TLOG_CLASS_CONTROL << TLOG_CLASS_SHIFT && tag == TLOG_TAG_ODD;
    return native_is_sound(slot)
           && (tag == expected_tag(tally, index)
               || (tally->header.position.doubtful && index <= tally->torn->image->layout.slots));
}

/* Whether a slot is what it should be. */
static bool fits(const struct tally *tally, uint32_t index, const unsigned char *slot)
{
    if (slot == NULL)
        return false;
    if (is_unwritten(tally, index))
        return true;
    return is_mark(tally, index) ? native_is_end_mark(slot) : is_slot(tally, index, slot);
}

/* Whether a slot is not earlier than the one ahead of it, as far as the two tell, and no event that is a copy of it.
 * Where the write position is between them, the second one is of the lap before. */
static bool in_order(const struct tally *tally, uint32_t before, const unsigned char *ahead, uint32_t index,
                     const unsigned char *slot)
{
    const struct native_image *image = tally->torn->image;
    uint32_t mark = image->layout.slots + 1u, next = tally->header.position.slot;
    if (ahead == NULL || slot == NULL || is_unwritten(tally, index) || !fits(tally, before, ahead)
        || (before < next && next <= index) || (before <= mark && mark <= index)
        || native_role(image) == TLOG_ROLE_NAMES)
        return true;
    if (memcmp(ahead, slot, TLOG_SLOT_BYTES) == 0)
        return native_is_no_event(slot);
    if (native_is_record(ahead) && native_is_record(slot))
        return native_stamp_in(image, slot) >= native_stamp_in(image, ahead);
    return (int32_t)(native_low_stamp(slot) - native_low_stamp(ahead)) >= 0;
}

/* ---- all slots --------------------------------------------------------------------------------------------------- */

static const unsigned char *front_slot(const struct tally *tally, uint32_t index)
{
    return index == 0 ? NULL : native_torn_front(tally->torn, native_slot_offset(index), TLOG_SLOT_BYTES);
}

static const unsigned char *rear_slot(const struct tally *tally, uint32_t index)
{
    return index == 0 ? NULL : native_torn_rear(tally->torn, native_slot_offset(index), TLOG_SLOT_BYTES);
}

/* Add up the slots that do not fit. */
static void count_unfit(struct tally *tally)
{
    tally->front[0] = 0;
    for (uint32_t i = 1; i <= tally->last; i++) {
        const unsigned char *slot = front_slot(tally, i);
        bool fit = fits(tally, i, slot) && in_order(tally, i - 1u, front_slot(tally, i - 1u), i, slot);
        tally->front[i] = tally->front[i - 1u] + !fit;
    }
    tally->rear[tally->last + 1u] = 0;
    for (uint32_t i = tally->last; i >= 1u; i--) {
        const unsigned char *slot = rear_slot(tally, i);
        bool fit = fits(tally, i, slot) && in_order(tally, i - 1u, rear_slot(tally, i - 1u), i, slot);
        tally->rear[i] = tally->rear[i + 1u] + !fit;
    }
}

/* The last slot that is whole ahead of a break, and the first one that is whole behind it. */
static uint32_t last_ahead(const struct tally *tally, uint32_t at)
{
    uint32_t slot = at < TLOG_HEADER_BYTES ? 0 : (at - TLOG_HEADER_BYTES) / TLOG_SLOT_BYTES;
    return slot < tally->last ? slot : tally->last;
}

static uint32_t first_behind(const struct tally *tally, uint32_t at)
{
    uint32_t end = at + hole(tally->torn);
    return end <= TLOG_HEADER_BYTES ? 1u : (end - TLOG_HEADER_BYTES + TLOG_SLOT_BYTES - 1u) / TLOG_SLOT_BYTES + 1u;
}

/* Whether the slot with the break, put together of both sides, is what it should be. */
static bool fits_together(const struct tally *tally, uint32_t at, uint32_t index)
{
    unsigned char slot[TLOG_SLOT_BYTES];
    put_together(tally->torn, at, native_slot_offset(index), slot, sizeof slot);
    return fits(tally, index, slot) && in_order(tally, index - 1u, front_slot(tally, index - 1u), index, slot)
           && (index == tally->last || in_order(tally, index, slot, index + 1u, rear_slot(tally, index + 1u)));
}

/* How many slots do not fit with a break. */
static uint32_t count_with_break(const struct tally *tally, uint32_t at)
{
    uint32_t ahead = last_ahead(tally, at), behind = first_behind(tally, at), n = tally->front[ahead];
    if (behind <= tally->last) {
        n += tally->rear[behind + 1u];
        n += !fits(tally, behind, rear_slot(tally, behind));
        n += !in_order(tally, ahead, front_slot(tally, ahead), behind, rear_slot(tally, behind));
    }
    if (tally->torn->by > 0 && behind == ahead + 2u)
        n += !fits_together(tally, at, ahead + 1u);
    return n;
}

/* ---- all breaks -------------------------------------------------------------------------------------------------- */

/* The breaks with which the fewest slots and words do not fit. */
struct best {
    uint32_t unfit;
    uint32_t first, last; /* offsets of the first and the last one of these breaks */
};

static void note_break(struct best *best, uint32_t at, uint32_t unfit)
{
    if (unfit < best->unfit)
        *best = (struct best){unfit, at, at};
    else if (unfit == best->unfit)
        best->last = at;
}

static bool is_same_header(const struct header *a, const struct header *b)
{
    return a->position.lap == b->position.lap && a->position.slot == b->position.slot
           && a->position.doubtful == b->position.doubtful && a->emergency_used == b->emergency_used;
}

/* Try all breaks in the header's words that change: all slots are behind them. Then those in the slots. */
static void try_breaks(struct tally *tally, struct best *best)
{
    uint32_t end = (uint32_t)native_slot_offset(tally->last + 1u);
    for (uint32_t at = NATIVE_WORDS_AT; at < end; at++) {
        struct header header = at <= TLOG_HEADER_BYTES ? read_header(tally->torn, at) : tally->header;
        bool same = at > NATIVE_WORDS_AT && is_same_header(&header, &tally->header);
        tally->header = header;
        if (!same)
            count_unfit(tally);
        note_break(best, at, header.wrong + count_with_break(tally, at));
    }
}

/* Put a slot together as it is with a break. Returns whether that is one of the best breaks. */
static bool take_slot(const struct tally *tally, const struct best *best, uint32_t at, uint32_t index,
                      unsigned char *slot)
{
    if (at < best->first || at > best->last || tally->header.wrong + count_with_break(tally, at) != best->unfit)
        return false;
    put_together(tally->torn, at, native_slot_offset(index), slot, TLOG_SLOT_BYTES);
    return true;
}

/* Whether a slot is not the same with all of the best breaks. Those that are not in it are ahead of it or behind it. */
static bool differs(const struct tally *tally, const struct best *best, uint32_t index)
{
    unsigned char slot[2][TLOG_SLOT_BYTES];
    uint32_t at = (uint32_t)native_slot_offset(index), end = at + TLOG_SLOT_BYTES;
    unsigned n = 0;
    if (is_unwritten(tally, index))
        return false;
    if (best->first <= at)
        put_together(tally->torn, at, at, slot[n++], TLOG_SLOT_BYTES);
    if (best->last >= end)
        put_together(tally->torn, end, at, slot[n++], TLOG_SLOT_BYTES);
    for (uint32_t in = at + 1u; in < end; in++) {
        if (n == 2u && memcmp(slot[0], slot[1], TLOG_SLOT_BYTES) != 0)
            return true;
        n = n == 2u ? 1u : n;
        n += take_slot(tally, best, in, index, slot[n]);
    }
    return n == 2u && memcmp(slot[0], slot[1], TLOG_SLOT_BYTES) != 0;
}

/* If the bytes that came in are a copy of those beside them, and the best breaks are there, too, the break is there: it
 * does not matter which of these bytes are the copy. */
static void prefer_copy(const struct tally *tally, struct best *best)
{
    const unsigned char *bytes = tally->torn->bytes;
    uint32_t by = (uint32_t)tally->torn->by, same = 0;
    for (uint32_t at = best->first; by >= COPY_LEAST && at < best->last && at + by < tally->torn->n; at++) {
        same = bytes[at] == bytes[at + by] ? same + 1u : 0;
        if (same < by
            || (at + 1u < best->last && at + 1u + by < tally->torn->n && bytes[at + 1u] == bytes[at + 1u + by]))
            continue;
        best->first = at + 1u - same;
        best->last = at + 1u;
        return;
    }
}

/* Note that a slot is torn. The slots between the first ones that follow each other and the last ones may be whole. */
static void tear(struct native_displacement *displaced, uint32_t index)
{
    struct native_slots *torn = displaced->torn;
    struct native_slots *to = torn[0].first == 0 || torn[0].last + 1u == index ? &torn[0] : &torn[1];
    to->first = to->first > 0 ? to->first : (uint16_t)index;
    to->last = (uint16_t)index;
}

/* Bytes came in: the slots between the first and the last break are torn if they are not the same with all of these. */
static void tear_inserted(const struct tally *tally, struct best *best, struct native_displacement *displaced)
{
    uint32_t first, last;
    prefer_copy(tally, best);
    first = last_ahead(tally, best->first) + 1u;
    last = first_behind(tally, best->last) - 1u;
    displaced->from = best->first;
    if (best->first == best->last && (first > last || fits_together(tally, best->first, first)))
        return;
    for (uint32_t i = first; i <= last && i <= tally->last; i++) {
        if (differs(tally, best, i))
            tear(displaced, i);
    }
}

/* The ticks between the slots on both sides of a break. */
static uint32_t gap_at(const struct tally *tally, uint32_t at)
{
    const unsigned char *ahead = front_slot(tally, last_ahead(tally, at)), *behind = NULL;
    if (first_behind(tally, at) <= tally->last)
        behind = rear_slot(tally, first_behind(tally, at));
    return ahead == NULL || behind == NULL ? 0 : native_low_stamp(behind) - native_low_stamp(ahead);
}

/* Whole slots were lost, and nothing tells where these were: the others are the same with each of the best breaks, but
 * for their numbers. Choose the break at which most time has passed. */
static void choose_break(const struct tally *tally, struct best *best)
{
    uint32_t first = (uint32_t)native_slot_offset(last_ahead(tally, best->first + TLOG_SLOT_BYTES - 1u) + 1u);
    uint32_t longest = 0, chosen = first;
    for (uint32_t at = first; at <= best->last; at += TLOG_SLOT_BYTES) {
        uint32_t gap = gap_at(tally, at);
        if (gap <= longest || gap > INT32_MAX || tally->header.wrong + count_with_break(tally, at) != best->unfit)
            continue;
        longest = gap;
        chosen = at;
    }
    best->first = best->last = chosen;
}

/* Bytes were lost: all slots are torn that may have had some of them. */
static void tear_deleted(const struct tally *tally, struct best *best, struct native_displacement *displaced)
{
    uint32_t from = best->first > TLOG_HEADER_BYTES ? best->first : TLOG_HEADER_BYTES;
    if (hole(tally->torn) % TLOG_SLOT_BYTES == 0 && best->last > from + TLOG_SLOT_BYTES)
        choose_break(tally, best);
    displaced->from = best->last + hole(tally->torn);
    displaced->torn[0] = (struct native_slots){(uint16_t)(last_ahead(tally, best->first) + 1u),
                                               (uint16_t)(first_behind(tally, best->last) - 1u)};
}

/* How many slots are looked at with a break: those that were written. */
static uint32_t count_written(struct tally *tally, uint32_t at)
{
    struct header header = tally->header;
    uint32_t n = 0;
    if (at < TLOG_HEADER_BYTES)
        tally->header = read_header(tally->torn, at);
    for (uint32_t i = 1; i <= tally->last; i++)
        n += !is_unwritten(tally, i);
    tally->header = header;
    return n;
}

/* Find the break, with working space for the sums. */
static bool search(struct tally *tally, struct native_displacement *displaced)
{
    struct best best = {UINT32_MAX, 0, 0};
    uint32_t none, end = (uint32_t)native_slot_offset(tally->last + 1u);
    try_breaks(tally, &best);
    none = tally->header.wrong + tally->front[tally->last];
    if (best.unfit >= none || best.first >= end || best.unfit * FIT_PART > count_written(tally, best.first))
        return false;
    *displaced = (struct native_displacement){.by = tally->torn->by};
    if (tally->torn->by > 0)
        tear_inserted(tally, &best, displaced);
    else
        tear_deleted(tally, &best, displaced);
    return true;
}

bool native_break_search(const struct native_torn *torn, struct native_displacement *displaced)
{
    struct native_layout layout = torn->image->layout;
    uint32_t last = native_last_slot(layout);
    uint32_t *sums = heap_calloc(2u * ((size_t)last + 3u), sizeof *sums);
    struct tally tally = {.torn = torn, .last = last, .front = sums};
    bool found;
    if (sums == NULL)
        return false;
    tally.rear = sums + last + 1u;
    found = search(&tally, displaced);
    heap_free(sums);
    return found;
}

void native_break_read_words(struct native_view *view, const struct native_image *image, struct tlog_chunk *header)
{
    size_t from = image->displaced.from, lost = image->displaced.by < 0 ? (size_t)-image->displaced.by : 0;
    struct tlog_chunk words;
    if (!native_has_break_in_header(image))
        return;
    native_view_load(view, image, NATIVE_WORDS_AT, TLOG_HEADER_BYTES - NATIVE_WORDS_AT);
    for (size_t at = from - lost; at < from && at < TLOG_HEADER_BYTES; at++)
        view->bytes[at] = 0;
    words = native_read_header(view->bytes);
    memcpy((unsigned char *)header + NATIVE_WORDS_AT, (unsigned char *)&words + NATIVE_WORDS_AT,
           sizeof words - NATIVE_WORDS_AT);
}
