/* orphan_header.c - the header of an orphan: see orphan_header.h.
 *
 * What is legible of the header is taken from it; its front and its rear may have been torn apart. Its changing words
 * come from the seal.
 *
 * Its constant words tell which chunk of which run it is. If the check is legible, it decides: the siblings suggest
 * several headers, and only one of them has that check. Otherwise chunk and run must both be told, by words that are
 * legible, or by the siblings on both sides: the chunks of a ring stand side by side.
 */
#include "formats/native/repair/orphan_header.h"

#include "formats/native/chunks/seal.h"
#include "formats/native/chunks/write_position.h"

#define BOOTS      64u        /* the numbers of runs in one dump are less than that apart */
#define NOWHERE    UINT32_MAX /* in place of a chunk: it is not known */
#define CANDIDATES 8u

/* ---- what is legible --------------------------------------------------------------------------------------------- */

/* What is legible of a header, read twice: `front` by offsets from its first bytes, `rear` by offsets from the bytes
 * that follow it. They differ if bytes were lost from it or came into it. */
struct legible {
    struct tlog_chunk front, rear;
    bool is_torn; /* they differ */
};

/* A word of a header that begins at an offset of the stray bytes; 0 if it is not in memory. */
static uint32_t word_at(const struct native_stray *stray, int64_t header, uint32_t word)
{
    int64_t at = header + 4 * (int64_t)word;
    return at >= 0 && (size_t)at + 4u <= stray->n ? get_le32(stray->bytes + at) : 0;
}

/* Where the front of the header is: where its magic or its tag stands, less than a header's size away. */
static int64_t find_front(const struct native_stray *stray, const struct native_orphan *orphan)
{
    for (int64_t away = 0; away < TLOG_HEADER_BYTES; away++) {
        if (word_at(stray, orphan->at - away, 0) == TLOG_WIRE_MAGIC
            || word_at(stray, orphan->at - away, 1) == TLOG_WIRE_TAG)
            return orphan->at - away;
        if (word_at(stray, orphan->at + away, 0) == TLOG_WIRE_MAGIC
            || word_at(stray, orphan->at + away, 1) == TLOG_WIRE_TAG)
            return orphan->at + away;
    }
    return orphan->at;
}

/* Put those words into a header that the orphan and a sibling tell. Returns whether its check is right then, perhaps
 * after a byte is mended. */
static bool mend_header(const struct native_stray *stray, const struct native_orphan *orphan, unsigned char *bytes)
{
    const struct native_image *sibling = native_stray_template(stray);
    unsigned char bits;
    uint32_t at;
    put_le32(bytes, TLOG_WIRE_MAGIC);
    put_le32(bytes + 4, TLOG_WIRE_TAG);
    put_le32(bytes + offsetof(struct tlog_chunk, slots), orphan->layout.slots);
    put_le32(bytes + offsetof(struct tlog_chunk, emergency), orphan->layout.emergency);
    put_le32(bytes + offsetof(struct tlog_chunk, buf_size), native_orphan_size(orphan->layout));
    if (sibling != NULL)
        put_le32(bytes + offsetof(struct tlog_chunk, freq), sibling->freq);
    if (native_check(bytes) == native_read_header(bytes).check)
        return true;
    at = native_check_locate(bytes, &bits);
    if (at == NATIVE_MEND_NONE)
        return false;
    bytes[at] ^= bits;
    return at >= 8u && at < 64u;
}

/* Put a header together of its front, up to byte number `split`, and of its rear. *right: its check and its layout
 * are. */
static struct tlog_chunk join_header(const struct native_stray *stray, const struct native_orphan *orphan,
                                     int64_t front, uint32_t split, bool *right)
{
    unsigned char bytes[TLOG_HEADER_BYTES] = {0}, mended[TLOG_HEADER_BYTES];
    struct tlog_chunk header;
    for (uint32_t i = 0; i < sizeof bytes; i++) {
        int64_t at = (i < split ? front : orphan->at) + i;
        if (at >= 0 && (size_t)at < stray->n)
            bytes[i] = stray->bytes[at];
    }
    header = native_read_header(bytes);
    *right = native_check(bytes) == header.check && header.magic == TLOG_WIRE_MAGIC
             && header.slots == orphan->layout.slots && header.emergency == orphan->layout.emergency;
    memcpy(mended, bytes, sizeof mended);
    if (*right || split > 0 || !mend_header(stray, orphan, mended))
        return header;
    *right = true;
    return native_read_header(mended);
}

