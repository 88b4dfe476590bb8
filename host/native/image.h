/* image.h - one chunk image in a dump: found, checked, repaired where that is certain. Format: target/FORMAT.md.
 *
 * Vocabulary, beside that of tlog_wire.h
 *   image    the bytes of a chunk in the input; a chunk may have several, of different times
 *   region   an image that is compressed; from where it is brought into view on it is like any other
 *   view     as much of one image in memory as was asked for
 *   mend     to put one damaged byte right, because a CRC shows which one it is
 *   settle   to decide what an image's changing words are: which laps are in which slots
 *
 * Private to the native reader.
 */
#ifndef NATIVE_IMAGE_H
#define NATIVE_IMAGE_H

#include "base/bytes.h"
#include "io/input.h"
#include "tlog_wire.h"
#include "model/trace.h"

#define NATIVE_TIME_UNKNOWN UINT64_MAX
#define NATIVE_MEND_NONE    UINT32_MAX
#define NATIVE_LAPS_WRAP    0x400000u /* laps are counted modulo this */

/* One per image in the dump, so it is kept small. */
struct native_image {
    uint64_t offset;    /* of the header in the input */
    uint64_t time[3];   /* in ticks: of an event near the first one of lap - 1, of lap, of the emergency slots */
    uint32_t available; /* bytes that the input has of it; all of a region's, with lost slots in place of lost groups */
    uint32_t size;      /* bytes it should have */
    uint32_t region_size; /* bytes of a region that are in the input, else 0 */
    uint32_t boot, self, place, freq;
    uint32_t next;
    uint32_t lap; /* the last lap that was opened, as far as can be told from 1 on; 0 = none */
    uint32_t dropped, reported;
    uint32_t mend_at; /* offset of the byte of the seal that is damaged, or NATIVE_MEND_NONE */
    uint16_t slots, emergency;
    uint16_t emergency_used; /* emergency slots that hold events */
    bool stops;              /* nothing follows it when it is full */
    uint16_t used;           /* slots before the cursor: they belong to lap, the others to lap - 1 */
    uint8_t mend;            /* what to exclusive-or to that byte */
    bool sealed;             /* by a seal that is current: the group CRCs count */
    bool packed;             /* it is a region */
};

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

/* Whether its records bear the context they were logged in. */
static inline bool native_has_context(const struct native_image *image)
{
    return (image->place & TLOG_CONTEXT_KIND) != 0;
}

/* The tag that slots of a lap bear. */
static inline uint32_t native_tag(uint32_t lap)
{
    return lap & 1u ? TLOG_TAG_ODD : TLOG_TAG_EVEN;
}

/* The tag before that: of lap - 1, which for lap 1 is that of slots never written. */
static inline uint32_t native_tag_before(uint32_t lap)
{
    return lap > 1u ? native_tag(lap - 1u) : TLOG_TAG_EVEN;
}

/* Offset of slot index, counted from 1, in an image. */
static inline size_t native_slot_offset(size_t index)
{
    return TLOG_HEADER_BYTES + (index - 1u) * TLOG_SLOT_BYTES;
}

/* Slots the input has of the image, whole. */
static inline uint32_t native_slots_available(const struct native_image *image)
{
    size_t n = image->available < TLOG_HEADER_BYTES ? 0 : (image->available - TLOG_HEADER_BYTES) / TLOG_SLOT_BYTES;

    return n < image->slots ? (uint32_t)n : image->slots;
}

/* Groups of slots in a seal. */
static inline size_t native_groups(size_t slots)
{
    return (slots + TLOG_GROUP_SLOTS - 1u) / TLOG_GROUP_SLOTS;
}

/* Slots are numbered on behind the end mark: slots + 2 is the first emergency slot, and this one the last. */
static inline uint32_t native_last_slot(const struct native_image *image)
{
    return image->slots + 1u + image->emergency;
}

/* Whether the input has the slot, whole. */
static inline bool native_has_slot(const struct native_image *image, uint32_t index)
{
    return native_slot_offset(index + 1u) <= image->available;
}

/* Groups of slots, counted from 0, those of the emergency slots last: the group of a slot, the first slot of a group, its
 * offset in the image, and its size. */
static inline size_t native_group_of(const struct native_image *image, uint32_t index)
{
    return index <= image->slots ? (index - 1u) / TLOG_GROUP_SLOTS
                                 : native_groups(image->slots) + (index - image->slots - 2u) / TLOG_GROUP_SLOTS;
}

static inline uint32_t native_group_first(const struct native_image *image, size_t group)
{
    size_t normal = native_groups(image->slots);

    return (uint32_t)(group < normal ? 1u + group * TLOG_GROUP_SLOTS
                                     : image->slots + 2u + (group - normal) * TLOG_GROUP_SLOTS);
}

static inline size_t native_group_offset(const struct native_image *image, size_t group)
{
    return native_slot_offset(native_group_first(image, group));
}

