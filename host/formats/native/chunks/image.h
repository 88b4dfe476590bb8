/* image.h - one chunk image of a dump: what is remembered of it, and its bytes, which are brought into memory when they
 * are needed.
 *
 * image_parse.c makes a struct native_image of a header that was found. The slots stay in the input; a view holds those
 * that are in memory.
 */
#ifndef NATIVE_IMAGE_H
#define NATIVE_IMAGE_H

#include "base/crc32.h"
#include "io/input.h"
#include "model/trace.h"
#include "formats/native/bytes/chunk.h"
#include "formats/native/bytes/slot.h"

#define NATIVE_CPUS 256u /* numbers of CPUs that the word place has */

/* An image has up to three parts: the slots of its last lap; behind them those of the lap before, which are not yet
 * overwritten; and its emergency slots. */
enum native_part_kind { NATIVE_PART_BEFORE, NATIVE_PART_LAST, NATIVE_PART_EMERGENCY, NATIVE_PARTS };

/* What is remembered of an image. There is one for each image of the dump, so it is small. Fields with the name of a
 * header word, such as `self`, hold that word. */
struct native_image {
    uint64_t offset;              /* in the input: of the header; of a region: of its head */
    uint64_t stamp[NATIVE_PARTS]; /* of an event near the first one of each part, or NATIVE_STAMP_UNKNOWN */
    uint32_t available;           /* bytes of it that the input has; of a region: all, since lost groups are filled */
    uint32_t size;                /* bytes it should have */
    uint32_t formatted;           /* bytes of it that the firmware has formatted, if it is not all of them; else 0 */
    uint32_t region_size;         /* bytes of its region that the input has; 0: it is no region */
    uint64_t self, dropped;
    uint64_t extra;      /* slots that were taken and are no events of their own */
    uint64_t lap;        /* the last lap that was opened, from 1 on; 0: none */
    uint64_t unreported; /* events among dropped that no record reports */
    uint32_t boot, place, freq, coarse_freq, needs, next;
    uint32_t goal; /* of a parked chunk, as far as it is told; else 0 */
    uint32_t build[2];
    uint32_t mend_at; /* offset of the damaged byte of its seal, or NATIVE_MEND_NONE */
    struct native_layout layout;
    struct native_displacement displaced;
    uint16_t emergency_used; /* emergency slots that hold events */
    uint16_t used;           /* slots of its last lap: 1 to used; the others belong to lap - 1 */
    uint16_t hidden;         /* of these, the first ones, which a piece does not show; else 0 */
    bool stops;              /* no chunk follows when it is full */
    uint8_t mend;            /* bits of the byte at mend_at that are to be inverted */
    uint8_t pointer;         /* bytes of an address on the target */
    bool unshown;            /* nothing shows where it ends: what stands in its slots may be something else */
    bool counts_lost;        /* its header was torn: dropped, extra and unreported are not known, and 0 */
    bool broken;             /* it has no seal, and its end mark is damaged or not in its place */
    bool records_only;       /* the firmware is not built to log traceevents: laps begin without BUFFER and TIME */
    bool lap_confirmed;      /* a CONTROL BUFFER slot confirms the lap */
    bool lap_guessed;        /* the lap word was lost: the lap is the least one that it can be */
    bool sealed;             /* its seal is current: the CRCs of its groups are checked */
    bool partial;            /* some of its slots were not read in time: native_is_unread() */
    bool packed;             /* it stands in the dump as a compressed region */
    bool smeared;            /* its slots are of several moments: index.c makes pieces of it */
    bool piece;              /* of a smeared image: it shows slots hidden + 1 to used of its last lap, and no others */
};

/* CPU, number and role of the chunk, from the header's word place. */
static inline unsigned native_cpu(const struct native_image *image)
{
    return image->place & 0xFFu;
}

static inline unsigned native_number(const struct native_image *image)
{
    return image->place >> 8 & 0xFFu;
}

static inline unsigned native_role(const struct native_image *image)
{
    return image->place >> 16 & TLOG_ROLE_MASK;
}

/* Whether the high word of its records tells the context they were logged in. */
static inline bool native_has_context(const struct native_image *image)
{
    return (image->place & TLOG_CONTEXT_KIND) != 0;
}

/* The address of the chunk that follows, unless `next` tells that there is none. */
static inline uint64_t native_next_self(const struct native_image *image)
{
    return image->self + (uint64_t)(int64_t)(int32_t)image->next;
}

/* The address of the chunk that logging went on in, if `goal` tells it. */
static inline uint64_t native_goal_self(const struct native_image *image)
{
    return image->self + (uint64_t)(int64_t)(int32_t)image->goal;
}

/* The stamp of a record as it stands in the image, where its high word may hold a context. */
static inline uint64_t native_stamp_in(const struct native_image *image, const unsigned char *slot)
{
    uint64_t stamp = native_stamp(slot);
    return native_has_context(image) ? stamp >> (32u + TLOG_CONTEXT_BITS) << 32 | (uint32_t)stamp : stamp;
}

#define NATIVE_WORDS_AT ((uint32_t)offsetof(struct tlog_chunk, next)) /* of the header's first word that changes */

/* Whether the image has a break ahead of its slots, in the words of the header that change. */
static inline bool native_has_break_in_header(const struct native_image *image)
{
    uint32_t lost = image->displaced.by < 0 ? (uint32_t)-image->displaced.by : 0;
    uint32_t at = image->displaced.from - lost;
    return image->displaced.by != 0 && at >= NATIVE_WORDS_AT && at < TLOG_HEADER_BYTES;
}

