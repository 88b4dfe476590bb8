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

/* A protocol by its prefix. */
static const struct protocol {
    const char *prefix;
    int (*take)(struct live_memory *memory);
} protocols[] = {{"gdb:", live_gdb_take}, {"openocd:", live_openocd_take}};

#define PROTOCOLS (sizeof protocols / sizeof protocols[0])

_Static_assert(LIVE_PARTS_MAX >= FIRMWARE_PARTS_MAX, "all parts that a firmware tells have room");

/* The protocol that a name tells, or NULL. */
static const struct protocol *protocol_of(const char *name)
{
    for (size_t i = 0; i < PROTOCOLS; i++) {
        if (strncmp(name, protocols[i].prefix, strlen(protocols[i].prefix)) == 0)
            return &protocols[i];
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

/* Tell what was taken, and what that did to the target. */
static void tell(const struct live_memory *memory)
{
    char how[64] = "while the target ran";
    if (!memory->was_running)
        snprintf(how, sizeof how, "the target was halted for %" PRIu64 ".%" PRIu64 " ms", memory->halted / 1000000u,
                 memory->halted / 100000u % 10u);
    trace_note(memory->trace, "%" PRIu64 " bytes taken from %zu place%s, %s", memory->size, memory->nparts,
               text_plural(memory->nparts), how);
}

/* Hand what was taken to the caller. 0, or -1 after trace_fail(). */
static int hand_over(struct live_memory *memory, struct live_taken *taken)
{
    taken->segments = heap_alloc(memory->nparts * sizeof *taken->segments);
    if (taken->segments == NULL)
        return trace_fail(memory->trace, "%s: no memory", memory->trace->input_name);
    memcpy(taken->segments, memory->parts, memory->nparts * sizeof *taken->segments);
    taken->nsegments = memory->nparts;
    taken->size = memory->size;
    taken->fd = memory->fd;
    tell(memory);
    return 0;
}

/* 0, or -1 after trace_fail(). */
static int take(struct live_memory *memory, const char *name)
{
    const struct protocol *protocol = protocol_of(name);
    int result = -1;
    if (find_parts(memory) != 0)
        return -1;
    os_interrupt_begin();
    if (live_wire_open(&memory->wire, memory->trace, name + strlen(protocol->prefix), 0) == 0) {
        live_memory_limit(memory);
        result = protocol->take(memory);
    }
    live_wire_close(&memory->wire);
    os_interrupt_end();
    return result;
}

int live_take(struct trace *trace, const char *name, unsigned wait_ms, struct live_taken *taken)
{
    struct live_memory *memory = heap_calloc(1, sizeof *memory);
    int result = -1;
    if (memory == NULL)
        return trace_fail(trace, "%s: no memory", name);
    memory->trace = trace;
    memory->wait_ms = wait_ms;
    memory->wire.socket = -1;
    memory->fd = temp_file_open(trace, name);
    if (memory->fd >= 0 && take(memory, name) == 0)
        result = hand_over(memory, taken);
    if (result != 0 && memory->fd >= 0)
        os_close(memory->fd);
    heap_free(memory);
    return result;
}
