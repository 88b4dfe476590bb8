/* data.h - the pages of a CPU in a buffer, one after another, read in blocks or decompressed chunk by chunk. */
#ifndef TRACEDAT_READ_DATA_H
#define TRACEDAT_READ_DATA_H

#include "formats/tracedat/read/file.h"

struct tracedat_data {
    struct tracedat_file *file;
    const struct tracedat_buffer *buffer;
    uint64_t at, end;     /* offsets in the file: of the next block or chunk, of the end of the range */
    uint32_t chunks;      /* that are left, if the pages are compressed */
    unsigned char *block; /* pages in memory */
    size_t room;          /* bytes of memory at block */
    size_t used, n;       /* bytes of the block: that were given out as pages, that there are */
    uint64_t place;       /* offset in the file of the block, or of the chunk that it was made of */
    uint64_t packed;      /* of the chunk: its compressed bytes, which end at `at` */
    uint64_t size, done;  /* of the chunk: bytes that it becomes, that were in a block so far */
};

struct tracedat_page {
    const unsigned char *bytes;
    size_t size;     /* of a page of the buffer; less for the last one of a file that was cut */
    uint64_t offset; /* in the file: of the page, or of the chunk that it was in */
    uint64_t next;   /* time of the page that follows, if has_next */
    bool has_next;
};

enum tracedat_step { TRACEDAT_END, TRACEDAT_PAGE, TRACEDAT_DAMAGED };

/* Begin with the first page of a range of the buffer. To be freed. */
void tracedat_data_start(struct tracedat_data *data, struct tracedat_file *file, const struct tracedat_buffer *buffer,
                         const struct tracedat_range *range);

/* Get the next page, which is valid until the next call. TRACEDAT_DAMAGED: there is none, because something was skipped
 * that was told with trace_damage(); the next call goes on behind that. TRACEDAT_END: also after trace_fail(). */
enum tracedat_step tracedat_data_next(struct tracedat_data *data, struct tracedat_page *page);

/* Free the memory; tracedat_data_next() then gives no more pages. */
void tracedat_data_free(struct tracedat_data *data);

#endif
