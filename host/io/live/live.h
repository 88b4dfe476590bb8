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

/* ---- again and again --------------------------------------------------------------------------------------------- */

/* A server that stays connected, so that memory can be read as often as one likes. */
struct live_link;

/* Connect to it. wait_ms: what connecting, and then each time from begin to end, may take at most; 0: as above. Errors
 * go to that trace, which lives as long. NULL after trace_fail(). */
struct live_link *live_link_open(struct trace *trace, const char *name, unsigned wait_ms);

/* Disconnect, and let the target run on if it is halted. NULL is allowed. */
void live_link_close(struct live_link *link);

/* Where tlog's memory is: parts in order of address; returns how many. Whether the target is halted from begin to
 * end. */
size_t live_link_parts(const struct live_link *link, const struct segment **parts);
bool live_link_halts(const struct live_link *link);

/* Begin to read, read n bytes at an address, and end: the target runs on. *halted_ns: for how long it stood. 0, or -1
 * after trace_fail(): then the link is of no use but to be closed. */
int live_link_begin(struct live_link *link);
int live_link_read(struct live_link *link, uint64_t address, void *to, size_t n);
int live_link_end(struct live_link *link, uint64_t *halted_ns);

#endif
