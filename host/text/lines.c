/* lines.c - makes lines of text of events: see lines.h.
 *
 * A trace may have millions of events, so lines are not made by printf(): each function put_...() appends something at
 * a pointer into a large buffer and returns the pointer behind it. Before a line is begun need() makes sure that there
 * is room for all of it, so these functions check no room. What is the same in all lines of a type is prepared once.
 */
#include "text/lines.h"

#include "base/heap.h"
#include "base/digits.h"
#include "base/printable.h"
#include "base/text.h"
#include "io/output.h"
#include "model/display.h"
#include "text/print.h"
#include "text/report.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES 1048576u
#define ESCAPED      PRINTABLE_MOST
#define NUMBER       24u  /* room for a 64-bit number in any form, with a sign or "0x", or "?" */
#define NAME_SHOWN   512u /* bytes of a symbol's name that are shown; names in C++ can be of any length */
#define LINE_START   160u /* room for what is before the system's name and behind the fields, or for a loss */

/* What lines of a type have in common. */
struct shape {
    char *head;            /* " system:name:", then for each field " name=", each NUL-terminated */
    uint32_t *field_bytes; /* length of each " name=" */
    size_t head_bytes;
    size_t room;    /* bytes of the longest line, without the texts of strings */
    size_t strings; /* fields of kind TLOG_KIND_STRING: their texts may be as long as the payload */
};

struct text_lines {
    struct trace *trace;
    int fd;
    char *at;                         /* next free byte of buffer */
    struct report *report;            /* NULL: lines are full */
    unsigned naming;                  /* trace.naming when is_hex was set */
    bool is_hex[TLOG_KIND_WORDS + 1]; /* handles of objects, where the trace has no names of their kind */
    struct shape shape[TRACE_TYPES_MAX];
    char buffer[BUFFER_BYTES];
};

/* ---- output ------------------------------------------------------------------------------------------------------ */

/* Write what is in the buffer. 0, or -1 after trace_fail(). */
static int flush(struct text_lines *lines)
{
    size_t used = (size_t)(lines->at - lines->buffer);
    lines->at = lines->buffer;
    return output_put(lines->trace, lines->fd, lines->buffer, used);
}

/* Make room for a line of up to that many bytes. 0, or -1 after trace_fail(). */
static int need(struct text_lines *lines, size_t bytes)
{
    if (bytes <= (size_t)(lines->buffer + BUFFER_BYTES - lines->at))
        return 0;
    if (flush(lines) != 0)
        return -1;
    if (bytes > BUFFER_BYTES)
        return trace_fail(lines->trace, "an event needs a line of up to %zu bytes", bytes);
    return 0;
}

/* ---- numbers and words ------------------------------------------------------------------------------------------- */

/* Nanoseconds below 10^9: always nine digits. */
static char *put_fraction(char *to, uint32_t ns)
{
    for (int i = 7; i > 0; i -= 2) {
        memcpy(to + i, digit_pairs + 2u * (ns % 100u), 2);
        ns /= 100u;
    }
    to[0] = (char)('0' + ns);
    return to + 9;
}

/* A text up to its NUL or its end, as printable.h says. */
static char *put_text(char *to, const unsigned char *text, size_t size)
{
    return printable_put(to, (const char *)text, size, true);
}

