/* chunk_read.h - reads chunks made at run time as a reader finds them, in memory or in a sent copy, and compares them
 * with what was logged.
 *
 * Every event is found whole, once, in order of time in its chunk, with a stamp between its call and its return. */
#ifndef RUNTIME_CHUNK_READ_H
#define RUNTIME_CHUNK_READ_H

#include "lib/logged.h"
#include "tlog.h"

/* A chunk in memory, or a copy of one. */
struct chunk_view {
    const struct tlog_chunk *chunk;
    uint32_t cursor, lap;
    const struct tlog_slot *slots;
};

/* What each slot of a chunk held when it was last read, so that an event that is read again is recognized. */
enum { CHUNK_MARKS = 8 };
struct chunk_marks {
    uint32_t place[CHUNK_MARKS]; /* number of slots the chunk had filled, this one included; 0: not read yet */
    uint32_t n[CHUNK_MARKS];
};

extern struct chunk_found {
    uint32_t attempted;   /* slots reserved */
    uint32_t overwritten; /* slots of these whose event a later lap overwrote */
    uint32_t kept;        /* readable slots, without emergency slots */
    uint32_t unfinished;  /* slots whose writer has not finished, with emergency slots */
    uint32_t claimed;     /* slots that a reader passes */
    uint32_t extra;       /* slots that are no event of their own, as the headers tell */
    uint32_t again;       /* readable slots that marks show were read before */
    uint32_t urgent;      /* readable emergency slots */
    uint32_t events, own; /* read for the first time: the test's events, and the runtime's own */
    uint32_t told;        /* losses that the runtime's own events report */
    uint64_t last;        /* stamp of the previous slot */
    bool seen[LOGGED_MAX];
} chunk_found;

/* Reset chunk_found. */
void chunk_read_start(void);

/* Read the slots of a chunk or of a copy of it. `marks`, if not NULL, are that chunk's. */
void chunk_read_view(const struct chunk_view *view, struct chunk_marks *marks);

/* Read a chunk in memory, with its emergency slots. */
void chunk_read(const struct tlog_chunk *chunk, struct chunk_marks *marks);

/* Reset chunk_found, and read all chunks in memory. */
void chunk_read_all(void);

#endif
