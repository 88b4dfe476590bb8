/* elf_vectors.h - the names of exceptions: those of their handlers, out of the vector table of an Arm Cortex-M.
 *
 * The table is what a symbol or a section with a usual name holds, or else what stands at the lowest address that is
 * loaded; its second word must be a function. A handler that several exceptions share, or that is called a default
 * one, gives no name. */
#ifndef IO_ELF_VECTORS_H
#define IO_ELF_VECTORS_H

#include <libelf.h>
#include <stddef.h>

struct trace_handler;
struct trace_firmware;

/* Vectors that a table has at most; the first one that an exception may have. */
#define ELF_VECTORS_MOST  512u
#define ELF_VECTORS_FIRST 2u

/* The named handlers of a file, in order of number. firmware: what is known of its symbols. names: index of the section
 * with the sections' names. The caller frees them; NULL: there are none, or no memory. */
struct trace_handler *elf_vectors(Elf *elf, size_t names, const struct trace_firmware *firmware, size_t *n);

#endif
