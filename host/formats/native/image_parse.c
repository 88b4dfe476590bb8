/* image_parse.c - one chunk image from its header on: its end, its seal, its laps and counts: see image_parse.h.
 *
 * The changing words of the header are relied on if a current seal confirms them. Without one, the tags of the slots
 * show where the cursor stood: see write_position.h.
 */
#include "formats/native/image_parse.h"

#include "formats/native/names_chunk.h"
#include "formats/native/write_position.h"
#include "formats/native/seal.h"
#include "formats/native/displaced_rear.h"

#include <inttypes.h>
#include <string.h>

#define STAMPS_MAX  5u  /* stamps that tell when a part was: their median is right even if two of them are damaged */
#define SLOTS_READ  64u /* slots searched for them at first; then twice as many each time, as records may be few */
#define SLOTS_WIPED 4u  /* slots ahead of a wiped end mark that are looked at */

/* ---- how much of the image there is ------------------------------------------------------------------------------ */

static bool is_zero(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != 0)
            return false;
    }
    return true;
}

/* The first slot that the firmware may not have formatted: slot 1 of a chunk that was never opened, the one at the
 * cursor in lap 1. 0: all slots are formatted. Any bytes may stand in a slot that is not formatted. */
static uint32_t first_unformatted(const struct native_image *image, const struct native_position *position)
{
    if (native_role(image) == TLOG_ROLE_NAMES || position->lap > 1u)
        return 0;
    return position->lap == 0 ? 1u : position->slot;
}

/* Whether the end mark is in its place. Until all slots are formatted, it may be at any slot that is not. */
static bool has_end_mark(struct native_view *view, const struct native_image *image,
                         const struct native_position *position)
{
    uint32_t index = image->layout.slots + 1u, first = first_unformatted(image, position);
    uint32_t have = native_slot_available(image), end = index <= have ? index : have + 1u;
    const unsigned char *mark = native_view_slot(view, index);
    native_view_load(view, image, native_slot_offset(index), TLOG_SLOT_BYTES);
    if (native_is_end_mark(mark))
        return true;
    if (first == 0 || first >= end || !native_view_spend(view, (end - first) * (uint64_t)TLOG_SLOT_BYTES))
        return false;
    native_view_load(view, image, native_slot_offset(first), (end - first) * (size_t)TLOG_SLOT_BYTES);
    for (uint32_t i = first; i < end; i++) {
        if (native_head(native_view_slot(view, i)) == TLOG_TAG_MASK)
            return true;
    }
    return false;
}

/* Whether the bytes behind a seal are zeros, as they should be. */
static bool has_padding(struct native_view *view, const struct native_image *image)
{
    size_t at = native_seal_offset(image->layout) + native_seal_size(image->layout);
    native_view_load(view, image, at, image->size - at);
    return is_zero(view->bytes + at, image->size - at);
}

/* Whether an offset of an image is in memory that the firmware may not have formatted: in slots that are not formatted
 * yet, or behind all slots while there is no seal. */
static bool is_unformatted(const struct native_image *image, const struct native_position *position, size_t offset)
{
    uint32_t first = first_unformatted(image, position);
    return offset >= native_claims_offset(image->layout) || (first > 0 && offset >= native_slot_offset(first));
}

/* Whether a header that was found inside an image is stale, so that the image is not cut there: it is there by chance,
 * or it was left by an earlier run in memory that is not formatted. A header that was left has the address that belongs
 * to its place. So has the one right behind the image, which is not stale. */
static bool is_stale(const struct native_image *image, const struct native_position *position, enum native_found found,
                     const struct native_header *next)
{
    uint64_t offset = next->offset - image->offset;
    uint64_t self = (uint64_t)next->chunk.self_high << 32 | next->chunk.self;
    if (found != NATIVE_HEADER)
        return !next->intact || is_unformatted(image, position, offset);
    if (offset >= image->size)
        return false;
    return is_unformatted(image, position, offset) && (next->chunk.boot != image->boot || self == image->self + offset);
}

/* An image may have been cut, with the next image right behind. Returns how many bytes are its own: `have` if it was
 * not cut, and at least `own`. */
