/* image_parse.c - one chunk image from its header on: its end, its seal, its laps and counts: see image_parse.h.
 *
 * The changing words of the header are relied on if a current seal confirms them. Without one, the tags of the slots
 * show where the cursor stood: see write_position.h.
 */
#include "formats/native/chunks/image_parse.h"

#include "formats/native/chunks/names_chunk.h"
#include "formats/native/chunks/smear.h"
#include "formats/native/chunks/write_position.h"
#include "formats/native/chunks/seal.h"

#include <inttypes.h>
#include <string.h>

#define STAMPS_MAX 5u  /* stamps that tell when a part was: their median is right even if two of them are damaged */
#define SLOTS_LAST 16u /* the last slots that were written are looked at */
#define MARK_REACH 64u /* slots from the cursor on where the mark may be that moves ahead of it in lap 1 */
#define MARK_LATE  64u /* if the cursor is behind so many slots, the end mark is in its place, too */
#define LAP_SLOTS  3u  /* of a chunk that has no more, a lap does not begin with BUFFER and TIME */
#define SLOTS_READ 64u /* slots searched for them at first; then twice as many each time, as records may be few */

/* ---- how much of the image there is ------------------------------------------------------------------------------ */

uint32_t native_image_first_unformatted(const struct native_image *image, const struct native_position *position)
{
    if (native_role(image) == TLOG_ROLE_NAMES || position->lap > 1u)
        return 0;
    return position->lap == 0 ? 1u : position->slot;
}

uint32_t native_image_find_mark(struct native_view *view, const struct native_image *image,
                                const struct native_position *position)
{
    uint32_t index = image->layout.slots + 1u, first = native_image_first_unformatted(image, position);
    uint32_t end = index < first + MARK_REACH ? index : first + MARK_REACH, have = native_slot_available(image);
    native_view_load(view, image, native_slot_offset(index), TLOG_SLOT_BYTES);
    if (native_is_end_mark(native_view_slot(view, index)))
        return index;
    end = end <= have ? end : have + 1u;
    if (first == 0 || first > MARK_LATE || first >= end)
        return 0;
    native_view_load(view, image, native_slot_offset(first), (end - first) * (size_t)TLOG_SLOT_BYTES);
    for (uint32_t i = first; i < end; i++) {
        if (native_head(native_view_slot(view, i)) == TLOG_TAG_MASK)
            return i;
    }
    return 0;
}

uint32_t native_image_in_input(const struct native_view *view, const struct native_image *image, uint32_t size)
{
    uint64_t left = input_size(view->in) - image->offset;
    return left < size ? (uint32_t)left : size;
}

/* Whether a slot may be one of a fact, by its head. */
static bool is_fact(const unsigned char *slot)
{
    uint32_t head = native_head(slot);
    return (head & TLOG_CLASS_MASK) == TLOG_CLASS_CONTROL << TLOG_CLASS_SHIFT && (head & TLOG_TAG_ODD) != 0;
}

bool native_image_has_slots(struct native_view *view, const struct native_image *image,
                            const struct native_position *position, uint32_t last, uint32_t wrong)
{
    uint32_t n = last < SLOTS_LAST ? last : SLOTS_LAST, sound = 0;
    if (position->doubtful || last == 0)
        return !position->doubtful;
    if (!native_has_slot(image, last))
        return false;
    native_view_load(view, image, native_slot_offset(last + 1u - n), n * (size_t)TLOG_SLOT_BYTES);
    for (uint32_t i = last + 1u - n; i <= last; i++) {
        const unsigned char *slot = native_view_slot(view, i);
        uint64_t lap = i < position->slot ? position->lap : position->lap - 1u;
        sound += native_role(image) == TLOG_ROLE_NAMES
                     ? is_fact(slot)
                     : native_is_sound(slot) && native_slot_tag(slot) == native_tag(lap);
    }
    return 2u * sound >= n && n - sound <= wrong;
}

/* Find out how much of a region there is. The image that is made of it is whole, and its seal is current. False: groups
 * of it are lost. */
static bool parse_region(struct native_view *view, struct native_image *image)
{
    image->available = image->size;
    image->region_size = native_image_in_input(view, image, image->region_size);
    native_view_load(view, image, 0, image->size);
    image->sealed = true;
    return view->lost == 0;
}