/* Read what is legible of the header, whose front and rear may have been torn apart. *right: the check is right for all
 * of it, and *chunk is it. */
static struct legible read_legible(const struct native_stray *stray, const struct native_orphan *orphan,
                                   struct tlog_chunk *chunk, bool *right)
{
    int64_t front = find_front(stray, orphan);
    struct legible legible;
    *chunk = join_header(stray, orphan, front, 0, right);
    legible.rear = *chunk;
    legible.is_torn = front != orphan->at;
    for (uint32_t split = 1; split <= TLOG_HEADER_BYTES && legible.is_torn && !*right; split++)
        *chunk = join_header(stray, orphan, front, split, right);
    legible.front = *right ? *chunk : join_header(stray, orphan, front, TLOG_HEADER_BYTES, right);
    return legible;
}

/* ---- chunks side by side ----------------------------------------------------------------------------------------- */

/* A chunk of a CPU's ring, as bits of the word place. */
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

/* The chunk that follows that of the image ahead in its ring. */
static uint32_t next_in_ring(const struct native_image *ahead)
{
    return is_of_ring(ahead) && !is_last(ahead) ? chunk_at(native_cpu(ahead), native_number(ahead) + 1u) : NOWHERE;
}

/* The chunk that comes right ahead of the image behind in that image's ring. */
static uint32_t last_in_ring(const struct native_image *behind)
{
    return is_of_ring(behind) && native_number(behind) > 0 ? chunk_at(native_cpu(behind), native_number(behind) - 1u)
                                                           : NOWHERE;
}

/* Whether a chunk may stand right behind an image of the same run. Firmware and dumps have the chunks of names first,
 * then ring by ring. */
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

/* Whether a chunk may stand right ahead of an image of the same run. */
static bool is_ahead(const struct native_image *behind, uint32_t chunk)
{
    if (!is_of_ring(behind))
        return false;
    if (native_number(behind) > 0)
        return chunk == last_in_ring(behind);
    return (chunk & TLOG_ROLE_MASK << 16) == TLOG_ROLE_NAMES << 16 || (chunk & 0xFFu) + 1u == native_cpu(behind);
}

/* Whether the orphan goes on with the stream that the image ahead belongs to. In a stream a ring's last chunk comes
 * again and again, and the next lap follows it: so the image ahead shows such a chunk, there are several images of that
 * chunk, and the orphan's seal tells the next lap. */
static bool goes_on(const struct native_stray *stray, const struct native_orphan *orphan)
{
    const struct native_image *ahead = native_stray_ahead(stray);
    struct tlog_seal seal;
    if (!is_last(ahead) || !native_siblings_repeat(stray->siblings, ahead))
        return false;
    seal = native_read_seal(stray->bytes + orphan->at + native_seal_offset(orphan->layout));
    return native_count(seal.lap, seal.lap_high) >> TLOG_LAP_SHIFT == ahead->lap + 1u;
}

/* ---- by the check ------------------------------------------------------------------------------------------------ */

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

static struct candidates candidate_chunks(const struct native_stray *stray, const struct legible *legible)
{
    struct candidates chunks = {{0}, 0};
    add(&chunks, legible->front.place & NATIVE_CHUNK_BITS);
    add(&chunks, legible->rear.place & NATIVE_CHUNK_BITS);
    add(&chunks, next_in_ring(native_stray_ahead(stray)));
    add(&chunks, last_in_ring(native_stray_behind(stray)));
    if (is_of_ring(native_stray_ahead(stray))) {
        add(&chunks, chunk_at(native_cpu(native_stray_ahead(stray)), 0));
        add(&chunks, chunk_at(native_cpu(native_stray_ahead(stray)) + 1u, 0));
    }
    add(&chunks, 0);
    return chunks;
}

static struct candidates candidate_boots(const struct native_stray *stray, const struct legible *legible)
{
    struct candidates boots = {{0}, 0};
    add(&boots, legible->front.boot);
    add(&boots, legible->rear.boot);
    for (unsigned i = 0; i < 2u; i++) {
        const struct native_image *image = i == 0 ? native_stray_ahead(stray) : native_stray_behind(stray);
        if (image != NULL) {
            add(&boots, image->boot);
            add(&boots, image->boot + 1u);
            add(&boots, image->boot - 1u);
        }
    }
    return boots;
}