/* Number of the last slot of any kind that the input has whole; 0: none. */
static inline uint32_t native_slot_available(const struct native_image *image)
{
    return image->available < TLOG_HEADER_BYTES ? 0
                                                : (uint32_t)((image->available - TLOG_HEADER_BYTES) / TLOG_SLOT_BYTES);
}

/* How many of the normal slots the input has, whole. */
static inline uint32_t native_slots_available(const struct native_image *image)
{
    uint32_t last = native_slot_available(image);
    return last < image->layout.slots ? last : image->layout.slots;
}

/* Whether the input has the slot with that number, whole. */
static inline bool native_has_slot(const struct native_image *image, uint32_t index)
{
    return native_slot_offset(index + 1u) <= image->available;
}

/* Whether a slot cannot be relied on, because it is at a break, or was lost there. */
static inline bool native_is_torn(const struct native_image *image, uint32_t index)
{
    const struct native_slots *torn = image->displaced.torn;
    return (index >= torn[0].first && index <= torn[0].last) || (index >= torn[1].first && index <= torn[1].last);
}

/* Bytes that the image, or its region, takes up in the input. */
static inline uint32_t native_extent(const struct native_image *image)
{
    return image->packed ? image->region_size : image->available + (uint32_t)image->displaced.by;
}

/* Where in the input byte number `offset` of an image stands. The image is not packed. */
static inline uint64_t native_input_offset(const struct native_image *image, size_t offset)
{
    int64_t by = offset >= image->displaced.from ? image->displaced.by : 0;
    return image->offset + offset + (uint64_t)by;
}

/* The offset at which damage of the image's byte number `offset` is reported: in a region that is the region's head, as
 * single bytes of the image have no place there. */
static inline uint64_t native_damage_offset(const struct native_image *image, size_t offset)
{
    return image->packed ? image->offset : native_input_offset(image, offset);
}

/* How many bytes of damage are reported there; in a region 0. */
static inline size_t native_damage_length(const struct native_image *image, size_t length)
{
    return image->packed ? 0 : length;
}

/* ---- its bytes --------------------------------------------------------------------------------------------------- */

/* The bytes of one image in memory, as many as are needed. To begin, set trace and in, and all else to zero. trace and
 * in stay the caller's; the caller also frees bytes. */
struct native_view {
    struct trace *trace;
    struct input *in;
    unsigned char *bytes; /* of the image, by offset; only what was loaded is valid */
    size_t room;          /* bytes that are allocated */
    uint64_t region;      /* if unpacked: the region's offset in the input */
    bool unpacked;        /* bytes are the whole image of a region, unchanged */
    uint32_t lost;        /* groups of the region that are lost */
    uint64_t budget;      /* bytes that may still be looked at to rescue images: native_view_spend() */
};

/* A damaged dump is searched for what is left of it, and some of its bytes are looked at many times. The budget bounds
 * that by the size of the input: else a dump made to that end would take days. */
#define NATIVE_BUDGET       (64u << 20)
#define NATIVE_BUDGET_TIMES 64u

/* The budget for an input, in bytes. */
static inline uint64_t native_view_budget(const struct input *in)
{
    return NATIVE_BUDGET + NATIVE_BUDGET_TIMES * input_size(in);
}

/* Take n bytes from the budget. False: there are not so many left. */
static inline bool native_view_spend(struct native_view *view, uint64_t n)
{
    bool can = n <= view->budget;
    view->budget = can ? view->budget - n : 0;
    return can;
}

/* Have room for an image, or for its first `size` bytes. Returns 0, or -1 after trace_fail(). */
int native_view_reserve(struct native_view *view, const struct native_image *image);
int native_view_reserve_bytes(struct native_view *view, size_t size);

/* Load the image's bytes `from` to from + size - 1 into a view that has room for the image. What the input lacks
 * becomes zero. The image of a region is always loaded as a whole. */
void native_view_load(struct native_view *view, const struct native_image *image, size_t from, size_t size);

/* Load slots first to last. If the seal is current, load it too, and the whole groups that the slots are in: a CRC
 * needs all of a group. */
void native_view_load_slots(struct native_view *view, const struct native_image *image, uint32_t first, uint32_t last);

/* Load all normal slots. Returns whether they are as they were sealed. The seal must have been loaded. */
bool native_view_is_as_sealed(struct native_view *view, const struct native_image *image);

/* Call this before changing bytes of the view: a region is then unpacked again when it is loaded next. */
static inline void native_view_will_change(struct native_view *view)
{
    view->unpacked = false;
}

/* A slot that was loaded. */
static inline const unsigned char *native_view_slot(const struct native_view *view, size_t index)
{
    return view->bytes + native_slot_offset(index);
}

/* The bits in which the CRC of a group differs from the one in the seal; 0: the group is intact. Both the group and the
 * seal must have been loaded. */
static inline uint32_t native_view_group_difference(const struct native_view *view, const struct native_image *image,
                                                    size_t group)
{
    uint32_t crc =
        crc32_of(view->bytes + native_group_offset(image->layout, group), native_group_size(image->layout, group));
    return crc ^ get_le32(view->bytes + native_group_crc_offset(image->layout, group));
}

/* ---- claimed slots ----------------------------------------------------------------------------------------------- */

/* The slots of an image that writers have passed, because their owners did not come back (target/FORMAT.md, 2.3). A
 * claimed slot bears both tags, until its owner comes back late and fills it. Then only a note in the image tells that
 * what stands in it is of an earlier lap. */
struct native_claims {
    uint16_t slot[TLOG_CLAIMS]; /* n numbers, from notes that are still valid */
    unsigned n;
};

/* Load the notes of an image, and take those that are still valid. In lap 1 no slot is claimed. */
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
