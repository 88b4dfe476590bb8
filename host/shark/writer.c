/* writer.c - raw trace files of the S.Ha.R.K. New Tracer: 16 bytes per record, little-endian, nothing else.
 *
 * Events that come from records are written as those records, to the bit. All others have no form in such a file: how
 * many there were, and what else the file cannot tell, is said on standard error.
 */
#include "base/bytes.h"
#include "events/shark_types.h"
#include "model/ticks.h"
#include "model/module.h"

#include "tlog_wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES 65536u

/* What is known about a type once its first event came by. */
struct origin {
    bool known;
    enum shark_origin origin;
    uint32_t code;
};

struct shark {
    struct trace *trace;
    int fd;
    size_t used; /* bytes of buffer */
    uint64_t left_out, marks;
    const char *example; /* name of a type that was left out */
    bool some;           /* record was written */
    uint32_t clock;      /* ticks per ms that a record told */
    struct origin origin[TRACE_TYPES_MAX];
    unsigned char buffer[BUFFER_BYTES];
};

static int flush(struct shark *shark)
{
    size_t done = 0;

    while (done < shark->used) {
        ssize_t n = write(shark->fd, shark->buffer + done, shark->used - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return trace_fail(shark->trace, "cannot write: %s", strerror(errno));
        done += (size_t)n;
    }
    shark->used = 0;
    return 0;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static const struct origin *origin_of(struct shark *shark, uint16_t type)
{
    struct origin *origin = &shark->origin[type];

    if (!origin->known) {
        origin->origin = shark_origin(shark->trace->types[type], &origin->code);
        origin->known = true;
    }
    return origin;
}

static void note_clock(struct shark *shark, uint32_t code, uint32_t par2)
{
    if (shark->clock == 0 && (code == FTrace_EVT_cycles_per_msec || code == FTrace_EVT_trace_start))
        shark->clock = par2;
}

static int write_record(struct shark *shark, const struct trace_event *event, uint32_t code, const unsigned char *pars)
{
    uint64_t ticks = ticks_first(event->time, shark->trace->clock_hz) + event->rest;
    bool unchecked = event->flags & TRACE_UNCHECKED;
    unsigned char *slot;

    if (shark->used == BUFFER_BYTES && flush(shark) != 0)
        return -1;
    slot = shark->buffer + shark->used;
    put_le16(slot, (uint16_t)(code | (unchecked ? TLOG_RECORD_FAST : 0)));
    put_le16(slot + 2, (uint16_t)get_le32(pars));
    put_le32(slot + 4, (uint32_t)(ticks >> 32));
    put_le32(slot + 8, (uint32_t)ticks);
    put_le32(slot + 12, get_le32(pars + 4));
    shark->used += TLOG_SLOT_BYTES;
    shark->some = true;
    if (!unchecked)
        note_clock(shark, code, get_le32(pars + 4));
    return 0;
}

static void leave_out(struct shark *shark, const struct trace_event *event)
{
    const struct trace_type *type = shark->trace->types[event->type];

    if (type->class == TRACE_LOSS || type->class == TRACE_DAMAGE) {
        shark->marks++;
        return;
    }
    shark->left_out++;
    shark->example = shark->example ? shark->example : type->name;
}

static int write_event(struct shark *shark, const struct trace_event *event)
{
    const struct origin *origin = origin_of(shark, event->type);

    if (origin->origin == SHARK_KNOWN && event->size >= 8u)
        return write_record(shark, event, origin->code, event->data);
    if (origin->origin == SHARK_IN_PAYLOAD && event->size >= 12u)
        return write_record(shark, event, get_le32(event->data), event->data + 4);
    leave_out(shark, event);
    return 0;
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

static void *shark_open(struct trace *trace, const struct trace_options *options, int fd)
{
    struct shark *shark = calloc(1, sizeof *shark);

    (void)options;
    if (shark == NULL) {
        trace_fail(trace, "no memory for the output buffer");
        return NULL;
    }
    shark->trace = trace;
    shark->fd = fd;
    return shark;
}

static int shark_write(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct shark *shark = writer;

    (void)cpu;
    for (size_t i = 0; i < batch->n; i++) {
        if (!(batch->event[i].flags & TRACE_DERIVED) && write_event(shark, &batch->event[i]) != 0)
            return -1;
    }
    return 0;
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
    va_list arguments;

    fputs("tlog-decode: shark: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

/* What whoever reads the file will miss. */
static void say_lacks(const struct shark *shark)
{
    const struct trace *trace = shark->trace;

    if (trace->quiet)
        return;
    if (shark->left_out > 0)
        say("%" PRIu64 " event%s left out, such as %s: the format holds S.Ha.R.K. records only", shark->left_out,
            shark->left_out == 1 ? "" : "s", shark->example);
    if (shark->marks > 0)
        say("%" PRIu64 " mark%s of lost or damaged events left out: the format has none", shark->marks,
            shark->marks == 1 ? "" : "s");
    if (trace->ncpus > 1)
        say("events of %u CPUs are merged: the format tells no CPU", trace->ncpus);
    if (trace->clock_hz != 0 && shark->clock * (uint64_t)1000 != trace->clock_hz)
        say("no record tells the clock exactly: give --clock-hz=%" PRIu64 " when it is read", trace->clock_hz);
}

static int finish(struct shark *shark)
{
    if (!shark->some && shark->left_out > 0)
        return trace_fail(shark->trace, "shark: the format holds S.Ha.R.K. records only, and no event is one");
    return flush(shark);
}

static int shark_close(void *writer, bool ok)
{
    struct shark *shark = writer;
    int result = ok ? finish(shark) : 0;

    if (ok && result == 0)
        say_lacks(shark);
    free(shark);
    return result;
}

const struct trace_writer writer_shark = {
    .name = "shark",
    .suffix = ".shark",
    .description = "raw trace file of the S.Ha.R.K. New Tracer, events that are its records only",
    .binary = true,
    .merged = true,
    .seeks = false,
    .native = true,
    .open = shark_open,
    .write = shark_write,
    .close = shark_close,
};
