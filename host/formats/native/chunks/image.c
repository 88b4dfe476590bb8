/* image.c - bytes of an image, from the input or from a compressed region, and its claimed slots: see image.h.
 *
 * A region can only be unpacked as a whole. A view keeps the last image that was unpacked: so its parts can be loaded
 * one after the other.
 */
#include "formats/native/chunks/image.h"

#include "base/heap.h"
#include "formats/native/packed/region.h"

#include <string.h>

/* A region is read into the room behind the image that is made of it. */
int native_view_reserve(struct native_view *view, const struct native_image *image)
{
    return native_view_reserve_bytes(view, (size_t)image->size + image->region_size);
}

int native_view_reserve_bytes(struct native_view *view, size_t size)
{
    unsigned char *bytes;
    if (size <= view->room)
        return 0;
    bytes = heap_realloc(view->bytes, size);
    if (bytes == NULL)
        return trace_fail(view->trace, "%s: no memory for a chunk of %zu bytes", view->trace->input_name, size);
    view->bytes = bytes;
    view->room = size;
    return 0;
}

/* Have the image of a region in the view. The region's head was right when it was found: so unpacking fails only if the
 * input cannot be read any more; then the image is all zeros. */
static void load_region(struct native_view *view, const struct native_image *image)
{
    unsigned char *region = view->bytes + image->size;
    size_t have;
    int lost;
    if (view->unpacked && view->region == image->offset)
        return;
    have = input_read(view->in, image->offset, region, image->region_size);
    lost = native_region_unpack(region, have, view->bytes, image->size);
    if (lost < 0)
        memset(view->bytes, 0, image->size);
    view->region = image->offset;
    view->unpacked = true;
    view->lost = lost < 0 ? 1u : (uint32_t)lost;
}

/* Load bytes that stand side by side in the input. */
static void load_piece(struct native_view *view, const struct native_image *image, size_t from, size_t size)
{
    size_t have = from < image->available ? image->available - from : 0;
    if (have > size)
        have = size;
    if (have > 0)
        have = input_read(view->in, native_input_offset(image, from), view->bytes + from, have);
    memset(view->bytes + from + have, 0, size - have);
}

void native_view_load(struct native_view *view, const struct native_image *image, size_t from, size_t size)
{
    size_t front = from < image->displaced.from ? image->displaced.from - from : size;
    if (image->packed) {
        load_region(view, image);
        return;
    }
    native_view_will_change(view);
    front = front < size ? front : size;
    load_piece(view, image, from, front);
    if (front < size)
        load_piece(view, image, from + front, size - front);
    if (image->mend_at >= from && image->mend_at < from + size)
        view->bytes[image->mend_at] ^= image->mend;
}

void native_view_load_slots(struct native_view *view, const struct native_image *image, uint32_t first, uint32_t last)
{
    size_t end = native_group_of(image->layout, last);
    size_t from = native_group_offset(image->layout, native_group_of(image->layout, first));
    size_t to = native_group_offset(image->layout, end) + native_group_size(image->layout, end);
    if (!image->sealed)
        to = native_slot_offset(last + 1u);
    native_view_load(view, image, from, to - from);
    if (image->sealed)
        native_view_load(view, image, native_seal_offset(image->layout), native_seal_size(image->layout));
}

bool native_view_is_as_sealed(struct native_view *view, const struct native_image *image)
{
    native_view_load(view, image, TLOG_HEADER_BYTES, (size_t)image->layout.slots * TLOG_SLOT_BYTES);
    for (size_t group = 0; group < TLOG_GROUPS((size_t)image->layout.slots); group++) {
        if (native_view_group_difference(view, image, group) != 0)
            return false;
    }
    return true;
}

/* ---- claimed slots ----------------------------------------------------------------------------------------------- */

/* Whether a note is still valid: its slot was passed in the image's last lap, or in the lap before, if the last lap has
 * not reached that slot. */
static bool holds(const struct native_image *image, uint32_t slot, uint32_t lap)
{
    return lap == (uint16_t)image->lap || (lap == (uint16_t)(image->lap - 1u) && slot > image->used);
}

struct native_claims native_claims_load(struct native_view *view, const struct native_image *image)
{
    size_t at = native_claims_offset(image->layout);
    struct native_claims claims = {{0}, 0};
    if (image->lap <= 1u || image->available < at + sizeof(struct tlog_claims))
        return claims;
    native_view_load(view, image, at, sizeof(struct tlog_claims));
    for (unsigned i = 0; i < TLOG_CLAIMS; i++) {
        uint32_t note = get_le32(view->bytes + at + 4u * i), slot = note & TLOG_CLAIM_SLOT_MASK;
        if (note != 0 && slot <= image->layout.slots && holds(image, slot, note >> TLOG_CLAIM_LAP_SHIFT))
            claims.slot[claims.n++] = (uint16_t)slot;
    }
    return claims;
}
