/* orphans.c - the search for images that have lost their header: see orphans.h.
 *
 * Stray bytes are brought into memory a window at a time, which has room for several of the largest images. There an
 * orphan is looked for
 *
 *   by its seal    a seal whose CRC is right tells how many groups there are; the end mark and the CRCs of the groups
 *                  tell how many slots, and so where the header was
 *   by its slots   without a seal: a sibling tells the number of slots, and their tags tell where they are
 *
 * What was searched once is not searched again when an orphan was found. All other bytes that are looked at more than
 * once are taken from the view's budget: when that is used up, nothing more is found.
 */
#include "formats/native/orphans.h"

#include <stdlib.h>
#include <zlib.h>

#define WINDOW  (8u << 20) /* stray bytes in memory */
#define LARGEST TLOG_CHUNK_BYTES(TLOG_SLOTS_MAX, TLOG_SLOTS_MAX)

_Static_assert(WINDOW >= 3u * LARGEST, "an image of which a part is in the window is in the next one as a whole");

/* Bytes that a seal needs at most: so many at the end of a window are searched in the next one. */
#define SEAL_BYTES (sizeof(struct tlog_seal) + 8u * TLOG_GROUPS(TLOG_SLOTS_MAX))

#define SOUND_LEAST 3u  /* slots that tell an orphan without a seal */
#define TRIES       16u /* groups, and end marks, that are tried for a seal */

#define LAP_ZERO 0xFCFFu /* bits that are 0 in the words cursor and lap */

static const unsigned char seal_magic[4] = {'S', 'E', 'A', 'L'};

/* ---- the window -------------------------------------------------------------------------------------------------- */

/* Have room for a window of n bytes. */
static bool reserve(struct native_orphans *orphans, size_t n)
{
    unsigned char *bytes;
    if (n <= orphans->room)
        return true;
    bytes = realloc(orphans->bytes, n);
    if (bytes == NULL)
        return false;
    orphans->bytes = bytes;
    orphans->room = n;
    return true;
}

/* Read the window that begins where the search goes on. */
static bool read_window(struct native_orphans *orphans)
{
    struct native_stray *stray = &orphans->stray;
    size_t size = stray->to - stray->from < WINDOW ? (size_t)(stray->to - stray->from) : WINDOW;
    orphans->at = stray->from;
    orphans->n = 0;
    if (!reserve(orphans, size))
        return false;
    orphans->n = input_read(stray->view->in, stray->from, orphans->bytes, size);
    return true;
}

/* Have in memory what is searched next. False: there is nothing left. */
static bool load_window(struct native_orphans *orphans)
{
    struct native_stray *stray = &orphans->stray;
    uint64_t end = orphans->at + orphans->n;
    bool is_in =
        stray->from >= orphans->at && stray->from < end && (end >= stray->to || end - stray->from >= WINDOW / 2u);
    if (stray->from >= stray->to || stray->to - stray->from <= TLOG_SLOT_BYTES || (!is_in && !read_window(orphans)))
        return false;
    stray->bytes = orphans->bytes + (stray->from - orphans->at);
    stray->n = (size_t)(orphans->at + orphans->n - stray->from);
    return stray->n > TLOG_SLOT_BYTES;
}

/* ---- by the seal ------------------------------------------------------------------------------------------------- */

static bool is_mark(const struct native_stray *stray, size_t at)
{
    return at + TLOG_SLOT_BYTES <= stray->n && native_is_end_mark(stray->bytes + at);
}

/* Whether what stands there can be a seal, by its first words. */
static bool may_be_seal(const struct native_stray *stray, size_t at)
{
    struct tlog_seal seal;
    if (at + sizeof seal + 4u > stray->n || memcmp(stray->bytes + at, seal_magic, sizeof seal_magic) != 0)
        return false;
    seal = native_read_seal(stray->bytes + at);
    return ((seal.cursor | seal.lap) & LAP_ZERO) == 0;
}

