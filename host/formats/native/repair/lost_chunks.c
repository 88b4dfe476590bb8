/* lost_chunks.c - chunks of which neither header nor seal is left: see lost_chunks.h.
 *
 *   which   the chunks of a ring take turns: the laps of those that are shown tell which others the run has opened; of
 *           a ring of which nothing is shown, what is left of a header tells that the run opened the chunk
 *   where   the ELF file tells the address. The input's own addresses tell the place, or else an image that knows its
 *           address: one of the same memory, if the dump is a copy of it
 *   what    constant words are the ELF file's and the siblings'. The changing ones are the header's own if all of them
 *           can be right; else lap and cursor follow from the turns and from the tags of the slots
 *
 * Half of the slots must be sound, bear the right tags, and be as old as the turns tell; and the end mark must be in
 * its place, unless the turns also tell what is later. Else what stands there is something else: a dump may lack parts
 * of the memory. If the header tells it, one right slot is enough.
 */
#include "formats/native/repair/lost_chunks.h"

#include "base/heap.h"
#include "formats/native/chunks/image_parse.h"
#include "formats/native/chunks/write_position.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_BYTES  16u /* of the budget, for a look at an image */
#define PLACES_MOST 8u  /* where a chunk may be, as different images tell */

/* An image, and the address of chunk 0 of its ring and bank. */
struct member {
    const struct native_image *image;
    uint64_t address;
};

/* What there is of a ring in one run. */
struct turns {
    const struct trace_ring *ring;
    uint64_t address; /* of chunk 0 */
    const struct native_image
        *like;                    /* one of its images; or if there is none, one of the same CPU's names, or of any */
    bool is_unknown;              /* CPU: no image tells that the run has opened the ring */
    const struct member *members; /* its images, n of them */
    size_t n;
    uint64_t newest;  /* the highest number of a lap; 0: there are no images of events */
    unsigned current; /* the last chunk that is in this lap, */
    bool is_full;     /* and whether it is full */
    bool shown[256];  /* the chunks of which there are images */
};

/* A chunk that must have been opened, and that no image shows. */
struct lost {
    const struct turns *turns;
    unsigned number;
    uint64_t lap; /* the latest in which it may be; 0: not known */
    bool is_full; /* it is in this lap, and full; else it may have any slots of this lap, or none */
};

/* Stamps from the first to the last one that records may have. */
struct times {
    uint64_t from, to;
};

/* ---- the firmware ------------------------------------------------------------------------------------------------ */

/* Whether an image is of another firmware than the ELF file. */
static bool is_foreign(const struct trace_firmware *firmware, const struct native_image *image)
{
    unsigned char build[TRACE_BUILD_BYTES];
    put_le32(build, image->build[0]);
    put_le32(build + 4, image->build[1]);
    return (image->build[0] | image->build[1]) != 0
           && (firmware->build_id_size < sizeof build || memcmp(build, firmware->build_id, sizeof build) != 0);
}

/* Whether the firmware's ELF file may be asked about these images. */
static bool is_known(const struct trace_firmware *firmware, const struct native_image *images, size_t n)
{
    if (firmware == NULL || firmware->nrings == 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (is_foreign(firmware, &images[i]))
            return false;
    }
    return true;
}

/* Whether an image shows a chunk of a ring, and is what the firmware makes there. *first: the address of chunk 0 in its
 * bank. */
static bool is_of_ring(const struct trace_ring *ring, const struct native_image *image, uint64_t *first)
{
    uint64_t chunk = (image->self - ring->address) / ring->size;
    *first = image->self - (uint64_t)native_number(image) * ring->size;
    return (image->place & ~(uint32_t)0xFF00u) == ring->place && image->layout.slots == ring->slots
           && image->layout.emergency == ring->emergency && image->pointer == ring->format >> 24
           && image->freq == ring->freq && image->coarse_freq == ring->coarse_freq && image->self >= ring->address
           && (image->self - ring->address) % ring->size == 0 && chunk / ring->chunks < ring->banks
           && chunk % ring->chunks == native_number(image);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* For qsort(): by run and bank. */
static int member_order(const void *a, const void *b)
{
    const struct member *left = a, *right = b;
    if (left->image->boot != right->image->boot)
        return left->image->boot < right->image->boot ? -1 : 1;
    return (left->address > right->address) - (left->address < right->address);
}

/* The images of a ring. Returns how many; `members` has room for n. */
static size_t find_members(const struct trace_ring *ring, const struct native_image *images, size_t n,
                           struct member *members)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t address;
        if (is_of_ring(ring, &images[i], &address))
            members[found++] = (struct member){&images[i], address};
    }
    if (found > 0)
        qsort(members, found, sizeof *members, member_order);
    return found;
}