static inline size_t native_group_size(const struct native_image *image, size_t group)
{
    uint32_t first = native_group_first(image, group);
    size_t left = (first <= image->slots ? image->slots : native_last_slot(image)) + 1u - first;

    return (left < TLOG_GROUP_SLOTS ? left : TLOG_GROUP_SLOTS) * TLOG_SLOT_BYTES;
}

/* Offset of the seal, and its size with the group table but not what pads that. Emergency slots have groups of their
 * own. */
static inline size_t native_seal_offset(const struct native_image *image)
{
    return native_slot_offset(image->slots + 2u + image->emergency);
}

static inline size_t native_seal_size(const struct native_image *image)
{
    return sizeof(struct tlog_seal) + 4u * (native_groups(image->slots) + native_groups(image->emergency));
}

/* Bytes that the image takes in the input. */
static inline uint32_t native_extent(const struct native_image *image)
{
    return image->packed ? image->region_size : image->available;
}

/* Where in the input damage at an offset of the image is, and how long. A region has no such places: it is somewhere in
 * it. */
static inline uint64_t native_place(const struct native_image *image, size_t offset)
{
    return image->packed ? image->offset : image->offset + offset;
}

static inline size_t native_length(const struct native_image *image, size_t length)
{
    return image->packed ? 0 : length;
}

/* Words 1 and 2 of a record as one number: its time in ticks, but for the mirror bit on top. */
static inline uint64_t native_raw_time(const unsigned char *slot)
{
    uint64_t words = get_le64(slot + 4);

    return words << 32 | words >> 32;
}

static inline uint64_t native_time(uint64_t raw)
{
    return raw & ~((uint64_t)TLOG_HIGH_MIRROR << 32);
}

/* Whether a slot is a record whose words fit together, apart from its tag. */
static inline bool native_is_record(const unsigned char *slot)
{
    uint32_t word0 = get_le32(slot);
    uint32_t code = word0 & TLOG_RECORD_CODE;

    return (word0 & TLOG_CLASS_MASK) == 0 && code != 0 && code != FTrace_EVT_next_chunk
           && ((get_le32(slot + 4) ^ get_le32(slot + 8)) & TLOG_HIGH_MIRROR) == 0;
}

/* Time of a record in ticks, in slots without contexts: see native/lap.h. */
static inline uint64_t native_ticks(const unsigned char *slot)
{
    return native_time(native_raw_time(slot));
}

/* The same as the slot is in the image. */
static inline uint64_t native_ticks_in(const struct native_image *image, const unsigned char *slot)
{
    uint64_t ticks = native_ticks(slot);

    return native_has_context(image) ? ticks >> (32u + TLOG_CONTEXT_BITS) << 32 | (uint32_t)ticks : ticks;
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

enum native_found {
    NATIVE_NOTHING, /* no further header in the input */
    NATIVE_HEADER,  /* a header to rely on */
    NATIVE_BROKEN,  /* what was a header once, or is one this decoder does not know */
};

struct native_header {
    uint64_t offset;
    uint32_t mended_at;   /* byte in the input that was damaged and is right in bytes[], or NATIVE_MEND_NONE */
    uint32_t region_size; /* bytes of a region, else 0 */
    bool intact;          /* the CRC is right: for a broken one, the fault is in what it says */
    char reason[112];     /* why broken */
    unsigned char bytes[TLOG_HEADER_BYTES];
};

/* Search for a header, or the head of a region, that begins at offset or behind it, but before limit. */
enum native_found native_find(struct input *in, uint64_t offset, uint64_t limit, struct native_header *header);

/* ---- looking ----------------------------------------------------------------------------------------------------- */

struct native_view {
    struct trace *trace;
    struct input *in;
    unsigned char *bytes; /* of the image, from its header on; the parts that were asked for */
    size_t room;
    uint64_t region; /* offset of the region whose image is in view */
    bool unpacked;   /* ... if one is, all of it and unchanged */
    uint32_t lost;   /* ... but for so many of its groups */
};

/* Have room for an image. 0, or -1 after trace_fail(). */
int native_view_fit(struct native_view *view, const struct native_image *image);

/* Bring size bytes from offset `from` of the image into view. What the input does not have is zero. */
void native_view_part(struct native_view *view, const struct native_image *image, size_t from, size_t size);

/* Before bytes in view are changed. */
static inline void native_view_change(struct native_view *view)
{
    view->unpacked = false;
}

/* CRC-32 that the seal gives for a group. The seal must be in view. */
static inline uint32_t native_group_crc(const struct native_view *view, const struct native_image *image, size_t group)
{
    return get_le32(view->bytes + native_seal_offset(image) + sizeof(struct tlog_seal) + 4u * group);
}

/* Make *image of a header: how much of it there is, its seal, its laps and their times. Says what damage it meets.
 * 0, or -1 after trace_fail(). */
int native_image_open(struct native_view *view, const struct native_header *header, struct native_image *image);

#endif
