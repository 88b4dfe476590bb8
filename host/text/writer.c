/* writer.c - one line per event, in the layout of trace-cmd report.
 *
 *             sensor-1     [000]  1234.567890123: shark:user_event_0: par1=4660 par2=3735928559
 *
 * Every line is put together by hand in a large buffer; what a type contributes to all its lines is prepared once.
 */
#include "text/lines.h"
#include "model/module.h"

#include "model/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES 1048576u
#define ESCAPED      4u   /* bytes a byte of text may take: \x1b */
#define NUMBER       24u  /* room for a 64-bit number in any form, and a word to go with it */
#define NAME_SHOWN   512u /* bytes of a symbol's name; mangled ones can be of any length */
#define LINE_START                                                                                                     \
    160u /* room for all that stands before the system's name and behind the fields, and for a loss line */

/* A type's share of its lines. */
struct shape {
    char *head;            /* " system:name:", then for each field " name=", each NUL-terminated */
    uint32_t *field_bytes; /* length of each " name=" */
    size_t head_bytes;
    size_t room;    /* the longest line without the texts of strings */
    size_t strings; /* fields whose text lies in the rest of the payload */
};

struct text {
    struct trace *trace;
    int fd;
    char *at; /* next free byte of buffer */
    struct shape shape[TRACE_TYPES_MAX];
    char buffer[BUFFER_BYTES];
};

/* ---- output ------------------------------------------------------------------------------------------------------ */

static int flush(struct text *text)
{
    const char *from = text->buffer;

    while (from < text->at) {
        ssize_t n = write(text->fd, from, (size_t)(text->at - from));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return trace_fail(text->trace, "cannot write: %s", strerror(errno));
        from += n;
    }
    text->at = text->buffer;
    return 0;
}

/* Make sure that a line of that many bytes fits. */
static int need(struct text *text, size_t bytes)
{
    if (bytes <= (size_t)(text->buffer + BUFFER_BYTES - text->at))
        return 0;
    if (flush(text) != 0)
        return -1;
    if (bytes > BUFFER_BYTES)
        return trace_fail(text->trace, "an event needs a line of up to %zu bytes", bytes);
    return 0;
}

/* ---- numbers and words ------------------------------------------------------------------------------------------- */

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                  "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                  "8081828384858687888990919293949596979899";

static char *put_bytes(char *to, const char *from, size_t n)
{
    memcpy(to, from, n);
    return to + n;
}

static char *put_word(char *to, const char *word)
{
    return put_bytes(to, word, strlen(word));
}

/* Writes backwards from end and returns the first digit. */
static char *digits_before(char *end, uint64_t value)
{
    while (value >= 100u) {
        end -= 2;
        memcpy(end, digit_pairs + 2u * (value % 100u), 2);
        value /= 100u;
    }
    if (value < 10u) {
        *--end = (char)('0' + value);
        return end;
    }
    end -= 2;
    memcpy(end, digit_pairs + 2u * value, 2);
    return end;
}

static char *put_padded(char *to, uint64_t value, size_t width, char pad)
{
    char digits[20];
    char *end = digits + sizeof digits;
    char *first = digits_before(end, value);

    for (size_t n = (size_t)(end - first); n < width; n++)
        *to++ = pad;
    return put_bytes(to, first, (size_t)(end - first));
}

static char *put_unsigned(char *to, uint64_t value)
{
    return put_padded(to, value, 0, ' ');
}

static char *put_signed(char *to, uint64_t value)
{
    if (value >> 63 == 0)
        return put_unsigned(to, value);
    *to++ = '-';
    return put_unsigned(to, 0u - value);
}