/* Note what an image of the ring tells. */
static void note(struct turns *turns, const struct native_image *image)
{
    unsigned number = native_number(image);
    turns->shown[number] = true;
    if (image->lap < turns->newest || (image->lap == turns->newest && number < turns->current))
        return;
    turns->is_full = image->used >= image->layout.slots
                     || (image->lap == turns->newest && number == turns->current && turns->is_full);
    turns->newest = image->lap;
    turns->current = number;
}

/* Call the function for each run and bank of a ring's members. */
static int each_run(const struct trace_ring *ring, const struct member *members, size_t n,
                    int (*call)(void *ctx, const struct turns *turns), void *ctx)
{
    int result = 0;
    for (size_t from = 0, to = 0; from < n && result == 0; from = to) {
        struct turns turns = {
            .ring = ring, .address = members[from].address, .like = members[from].image, .members = &members[from]};
        for (; to < n && member_order(&members[from], &members[to]) == 0; to++)
            note(&turns, members[to].image);
        turns.n = to - from;
        result = call(ctx, &turns);
    }
    return result;
}

/* Whether there are names of a CPU, of one run, and of its ring, of which this run has a single bank, there is no
 * image. *turns: what is known of that ring. */
static bool has_only_names(struct turns *turns, const struct trace_firmware *firmware, const struct trace_ring *ring,
                           const struct native_image *images, size_t n)
{
    *turns = (struct turns){.ring = ring, .address = ring->address};
    for (size_t i = 0; i < n; i++) {
        if (native_cpu(&images[i]) != (ring->place & 0xFFu))
            continue;
        if (native_role(&images[i]) != TLOG_ROLE_NAMES || (turns->like != NULL && turns->like->boot != images[i].boot))
            return false;
        turns->like = &images[i];
    }
    for (size_t i = 0; i < firmware->nrings && turns->like != NULL; i++) {
        uint64_t address;
        if (is_of_ring(&firmware->rings[i], turns->like, &address))
            return ring->banks == 1u;
    }
    return false;
}

/* Whether all images are of one run, which has a single bank of a ring, and none of them is of the ring's CPU. *turns:
 * what is known of that ring. */
static bool has_only_others(struct turns *turns, const struct trace_ring *ring, const struct native_image *images,
                            size_t n)
{
    *turns = (struct turns){.ring = ring, .address = ring->address, .like = images, .is_unknown = true};
    for (size_t i = 0; i < n; i++) {
        if (native_cpu(&images[i]) == (ring->place & 0xFFu) || images[i].boot != images[0].boot)
            return false;
    }
    return n > 0 && ring->banks == 1u;
}

/* Call a function for each ring of the firmware, and each run that tells of it, until it returns another number than 0.
 * None if there is no ELF file, or it is of another firmware than an image. Returns that number, or -1 after
 * trace_fail(). */
static int each_ring(struct native_view *view, const struct native_image *images, size_t n,
                     int (*call)(void *ctx, const struct turns *turns), void *ctx)
{
    const struct trace_firmware *firmware = view->trace->firmware;
    struct member *members;
    int result = 0;
    if (!is_known(firmware, images, n))
        return 0;
    members = heap_alloc((n + 1u) * sizeof *members);
    if (members == NULL)
        return trace_fail(view->trace, "%s: no memory for %zu chunks", view->trace->input_name, n);
    for (size_t i = 0; i < firmware->nrings && result == 0; i++) {
        const struct trace_ring *ring = &firmware->rings[i];
        struct turns turns;
        if ((ring->place >> 16 & TLOG_ROLE_MASK) != TLOG_ROLE_EVENTS)
            continue;
        result = each_run(ring, members, find_members(ring, images, n, members), call, ctx);
        if (result == 0
            && (has_only_names(&turns, firmware, ring, images, n) || has_only_others(&turns, ring, images, n)))
            result = call(ctx, &turns);
    }
    heap_free(members);
    return result;
}

