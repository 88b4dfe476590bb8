/* live.c - see live.h. */
#include "io/live/live.h"

#include "base/heap.h"
#include "base/text.h"
#include "io/firmware/memory.h"
#include "io/live/memory.h"
#include "io/temp_file.h"
#include "model/trace.h"
#include "os/os_file.h"
#include "os/os_signal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct live_protocol *const protocols[] = {&live_gdb, &live_openocd};

#define PROTOCOLS (sizeof protocols / sizeof protocols[0])

_Static_assert(LIVE_PARTS_MAX >= FIRMWARE_PARTS_MAX, "all parts that a firmware tells have room");

/* The protocol that a name tells, or NULL. */
static const struct live_protocol *protocol_of(const char *name)
{
    for (size_t i = 0; i < PROTOCOLS; i++) {
        if (strncmp(name, protocols[i]->prefix, strlen(protocols[i]->prefix)) == 0)
            return protocols[i];
    }
    return NULL;
}

bool live_names(const char *name)
{
    return protocol_of(name) != NULL;
}

/* Ask the firmware where its chunks are. 0, or -1 after trace_fail(). */
static int find_parts(struct live_memory *memory)
{
    struct trace *trace = memory->trace;
    if (trace->firmware == NULL)
        return 0;
    memory->nparts = firmware_memory(trace->firmware, memory->parts, &memory->size);
    if (memory->nparts == 0)
        return trace_fail(trace, "%s: %s has no symbols of tlog's memory", trace->input_name,
                          trace->firmware->path != NULL ? trace->firmware->path : "the firmware's file");
    if (memory->size > temp_file_most(trace))
        return trace_fail(trace, "%s: tlog's memory has %" PRIu64 " MiB, which --spool=MIB allows", trace->input_name,
                          memory->size >> 20);
    return 0;
}

/* Connect to the server, which is named behind the protocol. 0, or -1 after trace_fail(). */
static int connect_to(struct live_memory *memory, const struct live_protocol *protocol, const char *name)
{
    if (find_parts(memory) != 0
        || live_wire_open(&memory->wire, memory->trace, name + strlen(protocol->prefix), 0) != 0)
        return -1;
    live_memory_limit(memory);
    return 0;
}

/* ---- once -------------------------------------------------------------------------------------------------------- */

/* Tell what was taken, and what that did to the target. */
static void tell(const struct live_memory *memory, bool was_halted)
{
    char how[64] = "while the target ran";
    if (was_halted)
        snprintf(how, sizeof how, "the target was halted for %" PRIu64 ".%" PRIu64 " ms", memory->halted / 1000000u,
                 memory->halted / 100000u % 10u);
    trace_note(memory->trace, "%" PRIu64 " bytes taken from %zu place%s, %s", memory->size, memory->nparts,
               text_plural(memory->nparts), how);
}

/* Hand what was taken to the caller. 0, or -1 after trace_fail(). */
static int hand_over(struct live_memory *memory, struct live_taken *taken, bool was_halted)
{
    taken->segments = heap_alloc(memory->nparts * sizeof *taken->segments);
    if (taken->segments == NULL)
        return trace_fail(memory->trace, "%s: no memory", memory->trace->input_name);
    memcpy(taken->segments, memory->parts, memory->nparts * sizeof *taken->segments);
    taken->nsegments = memory->nparts;
    taken->size = memory->size;
    taken->fd = memory->fd;
    tell(memory, was_halted);
    return 0;
}

/* 0, or -1 after trace_fail(). */
static int take(struct live_memory *memory, const struct live_protocol *protocol, const char *name)
{
    int result;
    os_interrupt_begin(false);
    result = connect_to(memory, protocol, name) == 0 ? live_memory_take(memory, protocol) : -1;
    live_wire_close(&memory->wire);
    os_interrupt_end();
    return result;
}

static struct live_memory *new_memory(struct trace *trace, const char *name, unsigned wait_ms)
{
    struct live_memory *memory = heap_calloc(1, sizeof *memory);
    if (memory == NULL) {
        trace_fail(trace, "%s: no memory", name);
        return NULL;
    }
    memory->trace = trace;
    memory->wait_ms = wait_ms;
    memory->wire.socket = memory->fd = -1;
    return memory;
}

int live_take(struct trace *trace, const char *name, unsigned wait_ms, struct live_taken *taken)
{
    const struct live_protocol *protocol = protocol_of(name);
    struct live_memory *memory = new_memory(trace, name, wait_ms);
    int result = -1;
    if (memory == NULL)
        return -1;
    memory->fd = temp_file_open(trace, name);
    if (memory->fd >= 0 && take(memory, protocol, name) == 0)
        result = hand_over(memory, taken, protocol->halts);
    if (result != 0 && memory->fd >= 0)
        os_close(memory->fd);
    heap_free(memory);
    return result;
}

/* ---- again and again --------------------------------------------------------------------------------------------- */

struct live_link {
    const struct live_protocol *protocol;
    void *state;
    struct live_memory *memory;
};

struct live_link *live_link_open(struct trace *trace, const char *name, unsigned wait_ms)
{
    struct live_link *link = heap_calloc(1, sizeof *link);
    if (link == NULL) {
        trace_fail(trace, "%s: no memory", name);
        return NULL;
    }
    link->protocol = protocol_of(name);
    link->memory = new_memory(trace, name, wait_ms);
    if (link->memory != NULL && connect_to(link->memory, link->protocol, name) == 0)
        link->state = link->protocol->open(link->memory);
    if (link->state != NULL)
        return link;
    live_link_close(link);
    return NULL;
}

void live_link_close(struct live_link *link)
{
    if (link == NULL)
        return;
    if (link->state != NULL)
        link->protocol->close(link->state);
    if (link->memory != NULL)
        live_wire_close(&link->memory->wire);
    heap_free(link->memory);
    heap_free(link);
}

size_t live_link_parts(const struct live_link *link, const struct segment **parts)
{
    *parts = link->memory->parts;
    return link->memory->nparts;
}

bool live_link_halts(const struct live_link *link)
{
    return link->protocol->halts;
}

/* Each time has the limit that all of it has where memory is taken once. */
int live_link_begin(struct live_link *link)
{
    live_wire_begin_again(&link->memory->wire);
    return link->protocol->halt(link->state);
}

int live_link_read(struct live_link *link, uint64_t address, void *to, size_t n)
{
    return live_memory_get(link->memory, link->protocol, link->state, address, to, n);
}

int live_link_end(struct live_link *link, uint64_t *halted_ns)
{
    int result = link->protocol->go_on(link->state);
    *halted_ns = link->memory->halted;
    return result;
}