/* Whether no other image begins between two offsets of an image. */
static bool is_alone(const struct native_view *view, const struct native_image *image, size_t from, size_t to)
{
    struct native_search search;
    struct native_header next;
    enum native_found found;
    native_search_begin(&search, view->in, image->offset + from, image->offset + to);
    do {
        found = native_search_next(&search, &next);
    } while (found == NATIVE_UNPROVED || found == NATIVE_SEAL);
    native_search_end(&search);
    return found == NATIVE_NOTHING;
}

void native_image_report_end(struct native_view *view, const struct native_image *image, enum native_seal seal,
                             bool marked)
{
    if (seal == NATIVE_SEAL_DAMAGED)
        trace_damage(view->trace, image->offset + native_seal_offset(image->layout), 0, 0,
                     "the seal of a chunk is damaged; its events cannot be checked");
    if (!marked)
        trace_damage(view->trace, image->offset + native_slot_offset(image->layout.slots + 1u), 0, 0,
                     "the end mark of a chunk is damaged");
}

/* Whether an image is of several moments, though no other chunk tells it. */
static bool is_smeared(struct native_view *view, const struct native_image *image,
                       const struct native_position *position)
{
    struct native_smear smear = {.image = image, .position = *position};
    return native_smear_find(view, &smear, 1, false);
}

/* Whether an image without a seal ends where it should: there is its end mark, and nothing else begins in the last
 * bytes, where it may have been cut. In lap 1 the mark that moves ahead of the cursor tells little: slots must be
 * right, too, and nothing may begin among them. */
static bool has_end(struct native_view *view, const struct native_image *image, const struct native_position *position,
                    uint32_t mark)
{
    bool is_full = mark > image->layout.slots;
    if (mark == 0 || image->available < image->size
        || !is_alone(view, image, native_claims_offset(image->layout), image->size))
        return false;
    if (position->lap == 1u && !native_position_has_unused(view, image, position)
        && !(is_full && is_smeared(view, image, position)))
        return false;
    return is_full
           || (native_image_has_last_slots(view, image, position, SLOTS_LAST)
               && is_alone(view, image, offsetof(struct tlog_chunk, next), native_slot_offset(mark + 1u)));
}

/* Whether a right seal is that of another image, which begins inside this one. */
static bool is_others_seal(struct native_view *view, const struct native_image *image, const struct tlog_chunk *header)
{
    return native_seal_is_strange(view, image, header)
           && !is_alone(view, image, offsetof(struct tlog_chunk, next), native_seal_offset(image->layout));
}

/* Find out how much of an image there is that is not compressed, and use its seal. False: nothing shows its end. */
static bool parse_plain(struct native_view *view, struct native_image *image, struct tlog_chunk *header)
{
    struct native_position position;
    enum native_seal seal;
    uint32_t mark;
    image->available = native_image_in_input(view, image, image->size);
    native_position_read(image, header->cursor, header->lap, header->lap_high, &position);
    seal = native_seal_check(view, image, header);
    if (seal == NATIVE_SEAL_NONE && native_role(image) != TLOG_ROLE_NAMES)
        position.slot = native_smear_first_unused(view, image, &position);
    mark = native_image_find_mark(view, image, &position);
    if (seal == NATIVE_SEAL_RIGHT && is_others_seal(view, image, header))
        return false;
    if (seal == NATIVE_SEAL_DAMAGED || (seal == NATIVE_SEAL_NONE && !has_end(view, image, &position, mark)))
        return false;
    if (seal == NATIVE_SEAL_RIGHT)
        native_seal_apply(view, image, header);
    else if (mark <= image->layout.slots)
        image->formatted = (uint32_t)native_slot_offset(mark);
    native_image_report_end(view, image, seal, mark > 0);
    native_position_read(image, header->cursor, header->lap, header->lap_high, &position);
    image->smeared = native_role(image) != TLOG_ROLE_NAMES && is_smeared(view, image, &position);
    return true;
}

/* ---- the changing words ------------------------------------------------------------------------------------------ */

/* Whether the firmware is not built to log traceevents: a lap of a ring begins with records, not with BUFFER and
 * TIME. */
static bool has_records_only(struct native_view *view, const struct native_image *image)
{
    bool can = native_role(image) == TLOG_ROLE_EVENTS && image->coarse_freq == 0 && image->layout.slots > LAP_SLOTS;
    native_view_load(view, image, TLOG_HEADER_BYTES, (size_t)LAP_SLOTS * TLOG_SLOT_BYTES);
    for (uint32_t i = 1; i < LAP_SLOTS && can; i++) {
        const unsigned char *slot = native_view_slot(view, i);
        uint32_t tag = i <= image->used ? native_tag(image->lap) : native_tag_before(image->lap);
        can = (i <= image->used || image->lap > 1u) && native_has_slot(image, i) && !native_is_torn(image, i)
              && native_is_record(slot) && native_slot_tag(slot) == tag;
    }
    return can;
}