/* The address of a chunk: that of another image of it, or what follows from a sibling, as chunks stand side by side. */
static uint64_t self_of(const struct native_stray *stray, const struct native_orphan *orphan, uint32_t chunk)
{
    const struct native_image *sibling = native_stray_template(stray);
    int64_t size = native_orphan_size(orphan->layout);
    uint64_t self;
    if (native_siblings_address(stray->siblings, chunk, sibling->boot, &self))
        return self;
    return sibling->self + (uint64_t)(((int64_t)(chunk >> 8 & 0xFFu) - (int64_t)native_number(sibling)) * size);
}

/* Read the header of a sibling. False: there is none that is right as it stands in the input. */
static bool read_template(const struct native_stray *stray, unsigned char *bytes)
{
    const struct native_image *sibling = native_stray_template(stray);
    if (sibling == NULL || sibling->packed
        || input_read(stray->view->in, sibling->offset, bytes, TLOG_HEADER_BYTES) != TLOG_HEADER_BYTES)
        return false;
    return native_check(bytes) == native_read_header(bytes).check;
}

/* Put a chunk, a run and an address into a header. Returns whether its check is then one that is legible. */
static bool is_right(unsigned char *bytes, const struct legible *legible, uint32_t chunk, uint32_t boot, uint64_t self)
{
    uint32_t place = get_le32(bytes + offsetof(struct tlog_chunk, place)), check;
    put_le32(bytes + offsetof(struct tlog_chunk, place), (place & ~NATIVE_CHUNK_BITS) | chunk);
    put_le32(bytes + offsetof(struct tlog_chunk, boot), boot);
    put_le32(bytes + offsetof(struct tlog_chunk, self), (uint32_t)self);
    put_le32(bytes + offsetof(struct tlog_chunk, self_high), (uint32_t)(self >> 32));
    check = native_check(bytes);
    return check == legible->front.check || check == legible->rear.check;
}

/* Whether is_right() holds with an address that the firmware's ELF file has for the chunk, in one of its banks. */
static bool has_symbol(const struct native_stray *stray, const struct legible *legible, unsigned char *bytes,
                       uint32_t chunk, uint32_t boot)
{
    const struct trace_firmware *firmware = stray->view->trace->firmware;
    for (size_t i = 0; firmware != NULL && i < firmware->nrings; i++) {
        const struct trace_ring *ring = &firmware->rings[i];
        if (((ring->place ^ chunk) & NATIVE_CHUNK_BITS & ~(uint32_t)0xFF00u) != 0)
            continue;
        for (uint32_t bank = 0; bank < ring->banks; bank++) {
            uint64_t self = ring->address + ((uint64_t)bank * ring->chunks + (chunk >> 8 & 0xFFu)) * ring->size;
            if (is_right(bytes, legible, chunk, boot, self))
                return true;
        }
    }
    return false;
}

/* Whether is_right() holds with one of the addresses that the chunk may have: one that is legible, or one beside a
 * sibling, or one by a symbol. */
static bool has_right_self(const struct native_stray *stray, const struct native_orphan *orphan,
                           const struct legible *legible, unsigned char *bytes, uint32_t chunk, uint32_t boot)
{
    const struct native_image *ahead = native_stray_ahead(stray), *behind = native_stray_behind(stray);
    const uint64_t self[] = {
        self_of(stray, orphan, chunk), (uint64_t)legible->front.self_high << 32 | legible->front.self,
        (uint64_t)legible->rear.self_high << 32 | legible->rear.self, ahead != NULL ? ahead->self + ahead->size : 0,
        behind != NULL ? behind->self - native_orphan_size(orphan->layout) : 0};
    for (size_t i = 0; i < sizeof self / sizeof self[0]; i++) {
        if (is_right(bytes, legible, chunk, boot, self[i]))
            return true;
    }
    return has_symbol(stray, legible, bytes, chunk, boot);
}

/* Find the header whose check is right. True: *chunk has its constant words. */
static bool find_by_check(const struct native_stray *stray, const struct native_orphan *orphan,
                          const struct legible *legible, struct tlog_chunk *chunk)
{
    struct candidates chunks = candidate_chunks(stray, legible), boots = candidate_boots(stray, legible);
    unsigned char bytes[TLOG_HEADER_BYTES];
    if (!read_template(stray, bytes))
        return false;
    put_le32(bytes + offsetof(struct tlog_chunk, slots), orphan->layout.slots);
    put_le32(bytes + offsetof(struct tlog_chunk, emergency), orphan->layout.emergency);
    put_le32(bytes + offsetof(struct tlog_chunk, buf_size), native_orphan_size(orphan->layout));
    for (unsigned i = 0; i < chunks.n * boots.n; i++) {
        if (!has_right_self(stray, orphan, legible, bytes, chunks.word[i / boots.n], boots.word[i % boots.n]))
            continue;
        *chunk = native_read_header(bytes);
        memcpy(&chunk->next, &legible->rear.next, sizeof *chunk - offsetof(struct tlog_chunk, next));
        return true;
    }
    return false;
}

