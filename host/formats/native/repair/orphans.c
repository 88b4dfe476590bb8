/* orphans.c - images that have lost their header, but have a right seal: see orphans.h.
 *
 * A seal whose CRC is right tells how many groups there are; the end mark and the CRCs of the groups tell how many
 * slots, and so where the header was.
 */
#include "formats/native/repair/orphans.h"

#include "base/crc32.h"
#include "base/heap.h"
#include "formats/native/repair/orphan_header.h"

#include <stddef.h>

#define LARGEST TLOG_CHUNK_BYTES(TLOG_SLOTS_MAX, TLOG_SLOTS_MAX)

/* Bytes that a seal needs at most. */
#define SEAL_BYTES (sizeof(struct tlog_seal) + 8u * TLOG_GROUPS(TLOG_SLOTS_MAX))

#define TRIES 16u /* groups, and end marks, that are tried for a seal */

/* ---- the layout -------------------------------------------------------------------------------------------------- */

static bool is_mark(const struct native_stray *stray, size_t at)
{
    return at + TLOG_SLOT_BYTES <= stray->n && native_is_end_mark(stray->bytes + at);
}

/* The number of groups with which the CRC of a seal is right; 0: none. */
static uint32_t count_groups(const struct native_stray *stray, size_t at)
{
    const unsigned char *seal = stray->bytes + at, *table = seal + sizeof(struct tlog_seal);
    size_t most = (stray->n - at - sizeof(struct tlog_seal)) / 4u, all = 2u * TLOG_GROUPS(TLOG_SLOTS_MAX);
    uint32_t right = native_read_seal(seal).crc;
    uint32_t crc = crc32_of(seal, offsetof(struct tlog_seal, crc));
    crc = crc32_more(crc, seal - sizeof(struct tlog_claims), sizeof(struct tlog_claims));
    for (size_t n = 1; n <= most && n <= all && native_view_spend(stray->view, 4); n++) {
        crc = crc32_more(crc, table + 4u * (n - 1u), 4);
        if (crc == right)
            return (uint32_t)n;
    }
    return 0;
}

/* Whether a group of an image, which is in memory, is as the seal has it. */
static bool is_group_right(const struct native_stray *stray, const struct native_orphan *orphan, size_t group)
{
    int64_t at = orphan->at + (int64_t)native_group_offset(orphan->layout, group);
    size_t size = native_group_size(orphan->layout, group);
    const unsigned char *crc = stray->bytes + orphan->at + native_group_crc_offset(orphan->layout, group);
    return at >= 0 && native_view_spend(stray->view, size) && crc32_of(stray->bytes + at, size) == get_le32(crc);
}

/* Whether the slots of a group are all the same, as those are that were never written. Then its CRC does not tell where
 * it begins, unless it has fewer slots than others. */
static bool is_uniform(const struct native_stray *stray, const struct native_orphan *orphan, size_t group)
{
    size_t size = native_group_size(orphan->layout, group);
    const unsigned char *slots = stray->bytes + orphan->at + (int64_t)native_group_offset(orphan->layout, group);
    return size == TLOG_GROUP_SLOTS * TLOG_SLOT_BYTES
           && memcmp(slots, slots + TLOG_SLOT_BYTES, size - TLOG_SLOT_BYTES) == 0;
}

/* Whether a seal can be that of an image of this layout: a group of normal slots is right. */
static bool is_layout(const struct native_stray *stray, size_t seal, struct native_orphan *orphan)
{
    size_t groups = TLOG_GROUPS((size_t)orphan->layout.slots), tried = 0;
    orphan->at = (int64_t)seal - (int64_t)native_seal_offset(orphan->layout);
    for (size_t group = groups; group-- > 0 && tried < TRIES; tried++) {
        if (is_group_right(stray, orphan, group) && !is_uniform(stray, orphan, group))
            return true;
    }
    return false;
}

