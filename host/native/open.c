/* open.c - one chunk image from its header on: its end, its seal, its laps and counts: see open.h.
 *
 * The changing words of the header are relied on if a current seal confirms them. Without one the tags of the slots
 * show where the cursor stood: see native/laps.h.
 */
#include "native/open.h"

#include "native/laps.h"
#include "native/seal.h"

#include <inttypes.h>
#include <string.h>

#define STAMPS_MAX 5u  /* stamps that tell when a part was: their median is right even if two of them are damaged */
#define SLOTS_READ 64u /* slots searched for them at first; then twice as many each time, for records may be few */

/* ---- how much of the image there is ------------------------------------------------------------------------------ */

static bool is_zero(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != 0)
            return false;
    }
    return true;
}

static bool has_end_mark(struct native_view *view, const struct native_image *image)
{
    uint32_t index = image->layout.slots + 1u;
    const unsigned char *mark = native_view_slot(view, index);
    native_view_load(view, image, native_slot_offset(index), TLOG_SLOT_BYTES);
    return get_le32(mark) == TLOG_TAG_MASK && is_zero(mark + NATIVE_WORD_1, TLOG_SLOT_BYTES - NATIVE_WORD_1);
}

/* Whether the bytes behind the seal are zeros, as they should be. */
static bool has_padding(struct native_view *view, const struct native_image *image)
{
    size_t at = native_seal_offset(image->layout) + native_seal_size(image->layout);
    native_view_load(view, image, at, image->size - at);
    return is_zero(view->bytes + at, image->size - at);
}

/* The end of an image is not as it should be: it may have been cut, with the next image right behind. Returns how many
 * bytes are the image's, of the `have` bytes that it could have. The first `header` bytes belong to its own header. */
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
        from = next.offset + 4u; /* that was chance: the slots may hold any bytes */
    }
    return have;
}

/* How many of size bytes from the image's offset on the input has. */
static uint32_t in_input(const struct native_view *view, const struct native_image *image, uint32_t size)
{
    uint64_t left = input_size(view->in) - image->offset;
    return left < size ? (uint32_t)left : size;
}

/* Find out how much of a region there is. The image that is made of it is whole, and has a seal that is current. */
static void open_region(struct native_view *view, struct native_image *image)
{
    uint32_t size = image->region_size;
    image->available = image->size;
    image->region_size = in_input(view, image, size);
    native_view_load(view, image, 0, image->size);
    image->sealed = true;
    if (view->lost == 0)
        return;
    image->region_size = find_cut(view, image, TLOG_PACK_HEAD_BYTES, image->region_size);
    native_view_will_change(view);
    if (image->region_size < size)
        trace_damage(view->trace, image->offset + image->region_size, 0, 0,
                     "a compressed chunk was cut short here: %" PRIu32 " bytes are missing", size - image->region_size);
}

/* Report what is damaged at the end of an image that is there to its last byte. */
static void report_end(struct native_view *view, const struct native_image *image, enum native_seal seal, bool marked,
                       bool padded)
{
    if (seal == NATIVE_SEAL_DAMAGED)
        trace_damage(view->trace, image->offset + native_seal_offset(image->layout), 0, 0,
                     "the seal of a chunk is damaged; its events cannot be checked");
    if (!marked)
        trace_damage(view->trace, image->offset + native_slot_offset(image->layout.slots + 1u), 0, 0,
                     "the end mark of a chunk is damaged");
    if (!padded)
        trace_damage(view->trace, image->offset + image->size, 0, 0, "the last bytes of a chunk are damaged");
}

/* Find out how much of an image there is that is not compressed, and apply its seal. */
static void open_plain(struct native_view *view, struct native_image *image, struct tlog_chunk *header)
{
    enum native_seal seal;
    bool marked, padded;
    image->available = in_input(view, image, image->size);
    seal = native_seal_look(view, image);
    marked = has_end_mark(view, image);
    padded = has_padding(view, image);
    if (seal == NATIVE_SEAL_DAMAGED || !padded
        || (seal == NATIVE_SEAL_NONE && (!marked || image->available < image->size)))
        image->available = find_cut(view, image, TLOG_HEADER_BYTES, image->available);
    if (image->available < image->size) {
        image->mend_at = NATIVE_MEND_NONE;
        return;
    }
    if (seal == NATIVE_SEAL_RIGHT)
        native_seal_apply(view, image, header);
    report_end(view, image, seal, marked, padded);
}

