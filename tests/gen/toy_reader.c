/* toy_reader.c - a reader of a format of eight bytes an event, as host/README.md tells how to add one: see
 * tests/system/toy_reader.sh.
 *
 *   "TOYTRACE" | u32 time in ns, u32 value | u32 time, u32 value ...     all little-endian
 */
#include "base/bytes.h"
#include "base/cursor.h"
#include "io/input.h"
#include "model/module.h"

#include <stdlib.h>
#include <string.h>

enum { MAGIC_BYTES = 8, EVENT_BYTES = 8 };

static const struct tlog_field fields[] = {{"value", TLOG_KIND_UNSIGNED, 0, 4}};
static const struct tlog_type type = {"toy", "value", TLOG_MEANS_PLAIN, 4, 1, fields, NULL};

struct toy {
    struct trace *trace;
    struct cursor cursor;
    uint16_t type;
};

static enum trace_probe toy_probe(struct input *in)
{
    char magic[MAGIC_BYTES];
    return input_read(in, 0, magic, sizeof magic) == sizeof magic && memcmp(magic, "TOYTRACE", sizeof magic) == 0
               ? TRACE_MINE
               : TRACE_NOT_MINE;
}

static void *toy_open(struct trace *trace, struct input *in)
{
    struct toy *toy = calloc(1, sizeof *toy);
    if (toy == NULL) {
        trace_fail(trace, "no memory");
        return NULL;
    }
    toy->trace = trace;
    toy->cursor = input_cursor(in, MAGIC_BYTES, input_size(in), false);
    toy->type = trace_type(trace, &type);
    trace->ncpus = 1;
    trace->clock_hz = 1000000000;
    return toy;
}

static int toy_read(void *reader, unsigned cpu, struct trace_batch *batch)
{
    struct toy *toy = reader;
    unsigned char *data;
    (void)cpu;
    while (cursor_left(&toy->cursor) >= EVENT_BYTES && (data = trace_batch_room(batch, 4)) != NULL) {
        struct tlog_event *event = &batch->event[batch->n++];
        memset(event, 0, sizeof *event);
        event->time = cursor_32(&toy->cursor);
        put_le32(data, cursor_32(&toy->cursor));
        event->type = toy->type;
        event->data = data;
        event->size = 4;
        toy->trace->counts.events++;
        toy->trace->counts.last = event->time;
    }
    if (batch->n == 0 && cursor_left(&toy->cursor) > 0) {
        trace_damage(toy->trace, cursor_place(&toy->cursor), cursor_left(&toy->cursor), 1, "a cut event");
        cursor_skip(&toy->cursor, cursor_left(&toy->cursor));
    }
    return batch->n > 0;
}

static void toy_close(void *reader)
{
    free(reader);
}

const struct trace_reader reader_toy = {
    .name = "toy",
    .description = "eight bytes an event",
    .probe = toy_probe,
    .open = toy_open,
    .read = toy_read,
    .close = toy_close,
};
