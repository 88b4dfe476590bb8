/* lost_chunks.c - chunks of which neither header nor seal is left: see lost_chunks.h.
 *
 *   which   the chunks of a ring take turns: the laps of those that are shown tell which others the run has opened
 *   where   the ELF file tells the address. The input's own addresses tell the place, or else an image that knows its
 *           address: one of the same memory, if the dump is a copy of it
 *   what    constant words are the ELF file's and the siblings'. The changing ones are the header's own if all of them
 *           can be right; else lap and cursor follow from the turns and from the tags of the slots
 *
 * Half of the slots must be sound, bear the right tags, and be as old as the turns tell; and the end mark must be in its
 * place, unless the turns also tell what is later. Else what stands there is something else: a dump may lack parts of the
 * memory.
 */
#include "formats/native/lost_chunks.h"

#include "formats/native/image_parse.h"
#include "formats/native/ring_turns.h"
#include "formats/native/write_position.h"

#include <string.h>

#define LOOK_BYTES  16u /* of the budget, for a look at an image */
#define PLACES_MOST 8u  /* where a chunk may be, as different images tell */

/* ---- words ------------------------------------------------------------------------------------------------------- */

static uint64_t address_of(const struct native_turn *turn)
{
    return turn->turns->address + (uint64_t)turn->number * turn->turns->ring->size;
}

static void put_lap(struct tlog_chunk *chunk, uint64_t lap, uint32_t slot)
{
    uint64_t count = lap << TLOG_LAP_SHIFT | native_tag(lap);
    chunk->lap = (uint32_t)count;
    chunk->lap_high = (uint32_t)(count >> 32) | ((uint32_t)count & TLOG_COUNT_MIRROR);
    chunk->cursor = slot << TLOG_CURSOR_SHIFT | native_tag(lap);
}

/* What the header's words are that never change. */
static void put_constants(const struct native_turn *turn, struct tlog_chunk *chunk)
{
    const struct trace_ring *ring = turn->turns->ring;
    const uint64_t self = address_of(turn);
    chunk->magic = TLOG_WIRE_MAGIC;
    chunk->tag = TLOG_WIRE_TAG;
    chunk->format = ring->format;
    chunk->place = ring->place | turn->number << 8;
    chunk->slots = ring->slots;
    chunk->emergency = ring->emergency;
    chunk->buf_size = ring->size;
    chunk->freq = ring->freq;
    chunk->coarse_freq = ring->coarse_freq;
    chunk->reserved = 0;
    chunk->self = (uint32_t)self;
    chunk->self_high = (uint32_t)(self >> 32);
    chunk->boot = turn->turns->like->boot;
    memcpy(chunk->build, turn->turns->like->build, sizeof chunk->build);
}

/* What `next` is in a ring. */
static uint32_t next_of(const struct native_turn *turn)
{
    const struct trace_ring *ring = turn->turns->ring;
    return turn->number + 1u < ring->chunks ? ring->size : 0u - turn->number * ring->size;
}

static bool is_count(uint32_t low, uint32_t high)
{
    return ((low ^ high) & TLOG_COUNT_MIRROR) == 0;
}

/* Whether all changing words of a header can be right, and tell a lap in which the chunk may be. */
static bool has_words(const struct native_turn *turn, const struct native_image *image, const struct tlog_chunk *chunk)
{
    struct native_position position;
    native_position_read(image, chunk->cursor, chunk->lap, chunk->lap_high, &position);
    return position.why == NULL && !position.doubtful && position.lap > 0 && chunk->next == next_of(turn)
           && chunk->flags <= 0xFFu && chunk->emergency_used <= image->layout.emergency
           && is_count(chunk->dropped, chunk->dropped_high) && is_count(chunk->reported, chunk->reported_high)
           && is_count(chunk->extra, chunk->extra_high) && is_count(chunk->lap, chunk->lap_high)
           && native_count(chunk->reported, chunk->reported_high) <= native_count(chunk->dropped, chunk->dropped_high)
           && (turn->lap == 0 || position.lap == turn->lap || (!turn->is_full && position.lap + 1u == turn->lap));
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

/* The first lap that fits the tags: the one of the first slot's tag; but lap 3 and not 1 if the last slot was written in
 * an even one. The slots are in view. */
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
                            uint32_t last, uint64_t lap, struct native_times times)
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

/* Whether half of the slots are those of a position. The slots are in view. */
static bool are_slots(struct native_view *view, const struct native_turn *turn, const struct native_image *image,
                      const struct native_position *position)
{
    uint64_t lap = position->lap;
    uint32_t slots = lap > 1u ? image->layout.slots : position->slot - 1u;
    struct native_times times = native_turn_times(turn, lap);
    uint32_t right = count_right(view, image, 1, position->slot - 1u, lap, times);
    if (lap > 1u)
        right += count_right(view, image, position->slot, slots, lap - 1u, native_turn_times(turn, lap - 1u));
    return right > 0 && 2u * right >= slots
           && (times.to != UINT64_MAX || native_image_has_end_mark(view, image, position));
}

/* Find the slot that is written next by the tags. If it is the first one the lap before is full. */
static void find_slot(struct native_view *view, const struct native_image *image, struct native_position *position)
{
    position->doubtful = true;
    native_position_correct(view, image, position);
    if (position->slot == 1u && position->lap > 1u) {
        position->lap--;
        position->slot = image->layout.slots + 1u;
    }
}

