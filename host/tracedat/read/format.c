/* format.c - parses the kernel's format files, as a trace.dat file has them: see tracedat/read/file.h.
 *
 *   name: sched_switch
 *   ID: 316
 *   format:
 *           field:unsigned short common_type;       offset:0;       size:2; signed:0;
 *           ...
 *   print fmt: "prev_comm=%s ...", REC->prev_comm, ...
 */
#include "tracedat/read/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_MAX = 65536, NAME_MAX_BYTES = 128 };

static const char word_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* What follows a key at the beginning of a line, or NULL. */
static const char *value_of(const char *text, const char *key)
{
    size_t length = strlen(key);

    while (text != NULL && strncmp(text, key, length) != 0) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text ? text + length : NULL;
}

static char *copy(const char *from, size_t n)
{
    char *to = malloc(n + 1u);

    if (to == NULL)
        return NULL;
    memcpy(to, from, n);
    to[n] = '\0';
    return to;
}

/* A word of letters, digits and _ that is all there is between two places. */
static char *copy_word(const char *from, const char *end)
{
    size_t n = strspn(from, word_letters);

    return n > 0 && n < NAME_MAX_BYTES && from + n == end ? copy(from, n) : NULL;
}

long td_format_id(const char *text)
{
    const char *id = value_of(text, "ID: ");
    char *end;
    long n;

    if (id == NULL || value_of(text, "name: ") == NULL)
        return -1;
    n = strtol(id, &end, 10);
    return end == id ? -1 : n;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* A declaration: "unsigned char data[16]", "__data_loc char[] name", taken apart. */
struct declaration {
    char type[NAME_MAX_BYTES];
    const char *name, *name_end;
    bool array;
};

/* The number behind key, which must stand before limit. */
static bool take_key(const char *from, const char *limit, const char *key, uint32_t *n)
{
    const char *at = strstr(from, key);
    char *end;
    unsigned long value;

    if (at == NULL || at >= limit)
        return false;
    at += strlen(key);
    value = strtoul(at, &end, 10);
    *n = value > RECORD_MAX ? RECORD_MAX : (uint32_t)value;
    return end != at && *end == ';';
}

static bool take_declaration(const char *from, const char *end, struct declaration *declaration)
{
    size_t n;

    from += strspn(from, " ");
    declaration->array = end > from && end[-1] == ']';
    declaration->name_end = end;
    if (declaration->array) {
        while (declaration->name_end > from && *declaration->name_end != '[')
            declaration->name_end--;
    }
    declaration->name = declaration->name_end;
    while (declaration->name > from && strchr(word_letters, declaration->name[-1]))
        declaration->name--;
    n = (size_t)(declaration->name - from);
    if (n == 0 || n >= sizeof declaration->type || declaration->name == declaration->name_end)
        return false;
    memcpy(declaration->type, from, n);
    declaration->type[n] = '\0';
    return true;
}

static bool has_word(const char *type, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = type; (at = strstr(at, word)) != NULL; at += length) {
        bool begins = at == type || !strchr(word_letters, at[-1]);

        if (begins && (at[length] == '\0' || !strchr(word_letters, at[length])))
            return true;
    }
    return false;
}

/* Bytes of an element, by the C type; 0 where it tells nothing. */
static uint32_t element_size(const char *type, unsigned long_size)
{
    static const struct {
        const char *word;
        uint32_t size;
    } words[] = {{"char", 1},  {"u8", 1},  {"s8", 1},    {"__u8", 1},     {"__s8", 1},     {"uint8_t", 1},
                 {"short", 2}, {"u16", 2}, {"s16", 2},   {"__u16", 2},    {"uint16_t", 2}, {"__le16", 2},
                 {"u32", 4},   {"s32", 4}, {"__u32", 4}, {"uint32_t", 4}, {"__le32", 4},   {"__be32", 4},
                 {"u64", 8},   {"s64", 8}, {"__u64", 8}, {"uint64_t", 8}};

    if (strchr(type, '*'))
        return long_size;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (has_word(type, words[i].word))
            return words[i].size;
    }
    if (strstr(type, "long long"))
        return 8;
    if (has_word(type, "long"))
        return long_size;
    return has_word(type, "int") || has_word(type, "unsigned") ? 4 : 0;
}