/* ---- the changing words ------------------------------------------------------------------------------------------ */

static void take_laps(struct native_view *view, struct native_image *image, const struct tlog_chunk *header)
{
    struct native_laps laps;
    native_laps_read(view, image, header->cursor, header->lap, &laps);
    if (laps.lap > 0 && !image->sealed && !native_laps_fit(view, image, &laps))
        native_laps_settle(view, image, &laps);
    image->lap = laps.lap;
    image->used = (uint16_t)(laps.lap == 0 || laps.index == 0 ? 0 : laps.index - 1u);
    if (laps.why != NULL)
        trace_damage(view->trace, native_damage_offset(image, TLOG_CURSOR_OFFSET), 0, 0, "%s", laps.why);
}

static void take_counts(struct native_view *view, struct native_image *image, const struct tlog_chunk *header)
{
    uint32_t used = header->emergency_used, emergency = image->layout.emergency;
    image->dropped = header->dropped;
    image->reported = header->reported;
    image->emergency_used = (uint16_t)(used < emergency ? used : emergency);
    if (used > emergency)
        trace_damage(view->trace, native_damage_offset(image, offsetof(struct tlog_chunk, emergency_used)), 0, 0,
                     "a chunk's counts were damaged: %" PRIu32 " of %" PRIu32 " emergency slots used", used, emergency);
    if ((int32_t)(image->dropped - image->reported) >= 0)
        return;
    trace_damage(view->trace, native_damage_offset(image, offsetof(struct tlog_chunk, dropped)), 0, 0,
                 "a chunk's counts were damaged: %" PRIu32 " events lost, of them %" PRIu32 " told", image->dropped,
                 image->reported);
    image->reported = image->dropped;
}

/* ---- about when each part was ------------------------------------------------------------------------------------ */

static void sort_stamps(uint64_t *stamp, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        for (size_t j = i; j > 0 && stamp[j] < stamp[j - 1u]; j--) {
            uint64_t swap = stamp[j];
            stamp[j] = stamp[j - 1u];
            stamp[j - 1u] = swap;
        }
    }
}

/* The first slot from there on that is no traceevent slot, or end. */
static const unsigned char *skip_traceevents(const unsigned char *slot, const unsigned char *end)
{
    while (slot < end && native_is_traceevent(get_le32(slot)))
        slot += TLOG_SLOT_BYTES;
    return slot;
}

/* Add to n stamps those of the records with that tag in some slots, up to STAMPS_MAX. Returns how many there are. */
static size_t add_stamps(const struct native_image *image, const unsigned char *slot, uint32_t slots, uint32_t tag,
                         uint64_t *stamp, size_t n)
{
    const unsigned char *end = slot + (size_t)slots * TLOG_SLOT_BYTES;
    for (; (slot = skip_traceevents(slot, end)) < end; slot += TLOG_SLOT_BYTES) {
        if (native_slot_tag(slot) == tag && native_is_record(slot) && n < STAMPS_MAX)
            stamp[n++] = native_stamp_in(image, slot);
    }
    return n;
}

/* A stamp from the beginning of a part, whose slots first to last are of that lap; NATIVE_STAMP_UNKNOWN if it has no
 * records that the input has. */
static uint64_t find_stamp(struct native_view *view, const struct native_image *image, uint32_t lap, uint32_t first,
                           uint32_t last)
{
    uint64_t stamp[STAMPS_MAX];
    uint32_t slots;
    size_t n = 0;
    while (last >= first && !native_has_slot(image, last))
        last--;
    for (uint32_t i = first, most = SLOTS_READ; i <= last && n < STAMPS_MAX; i += slots, most *= 2u) {
        slots = last - i + 1u < most ? last - i + 1u : most;
        native_view_load(view, image, native_slot_offset(i), slots * TLOG_SLOT_BYTES);
        n = add_stamps(image, native_view_slot(view, i), slots, native_tag(lap), stamp, n);
    }
    sort_stamps(stamp, n);
    return n > 0 ? stamp[(n - 1u) / 2u] : NATIVE_STAMP_UNKNOWN;
}

