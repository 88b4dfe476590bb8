/* SPDX-License-Identifier: MIT */
/* out_semihost.h - getting the trace out by Arm semihosting, through a debugger or QEMU: files on the host, its
 * console.
 *
 * Without a debugger attached a semihosting call faults. Paths are relative to the working directory of the debugger,
 * or of QEMU. Bytes and texts that are passed belong to the caller; nothing keeps them after the return.
 * Source: Arm, Semihosting for AArch32 and AArch64 (v2.0). */
#ifndef TLOG_OUT_SEMIHOST_H
#define TLOG_OUT_SEMIHOST_H

#include "src/tlog_cxx.h"

#include <stdint.h>

TLOG_BEGIN_C

/* Write tlog's whole memory (tlog_dump()) to a file, replacing it. Returns 0, or -1 if the host cannot write it. With
 * TLOG_ENABLE = 0 the file is empty. Callable from: thread or fault handler. */
int tlog_semihost_save(const char *path);

/* Write a text with its NUL to the host's console. Callable from: thread or fault handler. */
void semihost_print(const char *text);

/* Write length bytes to a file, replacing it. Returns 0, or -1. Callable from: thread or fault handler. */
int semihost_write_file(const char *path, const void *bytes, uint32_t length);

/* The same in steps: open, any number of writes, close. semihost_open() returns the file's handle, or -1; the others 0,
 * or -1. Callable from: thread or fault handler. */
int semihost_open(const char *path);
int semihost_write(int handle, const void *bytes, uint32_t length);
int semihost_close(int handle);

/* Write the chunks that were sent, or passed to FTrace_disk_writer(), to files. Does nothing unless port/out_disk.c,
 * which implements it, is compiled in. Callable from: thread or fault handler. */
void tlog_disk_write_queued(void);

/* Leave QEMU with this exit code, or stop in the debugger. Callable from: thread or fault handler. */
__attribute__((noreturn)) void semihost_exit(int code);

/* End the program: tlog_disk_write_queued(), then tlog_semihost_save("dump.bin"), then semihost_exit(code).
 * Callable from: thread or fault handler. */
__attribute__((noreturn)) void board_exit(int code);

TLOG_END_C

#endif
