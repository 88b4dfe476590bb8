/* claims.h - which slots a reader passes, because their owners of an earlier lap did not fill them in time. */
#ifndef LIB_CLAIMS_H
#define LIB_CLAIMS_H

#include "tlog.h"

/* Whether slot s of a chunk is claimed, 1 being the first slot: it bears both tags, or a note says that it was passed
 * in this lap, or in the lap before and the cursor, which stands on `index`, has not come to it since. */
static inline bool is_claimed(const struct tlog_chunk *chunk, uint32_t lap, uint32_t index, uint32_t s)
{
    const uint32_t head = (&chunk->cursor)[s * 4u + TLOG_WORD_HEAD];
    bool found = (head & TLOG_TAG_MASK) == TLOG_TAG_MASK;
    for (uint32_t i = 0; i < TLOG_CLAIMS; i++) {
        uint32_t note = tlog_chunk_claims(chunk)->note[i], age = (lap - (note >> TLOG_CLAIM_LAP_SHIFT)) & 0xFFFFu;
        if (note != 0 && (note & TLOG_CLAIM_SLOT_MASK) == s && (age == 0 || (age == 1u && s >= index)))
            found = true;
    }
    return found;
}

#endif
