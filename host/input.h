/* input.h - the bytes a reader decodes: any file or pipe, read at any offset.
 *
 * A pipe is spooled to an unlinked temporary file first, so every input can be read twice. Nothing is mapped: memory does
 * not grow with the input.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stddef.h>
#include <stdint.h>

struct trace;
struct input;

/* Open path ("-" = standard input). NULL after trace_fail(). */
struct input *input_open(struct trace *trace, const char *path);

void input_close(struct input *in);

/* Bytes in the input. */
uint64_t input_size(const struct input *in);

/* Read up to size bytes at offset; fewer only at the end of the input, 0 beyond it. On a read error the input is
 * shortened to what could be read, and the error is recorded with trace_fail(). */
size_t input_read(struct input *in, uint64_t offset, void *buffer, size_t size);

/* An unlinked temporary file in $TMPDIR, else /tmp; *directory says where. -1 with errno set. */
int input_temporary(const char **directory);

enum input_copy { INPUT_COPIED, INPUT_NOT_READ, INPUT_NOT_WRITTEN };

/* Copy from one descriptor to another until the end; what did not work, with errno set. */
enum input_copy input_copy(int from, int to);

#endif