static char *put_hex(char *to, uint64_t value)
{
    int shift = 60;

    *to++ = '0';
    *to++ = 'x';
    while (shift > 0 && value >> shift == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        *to++ = "0123456789abcdef"[value >> shift & 15u];
    return to;
}

/* Nanoseconds, always nine digits. */
static char *put_fraction(char *to, uint32_t ns)
{
    for (int i = 7; i > 0; i -= 2) {
        memcpy(to + i, digit_pairs + 2u * (ns % 100u), 2);
        ns /= 100u;
    }
    to[0] = (char)('0' + ns);
    return to + 9;
}

static char *put_escape(char *to, unsigned char byte)
{
    static const char letters[] = "\n\t\r\\";
    const char *letter = memchr(letters, byte, 4);

    *to++ = '\\';
    if (letter != NULL) {
        *to++ = "ntr\\"[letter - letters];
        return to;
    }
    *to++ = 'x';
    *to++ = "0123456789abcdef"[byte >> 4];
    *to++ = "0123456789abcdef"[byte & 15u];
    return to;
}

/* Text up to its NUL or its end. The backslash is escaped too, so that the text can be told back. */
static char *put_text(char *to, const unsigned char *text, size_t size)
{
    for (size_t i = 0; i < size && text[i] != '\0'; i++) {
        if (text[i] < ' ' || text[i] == 0x7F || text[i] == '\\')
            to = put_escape(to, text[i]);
        else
            *to++ = (char)text[i];
    }
    return to;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static uint64_t load(const unsigned char *data, size_t size)
{
    uint64_t value = 0;

    for (size_t i = size; i-- > 0;)
        value = value << 8 | data[i];
    return value;
}

/* Not inlined: numbers, which are far more, would pay for it. */
static __attribute__((noinline)) char *put_address(char *to, const struct trace_image *image, uint64_t address)
{
    uint64_t offset;
    const struct trace_symbol *symbol = trace_symbol_at(image, address, &offset);

    if (symbol == NULL)
        return put_hex(to, address);
    to = put_bytes(to, symbol->name, strnlen(symbol->name, NAME_SHOWN));
    *to++ = '+';
    return put_hex(to, offset);
}

static char *put_string(char *to, const struct trace_event *event, uint32_t place)
{
    uint32_t offset = place & 0xFFFFu;
    uint32_t length = place >> 16;

    if (offset > event->size || length > event->size - offset)
        return put_word(to, "?");
    return put_text(to, event->data + offset, length);
}

static char *put_field(char *to, const struct trace *trace, const struct trace_event *event,
                       const struct trace_field *field)
{
    size_t size = field->size;
    const unsigned char *data = event->data + field->offset;
    uint64_t value;

    if (field->offset > event->size || size > (size_t)event->size - field->offset)
        return put_word(to, "?");
    if (field->kind == TRACE_CHARS)
        return put_text(to, data, size);
    if (size == 0 || size > 8u)
        return put_word(to, "?");
    value = load(data, size);
    switch (field->kind) {
    case TRACE_SIGNED:
        return put_signed(to, (uint64_t)((int64_t)(value << (64u - 8u * size)) >> (64u - 8u * size)));
    case TRACE_HEX:
        return put_hex(to, value);
    case TRACE_STRING:
        return put_string(to, event, (uint32_t)value);
    case TRACE_ADDRESS:
        return put_address(to, trace->image, value);
    default:
        return put_unsigned(to, value);
    }
}

static bool is_hidden(const struct trace_event *event, const struct trace_field *field)
{
    return field->kind == TRACE_OPTIONAL && field->offset + 4u <= event->size
           && load(event->data + field->offset, 4) == 0;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static int shape_allocate(struct shape *shape, const struct trace_type *type)
{
    size_t bytes = strlen(type->system) + strlen(type->name) + 3u;

    for (unsigned i = 0; i < type->nfields; i++)
        bytes += strlen(type->fields[i].name) + 2u;
    shape->head = malloc(bytes);
    shape->field_bytes = calloc(type->nfields + 1u, sizeof *shape->field_bytes);
    return shape->head != NULL && shape->field_bytes != NULL ? 0 : -1;
}

static void shape_fill(struct shape *shape, const struct trace_type *type)
{
    char *at = shape->head;

    *at++ = ' ';
    at = put_word(at, type->system);
    *at++ = ':';
    at = put_word(at, type->name);
    *at++ = ':';
    shape->head_bytes = (size_t)(at - shape->head);
    shape->room = LINE_START;
    for (unsigned i = 0; i < type->nfields; i++) {
        const struct trace_field *field = &type->fields[i];
        char *start = at;

        *at++ = ' ';
        at = put_word(at, field->name);
        *at++ = '=';
        shape->field_bytes[i] = (uint32_t)(at - start);
        shape->room += field->kind == TRACE_CHARS     ? ESCAPED * (size_t)field->size
                       : field->kind == TRACE_ADDRESS ? NAME_SHOWN + NUMBER
                                                      : NUMBER;
        shape->strings += field->kind == TRACE_STRING;
    }
    shape->room += (size_t)(at - shape->head);
}

/* The shape of an event's type, made when the first event of it comes by: readers may declare types at any time. */
static const struct shape *shape_of(struct text *text, const struct trace_event *event)
{
    struct shape *shape = &text->shape[event->type];

    if (shape->head_bytes > 0)
        return shape;
    if (shape_allocate(shape, text->trace->types[event->type]) != 0) {
        trace_fail(text->trace, "no memory for event types");
        return NULL;
    }
    shape_fill(shape, text->trace->types[event->type]);
    return shape;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static char *put_task(char *to, const struct trace *trace, uint32_t task)
{
    const char *name = task == 0 ? "<idle>" : trace_name(trace, TRACE_NAME_TASK, task);
    size_t bytes;
    char *pid;

    if (name == NULL)
        name = "<...>";
    bytes = strlen(name);
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

static int write_event(struct text *text, unsigned cpu, const struct trace_event *event)
{
    const struct trace_type *type = text->trace->types[event->type];
    const struct shape *shape = shape_of(text, event);
    char context[CONTEXT_NAME_BYTES];
    const char *name;
    char *to;

    if (shape == NULL || need(text, shape->room + shape->strings * ESCAPED * event->size) != 0)
        return -1;
    to = put_task(text->at, text->trace, event->task);
    to = put_cpu(to, cpu);
    to = put_time(to, text->trace, event->time);
    to = put_bytes(to, shape->head, shape->head_bytes);
    name = shape->head + shape->head_bytes;
    for (unsigned i = 0; i < type->nfields; i++) {
        if (!is_hidden(event, &type->fields[i])) {
            to = put_bytes(to, name, shape->field_bytes[i]);
            to = put_field(to, text->trace, event, &type->fields[i]);
        }
        name += shape->field_bytes[i];
    }
    name = event->context != 0 ? context_name(event->context, context) : NULL;
    if (name != NULL)
        to = put_word(put_word(put_word(to, " ("), name), ")");
    if (event->flags & TRACE_EMERGENCY)
        to = put_word(to, " (emergency slot)");
    *to++ = '\n';
    text->at = to;
    return 0;
}

static int write_loss(struct text *text, unsigned cpu, const struct trace_event *event, bool damage)
{
    uint64_t count = event->size >= 8u ? load(event->data, 8) : 0;
    char *to;

    if (need(text, LINE_START) != 0)
        return -1;
    to = put_word(text->at, "CPU:");
    to = put_unsigned(to, cpu);
    to = put_word(to, damage ? " [DAMAGED INPUT" : " [");
    if (damage && count > 0)
        to = put_word(to, ": ");
    if (count > 0)
        to = put_word(put_unsigned(to, count), damage ? " EVENTS" : " ");
    text->at = put_word(to, damage ? "]\n" : "EVENTS DROPPED]\n");
    return 0;
}

/* ---- interface, and the module -------------------------------------------------------------------------------------------------- */

void *text_lines_open(struct trace *trace, int fd)
{
    struct text *text = malloc(sizeof *text);

    if (text == NULL) {
        trace_fail(trace, "no memory for the text buffer");
        return NULL;
    }
    memset(text->shape, 0, sizeof text->shape);
    text->trace = trace;
    text->fd = fd;
    text->at = text->buffer;
    return text;
}

int text_lines_write(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct text *text = writer;

    for (size_t i = 0; i < batch->n; i++) {
        const struct trace_event *event = &batch->event[i];
        enum trace_class class = text->trace->types[event->type]->class;
        int failed;

        if (event->flags & TRACE_DERIVED)
            continue;
        if (class == TRACE_LOSS || class == TRACE_DAMAGE)
            failed = write_loss(text, cpu, event, class == TRACE_DAMAGE);
        else
            failed = write_event(text, cpu, event);
        if (failed)
            return -1;
    }
    return 0;
}

int text_lines_close(void *writer, bool ok)
{
    struct text *text = writer;
    int result = ok ? flush(text) : 0;

    for (unsigned i = 0; i < TRACE_TYPES_MAX; i++) {
        free(text->shape[i].head);
        free(text->shape[i].field_bytes);
    }
    free(text);
    return result;
}

static void *text_open(struct trace *trace, const struct trace_options *options, int fd)
{
    struct text *text = text_lines_open(trace, fd);

    (void)options;
    if (text == NULL)
        return NULL;
    text->at = put_word(text->at, "cpus=");
    text->at = put_unsigned(text->at, trace->ncpus);
    *text->at++ = '\n';
    return text;
}

const struct trace_writer writer_text = {
    .name = "text",
    .suffix = ".txt",
    .description = "one line per event, in the layout of trace-cmd report",
    .binary = false,
    .merged = true,
    .seeks = false,
    .open = text_open,
    .write = text_lines_write,
    .close = text_lines_close,
};