/* ---- without the check ------------------------------------------------------------------------------------------- */

/* Whether the word place of a header is legible: the words around it are what they should be. */
static bool has_place(const struct native_orphan *orphan, const struct tlog_chunk *header)
{
    return (header->format & 0xFFFFFFu) == (TLOG_WIRE_VERSION | TLOG_HEADER_BYTES << 16)
           && header->slots == orphan->layout.slots && (header->place >> 16 & TLOG_ROLE_MASK) <= TLOG_ROLE_FREE
           && (header->place & TLOG_CONTEXT_KIND) != TLOG_CONTEXT_KIND;
}

/* The chunk that the word place tells, if it is legible and does not contradict the address. */
static uint32_t legible_chunk(const struct native_stray *stray, const struct native_orphan *orphan,
                              const struct tlog_chunk *header)
{
    const struct native_image *sibling = native_stray_template(stray);
    int64_t chunks = (int64_t)(header->place >> 8 & 0xFFu) - (int64_t)native_number(sibling);
    uint64_t self = (uint64_t)header->self_high << 32 | header->self;
    if (!has_place(orphan, header) || (header->place & 0xFFu) > stray->siblings->cpus)
        return NOWHERE;
    if (native_cpu(sibling) == (header->place & 0xFFu) && self != 0
        && sibling->self + (uint64_t)(chunks * (int64_t)native_orphan_size(orphan->layout)) != self)
        return NOWHERE;
    return header->place & NATIVE_CHUNK_BITS;
}

/* The only chunk that can stand between the images on both sides. */
static uint32_t find_chunk(const struct native_stray *stray, const struct native_orphan *orphan)
{
    const struct native_image *ahead = native_stray_ahead(stray), *behind = native_stray_behind(stray);
    uint32_t next = next_in_ring(ahead), last = last_in_ring(behind), chunk;
    if (next != NOWHERE || last != NOWHERE)
        return next == last || last == NOWHERE ? next : next == NOWHERE ? last : NOWHERE;
    if (goes_on(stray, orphan))
        return chunk_at(native_cpu(ahead), 0);
    if (is_of_ring(ahead) && behind == NULL)
        return NOWHERE;
    chunk = is_of_ring(ahead) ? chunk_at(native_cpu(ahead) + 1u, 0) : 0;
    if (behind == NULL)
        return is_behind(ahead, chunk) ? chunk : NOWHERE;
    return is_ahead(behind, chunk) && is_last(behind) && (ahead == NULL || is_behind(ahead, chunk)) ? chunk : NOWHERE;
}

/* Whether the word boot is legible: it is near a sibling's, and the address, which stands ahead of it, is right. */
static bool has_boot(const struct tlog_chunk *header, const struct native_image *sibling, uint64_t self)
{
    return ((uint64_t)header->self_high << 32 | header->self) == self && header->boot != 0
           && (header->boot - sibling->boot < BOOTS || sibling->boot - header->boot < BOOTS);
}

/* The run that a chunk is of, by the images on both sides; 0: they do not tell. */
static uint32_t find_boot(const struct native_stray *stray, const struct native_orphan *orphan, uint32_t chunk)
{
    const struct native_image *ahead = native_stray_ahead(stray), *behind = native_stray_behind(stray);
    bool follows = is_behind(ahead, chunk) || (goes_on(stray, orphan) && chunk == chunk_at(native_cpu(ahead), 0));
    bool leads = is_ahead(behind, chunk);
    if (ahead != NULL && behind != NULL && ahead->boot == behind->boot)
        return ahead->boot;
    if (follows == leads)
        return 0;
    return follows ? ahead->boot : behind->boot;
}

bool native_orphan_fills_space(const struct native_stray *stray, const struct native_orphan *orphan)
{
    int64_t begin = (int64_t)stray->at + orphan->at, end = begin + (int64_t)native_orphan_size(orphan->layout);
    int64_t ahead = begin - (int64_t)stray->from;
    return end == (int64_t)stray->to && ahead >= -TORN && ahead <= TORN;
}

