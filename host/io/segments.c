/* segments.c - see segments.h. */
#include "io/segments.h"

#include "base/heap.h"
#include "io/elf_file.h"

#include <stdlib.h>

#define HEADERS_MAX 65535u /* of segments of all kinds, that are looked at */

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Add a segment, of which the file has `size` bytes. */
static void add(struct segment *segments, size_t *n, const struct elf_segment *header, uint64_t size)
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

/* Take those of the file. */
static enum segments_result take(struct elf_file *elf, struct segment *segments, size_t *n)
{
    if (elf->nsegments > HEADERS_MAX || !elf_file_read_segments(elf))
        return SEGMENTS_UNKNOWN;
    for (size_t i = 0; i < elf->nsegments && *n < SEGMENTS_MAX; i++) {
        if (elf->segments[i].type == ELF_LOAD && elf->segments[i].size > 0)
            add(segments, n, &elf->segments[i], elf->bytes.end);
    }
    elf_file_free(elf);
    return *n == 0 ? SEGMENTS_NONE : *n < SEGMENTS_MAX ? SEGMENTS_TOLD : SEGMENTS_UNKNOWN;
}

enum segments_result segments_read(struct cursor input, struct segment **segments, size_t *n)
{
    struct elf_file elf;
    enum segments_result result;
    *segments = NULL;
    *n = 0;
    if (!elf_file_open(&elf, input))
        return elf.why != NULL ? SEGMENTS_UNKNOWN : SEGMENTS_NONE;
    if (elf.type < ELF_PROGRAM || elf.type > ELF_CORE || elf.nsegments == 0)
        return SEGMENTS_NONE;
    *segments = heap_calloc(SEGMENTS_MAX, sizeof **segments);
    result = *segments != NULL ? take(&elf, *segments, n) : SEGMENTS_NO_MEMORY;
    if (result == SEGMENTS_TOLD)
        return result;
    heap_free(*segments);
    *segments = NULL;
    *n = 0;
    return result;
}

/* ---- joining ----------------------------------------------------------------------------------------------------- */

/* For qsort(): by address. */
static int address_order(const void *a, const void *b)
{
    const struct segment *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

size_t segments_join(struct segment *segments, size_t n, uint64_t *size)
{
    size_t kept = 0;
    qsort(segments, n, sizeof *segments, address_order);
    for (size_t i = 0; i < n; i++) {
        struct segment *last = kept > 0 ? &segments[kept - 1u] : NULL;
        const uint64_t gone = last != NULL ? segments[i].address - last->address : 0;
        if (last == NULL || gone > last->size)
            segments[kept++] = segments[i];
        else if (segments[i].size > last->size - gone)
            last->size = gone + segments[i].size;
    }
    *size = 0;
    for (size_t i = 0; i < kept; i++) {
        segments[i].offset = *size;
        *size += segments[i].size;
    }
    return kept;
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
