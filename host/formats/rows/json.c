/* json.c - see json.h. Sources: RFC 8259 (JSON), RFC 4180 (CSV). */
#include "formats/rows/json.h"

#include "base/heap.h"
#include "base/bytes.h"
#include "base/printable.h"
#include "base/text.h"
#include "model/display.h"

#include <string.h>

#define SYMBOL_BYTES 512u /* bytes of a symbol's name that are shown: names in C++ can be of any length */
#define HEAD_MOST    24u  /* what is around a name in a head: comma, quotation marks, "_name", colon */

/* ---- texts in JSON ----------------------------------------------------------------------------------------------- */

/* Whether a byte is shown as it is. */
static bool is_plain(unsigned char byte)
{
    return byte >= 0x20u && byte < 0x7Fu && byte != '"' && byte != '\\';
}

/* Put a byte that cannot stand as it is. */
static char *put_escaped(char *to, unsigned char byte, bool doubled)
{
    static const char letters[] = "\nn\rr\tt\"\"\\\\";
    const char *letter = letters;
    while (*letter != '\0' && (unsigned char)*letter != byte)
        letter += 2;
    *to++ = '\\';
    if (*letter != '\0') {
        *to++ = letter[1];
        if (byte == '"' && doubled)
            *to++ = '"';
        return to;
    }
    memcpy(to, "u00", 3);
    return hex_put(to + 3, &byte, 1);
}

char *json_put(char *to, const char *text, size_t n, bool doubled)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + n;
    for (;;) {
        size_t bytes;
        while (at < end && is_plain(*at))
            *to++ = (char)*at++;
        if (at == end)
            return to;
        bytes = *at >= 0x80u ? utf8_bytes(at, (size_t)(end - at)) : 0;
        if (bytes == 0)
            to = put_escaped(to, *at++, doubled);
        for (; bytes > 0; bytes--)
            *to++ = (char)*at++;
    }
}

/* How many digits stand here. */
static size_t digits(const char *at, const char *end)
{
    size_t n = 0;
    while (at + n < end && at[n] >= '0' && at[n] <= '9')
        n++;
    return n;
}

bool json_is_number(const char *text, size_t n)
{
    const char *at = text, *end = text + n;
    size_t whole;
    at += at < end && *at == '-';
    whole = digits(at, end);
    if (whole == 0 || (whole > 1u && *at == '0'))
        return false;
    at += whole;
    if (at < end && *at == '.') {
        size_t fraction = digits(at + 1, end);
        if (fraction == 0)
            return false;
        at += 1u + fraction;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '+' || *at == '-');
        return digits(at, end) > 0 && at + digits(at, end) == end;
    }
    return at == end;
}

/* ---- texts in CSV ------------------------------------------------------------------------------------------------ */

char *csv_put(char *to, const char *text, size_t n)
{
    bool is_quoted = false;
    for (size_t i = 0; i < n; i++)
        is_quoted = is_quoted || text[i] == ',' || text[i] == '"' || text[i] == '\r' || text[i] == '\n';
    if (!is_quoted) {
        memcpy(to, text, n);
        return to + n;
    }
    *to++ = '"';
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"')
            *to++ = '"';
        *to++ = text[i];
    }
    *to++ = '"';
    return to;
}

/* ---- making an encoder ------------------------------------------------------------------------------------------- */

/* A member of the object. */
struct json_member {
    const struct tlog_field *field;
    const struct tlog_field *text; /* of a floating point number: the field with its text, else NULL */
    const struct piece *piece;     /* with names of its numbers, or NULL */
    bool has_name;                 /* a member for its name follows, if it has one */
    char *head;                    /* ,"name": without the comma for the first one */
    char *name_head;               /* ,"name_name":" or for floating point numbers ,"name_text":" */
    uint32_t head_bytes, name_head_bytes;
};

/* Whether the type has a field of that name with that ending. */
static const struct tlog_field *field_with(const struct tlog_type *type, const char *name, const char *ending)
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
static const struct piece *piece_of(const struct json_encoder *encoder, const struct tlog_field *field)
{
    for (unsigned i = 0; i < encoder->pieces.n; i++) {
        if (encoder->pieces.piece[i].field == field)
            return &encoder->pieces.piece[i];
    }
    return NULL;
}

/* The field with the text, if the field is a floating point number; else NULL. The print format then shows the text and
 * not the rounded number. */
