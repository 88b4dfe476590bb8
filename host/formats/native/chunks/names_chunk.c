/* names_chunk.c - facts as bytes of an image, and the cursor behind them: see names_chunk.h. */
#include "formats/native/chunks/names_chunk.h"

#include <string.h>

#define WORDS_PER_SLOT 3u
#define LONGEST        4u /* slots of the longest name */

/* ---- one fact ---------------------------------------------------------------------------------------------------- */

/* Wraps of the clock, in the second head. */
static uint32_t wraps_of(const struct native_fact *fact)
{
    return fact->slots > 1u ? native_head(fact->slot + TLOG_SLOT_BYTES) >> TLOG_FACT_CHECK_SHIFT & TLOG_FACT_CHECK_MASK
                            : 0;
}

/* What the check of a fact should be. The value of a priority counts as 0. */
static uint32_t check_of(const struct native_fact *fact, uint32_t id_bytes)
{
    uint32_t sum = (native_fact_kind(fact) | fact->slots << 8) + (wraps_of(fact) << TLOG_FACT_CHECK_SHIFT);
    for (uint32_t i = 0; i < fact->slots * WORDS_PER_SLOT; i++) {
        bool is_left_out = native_fact_kind(fact) == TLOG_FACT_PRIORITY && i == id_bytes / 4u;
        sum = TLOG_FACT_MIX(sum, is_left_out ? 0 : get_le32(fact->slot + (size_t)(i + i / WORDS_PER_SLOT) * 4u));
    }
    return sum & TLOG_FACT_CHECK_MASK;
}

bool native_fact_is_sound(const struct native_fact *fact, uint32_t id_bytes)
{
    const uint32_t head = TLOG_FACT_HEAD(native_fact_kind(fact)) | TLOG_TAG_ODD;
    const uint32_t value = get_le32(fact->slot + id_bytes);
    if (native_fact_kind(fact) == TLOG_FACT_PRIORITY && (value & TLOG_PRIORITY_CHANGING) == 0
        && (value & 0xFF000000u) != TLOG_PRIORITY_CHECK(value))
        return false;
    if ((fact->head & ~(TLOG_FACT_RELEASED | TLOG_FACT_MORE))
            != (head | check_of(fact, id_bytes) << TLOG_FACT_CHECK_SHIFT)
        || (native_fact_kind(fact) < TLOG_FACT_VALUES && fact->slots < NATIVE_NAME_SLOTS))
        return false;
    for (uint32_t i = 1; i < fact->slots; i++) {
        if ((native_head(fact->slot + (size_t)i * TLOG_SLOT_BYTES) & 0xFFFFu) != (TLOG_FACT_HEAD(0) | TLOG_TAG_ODD))
            return false;
    }
    return (native_head(fact->slot + (size_t)(fact->slots - 1u) * TLOG_SLOT_BYTES) & TLOG_FACT_MORE) == 0;
}

uint64_t native_fact_end(const struct native_fact *fact, uint32_t id_bytes)
{
    return (uint64_t)wraps_of(fact) << 32 | get_le32(fact->slot + id_bytes);
}

bool native_fact_priority(const struct native_fact *fact, uint32_t id_bytes, int32_t *priority)
{
    const uint32_t word = get_le32(fact->slot + id_bytes);
    *priority = (int16_t)(word & 0xFFFFu);
    return (word & TLOG_PRIORITY_CHANGING) == 0;
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
    unsigned char data[NATIVE_FACT_DATA + TLOG_SLOT_BYTES] = {0};
    const size_t skip = id_bytes + 4u, per_slot = TLOG_WORD_HEAD * 4u;
    size_t size = 0;
    for (uint32_t i = 0; i < fact->slots && size < NATIVE_FACT_DATA; i++, size += per_slot)
        memcpy(data + size, fact->slot + (size_t)i * TLOG_SLOT_BYTES, per_slot);
    memcpy(to, data + skip, NATIVE_FACT_DATA - skip);
    to[NATIVE_FACT_DATA - skip - 1u] = '\0';
}

/* ---- the cursor -------------------------------------------------------------------------------------------------- */

static bool is_cursor(const struct native_image *image, uint32_t cursor)
{
    uint32_t index = cursor >> TLOG_CURSOR_SHIFT;
    return (cursor & 0xFFFFu & ~TLOG_TAG_EVEN) == TLOG_TAG_ODD && index - 1u <= image->layout.slots;
}

/* Names may be added, changed and lost after a chunk was sealed. But the cursor does not pass slots without changing
 * them, no name makes room for another without that, and no name is lost while there is room for the longest. */
bool native_names_chunk_is_damaged(struct native_view *view, const struct native_image *image,
                                   const struct tlog_seal *seal, const struct tlog_chunk *header)
{
    uint32_t room = image->layout.slots + 1u - (header->cursor >> TLOG_CURSOR_SHIFT);
    if ((header->cursor != seal->cursor || header->extra != seal->extra) && native_view_is_as_sealed(view, image))
        return true;
    if (header->dropped != seal->dropped && room >= LONGEST && room <= image->layout.slots)
        return true;
    return header->lap != seal->lap || header->lap_high != seal->lap_high || !is_cursor(image, header->cursor)
           || header->cursor >> TLOG_CURSOR_SHIFT < seal->cursor >> TLOG_CURSOR_SHIFT || header->dropped < seal->dropped
           || header->dropped_high != seal->dropped_high || header->reported != seal->reported
           || header->extra < seal->extra || header->extra_high != seal->extra_high
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
            || (!native_fact_is_free(&fact) && !native_fact_is_being_written(&fact)
                && !native_fact_is_sound(&fact, image->pointer)))
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
