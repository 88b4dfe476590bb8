/* elf_file.h - an ELF file: its headers, what its sections hold, its symbols and its build id. 32 and 64 bits, both
 * byte orders, any machine.
 *
 * The bytes come from a cursor, so they may be in a file or in memory. Any field may have any value: nothing is read
 * beyond the file, and memory is bounded by its size.
 *
 * Source: Tool Interface Standard, Executable and Linking Format Specification, 1.2; System V ABI, gABI 4.1 (64 bits,
 * many sections, compressed ones).
 */
#ifndef IO_ELF_FILE_H
#define IO_ELF_FILE_H

#include "base/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of the specification: of files, machines, sections, their flags, segments, symbols and their bindings. */
enum { ELF_RELOCATABLE = 1, ELF_PROGRAM = 2, ELF_SHARED = 3, ELF_CORE = 4 };
enum { ELF_ARM = 40 };
enum { ELF_UNUSED, ELF_PROGBITS = 1, ELF_SYMTAB = 2, ELF_NOTES = 7, ELF_NOBITS = 8, ELF_SYMTAB_SHNDX = 18 };
enum { ELF_WRITE = 1, ELF_ALLOC = 2, ELF_CODE = 4, ELF_COMPRESSED = 0x800 };
enum { ELF_LOAD = 1, ELF_NOTE_SEGMENT = 4 };
enum { ELF_OBJECT = 1, ELF_FUNCTION = 2, ELF_IFUNC = 10 };
enum { ELF_LOCAL = 0, ELF_WEAK = 2 };

struct elf_section {
    const char *name; /* "" if it has none */
    uint32_t name_at, type, link, info;
    uint64_t flags, address, offset, size, alignment, entry; /* entry: bytes of one */
    unsigned char *bytes; /* what it holds, n bytes and a NUL, since elf_file_load(); or NULL */
    size_t n;
    bool is_skipped; /* elf_file_load() failed */
};

struct elf_segment {
    uint32_t type;
    uint64_t offset, address, physical, size, memory, alignment; /* size: bytes in the file; memory: there */
};

struct elf_symbol {
    uint64_t value, size;
    uint32_t name;    /* where it begins in the table of names */
    uint32_t section; /* index; 0: none */
    unsigned type, bind;
};

struct elf_file {
    struct cursor bytes; /* all of the file, at its beginning */
    bool is_wide;        /* of 64 bits */
    unsigned type, machine;
    uint64_t left;                /* bytes of sections that may still be held: four times the file's size at first */
    const char *why;              /* what is wrong with it, */
    uint64_t where;               /* and the offset of that */
    const char *skipped;          /* name of the last of the sections that elf_file_load() failed to read, */
    size_t nskipped;              /* and how many there are */
    struct elf_section *sections; /* nsections of them; the first one is empty */
    struct elf_segment *segments; /* nsegments of them */
    uint64_t sections_at, nsections, segments_at, nsegments;
    unsigned section_bytes, segment_bytes;
    uint32_t names; /* index of the section with the sections' names; 0: there is none */
};

/* The table of symbols, and that of their names. */
struct elf_symbols {
    struct cursor at, indexes; /* at the next symbol; and at its section's index, if the file has many sections */
    const struct elf_section *names;
    size_t n; /* 0: there are no symbols */
    bool is_wide;
};

/* Read the header of the file whose bytes a cursor has, all of them. False: it is damaged, as elf->why tells; or it is
 * no ELF file, then that is NULL. Nothing needs to be freed before the next two calls. */
bool elf_file_open(struct elf_file *elf, struct cursor bytes);

/* Read the headers of all sections, with their names; of all segments. A file without sections has its notes as those.
 * False: elf->why tells what is damaged. */
bool elf_file_read_sections(struct elf_file *elf);
bool elf_file_read_segments(struct elf_file *elf);

void elf_file_free(struct elf_file *elf);

/* Have what a section holds in memory, decompressed. False: nothing; or it cannot be read, as elf->why tells. */
bool elf_file_load(struct elf_file *elf, struct elf_section *section);

/* The same where it is an error, called `missing`, that there is nothing. */
bool elf_file_need(struct elf_file *elf, struct elf_section *section, const char *missing);

/* Whether a section is loaded into the target's memory, with bytes of the file. */
static inline bool elf_is_loaded(const struct elf_section *section)
{
    return section->type == ELF_PROGBITS && (section->flags & ELF_ALLOC) != 0;
}

/* Begin to read symbols: the first one is always empty. False: they are damaged, as elf->why tells. */
bool elf_file_symbols(struct elf_file *elf, struct elf_symbols *symbols);
struct elf_symbol elf_file_next_symbol(struct elf_symbols *symbols);

/* The build id among the notes, *size bytes. NULL: there is none; or, if elf->why is set, notes cannot be read. */
const unsigned char *elf_file_build_id(struct elf_file *elf, size_t *size);

#endif