bool native_orphan_may_fill_space(const struct native_stray *stray, size_t seal, uint32_t groups)
{
    const struct native_image *before = native_stray_ahead(stray), *after = native_stray_behind(stray);
    const struct native_orphan orphan = {.at = (int64_t)stray->from - (int64_t)stray->at};
    uint64_t least = groups > 1u ? (groups - 2u) * (uint64_t)TLOG_GROUP_SLOTS + 2u : 1u; /* slots, emergency ones too */
    uint64_t most = groups * (uint64_t)TLOG_GROUP_SLOTS;
    uint64_t size = TLOG_HEADER_BYTES + TLOG_SLOT_BYTES + sizeof(struct tlog_claims); /* without the slots */
    uint64_t ahead = (uint64_t)((int64_t)seal - orphan.at), table = (4u * groups + 15u) & ~15u;
    return stray->at + seal + sizeof(struct tlog_seal) + table == stray->to && ahead >= size + least * TLOG_SLOT_BYTES
           && ahead <= size + most * TLOG_SLOT_BYTES && (ahead - size) % TLOG_SLOT_BYTES == 0
           && (before == NULL || before->sealed) && (after == NULL || after->sealed)
           && !native_orphan_has_header(stray, &orphan);
}

/* Take the words that all chunks of a run have in common from the sibling. */
static void take_common(const struct native_image *sibling, struct tlog_chunk *chunk)
{
    chunk->format = TLOG_WIRE_VERSION | TLOG_HEADER_BYTES << 16 | (uint32_t)sibling->pointer << 24;
    chunk->freq = sibling->freq;
    chunk->coarse_freq = sibling->coarse_freq;
    chunk->needs = sibling->needs;
    memcpy(chunk->build, sibling->build, sizeof chunk->build);
}

/* How many chunks its ring has, as bits of the word place; 0: neither of the images beside it is of that ring. */
static uint32_t chunks_of_ring(const struct native_stray *stray, uint32_t chunk)
{
    const struct native_image *beside[] = {native_stray_ahead(stray), native_stray_behind(stray)};
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        if (beside[i] != NULL && ((beside[i]->place ^ chunk) & NATIVE_CHUNK_BITS & ~(uint32_t)0xFF00u) == 0)
            return beside[i]->place & 0xFF000000u;
    }
    return 0;
}

/* The chunk that an orphan is, by the word place or by the space that it fills. If front and rear of the header were
 * torn apart, place alone is not enough: the words up to the address are constants of the firmware, too, which may
 * stand near by. */
static uint32_t tell_chunk(const struct native_stray *stray, const struct native_orphan *orphan,
                           const struct legible *legible, bool has_facts)
{
    uint32_t told = legible_chunk(stray, orphan, &legible->front), found;
    uint64_t self = (uint64_t)legible->front.self_high << 32 | legible->front.self;
    if (told != NOWHERE && (!legible->is_torn || self == self_of(stray, orphan, told)))
        return told;
    if (!native_orphan_fills_space(stray, orphan))
        return NOWHERE;
    found = has_facts ? TLOG_ROLE_NAMES << 16 : find_chunk(stray, orphan);
    return found != NOWHERE ? found : told;
}

/* Tell the words place, boot and self without the check. has_facts: the orphan is a chunk of names. False: nothing
 * tells them. */
