/* image.c - one chunk image behind its header: how much of it there is, its seal, which laps its slots hold.
 *
 * A current seal vouches for the changing words of the header. Without one the slots' tags are asked: they show where
 * the cursor stood, up to slots whose writers had not finished. Only what contradicts them is overruled, and said to be
 * damage.
 */
#include "native/laps.h"

#include "base/crc32.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SEAL_GROUPS_MAX (2u * ((TLOG_SLOTS_MAX + TLOG_GROUP_SLOTS - 1u) / TLOG_GROUP_SLOTS))
#define SEAL_CRC_AT     28u /* in the seal; what it protects stands on both sides of it */
#define SEAL_WORDS      5u  /* of the header, kept in the seal from byte 4 on */

#define TIME_SAMPLES 5u  /* events looked at to know a lap's time: the middle one is right even if two are damaged */
#define TIME_SLOTS   64u /* slots looked at at once: first so many, then more and more, for a lap may have no records */

/* Offsets in the header of the words that the seal keeps, in its order. */
enum { CURSOR, LAP, DROPPED, REPORTED, EMERGENCY_USED };
static const size_t sealed_words[SEAL_WORDS] = {96, 100, 104, 108, 72};

/* ---- bytes in view ---------------------------------------------------------------------------------------------- */

static bool is_zero(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != 0)
            return false;
    }
    return true;
}

/* ---- how much of the image there is ------------------------------------------------------------------------------ */

static bool has_end_mark(struct native_view *view, const struct native_image *image)
{
    const unsigned char *mark = view->bytes + native_slot_offset(image->slots + 1u);

    native_view_part(view, image, native_slot_offset(image->slots + 1u), TLOG_SLOT_BYTES);
    return get_le32(mark) == TLOG_TAG_MASK && is_zero(mark + 4, TLOG_SLOT_BYTES - 4u);
}

static bool has_padding(struct native_view *view, const struct native_image *image)
{
    size_t at = native_seal_offset(image) + native_seal_size(image);

    native_view_part(view, image, at, image->size - at);
    return is_zero(view->bytes + at, image->size - at);
}

/* An image whose end is not where it should be may have been cut, and the next one follow at once: how many of its
 * bytes there are, of `have` if so. Its header takes `header` of them. */
static uint32_t find_cut(const struct native_view *view, const struct native_image *image, uint32_t header,
                         uint32_t have)
{
    struct native_header next;
    uint64_t from = image->offset + header, to = image->offset + have;
    enum native_found found;

    while (from < to) {
        found = native_find(view->in, from, to, &next);
        if (found == NATIVE_NOTHING || next.offset >= to)
            return have;
        if (found == NATIVE_HEADER || next.intact)
            return (uint32_t)(next.offset - image->offset);
        from = next.offset + 4u;
    }
    return have;
}

/* ---- the seal ---------------------------------------------------------------------------------------------------- */

enum seal_state { SEAL_NONE, SEAL_RIGHT, SEAL_DAMAGED };

/* Offset in the seal of what is protected by its CRC at `at`. */
static uint32_t seal_place(uint32_t at, uint32_t protected)
{
    if (at >= protected)
        return SEAL_CRC_AT + (at - protected);
    return at < SEAL_CRC_AT ? at : at + 4u;
}

/* The difference between the CRC that the seal bears and the one it should. */
static uint32_t seal_difference(const unsigned char *seal, size_t size)
{
    unsigned char bytes[sizeof(struct tlog_seal) + 4u * SEAL_GROUPS_MAX];

    memcpy(bytes, seal, SEAL_CRC_AT);
    memcpy(bytes + SEAL_CRC_AT, seal + SEAL_CRC_AT + 4u, size - SEAL_CRC_AT - 4u);
    return crc32_of(bytes, size - 4u) ^ get_le32(seal + SEAL_CRC_AT);
}

