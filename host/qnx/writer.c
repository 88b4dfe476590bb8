/* writer.c - event files as QNX's tracelogger writes them, little-endian: qnx/file.h.
 *
 * Events that come from traceevents are these again. Of others, switches, wake-ups and interrupts are QNX's, if the
 * event has nothing to tell but that: a context is a thread of process 2, and the idle task the CPU's idle thread, of
 * process 1. Everything else is a user event with a text, "system:name field=value ...", whose number is that of its type,
 * modulo 1024.
 *
 * Times go back to ticks of the trace's clock, exactly (ticks.h); CYCLES_PER_SEC tells the clock. A loss is a CONTROL
 * DROPPED with its count in both words, low one first, which the attribute TRACE_TLOG_COUNTS says; QNX's own have none.
 */
#include "base/bytes.h"
#include "qnx/file.h"
#include "events/qnx_types.h"
#include "model/ticks.h"
#include "model/module.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_SLOTS 1014u                /* of QNX's kernel buffers */
#define BUFFER_FULL  714u                 /* slots from which on it is handed over */
#define EVENT_MAX    (QNX_SLOTS_MAX * 8u) /* bytes of data in an event */
#define PROCESS      2u                   /* of tasks that are no threads of QNX */
#define IDLE_PROCESS 1u                   /* of the idle task: its threads are those of CPU 0, CPU 1, ... from 1 on */
#define TASKS        65536u               /* contexts that get a name there */

/* What is known about a type once its first event came by. */
struct shape {
    bool known, is_qnx;
    struct qnx_origin origin;
};

struct kev {
    struct trace *trace;
    int fd;
    unsigned release;
    bool named, is_qnx;
    unsigned name_cpu;        /* whose stream has the names */
    uint32_t sequence;        /* of the buffer at hand */
    size_t slots;             /* in it */
    bool timed[KEV_CPUS_MAX]; /* a TIME in this buffer */
    uint32_t high[KEV_CPUS_MAX];
    uint64_t texts, cut; /* events that became texts; of these, too long ones */
    uint64_t left_out;   /* events whose CPU has no number */
    uint64_t ticks;      /* of the last event */
    struct shape shape[TRACE_TYPES_MAX];
    unsigned char buffer[BUFFER_SLOTS * KEV_SLOT_BYTES];
};

/* ---- output ----------------------------------------------------------------------------------------------------- */

