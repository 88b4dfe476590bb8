/* firmware.h - what the firmware's ELF file tells about a trace: symbols, load segments, build id, format strings.
 *
 * A file that tlog-decode saved of one (events_file.h) will do as well.
 *
 * libelf reads the file: 32 and 64 bits, both byte orders, any machine. (Not called elf.h, which is the system's.)
 *
 * Vocabulary
 *   symbol          a function or an object of the firmware, with its place in memory
 *   format string   what TLOG_PRINTK logs the address of. Format strings are in the section tlog_printk, which is never
 *                   loaded; the address there, from 0 up, stands for the string. Where a linker script does not make
 *                   that section, those of C++ are in sections tlog_printk.0, tlog_printk.1 ... in memory
 */
#ifndef IO_FIRMWARE_H
#define IO_FIRMWARE_H

struct firmware_file;
struct trace;

/* Names of the symbols that mark where code ends, and where everything ends; they have no size. */
#define FIRMWARE_CODE_END "_etext"
#define FIRMWARE_END      "_end"

/* Open the file at path, and set trace->firmware, trace->printk and trace->nprintk to what is in it, until
 * firmware_close(). path and trace must live as long. A file without symbols gives a warning, unless the trace is
 * quiet. NULL after trace_fail(): the file cannot be read, is no ELF file, is damaged, or is no linked program. */
struct firmware_file *firmware_open(struct trace *trace, const char *path);

/* Close the file: the trace has no firmware and no format strings any more. NULL is allowed. */
void firmware_close(struct firmware_file *elf);

/* Set trace->firmware->is_wrong if the trace tells another build id (trace->build) than the file, and warn the user,
 * unless the trace is quiet. */
void firmware_compare(struct firmware_file *elf, const struct trace *trace);

#endif