/* ---- a chunk ----------------------------------------------------------------------------------------------------- */

/* Whether a chunk may be the one that was filled last: the current one is full, and none that is shown comes in
 * between.
 */
static bool may_follow(const struct turns *turns, unsigned number)
{
    unsigned i = (turns->current + 1u) % turns->ring->chunks;
    while (i != number && !turns->shown[i])
        i = (i + 1u) % turns->ring->chunks;
    return turns->is_full && i == number;
}

/* Whether the run must have opened a chunk that no image shows; of a ring that only names tell of: the first one. Or
 * may have, of a ring that nothing tells of. *lost: what is known of it. */
static bool lacks(const struct turns *turns, unsigned number, struct lost *lost)
{
    bool ahead = number < turns->current, follows;
    *lost = (struct lost){.turns = turns, .number = number};
    if (turns->shown[number])
        return false;
    if (turns->newest == 0)
        return (number == 0 && turns->n == 0) || turns->is_unknown;
    follows = may_follow(turns, number);
    lost->lap = turns->newest - (ahead ? 0 : 1u) + (follows ? 1u : 0);
    lost->is_full = !follows;
    return turns->newest > 1u || ahead;
}

/* The number of a lap among those of all chunks of the ring. */
static uint64_t count_turns(const struct turns *turns, unsigned number, uint64_t lap)
{
    return lap * turns->ring->chunks + number;
}

/* Learn from a stamp of another lap: earlier turns have earlier times. */
static void narrow(struct times *times, uint64_t turn, uint64_t other, uint64_t stamp)
{
    if (other < turn && stamp != NATIVE_STAMP_UNKNOWN && stamp > times->from)
        times->from = stamp;
    if (other > turn && stamp < times->to)
        times->to = stamp;
}

/* When a lap of a lost chunk was written, as far as the other chunks tell. If the clock has wrapped unseen they do
 * not. */