static int put_bytes(struct kev *kev, const void *bytes, size_t n)
{
    const unsigned char *from = bytes;

    while (n > 0) {
        ssize_t done = write(kev->fd, from, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return trace_fail(kev->trace, "cannot write: %s", strerror(errno));
        from += done;
        n -= (size_t)done;
    }
    return 0;
}

/* The number of slots was not known when the buffer began. */
static int flush(struct kev *kev)
{
    size_t n = kev->slots;

    if (n == 0)
        return 0;
    put_le32(kev->buffer + 12, (uint32_t)n);
    kev->slots = 0;
    return put_bytes(kev, kev->buffer, n * KEV_SLOT_BYTES);
}

/* ---- slots ------------------------------------------------------------------------------------------------------ */

static unsigned char *put_slot(struct kev *kev, uint32_t header, uint32_t stamp)
{
    unsigned char *slot = kev->buffer + kev->slots++ * KEV_SLOT_BYTES;

    put_le32(slot, header);
    put_le32(slot + 4, stamp);
    memset(slot + 8, 0, 8);
    return slot + 8;
}

static void put_control(struct kev *kev, unsigned cpu, uint32_t event, uint32_t stamp, uint32_t first, uint32_t second)
{
    unsigned char *data = put_slot(kev, (uint32_t)cpu << 24 | _TRACE_CONTROL_C | event, stamp);

    put_le32(data, first);
    put_le32(data + 4, second);
}

/* Make room for the slots of an event, and tell what a reader must know before them. */
static int prepare(struct kev *kev, unsigned cpu, uint64_t ticks)
{
    uint32_t low = (uint32_t)ticks, high = (uint32_t)(ticks >> 32);

    if (kev->slots >= BUFFER_FULL && flush(kev) != 0)
        return -1;
    if (kev->slots == 0) {
        memset(kev->timed, 0, sizeof kev->timed);
        kev->sequence = (kev->sequence + 1u) % KEV_SEQUENCES;
        put_control(kev, cpu, TLOG_CONTROL_BUFFER, low, kev->sequence, 0);
    }
    if (!kev->timed[cpu] || kev->high[cpu] != high)
        put_control(kev, cpu, TLOG_CONTROL_TIME, low, high, low);
    kev->timed[cpu] = true;
    kev->high[cpu] = high;
    kev->ticks = ticks;
    return 0;
}

static int put_event(struct kev *kev, unsigned cpu, uint64_t ticks, uint32_t header, const unsigned char *data,
                     size_t bytes)
{
    size_t n = bytes <= 8u ? 1u : (bytes + 7u) / 8u;

    if (prepare(kev, cpu, ticks) != 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        uint32_t part = n == 1u       ? _TRACE_STRUCT_S
                        : i == 0      ? _TRACE_STRUCT_CB
                        : i + 1u == n ? _TRACE_STRUCT_CE
                                      : _TRACE_STRUCT_CC;
        size_t left = bytes - 8u * i;

        memcpy(put_slot(kev, part | (uint32_t)cpu << 24 | header, (uint32_t)ticks), data + 8u * i,
               left < 8u ? left : 8u);
    }
    return 0;
}

/* ---- fields ----------------------------------------------------------------------------------------------------- */

static uint64_t load(const struct trace_event *event, const struct trace_field *field)
{
    uint64_t value = 0;

    if (field->size > 8u || (size_t)field->offset + field->size > event->size)
        return 0;
    for (size_t i = field->size; i-- > 0;)
        value = value << 8 | event->data[field->offset + i];
    return value;
}

/* The text of a TRACE_STRING or TRACE_CHARS field: its length, without the NUL. */
static size_t text_of(const struct trace_event *event, const struct trace_field *field, const char **text)
{
    uint64_t place = field->kind == TRACE_STRING ? load(event, field) : field->offset | (uint64_t)field->size << 16;
    size_t offset = place & 0xFFFFu, size = (size_t)(place >> 16);

    *text = "";
    if (offset + size > event->size)
        return 0;
    *text = (const char *)event->data + offset;
    return strnlen(*text, size);
}

static bool is_text(const struct trace_field *field)
{
    return field->kind == TRACE_STRING || field->kind == TRACE_CHARS;
}

/* ---- traceevents ------------------------------------------------------------------------------------------------ */

static const struct shape *shape_of(struct kev *kev, uint16_t type)
{
    struct shape *shape = &kev->shape[type];

    if (!shape->known)
        shape->is_qnx = qnx_origin(kev->trace->types[type], kev->release, &shape->origin);
    shape->known = true;
    return shape;
}

/* Words of data written in hexadecimal. */
static size_t read_hex_words(unsigned char *data, const char *text, size_t length)
{
    size_t n = 0;

    for (size_t at = 0; at + 8u <= length && n < EVENT_MAX; at += 9u, n += 4u) {
        char digits[9] = "";

        memcpy(digits, text + at, 8);
        put_le32(data + n, (uint32_t)strtoul(digits, NULL, 16));
    }
    return n;
}

/* The words of data, without the zeros at the end that such an event need not have. */
static size_t put_words(unsigned char *data, const struct trace_event *event, const struct trace_field *field,
                        const struct qnx_origin *origin)
{
    size_t n = 0;

    for (unsigned i = 0; i < origin->words; i++) {
        uint32_t word = (uint32_t)load(event, &field[i]);

        put_le32(data + (size_t)4u * i, word);
        if (word != 0 || i < origin->least)
            n = i + 1u;
    }
    return 4u * (origin->text ? origin->words : n);
}

static int write_qnx(struct kev *kev, unsigned cpu, const struct trace_event *event, const struct qnx_origin *origin)
{
    const struct trace_field *field = kev->trace->types[event->type]->fields;
    uint64_t ticks = ticks_first(event->time, kev->trace->clock_hz) + event->rest;
    uint32_t class = origin->class, number = origin->event;
    unsigned char data[EVENT_MAX + 8u] = {0};
    const char *text;
    size_t bytes, length;

    if (origin->in_payload) {
        class = origin->first == 2u ? (uint32_t)load(event, &field[0]) : class;
        number = (uint32_t)load(event, &field[origin->first - 1u]);
    }
    field += origin->first;
    bytes = origin->data ? 0 : put_words(data, event, field, origin);
    if (origin->text) {
        length = text_of(event, &field[origin->words], &text);
        length = origin->data || length < EVENT_MAX - bytes ? length : EVENT_MAX - bytes - 1u;
        if (!origin->data)
            memcpy(data + bytes, text, length);
        bytes = origin->data ? read_hex_words(data, text, length) : bytes + length + 1u;
    }
    bytes = bytes < (size_t)4u * origin->least ? (size_t)4u * origin->least : bytes;
    return put_event(kev, cpu, ticks, (class << 10 & _NTO_TRACE_CLASS_BITS) | (number & _NTO_TRACE_EVENT_BITS), data,
                     bytes);
}

/* ---- all other events ------------------------------------------------------------------------------------------- */

/* Whether there is nothing in the event but a number, which stands first. */
static bool is_plain(const struct kev *kev, const struct trace_event *event)
{
    const struct trace_type *type = kev->trace->types[event->type];

    if (type->nfields == 0 || type->fields[0].size != 4u || is_text(&type->fields[0]))
        return false;
    for (unsigned i = 1; i < type->nfields; i++) {
        if (is_text(&type->fields[i]) || load(event, &type->fields[i]) != 0)
            return false;
    }
    return (event->flags & TRACE_UNCHECKED) == 0;
}

/* The event of QNX that says the same. 0: there is none. */
static uint32_t equal_of(const struct kev *kev, const struct trace_event *event)
{
    enum trace_class class = kev->trace->types[event->type]->class;

    if (!is_plain(kev, event))
        return 0;
    return class == TRACE_SWITCH      ? _TRACE_PR_TH_C | TLOG_TRACE_THRUNNING
           : class == TRACE_WAKE      ? _TRACE_PR_TH_C | TLOG_TRACE_THREADY
           : class == TRACE_IRQ_ENTRY ? _TRACE_INT_C | TLOG_TRACE_INT_ENTRY
           : class == TRACE_IRQ_EXIT  ? _TRACE_INT_C | TLOG_TRACE_INT_EXIT
                                      : 0;
}

static int write_equal(struct kev *kev, unsigned cpu, const struct trace_event *event, uint32_t header)
{
    uint64_t ticks = ticks_first(event->time, kev->trace->clock_hz) + event->rest;
    uint32_t number = (uint32_t)load(event, &kev->trace->types[event->type]->fields[0]);
    bool thread = (header & _NTO_TRACE_CLASS_BITS) == _TRACE_PR_TH_C, idle = thread && number == 0;
    unsigned char data[8];

    put_le32(data, idle ? IDLE_PROCESS : thread ? PROCESS : number);
    put_le32(data + 4, idle ? cpu + 1u : thread ? number : 0);
    return put_event(kev, cpu, ticks, header, data, sizeof data);
}

static int64_t signed_of(uint64_t value, size_t size)
{
    switch (size) {
    case 1:
        return (int8_t)value;
    case 2:
        return (int16_t)value;
    case 4:
        return (int32_t)value;
    default:
        return (int64_t)value;
    }
}

static int print_address(char *to, size_t room, const struct trace_image *image, const char *name, uint64_t address)
{
    uint64_t offset;
    const struct trace_symbol *symbol = trace_symbol_at(image, address, &offset);

    if (symbol == NULL)
        return snprintf(to, room, " %s=0x%" PRIx64, name, address);
    return snprintf(to, room, " %s=%s+0x%" PRIx64, name, symbol->name, offset);
}

/* The length that the field would have if there were room for it. */
static size_t print_field(char *to, size_t room, const struct trace_image *image, const struct trace_event *event,
                          const struct trace_field *field)
{
    uint64_t value = load(event, field);
    const char *text;
    int n;

    if (is_text(field)) {
        int length = (int)text_of(event, field, &text);

        n = snprintf(to, room, " %s=%.*s", field->name, length, text);
    } else if (field->kind == TRACE_SIGNED) {
        n = snprintf(to, room, " %s=%" PRId64, field->name, signed_of(value, field->size));
    } else if (field->kind == TRACE_ADDRESS) {
        n = print_address(to, room, image, field->name, value);
    } else if (field->kind == TRACE_HEX) {
        n = snprintf(to, room, " %s=0x%" PRIx64, field->name, value);
    } else {
        n = snprintf(to, room, " %s=%" PRIu64, field->name, value);
    }
    return n < 0 ? 0 : (size_t)n;
}

/* A text that has no room for all of its length bytes ends in dots. The bytes that it has. */
static size_t end_text(struct kev *kev, char text[EVENT_MAX], size_t length)
{
    if (length < EVENT_MAX)
        return length;
    memcpy(text + EVENT_MAX - sizeof "...", "...", sizeof "...");
    kev->cut++;
    return EVENT_MAX - 1u;
}

static int write_text(struct kev *kev, unsigned cpu, const struct trace_event *event)
{
    const struct trace_type *type = kev->trace->types[event->type];
    uint64_t ticks = ticks_first(event->time, kev->trace->clock_hz) + event->rest;
    char text[EVENT_MAX] = "";
    int n = snprintf(text, sizeof text, "%s:%s", type->system, type->name);
    size_t used = n < 0 ? 0 : (size_t)n;

    for (unsigned i = 0; i < type->nfields && used < sizeof text; i++) {
        if (type->fields[i].kind != TRACE_OPTIONAL || load(event, &type->fields[i]) != 0)
            used += print_field(text + used, sizeof text - used, kev->trace->image, event, &type->fields[i]);
    }
    kev->texts++;
    used = end_text(kev, text, used);
    return put_event(kev, cpu, ticks, _TRACE_USER_C | (event->type & _NTO_TRACE_EVENT_BITS),
                     (const unsigned char *)text, used + 1u);
}

static int write_loss(struct kev *kev, unsigned cpu, const struct trace_event *event)
{
    uint64_t ticks = ticks_first(event->time, kev->trace->clock_hz) + event->rest;
    uint64_t count = event->size >= 8u ? get_le64(event->data) : 0;

    if (prepare(kev, cpu, ticks) != 0)
        return -1;
    put_control(kev, cpu, TLOG_CONTROL_DROPPED, (uint32_t)ticks, (uint32_t)count, (uint32_t)(count >> 32));
    return 0;
}

/* ---- the head of the file --------------------------------------------------------------------------------------- */

/* A value of an attribute must not look like the beginning of one. */
static void put_value(char *to, size_t room, const char *value)
{
    size_t n;

    for (n = 0; n + 1u < room && value[n] != '\0'; n++)
        to[n] = value[n] == ':' || strncmp(value + n, "TRACE_", 6) == 0 ? '-' : value[n];
    to[n] = '\0';
}

static int write_header(struct kev *kev)
{
    const struct trace *trace = kev->trace;
    char head[1024], release[32] = "6.4.1", machine[KEV_ATTRIBUTE_MAX] = "tlog";
    int n;

    if (trace->target != NULL && sscanf(trace->target, "QNX %31[0-9.]", release) == 1)
        put_value(machine, sizeof machine, strchr(trace->target + 4, ' ') ? strchr(trace->target + 4, ' ') + 1 : "");
    else if (trace->target != NULL)
        put_value(machine, sizeof machine, trace->target);
    kev->is_qnx = trace->target != NULL && strncmp(trace->target, "QNX", 3) == 0;
    kev->release = (unsigned)strtoul(release, NULL, 10);
    n = snprintf(head, sizeof head,
                 KEV_HEADER_BEGIN "TRACE_FILE_NAME::trace.kevTRACE_DATE::Thu Jan  1 00:00:00 1970TRACE_VER_MAJOR::1"
                                  "TRACE_VER_MINOR::01TRACE_LITTLE_ENDIAN::TRUETRACE_ENCODING::16 byte events"
                                  "TRACE_BOOT_DATE::Thu Jan  1 00:00:00 1970TRACE_CYCLES_PER_SEC::%" PRIu64
                                  "TRACE_CPU_NUM::%uTRACE_SYSNAME::QNXTRACE_NODENAME::localhostTRACE_SYS_RELEASE::%s"
                                  "TRACE_SYS_VERSION::tlog-decodeTRACE_MACHINE::%sTRACE_SYSPAGE_LEN::0"
                                  "TRACE_TLOG_COUNTS::1" KEV_HEADER_END,
                 ticks_clock(trace->clock_hz), trace->ncpus < KEV_CPUS_MAX ? trace->ncpus : KEV_CPUS_MAX, release,
                 machine);
    return put_bytes(kev, head, (size_t)n);
}

static void add_name(void *ctx, uint32_t id, const char *name)
{
    struct kev *kev = ctx;
    unsigned char data[8 + 32 + 1] = {0};
    size_t length = strnlen(name, 32);

    if (id == 0 || id >= TASKS)
        return;
    put_le32(data, PROCESS);
    put_le32(data + 4, id);
    memcpy(data + 8, name, length);
    put_event(kev, kev->name_cpu, kev->ticks, _TRACE_PR_TH_C | TLOG_TRACE_PROCTHREAD_NAME, data, 8u + length + 1u);
}

/* Before the first event and at its time: names of tasks that no event of QNX's tells. A loss at the beginning of a CPU
 * stays at its beginning. */
static int put_names(struct kev *kev, unsigned cpu, const struct trace_event *event)
{
    kev->named = true;
    kev->name_cpu = cpu;
    kev->ticks = ticks_first(event->time, kev->trace->clock_hz) + event->rest;
    if (!kev->is_qnx)
        trace_each_name(kev->trace, TRACE_NAME_TASK, add_name, kev);
    return kev->trace->failed ? -1 : 0;
}

/* ---- the module ------------------------------------------------------------------------------------------------- */

static int write_event(struct kev *kev, unsigned cpu, const struct trace_event *event)
{
    enum trace_class class = kev->trace->types[event->type]->class;
    const struct shape *shape = shape_of(kev, event->type);
    uint32_t equal;

    if (cpu >= KEV_CPUS_MAX) {
        kev->left_out++;
        return 0;
    }
    if (class == TRACE_LOSS || class == TRACE_DAMAGE)
        return write_loss(kev, cpu, event);
    if (!kev->named && put_names(kev, cpu, event) != 0)
        return -1;
    if (shape->is_qnx)
        return write_qnx(kev, cpu, event, &shape->origin);
    equal = equal_of(kev, event);
    return equal != 0 ? write_equal(kev, cpu, event, equal) : write_text(kev, cpu, event);
}

static void *kev_open(struct trace *trace, const struct trace_options *options, int fd)
{
    struct kev *kev = calloc(1, sizeof *kev);

    (void)options;
    if (kev == NULL) {
        trace_fail(trace, "no memory for the output buffer");
        return NULL;
    }
    kev->trace = trace;
    kev->fd = fd;
    if (write_header(kev) != 0) {
        free(kev);
        return NULL;
    }
    return kev;
}

static int kev_write(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct kev *kev = writer;

    for (size_t i = 0; i < batch->n; i++) {
        if (!(batch->event[i].flags & TRACE_DERIVED) && write_event(kev, cpu, &batch->event[i]) != 0)
            return -1;
    }
    return 0;
}

/* What whoever reads the file will miss. */
static void say_lacks(const struct kev *kev)
{
    const struct trace *trace = kev->trace;

    if (trace->quiet)
        return;
    if (kev->texts > 0)
        fprintf(stderr, "tlog-decode: kev: %" PRIu64 " event%s that QNX does not have written as user events\n",
                kev->texts, kev->texts == 1u ? "" : "s");
    if (kev->cut > 0)
        fprintf(stderr, "tlog-decode: kev: %" PRIu64 " event%s too long for QNX's, cut after %u bytes\n", kev->cut,
                kev->cut == 1u ? "" : "s", EVENT_MAX - 1u);
    if (kev->left_out > 0)
        fprintf(stderr, "tlog-decode: kev: %" PRIu64 " event%s of CPUs from %u on left out: the format has no more\n",
                kev->left_out, kev->left_out == 1u ? "" : "s", KEV_CPUS_MAX);
    if (trace->clock_hz == 0)
        fprintf(stderr, "tlog-decode: kev: clock frequency unknown: the file says 1 GHz\n");
}

static int kev_close(void *writer, bool ok)
{
    struct kev *kev = writer;
    int result = ok ? flush(kev) : 0;

    if (ok && result == 0)
        say_lacks(kev);
    free(kev);
    return result;
}

const struct trace_writer writer_kev = {
    .name = "kev",
    .suffix = ".kev",
    .description = "event file as QNX's tracelogger writes it, little-endian",
    .binary = true,
    .merged = true,
    .seeks = false,
    .native = true,
    .open = kev_open,
    .write = kev_write,
    .close = kev_close,
};
