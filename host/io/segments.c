/* segments.c - see segments.h. libelf would want a file, and inputs need not be one; what is read here is little.
 *
 * Source: Tool Interface Standard, Executable and Linking Format Specification, 1.2; System V ABI, ELF-64.
 */
#include "io/segments.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of the ELF specification. */
enum { CLASS_32 = 1, CLASS_64 = 2, LITTLE = 1, BIG = 2, EXEC = 2, CORE = 4, LOAD = 1, IDENT_BYTES = 16 };

/* The table of program headers. */
struct table {
    struct cursor at; /* at the first one */
    bool wide;        /* of 64 bits */
    unsigned n;
};

/* A program header. */
struct header {
    uint32_t type;
    uint64_t offset, address, size;
};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* A number that has the size of an address. */
static uint64_t get_address(struct cursor *at, bool wide)
{
    return wide ? cursor_64(at) : cursor_32(at);
}

/* Find the table of an ELF file's program headers. An object file has none. */
static enum segments_result find_table(struct cursor at, struct table *table)
{
    unsigned char ident[IDENT_BYTES];
    uint64_t offset;
    unsigned type, entry;
    if (!cursor_get(&at, ident, sizeof ident) || memcmp(ident, "\177ELF", 4) != 0)
        return SEGMENTS_NONE;
    table->wide = ident[4] == CLASS_64;
    at.big = ident[5] == BIG;
    type = cursor_16(&at);
    cursor_skip(&at, table->wide ? 14 : 10); /* machine, version, entry */
    offset = get_address(&at, table->wide);
    cursor_skip(&at, table->wide ? 14 : 10); /* section headers, flags, size of this header */
    entry = cursor_16(&at);
    table->n = cursor_16(&at);
    if (at.bad || (ident[4] != CLASS_32 && !table->wide) || (ident[5] != LITTLE && !at.big))
        return SEGMENTS_UNKNOWN;
    if (type < EXEC || type > CORE || table->n == 0)
        return SEGMENTS_NONE;
    if (entry != (table->wide ? 56u : 32u) || offset > at.end)
        return SEGMENTS_UNKNOWN;
    table->at = at;
    table->at.at = offset;
    return SEGMENTS_TOLD;
}

static struct header next_header(struct table *table)
{
    struct header header = {.type = cursor_32(&table->at)};
    if (table->wide)
        cursor_skip(&table->at, 4); /* flags */
    header.offset = get_address(&table->at, table->wide);
    header.address = get_address(&table->at, table->wide);
    get_address(&table->at, table->wide); /* the physical one, which gdb leaves 0 */
    header.size = get_address(&table->at, table->wide);
    cursor_skip(&table->at, table->wide ? 16 : 12); /* size in memory, flags, alignment */
    return header;
}

/* Add a segment, of which the file has `size` bytes. */
static void add(struct segment *segments, size_t *n, const struct header *header, uint64_t size)
{
    struct segment *to = &segments[*n];
    *to = (struct segment){header->offset, header->size, header->address};
    if (to->offset >= size)
        return;
    if (to->size > size - to->offset)
        to->size = size - to->offset;
    if (to->size - 1u > UINT64_MAX - to->address)
        to->size = UINT64_MAX - to->address + 1u;
    ++*n;
}

enum segments_result segments_read(struct cursor input, struct segment **segments, size_t *n)
{
    struct table table;
    enum segments_result result = find_table(input, &table);
    *segments = NULL;
    *n = 0;
    if (result != SEGMENTS_TOLD)
        return result;
    *segments = calloc(SEGMENTS_MAX, sizeof **segments);
    if (*segments == NULL)
        return SEGMENTS_NO_MEMORY;
    for (unsigned i = 0; i < table.n && *n < SEGMENTS_MAX; i++) {
        struct header header = next_header(&table);
        if (header.type == LOAD && header.size > 0)
            add(*segments, n, &header, input.end);
    }
    if (!table.at.bad && *n > 0 && *n < SEGMENTS_MAX)
        return SEGMENTS_TOLD;
    result = table.at.bad || *n > 0 ? SEGMENTS_UNKNOWN : SEGMENTS_NONE;
    free(*segments);
    *segments = NULL;
    *n = 0;
    return result;
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

bool segments_address(const struct segment *segments, size_t n, uint64_t offset, uint64_t *address)
{
    unsigned found = 0;
    for (size_t i = 0; i < n; i++) {
        if (offset < segments[i].offset || offset - segments[i].offset >= segments[i].size)
            continue;
        *address = segments[i].address + (offset - segments[i].offset);
        found++;
    }
    return found == 1;
}

bool segments_offset(const struct segment *segments, size_t n, uint64_t address, uint64_t *offset)
{
    unsigned found = 0;
    for (size_t i = 0; i < n; i++) {
        if (address < segments[i].address || address - segments[i].address >= segments[i].size)
            continue;
        *offset = segments[i].offset + (address - segments[i].address);
        found++;
    }
    return found == 1;
}