/* Mend one damaged byte of the seal, in view and whenever it comes into view again. */
static bool mend_seal(struct native_view *view, struct native_image *image, uint32_t difference)
{
    uint32_t protected = (uint32_t)native_seal_size(image) - 4u;
    struct crc32_error error = crc32_locate(difference, protected);

    if (error.at == CRC32_NOWHERE)
        return false;
    image->mend_at = (uint32_t)native_seal_offset(image) + seal_place(error.at, protected);
    image->mend = error.bits;
    view->bytes[image->mend_at] ^= error.bits;
    trace_damage(view->trace, image->offset + image->mend_at, 0, 0,
                 "a byte of a chunk's seal was damaged; its CRC tells what it was");
    return true;
}

static enum seal_state look_at_seal(struct native_view *view, struct native_image *image)
{
    size_t at = native_seal_offset(image), size = native_seal_size(image);
    const unsigned char *seal = view->bytes + at;
    uint32_t difference;

    if (image->available < at + size)
        return SEAL_NONE;
    native_view_part(view, image, at, size);
    if (get_le32(seal) == 0)
        return SEAL_NONE; /* never sealed; or not at rest when it would have been sealed again */
    difference = seal_difference(seal, size);
    if (difference != 0 && !mend_seal(view, image, difference))
        return SEAL_DAMAGED;
    return get_le32(seal) == TLOG_WIRE_SEAL ? SEAL_RIGHT : SEAL_DAMAGED;
}

/* ---- seal against header ----------------------------------------------------------------------------------------- */

static bool is_group_right(const struct native_view *view, const struct native_image *image, size_t group)
{
    return crc32_of(view->bytes + native_group_offset(image, group), native_group_size(image, group))
           == native_group_crc(view, image, group);
}

/* Whether some group is as it was sealed although a slot of it was filled since, if `now` is true and `then` was
 * sealed. */
static bool has_old_group(const struct native_view *view, const struct native_image *image,
                          const struct native_laps *then, const struct native_laps *now)
{
    uint64_t from = (uint64_t)then->lap * image->slots + then->index - 1u;
    uint64_t to = (uint64_t)now->lap * image->slots + now->index - 1u;

    if (to - from > image->slots)
        to = from + image->slots;
    while (from < to) {
        size_t slot = (size_t)(from % image->slots), group = slot / TLOG_GROUP_SLOTS;

        if (is_group_right(view, image, group))
            return true;
        from += native_group_size(image, group) / TLOG_SLOT_BYTES - slot % TLOG_GROUP_SLOTS;
    }
    return false;
}

/* A word of the header, and what it was when it was sealed. */
static uint32_t word_now(const unsigned char *header, unsigned word)
{
    return get_le32(header + sealed_words[word]);
}

static uint32_t word_then(const unsigned char *words, unsigned word)
{
    return get_le32(words + 4u * word);
}

/* Whether no slot was taken since the chunk was sealed; it may have been parked. */
static bool is_where_it_was(const unsigned char *words, const unsigned char *header)
{
    uint32_t then = word_then(words, CURSOR), now = word_now(header, CURSOR);

    return (now == then || now == (then | TLOG_TAG_MASK)) && word_now(header, LAP) == word_then(words, LAP);
}

/* Whether the header's emergency slots have been filled since: no group that the fillings changed is as it was. */
static bool emergency_was_used(struct native_view *view, const struct native_image *image, const unsigned char *words,
                               const unsigned char *header)
{
    uint32_t then = word_then(words, EMERGENCY_USED), now = word_now(header, EMERGENCY_USED);
    uint32_t first = image->slots + 2u;
    bool used = now > then && now <= image->emergency;

    if (!used)
        return false;
    native_view_part(view, image, native_slot_offset(first), (size_t)image->emergency * TLOG_SLOT_BYTES);
    for (uint32_t i = then; i < now && used; i++)
        used = !is_group_right(view, image, native_group_of(image, first + i));
    return used;
}

/* Whether more events may have been lost although no slot was taken: a chunk that is full for good loses all, and one
 * that was losing is parked. */
static bool more_was_lost(const struct native_image *image, const unsigned char *words, const unsigned char *header)
{
    uint32_t cursor = word_now(header, CURSOR);
    bool is_closed = (cursor & TLOG_TAG_MASK) == TLOG_TAG_MASK || (image->stops && cursor >> 16 > image->slots);

    return is_closed && word_now(header, DROPPED) - word_then(words, DROPPED) <= INT32_MAX;
}

