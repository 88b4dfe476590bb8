/* walk.h - goes through the records of a CPU in a buffer, in their order, with what was lost between them. */
#ifndef TRACEDAT_READ_WALK_H
#define TRACEDAT_READ_WALK_H

#include "formats/tracedat/read/file.h"

/* The pages of a range, which are read in blocks or decompressed chunk by chunk. For walk.c only. */
struct tracedat_data {
    struct tracedat_file *file;
    const struct tracedat_buffer *buffer;
    uint64_t at, end;     /* offsets in the file: of the next block or chunk; of the end of the range */
    uint32_t chunks;      /* that are left, if the pages are compressed */
    unsigned char *block; /* pages in memory */
    size_t room;          /* bytes of memory at block */
    size_t used, n;       /* bytes of the block: given out as pages; that there are */
    uint64_t place;       /* offset in the file of the block, or of the chunk that it is made of */
    uint64_t packed;      /* of the chunk: its compressed bytes, which end at `at` */
    uint64_t size, done;  /* of the chunk: bytes that it becomes; how many of them came into a block so far */
};

struct tracedat_page {
    const unsigned char *bytes;
    size_t size;     /* of a page of the buffer; less for the last one of a file that was cut */
    uint64_t offset; /* in the file: of the page, or of its chunk */
    uint64_t next;   /* time of the page that follows, if has_next */
    bool has_next;
};

enum tracedat_what { TRACEDAT_NO_MORE, TRACEDAT_RECORD, TRACEDAT_LOSS, TRACEDAT_DAMAGE };

/* What the walk gives: a record, or a loss or damage between records. */
struct tracedat_record {
    enum tracedat_what what;
    uint64_t time;             /* of the record, or of the page with the loss or damage; in the unit of the file */
    uint64_t count;            /* events of a loss, 0 = unknown */
    const unsigned char *data; /* of a record: its bytes, on the page */
    size_t size;               /* of a record: bytes, a multiple of 4 */
};

struct tracedat_walk {
    struct tracedat_data data;
    struct tracedat_page page; /* if in_page */
    size_t at, end;            /* offsets in the page: of the next word, and behind the last record */
    uint64_t time;             /* where the walk is on the page */
    uint64_t last;             /* time of the last record, if has_last */
    bool has_last;
    bool in_page;
    bool cut;                    /* a part of the page is missing, which was reported */
    bool loss;                   /* a loss is to be given out before the next record */
    uint64_t lost;               /* its events; 0 = unknown */
    bool damage;                 /* damage is to be given out before the next record */
    struct tracedat_record head; /* what the walk has come to */
};

/* Begin before the first record of a range of the buffer. The caller ends it with tracedat_walk_free(). */
void tracedat_walk_start(struct tracedat_walk *walk, struct tracedat_file *file, const struct tracedat_buffer *buffer,
                         const struct tracedat_range *range);

/* Bring the next record, loss or damage to walk->head. What that points to is valid until the next call. Damage is
 * reported with trace_damage(), too. */
void tracedat_walk_next(struct tracedat_walk *walk);

void tracedat_walk_free(struct tracedat_walk *walk);

#endif
