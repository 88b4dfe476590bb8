/* input.h - the bytes a reader decodes: any file or pipe, read at any offset, or what comes by UDP.
 *
 * A directory is an input without bytes of its own: readers of such traces open its files, each an input again.
 *
 * A pipe is spooled to an unlinked temporary file first, so every input can be read twice. Nothing is mapped: memory
 * does not grow with the input.
 */
#ifndef IO_INPUT_H
#define IO_INPUT_H

#include "base/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace;
struct input;

/* When to stop receiving what comes by UDP; it also stops at SIGINT. */
struct input_until {
    uint32_t wait_ms; /* nothing came for so long at the beginning; 0 = wait without limit */
    uint32_t idle_ms; /* nothing came for so long after that; 0 = 5 s */
    uint64_t count;   /* so many packets came; 0 = no limit */
};

/* Where an input lacks packets that were sent. */
struct input_gap {
    uint64_t offset;  /* the lack is before the byte there */
    uint64_t packets; /* how many */
};

/* Open path ("-" = standard input, "udp:PORT" and the like = receive, see input_udp.h; "./udp:PORT" is a file). until is
 * for what is received, and may be NULL for all else. NULL after trace_fail(). */
struct input *input_open(struct trace *trace, const char *path, const struct input_until *until);

/* Descriptor of an input that is a directory, else -1. It stays the input's. */
int input_directory(const struct input *in);

/* Open a regular file below a directory; path must live as long as the result. NULL after trace_fail(). */
struct input *input_open_at(const struct input *directory, const char *path);

/* Make an input of an open regular file, which then belongs to it; name must live as long. NULL after trace_fail(). */
struct input *input_adopt(struct trace *trace, const char *name, int fd);

void input_close(struct input *in);

/* Name of the reader for an input that came in a way that tells its format, else NULL. */
const char *input_reader_hint(const struct input *in);

/* Gaps, in order of offset; each one was counted and reported with trace_damage(). They live as long as the input. */
size_t input_gaps(const struct input *in, const struct input_gap **gaps);

/* Bytes in the input. */
uint64_t input_size(const struct input *in);

/* Read up to size bytes at offset; fewer only at the end of the input, 0 beyond it. On a read error the input is
 * shortened to what could be read, and the error is recorded with trace_fail(). */
size_t input_read(struct input *in, uint64_t offset, void *buffer, size_t size);

/* A cursor in the input, from an offset up to another one. */
struct cursor input_cursor(struct input *in, uint64_t from, uint64_t end, bool big);

/* An unlinked temporary file in $TMPDIR, else /tmp; *directory says where. -1 with errno set. */
int input_temporary(const char **directory);

enum input_copy { INPUT_COPIED, INPUT_NOT_READ, INPUT_NOT_WRITTEN };

/* Copy from one descriptor to another until the end; what did not work, with errno set. */
enum input_copy input_copy(int from, int to);

#endif
