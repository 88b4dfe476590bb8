/* write_behind.h - writing to a file in a thread, while the caller makes the next bytes.
 *
 * There is one write at a time. The caller has two buffers: it fills one while the other one is written.
 */
#ifndef IO_WRITE_BEHIND_H
#define IO_WRITE_BEHIND_H

#include <stddef.h>
#include <stdint.h>

struct write_behind;

/* Start the thread. NULL when memory runs out. The descriptor stays the caller's, open until write_behind_end(). */
struct write_behind *write_behind_start(int fd);

/* Wait for the previous write, then start the next one: size bytes to an offset of the file. The bytes stay the
 * caller's and must not change until the next call. 0, or the errno of a write that failed; nothing is written after
 * that. */
int write_behind_put(struct write_behind *behind, const void *bytes, size_t size, uint64_t offset);

/* Wait until all is written. 0, or the errno of a write that failed. */
int write_behind_wait(struct write_behind *behind);

/* Wait until all is written, end the thread and free its state. NULL is allowed. */
void write_behind_end(struct write_behind *behind);

#endif
