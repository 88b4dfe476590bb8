/* remains.c - what the header of an image told that is lost: see remains.h.
 *
 * Its front and its rear may have been torn apart. What is not legible comes from the seal and the slots, and from the
 * images on both sides: see origin.h.
 */
#include "formats/native/remains.h"

#include "formats/native/write_position.h"
#include "formats/native/origin.h"
#include "formats/native/seal.h"

/* The word of a header that begins at an offset of the hole; 0 where there is none. */
static uint32_t word_at(const struct native_hole *hole, int64_t header, uint32_t word)
{
    int64_t at = header + 4 * (int64_t)word;
    return at >= 0 && (size_t)at + 4u <= hole->n ? get_le32(hole->bytes + at) : 0;
}

/* Where the front of the header is: where its magic or its tag stands, if not more than a header away. */
static int64_t find_front(const struct native_hole *hole, const struct native_place *place)
{
    for (int64_t away = 0; away < TLOG_HEADER_BYTES; away++) {
        if (word_at(hole, place->at - away, 0) == TLOG_WIRE_MAGIC
            || word_at(hole, place->at - away, 1) == TLOG_WIRE_TAG)
            return place->at - away;
        if (word_at(hole, place->at + away, 0) == TLOG_WIRE_MAGIC
            || word_at(hole, place->at + away, 1) == TLOG_WIRE_TAG)
            return place->at + away;
    }
    return place->at;
}

/* Whether the check of a header is right, perhaps after a byte is mended, once the words are put in that the image
 * tells, and the one most like it. */
static bool mend_header(const struct native_hole *hole, const struct native_place *place, unsigned char *bytes)
{
    const struct native_image *like = native_hole_like(hole);
    unsigned char bits;
    uint32_t at;
    put_le32(bytes, TLOG_WIRE_MAGIC);
    put_le32(bytes + 4, TLOG_WIRE_TAG);
    put_le32(bytes + offsetof(struct tlog_chunk, slots), place->layout.slots);
    put_le32(bytes + offsetof(struct tlog_chunk, emergency), place->layout.emergency);
    put_le32(bytes + offsetof(struct tlog_chunk, buf_size), native_place_size(place->layout));
    if (like != NULL)
        put_le32(bytes + offsetof(struct tlog_chunk, freq), like->freq);
    if (native_check(bytes) == native_read_header(bytes).check)
        return true;
    at = native_check_locate(bytes, &bits);
    if (at == NATIVE_MEND_NONE)
        return false;
    bytes[at] ^= bits;
    return at >= 8u && at < 64u;
}

/* Put a header together of its front, up to a byte, and of its rear. *right: its check is right, and its layout. */
static struct tlog_chunk join_header(const struct native_hole *hole, const struct native_place *place, int64_t front,
                                     uint32_t split, bool *right)
{
    unsigned char bytes[TLOG_HEADER_BYTES] = {0}, mended[TLOG_HEADER_BYTES];
    struct tlog_chunk header;
    for (uint32_t i = 0; i < sizeof bytes; i++) {
        int64_t at = (i < split ? front : place->at) + i;
        if (at >= 0 && (size_t)at < hole->n)
            bytes[i] = hole->bytes[at];
    }
    header = native_read_header(bytes);
    *right = native_check(bytes) == header.check && header.magic == TLOG_WIRE_MAGIC
             && header.slots == place->layout.slots && header.emergency == place->layout.emergency;
    memcpy(mended, bytes, sizeof mended);
    if (*right || split > 0 || !mend_header(hole, place, mended))
        return header;
    *right = true;
    return native_read_header(mended);
}

/* What is legible of the header: its front and its rear may have been torn apart. *right: the check says that all of
 * it is right, and *chunk is it. */
static struct native_legible read_remains(const struct native_hole *hole, const struct native_place *place,
                                          struct tlog_chunk *chunk, bool *right)
{
    int64_t front = find_front(hole, place);
    struct native_legible legible;
    *chunk = join_header(hole, place, front, 0, right);
    legible.rear = *chunk;
    for (uint32_t split = 1; split <= TLOG_HEADER_BYTES && front != place->at && !*right; split++)
        *chunk = join_header(hole, place, front, split, right);
    legible.front = *right ? *chunk : join_header(hole, place, front, TLOG_HEADER_BYTES, right);
    return legible;
}

/* Whether the place holds facts. */
static bool has_facts(const struct native_hole *hole, const struct native_place *place)
{
    struct native_slots slots = native_place_slots(hole, place);
    const unsigned char *slot = native_place_slot(hole, place, 1);
    uint32_t head = slots.from == 1u && slots.to > 1u ? native_head(slot) : 0;
    return (head & TLOG_CLASS_MASK) == TLOG_CLASS_CONTROL << TLOG_CLASS_SHIFT
           && (head & TLOG_FACT_CHECK_MASK << 16) != 0 && (head & TLOG_FACT_KIND) != 0 && !native_is_no_event(slot)
           && (head & TLOG_TAG_ODD) != 0;
}