/* Whether a position is believed without a look at the slots: nothing shows that these are the image's. */
static bool is_believed(const struct native_image *image, const struct native_position *position)
{
    return image->unshown && position->lap == 1u && position->why == NULL && !position->doubtful;
}

/* The last words of the header were wiped: what wiped them may have gone on into the first slot, if that begins with
 * 0. */
static void distrust_first_slot(struct native_view *view, struct native_image *image, const struct tlog_chunk *header)
{
    if (image->sealed || header->lap != 0 || header->dropped != 0 || header->extra != 0
        || image->displaced.torn[0].first > 0)
        return;
    native_view_load(view, image, TLOG_HEADER_BYTES, TLOG_SLOT_BYTES);
    if (view->bytes[TLOG_HEADER_BYTES] == 0)
        image->displaced.torn[0] = (struct native_slots){1, 1};
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
    distrust_first_slot(view, image, header);
    if (position.lap > 0 && !image->sealed && !image->smeared && !is_believed(image, &position)
        && !native_position_fits(view, image, &position))
        native_position_correct(view, image, &position);
    if ((header->cursor & TLOG_TAG_MASK) == TLOG_TAG_MASK && header->goal != TLOG_NEXT_STOP && position.why == NULL)
        image->goal = header->goal;
    image->lap_guessed = position.lap_lost;
    image->lap = position.lap;
    image->used = (uint16_t)(position.lap == 0 || position.slot == 0 ? 0 : position.slot - 1u);
    image->lap_confirmed = image->lap > 0 && native_position_logged_lap(view, image, image->used) == image->lap;
    image->records_only = has_records_only(view, image);
    if (position.why != NULL)
        trace_damage(view->trace, native_damage_offset(image, TLOG_CURSOR_OFFSET), 0, 0, "%s", position.why);
}

