/* names_chunk.h - the bytes of a chunk of names. It has no events but facts: names and priorities, which stay true
 * until they are changed (target/FORMAT.md, 2.7).
 */
#ifndef NATIVE_NAMES_CHUNK_H
#define NATIVE_NAMES_CHUNK_H

#include "formats/native/chunks/image.h"

#define NATIVE_FACT_DATA  128u /* bytes of the longest data, with a NUL */
#define NATIVE_NAME_SLOTS 2u   /* that a name has at least */

/* A fact in view: the slots of a name or a priority; or free slots for one. */
struct native_fact {
    const unsigned char *slot; /* its first one */
    uint32_t slots;
    uint32_t head; /* of its first slot */
};

/* The fact from slot `index` on, which ends with slot `last` or ahead of it. */
struct native_fact native_fact_at(const struct native_view *view, uint32_t index, uint32_t last);

/* TLOG_NAME_TASK to TLOG_NAME_COUNTER, TLOG_FACT_PRIORITY, another one, or 0 for free slots. */
static inline uint32_t native_fact_kind(const struct native_fact *fact)
{
    return fact->head & TLOG_FACT_KIND;
}

/* Whether the firmware had not finished writing it. */
static inline bool native_fact_is_being_written(const struct native_fact *fact)
{
    return (fact->head & TLOG_TAG_MASK) == TLOG_TAG_MASK;
}

/* Whether these are free slots. */
static inline bool native_fact_is_free(const struct native_fact *fact)
{
    return (fact->head & ~TLOG_FACT_MORE) == (TLOG_FACT_HEAD(0) | TLOG_TAG_ODD);
}

/* Whether its head may stand in a chunk of names. */
static inline bool native_fact_has_head(const struct native_fact *fact)
{
    return (fact->head & TLOG_CLASS_MASK) == TLOG_CLASS_CONTROL << TLOG_CLASS_SHIFT && (fact->head & TLOG_TAG_ODD) != 0;
}

/* Whether the heads of all its slots are what they should be, with the check in them. `id_bytes`, here and below: the
 * size of a pointer on the target. */
bool native_fact_is_sound(const struct native_fact *fact, uint32_t id_bytes);

/* Whether a name is one of the past; and the time in ticks when it ended, modulo 2^47. */
static inline bool native_fact_is_past(const struct native_fact *fact)
{
    return (fact->head & TLOG_FACT_RELEASED) != 0 && native_fact_kind(fact) < TLOG_FACT_VALUES;
}
uint64_t native_fact_end(const struct native_fact *fact, uint32_t id_bytes);

/* The priority that a fact tells. False: it was being changed. */
bool native_fact_priority(const struct native_fact *fact, uint32_t id_bytes, int32_t *priority);

/* Copy the text of a name, with a NUL behind it. `to` has room for NATIVE_FACT_DATA bytes. */
void native_fact_data(const struct native_fact *fact, uint32_t id_bytes, char *to);

/* How many slots of an image hold facts, by the cursor in its header; if that is damaged, by the facts. Reports damage.
 * Loads slots. */
uint32_t native_names_chunk_used(struct native_view *view, const struct native_image *image,
                                 const struct tlog_chunk *header);

/* Whether the changing words of the header contradict those in the image's seal. Loads slots. */
bool native_names_chunk_is_damaged(struct native_view *view, const struct native_image *image,
                                   const struct tlog_seal *seal, const struct tlog_chunk *header);

#endif
