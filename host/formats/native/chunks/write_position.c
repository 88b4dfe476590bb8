/* write_position.c - where the firmware would have written next, by cursor, lap word and tags: see write_position.h. */
#include "formats/native/chunks/write_position.h"

#define SLOTS_READ    64u /* at once, where few are needed */
#define SLOTS_BEGIN   4u  /* of a lap: one of them is its CONTROL BUFFER */
#define SLOTS_OF_TIME 2u  /* that a ring is opened with: CONTROL BUFFER and TIME; or none */

/* Bits of the two words that are always 0. */
#define LAP_ZERO    0xFCFFu
#define CURSOR_ZERO 0xFCFFu

/* ---- the words --------------------------------------------------------------------------------------------------- */

static bool is_at_most_one_bit(uint32_t bits)
{
    return (bits & (bits - 1u)) == 0;
}

/* The lap word tells twice whether the lap is odd: by its tag and by its count. If they differ the tag is believed. If
 * several bits are not 0 that should be, or all are 0, it is no lap word any more. */
static void read_lap(struct native_position *position, uint32_t word, uint32_t high)
{
    uint32_t tag = word & TLOG_TAG_MASK;
    position->lap = native_count(word, high) >> TLOG_LAP_SHIFT;
    if ((word & LAP_ZERO) == 0 && tag == native_tag(position->lap))
        return;
    position->why = "the lap word of a chunk was damaged; its other bits tell what it was";
    position->lap_lost = word == 0 || !is_at_most_one_bit(word & LAP_ZERO);
    if (native_is_one_tag(tag) && tag != native_tag(position->lap))
        position->lap ^= 1u;
}

/* The cursor of a parked chunk bears both tags. If a cursor bears the tag of the lap behind the one in the lap word,
 * that lap was opened, but not counted yet. The cursor of a chunk that was never opened is behind its slots: if it is
 * not, and bears the tag of even laps, the lap is 2 at least. */
static void read_cursor(struct native_position *position, uint32_t word, uint32_t slots)
{
    uint32_t tag = word & TLOG_TAG_MASK;
    bool wrong = !is_at_most_one_bit(word & CURSOR_ZERO);
    position->slot = word >> TLOG_CURSOR_SHIFT;
    if (tag == 0 || (word & CURSOR_ZERO) != 0)
        position->why = "the cursor of a chunk was damaged; the tags of its slots tell what it was";
    if (position->lap_lost)
        position->lap = native_is_one_tag(tag) && !wrong ? 2u + (tag == TLOG_TAG_ODD) : 2u;
    if (native_is_one_tag(tag) && !wrong && tag != native_tag(position->lap))
        position->lap++;
    if (position->slot == 0 || position->slot > slots + 1u || wrong
        || (position->lap_lost && !native_is_one_tag(tag))) {
        position->doubtful = true;
        position->slot = 0;
    }
    if (position->lap == 0 && tag == TLOG_TAG_EVEN && position->slot <= slots) {
        position->why = "the lap word of a chunk was damaged; its cursor tells that it was opened";
        position->lap = 2;
    }
}

static uint32_t load_tag(struct native_view *view, const struct native_image *image, uint32_t index)
{
    native_view_load(view, image, native_slot_offset(index), TLOG_SLOT_BYTES);
    return native_slot_tag(native_view_slot(view, index));
}

void native_position_read(const struct native_image *image, uint32_t cursor, uint32_t lap, uint32_t lap_high,
                          struct native_position *position)
{
    *position = (struct native_position){.lap = 0};
    read_lap(position, lap, lap_high);
    read_cursor(position, cursor, image->layout.slots);
}

/* Whether a chunk was never opened, or only just: it has no event yet, but for the slots that tell the time. */
static bool is_fresh(const struct tlog_chunk *chunk)
{
    uint32_t slot = chunk->cursor >> TLOG_CURSOR_SHIFT, tag = chunk->cursor & ~(UINT32_MAX << TLOG_CURSOR_SHIFT);
    if (chunk->lap_high != 0)
        return false;
    if (chunk->lap == TLOG_LAP_NONE)
        return tag == TLOG_TAG_EVEN;
    return chunk->lap == TLOG_LAP_FIRST && tag == TLOG_TAG_ODD && (slot == 1u || slot == 1u + SLOTS_OF_TIME);
}

bool native_position_is_taken_back(const struct tlog_chunk *chunk)
{
    bool is_free = (chunk->place >> 16 & TLOG_ROLE_MASK) == TLOG_ROLE_FREE;
    return chunk->magic == 0 && chunk->tag == TLOG_WIRE_TAG && (is_free || is_fresh(chunk));
}

/* Whether a slot may bear a tag where another one is expected: claimed slots bear both tags. In lap 1 few are: those
 * that tlog_start() was emptying when it was interrupted. */
