/* output_file.c - one file of an LTTng 1.0 trace that is written: see output_file.h. */
#include "formats/lttng/output_file.h"

#include "io/output.h"
#include "model/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER_BYTES 12u /* stamp, id and size, the longest form */

int lttng_output_file_open(struct lttng_output_file *file, int directory, const char *path)
{
    file->at = 0;
    file->common.first = LTTNG_HEADER_1_0 - (file->common.family == LTTNG_SEED ? 8u : 0u);
    file->block = malloc(file->common.size);
    file->fd = openat(directory, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->fd < 0)
        return trace_fail(file->trace, "%s: %s", path, strerror(errno));
    if (file->block == NULL)
        return trace_fail(file->trace, "no memory for a block of %llu bytes", (unsigned long long)file->common.size);
    return 0;
}

void lttng_output_file_drop(struct lttng_output_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    free(file->block);
    file->block = NULL;
    file->fd = -1;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Write the current block as one of size bytes, its rest filled with 0. */
static void write_block(struct lttng_output_file *file, size_t size)
{
    struct lttng_block_header header = file->common;
    header.size = size;
    header.begin = file->begin;
    header.end = file->last;
    header.lost = (uint32_t)size - file->at;
    lttng_block_header_write(&header, file->block, file->arch_type);
    memset(file->block + file->at, 0, header.lost);
    if (!file->trace->failed)
        output_put(file->trace, file->fd, file->block, size);
    file->at = 0;
}

/* Has the file neither a block nor an event? */
static bool is_empty(const struct lttng_output_file *file)
{
    return file->last == 0 && file->at == 0 && lseek(file->fd, 0, SEEK_CUR) == 0;
}

/* All blocks of a file have one size, but a block that is the only one is just as large as it needs to be: a trace of
 * many CPUs may have few events of each. */
static size_t last_size(const struct lttng_output_file *file)
{
    size_t pages = (file->at + LTTNG_PAGE - 1u) / LTTNG_PAGE;
    return lseek(file->fd, 0, SEEK_CUR) == 0 ? pages * LTTNG_PAGE : (size_t)file->common.size;
}

int lttng_output_file_close(struct lttng_output_file *file, uint64_t tsc)
{
    if (!file->trace->failed && is_empty(file))
        lttng_output_file_add(file, LTTNG_HEARTBEAT_32, tsc, NULL, 0);
    if (file->at > 0 && !file->trace->failed)
        write_block(file, last_size(file));
    if (close(file->fd) != 0)
        trace_fail(file->trace, "cannot write: %s", strerror(errno));
    file->fd = -1;
    lttng_output_file_drop(file);
    return file->trace->failed ? -1 : 0;
}

int lttng_output_file_restart(const struct lttng_output_file *file, int directory, const char *path)
{
    unsigned char start[LTTNG_START_MOST];
    size_t n = lttng_block_header_write_start(&file->common, start);
    int fd = openat(directory, path, O_WRONLY | O_CLOEXEC);
    off_t end = fd >= 0 ? lseek(fd, 0, SEEK_END) : -1;
    bool good = end >= 0;
    for (off_t at = 0; good && at < end; at += (off_t)file->common.size)
        good = pwrite(fd, start, n, at + (off_t)LTTNG_START_AT) == (ssize_t)n;
    if (!good)
        trace_fail(file->trace, "%s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return good ? 0 : -1;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void put(struct lttng_output_file *file, unsigned size, uint64_t value)
{
    lttng_put(file->block + file->at, size, file->common.big, value);
    file->at += size;
}

static void pad(struct lttng_output_file *file, unsigned size)
{
    uint32_t n = lttng_pad(file->at, size, file->common.alignment);
    memset(file->block + file->at, 0, n);
    file->at += n;
}

/* The header of an event: see event_header.c. */
static void put_header(struct lttng_output_file *file, uint32_t id, uint64_t tsc, size_t n)
{
    const struct lttng_block_header *common = &file->common;
    if (file->compact) {
        pad(file, 4);
        put(file, 4,
            (uint64_t)id << common->tscbits | (tsc >> common->truncate & ((UINT64_C(1) << common->tscbits) - 1u)));
        return;
    }
    pad(file, common->arch_size);
    put(file, common->heartbeat ? 4 : 8, tsc);
    if (common->family == LTTNG_SEED) {
        put(file, 1, id >> 8); /* facility and event, as in 0.x */
        put(file, 1, id & 0xFFu);
    } else {
        put(file, 2, id);
    }
    put(file, 2, n < LTTNG_SIZE_BY_FORMAT ? n : LTTNG_SIZE_BY_FORMAT);
    pad(file, common->arch_size);
}

/* The most bytes that an event of n bytes of payload takes, with its header and padding before and behind it. */
static size_t room_for(const struct lttng_output_file *file, size_t n)
{
    return n + HEADER_BYTES + 2u * (file->common.alignment ? file->common.arch_size - 1u : 0u);
}

static void put_event(struct lttng_output_file *file, uint32_t id, uint64_t tsc, const unsigned char *payload, size_t n)
{
    put_header(file, id, tsc, n);
    if (n > 0)
        memcpy(file->block + file->at, payload, n);
    file->at += (uint32_t)n;
    file->last = tsc;
}

static void put_heartbeat(struct lttng_output_file *file, uint64_t tsc)
{
    unsigned char payload[8];
    lttng_put(payload, 8, file->common.big, tsc);
    put_event(file, LTTNG_HEARTBEAT_64, tsc, payload, sizeof payload);
}

/* Has so much time passed since the last event that the bits of a stamp cannot show it? */
static bool is_far(const struct lttng_output_file *file, uint64_t tsc)
{
    unsigned bits = file->compact ? file->common.tscbits + file->common.truncate : 32u;
    return file->common.heartbeat && (tsc - file->last) >> bits != 0;
}

bool lttng_output_file_add(struct lttng_output_file *file, uint32_t id, uint64_t tsc, const unsigned char *payload,
                           size_t n)
{
    size_t room = room_for(file, n) + (file->common.heartbeat ? room_for(file, 8) : 0);
    bool first = is_empty(file);
    if (room > file->common.size - file->common.first)
        return false;
    if (file->at > 0 && room > file->common.size - file->at)
        write_block(file, (size_t)file->common.size);
    if (file->at == 0) {
        file->at = file->common.first;
        file->begin = file->last = tsc;
    }
    if (is_far(file, tsc) || (first && file->common.heartbeat))
        put_heartbeat(file, tsc);
    put_event(file, id, tsc, payload, n);
    return true;
}