/* Fill the constant words that are not legible. If there is no image but this one it is taken for the first. False: the
 * images around the hole do not tell which chunk it is. */
static bool fill_constants(const struct native_hole *hole, const struct native_place *place,
                           const struct native_legible *legible, struct tlog_chunk *chunk)
{
    const struct native_image *like = native_hole_like(hole);
    *chunk = legible->rear;
    if (like == NULL) {
        if (!native_origin_has_place(place, chunk) || (chunk->place & 0xFFu) != 0)
            chunk->place = has_facts(hole, place) ? TLOG_ROLE_NAMES << 16 : 0;
        chunk->boot = chunk->boot != 0 ? chunk->boot : 1u;
        chunk->freq = chunk->coarse_freq = chunk->self = chunk->self_high = 0;
        return true;
    }
    if (native_origin_check(hole, place, legible, chunk))
        return true;
    chunk->freq = like->freq;
    chunk->coarse_freq = like->coarse_freq;
    return native_origin_tell(hole, place, legible, has_facts(hole, place), chunk);
}

/* Fill `next`, if it leads neither on nor back to the first chunk. */
static void fill_next(const struct native_hole *hole, const struct native_place *place, struct tlog_chunk *chunk)
{
    uint32_t number = chunk->place >> 8 & 0xFFu, size = native_place_size(place->layout), around = 0u - number * size;
    if (chunk->next == size || chunk->next == around || chunk->next == TLOG_NEXT_STOP)
        return;
    chunk->next = number < hole->known->last[chunk->place & 0xFFu] ? size : around;
}

/* Fill the changing words from the seal. */
static void fill_from_seal(const struct native_hole *hole, const struct native_place *place, struct tlog_chunk *chunk)
{
    const unsigned char *at = hole->bytes + place->at + native_seal_offset(place->layout);
    struct tlog_seal seal = native_read_seal(at);
    native_seal_restore(&seal, chunk);
}

/* Guess the lap from the tags of the slots: only whether it is odd is certain, and whether it is the first. */
static void guess_laps(const struct native_hole *hole, const struct native_place *place, struct tlog_chunk *chunk)
{
    struct native_slots slots = native_place_slots(hole, place);
    uint32_t first = 0, lap;
    bool other = false, empty = false;
    for (uint32_t i = slots.from; i < slots.to; i++) {
        const unsigned char *slot = native_place_slot(hole, place, i);
        empty = empty || native_head(slot) == TLOG_SLOT_EMPTY;
        if (!native_place_is_sound(slot))
            continue;
        first = first ? first : native_slot_tag(slot);
        other = other || native_slot_tag(slot) != first;
    }
    lap = first == TLOG_TAG_EVEN ? 2u : other && !empty ? 3u : 1u;
    memset(&chunk->next, 0, sizeof *chunk - offsetof(struct tlog_chunk, next));
    chunk->lap = lap << TLOG_LAP_SHIFT | (lap & 1u ? TLOG_TAG_ODD : TLOG_TAG_EVEN);
}

/* Whether the words cursor and lap are such as a header has. */
static bool has_laps(const struct native_place *place, const struct tlog_chunk *chunk)
{
    struct native_image image = {.layout = place->layout};
    struct native_position position;
    native_position_read(&image, chunk->cursor, chunk->lap, chunk->lap_high, &position);
    return position.why == NULL && !position.doubtful && position.lap > 0;
}

bool native_remains_read(const struct native_hole *hole, const struct native_place *place, struct native_header *header)
{
    struct tlog_chunk *chunk = &header->chunk;
    struct native_legible legible;
    bool right;
    memset(header, 0, sizeof *header);
    header->offset = hole->from + (uint64_t)place->at;
    header->mended_at = NATIVE_MEND_NONE;
    legible = read_remains(hole, place, chunk, &right);
    if (!right && !fill_constants(hole, place, &legible, chunk))
        return false;
    chunk->slots = place->layout.slots;
    chunk->emergency = place->layout.emergency;
    chunk->buf_size = native_place_size(place->layout);
    if (!has_laps(place, chunk) && place->sealed)
        fill_from_seal(hole, place, chunk);
    else if (!has_laps(place, chunk))
        guess_laps(hole, place, chunk);
    fill_next(hole, place, chunk);
    return true;
}

bool native_remains_are_right(const struct native_hole *hole, const struct native_place *place)
{
    unsigned char bytes[TLOG_HEADER_BYTES];
    if (place->at < 0 || (size_t)place->at + sizeof bytes > hole->n)
        return false;
    memcpy(bytes, hole->bytes + place->at, sizeof bytes);
    if (get_le32(bytes) == 0)
        put_le32(bytes, TLOG_WIRE_MAGIC);
    return native_check(bytes) == native_read_header(bytes).check;
}
