/* shape.c - see shape.h. */
#include "formats/rows/shape.h"

#include "base/bytes.h"
#include "base/printable.h"
#include "model/display.h"
#include "formats/rows/json.h"
#include "text/print_format.h"

#include <stdlib.h>
#include <string.h>

#define SYMBOL_BYTES 512u /* bytes of a symbol's name that are shown: names in C++ can be of any length */
#define HEAD_MOST    24u  /* what is around a name in a head: comma, quotation marks, "_name", colon */

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* Whether the type has a field of that name with that ending. */
static const struct trace_field *field_with(const struct trace_type *type, const char *name, const char *ending)
{
    size_t n = strlen(name);
    for (unsigned i = 0; i < type->nfields; i++) {
        const char *other = type->fields[i].name;
        if (strncmp(other, name, n) == 0 && strcmp(other + n, ending) == 0)
            return &type->fields[i];
    }
    return NULL;
}

/* The part of the print format that shows the field, or NULL. */
static const struct piece *piece_of(const struct shape *shape, const struct trace_field *field)
{
    for (unsigned i = 0; i < shape->pieces.n; i++) {
        if (shape->pieces.piece[i].field == field)
            return &shape->pieces.piece[i];
    }
    return NULL;
}

/* The field with the text, if the field is a floating point number; else NULL. The print format then shows the text and
 * not the rounded number. */
static const struct trace_field *text_of(const struct shape *shape, const struct trace_type *type,
                                         const struct trace_field *field)
{
    const struct trace_field *text = field_with(type, field->name, "_text");
    bool is_float = field->kind == TRACE_SIGNED && text != NULL && text->kind == TRACE_STRING && text == field + 1;
    return is_float && piece_of(shape, text) != NULL && piece_of(shape, field) == NULL ? text : NULL;
}

/* Put ,"name": or, with an ending, ,"name_ending":" for a text. */
static char *put_head(char *to, const char *name, const char *ending, bool doubled)
{
    const char *mark = doubled ? "\"\"" : "\"";
    to = put_word(put_word(to, ","), mark);
    to = json_put(to, name, strlen(name), doubled);
    to = put_word(put_word(to, ending), mark);
    *to++ = ':';
    return ending[0] != '\0' ? put_word(to, mark) : to;
}

static bool is_text(enum trace_kind kind)
{
    return kind == TRACE_CHARS || kind == TRACE_STRING || kind == TRACE_BYTES || kind == TRACE_WORDS;
}

/* Bytes that a column takes at most besides its heads, without a text in the payload. */
static size_t column_room(const struct column *column)
{
    size_t names = column->piece != NULL ? column->piece->choice_length[0] : 0;
    if (column->field->kind == TRACE_CHARS)
        return JSON_MOST * (size_t)column->field->size + DIGITS_MOST;
    return JSON_MOST * (names + (column->field->kind == TRACE_ADDRESS ? SYMBOL_BYTES : DISPLAY_NAME_BYTES))
           + 4u * DIGITS_MOST;
}

/* Fill in the column of a field; its heads are put at `to`. Returns the place behind them. */
static char *fill(struct shape *shape, struct column *column, char *to, const struct trace_type *type, bool doubled)
{
    const struct trace_field *field = column->field;
    const struct piece *piece = piece_of(shape, field);
    bool is_listed =
        piece != NULL && (piece->kind == PIECE_SYMBOL || piece->kind == PIECE_FLAGS) && !is_text(field->kind);
    column->text = text_of(shape, type, field);
    column->piece = is_listed && !trace_kind_has_names(field->kind) ? piece : NULL;
    column->has_name = (column->piece != NULL || trace_kind_has_names(field->kind) || field->kind == TRACE_ADDRESS)
                       && field_with(type, field->name, "_name") == NULL;
    column->head = to;
    to = put_head(to, field->name, "", doubled);
    column->head_bytes = (uint32_t)(to - column->head);
    column->name_head = to;
    to = put_head(to, field->name, column->text != NULL ? "_text" : "_name", doubled);
    column->name_head_bytes = (uint32_t)(to - column->name_head);
    shape->strings += is_text(field->kind) || column->text != NULL;
    shape->room += column->head_bytes + column->name_head_bytes + column_room(column);
    return to;
}

