/* image_end.c - where an image ends that is damaged: see image_end.h. */
#include "formats/native/repair/image_end.h"

#include "formats/native/repair/break_search.h"
#include "formats/native/repair/displaced_rear.h"
#include "formats/native/chunks/image_parse.h"

#include <inttypes.h>

#define SLOTS_WIPED 4u  /* slots ahead of a wiped end mark that are looked at */
#define SLOTS_HIT   4u  /* slots that are damaged at most by what has damaged the end mark, too */
#define NEAR        64u /* bytes that were lost from the end of an image, or came into it */

/* ---- regions ----------------------------------------------------------------------------------------------------- */

/* Groups of a region are lost: find out whether it was cut. A region that was cut short may be a thousand times smaller
 * than its image: after many of those no more regions are unpacked. */
static enum native_end end_region(struct native_view *view, const struct native_header *header, uint64_t next,
                                  struct native_image *image)
{
    uint32_t size = image->region_size;
    if (!native_view_spend(view, image->size)) {
        image->region_size = native_image_in_input(view, image, size);
        trace_damage(view->trace, image->offset, image->region_size, 0,
                     "a compressed chunk is left out: too many are cut short");
        return NATIVE_END_UNKNOWN;
    }
    image->available = image->size;
    image->region_size = native_image_in_input(view, image, size);
    image->sealed = true;
    if (next - image->offset < image->region_size)
        image->region_size = (uint32_t)(next - image->offset);
    native_view_will_change(view);
    if (image->region_size < size)
        trace_damage(view->trace, image->offset + image->region_size, 0, 0,
                     "a compressed chunk was cut short here: %" PRIu32 " bytes are missing", size - image->region_size);
    native_image_finish(view, image, &header->chunk);
    return NATIVE_END_UNKNOWN;
}

/* ---- images that are not compressed ------------------------------------------------------------------------------ */

/* What is known of the end of an image. */
struct end {
    struct native_position position; /* as the header tells it */
    enum native_seal seal;
    uint32_t mark; /* number of the slot that is the end mark; 0: there is none */
};

/* Look for seal and end mark in their places. */
static void look(struct native_view *view, struct native_image *image, const struct tlog_chunk *header, struct end *end)
{
    end->seal = native_seal_check(view, image, header);
    end->mark = native_image_find_mark(view, image, &end->position);
}

/* Whether the next image, or the end of the input, is where the image ends, or near by: bytes may have been lost from
 * its last ones, or have come into them. */
static bool is_near(const struct native_image *image, uint64_t next)
{
    uint64_t end = image->offset + image->size;
    return (next > end ? next - end : end - next) <= NEAR;
}

/* Look for seal and end mark in their places. A right seal is another image's if nothing but its place tells that it is
 * this one's. */
static void look_with_doubt(struct native_view *view, struct native_image *image, const struct tlog_chunk *header,
                            struct end *end)
{
    look(view, image, header, end);
    if (end->seal != NATIVE_SEAL_RIGHT || !native_seal_is_strange(view, image, header))
        return;
    end->seal = NATIVE_SEAL_NONE;
    image->mend_at = NATIVE_MEND_NONE;
}

