/* store.c - see store.h. */
#include "formats/columns/store.h"

#include "base/bytes.h"
#include "base/heap.h"
#include "io/temp_file.h"
#include "os/os_file.h"

#include <errno.h>
#include <string.h>

enum {
    ROOM_FIRST = 16, /* records; all rooms are multiples of it, so that columns are aligned */
    ROOM_MOST = 4096,
    BYTES_MOST = 65536,     /* of a block with one column of bytes */
    MEMORY_MOST = 16777216, /* bytes: with so many in memory, blocks do not grow any more */
    PART_BYTES = 65536,     /* that are read at a time */
};

unsigned column_width(enum column_type type)
{
    return type <= COLUMN_REAL ? 8u : type == COLUMN_U32 ? 4u : type == COLUMN_U16 ? 2u : 1u;
}

static size_t record_bytes(const struct columns_layout *layout)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < layout->n; i++)
        bytes += column_width(layout->type[i]);
    return bytes;
}

/* Where a column begins in a block with so many records. */
static uint64_t column_offset(const struct columns_layout *layout, unsigned column, uint64_t records)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < column; i++)
        bytes += column_width(layout->type[i]);
    return bytes * records;
}

void columns_store_free(struct columns_store *store)
{
    heap_free(store->at[0]);
    heap_free(store->block);
}