/* No normal slot was taken since. Can the counts be what they are? */
static bool counts_are_damaged(struct native_view *view, const struct native_image *image, const unsigned char *words,
                               const unsigned char *header)
{
    bool lost = word_now(header, DROPPED) != word_then(words, DROPPED);
    bool used = word_now(header, EMERGENCY_USED) != word_then(words, EMERGENCY_USED);

    return word_now(header, REPORTED) != word_then(words, REPORTED) || (lost && !more_was_lost(image, words, header))
           || (used && !emergency_was_used(view, image, words, header));
}

/* The seal's words differ from the header's. Were events logged since, or are the header's words damaged? */
static bool header_is_damaged(struct native_view *view, struct native_image *image, const unsigned char *words,
                              const unsigned char *header)
{
    struct native_laps then, now;
    bool right = true;

    if (is_where_it_was(words, header))
        return counts_are_damaged(view, image, words, header);
    native_view_part(view, image, TLOG_HEADER_BYTES, (size_t)image->slots * TLOG_SLOT_BYTES);
    for (size_t group = 0; group < native_groups(image->slots) && right; group++)
        right = is_group_right(view, image, group);
    native_laps_tell(view, image, word_then(words, CURSOR), word_then(words, LAP), &then);
    native_laps_tell(view, image, word_now(header, CURSOR), word_now(header, LAP), &now);
    if (right || now.why != NULL || now.doubtful || now.lap < then.lap
        || (now.lap == then.lap && now.index < then.index))
        return true;
    return has_old_group(view, image, &then, &now)
           || (!native_laps_fit(view, image, &now) && native_laps_fit(view, image, &then));
}

/* Compare the seal's words with the header's, which are put right if it is they that are damaged. */
static void apply_seal(struct native_view *view, struct native_image *image, unsigned char *header)
{
    const unsigned char *words = view->bytes + native_seal_offset(image) + 4;
    bool same = true, same_slots, damaged;

    for (unsigned i = 0; i < SEAL_WORDS; i++)
        same = same && word_then(words, i) == word_now(header, i);
    same_slots = is_where_it_was(words, header) && word_then(words, EMERGENCY_USED) == word_now(header, EMERGENCY_USED);
    damaged = !same && header_is_damaged(view, image, words, header);
    image->sealed = same_slots || damaged;
    if (!damaged)
        return;
    for (size_t i = 0; i < SEAL_WORDS; i++)
        memcpy(header + sealed_words[i], words + 4u * i, 4);
    trace_damage(view->trace, image->offset + TLOG_CURSOR_OFFSET, 0, 0,
                 "the changing words of a chunk's header were damaged; the seal's are used");
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static void read_laps(struct native_view *view, struct native_image *image, const unsigned char *header)
{
    struct native_laps laps;

    native_laps_tell(view, image, word_now(header, CURSOR), word_now(header, LAP), &laps);
    if (laps.lap > 0 && !image->sealed && !native_laps_fit(view, image, &laps))
        native_laps_settle(view, image, &laps);
    image->lap = laps.lap;
    image->used = (uint16_t)(laps.lap == 0 || laps.index == 0 ? 0 : laps.index - 1u);
    if (laps.why != NULL)
        trace_damage(view->trace, native_place(image, TLOG_CURSOR_OFFSET), 0, 0, "%s", laps.why);
}

static void read_counts(struct native_view *view, struct native_image *image, const unsigned char *header)
{
    uint32_t urgent = word_now(header, EMERGENCY_USED);

    image->dropped = word_now(header, DROPPED);
    image->reported = word_now(header, REPORTED);
    image->emergency_used = (uint16_t)(urgent < image->emergency ? urgent : image->emergency);
    if (urgent > image->emergency)
        trace_damage(view->trace, native_place(image, 72), 0, 0,
                     "a chunk's counts were damaged: %" PRIu32 " of %u emergency slots used", urgent, image->emergency);
    if ((int32_t)(image->dropped - image->reported) >= 0)
        return;
    trace_damage(view->trace, native_place(image, 104), 0, 0,
                 "a chunk's counts were damaged: %" PRIu32 " events lost, of them %" PRIu32 " told", image->dropped,
                 image->reported);
    image->reported = image->dropped;
}

static void sort_times(uint64_t *time, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        for (size_t j = i; j > 0 && time[j] < time[j - 1u]; j--) {
            uint64_t swap = time[j];

            time[j] = time[j - 1u];
            time[j - 1u] = swap;
        }
    }
}

