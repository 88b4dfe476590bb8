/* claims.c - notes of claimed slots: see claims.h. */
#include "formats/native/claims.h"

/* Whether a note tells that its slot was passed in the image's last lap; or in the lap before that, if it is a slot
 * that the last lap has not reached. */
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
