/* firmware.h - the firmware's ELF file: what it tells about a trace is struct trace_firmware (model/trace.h), and the
 * format strings of TLOG_PRINTK.
 *
 * 32 and 64 bits, both byte orders, any machine (io/elf_file.h). A file that tlog-decode saved of one (events_file.h)
 * will do as well.
 */
#ifndef IO_FIRMWARE_H
#define IO_FIRMWARE_H

#include <stdbool.h>
#include <stddef.h>

struct firmware_file;
struct trace;

/* The path of the first file by name in one of these folders, with colons between them, whose build id begins with
 * these n bytes. folders may be NULL or empty. The caller frees it. NULL: there is none, or no memory. */
char *firmware_find(const char *folders, const unsigned char *build_id, size_t n);

/* Open the file at path, and set trace->firmware, trace->printk and trace->nprintk to what is in it, until
 * firmware_close(). path and trace must live as long. A file without symbols gives a warning, unless the trace is
 * quiet. NULL after trace_fail(): the file cannot be read, is no ELF file, is damaged, or is no linked program. */
struct firmware_file *firmware_open(struct trace *trace, const char *path);

/* Close the file: the trace has no firmware and no format strings any more. NULL is allowed. */
void firmware_close(struct firmware_file *file);

/* Whether the file at path is a linked program, and neither a core file nor anything else that may be a dump. */
bool firmware_is_program(const char *path);

/* Set trace->firmware->is_wrong if the trace tells another build id (trace->build) than the file, and warn the user,
 * unless the trace is quiet. */
void firmware_compare(struct firmware_file *file, const struct trace *trace);

#endif