/* Emergency slots are all of lap 1. */
static void find_stamps(struct native_view *view, struct native_image *image)
{
    uint32_t slots = image->layout.slots, emergency = native_first_emergency(image->layout);
    image->stamp[NATIVE_PART_BEFORE] = image->stamp[NATIVE_PART_LAST] = NATIVE_STAMP_UNKNOWN;
    image->stamp[NATIVE_PART_EMERGENCY] = find_stamp(view, image, 1, emergency, emergency + image->emergency_used - 1u);
    if (image->lap > 0)
        image->stamp[NATIVE_PART_LAST] = find_stamp(view, image, image->lap, 1, image->used);
    if (image->lap > 1u)
        image->stamp[NATIVE_PART_BEFORE] = find_stamp(view, image, image->lap - 1u, image->used + 1u, slots);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void take_constants(struct native_image *image, const struct native_header *header)
{
    const struct tlog_chunk *chunk = &header->chunk;
    memset(image, 0, sizeof *image);
    image->offset = header->offset;
    image->mend_at = NATIVE_MEND_NONE;
    image->place = chunk->place;
    image->self = chunk->self;
    image->layout = (struct native_layout){(uint16_t)chunk->slots, (uint16_t)chunk->emergency};
    image->size = chunk->buf_size;
    image->freq = chunk->freq;
    image->boot = chunk->boot;
    image->next = chunk->next;
    image->stops = (chunk->flags & TLOG_CHUNK_STOP) != 0 || chunk->next == TLOG_NEXT_STOP;
    image->region_size = header->region_size;
    image->packed = header->region_size > 0;
}

/* Lost groups of a region are reported when the laps in their slots are loaded. Report here those of which no slot
 * holds an event, so that no damage goes unreported. */
static void report_unused(struct native_view *view, const struct native_image *image)
{
    size_t normal = TLOG_GROUPS((size_t)image->layout.slots);
    size_t held = TLOG_GROUPS((size_t)(image->lap > 1u ? image->layout.slots : image->used)), unused;
    native_view_load(view, image, 0, image->size);
    unused = view->lost;
    for (size_t group = 0; group < held && unused > 0; group++)
        unused -= native_view_group_difference(view, image, group) != 0;
    for (size_t group = 0; group < TLOG_GROUPS((size_t)image->emergency_used) && unused > 0; group++)
        unused -= native_view_group_difference(view, image, normal + group) != 0;
    if (unused > 0)
        trace_damage(view->trace, image->offset, 0, 0, "a compressed chunk is damaged where it has no events");
}

/* How many slots held events and are missing because the image was cut. */
static uint32_t count_cut(const struct native_image *image)
{
    uint32_t held = image->lap > 1u ? image->layout.slots : image->used, cut = 0;
    uint32_t end_mark = image->layout.slots + 1u;
    for (uint32_t i = held; i > 0 && !native_has_slot(image, i); i--)
        cut++;
    for (uint32_t i = image->emergency_used; i > 0 && !native_has_slot(image, end_mark + i); i--)
        cut++;
    return cut;
}

int native_image_open(struct native_view *view, const struct native_header *header, struct native_image *image)
{
    struct tlog_chunk chunk = header->chunk;
    take_constants(image, header);
    if (native_view_fit(view, image) != 0)
        return -1;
    if (header->mended_at != NATIVE_MEND_NONE)
        trace_damage(view->trace, image->offset + header->mended_at, 0, 0,
                     "a byte of a chunk's header was damaged; its CRC tells what it was");
    if (image->packed)
        open_region(view, image);
    else
        open_plain(view, image, &chunk);
    take_laps(view, image, &chunk);
    take_counts(view, image, &chunk);
    if (image->packed)
        report_unused(view, image);
    find_stamps(view, image);
    if (image->available < image->size)
        trace_damage(view->trace, image->offset + image->available, 0, 0,
                     "a chunk was cut short here: %" PRIu32 " bytes are missing, with %" PRIu32 " events",
                     image->size - image->available, count_cut(image));
    return 0;
}
