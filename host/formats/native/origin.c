/* origin.c - which chunk, of which run, an image without a header is of: see origin.h. */
#include "formats/native/origin.h"

#include "formats/native/chunk.h"

#define BOOTS      64u /* runs of one dump have numbers that are less than that apart */
#define NOWHERE    UINT32_MAX
#define CANDIDATES 8u

#define ROLE_BITS   (TLOG_ROLE_MASK << 16)
#define CHUNK_BITS  (0xFFFFu | ROLE_BITS)
#define COMMON_BITS (TLOG_CONTEXT_KIND | 0xFF000000u) /* of the word place, the same in all chunks of a run */

/* ---- chunks side by side ----------------------------------------------------------------------------------------- */

/* The chunk of a ring with that number, as bits of the word place. */
static uint32_t chunk_at(unsigned cpu, unsigned number)
{
    return cpu | number << 8;
}

static bool is_of_ring(const struct native_image *image)
{
    return image != NULL && native_role(image) == TLOG_ROLE_EVENTS;
}

/* Whether an image is of the last chunk of its ring. */
static bool is_last(const struct native_image *image)
{
    return is_of_ring(image) && image->next != image->size;
}

/* The chunk behind that of the image ahead of the hole, in its ring; or the one ahead of that behind the hole. */
static uint32_t next_in_ring(const struct native_image *ahead)
{
    return is_of_ring(ahead) && !is_last(ahead) ? chunk_at(native_cpu(ahead), native_number(ahead) + 1u) : NOWHERE;
}

static uint32_t last_in_ring(const struct native_image *behind)
{
    return is_of_ring(behind) && native_number(behind) > 0 ? chunk_at(native_cpu(behind), native_number(behind) - 1u)
                                                           : NOWHERE;
}

/* Whether a chunk may stand between two images of a run, as firmware and dumps have them: facts, then ring by ring. */
static bool is_behind(const struct native_image *ahead, uint32_t chunk)
{
    unsigned cpu = chunk & 0xFFu;
    if (ahead == NULL)
        return false;
    if (chunk == next_in_ring(ahead))
        return true;
    if (is_of_ring(ahead))
        return is_last(ahead) && chunk == chunk_at(native_cpu(ahead) + 1u, 0);
    return native_role(ahead) == TLOG_ROLE_NAMES && chunk == chunk_at(cpu, 0);
}

static bool is_ahead(const struct native_image *behind, uint32_t chunk)
{
    if (!is_of_ring(behind))
        return false;
    if (native_number(behind) > 0)
        return chunk == last_in_ring(behind);
    return (chunk & ROLE_BITS) == TLOG_ROLE_NAMES << 16 || (chunk & 0xFFu) + 1u == native_cpu(behind);
}

/* Whether the image ahead is one of several of a stream, and what is sealed in the hole is of the lap behind it. */
static bool goes_on(const struct native_hole *hole, const struct native_place *place)
{
    const struct native_image *ahead = hole->ahead;
    struct tlog_seal seal;
    if (!is_last(ahead) || !native_known_again(hole->known, ahead))
        return false;
    if (!place->sealed)
        return true;
    seal = native_read_seal(hole->bytes + place->at + native_seal_offset(place->layout));
    return native_count(seal.lap, seal.lap_high) >> TLOG_LAP_SHIFT == ahead->lap + 1u;
}

/* ---- the check --------------------------------------------------------------------------------------------------- */

struct candidates {
    uint32_t word[CANDIDATES];
    unsigned n;
};

static void add(struct candidates *candidates, uint32_t word)
{
    for (unsigned i = 0; i < candidates->n; i++) {
        if (candidates->word[i] == word)
            return;
    }
    if (word != NOWHERE && candidates->n < CANDIDATES)
        candidates->word[candidates->n++] = word;
}

static struct candidates candidate_chunks(const struct native_hole *hole, const struct native_legible *legible)
{
    struct candidates chunks = {{0}, 0};
    add(&chunks, legible->front.place & CHUNK_BITS);
    add(&chunks, legible->rear.place & CHUNK_BITS);
    add(&chunks, next_in_ring(hole->ahead));
    add(&chunks, last_in_ring(native_hole_behind(hole)));
    if (is_of_ring(hole->ahead)) {
        add(&chunks, chunk_at(native_cpu(hole->ahead), 0));
        add(&chunks, chunk_at(native_cpu(hole->ahead) + 1u, 0));
    }
    add(&chunks, 0);
    return chunks;
}

