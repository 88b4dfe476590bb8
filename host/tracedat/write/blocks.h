/* sink.h - where the pages of a trace.dat file go: into the file as they are, or compressed. Private to the
 * trace.dat writer.
 *
 * Vocabulary
 *   stretch  the pages of one CPU, one behind the other in the file
 *   chunk    pages that are compressed together; a compressed stretch is the number of its chunks and the chunks
 */
#ifndef TRACEDAT_WRITE_SINK_H
#define TRACEDAT_WRITE_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "model/module.h"

struct tracedat_blocks;

/* Take pages from offset of the file on; what is behind that belongs to the sink until tracedat_blocks_finish(). How the pages
 * are compressed, and their size, is in the options. NULL after trace_fail(). */
struct tracedat_blocks *tracedat_blocks_open(struct trace *trace, const struct trace_options *options, int fd, uint64_t offset);

/* The buffer to fill with pages, and how much it takes: a whole number of pages of any size. */
unsigned char *tracedat_blocks_next(struct tracedat_blocks *blocks, size_t *room);

/* Take what was filled in; the next goes to another buffer. 0, or -1 after trace_fail(). */
int tracedat_blocks_write(struct tracedat_blocks *blocks, size_t filled);

/* The next page begins a stretch: its offset in the file. filled: bytes in the buffer that belong to others. */
uint64_t tracedat_blocks_begin(struct tracedat_blocks *blocks, size_t filled);

/* The stretch that began there is complete: *size = what the file says of its size, *filled = what is still in the buffer. 0, or -1
 * after trace_fail(). */
int tracedat_blocks_end(struct tracedat_blocks *blocks, uint64_t begin, size_t *filled, uint64_t *size);

/* Bring all into the file and give the offset behind it. 0, or -1 after trace_fail(). */
int tracedat_blocks_finish(struct tracedat_blocks *blocks, size_t filled, uint64_t *end);

/* NULL is allowed. */
void tracedat_blocks_free(struct tracedat_blocks *blocks);

#endif