/* Make the columns of all fields, except those that another column shows. */
static void fill_all(struct shape *shape, const struct trace_type *type, bool doubled)
{
    char *at = shape->heads;
    const struct trace_field *shown = NULL;
    for (unsigned i = 0; i < type->nfields; i++) {
        struct column *column = &shape->column[shape->ncolumns];
        if (&type->fields[i] == shown)
            continue;
        column->field = &type->fields[i];
        at = fill(shape, column, at, type, doubled);
        shown = column->text;
        shape->ncolumns++;
    }
    if (shape->ncolumns > 0) { /* the first one has no comma */
        shape->column[0].head++;
        shape->column[0].head_bytes--;
    }
}

/* The columns system and event. */
static void put_type(struct shape *shape, const struct trace_type *type, bool doubled)
{
    char *to = shape->type;
    if (doubled) {
        to = csv_put(to, type->system, strlen(type->system));
        *to++ = ',';
        to = put_word(csv_put(to, type->name, strlen(type->name)), ",");
    } else {
        to = json_put(put_word(to, "\"system\":\""), type->system, strlen(type->system), false);
        to = json_put(put_word(to, "\",\"event\":\""), type->name, strlen(type->name), false);
        to = put_word(to, "\",");
    }
    shape->type_bytes = (size_t)(to - shape->type);
}

int shape_make(struct shape *shape, const struct trace_type *type, bool doubled)
{
    size_t heads = 1u + SHORT_BYTES, names = strlen(type->system) + strlen(type->name);
    for (unsigned i = 0; i < type->nfields; i++)
        heads += 2u * (JSON_MOST * strlen(type->fields[i].name) + HEAD_MOST);
    memset(shape, 0, sizeof *shape);
    if (type->print != NULL && !print_format_parse(&shape->pieces, type))
        shape->pieces.n = 0;
    shape->column = calloc(type->nfields + 1u, sizeof *shape->column);
    shape->heads = malloc(heads);
    shape->type = malloc(JSON_MOST * names + 32u + SHORT_BYTES);
    if (shape->column == NULL || shape->heads == NULL || shape->type == NULL)
        return -1;
    shape->room = 2u;
    fill_all(shape, type, doubled);
    put_type(shape, type, doubled);
    return 0;
}