/* The next slot that is no traceevent's; there may be no other ones in a lap. */
static const unsigned char *skip_traceevents(const unsigned char *slot, const unsigned char *end)
{
    while (slot < end && (get_le32(slot) & TLOG_CLASS_MASK) != 0)
        slot += TLOG_SLOT_BYTES;
    return slot;
}

/* Add to n times those of the lap's records among the slots. The number of times then. */
static size_t add_times(const struct native_image *image, const unsigned char *slot, uint32_t slots, uint32_t tag,
                        uint64_t *time, size_t n)
{
    const unsigned char *end = slot + (size_t)slots * TLOG_SLOT_BYTES;

    for (; (slot = skip_traceevents(slot, end)) < end; slot += TLOG_SLOT_BYTES) {
        if (native_slot_tag(slot) == tag && native_is_record(slot) && n < TIME_SAMPLES)
            time[n++] = native_ticks_in(image, slot);
    }
    return n;
}

/* A time from the beginning of what the image has of a lap, in slots first to last. */
static uint64_t lap_time(struct native_view *view, const struct native_image *image, uint32_t lap, uint32_t first,
                         uint32_t last)
{
    uint64_t time[TIME_SAMPLES];
    uint32_t slots;
    size_t n = 0;

    while (last >= first && !native_has_slot(image, last))
        last--;
    for (uint32_t i = first, most = TIME_SLOTS; i <= last && n < TIME_SAMPLES; i += slots, most *= 2u) {
        slots = last - i + 1u < most ? last - i + 1u : most;
        native_view_part(view, image, native_slot_offset(i), slots * TLOG_SLOT_BYTES);
        n = add_times(image, native_view_slot(view, i), slots, native_tag(lap), time, n);
    }
    sort_times(time, n);
    return n > 0 ? time[(n - 1u) / 2u] : NATIVE_TIME_UNKNOWN;
}

static void read_times(struct native_view *view, struct native_image *image)
{
    image->time[0] = image->time[1] = NATIVE_TIME_UNKNOWN;
    image->time[2] = lap_time(view, image, 1, image->slots + 2u, image->slots + 1u + image->emergency_used);
    if (image->lap > 0)
        image->time[1] = lap_time(view, image, image->lap, 1, image->used);
    if (image->lap > 1u)
        image->time[0] = lap_time(view, image, image->lap - 1u, image->used + 1u, image->slots);
}

static void read_constants(struct native_image *image, const struct native_header *header)
{
    const unsigned char *bytes = header->bytes;

    memset(image, 0, sizeof *image);
    image->offset = header->offset;
    image->mend_at = NATIVE_MEND_NONE;
    image->place = get_le32(bytes + 12);
    image->self = get_le32(bytes + 16);
    image->slots = (uint16_t)get_le32(bytes + 20);
    image->emergency = (uint16_t)get_le32(bytes + 24);
    image->size = get_le32(bytes + 28);
    image->freq = get_le32(bytes + 32);
    image->boot = get_le32(bytes + 36);
    image->next = get_le32(bytes + 64);
    image->stops = (get_le32(bytes + 68) & TLOG_CHUNK_STOP) != 0 || image->next == TLOG_NEXT_STOP;
    image->region_size = header->region_size;
    image->packed = header->region_size > 0;
}

/* Of that many bytes from the image's offset on, those that the input has. */
static uint32_t in_input(const struct native_view *view, const struct native_image *image, uint32_t size)
{
    uint64_t left = input_size(view->in) - image->offset;

    return left < size ? (uint32_t)left : size;
}

