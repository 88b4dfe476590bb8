/* recorder.c - see recorder.h. */
#include "formats/native/follow/recorder.h"

#include "base/heap.h"
#include "formats/native/follow/words.h"

#include <string.h>

#define FIND_NS      500000000u /* from one search for further chunks to the next */
#define NAMES_POLLS  20u        /* so often names are read although their header has not changed */
#define PENDING_MOST 256u       /* slots that are read once more at a poll */

/* ---- slots ------------------------------------------------------------------------------------------------------- */

/* Read slots from..end - 1, which are as many as the chunk has at most, to their places. */
static int read_slots(struct native_recorder *recorder, const struct record_chunk *chunk, uint64_t from, uint64_t end,
                      unsigned char *to)
{
    for (uint64_t n, at; from < end; from += n) {
        at = from % chunk->layout.slots;
        n = chunk->layout.slots - at < end - from ? chunk->layout.slots - at : end - from;
        if (recorder_get(recorder, chunk->self + native_slot_offset((size_t)at + 1u), to + at * TLOG_SLOT_BYTES,
                         (size_t)n * TLOG_SLOT_BYTES)
            != 0)
            return -1;
    }
    return 0;
}

/* Read slots, twice if they may change meanwhile. */
static int read_twice(struct native_recorder *recorder, size_t i, uint64_t from, uint64_t end)
{
    const struct record_chunk *chunk = &recorder->chunks[i];
    const struct work *work = &recorder->work[i];
    if (read_slots(recorder, chunk, from, end, work->fresh) != 0)
        return -1;
    return recorder->memory->halted ? 0 : read_slots(recorder, chunk, from, end, work->again);
}

static void take_slot(struct native_recorder *recorder, size_t i, uint64_t slot)
{
    struct record_chunk *chunk = &recorder->chunks[i];
    const struct work *work = &recorder->work[i];
    size_t at = (size_t)(slot % chunk->layout.slots) * TLOG_SLOT_BYTES;
    record_slot(chunk, slot, work->fresh + at, (recorder->memory->halted ? work->fresh : work->again) + at);
}

/* What becomes of a slot that was not finished. */
enum pending { PENDING_READ, PENDING_TAKE };

/* Read those slots again that were not finished, or take what was read. They were reserved before `from`; from `oldest`
 * on they are not reserved again. */
static int do_pending(struct native_recorder *recorder, size_t chunk, uint64_t oldest, uint64_t from, enum pending what)
{
    uint64_t slot = record_next_pending(&recorder->chunks[chunk], oldest);
    for (unsigned i = 0; i < PENDING_MOST && slot < from; i++) {
        if (what == PENDING_TAKE)
            take_slot(recorder, chunk, slot);
        else if (read_twice(recorder, chunk, slot, slot + 1u) != 0)
            return -1;
        slot = record_next_pending(&recorder->chunks[chunk], slot + 1u);
    }
    return 0;
}

/* Emergency slots are filled once. */
static int read_emergency(struct native_recorder *recorder, struct record_chunk *chunk, const unsigned char *header)
{
    uint32_t used = record_word(header, offsetof(struct tlog_chunk, emergency_used));
    used = used < chunk->layout.emergency ? used : chunk->layout.emergency;
    if (used == 0 || used == chunk->emergency_used)
        return 0;
    chunk->emergency_used = used;
    return recorder_get(recorder, chunk->self + native_slot_offset(native_first_emergency(chunk->layout)), chunk->rest,
                        (size_t)used * TLOG_SLOT_BYTES);
}