/* Find the number of normal slots, if there are so many emergency slots. */
static bool find_slots(const struct native_stray *stray, size_t seal, uint32_t groups, uint32_t emergency,
                       struct native_orphan *orphan)
{
    uint32_t normal = groups - TLOG_GROUPS(emergency);
    for (uint32_t n = TLOG_GROUP_SLOTS; n > 0; n--) {
        uint32_t slots = (normal - 1u) * TLOG_GROUP_SLOTS + n;
        if (slots > TLOG_SLOTS_MAX)
            continue;
        orphan->layout = (struct native_layout){(uint16_t)slots, (uint16_t)emergency};
        if (is_layout(stray, seal, orphan))
            return true;
    }
    return false;
}

/* Whether all groups are as they were sealed. */
static bool is_whole(const struct native_stray *stray, const struct native_orphan *orphan)
{
    for (size_t group = 0; group < native_groups(orphan->layout); group++) {
        if (!is_group_right(stray, orphan, group))
            return false;
    }
    return true;
}

/* How well a layout fits. */
enum fit { FITS_NOT, FITS, FITS_MARKED, FITS_WHOLE };

static enum fit find_fit(const struct native_stray *stray, size_t seal, uint32_t groups, uint32_t emergency,
                         bool is_marked, struct native_orphan *orphan)
{
    if ((emergency > 0 && !is_marked) || !find_slots(stray, seal, groups, emergency, orphan))
        return FITS_NOT;
    if (is_whole(stray, orphan))
        return FITS_WHOLE;
    return is_marked ? FITS_MARKED : FITS;
}

/* Find the layout of the image that a seal with so many groups belongs to. The end mark need not be in its place in lap
 * 1: without it, there are taken to be no emergency slots. These may be normal slots by another layout: that one is
 * right with which all groups are, else one with an end mark. */
static bool find_layout(const struct native_stray *stray, size_t seal, uint32_t groups, struct native_orphan *orphan)
{
    size_t end = seal - sizeof(struct tlog_claims) - TLOG_SLOT_BYTES;
    uint32_t tried = 0;
    enum fit best = FITS_NOT;
    for (uint32_t n = 0; TLOG_GROUPS(n) < groups && tried < TRIES && best != FITS_WHOLE; n++) {
        struct native_orphan found;
        enum fit fit;
        bool is_marked;
        if (end < (size_t)n * TLOG_SLOT_BYTES || !native_view_spend(stray->view, TLOG_SLOT_BYTES))
            break;
        is_marked = is_mark(stray, end - (size_t)n * TLOG_SLOT_BYTES);
        tried += is_marked || n == 0;
        fit = find_fit(stray, seal, groups, n, is_marked, &found);
        if (fit > best)
            *orphan = found;
        best = fit > best ? fit : best;
    }
    return best != FITS_NOT;
}

/* Whether an image is there that has the same seal: then what this one belongs to is a copy of it. */
static bool has_copy(const struct native_stray *stray, size_t seal)
{
    const struct native_siblings *siblings = stray->siblings;
    unsigned char bytes[sizeof(struct tlog_seal)];
    for (size_t i = 0; i < siblings->n && native_view_spend(stray->view, sizeof bytes); i++) {
        const struct native_image *image = &siblings->images[i];
        uint64_t at = image->offset + native_seal_offset(image->layout);
        if (!image->packed && input_read(stray->view->in, at, bytes, sizeof bytes) == sizeof bytes
            && memcmp(bytes, stray->bytes + seal, sizeof bytes) == 0)
            return true;
    }
    return false;
}

/* Whether it belongs to a copy, and so one image shows what the other one would. All chunks that were never opened have
 * the same seal: that does not tell which of them it is. */
static bool is_copy(const struct native_stray *stray, size_t seal)
{
    struct tlog_seal words = native_read_seal(stray->bytes + seal);
    return native_count(words.lap, words.lap_high) >> TLOG_LAP_SHIFT > 0 && has_copy(stray, seal);
}

