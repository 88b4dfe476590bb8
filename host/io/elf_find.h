/* elf_find.h - the file of a firmware among others, by its build id. */
#ifndef IO_ELF_FIND_H
#define IO_ELF_FIND_H

#include <stddef.h>

/* The path of the first file by name in one of these folders, with colons between them, that is an ELF file or one of
 * events_file.h and whose build id begins with these n bytes. folders may be NULL or empty. The caller frees it. NULL:
 * there is none, or no memory. */
char *elf_find(const char *folders, const unsigned char *build_id, size_t n);

#endif
