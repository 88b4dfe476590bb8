/* elf.h - a firmware's ELF file that is being read: what the files of this folder share, and the functions that each
 * read a part of it.
 *
 * Messages about the file begin with its path. */
#ifndef IO_FIRMWARE_ELF_H
#define IO_FIRMWARE_ELF_H

#include "io/elf_file.h"
#include "model/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ELF_SYMBOLS_MAX   (1u << 20) /* symbols and format strings that are kept: further ones are left out */
#define ELF_VECTORS_MOST  512u       /* vectors that a table has at most */
#define ELF_VECTORS_FIRST 2u         /* the first one that an exception may have */
#define ELF_TABLES_MOST   16u        /* symbols that may be of the vector table: further ones are not looked at */
#define ELF_RINGS_MAX     16u        /* rings that a firmware has at most: of events and of names, for each of 8 CPUs */

/* Names of the symbols that are added where code ends, and where everything ends; they have no size. */
#define ELF_CODE_END "_etext"
#define ELF_END      "_end"

/* A section of format strings. */
struct texts {
    const char *at;         /* its bytes, elf's */
    uint64_t address, size; /* in the firmware's memory, or from 0 up; bytes */
};

struct firmware_file {
    struct trace *trace;
    const char *path; /* as the user gave it */
    char *real_path;  /* the same without links and without the directory that it is relative to; NULL: there is none */
    int fd;
    int error;                 /* why the file could not be read at last: an errno, or 0 */
    struct events_file *saved; /* what is read in place of an ELF file; then elf has nothing */
    struct elf_file elf;
    bool thumb;                     /* bit 0 of a function's address tells Thumb code and is no part of the address */
    char *plain;                    /* names of symbols that differ from those in the file: */
    size_t plain_size, plain_used;  /* bytes that there are, and those that are in use */
    struct trace_symbol *symbols;   /* firmware.nsymbols of them */
    struct trace_segment *segments; /* firmware.nsegments of them */
    struct trace_printk *formats;   /* the format strings: trace->nprintk of them */
    struct trace_descriptors *descriptors;  /* firmware.ndescriptors of them, or NULL */
    struct trace_handler *handlers;         /* firmware.nhandlers of them, or NULL */
    struct trace_ring rings[ELF_RINGS_MAX]; /* firmware.nrings of them */
    struct texts *texts;                    /* ntexts of them, in order of address, without overlap */
    size_t ntexts;
    struct trace_symbol tables[ELF_TABLES_MOST]; /* that may be of the vector table: ntables of them */
    size_t ntables;
    uint64_t vectors;               /* address of the vector table, */
    size_t nvectors;                /* and its vectors; 0: none is known */
    struct trace_firmware firmware; /* what trace->firmware points to */
};

/* Keep the error that the file is damaged, or cannot be read, as elf.why tells. Returns -1. */
int elf_damaged(struct firmware_file *file);

/* The same if there is no memory. */
int elf_no_memory(struct firmware_file *file);

/* Tell the user something about the file, unless the trace is quiet. */
void elf_warn(const struct firmware_file *file, const char *what);

/* ---- what is read of an ELF file --------------------------------------------------------------------------------- */

/* The symbols, one at each address, in order of address. 0, or -1 after trace_fail(). */
int elf_read_symbols(struct firmware_file *file);

/* The format strings, and the functions that log them. 0, or -1 after trace_fail(). formats.c */
int elf_read_formats(struct firmware_file *file);

/* Set trace_printk.function of the format strings: the address of the function that has the TLOG_PRINTK, or into which
 * that function was inlined. It stays 0 where the file has no debugging information. dwarf.c */
void elf_find_functions(struct firmware_file *file);

/* The descriptors of events that the firmware defines. 0, or -1 after trace_fail(). descriptors.c */
int elf_read_descriptors(struct firmware_file *file);

/* The handlers of exceptions, in order of number; the symbols must be known. vectors.c */
void elf_read_handlers(struct firmware_file *file);

/* The rings of tlog's runtime; the symbols must be known. rings.c */
void elf_read_rings(struct firmware_file *file);

/* Set chunks and size of a ring, which follow from the other members. Whether all are as a firmware may have them. */
bool elf_complete_ring(struct trace_ring *ring);

/* Whether a name is worth showing. Not the mapping symbols ($a, $t, $d, $x), by which tools mark where code and data
 * begin, nor a name that no viewer can show. name may be NULL. */
bool elf_shows_name(const char *name);

/* Whether a name of a section or symbol is that whole, or with a dot and more behind it: compilers make such names. */
static inline bool elf_is_part(const char *name, const char *whole)
{
    size_t length = strlen(whole);
    return strncmp(name, whole, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

#endif
