/* names_chunk.h - the chunks that have nothing but names and priorities: their bytes (target/FORMAT.md, 2.7). */
#ifndef NATIVE_NAMES_CHUNK_H
#define NATIVE_NAMES_CHUNK_H

#include "formats/native/image.h"

#define NATIVE_FACT_DATA 128u /* bytes of the longest data, with a NUL */

/* A fact in view, or free slots. */
struct native_fact {
    const unsigned char *slot; /* its first one */
    uint32_t slots;
    uint32_t head; /* of that slot */
};

/* What stands from a slot on. The last slot that may belong to it is `last`. */
struct native_fact native_fact_at(const struct native_view *view, uint32_t index, uint32_t last);

static inline uint32_t native_fact_kind(const struct native_fact *fact)
{
    return fact->head & TLOG_FACT_KIND;
}

static inline bool native_fact_is_being_written(const struct native_fact *fact)
{
    return (fact->head & TLOG_TAG_MASK) == TLOG_TAG_MASK;
}

/* Whether the place is free. */
static inline bool native_fact_is_free(const struct native_fact *fact)
{
    return (fact->head & ~TLOG_FACT_MORE) == (TLOG_FACT_HEAD(0) | TLOG_TAG_ODD);
}

/* Whether its head may stand in a chunk of facts. */
static inline bool native_fact_has_head(const struct native_fact *fact)
{
    return (fact->head & TLOG_CLASS_MASK) == TLOG_CLASS_CONTROL << TLOG_CLASS_SHIFT && (fact->head & TLOG_TAG_ODD) != 0;
}

/* Whether the heads of all its slots, with their check, are what they should be. */
bool native_fact_is_sound(const struct native_fact *fact);

/* The data behind the id, with a NUL behind that. `to` has room for NATIVE_FACT_DATA bytes. */
void native_fact_data(const struct native_fact *fact, uint32_t id_bytes, char *to);

/* The slots before the cursor of an image of facts, whose changing words are these. Reports damage. */
uint32_t native_names_chunk_used(struct native_view *view, const struct native_image *image,
                                 const struct tlog_chunk *header);

/* Whether the changing words of a header of facts cannot have followed from those in its seal. */
bool native_names_chunk_is_damaged(struct native_view *view, const struct native_image *image,
                                   const struct tlog_seal *seal, const struct tlog_chunk *header);

#endif