/* How much of the region there is. The image made of it is whole, and what its seal says of it is true. */
static void read_region(struct native_view *view, struct native_image *image)
{
    uint32_t size = image->region_size;

    image->available = image->size;
    image->region_size = in_input(view, image, size);
    native_view_part(view, image, 0, image->size);
    image->sealed = true;
    if (view->lost == 0)
        return;
    image->region_size = find_cut(view, image, TLOG_PACK_HEAD_BYTES, image->region_size);
    native_view_change(view);
    if (image->region_size < size)
        trace_damage(view->trace, image->offset + image->region_size, 0, 0,
                     "a compressed chunk was cut short here: %" PRIu32 " bytes are missing", size - image->region_size);
}

/* How much of the image there is, and whether its end is sound. */
static void read_end(struct native_view *view, struct native_image *image, unsigned char *header)
{
    enum seal_state seal;
    bool marked, padded;

    image->available = in_input(view, image, image->size);
    seal = look_at_seal(view, image);
    marked = has_end_mark(view, image);
    padded = has_padding(view, image);
    if (seal == SEAL_DAMAGED || !padded || (seal == SEAL_NONE && (!marked || image->available < image->size)))
        image->available = find_cut(view, image, TLOG_HEADER_BYTES, image->available);
    if (image->available < image->size) {
        image->mend_at = NATIVE_MEND_NONE;
        return;
    }
    if (seal == SEAL_RIGHT)
        apply_seal(view, image, header);
    if (seal == SEAL_DAMAGED)
        trace_damage(view->trace, image->offset + native_seal_offset(image), 0, 0,
                     "the seal of a chunk is damaged; its events cannot be checked");
    if (!marked)
        trace_damage(view->trace, image->offset + native_slot_offset(image->slots + 1u), 0, 0,
                     "the end mark of a chunk is damaged");
    if (!padded)
        trace_damage(view->trace, image->offset + image->size, 0, 0, "the last bytes of a chunk are damaged");
}

/* Lost groups of a region are told of when their laps are read; those that have no slots of any lap, here. */
static void tell_unused(struct native_view *view, const struct native_image *image)
{
    size_t read = native_groups(image->lap > 1u ? image->slots : image->used), unused;

    native_view_part(view, image, 0, image->size);
    unused = view->lost;
    for (size_t group = 0; group < read && unused > 0; group++)
        unused -= !is_group_right(view, image, group);
    for (size_t group = 0; group < native_groups(image->emergency_used) && unused > 0; group++)
        unused -= !is_group_right(view, image, native_groups(image->slots) + group);
    if (unused > 0)
        trace_damage(view->trace, image->offset, 0, 0, "a compressed chunk is damaged where it has no events");
}

/* Slots that held events and are missing. */
static uint32_t slots_cut(const struct native_image *image)
{
    uint32_t held = image->lap > 1u ? image->slots : image->used, cut = 0;

    for (uint32_t i = held; i > 0 && !native_has_slot(image, i); i--)
        cut++;
    for (uint32_t i = image->emergency_used; i > 0 && !native_has_slot(image, image->slots + 1u + i); i--)
        cut++;
    return cut;
}

int native_image_open(struct native_view *view, const struct native_header *header, struct native_image *image)
{
    unsigned char bytes[TLOG_HEADER_BYTES];

    memcpy(bytes, header->bytes, sizeof bytes);
    read_constants(image, header);
    if (native_view_fit(view, image) != 0)
        return -1;
    if (header->mended_at != NATIVE_MEND_NONE)
        trace_damage(view->trace, image->offset + header->mended_at, 0, 0,
                     "a byte of a chunk's header was damaged; its CRC tells what it was");
    if (image->packed)
        read_region(view, image);
    else
        read_end(view, image, bytes);
    read_laps(view, image, bytes);
    read_counts(view, image, bytes);
    if (image->packed)
        tell_unused(view, image);
    read_times(view, image);
    if (image->available < image->size)
        trace_damage(view->trace, image->offset + image->available, 0, 0,
                     "a chunk was cut short here: %" PRIu32 " bytes are missing, with %" PRIu32 " events",
                     image->size - image->available, slots_cut(image));
    return 0;
}
