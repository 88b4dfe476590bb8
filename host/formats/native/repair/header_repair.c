/* header_repair.c - damaged headers made right again: see header_repair.h.
 *
 * Changes are tried, of three kinds; one that makes the check right is believed if enough of the header agrees that was
 * not changed:
 *
 *   one byte      of those that the check protects
 *   siblings      words that all chunks of a run have in common are those of an image beside it
 *   two parts     bytes were lost from the header, or came into it: its front and its rear are put together
 *
 * A header without a right check is believed if its address is that of its place, as siblings tell it.
 */
#include "formats/native/repair/header_repair.h"

#include "formats/native/bytes/evidence.h"
#include "formats/native/packed/region.h"
#include "formats/native/chunks/write_position.h"

#define REACH        NATIVE_HEADER_REACH
#define CHECK_BITS   32u /* evidence in a right check, or a right address */
#define BYTE_TRIES   14u /* log2 of the changes of one byte */
#define WORDS_TRIES  8u  /* of those by siblings */
#define PARTS_TRIES  14u /* of those in two parts */
#define TEMPLATES    4u
#define PROTECTED    offsetof(struct tlog_chunk, next) /* bytes up to the check and with it */
#define WORD(field)  offsetof(struct tlog_chunk, field)
#define FRONT        12u        /* bytes at least in front of a break: magic and tag alone are no part of a header */
#define REPAIR_BYTES (1u << 18) /* of the budget, for each header */

/* What may be a header, and what was found out about it. */
struct damaged {
    const struct native_siblings *siblings;
    uint64_t offset;
    unsigned char input[TLOG_HEADER_BYTES + 2 * REACH]; /* its bytes, and those on both sides */
    unsigned char now[TLOG_HEADER_BYTES];               /* its bytes, with magic and tag put right, and with changes */
    const unsigned char *was;                           /* its bytes as they stand in the input */
    bool is_torn;                                       /* it is in two parts: none of its words was changed */
};

static bool is_checked(const unsigned char *bytes)
{
    return native_check(bytes) == get_le32(bytes + WORD(check));
}

static bool is_readable(const struct tlog_chunk *chunk)
{
    return (chunk->format & 0xFFFFFFu) == (TLOG_WIRE_VERSION | TLOG_HEADER_BYTES << 16) && native_sizes_agree(chunk)
           && native_place_is_known(chunk) && native_unknown_need(chunk) < 0;
}

/* Whether the word self is right: a proved image of the same run stands as many bytes away as its address. */
static bool has_address(const struct damaged *damaged, const struct tlog_chunk *chunk)
{
    size_t behind = native_siblings_behind(damaged->siblings, damaged->offset);
    for (size_t i = behind > 0 ? behind - 1u : 0; i <= behind && i < damaged->siblings->n; i++) {
        const struct native_image *image = &damaged->siblings->images[i];
        if (!image->packed && image->boot == chunk->boot
            && ((uint64_t)chunk->self_high << 32 | chunk->self) - image->self == damaged->offset - image->offset)
            return true;
    }
    return false;
}

/* Whether the words lap and cursor are such as a header has. Firmware has the words ahead of `self` as constants: so
 * these must be right in what is not right by itself. */
static bool has_position(const struct tlog_chunk *chunk)
{
    struct native_image image = {.layout = {(uint16_t)chunk->slots, (uint16_t)chunk->emergency}};
    struct native_position position;
    native_position_read(&image, chunk->cursor, chunk->lap, chunk->lap_high, &position);
    return position.why == NULL && !position.doubtful;
}

/* Whether the header is proved, as it is now. tries: log2 of how many changes were tried. */
static bool is_proved(const struct damaged *damaged, unsigned tries)
{
    struct tlog_chunk chunk = native_read_header(damaged->now);
    unsigned bits = native_evidence(&chunk, damaged->is_torn ? damaged->now : damaged->was);
    bool checked = is_checked(damaged->now), placed = has_address(damaged, &chunk);
    if (!is_readable(&chunk) || (chunk.boot == 0 && chunk.check == 0) || (!checked && !placed)
        || (tries > 0 && !has_position(&chunk)))
        return false;
    bits += (checked ? CHECK_BITS : 0) + (placed && get_le32(damaged->was + WORD(self)) == chunk.self ? CHECK_BITS : 0);
    return bits >= NATIVE_EVIDENCE_BITS + tries;
}

/* The header is proved: fill *header. */
static bool take(const struct damaged *damaged, const char *what, struct native_header *header)
{
    header->chunk = native_read_header(damaged->now);
    header->repaired = what;
    return true;
}

/* ---- one byte ---------------------------------------------------------------------------------------------------- */

static bool repair_byte(struct damaged *damaged, struct native_header *header)
{
    unsigned char bits;
    uint32_t at = native_check_locate(damaged->now, &bits);
    if (at == NATIVE_MEND_NONE)
        return false;
    damaged->now[at] ^= bits;
    if (is_proved(damaged, BYTE_TRIES)) {
        header->repaired_at = at;
        return take(damaged, "a byte of a chunk's header was damaged; its check value tells what it was", header);
    }
    damaged->now[at] ^= bits;
    return false;
}