/* Read what is new of a chunk of events. */
static int read_chunk(struct native_recorder *recorder, size_t i)
{
    struct record_chunk *chunk = &recorder->chunks[i];
    struct work *work = &recorder->work[i];
    const uint64_t oldest = recorder_oldest(chunk, work->end), from = oldest > chunk->end ? oldest : chunk->end;
    memset(work->notes, 0, sizeof work->notes);
    if (read_twice(recorder, i, from, work->end) != 0 || do_pending(recorder, i, oldest, chunk->end, PENDING_READ) != 0)
        return -1;
    if (oldest > 0
        && recorder_get(recorder, chunk->self + native_claims_offset(chunk->layout), work->notes, sizeof work->notes)
               != 0)
        return -1;
    return read_emergency(recorder, chunk, work->header);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Names change in place: their chunk is read as a whole. */
static int follow_names(struct native_recorder *recorder, size_t i)
{
    struct record_chunk *chunk = &recorder->chunks[i];
    const struct work *work = &recorder->work[i];
    const size_t size = record_size(chunk);
    bool changed = memcmp(chunk->header, work->header, TLOG_HEADER_BYTES) != 0 || !chunk->seen;
    if (!changed && recorder->polls % NAMES_POLLS != 0)
        return 0;
    if (recorder_get(recorder, chunk->self, work->fresh, size) != 0
        || (!recorder->memory->halted && recorder_get(recorder, chunk->self, work->again, size) != 0))
        return -1;
    if (!recorder->memory->halted && memcmp(work->fresh, work->again, size) != 0)
        return 0; /* once more at the next poll */
    memcpy(chunk->header, work->header, TLOG_HEADER_BYTES);
    memcpy(chunk->rest, work->fresh, size);
    chunk->seen = true;
    return 0;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

/* Read the header of a chunk once more: how many slots are reserved now. What cannot be read now is left for the next
 * poll. */
static int read_again(struct native_recorder *recorder, size_t i)
{
    const struct record_chunk *chunk = &recorder->chunks[i];
    struct work *work = &recorder->work[i];
    unsigned char header[TLOG_HEADER_BYTES];
    int got = recorder_read_header(recorder, chunk->self, header);
    if (got < 0)
        return -1;
    work->now = got > 0 ? record_reserved(chunk, header) : UINT64_MAX;
    recorder->other_run |= got > 0 && recorder_boot(header) != recorder->told.boot;
    work->skip = work->now == UINT64_MAX || work->now < work->end;
    return 0;
}

static int read_slots_of_all(struct native_recorder *recorder)
{
    for (size_t i = 0; i < recorder->nchunks; i++) {
        if (!recorder->work[i].skip
            && (record_is_names(&recorder->chunks[i]) ? follow_names(recorder, i) : read_chunk(recorder, i)) != 0)
            return -1;
        recorder->work[i].now = recorder->work[i].end;
    }
    for (size_t i = 0; i < recorder->nchunks && !recorder->memory->halted; i++) {
        if (!recorder->work[i].skip && !record_is_names(&recorder->chunks[i]) && read_again(recorder, i) != 0)
            return -1;
    }
    return 0;
}

/* ---- which slots are believed ------------------------------------------------------------------------------------ */

/* Slots are written again in the order in which they were written, chunk after chunk. So what is not believed of a
 * ring, because it was written again while it was read, are its oldest slots. */

/* The number of a slot among all slots of its ring. */
static uint64_t number_of(const struct record_chunk *chunk, uint64_t slot)
{
    return recorder_turn(chunk, slot / chunk->layout.slots + 1u) * chunk->layout.slots + slot % chunk->layout.slots;
}

/* The first slot of a chunk that has at least that number. */
static uint64_t slot_from(const struct record_chunk *chunk, uint64_t number)
{
    const uint64_t slots = chunk->layout.slots, turn = number / slots, laps = recorder_laps_until(chunk, turn);
    return laps > 0 && recorder_turn(chunk, laps) == turn ? (laps - 1u) * slots + number % slots : laps * slots;
}

/* The chunks of a CPU's ring: whether all of them could be read, how many slots they have, and the number of the first
 * slot that is not written again. */
struct ring {
    bool read;
    uint64_t slots, end;
};

static struct ring look_at_ring(const struct native_recorder *recorder, unsigned cpu)
{
    struct ring ring = {true, 0, 0};
    for (size_t i = 0; i < recorder->nchunks; i++) {
        const struct record_chunk *chunk = &recorder->chunks[i];
        const struct work *work = &recorder->work[i];
        uint64_t end;
        if (!recorder_is_in_ring(chunk) || recorder_cpu(chunk) != cpu)
            continue;
        ring.read = ring.read && !work->skip;
        ring.slots += chunk->layout.slots;
        end = work->skip || work->now == 0 ? 0 : number_of(chunk, work->now - 1u) + 1u;
        ring.end = end > ring.end ? end : ring.end;
    }
    return ring;
}

/* Count what a poll has found of a ring: slots that are new, slots that were written up to the end of the poll, ... */
static void count_ring(struct native_recorder *recorder, const struct record_chunk *chunk, uint64_t slots,
                       uint64_t written, uint64_t unread, uint64_t lost)
{
    recorder->told.slots += slots;
    recorder->told.lost += recorder->polls > 0 ? lost : 0; /* what was overwritten before does not count */
    recorder->overtaken = recorder->overtaken || (unread > 0 && recorder->polls > 0);
    if (!recorder_is_in_ring(chunk))
        return;
    recorder->advance[recorder_cpu(chunk)] += written;
    recorder->ring[recorder_cpu(chunk)] += chunk->layout.slots;
}

/* Take what was read of a chunk, from a slot on. */
static int take_chunk(struct native_recorder *recorder, size_t i, uint64_t oldest)
{
    struct record_chunk *chunk = &recorder->chunks[i];
    const struct work *work = &recorder->work[i];
    const uint64_t before = chunk->end, unread = chunk->unread, lost = chunk->lost,
                   read = recorder_oldest(chunk, work->end);
    uint64_t first = oldest > read ? oldest : read;
    if (record_advance(chunk, work->end, recorder->sink) != 0)
        return -1;
    for (uint64_t slot = first > before ? first : before; slot < work->end; slot++)
        take_slot(recorder, i, slot);
    do_pending(recorder, i, first, before, PENDING_TAKE);
    for (unsigned k = 0; k < TLOG_CLAIMS; k++)
        record_note(chunk, get_le32(work->notes + 4u * k));
    memcpy(chunk->header, work->header, TLOG_HEADER_BYTES);
    chunk->seen = true;
    if (record_settle(chunk, before,
                      native_count(record_word(work->header, offsetof(struct tlog_chunk, extra)),
                                   record_word(work->header, offsetof(struct tlog_chunk, extra_high))),
                      recorder->sink)
        != 0)
        return -1;
    if (chunk->npending == 0)
        chunk->pending_since = recorder->now;
    count_ring(recorder, chunk, work->end - before, work->now - before, chunk->unread - unread, chunk->lost - lost);
    return 0;
}

/* Take what was read of all chunks of events. */
static int take_chunks(struct native_recorder *recorder)
{
    for (size_t i = 0; i < recorder->nchunks; i++) {
        struct record_chunk *chunk = &recorder->chunks[i];
        const struct work *work = &recorder->work[i];
        struct ring ring = {!work->skip, chunk->layout.slots, 0};
        uint64_t oldest = recorder_oldest(chunk, work->now);
        if (record_is_names(chunk))
            continue;
        if (recorder_is_in_ring(chunk)) {
            ring = look_at_ring(recorder, recorder_cpu(chunk));
            oldest = ring.end > ring.slots ? slot_from(chunk, ring.end - ring.slots) : 0;
        }
        if (ring.read && take_chunk(recorder, i, oldest) != 0)
            return -1;
    }
    return 0;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static int follow_all(struct native_recorder *recorder)
{
    if (recorder_read_words(recorder) != 0)
        return -1;
    if (recorder->other_run)
        return 0;
    if (read_slots_of_all(recorder) != 0)
        return -1;
    return recorder->other_run ? 0 : take_chunks(recorder);
}

/* Note what would have been needed, where something was lost. */
static void note_needs(struct native_recorder *recorder)
{
    struct native_recorded *told = &recorder->told;
    if (recorder->overtaken)
        told->overtaken++;
    for (unsigned cpu = 0; cpu < RECORDER_CPUS; cpu++) {
        uint64_t slots = recorder->advance[cpu], ring = recorder->ring[cpu], ns = recorder->now - recorder->last_poll;
        if (!recorder->overtaken || slots <= ring || ring == 0)
            continue;
        told->ring = ring;
        told->needed = slots > told->needed ? slots : told->needed;
        ns = (uint64_t)((double)ns * (double)ring / (double)slots);
        told->spare_ns = told->spare_ns == 0 || ns < told->spare_ns ? ns : told->spare_ns;
    }
}

/* What the headers tell of events. */
static void count_events(struct native_recorder *recorder)
{
    recorder->told.dropped = recorder->told.logged = 0;
    for (size_t i = 0; i < recorder->nchunks; i++) {
        const struct record_chunk *chunk = &recorder->chunks[i];
        const unsigned char *header = chunk->header;
        if (record_is_names(chunk))
            continue;
        recorder->told.logged += chunk->end > chunk->extra ? chunk->end - chunk->extra : 0;
        recorder->told.dropped += native_count(record_word(header, offsetof(struct tlog_chunk, dropped)),
                                               record_word(header, offsetof(struct tlog_chunk, dropped_high)));
    }
}

/* Whether a ring has chunks that were not found yet, as they are not open. */
static bool lacks_chunks(const struct native_recorder *recorder)
{
    for (size_t i = 0; i < recorder->nchunks; i++) {
        const struct record_chunk *chunk = &recorder->chunks[i];
        uint32_t known = 0;
        if (!recorder_is_in_ring(chunk))
            continue;
        for (size_t k = 0; k < recorder->nchunks; k++)
            known +=
                recorder_is_in_ring(&recorder->chunks[k]) && recorder_cpu(&recorder->chunks[k]) == recorder_cpu(chunk);
        if (known < record_word(chunk->header, offsetof(struct tlog_chunk, place)) >> 24)
            return true;
    }
    return false;
}

/* Whether it is to be looked for further chunks: while some are missing; else now and then, and if that means to read
 * all memory, when nothing is logged. */
static bool is_to_find(const struct native_recorder *recorder, bool idle)
{
    const struct trace_firmware *firmware = recorder->firmware;
    bool is_cheap = firmware != NULL && firmware->nrings > 0;
    if (recorder->found_at == 0 || (is_cheap && lacks_chunks(recorder)))
        return true;
    return recorder->now - recorder->found_at >= FIND_NS && (is_cheap || idle || recorder->nchunks == 0);
}

/* Begin a poll. */
static void begin_poll(struct native_recorder *recorder, const struct native_memory *memory,
                       const struct record_sink *sink, uint64_t now)
{
    recorder->memory = memory;
    recorder->sink = sink;
    recorder->now = now;
    recorder->overtaken = false;
    memset(recorder->advance, 0, sizeof recorder->advance);
    memset(recorder->ring, 0, sizeof recorder->ring);
}

enum native_polled native_recorder_poll(struct native_recorder *recorder, const struct native_memory *memory,
                                        const struct record_sink *sink, uint64_t now)
{
    uint64_t slots = recorder->told.slots;
    begin_poll(recorder, memory, sink, now);
    if (is_to_find(recorder, recorder->idle) && recorder_find(recorder) != 0)
        return NATIVE_POLL_FAILED;
    if (!recorder->other_run && follow_all(recorder) != 0)
        return NATIVE_POLL_FAILED;
    if (recorder->other_run)
        return NATIVE_POLL_OTHER_RUN;
    recorder->polls += recorder->nchunks > 0;
    recorder->idle = recorder->told.slots == slots;
    note_needs(recorder);
    count_events(recorder);
    recorder->last_poll = now;
    return recorder->idle ? NATIVE_POLL_NOTHING : NATIVE_POLL_NEW;
}

int native_recorder_rest(const struct native_recorder *recorder, const struct record_sink *sink, uint64_t pending_ns)
{
    int result = 0;
    for (size_t i = 0; i < recorder->nchunks && result == 0; i++) {
        const struct record_chunk *chunk = &recorder->chunks[i];
        const bool passes = chunk->npending > 0 && recorder->now - chunk->pending_since > pending_ns;
        unsigned char *image = heap_alloc(record_size(chunk));
        if (image == NULL)
            return -1;
        if (!record_is_names(chunk) && chunk->before.lap > 0) {
            record_image(chunk, &chunk->before, (struct record_view){true, passes}, image);
            result = sink->put(sink->ctx, image, record_size(chunk));
        }
        if (result == 0 && chunk->seen) {
            record_image(chunk, &chunk->last, (struct record_view){false, passes}, image);
            result = sink->put(sink->ctx, image, record_size(chunk));
        }
        heap_free(image);
    }
    return result;
}

const struct native_recorded *native_recorder_told(const struct native_recorder *recorder)
{
    return &recorder->told;
}

struct native_recorder *native_recorder_new(const struct trace_firmware *firmware, const struct segment *parts,
                                            size_t nparts)
{
    struct native_recorder *recorder = heap_calloc(1, sizeof *recorder);
    if (recorder == NULL)
        return NULL;
    recorder->firmware = firmware;
    recorder->parts = parts;
    recorder->nparts = nparts;
    return recorder;
}

void native_recorder_free(struct native_recorder *recorder)
{
    if (recorder == NULL)
        return;
    recorder_forget(recorder);
    heap_free(recorder->chunks);
    heap_free(recorder->work);
    heap_free(recorder);
}
