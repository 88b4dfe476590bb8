/* live_harness.c - what reads a target's memory is answered by any bytes: see fuzz.h. */
#define _GNU_SOURCE
#include "fuzz.h"

#include "io/live/memory.h"
#include "model/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIMIT_MS 1000u

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

/* A socket from which these bytes come, and then the end; the other end stays open, unread. */
static int answering(const uint8_t *data, size_t size, int *other)
{
    static const int room = 1 << 20;
    int pair[2];
    check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0, "no sockets");
    setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    check(write(pair[1], data, size) == (ssize_t)size && shutdown(pair[1], SHUT_WR) == 0, "cannot send");
    *other = pair[1];
    return pair[0];
}

/* An empty file in memory; it stays open. */
static int memory_file(void)
{
    static int file = -1;
    if (file < 0)
        file = memfd_create("memory", 0);
    check(file >= 0 && ftruncate(file, 0) == 0, "no memory file");
    return file;
}

static void take(struct live_memory *memory, bool is_gdb)
{
    struct stat status;
    int result = live_memory_take(memory, is_gdb ? &live_gdb : &live_openocd);
    check((result != 0) == memory->trace->failed, "the result and its error differ");
    check(fstat(memory->fd, &status) == 0, "no memory file");
    check(result != 0 || (uint64_t)status.st_size == memory->size, "not all of the memory was taken");
    check((uint64_t)status.st_size <= memory->size, "more than the memory was taken");
}

void fuzz_live(const uint8_t *data, size_t size)
{
    static const struct segment parts[] = {{0, 40, 0x20000000}, {40, 6, 0x30000001}};
    static struct live_memory memory;
    static struct trace trace;
    int other;
    if (size == 0)
        return;
    trace_init(&trace, "fuzz");
    trace.quiet = true;
    memset(&memory, 0, sizeof memory);
    memory.trace = &trace;
    memory.wait_ms = LIMIT_MS;
    memory.fd = memory_file();
    if ((data[0] & 2) == 0) {
        memcpy(memory.parts, parts, sizeof parts);
        memory.nparts = 2;
        memory.size = 46;
    }
    live_wire_adopt(&memory.wire, &trace, answering(data + 1, size - 1u, &other), LIMIT_MS);
    take(&memory, (data[0] & 1) == 0);
    live_wire_close(&memory.wire);
    close(other);
    trace_free(&trace);
}
