/* spool.h - temporary files: they hold the bytes of an input or an output that cannot be read or written in place, such
 * as those of a pipe.
 *
 * A spool is in the directory that the environment variable TMPDIR names, else in /tmp. It has no name there: its space
 * is free again as soon as it is closed, however the program ends.
 */
#ifndef IO_SPOOL_H
#define IO_SPOOL_H

struct trace;

/* The directory of spools, for messages. */
const char *spool_directory(void);

/* Create a spool. Returns its descriptor, open for reading and writing, which the caller closes; or -1 with errno set.
 */
int spool_create(void);

/* The same, with a message: -1 after trace_fail(). name is what the message begins with, or NULL. */
int spool_open(struct trace *trace, const char *name);

/* What a copy ended with. */
enum spool_result { SPOOL_COPIED, SPOOL_NOT_READ, SPOOL_NOT_WRITTEN };

/* Copy all bytes from where one descriptor stands to where another one stands. errno tells why one of them failed. */
enum spool_result spool_copy(int from, int to);

/* Create a spool of all bytes that can still be read from a descriptor, which stays the caller's. Returns the spool, or
 * -1 after trace_fail(); name is what messages call the bytes. */
int spool_all(struct trace *trace, const char *name, int from);

#endif
