/* memory.c - see memory.h. */
#include "io/live/memory.h"

#include "model/trace.h"
#include "os/os_file.h"

#include <string.h>

#define LIMIT_MS     10000u /* for what is not memory */
#define BYTES_PER_MS 4u     /* what the slowest probes read */

void live_memory_limit(struct live_memory *memory)
{
    memory->wire.most_ms = memory->wait_ms != 0 ? memory->wait_ms : LIMIT_MS + memory->size / BYTES_PER_MS;
}

/* Read a part, and write it behind what was read before. 0, or -1 after trace_fail(). */
static int read_part(struct live_memory *memory, const struct segment *part, unsigned most, live_read_t *read,
                     void *protocol)
{
    unsigned char piece[LIVE_PIECE_MOST];
    for (uint64_t done = 0; done < part->size;) {
        unsigned n = part->size - done < most ? (unsigned)(part->size - done) : most;
        int got = read(protocol, part->address + done, n, piece), error;
        if (got <= 0)
            return -1;
        error = os_write_at(memory->fd, piece, (size_t)got, part->offset + done);
        if (error != 0)
            return trace_fail(memory->trace, "%s: cannot spool: %s", memory->trace->input_name, strerror(error));
        done += (unsigned)got;
        trace_progress(memory->trace, (uint64_t)got, 0);
    }
    return 0;
}

int live_memory_read(struct live_memory *memory, unsigned most, live_read_t *read, void *protocol)
{
    for (size_t i = 0; i < memory->nparts; i++) {
        if (read_part(memory, &memory->parts[i], most < LIVE_PIECE_MOST ? most : LIVE_PIECE_MOST, read, protocol) != 0)
            return -1;
    }
    return 0;
}
