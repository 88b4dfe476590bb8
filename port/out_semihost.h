/* out_semihost.h - getting a dump out through a debugger's or QEMU's semihosting: a file on the host. */
#ifndef OUT_SEMIHOST_H
#define OUT_SEMIHOST_H

#include "tlog_cxx.h"

#include <stdint.h>

TLOG_BEGIN_C

/* Write all of tlog's memory to a file on the host, in its working directory. 0, or -1 when the host cannot. Thread, or
 * a fault handler. Without a debugger attached semihosting calls fault. With TLOG_ENABLE = 0 the file is empty. */
int tlog_semihost_save(const char *path);

/* Write text to the host's console. */
void semihost_print(const char *text);

/* Write bytes to a file on the host, replacing it. 0, or -1. */
int semihost_write_file(const char *path, const void *bytes, uint32_t length);

/* The same in steps. A file's handle, or -1; then 0, or -1. */
int semihost_open(const char *path);
int semihost_write(int handle, const void *bytes, uint32_t length);
int semihost_close(int handle);

/* Write the chunks that were sent, or given to FTrace_disk_writer(); given by out_disk.c. */
void tlog_disk_write_queued(void);

/* Leave QEMU, or stop in the debugger, with this exit code. */
__attribute__((noreturn)) void semihost_exit(int code);

/* End the program: write queued chunks, save the trace as dump.bin, then leave QEMU with this exit code. */
__attribute__((noreturn)) void board_exit(int code);

TLOG_END_C

#endif
