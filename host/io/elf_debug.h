/* elf_debug.h - what the firmware's debugging information tells of its formats. */
#ifndef IO_ELF_DEBUG_H
#define IO_ELF_DEBUG_H

#include <libelf.h>
#include <stddef.h>

struct trace_printk;

/* Set the function of every one of n formats, in order of address, that the file has debugging information for: the one
 * TLOG_PRINTK stands in, or was inlined into. Others stay as they are. */
void elf_debug_functions(Elf *elf, struct trace_printk *formats, size_t n);

#endif
