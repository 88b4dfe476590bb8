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

int live_memory_get(struct live_memory *memory, const struct live_protocol *protocol, void *state, uint64_t address,
                    unsigned char *to, size_t n)
{
    for (size_t done = 0; done < n;) {
        size_t most = n - done < memory->most ? n - done : memory->most;
        int got = protocol->read(state, address + done, (unsigned)most, to + done);
        if (got <= 0)
            return -1;
        done += (unsigned)got;
        trace_progress(memory->trace, (uint64_t)got, 0);
    }
    return 0;
}

/* Read a part, and write it behind what was read before. 0, or -1 after trace_fail(). */
static int read_part(struct live_memory *memory, const struct live_protocol *protocol, void *state,
                     const struct segment *part)
{
    unsigned char piece[LIVE_PIECE_MOST];
    for (uint64_t done = 0, n; done < part->size; done += n) {
        int error;
        n = part->size - done < memory->most ? part->size - done : memory->most;
        if (live_memory_get(memory, protocol, state, part->address + done, piece, (size_t)n) != 0)
            return -1;
        error = os_write_at(memory->fd, piece, (size_t)n, part->offset + done);
        if (error != 0)
            return trace_fail(memory->trace, "%s: cannot spool: %s", memory->trace->input_name, strerror(error));
    }
    return 0;
}

static int read_parts(struct live_memory *memory, const struct live_protocol *protocol, void *state)
{
    for (size_t i = 0; i < memory->nparts; i++) {
        if (read_part(memory, protocol, state, &memory->parts[i]) != 0)
            return -1;
    }
    return 0;
}

int live_memory_take(struct live_memory *memory, const struct live_protocol *protocol)
{
    void *state = protocol->open(memory);
    int result = -1;
    if (state == NULL)
        return -1;
    if (protocol->halt(state) == 0 && read_parts(memory, protocol, state) == 0)
        result = protocol->go_on(state);
    protocol->close(state);
    return result;
}