static struct candidates candidate_boots(const struct native_hole *hole, const struct native_legible *legible)
{
    struct candidates boots = {{0}, 0};
    add(&boots, legible->front.boot);
    add(&boots, legible->rear.boot);
    for (unsigned i = 0; i < 2u; i++) {
        const struct native_image *image = i == 0 ? hole->ahead : native_hole_behind(hole);
        if (image != NULL) {
            add(&boots, image->boot);
            add(&boots, image->boot + 1u);
            add(&boots, image->boot - 1u);
        }
    }
    return boots;
}

/* The address of a chunk: that of another image of it, or what follows from the image that is most like it. */
static uint64_t self_of(const struct native_hole *hole, const struct native_place *place, uint32_t chunk)
{
    const struct native_image *like = native_hole_like(hole);
    int64_t size = native_place_size(place->layout);
    uint64_t self;
    if (native_known_self(hole->known, chunk, &self))
        return self;
    return like->self + (uint64_t)(((int64_t)(chunk >> 8 & 0xFFu) - (int64_t)native_number(like)) * size);
}

/* The header of the image that is most like the lost one, as it stands in the input. */
static bool read_like(const struct native_hole *hole, unsigned char *bytes)
{
    const struct native_image *like = native_hole_like(hole);
    if (like == NULL || like->packed
        || input_read(hole->view->in, like->offset, bytes, TLOG_HEADER_BYTES) != TLOG_HEADER_BYTES)
        return false;
    return native_check(bytes) == native_read_header(bytes).check;
}

/* Whether a check that is legible is right with a chunk, a run and an address in the header. */
static bool is_right(unsigned char *bytes, const struct native_legible *legible, uint32_t chunk, uint32_t boot,
                     uint64_t self)
{
    uint32_t place = get_le32(bytes + offsetof(struct tlog_chunk, place)), check;
    put_le32(bytes + offsetof(struct tlog_chunk, place), (place & ~CHUNK_BITS) | chunk);
    put_le32(bytes + offsetof(struct tlog_chunk, boot), boot);
    put_le32(bytes + offsetof(struct tlog_chunk, self), (uint32_t)self);
    put_le32(bytes + offsetof(struct tlog_chunk, self_high), (uint32_t)(self >> 32));
    check = native_check(bytes);
    return check == legible->front.check || check == legible->rear.check;
}

/* The same with all addresses that the chunk may have: the ones that are legible, or chunks stand side by side. */
static bool has_right_self(const struct native_hole *hole, const struct native_place *place,
                           const struct native_legible *legible, unsigned char *bytes, uint32_t chunk, uint32_t boot)
{
    const struct native_image *ahead = hole->ahead, *behind = native_hole_behind(hole);
    const uint64_t self[] = {
        self_of(hole, place, chunk), (uint64_t)legible->front.self_high << 32 | legible->front.self,
        (uint64_t)legible->rear.self_high << 32 | legible->rear.self, ahead != NULL ? ahead->self + ahead->size : 0,
        behind != NULL ? behind->self - native_place_size(place->layout) : 0};
    for (size_t i = 0; i < sizeof self / sizeof self[0]; i++) {
        if (is_right(bytes, legible, chunk, boot, self[i]))
            return true;
    }
    return false;
}

bool native_origin_check(const struct native_hole *hole, const struct native_place *place,
                         const struct native_legible *legible, struct tlog_chunk *chunk)
{
    struct candidates chunks = candidate_chunks(hole, legible), boots = candidate_boots(hole, legible);
    unsigned char bytes[TLOG_HEADER_BYTES];
    if (!read_like(hole, bytes))
        return false;
    put_le32(bytes + offsetof(struct tlog_chunk, slots), place->layout.slots);
    put_le32(bytes + offsetof(struct tlog_chunk, emergency), place->layout.emergency);
    put_le32(bytes + offsetof(struct tlog_chunk, buf_size), native_place_size(place->layout));
    for (unsigned i = 0; i < chunks.n * boots.n; i++) {
        if (!has_right_self(hole, place, legible, bytes, chunks.word[i / boots.n], boots.word[i % boots.n]))
            continue;
        *chunk = native_read_header(bytes);
        memcpy(&chunk->next, &legible->rear.next, sizeof *chunk - offsetof(struct tlog_chunk, next));
        return true;
    }
    return false;
}