/* Find lap and cursor by the turns and the tags. False: the slots are none of this chunk. */
static bool find_position(struct native_view *view, const struct native_turn *turn, const struct native_image *image,
                          struct native_position *position)
{
    uint32_t have = native_slots_available(image);
    if (have == 0)
        return false;
    native_view_load(view, image, TLOG_HEADER_BYTES, (size_t)have * TLOG_SLOT_BYTES);
    *position = (struct native_position){.lap = turn->lap, .slot = image->layout.slots + 1u};
    if (turn->lap == 0)
        position->lap = told_lap(view, image);
    if (position->lap == 0)
        position->lap = lap_by_tags(view, image);
    if (!turn->is_full)
        find_slot(view, image, position);
    return are_slots(view, turn, image, position);
}

/* Make the header of a chunk that may be at an offset. False: it is not there. */
static bool make_header(struct native_view *view, const struct native_turn *turn, uint64_t offset,
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
    put_constants(turn, chunk);
    if (!native_view_spend(view, chunk->buf_size + 2u * LOOK_BYTES * turn->turns->n)
        || native_image_begin(view, header, &image) != 0)
        return false;
    image.available = native_image_in_input(view, &image, image.size);
    if (!find_position(view, turn, &image, &position))
        return false;
    if (has_words(turn, &image, chunk))
        return true;
    memset(&chunk->next, 0, sizeof *chunk - offsetof(struct tlog_chunk, next));
    chunk->next = next_of(turn);
    put_lap(chunk, position.lap, position.slot);
    return true;
}

/* ---- where it is ------------------------------------------------------------------------------------------------- */

/* Whether the input's addresses are those of its images: one of them stands where it says. */
static bool tells_addresses(const struct native_view *view, const struct native_siblings *siblings)
{
    for (size_t i = 0; i < siblings->n; i++) {
        const struct native_image *image = &siblings->images[i];
        uint64_t address;
        if (!image->packed && input_address(view->in, image->offset, &address) && address == image->self)
            return true;
    }
    return false;
}

/* Make the header of a lost chunk, which the input's addresses tell the place of. */
static bool find_by_input(struct native_view *view, const struct native_siblings *siblings,
                          const struct native_turn *turn, struct native_header *header)
{
    uint64_t address = address_of(turn), first, last, size = turn->turns->ring->size;
    return input_offset(view->in, address, &first) && input_offset(view->in, address + size - 1u, &last)
           && last - first == size - 1u && !native_siblings_cover(siblings, first)
           && make_header(view, turn, first, header);
}

/* Whether a place was tried before. False also if there were too many. */
static bool is_new(uint64_t *tried, size_t *n, uint64_t offset)
{
    for (size_t i = 0; i < *n; i++) {
        if (tried[i] == offset)
            return false;
    }
    if (*n == PLACES_MOST)
        return false;
    tried[(*n)++] = offset;
    return true;
}

/* The same by images of the run, as far as the dump is a copy of the memory that both are in. Copies of chunks, in
 * buffers, tell wrong places. So there must be only one where the chunk can be. */
static bool find_by_images(struct native_view *view, const struct native_siblings *siblings,
                           const struct native_turn *turn, struct native_header *header)
{
    uint64_t address = address_of(turn), tried[PLACES_MOST];
    size_t n = 0, found = 0;
    if (!native_view_spend(view, siblings->n * LOOK_BYTES))
        return false;
    for (size_t i = 0; i < siblings->n; i++) {
        const struct native_image *image = &siblings->images[i];
        uint64_t offset = image->offset + (address - image->self);
        struct native_header made;
        if (image->packed || image->boot != turn->turns->like->boot || offset >= input_size(view->in)
            || native_siblings_cover(siblings, offset) || !is_new(tried, &n, offset)
            || !make_header(view, turn, offset, &made))
            continue;
        *header = made;
        found++;
    }
    return found == 1u;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static int lacks_any(void *ctx, const struct native_turns *turns)
{
    struct native_turn turn;
    (void)ctx;
    for (unsigned number = 0; number < turns->ring->chunks; number++) {
        if (native_turns_lack(turns, number, &turn))
            return 1;
    }
    return 0;
}

bool native_lost_chunks_exist(struct native_view *view, const struct native_image *images, size_t n)
{
    return native_turns_each(view, images, n, lacks_any, NULL) != 0;
}

/* What native_lost_chunks_find() works with. */
struct find {
    struct native_view *view;
    const struct native_siblings *siblings;
    bool by_input;
    int (*take)(void *ctx, const struct native_header *header);
    void *ctx;
};

/* Find the chunks that a ring lacks. 0, or -1. */
static int find_in_ring(void *ctx, const struct native_turns *turns)
{
    const struct find *find = ctx;
    for (unsigned number = 0; number < turns->ring->chunks; number++) {
        struct native_turn turn;
        struct native_header header;
        if (native_turns_lack(turns, number, &turn)
            && (find->by_input ? find_by_input : find_by_images)(find->view, find->siblings, &turn, &header)
            && find->take(find->ctx, &header) != 0)
            return -1;
    }
    return 0;
}

int native_lost_chunks_find(struct native_view *view, const struct native_siblings *siblings,
                            int (*take)(void *ctx, const struct native_header *header), void *ctx)
{
    struct find find = {view, siblings, tells_addresses(view, siblings), take, ctx};
    return native_turns_each(view, siblings->images, siblings->n, find_in_ring, &find);
}
