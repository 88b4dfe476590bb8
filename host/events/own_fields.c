/* own_fields.c - see own_fields.h. */
#include "events/own_fields.h"

#include "base/heap.h"
#include "base/bytes.h"
#include "base/text.h"
#include "events/nesting.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the fields are called that stand for one field of a descriptor. */
#define ELEMENT "%s_%u"   /* an element of an array, counted from 0 */
#define SHOWN   "%s_text" /* the text of a number that trace.dat has no type for */
#define UNIT    "%s_unit" /* a unit that print formats cannot have */

/* ---- print formats ----------------------------------------------------------------------------------------------- */

/* Whether the unit has characters that are not ASCII: libtraceevent does not read them in a print format. Then it is a
 * field of its own. */
static bool unit_is_field(const struct own_field *field)
{
    for (const char *c = field->unit; *c != '\0'; c++) {
        if (((unsigned char)*c & 0x80u) != 0)
            return true;
    }
    return false;
}

/* A text inside of quotation marks: it has neither these nor backslashes, and a percent sign is written twice. */
static void put_text(struct growing_text *to, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '%')
            text_add(to, "%%");
        text_add(to, "%c", *text);
    }
}

/* The conversion for the field, or for a number in it. libtraceevent extends the sign of a short field only if the
 * conversion says how short it is. */
static const char *conversion(const struct own_field *field)
{
    static const char *const is_signed[] = {[1] = "%hhd", [2] = "%hd", [4] = "%d", [8] = "%lld"};
    switch (field->form) {
    case OWN_SIGNED:
        return is_signed[field->size];
    case OWN_HEX:
        return field->size == 8u ? "0x%llx" : "0x%x";
    case OWN_FLOAT:
    case OWN_TEXT:
        return "%s";
    case OWN_ENUM:
    case OWN_FLAGS:
        if (field->nnames > 0)
            return "%s";
        break;
    case OWN_POINTER:
        return "%pS";
    case OWN_UNSIGNED:
        break;
    }
    return field->size == 8u ? "%llu" : "%u";
}

static void put_conversions(struct growing_text *to, const struct own_field *field)
{
    text_add(to, "%s=%s", field->name, field->elements > 0 ? "[" : "");
    for (unsigned i = 0; i == 0 || i < field->elements; i++)
        text_add(to, "%s%s", i > 0 ? " " : "", conversion(field));
    text_add(to, "%s", field->elements > 0 ? "]" : "");
    if (unit_is_field(field))
        text_add(to, "%%s");
    else
        put_text(to, field->unit);
}

/* The names of a field's numbers behind the field: __print_symbolic(REC->state, { 0x0, "IDLE" }). */
static void put_names(struct growing_text *to, const struct own_field *field)
{
    if (field->form == OWN_ENUM)
        text_add(to, ", __print_symbolic(REC->%s", field->name);
    else
        text_add(to, ", __print_flags(REC->%s, \"|\"", field->name);
    for (unsigned i = 0; i < field->nnames; i++)
        text_add(to, ", { 0x%" PRIx64 ", \"%s\" }", field->names[i].value, field->names[i].text);
    text_add(to, ")");
}

static void put_arguments(struct growing_text *to, const struct own_field *field)
{
    if (field->form == OWN_FLOAT)
        text_add(to, ", __get_str(" SHOWN ")", field->name);
    else if (field->form == OWN_TEXT)
        text_add(to, ", __get_str(%s)", field->name);
    else if (field->nnames > 0)
        put_names(to, field);
    else if (field->elements == 0)
        text_add(to, ", REC->%s", field->name);
    for (unsigned i = 0; i < field->elements; i++)
        text_add(to, ", REC->" ELEMENT, field->name, i);
    if (unit_is_field(field))
        text_add(to, ", __get_str(" UNIT ")", field->name);
}

/* The print format of all fields, in libtraceevent's words: "ch=%u mv=%hdmV", REC->ch, REC->mv. An event without fields
 * shows "()", because viewers take an empty text for an error. NULL: no memory. */
