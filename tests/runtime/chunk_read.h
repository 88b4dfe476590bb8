/* chunk_read.h - chunks made at run time as a reader finds them, in memory or in a copy that was sent, held against
 * what was logged: every event is found whole, once, in order of time in its chunk, with a stamp between its call and
 * its return. */
#ifndef RUNTIME_CHUNK_READ_H
#define RUNTIME_CHUNK_READ_H

#include "lib/logged.h"
#include "tlog.h"

/* A chunk, or a copy of one. */
struct chunk_view {
    const struct tlog_chunk *chunk;
    uint32_t cursor, lap;
    const struct tlog_slot *slots;
};

/* What stood in the slots of a chunk when they were last read, so that what is read again is known. */
enum { CHUNK_MARKS = 8 };
struct chunk_marks {
    uint32_t place[CHUNK_MARKS]; /* how many slots the chunk had filled with this one; 0: not read yet */
    uint32_t n[CHUNK_MARKS];
};

extern struct chunk_found {
    uint32_t attempted;   /* slots reserved */
    uint32_t overwritten; /* of those */
    uint32_t kept;        /* of those, readable; without emergency slots */
    uint32_t unfinished;  /* of those, their owner is at work; with emergency slots */
    uint32_t again;       /* of the readable ones, known by marks */
    uint32_t urgent;      /* emergency slots that are readable */
    uint32_t events, own; /* what was read for the first time: of those that log, and the runtime's own */
    uint32_t told;        /* losses, by the runtime's own events */
    uint64_t last;        /* stamp of the slot before */
    bool seen[LOGGED_MAX];
} chunk_found;

/* Begin anew. */
void chunk_read_start(void);

/* The slots of a chunk as they are, or were copied. Marks, if not NULL, are those of the chunk. */
void chunk_read_view(const struct chunk_view *view, struct chunk_marks *marks);

/* A chunk in memory, with its emergency slots. */
void chunk_read(const struct tlog_chunk *chunk, struct chunk_marks *marks);

/* Begin anew, and read all chunks that there are. */
void chunk_read_all(void);

#endif
