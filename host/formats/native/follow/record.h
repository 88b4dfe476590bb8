/* record.h - the laps of one chunk that are followed while the firmware logs: its last lap and the one before it, slot
 * by slot, as they were read; and the images that are made of them.
 *
 * Slots are numbered from 0 through all laps here: slot s is that of lap s / slots + 1. What was not read before the
 * firmware wrote there again is unread; an image tells so by NATIVE_CHUNK_PARTIAL (chunk.h).
 */
#ifndef NATIVE_RECORD_H
#define NATIVE_RECORD_H

#include "formats/native/bytes/chunk.h"
#include "formats/native/bytes/slot.h"

#include <stdbool.h>
#include <stdint.h>

enum record_state {
    RECORD_UNREAD,  /* nothing is known of it */
    RECORD_NOTHING, /* the same; but by the header's count it was no event of its own */
    RECORD_PENDING, /* its owner had not finished when it was read last */
    RECORD_DONE,    /* it is as its owner has left it */
};

struct record_lap {
    uint64_t lap;         /* its number; 0: there is none */
    unsigned char *slots; /* of all slots of the chunk */
    unsigned char *state; /* enum record_state of each */
    uint64_t extra;       /* the header's word `extra` when the lap ended; of the last lap: when it was read */
};

struct record_chunk {
    uint64_t self; /* address of its header */
    struct native_layout layout;
    unsigned char header[TLOG_HEADER_BYTES]; /* as it was read last */
    bool seen;                               /* it was read: before that nothing is known of it */
    uint64_t end;                            /* slots up to here are reserved, as far as was read */
    uint64_t extra;                          /* the word `extra` then */
    struct record_lap last, before, ended;   /* of a chunk of events; ended: only up to record_settle() */
    unsigned char *rest;     /* of a chunk of names, its image; else the emergency slots, record_rest_size() bytes */
    uint32_t emergency_used; /* of these, that were read */
    uint32_t npending;       /* slots of both laps */
    uint64_t pending_since;  /* there are some at each poll since then */
    uint64_t unread, lost;   /* in all: slots that were not read in time; how many were events */
};

/* What becomes of the images of laps that are over. 0, or -1 on failure. */
struct record_sink {
    int (*put)(void *ctx, const unsigned char *image, uint32_t size);
    void *ctx;
};

/* How memory of the target is read: 0, or -1 on failure. */
struct native_memory {
    int (*read)(void *ctx, uint64_t address, void *to, size_t n);
    void *ctx;
    bool halted; /* the firmware does not run while it is read */
};

/* What was recorded so far. Slots are those of rings. */
struct native_recorded {
    uint64_t bytes;     /* that were read */
    uint64_t slots;     /* that were new */
    uint64_t logged;    /* events that the chunks have got since the run began, by their headers' counts */
    uint64_t lost;      /* events whose slots were written again before they could be read */
    uint64_t overtaken; /* polls that found so */
    uint64_t needed;    /* slots that a ring would need, lest any had been lost; 0: none was */
    uint64_t ring;      /* slots that this ring has */
    uint64_t
        spare_ns;     /* the shortest time in which as many slots were written as a ring has, of polls that lost some */
    uint64_t dropped; /* events that the firmware has dropped, as far as headers tell */
    uint32_t boot;    /* the number of the run; 0: none was found yet */
};

/* Begin with a chunk whose header was read. False: there is no memory. record_chunk_free() is due in both cases. */
bool record_chunk_begin(struct record_chunk *chunk, const unsigned char *header);
void record_chunk_free(struct record_chunk *chunk);

/* What the header tells. */
static inline uint32_t record_word(const unsigned char *header, size_t offset)
{
    return get_le32(header + offset);
}

static inline bool record_is_names(const struct record_chunk *chunk)
{
    return (record_word(chunk->header, offsetof(struct tlog_chunk, place)) >> 16 & TLOG_ROLE_MASK) == TLOG_ROLE_NAMES;
}

static inline uint32_t record_size(const struct record_chunk *chunk)
{
    return record_word(chunk->header, offsetof(struct tlog_chunk, buf_size));
}

static inline size_t record_rest_size(const struct record_chunk *chunk)
{
    return record_is_names(chunk) ? record_size(chunk) : (size_t)chunk->layout.emergency * TLOG_SLOT_BYTES;
}

/* How many slots were reserved, by the words of a header of TLOG_HEADER_BYTES. UINT64_MAX: they contradict each
 * other. */
uint64_t record_reserved(const struct record_chunk *chunk, const unsigned char *header);

/* Slots up to `end` are reserved now. Laps that are over are put into the sink. Slots from the chunk's `end` on are
 * unread at first. Then come record_slot() of those that were read in time, and record_settle(). 0, or -1 if the sink
 * fails. */
int record_advance(struct record_chunk *chunk, uint64_t end, const struct record_sink *sink);

/* Take a slot that was read: `again` is what it was when it was read a second time. It is believed if both agree. */
void record_slot(struct record_chunk *chunk, uint64_t slot, const unsigned char *bytes, const unsigned char *again);

/* The state of a slot; one that is of neither lap is unread. */
enum record_state record_state(const struct record_chunk *chunk, uint64_t slot);

/* A note of a claimed slot was read, of 4 bytes: the slot holds no event of its lap. */
void record_note(struct record_chunk *chunk, uint32_t note);

/* The next slot from `slot` on that is pending. UINT64_MAX: there is none. */
uint64_t record_next_pending(const struct record_chunk *chunk, uint64_t slot);

/* All slots were taken that are new, which are those from `from` on; `extra` is the header's count now. Count what is
 * unread. 0, or -1 if the sink fails. */
int record_settle(struct record_chunk *chunk, uint64_t from, uint64_t extra, const struct record_sink *sink);

/* How an image shows a lap: as it is when it is over, or as the last lap is now; and slots that are pending as
 * unfinished, or as nothing. */
struct record_view {
    bool is_over, passes_pending;
};

/* Make the image of a lap, in record_size() bytes. */
void record_image(const struct record_chunk *chunk, const struct record_lap *lap, struct record_view view,
                  unsigned char *image);

#endif