/* What there is of an image of which no group is right. */
static enum native_orphan_found find_empty(const struct native_stray *stray, size_t seal, uint32_t groups)
{
    return native_orphan_may_fill_space(stray, seal, groups) && !has_copy(stray, seal) ? NATIVE_ORPHAN_EMPTY
                                                                                       : NATIVE_ORPHAN_NONE;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* The stray bytes that a seal stands in. */
static struct native_stray enter(struct native_view *view, const struct native_siblings *siblings, uint64_t seal)
{
    struct native_stray stray = {.view = view, .siblings = siblings, .after = native_siblings_behind(siblings, seal)};
    const struct native_image *ahead = native_stray_ahead(&stray), *behind = native_stray_behind(&stray);
    stray.from = ahead != NULL ? ahead->offset + native_extent(ahead) : 0;
    stray.least = stray.from - (ahead != NULL && !ahead->sealed && native_extent(ahead) >= TORN ? TORN : 0);
    stray.to = behind != NULL ? behind->offset : input_size(view->in);
    return stray;
}

/* Have in memory what belongs to an image with that seal: so many bytes ahead of it, and all of the seal. Returns the
 * bytes, which the caller frees; NULL: there are none. */
static unsigned char *load(struct native_stray *stray, uint64_t seal, uint64_t ahead)
{
    uint64_t from = seal - stray->least > ahead ? seal - ahead : stray->least;
    uint64_t to = stray->to - seal > SEAL_BYTES ? seal + SEAL_BYTES : stray->to;
    unsigned char *bytes;
    if (seal < stray->from || seal >= stray->to || !native_view_spend(stray->view, to - from))
        return NULL;
    bytes = heap_alloc((size_t)(to - from));
    if (bytes == NULL)
        return NULL;
    stray->bytes = bytes;
    stray->at = from;
    stray->n = input_read(stray->view->in, from, bytes, (size_t)(to - from));
    return bytes;
}

/* The number of groups of the seal at an offset; 0: it is not right. */
static uint32_t read_seal(struct native_stray *stray, uint64_t seal)
{
    unsigned char *bytes = load(stray, seal, sizeof(struct tlog_claims));
    size_t at = (size_t)(seal - stray->at);
    uint32_t groups = 0;
    if (bytes != NULL && at == sizeof(struct tlog_claims) && at + sizeof(struct tlog_seal) + 4u <= stray->n)
        groups = count_groups(stray, at);
    heap_free(bytes);
    return groups;
}

/* What there is of the image that a right seal belongs to; its bytes are in memory. */
static enum native_orphan_found find(const struct native_stray *stray, size_t seal, uint32_t groups,
                                     struct native_header *header)
{
    struct native_orphan orphan = {{0, 0}, 0};
    bool fills;
    if (seal < sizeof(struct tlog_claims) + TLOG_SLOT_BYTES)
        return NATIVE_ORPHAN_NONE;
    if (!find_layout(stray, seal, groups, &orphan))
        return find_empty(stray, seal, groups);
    if (native_orphan_has_header(stray, &orphan))
        return NATIVE_ORPHAN_NONE;
    fills = native_orphan_fills_space(stray, &orphan);
    if (!native_orphan_header(stray, &orphan, header))
        return fills && !is_copy(stray, seal) ? NATIVE_ORPHAN_LOST : NATIVE_ORPHAN_UNKNOWN;
    if (is_whole(stray, &orphan))
        return NATIVE_ORPHAN_WHOLE;
    return fills ? NATIVE_ORPHAN_HIT : NATIVE_ORPHAN_PIECE;
}

enum native_orphan_found native_orphan_find(struct native_view *view, const struct native_siblings *siblings,
                                            uint64_t seal, struct native_header *header)
{
    struct native_stray stray = enter(view, siblings, seal);
    enum native_orphan_found found = NATIVE_ORPHAN_NONE;
    uint32_t groups = read_seal(&stray, seal);
    unsigned char *bytes = groups > 0 ? load(&stray, seal, LARGEST) : NULL;
    if (bytes != NULL)
        found = find(&stray, (size_t)(seal - stray.at), groups, header);
    heap_free(bytes);
    return found;
}
