/* elf_image.h - what the firmware's ELF file tells about a trace: symbols, load segments, build id, format strings.
 *
 * A file that tlog-decode saved of one (events_file.h) will do as well.
 *
 * libelf reads the file: 32 and 64 bits, both byte orders, any machine. (Not called elf.h, which is the system's.)
 *
 * Vocabulary
 *   symbol          a function or an object of the firmware, with its place in memory
 *   image           all that is known of the firmware: struct trace_image
 *   format string   what TLOG_PRINTK logs the address of. Format strings are in the section tlog_printk, which is never
 *                   loaded; the address there, from 0 up, stands for the string. Where a linker script does not make
 *                   that section, those of C++ are in sections tlog_printk.0, tlog_printk.1 ... in memory
 */
#ifndef IO_ELF_IMAGE_H
#define IO_ELF_IMAGE_H

struct elf_image;
struct trace;

/* Names of the symbols that mark where code ends, and where everything ends; they have no size. */
#define ELF_IMAGE_CODE_END "_etext"
#define ELF_IMAGE_END      "_end"

/* Open the file at path, and set trace->image, trace->printk and trace->nprintk to what is in it, until
 * elf_image_close(). path and trace must live as long. A file without symbols gives a warning, unless the trace is
 * quiet. NULL after trace_fail(): the file cannot be read, is no ELF file, is damaged, or is no linked program. */
struct elf_image *elf_image_open(struct trace *trace, const char *path);

/* Close the file: the trace has no image and no format strings any more. NULL is allowed. */
void elf_image_close(struct elf_image *elf);

/* Note in the image when trace->build tells that the trace is of another firmware, and warn the user, unless the trace
 * is quiet. */
void elf_image_compare(struct elf_image *elf, const struct trace *trace);

#endif