/* Look whether the image's end stands elsewhere. */
static void find_rear(struct native_view *view, struct native_image *image, struct tlog_chunk *header, uint64_t next,
                      struct end *end)
{
    uint32_t reach = native_image_in_input(view, image, image->size + NATIVE_DISPLACED_REACH);
    bool bounded = is_near(image, next) && next < input_size(view->in);
    uint32_t limit = next - image->offset < reach ? (uint32_t)(next - image->offset) : reach;
    if (!native_view_spend(view, limit) || !native_displaced_rear_find(view, image, limit, bounded, end->mark > 0))
        return;
    image->available = image->size;
    native_break_read_words(view, image, header);
    look_with_doubt(view, image, header, end);
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

/* Whether the last group of the slots is as the table of the seal has it, though the seal itself is not right. */
static bool has_last_group(struct native_view *view, const struct native_image *image)
{
    size_t group = native_group_of(image->layout, image->layout.slots);
    if (image->available < image->size)
        return false;
    native_view_load(view, image, native_group_offset(image->layout, group), native_group_size(image->layout, group));
    native_view_load(view, image, native_group_crc_offset(image->layout, group), sizeof(uint32_t));
    return native_view_group_difference(view, image, group) == 0;
}

/* There is neither end mark nor seal: what wiped or moved them may have begun in the last slot that is sound, so that
 * is not relied on. */
static void distrust_last_slot(struct native_view *view, struct native_image *image)
{
    uint32_t slot = image->layout.slots, least = slot > SLOTS_WIPED ? slot - SLOTS_WIPED : 0;
    if (image->displaced.by != 0 || !native_has_slot(image, slot + 1u) || !is_mark_wiped(view, image)
        || has_last_group(view, image))
        return;
    for (; slot > least; slot--) {
        native_view_load(view, image, native_slot_offset(slot), TLOG_SLOT_BYTES);
        if (native_is_sound(native_view_slot(view, slot)))
            break;
    }
    image->displaced.torn[0] = (struct native_slots){(uint16_t)slot, (uint16_t)slot};
}

/* Whether there are slots that were written, and the last ones are right. */
static bool has_written(struct native_view *view, const struct native_image *image, const struct end *end)
{
    return native_image_first_unformatted(image, &end->position) != 1u
           && native_image_has_last_slots(view, image, &end->position, SLOTS_HIT);
}

/* What shows where the image ends. */
static enum native_end what_shows(struct native_view *view, const struct native_image *image, const struct end *end,
                                  uint64_t next)
{
    if (image->displaced.by != 0)
        return end->seal == NATIVE_SEAL_RIGHT || is_near(image, next - (uint64_t)(int64_t)image->displaced.by)
                   ? NATIVE_END_NEAR
                   : NATIVE_END_UNKNOWN;
    if (end->seal == NATIVE_SEAL_RIGHT)
        return NATIVE_END_SHOWN;
    if (end->seal == NATIVE_SEAL_NONE && end->mark > image->layout.slots && image->available == image->size
        && (end->position.lap != 1u || next == image->offset + image->size
            || native_position_has_unused(view, image, &end->position)))
        return NATIVE_END_SHOWN;
    if (!is_near(image, next))
        return NATIVE_END_UNKNOWN;
    return end->mark > image->layout.slots || has_written(view, image, end) ? NATIVE_END_NEAR : NATIVE_END_UNKNOWN;
}

static enum native_end end_plain(struct native_view *view, const struct native_header *header, uint64_t next,
                                 struct native_image *image)
{
    struct tlog_chunk chunk = header->chunk;
    struct end end = {.seal = NATIVE_SEAL_NONE};
    enum native_end shown;
    image->available = native_image_in_input(view, image, image->size);
    native_position_read(image, chunk.cursor, chunk.lap, chunk.lap_high, &end.position);
    look(view, image, &chunk, &end);
    if (end.seal == NATIVE_SEAL_RIGHT && next - image->offset < native_seal_offset(image->layout)
        && native_seal_is_strange(view, image, &chunk))
        end.seal = NATIVE_SEAL_NONE;
    if (end.seal != NATIVE_SEAL_RIGHT)
        find_rear(view, image, &chunk, next, &end);
    if (end.seal != NATIVE_SEAL_RIGHT && next - image->offset < image->available)
        image->available = (uint32_t)(next - image->offset);
    image->broken = end.seal != NATIVE_SEAL_RIGHT && (end.mark == 0 || image->displaced.by != 0);
    shown = what_shows(view, image, &end, next);
    image->unshown = shown == NATIVE_END_UNKNOWN;
    if (end.seal != NATIVE_SEAL_RIGHT && end.mark == 0)
        distrust_last_slot(view, image);
    if (image->available < image->size && end.seal != NATIVE_SEAL_RIGHT)
        image->mend_at = NATIVE_MEND_NONE;
    else
        native_image_report_end(view, image, end.seal, end.mark > 0);
    if (end.seal == NATIVE_SEAL_RIGHT)
        native_seal_apply(view, image, &chunk);
    native_image_finish(view, image, &chunk);
    return shown;
}

enum native_end native_image_end_find(struct native_view *view, const struct native_header *header, uint64_t next,
                                      struct native_image *image)
{
    if (native_image_begin(view, header, image) != 0)
        return NATIVE_END_FAILED;
    return image->packed ? end_region(view, header, next, image) : end_plain(view, header, next, image);
}