static const struct tlog_field *text_of(const struct json_encoder *encoder, const struct tlog_type *type,
                                        const struct tlog_field *field)
{
    const struct tlog_field *text = field_with(type, field->name, "_text");
    bool is_float =
        field->kind == TLOG_KIND_SIGNED && text != NULL && text->kind == TLOG_KIND_STRING && text == field + 1;
    return is_float && piece_of(encoder, text) != NULL && piece_of(encoder, field) == NULL ? text : NULL;
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

static bool is_text(enum tlog_kind kind)
{
    return kind == TLOG_KIND_CHARS || kind == TLOG_KIND_STRING || kind == TLOG_KIND_BYTES || kind == TLOG_KIND_WORDS;
}

/* Bytes that a member takes at most besides its heads, without a text in the payload. */
static size_t member_room(const struct json_member *member)
{
    size_t names = member->piece != NULL ? member->piece->choice_length[0] : 0;
    if (member->field->kind == TLOG_KIND_CHARS)
        return JSON_MOST * (size_t)member->field->size + DIGITS_MOST;
    return JSON_MOST * (names + (member->field->kind == TLOG_KIND_ADDRESS ? SYMBOL_BYTES : DISPLAY_NAME_BYTES))
           + 4u * DIGITS_MOST;
}

/* Fill in the member of a field; its heads are put at `to`. Returns the place behind them. */
static char *fill(struct json_encoder *encoder, struct json_member *member, char *to, const struct tlog_type *type,
                  bool doubled)
{
    const struct tlog_field *field = member->field;
    const struct piece *piece = piece_of(encoder, field);
    bool is_listed =
        piece != NULL && (piece->kind == PIECE_SYMBOL || piece->kind == PIECE_FLAGS) && !is_text(field->kind);
    member->text = text_of(encoder, type, field);
    member->piece = is_listed && !tlog_kind_has_names(field->kind) ? piece : NULL;
    member->has_name = (member->piece != NULL || tlog_kind_has_names(field->kind) || field->kind == TLOG_KIND_ADDRESS)
                       && field_with(type, field->name, "_name") == NULL;
    member->head = to;
    to = put_head(to, field->name, "", doubled);
    member->head_bytes = (uint32_t)(to - member->head);
    member->name_head = to;
    to = put_head(to, field->name, member->text != NULL ? "_text" : "_name", doubled);
    member->name_head_bytes = (uint32_t)(to - member->name_head);
    encoder->strings += is_text(field->kind) || member->text != NULL;
    encoder->room += member->head_bytes + member->name_head_bytes + member_room(member);
    return to;
}

/* Make the members of all fields, except those that another member shows. */
static void fill_all(struct json_encoder *encoder, const struct tlog_type *type, bool doubled)
{
    char *at = encoder->heads;
    const struct tlog_field *shown = NULL;
    for (unsigned i = 0; i < type->nfields; i++) {
        struct json_member *member = &encoder->member[encoder->nmembers];
        if (&type->fields[i] == shown)
            continue;
        member->field = &type->fields[i];
        at = fill(encoder, member, at, type, doubled);
        shown = member->text;
        encoder->nmembers++;
    }
    if (encoder->nmembers > 0) { /* the first one has no comma */
        encoder->member[0].head++;
        encoder->member[0].head_bytes--;
    }
}

int json_encoder_make(struct json_encoder *encoder, const struct tlog_type *type, bool doubled)
{
    size_t heads = 1u + SHORT_BYTES;
    for (unsigned i = 0; i < type->nfields; i++)
        heads += 2u * (JSON_MOST * strlen(type->fields[i].name) + HEAD_MOST);
    memset(encoder, 0, sizeof *encoder);
    if (type->print != NULL && !print_format_parse(&encoder->pieces, type))
        encoder->pieces.n = 0;
    encoder->member = heap_calloc(type->nfields + 1u, sizeof *encoder->member);
    encoder->heads = heap_alloc(heads);
    if (encoder->member == NULL || encoder->heads == NULL)
        return -1;
    encoder->room = 2u;
    fill_all(encoder, type, doubled);
    return 0;
}

void json_encoder_free(struct json_encoder *encoder)
{
    heap_free(encoder->pieces.piece);
    heap_free(encoder->member);
    heap_free(encoder->heads);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* The event whose object is put. */
struct row {
    struct json_output *output;
    const struct tlog_event *event;
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

static char *put_mark(char *to, const struct row *row)
{
    return row->output->doubled ? put_word(to, "\"\"") : put_word(to, "\"");
}

/* A text up to its NUL, or its end, in quotation marks. */
static char *put_text(char *to, const struct row *row, const char *text, size_t n)
{
    to = json_put(put_mark(to, row), text, text_length(text, n), row->output->doubled);
    return put_mark(to, row);
}

/* The text of a TLOG_KIND_STRING. False: the payload does not have it. */
static bool string_of(const struct row *row, const struct tlog_field *field, const char **text, size_t *n)
{
    uint64_t value = tlog_event_has(row->event, field) ? load(row->event->data + field->offset, field->size) : 0;
    size_t offset = value & 0xFFFFu, length = value >> 16 & 0xFFFFu;
    if (!tlog_event_has(row->event, field) || offset > row->event->size || length > row->event->size - offset)
        return false;
    *text = (const char *)row->event->data + offset;
    *n = text_length(*text, length);
    return true;
}

static char *put_string(char *to, const struct row *row, const struct tlog_field *field)
{
    const char *text;
    size_t n;
    return string_of(row, field, &text, &n) ? put_text(to, row, text, n) : put_word(to, "null");
}

/* The words up to the end of the payload. */
static char *put_words(char *to, const struct row *row, const struct tlog_field *field)
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

static char *put_hex_text(char *to, const struct row *row, const struct tlog_field *field)
{
    to = hex_put(put_mark(to, row), row->event->data + field->offset, field->size);
    return put_mark(to, row);
}

/* Put the number; if JSON cannot write it, null and then the text. */
static char *put_float(char *to, const struct row *row, const struct json_member *member)
{
    const char *text = "";
    size_t n = 0;
    if (!string_of(row, member->text, &text, &n))
        return put_word(to, "null");
    if (json_is_number(text, n))
        return put_bytes(to, text, n);
    to = put_bytes(put_word(to, "null"), member->name_head, member->name_head_bytes);
    return put_mark(json_put(to, text, n, row->output->doubled), row);
}

/* Put symbol, or symbol+0x... . False: the address is in no symbol. */
static bool symbol_name(char **to, const struct row *row, uint64_t value)
{
    uint64_t offset;
    const struct trace_symbol *symbol = trace_symbol_at(row->output->trace->firmware, value, &offset);
    if (symbol == NULL)
        return false;
    *to = json_put(*to, symbol->name, text_length(symbol->name, SYMBOL_BYTES), row->output->doubled);
    if (offset > 0)
        *to = put_hex(put_word(*to, "+"), offset);
    return true;
}

/* The name of an object's number. bytes: 0 if it has none. */
static const struct json_name *name_of(const struct row *row, enum tlog_kind kind, uint32_t number)
{
    struct json_name *name = &row->output->name[(number * 31u + (uint32_t)kind) % JSON_NAMES];
    char text[DISPLAY_NAME_BYTES];
    if (name->naming == row->output->trace->naming + 1u && name->kind == kind && name->number == number)
        return name;
    name->kind = kind;
    name->number = number;
    name->naming = row->output->trace->naming + 1u;
    name->bytes = 0;
    if (!row->output->trace->only_numbers && display_plain_name(row->output->trace, kind, number, text))
        name->bytes = (uint32_t)(json_put(name->text, text, strlen(text), row->output->doubled) - name->text);
    return name;
}

/* Put the name of a number: of an object, of an address, or that of the print format. False: it has none. */
static bool put_name_of(char **to, const struct row *row, const struct json_member *member, uint64_t value)
{
    enum tlog_kind kind = member->field->kind;
    const struct json_name *name;
    struct out out;
    char text[PIECE_NAMES_BYTES];
    if (kind == TLOG_KIND_ADDRESS)
        return symbol_name(to, row, value);
    if (member->piece == NULL) {
        name = name_of(row, kind, (uint32_t)value);
        *to = put_short(*to, name->text, name->bytes);
        return name->bytes > 0;
    }
    out = (struct out){text, text + sizeof text};
    print_format_names(&out, member->piece, value);
    *to = json_put(*to, text, (size_t)(out.at - text), row->output->doubled);
    return true;
}

static char *put_name(char *to, const struct row *row, const struct json_member *member, uint64_t value)
{
    char *behind = put_short(to, member->name_head, member->name_head_bytes);
    return put_name_of(&behind, row, member, value) ? put_mark(behind, row) : to;
}

static char *put_number(char *to, const struct row *row, const struct json_member *member)
{
    const struct tlog_field *field = member->field;
    unsigned spare = 64u - 8u * field->size;
    uint64_t value = load(row->event->data + field->offset, field->size);
    to = field->kind == TLOG_KIND_SIGNED ? put_signed(to, (uint64_t)((int64_t)(value << spare) >> spare))
                                         : put_unsigned(to, value);
    return member->has_name ? put_name(to, row, member, value) : to;
}

/* The value of a member, and its name; null if the payload does not have it. */
static char *put_value(char *to, const struct row *row, const struct json_member *member)
{
    const struct tlog_field *field = member->field;
    if (!tlog_event_has(row->event, field))
        return put_word(to, "null");
    if (member->text != NULL)
        return put_float(to, row, member);
    switch (field->kind) {
    case TLOG_KIND_CHARS:
        return put_text(to, row, (const char *)row->event->data + field->offset, field->size);
    case TLOG_KIND_STRING:
        return put_string(to, row, field);
    case TLOG_KIND_BYTES:
        return put_hex_text(to, row, field);
    case TLOG_KIND_WORDS:
        return put_words(to, row, field);
    default:
        return field->size == 0 || field->size > 8u ? put_word(to, "null") : put_number(to, row, member);
    }
}

char *json_encode(char *to, const struct json_encoder *encoder, struct json_output *output,
                  const struct tlog_event *event)
{
    struct row row = {output, event};
    *to++ = '{';
    for (unsigned i = 0; i < encoder->nmembers; i++) {
        to = put_short(to, encoder->member[i].head, encoder->member[i].head_bytes);
        to = put_value(to, &row, &encoder->member[i]);
    }
    *to++ = '}';
    return to;
}