static struct times times_of(const struct lost *lost, uint64_t lap)
{
    const struct turns *turns = lost->turns;
    const uint64_t own = count_turns(turns, lost->number, lap);
    struct times times = {0, UINT64_MAX};
    for (size_t i = 0; i < turns->n; i++) {
        const struct native_image *image = turns->members[i].image;
        uint64_t other = count_turns(turns, native_number(image), image->lap);
        narrow(&times, own, other, image->stamp[NATIVE_PART_LAST]);
        narrow(&times, own, other - turns->ring->chunks, image->stamp[NATIVE_PART_BEFORE]);
    }
    return times.from <= times.to ? times : (struct times){0, UINT64_MAX};
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static uint64_t address_of(const struct lost *lost)
{
    return lost->turns->address + (uint64_t)lost->number * lost->turns->ring->size;
}

static void put_lap(struct tlog_chunk *chunk, uint64_t lap, uint32_t slot)
{
    uint64_t count = lap << TLOG_LAP_SHIFT | native_tag(lap);
    chunk->lap = (uint32_t)count;
    chunk->lap_high = (uint32_t)(count >> 32) | ((uint32_t)count & TLOG_COUNT_MIRROR);
    chunk->cursor = slot << TLOG_CURSOR_SHIFT | native_tag(lap);
}

/* What the header's words are that never change. */
static void put_constants(const struct lost *lost, struct tlog_chunk *chunk)
{
    const struct trace_ring *ring = lost->turns->ring;
    const uint64_t self = address_of(lost);
    chunk->magic = TLOG_WIRE_MAGIC;
    chunk->tag = TLOG_WIRE_TAG;
    chunk->format = ring->format;
    chunk->place = ring->place | lost->number << 8;
    chunk->slots = ring->slots;
    chunk->emergency = ring->emergency;
    chunk->buf_size = ring->size;
    chunk->freq = ring->freq;
    chunk->coarse_freq = ring->coarse_freq;
    chunk->needs = lost->turns->like->needs;
    chunk->self = (uint32_t)self;
    chunk->self_high = (uint32_t)(self >> 32);
    chunk->boot = lost->turns->like->boot;
    memcpy(chunk->build, lost->turns->like->build, sizeof chunk->build);
}

/* What `next` is in a ring. */
static uint32_t next_of(const struct lost *lost)
{
    const struct trace_ring *ring = lost->turns->ring;
    return lost->number + 1u < ring->chunks ? ring->size : 0u - lost->number * ring->size;
}

static bool is_count(uint32_t low, uint32_t high)
{
    return ((low ^ high) & TLOG_COUNT_MIRROR) == 0;
}

/* Whether all changing words of a header can be right, and tell a lap in which the chunk may be. */
static bool has_words(const struct lost *lost, const struct native_image *image, const struct tlog_chunk *chunk)
{
    struct native_position position;
    native_position_read(image, chunk->cursor, chunk->lap, chunk->lap_high, &position);
    return position.why == NULL && !position.doubtful && position.lap > 0 && chunk->next == next_of(lost)
           && chunk->flags <= 0xFFu && chunk->emergency_used <= image->layout.emergency
           && is_count(chunk->dropped, chunk->dropped_high) && is_count(chunk->reported, chunk->reported_high)
           && is_count(chunk->extra, chunk->extra_high) && is_count(chunk->lap, chunk->lap_high)
           && native_count(chunk->reported, chunk->reported_high) <= native_count(chunk->dropped, chunk->dropped_high)
           && (lost->lap == 0 || position.lap == lost->lap || (!lost->is_full && position.lap + 1u == lost->lap));
}

/* The number of the lap that the first slot tells, if it is a CONTROL BUFFER; else 0. The slot is in view. */
static uint64_t told_lap(const struct native_view *view, const struct native_image *image)
{
    const unsigned char *slot = native_view_slot(view, 1);
    uint32_t lap = get_le32(slot + NATIVE_DATA);
    return native_is_control(slot, TLOG_CONTROL_BUFFER) && get_le32(slot + NATIVE_DATA + 4) == image->layout.slots
                   && native_slot_tag(slot) == native_tag(lap)
               ? lap
               : 0;
}

/* The first lap that fits the tags: the one of the first slot's tag; but lap 3 and not 1 if the last slot was written
 * in an even one. The slots are in view. */
static uint64_t lap_by_tags(const struct native_view *view, const struct native_image *image)
{
    const unsigned char *first = native_view_slot(view, 1), *last = native_view_slot(view, image->layout.slots);
    if (native_slot_tag(first) == TLOG_TAG_EVEN)
        return 2;
    return native_slot_tag(last) == TLOG_TAG_EVEN && native_head(last) != TLOG_SLOT_EMPTY && native_is_sound(last) ? 3
                                                                                                                   : 1;
}

/* How many slots up to the last one are sound, bear the tag of a lap, and have its times. The slots are in view. */
static uint32_t count_right(const struct native_view *view, const struct native_image *image, uint32_t first,
                            uint32_t last, uint64_t lap, struct times times)
{
    uint32_t n = 0;
    for (uint32_t i = first; i <= last && i <= native_slots_available(image); i++) {
        const unsigned char *slot = native_view_slot(view, i);
        uint64_t stamp = native_is_record(slot) ? native_stamp_in(image, slot) : times.from;
        n += native_is_sound(slot) && native_slot_tag(slot) == native_tag(lap) && stamp >= times.from
             && stamp <= times.to;
    }
    return n;
}

/* Whether half of the slots are those of a position; or one, if the header tells the chunk. The slots are in view. */
static bool are_slots(struct native_view *view, const struct lost *lost, const struct native_image *image,
                      const struct native_position *position)
{
    uint64_t lap = position->lap;
    uint32_t slots = lap > 1u ? image->layout.slots : position->slot - 1u;
    struct times times = times_of(lost, lap);
    uint32_t right = count_right(view, image, 1, position->slot - 1u, lap, times);
    if (lap > 1u)
        right += count_right(view, image, position->slot, slots, lap - 1u, times_of(lost, lap - 1u));
    if (lost->turns->is_unknown)
        return right > 0;
    return right > 0 && 2u * right >= slots
           && (times.to != UINT64_MAX || native_image_find_mark(view, image, position) > 0);
}

/* Find the slot that is written next by the tags. If it is the first one, or the slots ahead of it are not as old as
 * that lap must be, the lap before is full. */
static void find_slot(struct native_view *view, const struct lost *lost, const struct native_image *image,
                      struct native_position *position)
{
    uint32_t ahead, right;
    position->doubtful = true;
    native_position_correct(view, image, position);
    ahead = position->slot - 1u;
    right = count_right(view, image, 1, ahead, position->lap, times_of(lost, position->lap));
    if (position->lap > 1u && (ahead == 0 || 2u * right < ahead)) {
        position->lap--;
        position->slot = image->layout.slots + 1u;
    }
}

/* Find lap and cursor by the turns and the tags. False: the slots are none of this chunk. */
static bool find_position(struct native_view *view, const struct lost *lost, const struct native_image *image,
                          struct native_position *position)
{
    uint32_t have = native_slots_available(image);
    if (have == 0)
        return false;
    native_view_load(view, image, TLOG_HEADER_BYTES, (size_t)have * TLOG_SLOT_BYTES);
    *position = (struct native_position){.lap = lost->lap, .slot = image->layout.slots + 1u};
    if (lost->lap == 0)
        position->lap = told_lap(view, image);
    if (position->lap == 0)
        position->lap = lap_by_tags(view, image);
    if (!lost->is_full)
        find_slot(view, lost, image, position);
    return are_slots(view, lost, image, position);
}

/* The last words of the header were wiped: what wiped them may have gone on into the first slot, which is in view, if
 * that begins with 0. */
static void distrust_first_slot(const struct native_view *view, struct native_header *header)
{
    const struct tlog_chunk *chunk = &header->chunk;
    if ((chunk->lap | chunk->dropped | chunk->extra) == 0 && native_view_slot(view, 1)[0] == 0)
        header->displaced.torn[0] = (struct native_slots){1, 1};
}

/* Whether the bytes of a header tell the chunk, and the run: by address and run, or by a check that is right with the
 * words that the chunk must have. */
static bool is_told(const struct lost *lost, const unsigned char bytes[TLOG_HEADER_BYTES],
                    const struct tlog_chunk *must)
{
    const struct tlog_chunk is = native_read_header(bytes);
    unsigned char right[TLOG_HEADER_BYTES] = {0};
    const uint32_t words[TLOG_CHECK_WORDS] = {must->magic,       must->tag,       must->format,   must->place,
                                              must->slots,       must->emergency, must->buf_size, must->freq,
                                              must->coarse_freq, must->needs,     must->self,     must->self_high,
                                              must->boot,        must->build[0],  must->build[1]};
    for (unsigned i = 0; i < TLOG_CHECK_WORDS; i++)
        put_le32(right + 4u * i, words[i]);
    return !lost->turns->is_unknown || native_check(right) == is.check
           || (is.self == must->self && is.self_high == must->self_high && is.boot == must->boot);
}

/* Make the header of a chunk that may be at an offset. False: it is not there. */
static bool make_header(struct native_view *view, const struct lost *lost, uint64_t offset,
                        struct native_header *header)
{
    unsigned char bytes[TLOG_HEADER_BYTES] = {0};
    struct native_image image;
    struct native_position position;
    struct tlog_chunk *chunk = &header->chunk;
    *header = (struct native_header){.offset = offset,
                                     .repaired = "the header and the seal of a chunk are lost; the firmware's ELF file "
                                                 "tells where it is"};
    input_read(view->in, offset, bytes, sizeof bytes);
    *chunk = native_read_header(bytes);
    if (native_position_is_taken_back(chunk))
        return false;
    put_constants(lost, chunk);
    if (!is_told(lost, bytes, chunk))
        return false;
    if (!native_view_spend(view, chunk->buf_size + 2u * LOOK_BYTES * lost->turns->n)
        || native_image_begin(view, header, &image) != 0)
        return false;
    image.available = native_image_in_input(view, &image, image.size);
    if (!find_position(view, lost, &image, &position))
        return false;
    if (has_words(lost, &image, chunk))
        return true;
    distrust_first_slot(view, header);
    memset(&chunk->next, 0, sizeof *chunk - offsetof(struct tlog_chunk, next));
    chunk->next = next_of(lost);
    put_lap(chunk, position.lap, position.slot);
    return true;
}

/* ---- where it is ------------------------------------------------------------------------------------------------- */

bool native_addresses_agree(const struct native_view *view, const struct native_image *images, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t address;
        if (!images[i].packed && input_address(view->in, images[i].offset, &address) && address == images[i].self)
            return true;
    }
    return false;
}