static bool is_tag(uint32_t tag, uint32_t expected)
{
    return tag == expected || tag == TLOG_TAG_MASK;
}

/* Whether the slots from one on are empty, up to the end mark, which stands behind what is formatted, or to a slot that
 * tlog_start() was emptying when it was interrupted: so it is at the cursor of lap 1. */
static bool is_unused_to_mark(struct native_view *view, const struct native_image *image, uint32_t index)
{
    uint32_t have = native_slots_available(image), head = TLOG_SLOT_EMPTY, loaded = index;
    for (; index <= have && head == TLOG_SLOT_EMPTY; index++) {
        if (index == loaded) {
            loaded = have + 1u - index < SLOTS_READ ? have + 1u : index + SLOTS_READ;
            native_view_load(view, image, native_slot_offset(index), (loaded - index) * (size_t)TLOG_SLOT_BYTES);
        }
        head = native_head(native_view_slot(view, index));
    }
    return head == TLOG_SLOT_EMPTY || head == TLOG_TAG_MASK || head == TLOG_SLOT_CLAIMED;
}

bool native_position_has_unused(struct native_view *view, const struct native_image *image,
                                const struct native_position *position)
{
    return !position->doubtful
           && (position->slot > native_slots_available(image) || is_unused_to_mark(view, image, position->slot));
}

bool native_position_fits(struct native_view *view, const struct native_image *image,
                          const struct native_position *position)
{
    uint32_t have = native_slots_available(image);
    if (position->doubtful || position->lap_lost)
        return false;
    if (position->slot > 1u && position->slot - 1u <= have
        && !is_tag(load_tag(view, image, position->slot - 1u), native_tag(position->lap)))
        return false;
    if (position->slot > have)
        return true;
    if (position->lap <= 1u)
        return is_unused_to_mark(view, image, position->slot);
    return is_tag(load_tag(view, image, position->slot), native_tag_before(position->lap))
           && native_head(native_view_slot(view, position->slot)) != TLOG_SLOT_EMPTY;
}

/* ---- the tags of all slots --------------------------------------------------------------------------------------- */

/* How many slots bear a wrong tag if slot `index` is the next one. Like the functions below, it looks at the first
 * `have` slots, which are in view. */
static uint32_t count_wrong(const struct native_view *view, const struct native_position *position, uint32_t have,
                            uint32_t index)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i <= have; i++) {
        uint32_t expected = i < index ? native_tag(position->lap) : native_tag_before(position->lap);
        n += !is_tag(native_slot_tag(native_view_slot(view, i)), expected);
    }
    return n;
}

/* The next slot with which the fewest slots bear a wrong tag. */
static uint32_t best_index(const struct native_view *view, const struct native_position *position, uint32_t have)
{
    uint32_t now = count_wrong(view, position, have, 1), least = now, best = 1;
    for (uint32_t i = 1; i <= have; i++) {
        uint32_t tag = native_slot_tag(native_view_slot(view, i));
        now += !is_tag(tag, native_tag(position->lap));
        now -= !is_tag(tag, native_tag_before(position->lap));
        if (now < least) {
            least = now;
            best = i + 1u;
        }
    }
    return best;
}

/* Whether the clock of a slot is not before that of the one ahead of it. */
static bool is_low_behind(const unsigned char *slot, const unsigned char *ahead)
{
    return (int32_t)(native_low_stamp(slot) - native_low_stamp(ahead)) >= 0;
}

/* A slot behind the cursor bears the tag of the open lap. Either it is of that lap, and the cursor is wrong: then it is
 * later than all slots of the lap before. Or it was never finished in the lap before, and has kept its tag. True: it is
 * of the open lap. */
static bool is_of_open_lap(const struct native_view *view, const struct native_image *image,
                           const struct native_position *position, uint32_t have, uint32_t index)
{
    const unsigned char *slot = native_view_slot(view, index);
    if (position->lap <= 1u || native_is_traceevent(native_head(slot)))
        return position->lap <= 1u || index == 1u || is_low_behind(slot, native_view_slot(view, index - 1u));
    if (!native_is_record(slot))
        return false;
    for (uint32_t i = have; i > index; i--) {
        const unsigned char *other = native_view_slot(view, i);
        if (native_slot_tag(other) == native_tag_before(position->lap) && native_is_record(other))
            return native_stamp_in(image, slot) >= native_stamp_in(image, other);
    }
    if (index > 1u && native_is_record(native_view_slot(view, index - 1u)))
        return native_stamp_in(image, slot) >= native_stamp_in(image, native_view_slot(view, index - 1u));
    return true;
}

/* How many of n slots in view are formatted in lap 1: those ahead of the end mark, which moves on behind the last
 * slot. */