/* The number of groups with which the CRC of a seal is right; 0: none. */
static uint32_t count_groups(const struct native_stray *stray, size_t at)
{
    const unsigned char *seal = stray->bytes + at, *table = seal + sizeof(struct tlog_seal);
    size_t most = (stray->n - at - sizeof(struct tlog_seal)) / 4u, all = 2u * TLOG_GROUPS(TLOG_SLOTS_MAX);
    uint32_t right = native_read_seal(seal).crc;
    uLong crc = crc32(0, seal, offsetof(struct tlog_seal, crc));
    crc = crc32(crc, seal - sizeof(struct tlog_claims), sizeof(struct tlog_claims));
    for (size_t n = 1; n <= most && n <= all && native_view_spend(stray->view, 4); n++) {
        crc = crc32(crc, table + 4u * (n - 1u), 4);
        if ((uint32_t)crc == right)
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

/* Whether a seal can be that of an image of this layout: a group of normal slots is right. */
static bool is_layout(const struct native_stray *stray, size_t seal, struct native_orphan *orphan)
{
    size_t groups = TLOG_GROUPS((size_t)orphan->layout.slots), tried = 0;
    orphan->at = (int64_t)seal - (int64_t)native_seal_offset(orphan->layout);
    for (size_t group = groups; group-- > 0 && tried < TRIES; tried++) {
        if (is_group_right(stray, orphan, group))
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

/* Find the layout of the image that a seal with so many groups belongs to. */
static bool find_layout(const struct native_stray *stray, size_t seal, uint32_t groups, struct native_orphan *orphan)
{
    size_t end = seal - sizeof(struct tlog_claims) - TLOG_SLOT_BYTES;
    uint32_t tried = 0;
    for (uint32_t emergency = 0; TLOG_GROUPS(emergency) < groups && tried < TRIES; emergency++) {
        if (end < (size_t)emergency * TLOG_SLOT_BYTES || !native_view_spend(stray->view, TLOG_SLOT_BYTES))
            break;
        if (!is_mark(stray, end - (size_t)emergency * TLOG_SLOT_BYTES))
            continue;
        tried++;
        if (find_slots(stray, seal, groups, emergency, orphan))
            return true;
    }
    return false;
}

/* Whether an image belongs to what stands there: the seal is right, and so is a group. */
static bool is_seal_of(const struct native_stray *stray, size_t seal, struct native_orphan *orphan)
{
    uint32_t groups = may_be_seal(stray, seal) ? count_groups(stray, seal) : 0;
    return groups > 0 && find_layout(stray, seal, groups, orphan);
}

/* Find the first orphan in the window by its seal. */
static bool find_by_seal(struct native_stray *stray, struct native_orphan *orphan)
{
    size_t ahead = sizeof(struct tlog_claims) + 2u * TLOG_SLOT_BYTES, at = ahead, end = stray->n;
    if (stray->from + stray->n < stray->to)
        end = stray->n > SEAL_BYTES ? stray->n - SEAL_BYTES : 0;
    if (stray->seals_from > stray->from + at)
        at = (size_t)(stray->seals_from - stray->from);
    while (at < end) {
        const unsigned char *magic = memchr(stray->bytes + at, seal_magic[0], end - at);
        at = magic != NULL ? (size_t)(magic - stray->bytes) : end;
        if (at < end && is_seal_of(stray, at, orphan)) {
            orphan->sealed = true;
            return true;
        }
        at++;
    }
    if (stray->from + end > stray->seals_from)
        stray->seals_from = stray->from + end;
    return false;
}

/* ---- by the slots ------------------------------------------------------------------------------------------------ */

/* How many slots are sound; 0 if fewer than half of the written slots are. */
static uint32_t count_sound(const struct native_stray *stray, const struct native_orphan *orphan)
{
    struct native_slot_range slots = native_orphan_slots(stray, orphan);
    uint32_t sound = 0, written = 0;
    if (slots.from >= slots.to || !native_view_spend(stray->view, (uint64_t)(slots.to - slots.from) * TLOG_SLOT_BYTES))
        return 0;
    for (uint32_t i = slots.from; i < slots.to; i++) {
        const unsigned char *slot = native_orphan_slot(stray, orphan, i);
        if (native_head(slot) == TLOG_SLOT_EMPTY)
            continue;
        written++;
        sound += native_is_sound(slot);
    }
    return 2u * sound >= written ? sound : 0;
}

/* Keep a place for an orphan if more slots are sound there than in the best one. */
static void try_orphan(const struct native_stray *stray, const struct native_orphan *orphan, struct native_orphan *best,
                       uint32_t *most)
{
    uint32_t sound = count_sound(stray, orphan);
    if (sound <= *most)
        return;
    *most = sound;
    *best = *orphan;
}

/* Forget the end marks that are ahead of what is still to be searched. */
static void drop_marks(struct native_stray *stray)
{
    unsigned n = 0;
    for (unsigned i = 0; i < stray->nmarks; i++) {
        if (stray->marks[i] >= stray->from + TLOG_SLOT_BYTES)
            stray->marks[n++] = stray->marks[i];
    }
    stray->nmarks = n;
}

/* Find the first end marks in what is in memory, as many as are tried. */
static void find_marks(struct native_stray *stray)
{
    size_t at = TLOG_SLOT_BYTES;
    drop_marks(stray);
    if (stray->marks_from > stray->from + at)
        at = (size_t)(stray->marks_from - stray->from);
    while (stray->nmarks < NATIVE_STRAY_MARKS && at + TLOG_SLOT_BYTES <= stray->n) {
        const unsigned char *tag = stray->bytes + at + NATIVE_HEAD + 1u;
        const unsigned char *next = memchr(tag, TLOG_TAG_MASK >> 8, stray->n - at - NATIVE_HEAD - 1u);
        at = next != NULL ? at + (size_t)(next - tag) : stray->n;
        if (is_mark(stray, at))
            stray->marks[stray->nmarks++] = stray->from + at;
        at++;
    }
    if (stray->from + at > stray->marks_from)
        stray->marks_from = stray->from + at;
}

/* Find the best place for an orphan of a layout, by its slots: at the beginning of the stray bytes, at their end, or
 * ahead of an end mark. */
static bool find_by_slots(struct native_stray *stray, struct native_layout layout, struct native_orphan *best)
{
    struct native_orphan orphan = {layout, 0, false};
    int64_t mark_at = (int64_t)native_slot_offset(layout.slots + 1u);
    uint32_t most = SOUND_LEAST - 1u;
    if (stray->begins)
        try_orphan(stray, &orphan, best, &most);
    orphan.at = (int64_t)stray->n - (int64_t)native_orphan_size(layout);
    if (stray->from + stray->n == stray->to)
        try_orphan(stray, &orphan, best, &most);
    find_marks(stray);
    for (unsigned i = 0; i < stray->nmarks; i++) {
        orphan.at = (int64_t)(stray->marks[i] - stray->from) - mark_at;
        try_orphan(stray, &orphan, best, &most);
    }
    return most >= SOUND_LEAST;
}

/* Find the layout when no sibling tells it: take the header to be where the stray bytes begin, and the slots to end at
 * an end mark. */
static bool find_layout_by_mark(const struct native_stray *stray, struct native_layout *layout)
{
    for (size_t at = TLOG_HEADER_BYTES + TLOG_SLOT_BYTES; at < stray->n; at += TLOG_SLOT_BYTES) {
        size_t slots = (at - TLOG_HEADER_BYTES) / TLOG_SLOT_BYTES;
        if (slots > TLOG_SLOTS_MAX || !native_view_spend(stray->view, TLOG_SLOT_BYTES))
            return false;
        *layout = (struct native_layout){(uint16_t)slots, 0};
        if (is_mark(stray, at))
            return true;
    }
    return false;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* Find an orphan in the window. Where chunks were made at run time, slots without a header are what is left of a chunk
 * that was deleted. */
static bool find_in_window(struct native_stray *stray, struct native_orphan *orphan)
{
    const struct native_image *sibling = native_stray_template(stray);
    struct native_layout layout;
    if (find_by_seal(stray, orphan))
        return true;
    if (stray->siblings->has_arena)
        return false;
    if (sibling != NULL)
        return find_by_slots(stray, sibling->layout, orphan);
    return stray->begins && find_layout_by_mark(stray, &layout) && find_by_slots(stray, layout, orphan);
}

/* Move the window on, so that an image at its end is in the next one as a whole. False: it is the last one. */
static bool move_window(struct native_stray *stray)
{
    if (stray->from + stray->n >= stray->to || stray->n <= 2u * LARGEST)
        return false;
    stray->from += stray->n - 2u * LARGEST;
    stray->begins = false;
    return true;
}

/* Find an orphan in all stray bytes between two images. */
static bool find(struct native_orphans *orphans, struct native_orphan *orphan)
{
    bool found = false;
    while (!found && load_window(orphans)) {
        found = find_in_window(&orphans->stray, orphan);
        if (!found && !move_window(&orphans->stray))
            return false;
    }
    return found;
}

/* Go on with the search behind an offset. */
static void pass(struct native_stray *stray, uint64_t offset)
{
    stray->from = offset > stray->from ? offset : stray->to;
    stray->begins = true;
}

/* Nothing tells which chunk an orphan is of: its events could be taken for those of another run or CPU. */
static void leave_out(struct native_stray *stray, const struct native_orphan *orphan)
{
    uint64_t from = stray->from + (uint64_t)(orphan->at > 0 ? orphan->at : 0);
    uint64_t to = stray->from + (uint64_t)(orphan->at + (int64_t)native_orphan_size(orphan->layout));
    to = to < stray->to ? to : stray->to;
    trace_damage(stray->view->trace, from, to - from, 0,
                 "the header of a chunk is lost, and nothing tells of which run or CPU it is: it is left out");
    pass(stray, to);
    stray->ahead = NULL;
}

bool native_orphans_next(struct native_orphans *orphans, struct native_header *header)
{
    struct native_stray *stray = &orphans->stray;
    struct native_orphan orphan = {{0, 0}, 0, false};
    while (find(orphans, &orphan)) {
        if (native_orphan_has_header(stray, &orphan))
            return false;
        if (!native_header_repair(stray, &orphan, header)) {
            leave_out(stray, &orphan);
            orphan.sealed = false;
            continue;
        }
        trace_damage(stray->view->trace, stray->from + (uint64_t)(orphan.at > 0 ? orphan.at : 0), TLOG_HEADER_BYTES, 0,
                     "the header of a chunk is lost; %s", orphan.sealed ? "its seal is used" : "its slots are used");
        return true;
    }
    return false;
}

void native_orphans_pass(struct native_orphans *orphans, const struct native_image *images, size_t n)
{
    const struct native_image *found = &images[n - 1u];
    orphans->siblings.images = images;
    orphans->stray.ahead = found;
    pass(&orphans->stray, found->offset + native_extent(found));
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

int native_orphans_begin(struct native_orphans *orphans, struct native_view *view, const struct native_image *images,
                         size_t n)
{
    *orphans = (struct native_orphans){.stray = {.view = view}};
    if (native_siblings_learn(&orphans->siblings, images, n))
        return 0;
    return trace_fail(view->trace, "%s: no memory for %zu chunks", view->trace->input_name, n);
}

void native_orphans_end(struct native_orphans *orphans)
{
    native_siblings_free(&orphans->siblings);
    free(orphans->bytes);
    orphans->bytes = NULL;
}

void native_orphans_enter(struct native_orphans *orphans, uint64_t from, uint64_t to, size_t after)
{
    struct native_view *view = orphans->stray.view;
    const struct native_image *ahead = after > 0 ? &orphans->siblings.images[after - 1u] : NULL;
    orphans->stray = (struct native_stray){.view = view,
                                           .siblings = &orphans->siblings,
                                           .from = from,
                                           .to = to,
                                           .after = after,
                                           .ahead = ahead,
                                           .begins = true};
    orphans->n = 0;
}

bool native_orphans_have_seal(struct input *in)
{
    struct native_view view = {.in = in, .budget = native_view_budget(in)};
    struct native_orphans orphans = {.stray = {.view = &view}};
    struct native_orphan orphan;
    bool found = false;
    native_orphans_enter(&orphans, 0, input_size(in), 0);
    while (!found && load_window(&orphans)) {
        found = find_by_seal(&orphans.stray, &orphan);
        if (!move_window(&orphans.stray))
            break;
    }
    native_orphans_end(&orphans);
    return found;
}
