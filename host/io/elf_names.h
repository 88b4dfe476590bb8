/* elf_names.h - the names of the symbols of an ELF file, out of their table. */
#ifndef IO_ELF_NAMES_H
#define IO_ELF_NAMES_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The table of names. Linkers let names share their ends, but hardly ever; where many share a long one, looking at each
 * would take for ever. So all names together may have four times the bytes that the table has. */
struct elf_names {
    const char *at; /* the table's bytes, libelf's */
    size_t size;    /* up to and with the last NUL */
    size_t left;    /* bytes that further names may have */
    bool cut;       /* there were more, or the user of the table has left some out */
};

/* The names in a table; none if it is NULL. */
struct elf_names elf_names_of(const Elf_Data *data);

/* The name at an offset of the table; NULL if it is not in the table, or names have too many bytes by now. */
const char *elf_names_at(struct elf_names *names, uint32_t offset);

/* Whether a name is worth showing. Not the mapping symbols ($a, $t, $d, $x), by which tools mark where code and data
 * begin, nor a name that no viewer can show. name may be NULL. */
bool elf_names_shown(const char *name);

#endif