/* A name that an input gives to something. */
static char *put_name(char *to, const char *name)
{
    return printable_put(to, name, strlen(name), true);
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* A little-endian number of up to 8 bytes. */
static uint64_t load(const unsigned char *data, size_t size)
{
    uint64_t value = 0;
    for (size_t i = size; i-- > 0;)
        value = value << 8 | data[i];
    return value;
}

/* symbol, symbol+0x..., or a number if the address is in no symbol. Not inlined into put_field(): numbers are far more
 * frequent, and printing them would be slower. */
static __attribute__((noinline)) char *put_address(char *to, const struct trace_firmware *firmware, uint64_t address)
{
    uint64_t offset;
    const struct trace_symbol *symbol = trace_symbol_at(firmware, address, &offset);
    if (symbol == NULL)
        return put_hex(to, address);
    to = printable_put(to, symbol->name, text_length(symbol->name, NAME_SHOWN), true);
    return offset > 0 ? put_hex(put_word(to, "+"), offset) : to;
}

/* The text of a TLOG_KIND_STRING with that value, offset and length; "?" if the payload does not have it. */
static char *put_string(char *to, const struct tlog_event *event, uint32_t value)
{
    uint32_t offset = value & 0xFFFFu;
    uint32_t length = value >> 16;
    if (offset > event->size || length > event->size - offset)
        return put_word(to, "?");
    return put_text(to, event->data + offset, length);
}

/* The value of a field; "?" if the payload does not have it, or it has no valid size. */
static char *put_field(char *to, const struct text_lines *lines, const struct tlog_event *event,
                       const struct tlog_field *field)
{
    size_t size = field->size;
    const unsigned char *data = event->data + field->offset;
    uint64_t value;
    if (field->offset > event->size || size > (size_t)event->size - field->offset)
        return put_word(to, "?");
    if (field->kind == TLOG_KIND_CHARS)
        return put_text(to, data, size);
    if (field->kind == TLOG_KIND_BYTES)
        return hex_put(to, data, size);
    if (size == 0 || size > 8u)
        return put_word(to, "?");
    value = load(data, size);
    switch (field->kind) {
    case TLOG_KIND_SIGNED:
        return put_signed(to, (uint64_t)((int64_t)(value << (64u - 8u * size)) >> (64u - 8u * size)));
    case TLOG_KIND_HEX:
        return put_hex(to, value);
    case TLOG_KIND_STRING:
        return put_string(to, event, (uint32_t)value);
    case TLOG_KIND_ADDRESS:
        return put_address(to, lines->trace->firmware, value);
    default:
        return lines->is_hex[field->kind] ? put_hex(to, value) : put_unsigned(to, value);
    }
}

/* Whether the field is one that is not shown because it is 0. */
static bool is_hidden(const struct tlog_type *type, const struct tlog_event *event, const struct tlog_field *field)
{
    return display_if_set(type, field) && field->offset + 4u <= event->size
           && load(event->data + field->offset, 4) == 0;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* Allocate what the shape of a type needs. 0, or -1: no memory. */
static int shape_allocate(struct shape *shape, const struct tlog_type *type)
{
    size_t bytes = ESCAPED * (strlen(type->system) + strlen(type->name)) + 3u;
    for (unsigned i = 0; i < type->nfields; i++)
        bytes += ESCAPED * strlen(type->fields[i].name) + 2u;
    shape->head = heap_alloc(bytes);
    shape->field_bytes = heap_calloc(type->nfields + 1u, sizeof *shape->field_bytes);
    return shape->head != NULL && shape->field_bytes != NULL ? 0 : -1;
}

/* Bytes that the value of a field takes at most, without the text of a string. */
static size_t field_room(const struct tlog_field *field)
{
    if (field->kind == TLOG_KIND_CHARS)
        return ESCAPED * (size_t)field->size;
    if (field->kind == TLOG_KIND_BYTES)
        return 2u * (size_t)field->size + NUMBER;
    return field->kind == TLOG_KIND_ADDRESS ? ESCAPED * NAME_SHOWN + NUMBER : NUMBER;
}

/* Fill in the shape of a type. */
static void shape_fill(struct shape *shape, const struct tlog_type *type)
{
    char *at = shape->head;
    *at++ = ' ';
    at = put_name(at, type->system);
    *at++ = ':';
    at = put_name(at, type->name);
    *at++ = ':';
    shape->head_bytes = (size_t)(at - shape->head);
    shape->room = LINE_START;
    for (unsigned i = 0; i < type->nfields; i++) {
        const struct tlog_field *field = &type->fields[i];
        char *start = at;
        *at++ = ' ';
        at = put_name(at, field->name);
        *at++ = '=';
        shape->field_bytes[i] = (uint32_t)(at - start);
        shape->room += field_room(field);
        shape->strings += field->kind == TLOG_KIND_STRING;
    }
    shape->room += (size_t)(at - shape->head);
}

/* The shape of an event's type, which is made when the first event of the type comes: readers may declare types at any
 * time. NULL after trace_fail(). */
static const struct shape *shape_of(struct text_lines *lines, const struct tlog_event *event)
{
    struct shape *shape = &lines->shape[event->type];
    if (shape->head_bytes > 0)
        return shape;
    if (shape_allocate(shape, lines->trace->types[event->type]) != 0) {
        trace_fail(lines->trace, "no memory for event types");
        return NULL;
    }
    shape_fill(shape, lines->trace->types[event->type]);
    return shape;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static const char *name_of(const struct text_lines *lines, uint32_t task)
{
    const char *name;
    if (lines->report != NULL)
        return report_task(lines->report, task);
    name = task == 0 ? "<idle>" : trace_name(lines->trace, TRACE_NAME_TASK, task);
    return name != NULL ? name : "<...>";
}

/* "name-pid": the name right-aligned in 16 characters, the pid left-aligned in 5. */
static char *put_task(char *to, const struct text_lines *lines, uint32_t task)
{
    const char *name = name_of(lines, task);
    size_t bytes = strlen(name);
    char *pid;
    for (size_t n = bytes; n < 16u; n++)
        *to++ = ' ';
    to = put_bytes(to, name, bytes);
    *to++ = '-';
    pid = to;
    to = put_unsigned(to, task);
    while (to < pid + 5)
        *to++ = ' ';
    return to;
}

/* Seconds with nine decimals, or ticks if the clock is not known. */
static char *put_time(char *to, const struct trace *trace, uint64_t time)
{
    *to++ = ' ';
    if (trace->clock_hz == 0) {
        to = put_padded(to, time, 12, ' ');
    } else {
        to = put_padded(to, time / 1000000000u, 5, ' ');
        *to++ = '.';
        to = put_fraction(to, (uint32_t)(time % 1000000000u));
    }
    *to++ = ':';
    return to;
}

static char *put_cpu(char *to, unsigned cpu)
{
    to = put_word(to, " [");
    to = put_padded(to, cpu, 3, '0');
    *to++ = ']';
    return to;
}

/* What every line of an event begins with. */
static char *put_start(char *to, const struct text_lines *lines, unsigned cpu, uint32_t task, uint64_t time)
{
    return put_time(put_cpu(put_task(to, lines, task), cpu), lines->trace, time);
}

/* " name=value" for each field that is shown. */
static char *put_fields(char *to, const struct text_lines *lines, const struct tlog_event *event,
                        const struct shape *shape)
{
    const struct tlog_type *type = lines->trace->types[event->type];
    const char *name = shape->head + shape->head_bytes;
    for (unsigned i = 0; i < type->nfields; i++) {
        if (!is_hidden(type, event, &type->fields[i])) {
            to = put_bytes(to, name, shape->field_bytes[i]);
            to = put_field(to, lines, event, &type->fields[i]);
        }
        name += shape->field_bytes[i];
    }
    return to;
}

/* Find out of which kinds numbers are hexadecimal, again after a name was given. */
static void learn_names(struct text_lines *lines)
{
    for (unsigned kind = TLOG_KIND_MUTEX; kind <= TLOG_KIND_OBJECT_LAST; kind++)
        lines->is_hex[kind] =
            display_is_handle((enum tlog_kind)kind) && !display_by_name(lines->trace, (enum tlog_kind)kind);
    lines->naming = lines->trace->naming;
}

/* The full line of an event. 0, or -1 after trace_fail(). */
static int write_full(struct text_lines *lines, unsigned cpu, const struct tlog_event *event)
{
    const struct shape *shape = shape_of(lines, event);
    char context[TRACE_CONTEXT_NAME_BYTES];
    const char *name;
    char *to;
    if (lines->naming != lines->trace->naming)
        learn_names(lines);
    if (shape == NULL || need(lines, shape->room + shape->strings * ESCAPED * event->size) != 0)
        return -1;
    to = put_start(lines->at, lines, cpu, event->task, event->time);
    to = put_bytes(to, shape->head, shape->head_bytes);
    to = put_fields(to, lines, event, shape);
    name = event->context != 0 ? trace_context_name(event->context, context) : NULL;
    if (name != NULL)
        to = put_word(put_word(put_word(to, " ("), name), ")");
    if (event->flags & TLOG_FLAG_EMERGENCY)
        to = put_word(to, " (emergency slot)");
    *to++ = '\n';
    lines->at = to;
    return 0;
}

/* The line of a loss or damage. 0, or -1 after trace_fail(). */
static int write_loss(struct text_lines *lines, unsigned cpu, const struct tlog_event *event, bool damage)
{
    uint64_t count = event->size >= 8u ? load(event->data, 8) : 0;
    char *to;
    if (need(lines, LINE_START) != 0)
        return -1;
    to = put_word(lines->at, "CPU:");
    to = put_unsigned(to, cpu);
    to = put_word(to, damage ? " [DAMAGED INPUT" : " [");
    if (damage && count > 0)
        to = put_word(to, ": ");
    if (count > 0)
        to = put_word(put_unsigned(to, count), damage ? " EVENTS" : " ");
    lines->at = put_word(to, damage ? "]\n" : "EVENTS DROPPED]\n");
    return 0;
}

/* ---- lines of trace-cmd report ----------------------------------------------------------------------------------- */

/* " name: ", padded to the longest name of the kernel's events. */
static char *put_event_name(char *to, const char *name)
{
    char *end = to + 23;
    *to++ = ' ';
    to = put_bytes(put_name(to, name), ": ", 2);
    while (to < end)
        *to++ = ' ';
    return to;
}

/* The line of a loss that stands before the next event of its CPU, if there is one. */
static void write_mark(struct text_lines *lines, unsigned cpu)
{
    uint64_t count;
    if (!report_take_loss(lines->report, cpu, &count))
        return;
    lines->at = put_unsigned(put_word(lines->at, "CPU:"), cpu);
    lines->at = put_word(lines->at, " [");
    if (count > 0)
        lines->at = put_word(put_unsigned(lines->at, count), " ");
    lines->at = put_word(lines->at, "EVENTS DROPPED]\n");
}

/* 0, or -1 after trace_fail(). */
static int write_reported(struct text_lines *lines, unsigned cpu, const struct tlog_event *event)
{
    const struct tlog_type *type = lines->trace->types[event->type];
    char *to;
    if (report_cpu(lines->report, cpu) != 0)
        return trace_fail(lines->trace, "no memory for CPU %u", cpu);
    if (type->means == TLOG_MEANS_LOSS || type->means == TLOG_MEANS_DAMAGE) {
        report_lose(lines->report, cpu, event);
        return 0;
    }
    if (need(lines, 2u * LINE_START + ESCAPED * strlen(type->name) + PRINT_MOST) != 0)
        return -1;
    write_mark(lines, cpu);
    report_pass(lines->report, cpu, event->time);
    to = put_start(lines->at, lines, cpu, event->task, event->time);
    to = report_event(lines->report, put_event_name(to, type->name), event);
    if (to == NULL)
        return trace_fail(lines->trace, "no memory for event types");
    *to++ = '\n';
    lines->at = to;
    return 0;
}

/* Put the losses that no event follows, and the event that trace.dat has behind each. 0, or -1 after trace_fail(). */
static int write_ends(struct text_lines *lines)
{
    for (unsigned cpu = 0; lines->report != NULL && cpu < report_cpus(lines->report); cpu++) {
        struct tlog_event end;
        char *to;
        if (!report_end(lines->report, cpu, &end))
            continue;
        if (need(lines, 2u * LINE_START) != 0)
            return -1;
        write_mark(lines, cpu);
        to = put_start(lines->at, lines, cpu, end.task, end.time);
        lines->at = put_word(put_event_name(to, TRACE_END_NAME), TRACE_END_TEXT "\n");
    }
    return 0;
}

/* ---- the interface ----------------------------------------------------------------------------------------------- */

struct text_lines *text_lines_open(struct trace *trace, int fd, bool full)
{
    struct text_lines *lines = heap_alloc(sizeof *lines);
    struct report *report = full ? NULL : report_new(trace);
    if (lines == NULL || (report == NULL && !full)) {
        report_free(report);
        heap_free(lines);
        trace_fail(trace, "no memory for the text buffer");
        return NULL;
    }
    memset(lines->shape, 0, sizeof lines->shape);
    lines->report = report;
    lines->trace = trace;
    lines->naming = trace->naming - 1u;
    memset(lines->is_hex, 0, sizeof lines->is_hex);
    lines->fd = fd;
    lines->at = lines->buffer;
    return lines;
}

void text_lines_begin(struct text_lines *lines)
{
    lines->at = put_word(lines->at, "cpus=");
    lines->at = put_unsigned(lines->at, lines->trace->ncpus);
    *lines->at++ = '\n';
}

/* Put a full line; none for a derived event, which the target did not log. 0, or -1 after trace_fail(). */
static int write_event(struct text_lines *lines, unsigned cpu, const struct tlog_event *event)
{
    enum tlog_meaning means = lines->trace->types[event->type]->means;
    if (event->flags & TLOG_FLAG_DERIVED)
        return 0;
    if (means == TLOG_MEANS_LOSS || means == TLOG_MEANS_DAMAGE)
        return write_loss(lines, cpu, event, means == TLOG_MEANS_DAMAGE);
    return write_full(lines, cpu, event);
}

int text_lines_write(struct text_lines *lines, unsigned cpu, const struct trace_batch *batch)
{
    for (size_t i = 0; i < batch->n; i++) {
        const struct tlog_event *event = &batch->event[i];
        if ((lines->report != NULL ? write_reported : write_event)(lines, cpu, event) != 0)
            return -1;
    }
    return 0;
}

int text_lines_flush(struct text_lines *lines)
{
    return flush(lines);
}

int text_lines_close(struct text_lines *lines, bool ok)
{
    int result = ok && write_ends(lines) == 0 ? flush(lines) : ok ? -1 : 0;
    report_free(lines->report);
    for (unsigned i = 0; i < TRACE_TYPES_MAX; i++) {
        heap_free(lines->shape[i].head);
        heap_free(lines->shape[i].field_bytes);
    }
    heap_free(lines);
    return result;
}
