/* memory.h - the memory that a server is to be asked for, and what has come of it. For live.c and the protocols. */
#ifndef IO_LIVE_MEMORY_H
#define IO_LIVE_MEMORY_H

#include "io/live/wire.h"
#include "io/segments.h"

#include <stdbool.h>

#define LIVE_PARTS_MAX  64u
#define LIVE_PIECE_MOST 32768u /* bytes that are asked for at a time */

struct live_memory {
    struct trace *trace;
    struct live_wire wire;
    unsigned wait_ms; /* the user's limit for all of it, or 0 */
    int fd;           /* where the bytes go */
    struct segment parts[LIVE_PARTS_MAX];
    size_t nparts;    /* 0: the firmware does not tell */
    uint64_t size;    /* bytes of all parts */
    uint64_t halted;  /* ns for which the target was halted */
    bool was_running; /* while the bytes were read */
};

/* Read up to n bytes at an address. Returns how many have come, at least 1; -1 after trace_fail(). */
typedef int live_read_t(void *protocol, uint64_t address, unsigned n, unsigned char *to);

/* Let all of it take as long as its size asks for, unless the user has said how long. */
void live_memory_limit(struct live_memory *memory);

/* Read all parts, in pieces of `most` bytes. 0, or -1 after trace_fail(). */
int live_memory_read(struct live_memory *memory, unsigned most, live_read_t *read, void *protocol);

/* The protocols: 0, or -1 after trace_fail(). gdb.c, openocd.c */
int live_gdb_take(struct live_memory *memory);
int live_openocd_take(struct live_memory *memory);

#endif
