/* store.h - records of any number, column by column, with little memory: what does not fit is in a temporary file.
 *
 * Vocabulary
 *   layout   which columns records have; the wide ones come first
 *   block    records that follow each other, one column behind the other; the last block is in memory
 *   spill    the temporary file with the other blocks, which all stores share
 */
#ifndef COLUMNS_STORE_H
#define COLUMNS_STORE_H

#include "model/trace.h"

/* What a column has. A time is kept as it is, and written as a double: since the first event. */
enum column_type { COLUMN_TIME, COLUMN_REAL, COLUMN_U32, COLUMN_U16, COLUMN_U8 };

#define COLUMNS_MOST 6u
#define COLUMN_OPEN  UINT64_MAX /* a time: that of the trace's last event */

struct columns_layout {
    const char *name[COLUMNS_MOST]; /* n of them */
    enum column_type type[COLUMNS_MOST];
    unsigned n;
};

struct columns_spill {
    struct trace *trace;
    int fd;          /* -1: there is none yet */
    uint64_t used;   /* bytes of it */
    uint64_t memory; /* bytes of all blocks in memory */
};

struct columns_store {
    const struct columns_layout *layout;
    uint64_t n, first;   /* records; the number of the block's first one */
    uint32_t used, room; /* records of the block, which has room for so many */
    unsigned char *at[COLUMNS_MOST];
    struct columns_block { /* spilled: nblocks of them */
        uint64_t offset, first;
    } * block;
    size_t nblocks, blocks_room;
};

/* Bytes of a value in memory and in the file. */
unsigned column_width(enum column_type type);

void columns_store_free(struct columns_store *store);
void columns_spill_close(struct columns_spill *spill);

/* Make room for a record in the block, which is full. False after trace_fail(). */
bool columns_store_grow(struct columns_store *store, struct columns_spill *spill);

/* Add a record, whose columns have any values. Returns its place in the block; UINT32_MAX after trace_fail(). */
static inline uint32_t columns_add(struct columns_store *store, struct columns_spill *spill)
{
    if (store->used == store->room && !columns_store_grow(store, spill))
        return UINT32_MAX;
    store->n++;
    return store->used++;
}

static inline void columns_set64(struct columns_store *store, unsigned column, uint32_t place, uint64_t value)
{
    ((uint64_t *)(void *)store->at[column])[place] = value;
}

static inline void columns_set32(struct columns_store *store, unsigned column, uint32_t place, uint32_t value)
{
    ((uint32_t *)(void *)store->at[column])[place] = value;
}

static inline void columns_set16(struct columns_store *store, unsigned column, uint32_t place, uint16_t value)
{
    ((uint16_t *)(void *)store->at[column])[place] = value;
}

static inline void columns_set8(struct columns_store *store, unsigned column, uint32_t place, uint8_t value)
{
    store->at[column][place] = value;
}

/* Add bytes to a store with one column of bytes. False after trace_fail(). */
bool columns_add_bytes(struct columns_store *store, struct columns_spill *spill, const char *bytes, size_t n);

/* Change a time, or a byte, of any record. False after trace_fail(). */
bool columns_change(struct columns_store *store, struct columns_spill *spill, uint64_t record, unsigned column,
                    uint64_t value);

/* Hand all values of a column, part by part, to a function, which returns false after trace_fail(). */
typedef bool columns_take(void *ctx, const unsigned char *values, size_t n);
bool columns_each(const struct columns_store *store, const struct columns_spill *spill, unsigned column,
                  columns_take *take, void *ctx);

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* Texts that are written once, and then referred to by their numbers. Number 0 is the empty text. */
struct columns_strings {
    struct columns_spill *spill;
    struct columns_store ends, bytes; /* where each text ends in bytes */
    struct columns_known *known;      /* texts that are found again: by their hash */
    size_t nknown;
    char *text; /* their bytes, used of them */
    size_t used;
    bool dropped; /* there were so many that some may be written twice */
};

/* False: no memory. */
bool columns_strings_open(struct columns_strings *strings, struct columns_spill *spill);
void columns_strings_free(struct columns_strings *strings);

/* The number of a text of n bytes. 0 after trace_fail(). */
uint32_t columns_string(struct columns_strings *strings, const char *text, size_t n);

#endif