static bool is_number_size(uint32_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

static enum td_shape shape_of_array(struct td_field *field, const char *type, unsigned long_size)
{
    field->element = element_size(type, long_size);
    if (field->size == 0)
        return field->is_char ? TD_OPEN : TD_OPENHEX;
    if (field->is_char)
        return TD_CHARS;
    if (field->element == 0 || field->size % field->element != 0 || field->size / field->element > TDFILE_SPLIT_MAX)
        return TD_HEX;
    field->count = field->size / field->element;
    return TD_ARRAY;
}

static enum td_shape shape_of(struct td_field *field, const struct declaration *declaration, unsigned long_size)
{
    const char *type = declaration->type;

    if (strstr(type, "__data_loc"))
        return field->is_char && field->size == 4 ? TD_DATALOC : TD_DATAHEX;
    if (strstr(type, "__rel_loc"))
        return field->is_char && field->size == 4 ? TD_RELLOC : TD_RELHEX;
    if (declaration->array)
        return shape_of_array(field, type, long_size);
    return is_number_size(field->size) && (field->pointer || !has_word(type, "struct")) ? TD_SCALAR : TD_HEX;
}

/* Whether the field can be what it says it is. */
static bool makes_sense(const struct td_field *field)
{
    bool located = field->shape == TD_DATALOC || field->shape == TD_RELLOC || field->shape == TD_DATAHEX
                   || field->shape == TD_RELHEX;
    bool open = field->shape == TD_OPEN || field->shape == TD_OPENHEX;

    return field->name != NULL && field->offset + field->size <= RECORD_MAX / 2 && (field->size > 0 || open)
           && (!located || field->size == 4);
}

/* One line "field:TYPE NAME; offset:N; size:N; signed:N;". */
static bool take_field(struct td_field *field, const char *line, unsigned long_size)
{
    const char *end = strchr(line, ';'), *limit = strchr(line, '\n');
    struct declaration declaration;
    uint32_t is_signed = 0;

    memset(field, 0, sizeof *field);
    if (limit == NULL || end == NULL || end > limit || !take_declaration(line, end, &declaration)
        || !take_key(end, limit, "offset:", &field->offset) || !take_key(end, limit, "size:", &field->size))
        return false;
    take_key(end, limit, "signed:", &is_signed);
    field->is_signed = is_signed == 1;
    field->pointer = strchr(declaration.type, '*') != NULL;
    field->is_char = has_word(declaration.type, "char") && !has_word(declaration.type, "unsigned") && !field->pointer;
    field->name = copy_word(declaration.name, declaration.name_end);
    field->shape = shape_of(field, &declaration, long_size);
    field->hex = field->pointer;
    return makes_sense(field);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void note_common(struct td_common *common, const struct td_field *field)
{
    if (strcmp(field->name, "common_type") == 0) {
        common->type_at = field->offset;
        common->type_size = field->size;
    } else if (strcmp(field->name, "common_flags") == 0) {
        common->flags_at = field->offset;
        common->flags_size = field->size;
    } else if (strcmp(field->name, "common_pid") == 0) {
        common->pid_at = field->offset;
        common->pid_size = field->size;
    }
}

static bool is_common(const struct td_field *field)
{
    return strncmp(field->name, "common_", 7) == 0;
}

static void keep_field(struct td_format *format, const struct td_field *field)
{
    uint32_t end = field->offset + field->size;

    format->fixed = end > format->fixed ? end : format->fixed;
    format->field[format->nfields++] = *field;
}

/* Fields up to the print format. Common ones come first; where the others begin, they end. */
static bool take_fields(struct td_format *format, const char *text, unsigned long_size, struct td_common *common)
{
    for (const char *line = value_of(text, "\tfield:"); line != NULL; line = value_of(line, "\tfield:")) {
        struct td_field field;
        bool good = take_field(&field, line, long_size) && format->nfields < TDFILE_FIELDS_MAX;

        if (!good) {
            free(field.name);
            return false;
        }
        if (!is_common(&field)) {
            keep_field(format, &field);
            continue;
        }
        if (common != NULL)
            note_common(common, &field);
        if (field.offset + field.size > format->common)
            format->common = field.offset + field.size;
        free(field.name);
    }
    return true;
}

static bool is_common_usable(const struct td_common *common)
{
    return common->type_size == 2 && common->pid_size == 4 && common->flags_size <= 1;
}

static bool overlap(const struct td_field *a, const struct td_field *b)
{
    return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

/* Whether the fields lie behind the common ones, and each in bytes of its own. */
static bool fields_follow(const struct td_format *format)
{
    for (unsigned i = 0; i < format->nfields; i++) {
        if (format->field[i].offset < format->common)
            return false;
        for (unsigned k = 0; k < i; k++) {
            if (overlap(&format->field[i], &format->field[k]))
                return false;
        }
    }
    return format->fixed <= format->common + TDFILE_PAYLOAD_MAX / 2u;
}

/* Bytes are shown together, unless the print format names single ones. */
static void gather_bytes(struct td_format *format)
{
    for (unsigned i = 0; i < format->nfields; i++) {
        struct td_field *field = &format->field[i];
        char single[NAME_MAX_BYTES + 8];

        snprintf(single, sizeof single, "REC->%s[", field->name);
        if (field->shape == TD_ARRAY && field->element == 1
            && (format->print == NULL || !strstr(format->print, single)))
            field->shape = TD_HEX;
    }
}

bool td_format_parse(struct td_format *format, const char *text, unsigned long_size, struct td_common *common)
{
    const char *name = value_of(text, "name: "), *print = value_of(text, "print fmt: ");
    struct td_common found = {0};
    long id = td_format_id(text);

    memset(format, 0, sizeof *format);
    if (name != NULL)
        format->name = copy_word(name, name + strcspn(name, "\n"));
    if (format->name == NULL || id < 0)
        return false;
    format->id = (uint32_t)id;
    if (!take_fields(format, text, long_size, &found) || !is_common_usable(&found) || !fields_follow(format))
        return false;
    if (common != NULL)
        *common = found;
    format->fixed = format->fixed > format->common ? format->fixed : format->common;
    format->print = print ? copy(print, strcspn(print, "\n")) : NULL;
    gather_bytes(format);
    td_print_learn(format);
    return true;
}

void td_format_free(struct td_format *format)
{
    for (unsigned i = 0; i < format->nfields; i++)
        free(format->field[i].name);
    free(format->name);
    free(format->print);
}