/* ---- without the check ------------------------------------------------------------------------------------------- */

bool native_origin_has_place(const struct native_place *place, const struct tlog_chunk *header)
{
    return (header->format & 0xFFFFFFu) == (TLOG_WIRE_VERSION | TLOG_HEADER_BYTES << 16)
           && header->slots == place->layout.slots && (header->place >> 16 & TLOG_ROLE_MASK) <= TLOG_ROLE_FREE
           && (header->place & TLOG_CONTEXT_KIND) != TLOG_CONTEXT_KIND;
}

/* The chunk that the word place tells, if it is legible and one that can be. */
static uint32_t legible_chunk(const struct native_hole *hole, const struct native_place *place,
                              const struct tlog_chunk *header)
{
    const struct native_image *like = native_hole_like(hole);
    int64_t chunks = (int64_t)(header->place >> 8 & 0xFFu) - (int64_t)native_number(like);
    uint64_t self = (uint64_t)header->self_high << 32 | header->self;
    if (!native_origin_has_place(place, header) || (header->place & 0xFFu) > hole->known->cpus)
        return NOWHERE;
    if (native_cpu(like) == (header->place & 0xFFu) && self != 0
        && like->self + (uint64_t)(chunks * (int64_t)native_place_size(place->layout)) != self)
        return NOWHERE;
    return header->place & CHUNK_BITS;
}

/* The only chunk that can be there. */
static uint32_t find_chunk(const struct native_hole *hole, const struct native_place *place)
{
    const struct native_image *ahead = hole->ahead, *behind = native_hole_behind(hole);
    uint32_t next = next_in_ring(ahead), last = last_in_ring(behind), chunk;
    if (next != NOWHERE || last != NOWHERE)
        return next == last || last == NOWHERE ? next : next == NOWHERE ? last : NOWHERE;
    if (goes_on(hole, place))
        return chunk_at(native_cpu(ahead), 0);
    if (is_of_ring(ahead) && behind == NULL)
        return NOWHERE;
    chunk = is_of_ring(ahead) ? chunk_at(native_cpu(ahead) + 1u, 0) : 0;
    if (behind == NULL)
        return is_behind(ahead, chunk) ? chunk : NOWHERE;
    return is_ahead(behind, chunk) && is_last(behind) && (ahead == NULL || is_behind(ahead, chunk)) ? chunk : NOWHERE;
}

/* Whether the word boot is legible: it is like that of the images around it, and the address ahead of it is right. */
static bool has_boot(const struct tlog_chunk *header, const struct native_image *like, uint64_t self)
{
    return ((uint64_t)header->self_high << 32 | header->self) == self && header->boot != 0
           && (header->boot - like->boot < BOOTS || like->boot - header->boot < BOOTS);
}

/* The run that a chunk is of, by the images around it; 0: they tell none. */
static uint32_t find_boot(const struct native_hole *hole, const struct native_place *place, uint32_t chunk)
{
    const struct native_image *ahead = hole->ahead, *behind = native_hole_behind(hole);
    bool follows = is_behind(ahead, chunk) || (goes_on(hole, place) && chunk == chunk_at(native_cpu(ahead), 0));
    bool leads = is_ahead(behind, chunk);
    if (ahead != NULL && behind != NULL && ahead->boot == behind->boot)
        return ahead->boot;
    if (follows == leads)
        return 0;
    return follows ? ahead->boot : behind->boot;
}

bool native_origin_tell(const struct native_hole *hole, const struct native_place *place,
                        const struct native_legible *legible, bool has_facts, struct tlog_chunk *chunk)
{
    const struct native_image *like = native_hole_like(hole);
    uint32_t found = legible_chunk(hole, place, &legible->front);
    uint64_t self;
    if (found == NOWHERE)
        found = has_facts ? TLOG_ROLE_NAMES << 16 : find_chunk(hole, place);
    if (found == NOWHERE)
        return false;
    self = self_of(hole, place, found);
    chunk->place = found | (like->place & COMMON_BITS);
    chunk->self = (uint32_t)self;
    chunk->self_high = (uint32_t)(self >> 32);
    chunk->boot = has_boot(&legible->front, like, self) ? legible->front.boot : find_boot(hole, place, found);
    return chunk->boot != 0;
}
