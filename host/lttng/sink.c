/* sink.c - one file of an LTTng 1.0 trace that is written: see sink.h. */
#include "lttng/sink.h"

#include "model/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int lttng_sink_open(struct lttng_sink *sink, int directory, const char *path)
{
    sink->at = 0;
    sink->block = malloc(sink->form.size);
    sink->fd = openat(directory, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (sink->fd < 0)
        return trace_fail(sink->trace, "%s: %s", path, strerror(errno));
    if (sink->block == NULL)
        return trace_fail(sink->trace, "no memory for a block of %llu bytes", (unsigned long long)sink->form.size);
    return 0;
}

void lttng_sink_drop(struct lttng_sink *sink)
{
    if (sink->fd >= 0)
        close(sink->fd);
    free(sink->block);
    sink->block = NULL;
    sink->fd = -1;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static void write_block(struct lttng_sink *sink)
{
    size_t size = (size_t)sink->form.size, done = 0;
    struct lttng_header header = sink->form;

    header.begin = sink->begin;
    header.end = sink->last;
    header.lost = (uint32_t)size - sink->at;
    lttng_header_write(&header, sink->block, sink->arch_type);
    memset(sink->block + sink->at, 0, header.lost);
    while (done < size && !sink->trace->failed) {
        ssize_t n = write(sink->fd, sink->block + done, size - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            trace_fail(sink->trace, "cannot write: %s", strerror(errno));
        else
            done += (size_t)n;
    }
    sink->at = 0;
}

int lttng_sink_close(struct lttng_sink *sink, uint64_t tsc)
{
    if (sink->last == 0 && sink->at == 0 && !sink->trace->failed && lseek(sink->fd, 0, SEEK_CUR) == 0)
        lttng_sink_event(sink, LTTNG_HEARTBEAT_32, tsc, NULL, 0);
    if (sink->at > 0 && !sink->trace->failed)
        write_block(sink);
    if (close(sink->fd) != 0)
        trace_fail(sink->trace, "cannot write: %s", strerror(errno));
    sink->fd = -1;
    lttng_sink_drop(sink);
    return sink->trace->failed ? -1 : 0;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void put(struct lttng_sink *sink, unsigned size, uint64_t value)
{
    lttng_put(sink->block + sink->at, size, sink->form.big, value);
    sink->at += size;
}

static void pad(struct lttng_sink *sink, unsigned size)
{
    uint32_t n = lttng_pad(sink->at, size, sink->form.alignment);

    memset(sink->block + sink->at, 0, n);
    sink->at += n;
}

static void put_header(struct lttng_sink *sink, uint32_t id, uint64_t tsc, size_t n)
{
    const struct lttng_header *form = &sink->form;

    if (sink->compact) {
        pad(sink, 4);
        put(sink, 4, (uint64_t)id << form->tscbits | (tsc >> form->truncate & ((UINT64_C(1) << form->tscbits) - 1u)));
        return;
    }
    pad(sink, form->arch_size);
    put(sink, form->heartbeat ? 4 : 8, tsc);
    put(sink, 2, id);
    put(sink, 2, n < LTTNG_SIZE_BY_FORMAT ? n : LTTNG_SIZE_BY_FORMAT);
    pad(sink, form->arch_size);
}

/* The most an event can take. */
static size_t room_for(const struct lttng_sink *sink, size_t n)
{
    return n + 12u + 2u * (sink->form.alignment ? sink->form.arch_size - 1u : 0u);
}

static void put_event(struct lttng_sink *sink, uint32_t id, uint64_t tsc, const unsigned char *payload, size_t n)
{
    put_header(sink, id, tsc, n);
    if (n > 0)
        memcpy(sink->block + sink->at, payload, n);
    sink->at += (uint32_t)n;
    sink->last = tsc;
}

static void put_heartbeat(struct lttng_sink *sink, uint64_t tsc)
{
    unsigned char payload[8];

    lttng_put(payload, 8, sink->form.big, tsc);
    put_event(sink, LTTNG_HEARTBEAT_64, tsc, payload, sizeof payload);
}

/* A stamp tells the first time not before the last one that ends in its bits. */
static bool is_far(const struct lttng_sink *sink, uint64_t tsc)
{
    unsigned bits = sink->compact ? sink->form.tscbits + sink->form.truncate : 32u;

    return sink->form.heartbeat && (tsc - sink->last) >> bits != 0;
}

bool lttng_sink_event(struct lttng_sink *sink, uint32_t id, uint64_t tsc, const unsigned char *payload, size_t n)
{
    size_t room = room_for(sink, n) + (sink->form.heartbeat ? room_for(sink, 8) : 0);
    bool first = sink->at == 0 && sink->last == 0 && lseek(sink->fd, 0, SEEK_CUR) == 0;

    if (room > sink->form.size - LTTNG_HEADER_1_0)
        return false;
    if (sink->at > 0 && room > sink->form.size - sink->at)
        write_block(sink);
    if (sink->at == 0) {
        sink->at = LTTNG_HEADER_1_0;
        sink->begin = sink->last = tsc;
    }
    if (is_far(sink, tsc) || (first && sink->form.heartbeat))
        put_heartbeat(sink, tsc);
    put_event(sink, id, tsc, payload, n);
    return true;
}
