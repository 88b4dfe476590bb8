/* temp_file.h - temporary files (os_temporary()): they hold the bytes of an input or an output that cannot be read or
 * written in place, such as those of a pipe. They are in the directory that the environment variable TMPDIR names, else
 * in /tmp.
 */
#ifndef IO_TEMP_FILE_H
#define IO_TEMP_FILE_H

#include <stdint.h>

struct trace;

/* os_temporary() with a message: -1 after trace_fail(). name is what the message begins with, or NULL. */
int temp_file_open(struct trace *trace, const char *name);

/* What a copy ended with: there are no more bytes; there may be, but as many as were wanted are copied; a failure. */
enum copy_result { COPY_DONE, COPY_ENOUGH, COPY_NOT_READ, COPY_NOT_WRITTEN };

/* Copy bytes from where one descriptor stands to where another one stands, `most` of them at most. errno tells why one
 * of them failed. */
enum copy_result copy_bytes(const struct trace *trace, int from, int to, uint64_t most);

/* Bytes of an input that may be put into a temporary file as they come: trace->spool_most, or 4 GiB if that is 0. */
uint64_t temp_file_most(const struct trace *trace);

#endif
