/* laps.c - which laps a chunk's slots hold, by its cursor and lap word, and by the tags: see laps.h. */
#include "native/laps.h"

/* More slots than this side by side are not unfinished, but behind a damaged cursor: each would be an interrupted
 * writer. */
#define UNFINISHED_MAX 8u

static bool is_one_tag(uint32_t tag)
{
    return tag == TLOG_TAG_ODD || tag == TLOG_TAG_EVEN;
}

/* The lap word says odd or even twice: in its tag and in its count. */
static void read_lap(struct native_laps *laps, uint32_t word)
{
    uint32_t tag = word & TLOG_TAG_MASK;

    laps->lap = word >> TLOG_LAP_SHIFT;
    if ((word & 0xFFu) == 0 && tag == native_tag(laps->lap))
        return;
    laps->why = "the lap word of a chunk was damaged; its other bits tell what it was";
    if (is_one_tag(tag) && tag != native_tag(laps->lap))
        laps->lap ^= 1u;
}

/* The cursor of a parked chunk bears both tags; that of a lap that is not counted yet, the one after the lap word's. */
static void read_cursor(struct native_laps *laps, uint32_t word, uint32_t slots)
{
    uint32_t tag = word & TLOG_TAG_MASK;

    laps->index = word >> TLOG_CURSOR_SHIFT;
    if (tag == 0 || (word & 0xFCFFu) != 0)
        laps->why = "the cursor of a chunk was damaged; the tags of its slots tell what it was";
    if (is_one_tag(tag) && tag != native_tag(laps->lap))
        laps->lap = (laps->lap + 1u) & (NATIVE_LAPS_WRAP - 1u);
    if (laps->index == 0 || laps->index > slots + 1u) {
        laps->doubtful = true;
        laps->index = 0;
    }
}

static uint32_t tag_in_view(struct native_view *view, const struct native_image *image, uint32_t index)
{
    native_view_part(view, image, native_slot_offset(index), TLOG_SLOT_BYTES);
    return native_slot_tag(native_view_slot(view, index));
}

static bool is_tagged_record(struct native_view *view, const struct native_image *image, uint32_t index, uint32_t tag)
{
    return index > 0 && index <= native_slots_available(image) && (tag_in_view(view, image, index) & tag) != 0
           && native_is_record(native_view_slot(view, index));
}

/* Laps are counted modulo 2^22: lap 0 that has events is lap 2^22, and lap 1 after events of an even one is the next.
 */
static void unwrap(struct native_view *view, const struct native_image *image, struct native_laps *laps)
{
    uint32_t last = native_slots_available(image);
    bool wrapped = false;

    if (laps->lap == 0)
        wrapped = is_tagged_record(view, image, 1, TLOG_TAG_MASK) || is_tagged_record(view, image, last, TLOG_TAG_MASK);
    if (laps->lap == 1u)
        wrapped = laps->index <= last && is_tagged_record(view, image, laps->index, TLOG_TAG_EVEN)
                  && is_tagged_record(view, image, last, TLOG_TAG_EVEN);
    if (wrapped)
        laps->lap += NATIVE_LAPS_WRAP;
}

/* Whether the slots on both sides of the cursor bear the tags they should. */
bool native_laps_fit(struct native_view *view, const struct native_image *image, const struct native_laps *laps)
{
    uint32_t have = native_slots_available(image);

    if (laps->doubtful)
        return false;
    if (laps->index > 1u && laps->index - 1u <= have
        && tag_in_view(view, image, laps->index - 1u) != native_tag(laps->lap))
        return false;
    if (laps->index > have)
        return true;
    return tag_in_view(view, image, laps->index) == native_tag_before(laps->lap)
           && (laps->lap == 1u || get_le32(native_view_slot(view, laps->index)) != TLOG_SLOT_EMPTY);
}

/* Slots that bear a wrong tag if the cursor stands at index. */
static uint32_t misfits(const struct native_view *view, const struct native_laps *laps, uint32_t have, uint32_t index)
{
    uint32_t n = 0;

    for (uint32_t i = 1; i <= have; i++) {
        uint32_t expected = i < index ? native_tag(laps->lap) : native_tag_before(laps->lap);

        n += native_slot_tag(native_view_slot(view, i)) != expected;
    }
    return n;
}

/* The place for the cursor that the fewest slots contradict. */
static uint32_t best_index(const struct native_view *view, const struct native_laps *laps, uint32_t have)
{
    uint32_t now = misfits(view, laps, have, 1), least = now, best = 1;

    for (uint32_t i = 1; i <= have; i++) {
        uint32_t tag = native_slot_tag(native_view_slot(view, i));

        now += tag != native_tag(laps->lap);
        now -= tag != native_tag_before(laps->lap);
        if (now < least) {
            least = now;
            best = i + 1u;
        }
    }
    return best;
}

/* A slot behind the cursor bears the open lap's tag: because it is of that lap, and the cursor wrong, or because it was
 * never finished in the lap before? What is of the open lap is later than all that is not. */
static bool is_of_open_lap(const struct native_view *view, const struct native_image *image,
                           const struct native_laps *laps, uint32_t have, uint32_t index)
{
    const unsigned char *slot = native_view_slot(view, index);

    if (laps->lap <= 1u || !native_is_record(slot))
        return laps->lap <= 1u;
    for (uint32_t i = have; i > index; i--) {
        const unsigned char *other = native_view_slot(view, i);

        if (native_slot_tag(other) == native_tag_before(laps->lap) && native_is_record(other))
            return native_ticks_in(image, slot) >= native_ticks_in(image, other);
    }
    if (index > 1u && native_is_record(native_view_slot(view, index - 1u)))
        return native_ticks_in(image, slot) >= native_ticks_in(image, native_view_slot(view, index - 1u));
    return true;
}

static bool is_never_written(const struct native_view *view, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i++) {
        if (get_le32(native_view_slot(view, i)) != TLOG_SLOT_EMPTY)
            return false;
    }
    return first <= last;
}

/* The words do not fit the tags next to the cursor: unfinished slots, or damage? */
void native_laps_settle(struct native_view *view, const struct native_image *image, struct native_laps *laps)
{
    uint32_t have = native_slots_available(image), best;

    native_view_part(view, image, TLOG_HEADER_BYTES, (size_t)have * TLOG_SLOT_BYTES);
    if (laps->lap > 1u && (laps->lap & 1u) && is_never_written(view, laps->index ? laps->index : 1u, have)) {
        laps->why = "the lap word of a chunk was damaged: slots that were never written tell that it is the first";
        laps->lap = 1;
        if (native_laps_fit(view, image, laps))
            return;
    }
    best = best_index(view, laps, have);
    if (!laps->doubtful) {
        if (best == laps->index || (best > laps->index && !is_of_open_lap(view, image, laps, have, laps->index)))
            return;
        if (best < laps->index
            && misfits(view, laps, have, laps->index) - misfits(view, laps, have, best) < UNFINISHED_MAX)
            return;
    }
    laps->index = best;
    laps->why = "the cursor of a chunk was damaged; the tags of its slots tell what it was";
}

void native_laps_tell(struct native_view *view, const struct native_image *image, uint32_t cursor, uint32_t lap,
                      struct native_laps *laps)
{
    *laps = (struct native_laps){0, 0, false, NULL};
    read_lap(laps, lap);
    read_cursor(laps, cursor, image->slots);
    unwrap(view, image, laps);
}
