/* segments.h - which parts of the target's memory an input is a copy of.
 *
 * A copy of memory is bytes alone, and nothing in it says where they were. An ELF core file, as gdb and QEMU write it,
 * tells that by its program headers; so does an ELF file with contents of any other kind.
 */
#ifndef IO_SEGMENTS_H
#define IO_SEGMENTS_H

#include "base/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEGMENTS_MAX 1024u /* of an input, less one */

/* A part of the input, and where its bytes were on the target. */
struct segment {
    uint64_t offset;  /* in the input */
    uint64_t size;    /* bytes */
    uint64_t address; /* of the first one */
};

/* What reading them finds: no ELF file, an ELF file that tells where its bytes were (or has none), one that is damaged
 * or has more segments than are kept, or no memory. */
enum segments_result { SEGMENTS_NONE, SEGMENTS_TOLD, SEGMENTS_UNKNOWN, SEGMENTS_NO_MEMORY };

/* Read those of an ELF file, of 32 or 64 bits and of either byte order: a cursor over all of the input. They are cut at
 * its end. *segments, *n of them, are the caller's, to be freed; NULL unless the result is SEGMENTS_TOLD. */
enum segments_result segments_read(struct cursor input, struct segment **segments, size_t *n);

/* Put parts of the target's memory into order of address, of which those that meet become one, and let each follow the
 * one before in the input. Returns how many there are then; *size becomes that of all. */
size_t segments_join(struct segment *segments, size_t n, uint64_t *size);

/* The address of the byte at an offset, and the offset of the byte at an address. False: no segment has it, or several
 * do, and so it is not known. */
bool segments_address(const struct segment *segments, size_t n, uint64_t offset, uint64_t *address);
bool segments_offset(const struct segment *segments, size_t n, uint64_t address, uint64_t *offset);

#endif
