/* events_file.h - what a firmware's ELF file tells about traces, in a small file of text.
 *
 * Lines of ASCII, in this order; numbers are hexadecimal with 0x; texts go to the end of the line, with \\, \n and \xNN
 * for what is no printable ASCII:
 *
 *   tlog-events 1                        the format's version
 *   build-id DIGITS                      of the firmware; missing: it has none
 *   order little                         or big: of words in descriptors
 *   segment ADDRESS SIZE                 a part of the memory that is loaded
 *   symbol ADDRESS SIZE LETTER NAME      as nm shows it
 *   format ADDRESS FUNCTION TEXT         a format string of TLOG_PRINTK, and the function that logs it; 0: not known
 *   events DIGITS                        descriptors of events, as they stand in a section tlog_event
 *   event ADDRESS DIGITS                 a descriptor that lies in the firmware's memory
 *   handler NUMBER NAME                  of an exception, in order of number as IPSR tells it
 *   ring ADDRESS BANKS FORMAT PLACE SLOTS EMERGENCY FREQ COARSE_FREQ
 *                                        a ring of chunks, in order of address: where its first chunk is, how many runs
 *                                        memory keeps, and words of the chunks' headers (target/FORMAT.md, section 2.1)
 *   end CRC                              CRC-32 of all that is ahead of this line
 *
 * A reader skips lines that begin with another word. */
#ifndef IO_EVENTS_FILE_H
#define IO_EVENTS_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct events_file;
struct trace;
struct trace_firmware;

/* Whether a file that begins with these n bytes is a saved one. */
bool events_file_is(const char *bytes, size_t n);

/* Read the file that is open as fd, from its beginning, and set *firmware, trace->printk and trace->nprintk to what is
 * in it. All that lives until events_file_close(). path: for messages. NULL after trace_fail(). */
struct events_file *events_file_open(struct trace *trace, const char *path, int fd, struct trace_firmware *firmware);

/* NULL is allowed. */
void events_file_close(struct events_file *file);

/* Write what the trace has from its firmware's file to fd. 0, or -1 after trace_fail(). */
int events_file_write(struct trace *trace, int fd);

#endif