/* ---- words of siblings ------------------------------------------------------------------------------------------- */

/* A choice of what the words of a header may have been. */
struct choice {
    const struct native_image *sibling; /* the one whose words are taken */
    bool own_boot, own_self, own_sizes; /* but not these: they are the header's own */
    uint32_t place;
};

static void put(struct damaged *damaged, size_t at, uint32_t word)
{
    put_le32(damaged->now + at, word);
}

static uint32_t own(const struct damaged *damaged, size_t at)
{
    return get_le32(damaged->was + at);
}

static void put_sizes(struct damaged *damaged, uint32_t slots, uint32_t emergency)
{
    put(damaged, WORD(slots), slots);
    put(damaged, WORD(emergency), emergency);
    put(damaged, WORD(buf_size), TLOG_CHUNK_BYTES(slots, emergency));
}

/* Put the words of a choice into the header. */
static void put_choice(struct damaged *damaged, const struct choice *choice)
{
    const struct native_image *sibling = choice->sibling;
    uint64_t self = sibling->self + (damaged->offset - sibling->offset);
    put(damaged, WORD(format), TLOG_WIRE_VERSION | TLOG_HEADER_BYTES << 16 | (uint32_t)sibling->pointer << 24);
    put(damaged, WORD(place), choice->place);
    put(damaged, WORD(freq), sibling->freq);
    put(damaged, WORD(coarse_freq), sibling->coarse_freq);
    put(damaged, WORD(needs), sibling->needs);
    put(damaged, WORD(self), choice->own_self ? own(damaged, WORD(self)) : (uint32_t)self);
    put(damaged, WORD(self_high), choice->own_self ? own(damaged, WORD(self_high)) : (uint32_t)(self >> 32));
    put(damaged, WORD(boot), choice->own_boot ? own(damaged, WORD(boot)) : sibling->boot);
    put(damaged, WORD(build), sibling->build[0]);
    put(damaged, WORD(build) + 4u, sibling->build[1]);
    if (choice->own_sizes)
        put_sizes(damaged, own(damaged, WORD(slots)) & 0xFFFFu, own(damaged, WORD(emergency)) & 0xFFFFu);
    else
        put_sizes(damaged, sibling->layout.slots, sibling->layout.emergency);
}

/* Whether the check is right with one of the choices of boot, self and sizes. */
static bool try_place(struct damaged *damaged, const struct native_image *sibling, uint32_t place)
{
    for (unsigned i = 0; i < 8u; i++) {
        struct choice choice = {sibling, (i & 1u) != 0, (i & 2u) != 0, (i & 4u) != 0, place};
        put_choice(damaged, &choice);
        if (is_checked(damaged->now) && is_proved(damaged, WORDS_TRIES))
            return true;
    }
    return false;
}

/* The word place of the chunk whose number is that of a sibling plus `by`. */
static uint32_t place_beside(const struct native_image *sibling, int by)
{
    return (sibling->place & ~(uint32_t)0xFF00u) | ((native_number(sibling) + (unsigned)by) & 0xFFu) << 8;
}

/* Try the chunks that may stand beside a sibling: the one that the header's own word tells; those next to it in its
 * ring; the first one of a ring beside one of names, and of names beside one of a ring. */
static bool try_sibling(struct damaged *damaged, const struct native_image *sibling)
{
    uint32_t cpu = sibling->place & 0xFFu, common = sibling->place & (NATIVE_CONTEXT_BITS | 0xFF000000u);
    const uint32_t places[] = {own(damaged, WORD(place)),
                               place_beside(sibling, 1),
                               place_beside(sibling, -1),
                               place_beside(sibling, 0),
                               cpu | common,
                               (cpu + 1u) | common,
                               cpu | TLOG_ROLE_NAMES << 16 | (common & ~0xFF000000u)};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (try_place(damaged, sibling, places[i]))
            return true;
    }
    return false;
}

/* Whether the address, and a word place that is legible, tell which chunk it is, without a right check. The words on
 * both sides of the word place are right. */
static bool is_placed(struct damaged *damaged, const struct native_image *sibling)
{
    struct tlog_chunk was = native_read_header(damaged->was);
    struct choice choice = {sibling, true, true, true, was.place};
    put_choice(damaged, &choice);
    return own(damaged, WORD(format)) == get_le32(damaged->now + WORD(format)) && was.slots == (was.slots & 0xFFFFu)
           && was.boot == sibling->boot && native_siblings_have(damaged->siblings, sibling->place, was.boot)
           && is_proved(damaged, WORDS_TRIES);
}

/* Repair it by the images on both sides, two of each. */
static bool repair_words(struct damaged *damaged, struct native_header *header)
{
    size_t behind = native_siblings_behind(damaged->siblings, damaged->offset);
    size_t first = behind > TEMPLATES / 2u ? behind - TEMPLATES / 2u : 0;
    for (size_t i = first; i < behind + TEMPLATES / 2u && i < damaged->siblings->n; i++) {
        if (try_sibling(damaged, &damaged->siblings->images[i]))
            return take(damaged, "words of a chunk's header were damaged; its check value tells what they were",
                        header);
    }
    for (size_t i = first; i < behind + TEMPLATES / 2u && i < damaged->siblings->n; i++) {
        if (is_placed(damaged, &damaged->siblings->images[i]))
            return take(damaged, "words of a chunk's header were damaged; its address tells that it is one", header);
    }
    return false;
}