void columns_spill_close(struct columns_spill *spill)
{
    if (spill->fd >= 0)
        os_close(spill->fd);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Note a block that is put into the spill. False after trace_fail(). */
static bool note_block(struct columns_store *store, struct columns_spill *spill)
{
    struct columns_block *block = heap_grow(store->block, store->nblocks, &store->blocks_room, sizeof *store->block);
    if (block == NULL)
        return trace_fail(spill->trace, "no memory for columns") == 0;
    store->block = block;
    store->block[store->nblocks++] = (struct columns_block){spill->used, store->first};
    return true;
}

/* Write the block, which is full, to the spill. False after trace_fail(). */
static bool spill_block(struct columns_store *store, struct columns_spill *spill)
{
    size_t bytes = store->room * record_bytes(store->layout);
    if (spill->fd < 0)
        spill->fd = temp_file_open(spill->trace, NULL);
    if (spill->fd < 0 || !note_block(store, spill))
        return false;
    if (os_write_at(spill->fd, store->at[0], bytes, spill->used) != 0)
        return trace_fail(spill->trace, "cannot write a temporary file: %s", strerror(errno)) == 0;
    spill->used += (bytes + 7u) & ~(size_t)7;
    store->first += store->room;
    store->used = 0;
    return true;
}

/* Whether the block is as large as it may become. */
static bool is_largest(const struct columns_store *store, const struct columns_spill *spill)
{
    uint32_t most = store->layout->n == 1u && store->layout->type[0] == COLUMN_U8 ? BYTES_MOST : ROOM_MOST;
    return store->room == most || (store->room > 0 && spill->memory >= MEMORY_MOST);
}

bool columns_store_grow(struct columns_store *store, struct columns_spill *spill)
{
    uint32_t room = store->room > 0 ? 2u * store->room : ROOM_FIRST;
    size_t bytes = record_bytes(store->layout);
    unsigned char *block;
    if (is_largest(store, spill))
        return spill_block(store, spill);
    block = heap_alloc(room * bytes);
    if (block == NULL)
        return trace_fail(spill->trace, "no memory for columns") == 0;
    for (unsigned i = store->layout->n; i-- > 0;) {
        unsigned char *to = block + column_offset(store->layout, i, room);
        if (store->used > 0)
            memcpy(to, store->at[i], (size_t)store->used * column_width(store->layout->type[i]));
        if (i == 0)
            heap_free(store->at[0]);
        store->at[i] = to;
    }
    spill->memory += (room - store->room) * bytes;
    store->room = room;
    return true;
}

bool columns_add_bytes(struct columns_store *store, struct columns_spill *spill, const char *bytes, size_t n)
{
    while (n > 0) {
        size_t part;
        if (store->used == store->room && !columns_store_grow(store, spill))
            return false;
        part = store->room - store->used < n ? store->room - store->used : n;
        memcpy(store->at[0] + store->used, bytes, part);
        store->used += (uint32_t)part;
        store->n += part;
        bytes += part;
        n -= part;
    }
    return true;
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

/* The number of the spilled block that has a record. */
static size_t block_of(const struct columns_store *store, uint64_t record)
{
    size_t from = 0, to = store->nblocks;
    while (to - from > 1u) {
        size_t middle = from + (to - from) / 2u;
        if (store->block[middle].first <= record)
            from = middle;
        else
            to = middle;
    }
    return from;
}

static uint64_t records_of(const struct columns_store *store, size_t block)
{
    uint64_t end = block + 1u < store->nblocks ? store->block[block + 1u].first : store->first;
    return end - store->block[block].first;
}

bool columns_change(struct columns_store *store, struct columns_spill *spill, uint64_t record, unsigned column,
                    uint64_t value)
{
    unsigned width = column_width(store->layout->type[column]);
    const struct columns_block *block;
    unsigned char byte = (unsigned char)value;
    uint64_t offset;
    if (record >= store->first && width == 8)
        columns_set64(store, column, (uint32_t)(record - store->first), value);
    else if (record >= store->first)
        columns_set8(store, column, (uint32_t)(record - store->first), byte);
    if (record >= store->first)
        return true;
    block = &store->block[block_of(store, record)];
    offset = block->offset + column_offset(store->layout, column, records_of(store, (size_t)(block - store->block)))
             + (record - block->first) * width;
    if (os_write_at(spill->fd, width == 8 ? (const void *)&value : &byte, width, offset) != 0)
        return trace_fail(spill->trace, "cannot write a temporary file: %s", strerror(errno)) == 0;
    return true;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Hand n values at an offset of the spill to a function. False after trace_fail(). */
static bool take_spilled(const struct columns_spill *spill, uint64_t offset, uint64_t n, unsigned width,
                         columns_take *take, void *ctx)
{
    union {
        uint64_t aligned;
        unsigned char bytes[PART_BYTES];
    } room;
    while (n > 0) {
        size_t part = n < PART_BYTES / width ? (size_t)n : PART_BYTES / width;
        int error = 0;
        if (os_read_at(spill->fd, offset, room.bytes, part * width, &error) != part * width)
            return trace_fail(spill->trace, "cannot read a temporary file: %s", strerror(error)) == 0;
        if (!take(ctx, room.bytes, part))
            return false;
        offset += part * width;
        n -= part;
    }
    return true;
}

bool columns_each(const struct columns_store *store, const struct columns_spill *spill, unsigned column,
                  columns_take *take, void *ctx)
{
    unsigned width = column_width(store->layout->type[column]);
    for (size_t i = 0; i < store->nblocks; i++) {
        uint64_t records = records_of(store, i);
        uint64_t offset = store->block[i].offset + column_offset(store->layout, column, records);
        if (!take_spilled(spill, offset, records, width, take, ctx))
            return false;
    }
    return store->used == 0 || take(ctx, store->at[column], store->used);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* Texts are compared in memory. When there are too many, all are forgotten, and those that come again are written
 * again: memory is bounded, and most texts come again soon. */
enum {
    PLACES = 65536,       /* of the table; a power of two */
    KNOWN_MOST = 49152,   /* texts in it */
    TEXT_BYTES = 4194304, /* of these texts */
};

struct columns_known {
    uint32_t number; /* 0: free */
    uint32_t hash, at, n;
};

static const struct columns_layout ends_layout = {{"ends"}, {COLUMN_U32}, 1};
static const struct columns_layout bytes_layout = {{"bytes"}, {COLUMN_U8}, 1};

/* The text that ends with the bytes so far is the last one. False after trace_fail(). */
static bool add_end(struct columns_strings *strings)
{
    uint32_t place = columns_add(&strings->ends, strings->spill);
    if (place == UINT32_MAX)
        return false;
    columns_set32(&strings->ends, 0, place, (uint32_t)strings->bytes.n);
    return true;
}

bool columns_strings_open(struct columns_strings *strings, struct columns_spill *spill)
{
    strings->spill = spill;
    strings->ends.layout = &ends_layout;
    strings->bytes.layout = &bytes_layout;
    strings->known = heap_calloc(PLACES, sizeof *strings->known);
    strings->text = heap_alloc(TEXT_BYTES);
    return strings->known != NULL && strings->text != NULL && add_end(strings);
}

void columns_strings_free(struct columns_strings *strings)
{
    columns_store_free(&strings->ends);
    columns_store_free(&strings->bytes);
    heap_free(strings->known);
    heap_free(strings->text);
}

/* Eight bytes at a time. */
static uint32_t hash_of(const char *text, size_t n)
{
    uint64_t hash = n * 0x9E3779B97F4A7C15u, word;
    for (; n >= 8; n -= 8, text += 8) {
        memcpy(&word, text, 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    if (n > 0) {
        word = 0;
        memcpy(&word, text, n);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    }
    return (uint32_t)(hash >> 32);
}

/* Write a text. Returns its number, or 0 after trace_fail(). */
static uint32_t write_text(struct columns_strings *strings, const char *text, size_t n)
{
    if (strings->bytes.n + n > UINT32_MAX || strings->ends.n >= UINT32_MAX - 1u) {
        trace_fail(strings->spill->trace, "columns: texts of more than 4 GiB; --time or --filter choose fewer events");
        return 0;
    }
    if (!columns_add_bytes(&strings->bytes, strings->spill, text, n) || !add_end(strings))
        return 0;
    return (uint32_t)strings->ends.n - 1u;
}

/* Make room for a text that will be found again. False: it is too long. */
static bool make_room(struct columns_strings *strings, size_t n)
{
    if (n > TEXT_BYTES / 4)
        return false;
    if (strings->nknown < KNOWN_MOST && n <= TEXT_BYTES - strings->used)
        return true;
    memset(strings->known, 0, PLACES * sizeof *strings->known);
    strings->nknown = 0;
    strings->used = 0;
    strings->dropped = true;
    return true;
}

static struct columns_known *find(const struct columns_strings *strings, uint32_t hash, const char *text, size_t n)
{
    size_t at = hash & (PLACES - 1u);
    for (;; at = (at + 1u) & (PLACES - 1u)) {
        struct columns_known *known = &strings->known[at];
        if (known->number == 0
            || (known->hash == hash && known->n == n && memcmp(strings->text + known->at, text, n) == 0))
            return known;
    }
}

uint32_t columns_string(struct columns_strings *strings, const char *text, size_t n)
{
    uint32_t hash, number;
    struct columns_known *known;
    if (n == 0)
        return 0;
    hash = hash_of(text, n);
    known = find(strings, hash, text, n);
    if (known->number != 0)
        return known->number;
    number = write_text(strings, text, n);
    if (number == 0 || !make_room(strings, n))
        return number;
    known = find(strings, hash, text, n);
    *known = (struct columns_known){number, hash, (uint32_t)strings->used, (uint32_t)n};
    memcpy(strings->text + strings->used, text, n);
    strings->used += n;
    strings->nknown++;
    return number;
}
