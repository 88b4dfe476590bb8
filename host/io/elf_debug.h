/* elf_debug.h - what the firmware's debugging information tells of its format strings: the functions that log them. */
#ifndef IO_ELF_DEBUG_H
#define IO_ELF_DEBUG_H

#include <libelf.h>
#include <stddef.h>

struct trace_printk;

/* Set the member function of those of n format strings, in order of address, that the file has debugging information
 * for: the address of the function that has the TLOG_PRINTK, or into which that function was inlined. The members of
 * all others stay as they are, which must be 0. */
void elf_debug_functions(Elf *elf, struct trace_printk *formats, size_t n);

#endif