/* Make the header of a lost chunk, which the input's addresses tell the place of. */
static bool find_by_input(struct native_view *view, const struct native_siblings *siblings, const struct lost *lost,
                          struct native_header *header)
{
    uint64_t address = address_of(lost), first, last, size = lost->turns->ring->size;
    return input_offset(view->in, address, &first) && input_offset(view->in, address + size - 1u, &last)
           && last - first == size - 1u && !native_siblings_cover(siblings, first)
           && make_header(view, lost, first, header);
}

/* Whether a place was not tried before, and there were not too many. It is noted. */
static bool is_new(uint64_t *tried, size_t *n, uint64_t offset)
{
    for (size_t i = 0; i < *n; i++) {
        if (tried[i] == offset)
            return false;
    }
    if (*n < PLACES_MOST)
        tried[(*n)++] = offset;
    return *n < PLACES_MOST;
}

/* The same by images of the run, as far as the dump is a copy of the memory that both are in. Copies of chunks, in
 * buffers, tell wrong places. So there must be only one where the chunk can be. */
static bool find_by_images(struct native_view *view, const struct native_siblings *siblings, const struct lost *lost,
                           struct native_header *header)
{
    uint64_t address = address_of(lost), tried[PLACES_MOST];
    size_t n = 0, found = 0;
    if (!native_view_spend(view, siblings->n * LOOK_BYTES))
        return false;
    for (size_t i = 0; i < siblings->n; i++) {
        const struct native_image *image = &siblings->images[i];
        uint64_t offset = image->offset + (address - image->self);
        struct native_header made;
        if (image->packed || image->boot != lost->turns->like->boot || offset >= input_size(view->in)
            || native_siblings_cover(siblings, offset) || !is_new(tried, &n, offset)
            || !make_header(view, lost, offset, &made))
            continue;
        *header = made;
        found++;
    }
    return found == 1u && n < PLACES_MOST;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* Whether a ring lacks a chunk. */
static int lacks_any(void *ctx, const struct turns *turns)
{
    struct lost lost;
    (void)ctx;
    for (unsigned number = 0; number < turns->ring->chunks; number++) {
        if (lacks(turns, number, &lost))
            return 1;
    }
    return 0;
}

bool native_lost_chunks_exist(struct native_view *view, const struct native_image *images, size_t n)
{
    return each_ring(view, images, n, lacks_any, NULL) != 0;
}

/* What native_lost_chunks_find() works with. */
struct find {
    struct native_view *view;
    const struct native_siblings *siblings;
    bool by_input;
    int (*take)(void *ctx, const struct native_header *header);
    void *ctx;
};

/* Make the header of a lost chunk. False: it is not found. */
static bool find_one(const struct find *find, const struct lost *lost, struct native_header *header)
{
    if (find->by_input)
        return find_by_input(find->view, find->siblings, lost, header);
    return find_by_images(find->view, find->siblings, lost, header);
}

/* Find the chunks that a ring lacks. 0, or -1. */
static int find_in_ring(void *ctx, const struct turns *turns)
{
    const struct find *find = ctx;
    for (unsigned number = 0; number < turns->ring->chunks; number++) {
        struct lost lost;
        struct native_header header;
        if (lacks(turns, number, &lost) && find_one(find, &lost, &header) && find->take(find->ctx, &header) != 0)
            return -1;
    }
    return 0;
}

int native_lost_chunks_find(struct native_view *view, const struct native_siblings *siblings,
                            int (*take)(void *ctx, const struct native_header *header), void *ctx)
{
    struct find find = {view, siblings, native_addresses_agree(view, siblings->images, siblings->n), take, ctx};
    return each_ring(view, siblings->images, siblings->n, find_in_ring, &find);
}
