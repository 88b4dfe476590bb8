/* writer.c - writes raw trace files of the S.Ha.R.K. New Tracer, which shark/file.h describes.
 *
 * Events that come from records are written as those records, to the bit. Other events cannot be written in such a
 * file. A message at the end says how many there were, and what else the file cannot hold.
 */
#include "base/heap.h"
#include "base/bytes.h"
#include "events/shark_types.h"
#include "io/output.h"
#include "base/text.h"
#include "model/module.h"
#include "model/clock.h"
#include "formats/shark/file.h"
#include "tlog_wire.h"

#include <inttypes.h>
#include <string.h>

#define BUFFER_BYTES 65536u

/* Where a type's events come from: found out when the first event of the type comes. */
struct type_origin {
    bool known; /* the rest is set */
    enum shark_origin origin;
    uint32_t code; /* if the origin is SHARK_KNOWN */
};

struct shark {
    struct trace *trace;
    int fd;
    size_t used;         /* bytes of buffer */
    uint64_t left_out;   /* events that are no records */
    uint64_t marks;      /* losses and damages, which are not written either */
    const char *example; /* name of the first type that was left out; NULL: none was */
    bool some;           /* a record was written */
    uint32_t clock;      /* ticks per ms, as the first record that tells it has them; 0: none did */
    struct type_origin origin[TRACE_TYPES_MAX];
    unsigned char buffer[BUFFER_BYTES];
};

/* Write what is in the buffer. 0, or -1 after trace_fail(). */
static int flush(struct shark *shark)
{
    size_t used = shark->used;
    shark->used = 0;
    return output_put(shark->trace, shark->fd, shark->buffer, used);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* Where the events of a type come from. */
static const struct type_origin *origin_of(struct shark *shark, uint16_t type)
{
    struct type_origin *origin = &shark->origin[type];
    if (!origin->known) {
        origin->origin = shark_origin(shark->trace->types[type], &origin->code);
        origin->known = true;
    }
    return origin;
}

/* Remember the clock if a record that was written tells it. */
static void note_clock(struct shark *shark, uint32_t code, uint32_t par2)
{
    if (shark->clock == 0 && (code == FTrace_EVT_cycles_per_msec || code == FTrace_EVT_trace_start))
        shark->clock = par2;
}

/* Write a record with the event's time; pars: u32 par1, par2. 0, or -1 after trace_fail(). */
static int write_record(struct shark *shark, const struct tlog_event *event, uint32_t code, const unsigned char *pars)
{
    uint64_t ticks = ticks_first(event->time, shark->trace->clock_hz) + event->rest;
    bool unchecked = event->flags & TLOG_FLAG_UNCHECKED;
    unsigned char *record;
    if (shark->used == BUFFER_BYTES && flush(shark) != 0)
        return -1;
    record = shark->buffer + shark->used;
    put_le16(record + SHARK_CODE, (uint16_t)(code | (unchecked ? SHARK_FAST : 0)));
    put_le16(record + SHARK_PAR1, (uint16_t)get_le32(pars));
    put_le32(record + SHARK_TICKS_HIGH, (uint32_t)(ticks >> 32));
    put_le32(record + SHARK_TICKS_LOW, (uint32_t)ticks);
    put_le32(record + SHARK_PAR2, get_le32(pars + 4));
    shark->used += SHARK_RECORD_BYTES;
    shark->some = true;
    if (!unchecked)
        note_clock(shark, code, get_le32(pars + 4));
    return 0;
}

/* Count an event that cannot be written. */
static void leave_out(struct shark *shark, const struct tlog_event *event)
{
    const struct tlog_type *type = shark->trace->types[event->type];
    if (type->means == TLOG_MEANS_LOSS || type->means == TLOG_MEANS_DAMAGE) {
        shark->marks++;
        return;
    }
    shark->left_out++;
    shark->example = shark->example != NULL ? shark->example : type->name;
}

/* Write an event as the record that it comes from, or leave it out. 0, or -1 after trace_fail(). */
static int write_event(struct shark *shark, const struct tlog_event *event)
{
    const struct type_origin *origin = origin_of(shark, event->type);
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
    struct shark *shark = heap_calloc(1, sizeof *shark);
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
        if (!(batch->event[i].flags & TLOG_FLAG_DERIVED) && write_event(shark, &batch->event[i]) != 0)
            return -1;
    }
    return 0;
}

/* Tell the user what of the trace is not in the file. */
static void say_what_is_missing(const struct shark *shark)
{
    const struct trace *trace = shark->trace;
    trace_leave_out(shark->trace, "shark", shark->left_out,
                    "the format holds S.Ha.R.K. records only; one such as %s is none", shark->example);
    if (shark->marks > 0)
        trace_tell(trace, "shark: %" PRIu64 " mark%s of lost or damaged events left out: the format has none",
                   shark->marks, text_plural(shark->marks));
    if (trace->ncpus > 1)
        trace_tell(trace, "shark: events of %u CPUs are merged: the format tells no CPU", trace->ncpus);
    if (trace->clock_hz != 0 && shark->clock * (uint64_t)1000 != trace->clock_hz)
        trace_tell(trace, "shark: no record tells the clock exactly: give --clock-hz=%" PRIu64 " when it is read",
                   trace->clock_hz);
}

/* Write the rest. It is an error if there were events, but none of them was a record: the file would be empty. */
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
        say_what_is_missing(shark);
    heap_free(shark);
    return result;
}

const struct trace_writer writer_shark = {
    .name = "shark",
    .suffix = ".shark",
    .description = "raw trace file of the S.Ha.R.K. New Tracer, its records only, for S.Ha.R.K.'s tools",
    .binary = true,
    .merged = true,
    .native = true,
    .open = shark_open,
    .write = shark_write,
    .close = shark_close,
};