static bool find_without_check(const struct native_stray *stray, const struct native_orphan *orphan,
                               const struct legible *legible, bool has_facts, struct tlog_chunk *chunk)
{
    const struct native_image *sibling = native_stray_template(stray);
    uint32_t found = tell_chunk(stray, orphan, legible, has_facts);
    uint64_t self;
    if (found == NOWHERE)
        return false;
    self = self_of(stray, orphan, found);
    chunk->place = found | (sibling->place & NATIVE_CONTEXT_BITS) | chunks_of_ring(stray, found);
    chunk->self = (uint32_t)self;
    chunk->self_high = (uint32_t)(self >> 32);
    chunk->boot = has_boot(&legible->front, sibling, self) ? legible->front.boot : find_boot(stray, orphan, found);
    return chunk->boot != 0;
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

/* Whether the orphan is a chunk of names: whether its first slot holds a fact. */
static bool has_facts(const struct native_stray *stray, const struct native_orphan *orphan)
{
    struct native_slot_range slots = native_orphan_slots(stray, orphan);
    const unsigned char *slot = native_orphan_slot(stray, orphan, 1);
    uint32_t head = slots.from == 1u && slots.to > 1u ? native_head(slot) : 0;
    return (head & TLOG_CLASS_MASK) == TLOG_CLASS_CONTROL << TLOG_CLASS_SHIFT
           && (head & TLOG_FACT_CHECK_MASK << 16) != 0 && (head & TLOG_FACT_KIND) != 0 && !native_is_no_event(slot)
           && (head & TLOG_TAG_ODD) != 0;
}

/* Fill the constant words that are not legible. An orphan without siblings that fills the input is taken for the first
 * chunk of the first run. False: nothing tells which chunk it is. */
static bool fill_constants(const struct native_stray *stray, const struct native_orphan *orphan,
                           const struct legible *legible, struct tlog_chunk *chunk)
{
    const struct native_image *sibling = native_stray_template(stray);
    *chunk = legible->rear;
    if (sibling == NULL && !native_orphan_fills_space(stray, orphan))
        return false;
    if (sibling == NULL) {
        if (!has_place(orphan, chunk) || (chunk->place & 0xFFu) != 0)
            chunk->place = has_facts(stray, orphan) ? TLOG_ROLE_NAMES << 16 : 0;
        chunk->boot = chunk->boot != 0 ? chunk->boot : 1u;
        chunk->freq = chunk->coarse_freq = chunk->needs = chunk->self = chunk->self_high = 0;
        return true;
    }
    if (find_by_check(stray, orphan, legible, chunk))
        return true;
    take_common(sibling, chunk);
    return find_without_check(stray, orphan, legible, has_facts(stray, orphan), chunk);
}

/* Fill `next`: it leads to the next chunk; that of the last one to the first one, or it tells that there is none. */
static void fill_next(const struct native_stray *stray, const struct native_orphan *orphan, struct tlog_chunk *chunk)
{
    uint32_t number = chunk->place >> 8 & 0xFFu, size = native_orphan_size(orphan->layout), around = 0u - number * size;
    uint32_t told = chunk->place >> 24, last = told > 0 ? told - 1u : stray->siblings->last[chunk->place & 0xFFu];
    if ((chunk->place >> 16 & TLOG_ROLE_MASK) != TLOG_ROLE_EVENTS)
        last = number;
    if (number < last)
        chunk->next = size;
    else if (chunk->next != size && chunk->next != around && chunk->next != TLOG_NEXT_STOP)
        chunk->next = around;
}

/* Fill the changing words from the seal. */
static void fill_from_seal(const struct native_stray *stray, const struct native_orphan *orphan,
                           struct tlog_chunk *chunk)
{
    const unsigned char *at = stray->bytes + orphan->at + native_seal_offset(orphan->layout);
    struct tlog_seal seal = native_read_seal(at);
    native_seal_restore(&seal, chunk);
}

/* Whether the words cursor and lap are such as a header has. */
static bool has_position(const struct native_orphan *orphan, const struct tlog_chunk *chunk)
{
    struct native_image image = {.layout = orphan->layout};
    struct native_position position;
    native_position_read(&image, chunk->cursor, chunk->lap, chunk->lap_high, &position);
    return position.why == NULL && !position.doubtful && position.lap > 0;
}

bool native_orphan_header(const struct native_stray *stray, const struct native_orphan *orphan,
                          struct native_header *header)
{
    struct tlog_chunk *chunk = &header->chunk;
    struct legible legible;
    bool right;
    memset(header, 0, sizeof *header);
    header->offset = stray->at + (uint64_t)orphan->at;
    legible = read_legible(stray, orphan, chunk, &right);
    if (!right && !fill_constants(stray, orphan, &legible, chunk))
        return false;
    chunk->slots = orphan->layout.slots;
    chunk->emergency = orphan->layout.emergency;
    chunk->buf_size = native_orphan_size(orphan->layout);
    if (!has_position(orphan, chunk))
        fill_from_seal(stray, orphan, chunk);
    fill_next(stray, orphan, chunk);
    return true;
}

bool native_orphan_has_header(const struct native_stray *stray, const struct native_orphan *orphan)
{
    const unsigned char *bytes = stray->bytes + orphan->at;
    struct tlog_chunk chunk;
    if (orphan->at < 0 || (size_t)orphan->at + TLOG_HEADER_BYTES > stray->n)
        return false;
    chunk = native_read_header(bytes);
    return (chunk.magic == TLOG_WIRE_MAGIC && native_check(bytes) == chunk.check)
           || native_position_is_taken_back(&chunk);
}