void shape_free(struct shape *shape)
{
    free(shape->pieces.piece);
    free(shape->column);
    free(shape->heads);
    free(shape->type);
    free(shape->middle[0]);
    free(shape->middle[1]);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Where the values of an event go, and of which trace it is. */
struct row {
    struct shapes *shapes;
    const struct trace *trace;
    const struct trace_event *event;
    bool doubled;
};

/* A little-endian number of up to 8 bytes; most have 4. */
static inline uint64_t load(const unsigned char *data, size_t size)
{
    uint64_t value = 0;
    if (size == 4u)
        return get_le32(data);
    for (size_t i = size; i-- > 0;)
        value = value << 8 | data[i];
    return value;
}

static bool is_inside(const struct trace_event *event, const struct trace_field *field)
{
    return field->offset <= event->size && field->size <= event->size - field->offset;
}

static char *put_mark(char *to, const struct row *row)
{
    return row->doubled ? put_word(to, "\"\"") : put_word(to, "\"");
}

/* A text up to its NUL, or its end, in quotation marks. */
static char *put_text(char *to, const struct row *row, const char *text, size_t n)
{
    to = json_put(put_mark(to, row), text, strnlen(text, n), row->doubled);
    return put_mark(to, row);
}

/* The text of a TRACE_STRING. False: the payload does not have it. */
static bool string_of(const struct row *row, const struct trace_field *field, const char **text, size_t *n)
{
    uint64_t value = is_inside(row->event, field) ? load(row->event->data + field->offset, field->size) : 0;
    size_t offset = value & 0xFFFFu, length = value >> 16 & 0xFFFFu;
    if (!is_inside(row->event, field) || offset > row->event->size || length > row->event->size - offset)
        return false;
    *text = (const char *)row->event->data + offset;
    *n = strnlen(*text, length);
    return true;
}

static char *put_string(char *to, const struct row *row, const struct trace_field *field)
{
    const char *text;
    size_t n;
    return string_of(row, field, &text, &n) ? put_text(to, row, text, n) : put_word(to, "null");
}

/* The words up to the end of the payload. */
static char *put_words(char *to, const struct row *row, const struct trace_field *field)
{
    size_t at = field->offset;
    *to++ = '[';
    for (; at + 4u <= row->event->size; at += 4u) {
        if (at > field->offset)
            *to++ = ',';
        to = put_unsigned(to, load(row->event->data + at, 4));
    }
    *to++ = ']';
    return to;
}

static char *put_hex_text(char *to, const struct row *row, const struct trace_field *field)
{
    to = hex_put(put_mark(to, row), row->event->data + field->offset, field->size);
    return put_mark(to, row);
}

/* Put the number; if JSON cannot write it, null and then the text. */
static char *put_float(char *to, const struct row *row, const struct column *column)
{
    const char *text = "";
    size_t n = 0;
    if (!string_of(row, column->text, &text, &n))
        return put_word(to, "null");
    if (json_is_number(text, n))
        return put_bytes(to, text, n);
    to = put_bytes(put_word(to, "null"), column->name_head, column->name_head_bytes);
    return put_mark(json_put(to, text, n, row->doubled), row);
}

/* Put symbol+0x... . False: the address is in no symbol. */
static bool symbol_name(char **to, const struct row *row, uint64_t value)
{
    uint64_t offset;
    const struct trace_symbol *symbol = trace_symbol_at(row->trace->firmware, value, &offset);
    if (symbol == NULL)
        return false;
    *to = json_put(*to, symbol->name, strnlen(symbol->name, SYMBOL_BYTES), row->doubled);
    *to = put_hex(put_word(*to, "+"), offset);
    return true;
}

/* The name of an object's number. bytes: 0 if it has none. */
static const struct known *known_of(const struct row *row, enum trace_kind kind, uint32_t number)
{
    struct known *known = &row->shapes->known[(number * 31u + (uint32_t)kind) % SHAPE_KNOWN];
    char name[DISPLAY_NAME_BYTES];
    if (known->naming == row->trace->naming + 1u && known->kind == kind && known->number == number)
        return known;
    known->kind = kind;
    known->number = number;
    known->naming = row->trace->naming + 1u;
    known->bytes = 0;
    if (!row->trace->only_numbers && display_name(row->trace, kind, number, name))
        known->bytes = (uint32_t)(json_put(known->text, name, strlen(name), row->doubled) - known->text);
    return known;
}

/* Put the name of a number: of an object, of an address, or that of the print format. False: it has none. */
static bool put_known(char **to, const struct row *row, const struct column *column, uint64_t value)
{
    enum trace_kind kind = column->field->kind;
    const struct known *known;
    struct out out;
    char text[PIECE_NAMES_BYTES];
    if (kind == TRACE_ADDRESS)
        return symbol_name(to, row, value);
    if (column->piece == NULL) {
        known = known_of(row, kind, (uint32_t)value);
        *to = put_short(*to, known->text, known->bytes);
        return known->bytes > 0;
    }
    out = (struct out){text, text + sizeof text};
    print_format_names(&out, column->piece, value);
    *to = json_put(*to, text, (size_t)(out.at - text), row->doubled);
    return true;
}

static char *put_name(char *to, const struct row *row, const struct column *column, uint64_t value)
{
    char *behind = put_short(to, column->name_head, column->name_head_bytes);
    return put_known(&behind, row, column, value) ? put_mark(behind, row) : to;
}

static char *put_number(char *to, const struct row *row, const struct column *column)
{
    const struct trace_field *field = column->field;
    unsigned spare = 64u - 8u * field->size;
    uint64_t value = load(row->event->data + field->offset, field->size);
    to = field->kind == TRACE_SIGNED ? put_signed(to, (uint64_t)((int64_t)(value << spare) >> spare))
                                     : put_unsigned(to, value);
    return column->has_name ? put_name(to, row, column, value) : to;
}

/* The value of a column, and its name; null if the payload does not have it. */
static char *put_value(char *to, const struct row *row, const struct column *column)
{
    const struct trace_field *field = column->field;
    if (!is_inside(row->event, field))
        return put_word(to, "null");
    if (column->text != NULL)
        return put_float(to, row, column);
    switch (field->kind) {
    case TRACE_CHARS:
        return put_text(to, row, (const char *)row->event->data + field->offset, field->size);
    case TRACE_STRING:
        return put_string(to, row, field);
    case TRACE_BYTES:
        return put_hex_text(to, row, field);
    case TRACE_WORDS:
        return put_words(to, row, field);
    default:
        return field->size == 0 || field->size > 8u ? put_word(to, "null") : put_number(to, row, column);
    }
}

char *shape_put(char *to, const struct shape *shape, struct shapes *shapes, const struct trace_event *event)
{
    struct row row = {shapes, shapes->trace, event, shapes->doubled};
    *to++ = '{';
    for (unsigned i = 0; i < shape->ncolumns; i++) {
        to = put_short(to, shape->column[i].head, shape->column[i].head_bytes);
        to = put_value(to, &row, &shape->column[i]);
    }
    *to++ = '}';
    return to;
}