static void take_counts(struct native_view *view, struct native_image *image, const struct tlog_chunk *header)
{
    uint32_t used = header->emergency_used, emergency = image->layout.emergency;
    image->emergency_used = (uint16_t)(used < emergency ? used : emergency);
    if (!image->sealed && native_has_break_in_header(image)) {
        image->counts_lost = true;
        trace_damage(view->trace, native_damage_offset(image, offsetof(struct tlog_chunk, dropped)), 0, 0,
                     "a chunk's counts were damaged: what was lost is uncertain");
        return;
    }
    image->dropped = native_count(header->dropped, header->dropped_high);
    image->extra = native_count(header->extra, header->extra_high);
    image->unreported = image->dropped - native_count(header->reported, header->reported_high);
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

/* The stamp of a CONTROL TIME slot with that tag in the first slots of n, or NATIVE_STAMP_UNKNOWN. */
static uint64_t find_time(const struct native_view *view, uint32_t first, uint32_t n, uint32_t tag)
{
    for (uint32_t i = first; i < first + n; i++) {
        const unsigned char *slot = native_view_slot(view, i);
        if (native_slot_tag(slot) == tag && native_is_control(slot, TLOG_CONTROL_TIME) && native_is_sound(slot))
            return native_told_stamp(slot);
    }
    return NATIVE_STAMP_UNKNOWN;
}

/* A stamp from the beginning of a part, which has slots first to last of a lap; NATIVE_STAMP_UNKNOWN if the input has
 * no records of it and no CONTROL TIME at its beginning. */
static uint64_t find_stamp(struct native_view *view, const struct native_image *image, uint64_t lap, uint32_t first,
                           uint32_t last)
{
    uint64_t stamp[STAMPS_MAX], time = NATIVE_STAMP_UNKNOWN;
    uint32_t slots;
    size_t n = 0;
    last = last < native_slot_available(image) ? last : native_slot_available(image);
    for (uint32_t i = first, most = SLOTS_READ; i <= last && n < STAMPS_MAX; i += slots, most *= 2u) {
        slots = last - i + 1u < most ? last - i + 1u : most;
        native_view_load(view, image, native_slot_offset(i), slots * TLOG_SLOT_BYTES);
        n = add_stamps(image, native_view_slot(view, i), slots, native_tag(lap), stamp, n);
        if (i == first && n == 0)
            time = find_time(view, first, slots, native_tag(lap));
    }
    sort_stamps(stamp, n);
    return n > 0 ? stamp[(n - 1u) / 2u] : time;
}

/* Emergency slots are all of lap 1. */
void native_image_find_stamps(struct native_view *view, struct native_image *image)
{
    uint32_t slots = image->layout.slots, emergency = native_first_emergency(image->layout);
    image->stamp[NATIVE_PART_BEFORE] = image->stamp[NATIVE_PART_LAST] = NATIVE_STAMP_UNKNOWN;
    image->stamp[NATIVE_PART_EMERGENCY] = find_stamp(view, image, 1, emergency, emergency + image->emergency_used - 1u);
    if (image->lap > 0)
        image->stamp[NATIVE_PART_LAST] = find_stamp(view, image, image->lap, image->hidden + 1u, image->used);
    if (image->lap > 1u && !image->piece)
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
    image->needs = chunk->needs;
    image->boot = chunk->boot;
    image->next = chunk->next;
    memcpy(image->build, chunk->build, sizeof image->build);
    image->pointer = (uint8_t)(chunk->format >> 24);
    image->displaced = header->displaced;
    image->stops = (chunk->flags & TLOG_CHUNK_STOP) != 0 || chunk->next == TLOG_NEXT_STOP;
    image->partial = (chunk->flags & NATIVE_CHUNK_PARTIAL) != 0;
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

/* Whether a slot has no head. */
static bool is_wiped(struct native_view *view, const struct native_image *image, uint32_t index)
{
    native_view_load(view, image, native_slot_offset(index), TLOG_SLOT_BYTES);
    return native_head(native_view_slot(view, index)) == 0;
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
    uint32_t slots = image->layout.slots, first = 1;
    if (native_view_reserve(view, image) != 0)
        return;
    while (first < slots && is_wiped(view, image, first))
        first++;
    if (!is_of_even_lap(view, image, first) || !is_of_even_lap(view, image, slots))
        return;
    image->lap = 2;
    image->used = image->layout.slots;
    native_image_find_stamps(view, image);
    trace_damage(view->trace, native_damage_offset(image, offsetof(struct tlog_chunk, lap)), 0, 0,
                 "the lap word of a chunk was damaged; other chunks tell that it was opened");
}

int native_image_begin(struct native_view *view, const struct native_header *header, struct native_image *image)
{
    take_constants(image, header);
    return native_view_reserve(view, image);
}

void native_image_finish(struct native_view *view, struct native_image *image, const struct tlog_chunk *header)
{
    take_position(view, image, header);
    take_counts(view, image, header);
    if (image->packed)
        report_unused(view, image);
    native_image_find_stamps(view, image);
    if (image->available < image->size)
        trace_damage(view->trace, image->offset + image->available, 0, 0,
                     "a chunk was cut short here: %" PRIu32 " bytes are missing, with %" PRIu32 " events",
                     image->size - image->available, count_cut(image));
}

int native_image_parse(struct native_view *view, const struct native_header *header, struct native_image *image)
{
    struct tlog_chunk chunk = header->chunk;
    if (native_image_begin(view, header, image) != 0)
        return -1;
    if (image->packed && !native_view_spend(view, image->size))
        return 0;
    if (!(image->packed ? parse_region(view, image) : parse_plain(view, image, &chunk)))
        return 0;
    image->smeared = image->smeared && header->repaired == NULL;
    native_image_finish(view, image, &chunk);
    return 1;
}

/* Whether the input has another chunk of a ring where its first one tells that it stands in memory. */
static bool has_ring_beside(struct native_view *view, const struct native_image *first)
{
    struct native_header header;
    for (uint32_t i = 1; i < first->place >> 24 && native_view_spend(view, TLOG_HEADER_BYTES); i++) {
        uint64_t offset = (uint64_t)i * first->size;
        if (native_header_at(view->in, first->offset + offset, &header, NULL) == NATIVE_HEADER
            && header.chunk.place == (first->place | i << 8) && header.chunk.boot == first->boot
            && ((uint64_t)header.chunk.self_high << 32 | header.chunk.self) == first->self + offset)
            return true;
    }
    return false;
}

bool native_image_has_left_over(struct native_view *view, const struct native_image *first,
                                const struct native_header *header)
{
    uint64_t chunks = first->place >> 24, offset = header->offset - first->offset;
    return native_role(first) == TLOG_ROLE_EVENTS && native_number(first) == 0 && !first->packed
           && header->region_size == 0 && offset < chunks * first->size && header->chunk.boot != first->boot
           && ((uint64_t)header->chunk.self_high << 32 | header->chunk.self) == first->self + offset
           && has_ring_beside(view, first);
}