static uint32_t count_formatted(const struct native_view *view, uint32_t n)
{
    for (uint32_t i = 1; i <= n; i++) {
        if (native_head(native_view_slot(view, i)) == TLOG_TAG_MASK)
            return i - 1u;
    }
    return n;
}

static bool is_never_written(const struct native_view *view, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i++) {
        if (native_head(native_view_slot(view, i)) != TLOG_SLOT_EMPTY)
            return false;
    }
    return first <= last;
}

/* Whether the cursor is believed although `best` agrees with the tags of more slots. */
static bool is_believed(const struct native_view *view, const struct native_image *image,
                        const struct native_position *position, uint32_t have, uint32_t best)
{
    if (position->doubtful)
        return false;
    if (best != position->slot
        && count_wrong(view, position, have, position->slot) - count_wrong(view, position, have, best)
               >= NATIVE_UNFINISHED_MAX)
        return false;
    return best <= position->slot || !is_of_open_lap(view, image, position, have, position->slot);
}

/* ---- the number of the lap --------------------------------------------------------------------------------------- */

uint32_t native_position_logged_lap(struct native_view *view, const struct native_image *image, uint32_t used)
{
    uint32_t have = native_slots_available(image), last = have < SLOTS_BEGIN ? have : SLOTS_BEGIN;
    native_view_load(view, image, TLOG_HEADER_BYTES, (size_t)last * TLOG_SLOT_BYTES);
    for (uint32_t i = 1; i <= last; i++) {
        const unsigned char *slot = native_view_slot(view, i);
        uint32_t lap = get_le32(slot + NATIVE_DATA);
        if (native_is_control(slot, TLOG_CONTROL_BUFFER) && native_is_sound(slot) && !native_is_torn(image, i)
            && get_le32(slot + NATIVE_DATA + 4) == image->layout.slots && native_slot_tag(slot) == native_tag(lap))
            return i <= used ? lap : lap + 1u;
    }
    return 0;
}

/* How many slots bear a wrong tag in the best position of a lap. */
static uint32_t count_least(const struct native_view *view, uint64_t lap, uint32_t have)
{
    const struct native_position position = {.lap = lap};
    return count_wrong(view, &position, have, best_index(view, &position, have));
}

/* Whether the tags of the slots contradict the lap less if it is another one, even or odd. A lap that the words of the
 * header tell is only doubted if so many slots do as are never unfinished. */
static bool is_other_parity(const struct native_view *view, const struct native_position *position, uint32_t have)
{
    uint32_t wrong = count_least(view, position->lap, have), other = count_least(view, position->lap + 1u, have);
    return other + (position->lap_lost && position->doubtful ? 1u : NATIVE_UNFINISHED_MAX) <= wrong;
}

/* The lap word tells nothing: take the number that the lap has at least, or the one that was logged. */
static void guess_lap(struct native_view *view, const struct native_image *image, struct native_position *position,
                      uint32_t formatted)
{
    uint32_t best = best_index(view, position, formatted), logged;
    if (position->lap % 2u != 0 && (best > formatted || is_never_written(view, best, formatted)))
        position->lap = 1;
    logged = native_position_logged_lap(view, image, best - 1u);
    if (logged != 0 && logged % 2u == position->lap % 2u)
        position->lap = logged;
}

/* Set the lap that is open, if the words do not tell it. A single empty slot does not tell that it is the first one:
 * the slot at the cursor may have been emptied. `have` slots are in view, `formatted` of them are formatted if it is
 * lap 1. */
static void correct_lap(struct native_view *view, const struct native_image *image, struct native_position *position,
                        uint32_t have, uint32_t formatted)
{
    if (position->lap > 1u && is_other_parity(view, position, have)) {
        position->why = "the lap word of a chunk was damaged: the tags of its slots tell another lap";
        position->lap = position->lap_lost ? 5u - position->lap : position->lap ^ 1u;
    }
    if (position->lap_lost)
        guess_lap(view, image, position, formatted);
    else if (position->lap > 1u && (position->lap & 1u) && position->slot < formatted
             && is_never_written(view, position->slot ? position->slot : 1u, formatted)) {
        position->why = "the lap word of a chunk was damaged: slots that were never written tell that it is the first";
        position->lap = 1;
    }
}

void native_position_correct(struct native_view *view, const struct native_image *image,
                             struct native_position *position)
{
    uint32_t have = native_slots_available(image), formatted, best;
    native_view_load(view, image, TLOG_HEADER_BYTES, (size_t)have * TLOG_SLOT_BYTES);
    formatted = count_formatted(view, have);
    correct_lap(view, image, position, have, formatted);
    have = position->lap <= 1u ? formatted : have;
    best = best_index(view, position, have);
    if (is_believed(view, image, position, have, best))
        return;
    position->slot = best;
    position->why = "the cursor of a chunk was damaged; the tags of its slots tell what it was";
}