static char *print_format_of(const struct own_descriptor *descriptor)
{
    struct growing_text text = {0}, *to = &text;
    text_add(to, "%s", descriptor->nfields == 0 ? "\"()" : "\"");
    for (unsigned i = 0; i < descriptor->nfields; i++) {
        text_add(to, "%s", i > 0 ? " " : "");
        put_conversions(to, &descriptor->field[i]);
    }
    text_add(to, "\"");
    for (unsigned i = 0; i < descriptor->nfields; i++)
        put_arguments(to, &descriptor->field[i]);
    if (!text.failed)
        return text.bytes;
    heap_free(text.bytes);
    return NULL;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static enum tlog_kind kind_of(const struct own_field *field)
{
    return field->form == OWN_SIGNED || field->form == OWN_FLOAT ? TLOG_KIND_SIGNED
           : field->form == OWN_HEX                              ? TLOG_KIND_HEX
           : field->form == OWN_POINTER                          ? TLOG_KIND_ADDRESS
           : field->form == OWN_TEXT                             ? TLOG_KIND_STRING
                                                                 : TLOG_KIND_UNSIGNED;
}

/* Add a field of the type. */
static struct tlog_field *add_field(struct own_type *type, enum tlog_kind kind, uint32_t offset, uint32_t size)
{
    struct tlog_field *field = &type->field[type->type.nfields];
    *field = (struct tlog_field){type->names[type->type.nfields], kind, (uint16_t)offset, (uint16_t)size};
    type->type.nfields++;
    return field;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void name_field(const struct own_type *type, const char *format, const char *name, unsigned i)
{
    snprintf(type->names[type->type.nfields], OWN_FIELD_ROOM, format, name, i);
}
#pragma GCC diagnostic pop

/* Add a field that is not in the data, at *added, which goes behind it. */
static void add_behind(struct own_type *type, enum tlog_kind kind, const char *format, const char *name,
                       uint32_t *added)
{
    uint32_t size = kind == TLOG_KIND_STRING ? 4u : 8u;
    name_field(type, format, name, 0);
    add_field(type, kind, *added, size);
    *added += size;
}

/* Add the fields for one of the descriptor's. *added: offset of the next one that is not in the data. put_more() puts
 * them in the same order. */
static void add_fields(struct own_type *type, const struct own_field *field, uint32_t *added)
{
    for (unsigned i = 0; i < field->elements; i++) {
        name_field(type, ELEMENT, field->name, i);
        add_field(type, TLOG_KIND_UNSIGNED, field->offset + i * field->size, field->size);
    }
    if (field->form == OWN_FLOAT || field->form == OWN_TEXT) {
        add_behind(type, kind_of(field), "%s", field->name, added);
    } else if (field->elements == 0) {
        name_field(type, "%s", field->name, 0);
        add_field(type, kind_of(field), field->offset, field->size);
    }
    if (field->form == OWN_FLOAT)
        add_behind(type, TLOG_KIND_STRING, SHOWN, field->name, added);
    if (unit_is_field(field))
        add_behind(type, TLOG_KIND_STRING, UNIT, field->name, added);
}

/* Make the fields of a span's beginning or end, by which nesting.c knows them. */
static void make_span(struct own_type *type, enum own_tag tag)
{
    bool begins = tag == OWN_TAG_BEGIN;
    type->type.fields = begins ? spans_begin_fields : spans_end_fields;
    type->type.nfields = begins ? SPANS_BEGIN_FIELDS : SPANS_END_FIELDS;
    type->type.size = begins ? SPANS_BEGIN_BYTES : SPANS_END_BYTES;
    type->type.print = begins ? spans_begin_print : spans_end_print;
    type->is_plain = begins;
}

/* How many fields the type may get: 1 at least. */
static size_t count_fields(const struct own_descriptor *of)
{
    size_t n = 1;
    for (unsigned i = 0; i < of->nfields; i++)
        n += (of->field[i].elements > 0 ? of->field[i].elements : 1u) + 2u;
    return n;
}

/* Make the fields of any other event. False: no memory. */
static bool make_fields(struct own_type *type, const struct own_descriptor *of)
{
    uint32_t added = 4u * of->words, data = of->words > 2u ? (4u * of->words + 7u) & ~7u : 8u;
    size_t most = count_fields(of);
    type->names = heap_calloc(most, sizeof *type->names);
    type->field = heap_calloc(most, sizeof *type->field);
    type->type.print = type->print = print_format_of(of);
    if (type->names == NULL || type->field == NULL || type->print == NULL)
        return false;
    type->added = (uint16_t)added;
    type->is_plain = true;
    for (unsigned i = 0; i < of->nfields; i++) {
        add_fields(type, &of->field[i], &added);
        type->is_plain = type->is_plain && of->field[i].form != OWN_POINTER;
    }
    type->is_plain = type->is_plain && added == type->added;
    type->type.fields = type->field;
    type->type.size = (uint16_t)(type->is_plain ? data : added);
    return true;
}

void own_type_free(struct own_type *type)
{
    if (type == NULL)
        return;
    heap_free(type->print);
    heap_free(type->names);
    heap_free(type->field);
    heap_free(type);
}

/* Whether a type of the trace has the name already. */
static bool is_taken(const struct trace *trace, const char *system, const char *name)
{
    for (unsigned i = 0; i < trace->ntypes; i++) {
        if (strcmp(trace->types[i]->system, system) == 0 && strcmp(trace->types[i]->name, name) == 0)
            return true;
    }
    return false;
}

/* Name the type: with _2, _3 ... behind a name that is taken, because users look for events by name. */
static void name_type(struct own_type *type, const struct trace *trace, const struct own_descriptor *of,
                      enum own_tag tag)
{
    static const char *const suffix[OWN_TAGS] = {"", SPANS_BEGIN_SUFFIX, SPANS_END_SUFFIX};
    snprintf(type->name, sizeof type->name, "%s%s", of->name, suffix[tag]);
    for (unsigned n = 2; is_taken(trace, of->system, type->name); n++)
        snprintf(type->name, sizeof type->name, "%s%s_%u", of->name, suffix[tag], n);
    type->type.system = of->system;
    type->type.name = type->name;
}

struct own_type *own_type_declare(struct trace *trace, const struct own_descriptor *of, enum own_tag tag)
{
    struct own_type *type = heap_calloc(1, sizeof *type);
    if (type != NULL && of->kind == OWN_SPAN)
        make_span(type, tag);
    if (type == NULL || (of->kind != OWN_SPAN && !make_fields(type, of))) {
        own_type_free(type);
        trace_fail(trace, "%s: no memory for types of event", trace->input_name);
        return NULL;
    }
    name_type(type, trace, of, tag);
    type->index = trace_type(trace, &type->type);
    return type;
}

/* ---- floating point numbers -------------------------------------------------------------------------------------- */

#define WHOLE          0x1p52 /* numbers from here on have no decimals */
#define SHORT_MOST     1e9    /* numbers of so few digits are short */
#define SHORT_DECIMALS 6u     /* ... and have no more decimals */

double own_float_at(const unsigned char *from, unsigned size)
{
    uint64_t bits = size == 4u ? get_le32(from) : get_le64(from);
    uint32_t low = (uint32_t)bits;
    float single;
    double value;
    memcpy(&single, &low, sizeof single);
    memcpy(&value, &bits, sizeof value);
    return size == 4u ? (double)single : value;
}

/* Write a whole number below 2^63 with so many decimals, and no NUL. Returns the length. */
static size_t put_decimals(char *to, int64_t number, unsigned decimals)
{
    char digits[OWN_FLOAT_TEXT], *at = digits + sizeof digits;
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    for (unsigned i = 0; left > 0 || i <= decimals; i++, left /= 10u) {
        if (i == decimals && i > 0)
            *--at = '.';
        *--at = (char)('0' + left % 10u);
    }
    if (number < 0)
        *--at = '-';
    memcpy(to, at, (size_t)(digits + sizeof digits - at));
    return (size_t)(digits + sizeof digits - at);
}

/* Write a number that has few digits, without printf(), which takes far longer. The result is right: a quotient of two
 * whole numbers that a double holds exactly is rounded as strtod() rounds; and no number of so few digits is so near to
 * the middle of two floats that rounding twice could matter. Returns the length; 0: it has more digits. */
static size_t put_short(char *to, double value, unsigned size)
{
    double factor = 1;
    if (!(value > -SHORT_MOST && value < SHORT_MOST) || value == 0)
        return 0;
    for (unsigned decimals = 0; decimals <= SHORT_DECIMALS; decimals++, factor *= 10) {
        int64_t number = own_float_round(value * factor);
        double back = (double)number / factor;
        if (number < (int64_t)SHORT_MOST && -number < (int64_t)SHORT_MOST
            && (size == 4u ? (double)(float)back : back) == value)
            return put_decimals(to, number, decimals);
    }
    return 0;
}

/* Few digits are enough nearly always. */
size_t own_float_text(char *to, double value, unsigned size)
{
    int digits = size == 4u ? 6 : 15, most = size == 4u ? 9 : 17, n = (int)put_short(to, value, size);
    to[n] = '\0';
    if (n > 0)
        return (size_t)n;
    if (value != value)
        return (size_t)snprintf(to, OWN_FLOAT_TEXT, "nan");
    do {
        n = snprintf(to, OWN_FLOAT_TEXT, "%.*g", digits, value);
    } while ((size == 4u ? (double)strtof(to, NULL) : strtod(to, NULL)) != value && digits++ < most);
    return text_point(to);
}

int64_t own_float_round(double value)
{
    if (value != value)
        return 0;
    if (value >= 0x1p63)
        return INT64_MAX;
    if (value < -0x1p63)
        return INT64_MIN;
    if (value >= WHOLE || value <= -WHOLE)
        return (int64_t)value;
    return (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}

/* ---- payloads ---------------------------------------------------------------------------------------------------- */

/* Bytes of the event's text, with its NUL; 0 if it has none, or it has no end. */
static size_t text_of(const struct own_descriptor *of, struct own_data from)
{
    size_t at = 4u * (size_t)of->words, end = 4u * (size_t)from.n;
    const unsigned char *nul = of->has_text && at < end ? memchr(from.words + at, '\0', end - at) : NULL;
    return nul != NULL ? (size_t)(nul - from.words) - at + 1u : 0;
}

/* Whether the event has the data that the descriptor says: all, and no more than the last slot has to have. */
static bool is_of(const struct own_descriptor *of, struct own_data from)
{
    size_t text = text_of(of, from), words = of->words + (text + 3u) / 4u;
    return 4u * words <= OWN_BYTES_MAX && from.n >= words && (from.n - words <= 1u || from.n <= 2u)
           && (text > 0 || !of->has_text);
}

/* A pointer to a function of Thumb code has bit 0 set: clear it where a function begins. */
static void clear_thumb(const struct trace_firmware *firmware, unsigned char *at)
{
    uint32_t value = get_le32(at);
    uint64_t offset = 1;
    const struct trace_symbol *symbol = (value & 1u) != 0 ? trace_symbol_at(firmware, value - 1u, &offset) : NULL;
    if (symbol != NULL && offset == 0 && strchr("TtWw", symbol->type) != NULL)
        put_le32(at, value - 1u);
}

/* What is added behind the data of an event. */
struct more {
    unsigned char *data;
    size_t at;   /* of the next field */
    size_t used; /* with the texts */
};

/* Add a text of n bytes with its NUL, to which the next field leads. */
static void add_text(struct more *more, const void *text, size_t n)
{
    memcpy(more->data + more->used, text, n);
    put_le32(more->data + more->at, (uint32_t)more->used | (uint32_t)n << 16);
    more->used += n;
    more->at += 4u;
}

/* Add a floating point number as a whole one and as a text. */
static void add_float(struct more *more, const unsigned char *from, unsigned size)
{
    double value = own_float_at(from, size);
    char text[OWN_FLOAT_TEXT];
    size_t length = own_float_text(text, value, size);
    put_le64(more->data + more->at, (uint64_t)own_float_round(value));
    more->at += 8u;
    add_text(more, text, length + 1u);
}

/* Put the payload of an event whose payload is more than its data. */
static uint16_t put_more(const struct own_type *type, const struct own_descriptor *of,
                         const struct trace_firmware *firmware, struct own_data from, unsigned char *data)
{
    size_t words = 4u * (size_t)of->words;
    struct more more = {data, type->added, type->type.size};
    memset(data, 0, type->type.size);
    memcpy(data, from.words, words);
    for (unsigned i = 0; i < of->nfields; i++) {
        const struct own_field *field = &of->field[i];
        if (field->form == OWN_POINTER)
            clear_thumb(firmware, data + field->offset);
        else if (field->form == OWN_TEXT)
            add_text(&more, from.words + words, text_of(of, from));
        else if (field->form == OWN_FLOAT)
            add_float(&more, from.words + field->offset, field->size);
        if (unit_is_field(field))
            add_text(&more, field->unit, strlen(field->unit) + 1u);
    }
    for (; more.used % 4u != 0; more.used++)
        data[more.used] = 0;
    return (uint16_t)more.used;
}

static uint16_t put_plain(const struct own_type *type, const struct own_descriptor *of, struct own_data from,
                          unsigned char *data)
{
    memset(data, 0, type->type.size);
    memcpy(data, from.words, 4u * (size_t)of->words);
    return type->type.size;
}

uint16_t own_type_payload(const struct own_type *type, const struct own_descriptor *of,
                          const struct trace_firmware *firmware, struct own_data from, unsigned char *data)
{
    if (!is_of(of, from))
        return 0;
    return type->is_plain || of->kind == OWN_SPAN ? put_plain(type, of, from, data)
                                                  : put_more(type, of, firmware, from, data);
}
