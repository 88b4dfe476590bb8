/* words.c - see words.h. */
#include "formats/native/follow/words.h"

#include "base/heap.h"
#include "formats/native/bytes/evidence.h"

#include <string.h>

#define TRIES_EXTRA 4u /* so often it is tried to have the count of extra slots agree, too */
#define CHUNKS_MOST 4096u

/* The number of a lap of a chunk among all laps of its ring, whose chunks take turns. */
uint64_t recorder_turn(const struct record_chunk *chunk, uint64_t lap)
{
    uint32_t place = record_word(chunk->header, offsetof(struct tlog_chunk, place)), chunks = place >> 24;
    return chunks > 1u ? (lap - 1u) * chunks + (place >> 8 & 0xFFu) : lap - 1u;
}

/* How many laps of a chunk have a turn up to that one. */
uint64_t recorder_laps_until(const struct record_chunk *chunk, uint64_t turn)
{
    uint32_t place = record_word(chunk->header, offsetof(struct tlog_chunk, place)), chunks = place >> 24;
    uint32_t number = place >> 8 & 0xFFu;
    if (chunks <= 1u)
        return turn + 1u;
    return turn < number ? 0 : (turn - number) / chunks + 1u;
}

bool recorder_is_in_ring(const struct record_chunk *chunk)
{
    return (record_word(chunk->header, offsetof(struct tlog_chunk, place)) >> 16 & TLOG_ROLE_MASK) == TLOG_ROLE_EVENTS;
}

unsigned recorder_cpu(const struct record_chunk *chunk)
{
    return record_word(chunk->header, offsetof(struct tlog_chunk, place)) & 0xFFu;
}

/* ---- one header ------------------------------------------------------------------------------------------------ */

int recorder_get(struct native_recorder *recorder, uint64_t address, void *to, size_t n)
{
    recorder->told.bytes += n;
    return recorder->memory->read(recorder->memory->ctx, address, to, n);
}

/* Whether these bytes are a chunk's header, at its address. */
static bool is_header(const unsigned char *bytes, uint64_t address)
{
    struct tlog_chunk chunk = native_read_header(bytes);
    return chunk.magic == TLOG_WIRE_MAGIC && chunk.tag == TLOG_WIRE_TAG && native_check(bytes) == chunk.check
           && (chunk.format & 0xFFFFFFu) == (TLOG_WIRE_VERSION | TLOG_HEADER_BYTES << 16) && native_sizes_agree(&chunk)
           && native_place_is_known(&chunk) && get_le64(bytes + offsetof(struct tlog_chunk, self)) == address;
}

static bool same(const unsigned char *a, const unsigned char *b, size_t offset)
{
    return record_word(a, offset) == record_word(b, offset);
}

/* Read the header of a chunk. While the firmware runs its words are of several moments: those of one are between two
 * readings with the same lap, and, if that can be had, the same count of extra slots. 1; 0: they do not agree, or there
 * is no header now; -1 if memory cannot be read. */
int recorder_read_header(struct native_recorder *recorder, uint64_t address, unsigned char *header)
{
    const size_t words = offsetof(struct tlog_chunk, next);
    unsigned char again[TLOG_HEADER_BYTES];
    bool agree = recorder->memory->halted;
    if (recorder_get(recorder, address, header, TLOG_HEADER_BYTES) != 0)
        return -1;
    if (!is_header(header, address))
        return 0;
    for (unsigned i = 0; i < RECORDER_TRIES && !agree; i++) {
        if (recorder_get(recorder, address + words, again + words, TLOG_HEADER_BYTES - words) != 0)
            return -1;
        agree = same(header, again, offsetof(struct tlog_chunk, lap))
                && same(header, again, offsetof(struct tlog_chunk, lap_high))
                && (i >= TRIES_EXTRA || same(header, again, offsetof(struct tlog_chunk, extra)));
        memcpy(header + words, again + words, TLOG_HEADER_BYTES - words);
    }
    return agree;
}

/* Read the words of a chunk. */
static int read_words(struct native_recorder *recorder, size_t i)
{
    struct record_chunk *chunk = &recorder->chunks[i];
    struct work *work = &recorder->work[i];
    int got = recorder_read_header(recorder, chunk->self, work->header);
    if (got < 0)
        return -1;
    work->skip = got == 0;
    if (got > 0 && recorder_boot(work->header) != recorder->told.boot)
        recorder->other_run = true;
    if (got > 0 && !record_is_names(chunk))
        work->end = record_reserved(chunk, work->header);
    work->skip = work->skip || (!record_is_names(chunk) && (work->end == UINT64_MAX || work->end < chunk->end))
                 || memcmp(chunk->header, work->header, offsetof(struct tlog_chunk, boot)) != 0;
    return 0;
}