/* ---- two parts --------------------------------------------------------------------------------------------------- */

/* Put the header together of its front, up to byte `split`, and its rear, which is `by` bytes further on. */
static void join(struct damaged *damaged, uint32_t split, int by)
{
    memcpy(damaged->now, damaged->was, split);
    memcpy(damaged->now + split, damaged->was + by + (int)split, TLOG_HEADER_BYTES - split);
}

static bool take_parts(struct damaged *damaged, uint32_t split, int by, struct native_header *header)
{
    header->displaced = (struct native_displacement){.by = by, .from = split};
    header->repaired_at = split;
    return take(damaged,
                by > 0 ? "bytes that are not a chunk's have come into its header"
                       : "bytes were lost from a chunk's header",
                header);
}

/* Try all breaks, if the rear is `by` bytes further on. */
static bool repair_parts_by(struct damaged *damaged, int by, struct native_header *header)
{
    if (!native_may_have_position(damaged->was + by))
        return false;
    for (uint32_t split = FRONT; split < PROTECTED; split++) {
        join(damaged, split, by);
        if (is_checked(damaged->now) && is_proved(damaged, PARTS_TRIES))
            return take_parts(damaged, split, by, header);
    }
    return false;
}

static bool repair_parts(struct damaged *damaged, struct native_header *header)
{
    if (own(damaged, WORD(magic)) != TLOG_WIRE_MAGIC || own(damaged, WORD(tag)) != TLOG_WIRE_TAG)
        return false;
    damaged->is_torn = true;
    for (int by = 1; by <= REACH; by++) {
        if (repair_parts_by(damaged, by, header) || repair_parts_by(damaged, -by, header))
            return true;
    }
    return false;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* Whether a head of a region is right after one byte is mended. */
static bool repair_head(struct native_view *view, struct native_header *header)
{
    unsigned char bytes[TLOG_PACK_HEAD_BYTES];
    struct native_region region;
    size_t have = input_read(view->in, header->offset, bytes, sizeof bytes);
    if (native_region_read_head(bytes, have, &region) != 0 || !is_readable(&region.chunk))
        return false;
    header->region_size = region.size;
    header->chunk = region.chunk;
    header->repaired_at = region.mended_at;
    header->repaired = "a byte of a chunk's header was damaged; its check value tells what it was";
    return true;
}

/* Read the bytes, up to the next image that is proved. False: those that the check protects are not all there. */
static bool read_bytes(struct native_view *view, struct damaged *damaged)
{
    const struct native_siblings *siblings = damaged->siblings;
    size_t behind = native_siblings_behind(siblings, damaged->offset), have;
    uint64_t ahead = damaged->offset < REACH ? damaged->offset : REACH, size = sizeof damaged->input - (REACH - ahead);
    if (behind < siblings->n && siblings->images[behind].offset - damaged->offset + ahead < size)
        size = siblings->images[behind].offset - damaged->offset + ahead;
    memset(damaged->input, 0, sizeof damaged->input);
    have = input_read(view->in, damaged->offset - ahead, damaged->input + (REACH - ahead), (size_t)size);
    damaged->was = damaged->input + REACH;
    memcpy(damaged->now, damaged->was, sizeof damaged->now);
    put_le32(damaged->now + WORD(magic), TLOG_WIRE_MAGIC);
    put_le32(damaged->now + WORD(tag), TLOG_WIRE_TAG);
    return have >= ahead + PROTECTED;
}

/* A right check, but for magic and tag. */
static bool repair_names(struct damaged *damaged, struct native_header *header)
{
    return is_proved(damaged, 0)
           && take(damaged, "a byte of a chunk's header was damaged; its check value tells what it was", header);
}

bool native_header_repair(struct native_view *view, const struct native_siblings *siblings, uint64_t offset,
                          struct native_header *header)
{
    struct damaged damaged = {.siblings = siblings, .offset = offset};
    *header = (struct native_header){.offset = offset};
    if (!native_view_spend(view, REPAIR_BYTES))
        return false;
    if (repair_head(view, header))
        return true;
    if (!read_bytes(view, &damaged))
        return false;
    if (own(&damaged, WORD(magic)) == 0 && own(&damaged, WORD(tag)) == TLOG_WIRE_TAG)
        return false; /* the firmware has taken it back, unless a seal or the ELF file tells that there is a chunk */
    if (is_checked(damaged.now))
        return repair_names(&damaged, header);
    return native_may_be_mended(damaged.was)
           && (repair_byte(&damaged, header) || repair_words(&damaged, header) || repair_parts(&damaged, header));
}

bool native_header_is_repairable(struct input *in, uint64_t offset)
{
    struct native_view view = {.in = in, .budget = REPAIR_BYTES};
    struct native_siblings none = {.images = NULL};
    struct native_header header;
    return native_header_repair(&view, &none, offset, &header);
}
