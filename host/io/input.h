/* input.h - the bytes that a reader decodes. They come from a file, from a pipe, by UDP or from a target's memory, and
 * can be read at any offset.
 *
 * A directory is an input without bytes of its own: its reader opens the files in it, each an input again.
 *
 * What comes from a pipe or by UDP, or out of a compressed file (decompress.h), is put into a temporary file first
 * (temp_file.h), so every input can be read twice. No file is put into memory by mmap(), so memory does not grow with
 * the input. A pipe may never end, and be no dump at all: so its first bytes are there to be judged before the rest is
 * waited for.
 */
#ifndef IO_INPUT_H
#define IO_INPUT_H

#include "base/cursor.h"
#include "io/input_udp.h"
#include "tlog_decode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace;
struct input;

/* Bytes of a pipe that are there when it is opened. */
#define INPUT_FIRST ((uint64_t)16u << 20)

/* Whether the name of an input is no file's, but tells where its bytes are to be got from: it can be opened once. */
bool input_is_received(const char *path);

/* Open path: "-" is standard input, "udp:PORT" and the like receive until a limit (input_udp.h), "gdb:HOST:PORT" and
 * the like take the memory where trace->firmware has chunks (live/live.h), "./udp:PORT" is a file. until may
 * be NULL where nothing is received. path and trace must live as long as the input. Of a pipe that has more than
 * INPUT_FIRST bytes, so many are the input, without addresses, until input_complete(). NULL after trace_fail(). */
struct input *input_open(struct trace *trace, const char *path, const struct input_until *until);

/* The same of a file or directory, whatever its name is. */
struct input *input_open_path(struct trace *trace, const char *path);

/* Whether all bytes of the input are there. */
bool input_is_complete(const struct input *in);

/* Wait for the rest of a pipe, up to what trace->spool_most allows; all that was read of the input before may be other
 * bytes now, as of a compressed one. 0, or -1 after trace_fail(). */
int input_complete(struct input *in);

/* A trace may be in several files, each an input: open a further one, behind those there are. The first one closes it.
 * path must live as long. 0, or -1 after trace_fail(). */
int input_append(struct input *first, const char *path);

/* The input behind this one, or NULL. */
struct input *input_next(const struct input *in);

/* What messages call the input. */
const char *input_name(const struct input *in);

/* The descriptor of an input that is a directory, else -1. The input closes it. */
int input_directory(const struct input *in);

/* Open a regular file below a directory; path must live as long as the new input. NULL after trace_fail(). */
struct input *input_open_at(const struct input *directory, const char *path);

/* Make an input of an open regular file. It owns fd from now on. name, for messages, must live as long as the input.
 * NULL after trace_fail(): then fd is closed. */
struct input *input_adopt(struct trace *trace, const char *name, int fd);

/* Make an input of bytes that a function of the caller reads; or of a temporary file with all that came piece by piece,
 * which it owns from now on. name, for messages, must live as long as the input. NULL after trace_fail(). */
struct input *input_open_bytes(struct trace *trace, const struct tlog_bytes *bytes);
struct input *input_open_spooled(struct trace *trace, const char *name, int fd);

/* Close an input and free it. NULL is allowed. */
void input_close(struct input *in);

/* The name of the reader, as given to --from, of an input that is received; NULL for all other inputs. */
const char *input_reader_hint(const struct input *in);

/* The places where packets are missing in what came by UDP, in order of offset. Returns how many. Each one was reported
 * by trace_damage(). They live as long as the input. */
size_t input_gaps(const struct input *in, const struct input_gap **gaps);

/* From now on progress is told as if no byte had been read yet: the input is read once more. */
void input_begin_reading(struct input *in);

/* Bytes in the input; 0 for a directory. */
uint64_t input_size(const struct input *in);

/* Where the byte at an offset was in the target's memory, and where the byte at an address is in the input: what the
 * user says of its first byte (trace.base), or the input itself if it is an ELF core file, or another ELF file with
 * contents. False: neither tells it, or the ELF file tells several places. A byte that follows may be elsewhere: ask
 * for the first and the last one of what must be in one piece. */
bool input_address(const struct input *in, uint64_t offset, uint64_t *address);
bool input_offset(const struct input *in, uint64_t address, uint64_t *offset);

/* Read up to size bytes at offset. Returns how many: fewer only at the end of the input, 0 beyond it. On a read error
 * the input is shortened to what could be read, and trace_fail() keeps the error. */
size_t input_read(struct input *in, uint64_t offset, void *buffer, size_t size);

/* Read as input_read() does, but change nothing of the input, and tell of nothing: neither progress nor an error. */
size_t input_peek(const struct input *in, uint64_t offset, void *buffer, size_t size);

/* Let the input keep memory from malloc() for who reads it next, and free it at last; and get it, or NULL. A reader's
 * probe() keeps what its open() can use. */
void input_keep(struct input *in, void *memory);
void *input_kept(const struct input *in);

/* The offset of the next byte that the file stores: `at` itself, unless it is in a hole, which takes no room on the
 * disk and reads as zeros. The input's size if nothing but a hole follows. */
uint64_t input_data_from(const struct input *in, uint64_t at);

/* The offset where the next hole begins, from `at` on; the input's size if there is none. */
uint64_t input_hole_from(const struct input *in, uint64_t at);

/* A cursor in the input from an offset to an end, which may be beyond the input's; big: numbers are big-endian. */
struct cursor input_cursor(struct input *in, uint64_t from, uint64_t end, bool big);

#endif