/* The turn of the lap that a chunk is in, by its work; 0 if it is in none. */
static uint64_t turn_now(const struct native_recorder *recorder, size_t i)
{
    const struct record_chunk *chunk = &recorder->chunks[i];
    const struct work *work = &recorder->work[i];
    return work->skip || work->end == 0 ? 0 : recorder_turn(chunk, (work->end - 1u) / chunk->layout.slots + 1u);
}

/* The chunk of a CPU's ring that was opened last; nchunks: none was. */
static size_t find_latest(const struct native_recorder *recorder, unsigned cpu)
{
    size_t latest = recorder->nchunks;
    uint64_t turn = 0;
    for (size_t i = 0; i < recorder->nchunks; i++) {
        const struct record_chunk *chunk = &recorder->chunks[i];
        const struct work *work = &recorder->work[i];
        uint64_t of = turn_now(recorder, i);
        if (!recorder_is_in_ring(chunk) || recorder_cpu(chunk) != cpu || work->skip || work->end == 0)
            continue;
        if (latest == recorder->nchunks || of > turn) {
            latest = i;
            turn = of;
        }
    }
    return latest;
}

/* The other chunks of a ring were perhaps read before its latest one was opened: read them again, so that all is known
 * that is ahead of that one. 0, or -1 if memory cannot be read. */
static int read_behind(struct native_recorder *recorder, size_t latest)
{
    for (size_t i = 0; i < recorder->nchunks; i++) {
        const struct record_chunk *chunk = &recorder->chunks[i];
        if (i != latest && recorder_is_in_ring(chunk) && recorder_cpu(chunk) == recorder_cpu(&recorder->chunks[latest])
            && read_words(recorder, i) != 0)
            return -1;
    }
    return 0;
}

/* What chunks of a ring have got meanwhile, behind the latest one that was read: nothing is known of it yet. */
static void cut_behind(struct native_recorder *recorder, size_t latest)
{
    const uint64_t turn = turn_now(recorder, latest);
    for (size_t i = 0; i < recorder->nchunks; i++) {
        const struct record_chunk *chunk = &recorder->chunks[i];
        struct work *work = &recorder->work[i];
        uint64_t end = recorder_laps_until(chunk, turn) * chunk->layout.slots;
        if (!recorder_is_in_ring(chunk) || recorder_cpu(chunk) != recorder_cpu(&recorder->chunks[latest])
            || work->end <= end)
            continue;
        work->end = end;
        work->skip = work->skip || end < chunk->end;
    }
}

/* Read the words of a ring until none of its chunks was opened meanwhile. */
static int read_ring(struct native_recorder *recorder, unsigned cpu)
{
    size_t latest = find_latest(recorder, cpu), before = recorder->nchunks;
    for (unsigned i = 0; i < RECORDER_TRIES && latest != before && latest < recorder->nchunks; i++) {
        if (read_behind(recorder, latest) != 0)
            return -1;
        before = latest;
        latest = find_latest(recorder, cpu);
    }
    if (before < recorder->nchunks)
        cut_behind(recorder, before);
    return 0;
}

int recorder_read_words(struct native_recorder *recorder)
{
    for (size_t i = 0; i < recorder->nchunks; i++) {
        if (read_words(recorder, i) != 0)
            return -1;
    }
    for (unsigned cpu = 0; cpu < RECORDER_CPUS && !recorder->memory->halted && recorder->nchunks > 1u; cpu++) {
        if (read_ring(recorder, cpu) != 0)
            return -1;
    }
    return 0;
}

/* ---- finding chunks ---------------------------------------------------------------------------------------------- */

static struct record_chunk *chunk_at(struct native_recorder *recorder, uint64_t address)
{
    for (size_t i = 0; i < recorder->nchunks; i++) {
        if (recorder->chunks[i].self == address)
            return &recorder->chunks[i];
    }
    return NULL;
}

