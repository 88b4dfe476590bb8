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
    size_t nparts;   /* 0: the firmware does not tell */
    uint64_t size;   /* bytes of all parts */
    uint64_t halted; /* ns for which the target was halted */
    unsigned most;   /* bytes that the server is asked for at a time, LIVE_PIECE_MOST at most */
};

/* What a protocol has for a server that is connected. All but close() return -1 after trace_fail(). */
struct live_protocol {
    const char *prefix; /* of an input's name */
    bool halts;         /* the target is halted while its memory is read */
    /* Greet the server, and learn what RAM there is if no parts are known. Sets memory->most. Returns the state of the
     * protocol, or NULL after trace_fail(). */
    void *(*open)(struct live_memory *memory);
    /* Halt the target, if the protocol does; let it go on. memory->halted tells then for how long it stood. */
    int (*halt)(void *state);
    int (*go_on)(void *state);
    /* Read up to n bytes at an address. Returns how many have come, at least 1. */
    int (*read)(void *state, uint64_t address, unsigned n, unsigned char *to);
    /* Free the state. A target that is halted goes on, if that can still be asked for. */
    void (*close)(void *state);
};

extern const struct live_protocol live_gdb, live_openocd;

/* Let all of it take as long as its size asks for, unless the user has said how long. */
void live_memory_limit(struct live_memory *memory);

/* Greet a server that is connected, halt the target, read all parts into the file, and let the target go on. 0, or -1
 * after trace_fail(). */
int live_memory_take(struct live_memory *memory, const struct live_protocol *protocol);

/* Read all of n bytes at an address. 0, or -1 after trace_fail(). */
int live_memory_get(struct live_memory *memory, const struct live_protocol *protocol, void *state, uint64_t address,
                    unsigned char *to, size_t n);

#endif
