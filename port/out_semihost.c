/* SPDX-License-Identifier: MIT */
/* out_semihost.c - calls of Arm semihosting (v2.0): a sink that writes a file, text for the console, the exit. */
#include "out_semihost.h"
#include "tlog.h"

enum {
    TLOG_SEMIHOST_SYS_OPEN = 0x01,
    TLOG_SEMIHOST_SYS_CLOSE = 0x02,
    TLOG_SEMIHOST_SYS_WRITE0 = 0x04,
    TLOG_SEMIHOST_SYS_WRITE = 0x05,
    TLOG_SEMIHOST_SYS_EXIT_EXTENDED = 0x20
};
enum { TLOG_SEMIHOST_OPEN_WB = 5, TLOG_SEMIHOST_APPLICATION_EXIT = 0x20026 };

#if __ARM_ARCH_PROFILE == 'M'
#define TLOG_SEMIHOST_TRAP "bkpt 0xAB"
#elif defined(__thumb__)
#define TLOG_SEMIHOST_TRAP "svc 0xAB"
#else
#define TLOG_SEMIHOST_TRAP "svc 0x123456"
#endif

static uint32_t call(uint32_t operation, const void *arguments)
{
    register uint32_t r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = arguments;
    __asm volatile(TLOG_SEMIHOST_TRAP : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static uint32_t text_length(const char *text)
{
    uint32_t n = 0;
    while (text[n])
        n++;
    return n;
}

int semihost_open(const char *path)
{
    uint32_t arguments[3] = {(uint32_t)(uintptr_t)path, TLOG_SEMIHOST_OPEN_WB, text_length(path)};
    return (int)call(TLOG_SEMIHOST_SYS_OPEN, arguments);
}

int semihost_write(int handle, const void *bytes, uint32_t length)
{
    uint32_t arguments[3] = {(uint32_t)handle, (uint32_t)(uintptr_t)bytes, length};
    return call(TLOG_SEMIHOST_SYS_WRITE, arguments) == 0 ? 0 : -1; /* it returns the bytes not written */
}

int semihost_close(int handle)
{
    uint32_t arguments[1] = {(uint32_t)handle};
    return call(TLOG_SEMIHOST_SYS_CLOSE, arguments) == 0 ? 0 : -1;
}

int semihost_write_file(const char *path, const void *bytes, uint32_t length)
{
    int handle = semihost_open(path);
    if (handle < 0)
        return -1;
    int written = semihost_write(handle, bytes, length);
    return semihost_close(handle) != 0 ? -1 : written;
}

static int to_file(void *handle, const void *bytes, uint32_t length)
{
    return semihost_write(*(const int *)handle, bytes, length);
}

int tlog_semihost_save(const char *path)
{
    int handle = semihost_open(path);
    struct tlog_sink sink = {to_file, &handle};
    if (handle < 0)
        return -1;
    int written = tlog_dump(&sink);
    return semihost_close(handle) != 0 ? -1 : written;
}

void semihost_print(const char *text)
{
    (void)call(TLOG_SEMIHOST_SYS_WRITE0, text);
}

void semihost_exit(int code)
{
    uint32_t block[2] = {TLOG_SEMIHOST_APPLICATION_EXIT, (uint32_t)code};
    for (;;)
        (void)call(TLOG_SEMIHOST_SYS_EXIT_EXTENDED, block);
}

__attribute__((weak)) void tlog_disk_write_queued(void)
{
}

static void save_dump(void)
{
    if (tlog_semihost_save("dump.bin") != 0)
        semihost_print("tlog: cannot write dump.bin\n");
}

void board_exit(int code)
{
    tlog_disk_write_queued();
    save_dump();
    semihost_exit(code);
}