static int add_chunk(struct native_recorder *recorder, const unsigned char *header)
{
    struct record_chunk *chunks;
    struct work *work;
    if (recorder->nchunks == CHUNKS_MOST)
        return 0;
    chunks = heap_grow(recorder->chunks, recorder->nchunks, &recorder->room, sizeof *chunks);
    if (chunks == NULL)
        return -1;
    recorder->chunks = chunks;
    work = heap_grow(recorder->work, recorder->nchunks, &recorder->work_room, sizeof *work);
    if (work == NULL)
        return -1;
    recorder->work = work;
    work += recorder->nchunks;
    *work = (struct work){.skip = true};
    if (!record_chunk_begin(&chunks[recorder->nchunks++], header))
        return -1;
    work->fresh = heap_alloc(record_size(&chunks[recorder->nchunks - 1u]));
    work->again = heap_alloc(record_size(&chunks[recorder->nchunks - 1u]));
    return work->fresh != NULL && work->again != NULL ? 0 : -1;
}

void recorder_forget(struct native_recorder *recorder)
{
    for (size_t i = 0; i < recorder->nchunks; i++)
        record_chunk_free(&recorder->chunks[i]);
    for (size_t i = 0; i < recorder->nchunks; i++) {
        heap_free(recorder->work[i].fresh);
        heap_free(recorder->work[i].again);
    }
    recorder->nchunks = 0;
}

/* Whether a run began later than another one: runs are counted, modulo 2^32. */
static bool is_later(uint32_t boot, uint32_t than)
{
    return (int32_t)(boot - than) > 0;
}

/* What may be a header was found. The newest run is recorded: those found before that are of another one are forgotten,
 * unless a poll has read them. */
static int consider(struct native_recorder *recorder, const unsigned char *header, uint64_t address)
{
    uint32_t boot = recorder_boot(header);
    const struct record_chunk *known = chunk_at(recorder, address);
    if (!is_header(header, address))
        return 0;
    if (recorder->polls == 0 && (recorder->told.boot == 0 || is_later(boot, recorder->told.boot))) {
        recorder_forget(recorder);
        recorder->told.boot = boot;
    }
    if (boot == recorder->told.boot)
        return known == NULL || recorder->nchunks == 0 ? add_chunk(recorder, header) : 0;
    recorder->other_run |= recorder->polls > 0 && (known != NULL || is_later(boot, recorder->told.boot));
    return 0;
}

/* Look at all places where a ring may have a chunk. */
static int find_in_ring(struct native_recorder *recorder, const struct trace_ring *ring)
{
    unsigned char header[TLOG_HEADER_BYTES];
    for (uint64_t i = 0; i < (uint64_t)ring->banks * ring->chunks; i++) {
        uint64_t address = ring->address + i * ring->size;
        if (recorder_get(recorder, address, header, sizeof header) != 0 || consider(recorder, header, address) != 0)
            return -1;
    }
    return 0;
}

/* Look at a part of memory, piece by piece. */
static int find_in_part(struct native_recorder *recorder, const struct segment *part)
{
    enum { PIECE = 16384, ALIGN = 4 };
    unsigned char bytes[PIECE + TLOG_HEADER_BYTES];
    for (uint64_t at = 0; at + TLOG_HEADER_BYTES <= part->size; at += PIECE) {
        size_t n = part->size - at < sizeof bytes ? (size_t)(part->size - at) : sizeof bytes;
        if (recorder_get(recorder, part->address + at, bytes, n) != 0)
            return -1;
        for (size_t i = 0; i < PIECE && i + TLOG_HEADER_BYTES <= n; i += ALIGN) {
            if (get_le32(bytes + i) == TLOG_WIRE_MAGIC && consider(recorder, bytes + i, part->address + at + i) != 0)
                return -1;
        }
    }
    return 0;
}

/* Find chunks that are not known yet. Where no ring is known, all memory is searched. */
int recorder_find(struct native_recorder *recorder)
{
    const struct trace_firmware *firmware = recorder->firmware;
    size_t nrings = firmware != NULL ? firmware->nrings : 0;
    recorder->found_at = recorder->now;
    for (size_t i = 0; i < nrings; i++) {
        if (find_in_ring(recorder, &firmware->rings[i]) != 0)
            return -1;
    }
    for (size_t i = 0; (nrings == 0 || recorder->polls == 0) && i < recorder->nparts; i++) {
        if (find_in_part(recorder, &recorder->parts[i]) != 0)
            return -1;
    }
    return 0;
}