static uint32_t find_cut(const struct native_view *view, const struct native_image *image,
                         const struct native_position *position, size_t own, uint32_t have)
{
    struct native_header next;
    uint64_t from = image->offset + own, to = image->offset + have;
    enum native_found found;
    while (from < to) {
        found = native_header_search(view->in, from, to, &next);
        if (found == NATIVE_NOTHING || next.offset >= to)
            return have;
        if (!is_stale(image, position, found, &next))
            return (uint32_t)(next.offset - image->offset);
        from = next.offset + 4u;
    }
    return have;
}

/* How many of size bytes from the image's offset on the input has. */
static uint32_t in_input(const struct native_view *view, const struct native_image *image, uint32_t size)
{
    uint64_t left = input_size(view->in) - image->offset;
    return left < size ? (uint32_t)left : size;
}

/* Find out how much of a region there is. The image that is made of it is whole, and its seal is current. */
static void parse_region(struct native_view *view, struct native_image *image)
{
    const struct native_position formatted = {.lap = 2}; /* a region has no bytes without a meaning */
    uint32_t size = image->region_size;
    image->available = image->size;
    image->region_size = in_input(view, image, size);
    native_view_load(view, image, 0, image->size);
    image->sealed = true;
    if (view->lost == 0)
        return;
    image->region_size = find_cut(view, image, &formatted, TLOG_PACK_HEAD_BYTES, image->region_size);
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

/* The end of an image is not in its place: look whether it stands elsewhere. */
static void find_rear(struct native_view *view, struct native_image *image, struct tlog_chunk *header,
                      const struct native_position *position, enum native_seal *seal, bool *marked)
{
    uint32_t reach = in_input(view, image, image->size + NATIVE_DISPLACED_REACH);
    uint32_t limit = find_cut(view, image, position, TLOG_HEADER_BYTES, reach);
    bool bounded = limit < reach || reach < image->size + NATIVE_DISPLACED_REACH;
    if (!native_view_spend(view, limit) || !native_displaced_rear_find(view, image, limit, bounded, *marked))
        return;
    image->available = image->size;
    *seal = native_seal_check(view, image, header);
    *marked = has_end_mark(view, image, position);
}

/* Whether more than one byte of the end mark is damaged, or all of it is zeros. */
static bool is_mark_wiped(struct native_view *view, const struct native_image *image)
{
    const unsigned char *mark = native_view_slot(view, image->layout.slots + 1u);
    unsigned wrong = 0;
    native_view_load(view, image, native_slot_offset(image->layout.slots + 1u), TLOG_SLOT_BYTES);
    for (unsigned i = 0; i < TLOG_SLOT_BYTES; i++)
        wrong += mark[i] != (i == NATIVE_HEAD + 1u ? TLOG_TAG_MASK >> 8 : 0);
    return wrong > 1u || mark[NATIVE_HEAD + 1u] == 0;
}

/* There is neither end mark nor seal: what wiped or moved them may have begun in the last slot that bears a tag, so
 * that is not relied on. */
static void distrust_last_slot(struct native_view *view, struct native_image *image)
{
    uint32_t slot = image->layout.slots, least = slot > SLOTS_WIPED ? slot - SLOTS_WIPED : 0;
    if (image->displaced.by != 0 || !native_has_slot(image, slot + 1u) || !is_mark_wiped(view, image))
        return;
    for (; slot > least; slot--) {
        native_view_load(view, image, native_slot_offset(slot), TLOG_SLOT_BYTES);
        if (native_is_one_tag(native_slot_tag(native_view_slot(view, slot))))
            break;
    }
    image->displaced.torn_slot = (uint16_t)slot;
}

/* Find out how much of an image there is that is not compressed, and use its seal. */
static void parse_plain(struct native_view *view, struct native_image *image, struct tlog_chunk *header)
{
    size_t behind = native_claims_offset(image->layout);
    struct native_position position;
    enum native_seal seal;
    bool marked, padded;
    image->available = in_input(view, image, image->size);
    native_position_read(image, header->cursor, header->lap, header->lap_high, &position);
    seal = native_seal_check(view, image, header);
    marked = has_end_mark(view, image, &position);
    if (seal == NATIVE_SEAL_DAMAGED || (seal == NATIVE_SEAL_NONE && !(marked && image->available == image->size)))
        find_rear(view, image, header, &position, &seal, &marked);
    padded = seal == NATIVE_SEAL_NONE || has_padding(view, image);
    if (seal == NATIVE_SEAL_DAMAGED || !padded
        || (seal == NATIVE_SEAL_NONE && (!marked || image->available < image->size)))
        image->available = find_cut(view, image, &position, TLOG_HEADER_BYTES, image->available);
    else if (seal == NATIVE_SEAL_NONE)
        image->available = find_cut(view, image, &position, behind, image->available);
    if (seal != NATIVE_SEAL_RIGHT && !marked)
        distrust_last_slot(view, image);
    if (image->available < image->size) {
        image->mend_at = NATIVE_MEND_NONE;
        return;
    }
    if (seal == NATIVE_SEAL_RIGHT)
        native_seal_apply(view, image, header);
    report_end(view, image, seal, marked, padded);
}

/* ---- the changing words ------------------------------------------------------------------------------------------ */

/* Whether the first slot is a CONTROL BUFFER, and confirms the lap that it is of. */
static bool is_lap_confirmed(struct native_view *view, const struct native_image *image)
{
    const unsigned char *slot = native_view_slot(view, 1);
    uint64_t lap = image->used > 0 || image->lap == 0 ? image->lap : image->lap - 1u;
    native_view_load(view, image, native_slot_offset(1), TLOG_SLOT_BYTES);
    return lap > 0 && native_has_slot(image, 1) && native_slot_tag(slot) == native_tag(lap)
           && native_is_control(slot, TLOG_CONTROL_BUFFER) && get_le32(slot + NATIVE_DATA) == (uint32_t)lap
           && get_le32(slot + NATIVE_DATA + 4) == image->layout.slots;
}

static void take_position(struct native_view *view, struct native_image *image, const struct tlog_chunk *header)
{
    struct native_position position;
    if (native_role(image) == TLOG_ROLE_NAMES) {
        image->lap = 1;
        image->used = (uint16_t)native_names_chunk_used(view, image, header);
        return;
    }
    native_position_read(image, header->cursor, header->lap, header->lap_high, &position);
    if (position.lap > 0 && !image->sealed && !native_position_fits(view, image, &position))
        native_position_correct(view, image, &position);
    image->lap = position.lap;
    image->used = (uint16_t)(position.lap == 0 || position.slot == 0 ? 0 : position.slot - 1u);
    image->lap_confirmed = is_lap_confirmed(view, image);
    if (position.why != NULL)
        trace_damage(view->trace, native_damage_offset(image, TLOG_CURSOR_OFFSET), 0, 0, "%s", position.why);
}

static void take_counts(struct native_view *view, struct native_image *image, const struct tlog_chunk *header)
{
    uint32_t used = header->emergency_used, emergency = image->layout.emergency;
    image->dropped = native_count(header->dropped, header->dropped_high);
    image->extra = native_count(header->extra, header->extra_high);
    image->unreported = image->dropped - native_count(header->reported, header->reported_high);
    image->emergency_used = (uint16_t)(used < emergency ? used : emergency);
    if (used > emergency)
        trace_damage(view->trace, native_damage_offset(image, offsetof(struct tlog_chunk, emergency_used)), 0, 0,
                     "a chunk's counts were damaged: %" PRIu32 " of %" PRIu32 " emergency slots used", used, emergency);
    if (image->unreported <= image->dropped)
        return;
    trace_damage(view->trace, native_damage_offset(image, offsetof(struct tlog_chunk, dropped)), 0, 0,
                 "a chunk's counts were damaged: %" PRIu64 " events lost, of them %" PRIu64 " told", image->dropped,
                 image->dropped - image->unreported);
    image->unreported = 0;
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

/* The first slot from `slot` on that is no traceevent slot, or end. */
static const unsigned char *skip_traceevents(const unsigned char *slot, const unsigned char *end)
{
    while (slot < end && native_is_traceevent(native_head(slot)))
        slot += TLOG_SLOT_BYTES;
    return slot;
}

/* Add to n stamps those of records with that tag in the next slots, up to STAMPS_MAX. Returns how many there are
 * now. */
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

/* A stamp from the beginning of a part, which has slots first to last of a lap; NATIVE_STAMP_UNKNOWN if the input has
 * no records of it. */
static uint64_t find_stamp(struct native_view *view, const struct native_image *image, uint64_t lap, uint32_t first,
                           uint32_t last)
{
    uint64_t stamp[STAMPS_MAX];
    uint32_t slots;
    size_t n = 0;
    last = last < native_slot_available(image) ? last : native_slot_available(image);
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
    image->self = (uint64_t)chunk->self_high << 32 | chunk->self;
    image->layout = (struct native_layout){(uint16_t)chunk->slots, (uint16_t)chunk->emergency};
    image->size = chunk->buf_size;
    image->freq = chunk->freq;
    image->coarse_freq = chunk->coarse_freq;
    image->boot = chunk->boot;
    image->next = chunk->next;
    image->stops = (chunk->flags & TLOG_CHUNK_STOP) != 0 || chunk->next == TLOG_NEXT_STOP;
    image->region_size = header->region_size;
    image->packed = header->region_size > 0;
}

/* Lost groups of a region are reported when the laps in their slots are loaded. Groups without events are reported
 * here, because their slots are never loaded. */
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

/* How many slots that held events are missing because the image was cut. */
static uint32_t count_cut(const struct native_image *image)
{
    uint32_t held = image->lap > 1u ? image->layout.slots : image->used, have = native_slot_available(image);
    uint32_t end = image->layout.slots + 1u + image->emergency_used, cut = held > have ? held - have : 0;
    return end > have ? cut + (end - have < image->emergency_used ? end - have : image->emergency_used) : cut;
}

/* Whether a slot of the image holds an event of an even lap, or a part of one. */
static bool is_of_even_lap(struct native_view *view, const struct native_image *image, uint32_t index)
{
    const unsigned char *slot = native_view_slot(view, index);
    native_view_load(view, image, native_slot_offset(index), TLOG_SLOT_BYTES);
    return native_has_slot(image, index) && native_slot_tag(slot) == TLOG_TAG_EVEN
           && (native_is_traceevent(native_head(slot)) || native_is_record(slot));
}

void native_image_set_opened(struct native_view *view, struct native_image *image)
{
    uint32_t slots = image->layout.slots;
    if (native_view_reserve(view, image) != 0 || !is_of_even_lap(view, image, 1) || !is_of_even_lap(view, image, slots))
        return;
    image->lap = 2;
    image->used = image->layout.slots;
    find_stamps(view, image);
    trace_damage(view->trace, native_damage_offset(image, offsetof(struct tlog_chunk, lap)), 0, 0,
                 "the lap word of a chunk was damaged; other chunks tell that it was opened");
}

/* A region that was cut short may be a thousand times smaller than its image. After many of those no more regions are
 * unpacked. */
static int leave_out(const struct native_view *view, struct native_image *image)
{
    image->region_size = in_input(view, image, image->region_size);
    trace_damage(view->trace, image->offset, image->region_size, 0,
                 "a compressed chunk is left out: too many are cut short");
    return 0;
}

int native_image_parse(struct native_view *view, const struct native_header *header, struct native_image *image)
{
    struct tlog_chunk chunk = header->chunk;
    take_constants(image, header);
    if (native_view_reserve(view, image) != 0)
        return -1;
    if (header->mended_at != NATIVE_MEND_NONE)
        trace_damage(view->trace, image->offset + header->mended_at, 0, 0,
                     "a byte of a chunk's header was damaged; its check value tells what it was");
    if (image->packed && !native_view_spend(view, image->size))
        return leave_out(view, image);
    if (image->packed)
        parse_region(view, image);
    else
        parse_plain(view, image, &chunk);
    take_position(view, image, &chunk);
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
