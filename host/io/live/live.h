/* live.h - the memory of a target that runs, or was halted, taken through a server: gdb:HOST:PORT is whatever serves
 * the GDB remote protocol, openocd:HOST:PORT the Tcl port of OpenOCD.
 *
 * What is taken is put into a temporary file, part behind part. The firmware's ELF file tells which parts; without one
 * the server may tell what RAM the target has.
 */
#ifndef IO_LIVE_H
#define IO_LIVE_H

#include "io/segments.h"

#include <stdbool.h>

struct trace;

/* What was taken. */
struct live_taken {
    int fd;                   /* the bytes, in a temporary file */
    uint64_t size;            /* bytes in it */
    struct segment *segments; /* nsegments of them: where they were on the target */
    size_t nsegments;
};

/* Whether the name of an input is a server's. */
bool live_names(const char *name);

/* Take the memory in wait_ms at most; 0: in a time that depends on its size. What it took, and for how long the target
 * was halted, is told. A target that was halted for it runs on. 0: the caller closes taken->fd and frees
 * taken->segments. -1 after trace_fail(). */
int live_take(struct trace *trace, const char *name, unsigned wait_ms, struct live_taken *taken);

#endif
