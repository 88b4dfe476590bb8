/* words.h - the chunks that are followed: they are found, and the words of their headers are read while the firmware
 * changes them. The inside of a recorder.
 */
#ifndef NATIVE_WORDS_H
#define NATIVE_WORDS_H

#include "formats/native/follow/record.h"
#include "io/segments.h"
#include "model/trace.h"

#define RECORDER_CPUS  256u
#define RECORDER_TRIES 8u /* to read words that agree */

/* What a poll does with a chunk. */
struct work {
    unsigned char header[TLOG_HEADER_BYTES]; /* as it is read now */
    uint64_t end;                            /* slots that are reserved by it */
    uint64_t now;                            /* the same when all slots were read */
    bool skip;                               /* it cannot be read now */
    unsigned char *fresh, *again;            /* slots as they were read both times, at their places in the chunk */
    unsigned char notes[sizeof(struct tlog_claims)];
};

struct native_recorder {
    const struct trace_firmware *firmware;
    const struct segment *parts;
    size_t nparts;
    struct record_chunk *chunks; /* nchunks of them */
    struct work *work;           /* of each */
    size_t nchunks, room, work_room;
    const struct native_memory *memory; /* this and the next: of the poll */
    const struct record_sink *sink;
    uint64_t polls, now, last_poll, found_at;
    uint64_t advance[RECORDER_CPUS],
        ring[RECORDER_CPUS]; /* by CPU: slots that are new at this poll; that the ring has */
    bool other_run, overtaken;
    bool idle; /* the last poll found nothing new */
    struct native_recorded told;
};

/* The first slot that the firmware has not written again, if so many slots are reserved. */
static inline uint64_t recorder_oldest(const struct record_chunk *chunk, uint64_t end)
{
    return end > chunk->layout.slots ? end - chunk->layout.slots : 0;
}

/* Read n bytes of the target's memory. 0, or -1. */
int recorder_get(struct native_recorder *recorder, uint64_t address, void *to, size_t n);

/* Find chunks that are not known yet. Where no ring is known, all memory is searched. 0, or -1. */
int recorder_find(struct native_recorder *recorder);

/* Forget all chunks. */
void recorder_forget(struct native_recorder *recorder);

static inline uint32_t recorder_boot(const unsigned char *header)
{
    return record_word(header, offsetof(struct tlog_chunk, boot));
}

/* Whether a chunk is of a ring; the CPU of the ring; the number of a lap of the chunk among all laps of the ring, whose
 * chunks take turns; how many laps of the chunk have a turn up to that one. */
bool recorder_is_in_ring(const struct record_chunk *chunk);
unsigned recorder_cpu(const struct record_chunk *chunk);
uint64_t recorder_turn(const struct record_chunk *chunk, uint64_t lap);
uint64_t recorder_laps_until(const struct record_chunk *chunk, uint64_t turn);

/* Read the header of a chunk. While the firmware runs its words are of several moments: those of one are between two
 * readings with the same lap, and, if that can be had, the same count of extra slots. 1; 0: they do not agree, or there
 * is no header now; -1 if memory cannot be read. */
int recorder_read_header(struct native_recorder *recorder, uint64_t address, unsigned char *header);

/* Read the words of all headers, those of a ring so that all is known that is ahead of its latest chunk. 0, or -1. */
int recorder_read_words(struct native_recorder *recorder);

#endif
