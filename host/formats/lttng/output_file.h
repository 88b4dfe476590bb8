/* output_file.h - one file of an LTTng 1.0 trace that is written: blocks of one size, filled event by event. The block
 * of a file that has only one ends with the page that its last event is in.
 *
 * The first error is kept in the trace; after it, nothing more is written.
 */
#ifndef LTTNG_OUTPUT_FILE_H
#define LTTNG_OUTPUT_FILE_H

#include "formats/lttng/block_header.h"

struct trace;

struct lttng_output_file {
    /* set before the file is opened */
    struct trace *trace;
    struct lttng_block_header
        common;         /* what the headers of all blocks have in common; size: bytes of a block at most */
    uint32_t arch_type; /* the processor: see block_header.c */
    int fd;             /* -1 = not open */
    bool compact;       /* events are written as compact events */
    /* the current block */
    uint32_t at;          /* bytes that are filled, headers included; 0 = there is no event yet */
    uint64_t begin, last; /* full stamps of its first and last event */
    unsigned char *block;
};

/* Create the file below a directory. 0, or -1 after trace_fail(). */
int lttng_output_file_open(struct lttng_output_file *file, int directory, const char *path);

/* Add an event with its full stamp, which is not before the last one's, and n bytes of payload as they are in the file.
 * Returns false if no block can hold it; nothing is written then. With heartbeats, one is put before it if the bits of
 * its own stamp could not show how much time has passed. */
bool lttng_output_file_add(struct lttng_output_file *file, uint32_t id, uint64_t tsc, const unsigned char *payload,
                           size_t n);

/* Write the last block and close the file; a file without events gets a block with a heartbeat at time tsc. 0, or -1
 * after trace_fail(). */
int lttng_output_file_close(struct lttng_output_file *file, uint64_t tsc);

/* Write the real time of the start that file->common has into all blocks of a file that was written with another one.
 * Of *file only what is set before a file is opened is used. 0, or -1 after trace_fail(). */
int lttng_output_file_restart(const struct lttng_output_file *file, int directory, const char *path);

/* Close and free without writing, if the file is open. */
void lttng_output_file_drop(struct lttng_output_file *file);

#endif
