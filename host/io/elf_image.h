/* elf_image.h - what the firmware's ELF file tells about a trace: symbols, load segments, build id, printk formats.
 *
 * libelf reads the file: 32 and 64 bits, both byte orders, any machine. (Not called elf.h, which is the system's.)
 *
 * Vocabulary
 *   symbol   a function or an object of the firmware, with its place in memory
 *   image    all that is known of the firmware: struct trace_image
 *   format   a printk format string: it is in the section tlog_printk, which is never loaded, and its address there,
 *            from 0 up, stands for it; where a linker script does not make that section, those of C++ are in sections
 *            tlog_printk.0, tlog_printk.1 ... in the firmware's memory
 */
#ifndef IO_ELF_IMAGE_H
#define IO_ELF_IMAGE_H

#include <stdint.h>

struct elf_image;
struct trace;

/* Names of the symbols that mark where code, and where everything, ends; they have no size. */
#define ELF_IMAGE_CODE_END "_etext"
#define ELF_IMAGE_END      "_end"

/* Load the file, and set trace->image, trace->printk and trace->nprintk to what is in it. All of that lives until
 * elf_image_close(), and path must, too. A file without symbols gives a warning, unless the trace is quiet. NULL after
 * trace_fail(): the file cannot be read, is no ELF file, is damaged, or is no linked program. */
struct elf_image *elf_image_open(struct trace *trace, const char *path);

/* The trace has no image any more. NULL is allowed. */
void elf_image_close(struct elf_image *elf);

/* The text at an address of a section of formats, with its NUL; NULL outside of them, or if it has no end. */
const char *elf_format_at(const struct elf_image *elf, uint64_t address);

/* Say so, unless the trace is quiet, when trace->build shows that the trace is of another firmware. */
void elf_image_compare(const struct elf_image *elf, const struct trace *trace);

#endif
