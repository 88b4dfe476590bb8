/* behind.h - writing to a file in a thread of its own, so that the next bytes are made meanwhile. */
#ifndef IO_BEHIND_H
#define IO_BEHIND_H

#include <stddef.h>
#include <stdint.h>

struct behind;

/* Start the thread. NULL when it cannot be. The descriptor stays the caller's. */
struct behind *behind_start(int fd);

/* Wait for the write given last, then give the next: size bytes at offset of the file. They must stay as they are until
 * the next call. 0, or the errno of a write that failed; nothing is written any more after that. */
int behind_write(struct behind *behind, const void *bytes, size_t size, uint64_t offset);

/* Wait until all is written. 0, or the errno of a write that failed. */
int behind_wait(struct behind *behind);

/* End the thread, after what it was given; NULL is allowed. */
void behind_end(struct behind *behind);

/* Write all of size bytes at offset, here and now. 0, or an errno; a file that takes nothing more gives ENOSPC. */
int write_at(int fd, const void *bytes, size_t size, uint64_t offset);

#endif
