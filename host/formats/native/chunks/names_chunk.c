/* names_chunk.c - facts as bytes of an image, and the cursor behind them: see names_chunk.h. */
#include "formats/native/chunks/names_chunk.h"

#include <string.h>

#define WORDS_PER_SLOT 3u
#define LONGEST        4u /* slots of the longest name */

/* ---- one fact ---------------------------------------------------------------------------------------------------- */

/* What the check of a fact should be. */
static uint32_t check_of(const struct native_fact *fact)
{
    uint32_t sum = native_fact_kind(fact) | fact->slots << 8;
    for (uint32_t i = 0; i < fact->slots; i++) {
        for (uint32_t j = 0; j < WORDS_PER_SLOT; j++)
            sum = TLOG_FACT_MIX(sum, get_le32(fact->slot + (size_t)i * TLOG_SLOT_BYTES + (size_t)j * 4u));
    }
    return sum & TLOG_FACT_CHECK_MASK;
}

bool native_fact_is_sound(const struct native_fact *fact)
{
    uint32_t expected = TLOG_FACT_HEAD(native_fact_kind(fact)) | TLOG_TAG_ODD | check_of(fact) << TLOG_FACT_CHECK_SHIFT;
    for (uint32_t i = 0; i < fact->slots; i++) {
        uint32_t head = native_head(fact->slot + (size_t)i * TLOG_SLOT_BYTES);
        uint32_t more = i + 1u < fact->slots ? TLOG_FACT_MORE : 0;
        if ((i == 0 ? head & ~TLOG_FACT_RELEASED : head) != (expected | more))
            return false;
    }
    return true;
}

struct native_fact native_fact_at(const struct native_view *view, uint32_t index, uint32_t last)
{
    struct native_fact fact = {native_view_slot(view, index), 1, native_head(native_view_slot(view, index))};
    while (index < last && native_head(native_view_slot(view, index)) & TLOG_FACT_MORE) {
        index++;
        fact.slots++;
    }
    return fact;
}

void native_fact_data(const struct native_fact *fact, uint32_t id_bytes, char *to)
{
    unsigned char data[NATIVE_FACT_DATA + WORDS_PER_SLOT * 4u] = {0};
    size_t size = 0;
    for (uint32_t i = 0; i < fact->slots && size < NATIVE_FACT_DATA; i++, size += WORDS_PER_SLOT * 4u)
        memcpy(data + size, fact->slot + (size_t)i * TLOG_SLOT_BYTES, WORDS_PER_SLOT * 4u);
    memcpy(to, data + id_bytes, NATIVE_FACT_DATA - id_bytes);
    to[NATIVE_FACT_DATA - id_bytes - 1u] = '\0';
}

/* ---- the cursor -------------------------------------------------------------------------------------------------- */

static bool is_cursor(const struct native_image *image, uint32_t cursor)
{
    uint32_t index = cursor >> TLOG_CURSOR_SHIFT;
    return (cursor & 0xFFFFu & ~TLOG_TAG_EVEN) == TLOG_TAG_ODD && index - 1u <= image->layout.slots;
}

/* Names may be added, changed and lost after a chunk was sealed. But the cursor does not pass slots without changing
 * them, and no name is lost while there is room for the longest. */
bool native_names_chunk_is_damaged(struct native_view *view, const struct native_image *image,
                                   const struct tlog_seal *seal, const struct tlog_chunk *header)
{
    uint32_t room = image->layout.slots + 1u - (header->cursor >> TLOG_CURSOR_SHIFT);
    if (header->cursor != seal->cursor && native_view_is_as_sealed(view, image))
        return true;
    if (header->dropped != seal->dropped && room >= LONGEST && room <= image->layout.slots)
        return true;
    return header->lap != seal->lap || header->lap_high != seal->lap_high || !is_cursor(image, header->cursor)
           || header->cursor >> TLOG_CURSOR_SHIFT < seal->cursor >> TLOG_CURSOR_SHIFT || header->dropped < seal->dropped
           || header->dropped_high != seal->dropped_high || header->reported != seal->reported
           || header->extra != seal->extra || header->extra_high != seal->extra_high
           || header->emergency_used != seal->emergency_used;
}

/* How many slots of facts there are, up to the first slot without one: the cursor does not tell. */
static uint32_t count_sound(struct native_view *view, const struct native_image *image)
{
    uint32_t slots = native_slots_available(image), used = 0;
    native_view_load(view, image, TLOG_HEADER_BYTES, (size_t)slots * TLOG_SLOT_BYTES);
    while (used < slots) {
        struct native_fact fact = native_fact_at(view, used + 1u, slots);
        if (!native_fact_has_head(&fact)
            || (!native_fact_is_free(&fact) && !native_fact_is_being_written(&fact) && !native_fact_is_sound(&fact)))
            break;
        used += fact.slots;
    }
    return used;
}

uint32_t native_names_chunk_used(struct native_view *view, const struct native_image *image,
                                 const struct tlog_chunk *header)
{
    if (header->lap >> TLOG_LAP_SHIFT == 1u && is_cursor(image, header->cursor))
        return (header->cursor >> TLOG_CURSOR_SHIFT) - 1u;
    trace_damage(view->trace, native_damage_offset(image, TLOG_CURSOR_OFFSET), 0, 0,
                 "the cursor of a chunk of names is damaged: names may be missing");
    return count_sound(view, image);
}
