/* claims.h - the slots of an image that writers have passed, because their owners did not come back (target/FORMAT.md,
 * 2.3). A claimed slot bears both tags; and even if it does not, because its owner has come back late, a note tells
 * that what stands in it is of an earlier lap. */
#ifndef NATIVE_CLAIMS_H
#define NATIVE_CLAIMS_H

#include "formats/native/view.h"

/* The notes of an image that hold: numbers of slots. */
struct native_claims {
    uint16_t slot[TLOG_CLAIMS];
    unsigned n;
};

/* Load the notes of an image, and take those that hold. In lap 1 no slot is claimed. */
struct native_claims native_claims_load(struct native_view *view, const struct native_image *image);

/* Whether a slot is noted. */
static inline bool native_claims_have(const struct native_claims *claims, uint32_t index)
{
    for (unsigned i = 0; i < claims->n; i++) {
        if (claims->slot[i] == index)
            return true;
    }
    return false;
}

#endif
