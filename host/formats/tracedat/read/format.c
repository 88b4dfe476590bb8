/* format.c - parses the texts of formats, which are those of the kernel's format files: see format.h.
 *
 *   name: sched_switch
 *   ID: 316
 *   format:
 *           field:unsigned short common_type;       offset:0;       size:2; signed:0;
 *           ...
 *   print fmt: "prev_comm=%s ...", REC->prev_comm, ...
 *
 * The traced kernel writes a format, and it may be damaged in the file: nothing in it is taken for granted.
 */

#include "formats/tracedat/read/format.h"

#include "base/heap.h"
#include "base/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RECORD_MAX = 65536,   /* bytes of a record; offsets and sizes above are cut to it */
    NAME_MAX_BYTES = 128, /* of a name or a C type, with the NUL */
    COMMON_MAX = 32,      /* common fields; kernels have 4 to 7 */
};

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* What follows the key in the first line that begins with it, or NULL. text: the beginning of a line, or NULL. */
static const char *value_of(const char *text, const char *key)
{
    size_t length = strlen(key);
    while (text != NULL && strncmp(text, key, length) != 0) {
        text = strchr(text, '\n');
        text = text != NULL ? text + 1 : NULL;
    }
    return text != NULL ? text + length : NULL;
}

/* A copy of what stands between two places, if that is one word of letters, digits and _; else NULL. */
static char *copy_word(const char *from, const char *end)
{
    size_t n = strspn(from, TRACEDAT_WORD_LETTERS);
    return n > 0 && n < NAME_MAX_BYTES && from + n == end ? text_part(from, n) : NULL;
}

long tracedat_format_id(const char *text)
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

/* A declaration such as "unsigned char data[16]" or "__data_loc char[] name", taken apart. */
struct declaration {
    char type[NAME_MAX_BYTES];   /* what stands before the name */
    const char *name, *name_end; /* in the text of the format */
    bool array;                  /* it ends in [...] */
};

/* The number between the key, which must stand before limit, and a semicolon. Numbers above RECORD_MAX become that. */
static bool take_key(const char *from, const char *limit, const char *key, uint32_t *n)
{
    const char *at = text_find(from, limit, key);
    char *end;
    unsigned long value;
    if (at == NULL)
        return false;
    at += strlen(key);
    value = strtoul(at, &end, 10);
    *n = value > RECORD_MAX ? RECORD_MAX : (uint32_t)value;
    return end != at && *end == ';';
}

/* Take the declaration between two places apart. False if there is no type, or no name. */
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
    while (declaration->name > from && strchr(TRACEDAT_WORD_LETTERS, declaration->name[-1]) != NULL)
        declaration->name--;
    n = (size_t)(declaration->name - from);
    if (n == 0 || n >= sizeof declaration->type || declaration->name == declaration->name_end)
        return false;
    memcpy(declaration->type, from, n);
    declaration->type[n] = '\0';
    return true;
}

/* Whether the word stands in the type as a whole word. */
static bool has_word(const char *type, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = type; (at = strstr(at, word)) != NULL; at += length) {
        bool begins = at == type || strchr(TRACEDAT_WORD_LETTERS, at[-1]) == NULL;
        if (begins && (at[length] == '\0' || strchr(TRACEDAT_WORD_LETTERS, at[length]) == NULL))
            return true;
    }
    return false;
}

/* Bytes of an element of an array, by its C type; 0 if the type is not known. The format itself only tells the size of
 * the whole array. */
static uint32_t element_size(const char *type, unsigned long_size)
{
    static const struct {
        const char *word;
        uint32_t size;
    } words[] = {{"char", 1},  {"u8", 1},  {"s8", 1},    {"__u8", 1},     {"__s8", 1},     {"uint8_t", 1},
                 {"short", 2}, {"u16", 2}, {"s16", 2},   {"__u16", 2},    {"uint16_t", 2}, {"__le16", 2},
                 {"u32", 4},   {"s32", 4}, {"__u32", 4}, {"uint32_t", 4}, {"__le32", 4},   {"__be32", 4},
                 {"u64", 8},   {"s64", 8}, {"__u64", 8}, {"uint64_t", 8}};
    if (strchr(type, '*') != NULL)
        return long_size;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (has_word(type, words[i].word))
            return words[i].size;
    }
    if (strstr(type, "long long") != NULL)
        return 8;
    if (has_word(type, "long"))
        return long_size;
    return has_word(type, "int") || has_word(type, "unsigned") ? 4 : 0;
}

static bool is_number_size(uint32_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

/* An array of bytes stays together, because viewers know such fields by their names. The elements of another array
 * become fields, if it has few of them and their type is known; else it is shown as hex. */
static enum tracedat_shape shape_of_array(struct tracedat_field *field, const char *type, unsigned long_size)
{
    field->element = element_size(type, long_size);
    if (field->size == 0)
        return field->is_char ? TRACEDAT_FLEXIBLE : TRACEDAT_FLEXIBLE_HEX;
    if (field->is_char)
        return TRACEDAT_CHARS;
    if (field->element == 1)
        return TRACEDAT_BYTES;
    if (field->element == 0 || field->size % field->element != 0
        || field->size / field->element > TRACEDAT_ELEMENTS_MAX)
        return TRACEDAT_HEX;
    field->count = field->size / field->element;
    return TRACEDAT_ARRAY;
}

/* How the bytes of the field are to be understood, by its declaration. A struct is bytes; a pointer to one is a number.
 * Kernels before 5.x declare a flexible array as "char buf", without [], so its size of 0 tells. */
static enum tracedat_shape shape_of(struct tracedat_field *field, const struct declaration *declaration,
                                    unsigned long_size)
{
    const char *type = declaration->type;
    if (strstr(type, "__data_loc") != NULL)
        return field->is_char && field->size == 4 ? TRACEDAT_DATA_LOC : TRACEDAT_DATA_LOC_HEX;
    if (strstr(type, "__rel_loc") != NULL)
        return field->is_char && field->size == 4 ? TRACEDAT_REL_LOC : TRACEDAT_REL_LOC_HEX;
    if (declaration->array || field->size == 0)
        return shape_of_array(field, type, long_size);
    return is_number_size(field->size) && (field->pointer || !has_word(type, "struct")) ? TRACEDAT_SCALAR
                                                                                        : TRACEDAT_HEX;
}

/* Whether name, offset and size of the field can be true. */
static bool makes_sense(const struct tracedat_field *field)
{
    bool flexible = field->shape == TRACEDAT_FLEXIBLE || field->shape == TRACEDAT_FLEXIBLE_HEX;
    return field->name != NULL && field->offset + field->size <= RECORD_MAX / 2 && (field->size > 0 || flexible)
           && (!tracedat_is_located(field->shape) || field->size == 4);
}

/* Parse what follows "field:" in a line "field:TYPE NAME; offset:N; size:N; signed:N;". The caller frees the field's
 * name, also after false. */
static bool take_field(struct tracedat_field *field, const char *line, unsigned long_size)
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
    field->mask = has_word(declaration.type, "cpumask_t") && tracedat_is_located(field->shape);
    return makes_sense(field);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Store where a common field lies, if the reader uses it. */
static void note_common(struct tracedat_common *common, const struct tracedat_field *field)
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

/* Whether all events have the field: the kernel gives it such a name. */
static bool is_common(const struct tracedat_field *field)
{
    return strncmp(field->name, "common_", 7) == 0;
}

/* Move the field, with its name, to the format. */
static void keep_field(struct tracedat_format *format, const struct tracedat_field *field)
{
    uint32_t end = field->offset + field->size;
    format->fixed = end > format->fixed ? end : format->fixed;
    format->field[format->nfields++] = *field;
}

/* The next field behind a place, if it stands before the end; else NULL. */
static const char *next_field(const char *from, const char *end)
{
    const char *line = value_of(from, "\tfield:");
    return line != NULL && line < end ? line : NULL;
}

/* Take all fields before the end. Common fields are only measured, the others are kept. */
static bool take_fields(struct tracedat_format *format, const char *text, const char *end, unsigned long_size,
                        struct tracedat_common *common)
{
    unsigned ncommon = 0;
    for (const char *line = next_field(text, end); line != NULL; line = next_field(line, end)) {
        struct tracedat_field field;
        bool good =
            take_field(&field, line, long_size) && format->nfields < TRACEDAT_FIELDS_MAX && ncommon < COMMON_MAX;
        if (!good) {
            heap_free(field.name);
            return false;
        }
        if (!is_common(&field)) {
            keep_field(format, &field);
            continue;
        }
        ncommon++;
        if (common != NULL)
            note_common(common, &field);
        if (field.offset + field.size > format->common)
            format->common = field.offset + field.size;
        heap_free(field.name);
    }
    return true;
}

/* Whether the common fields have the sizes that the reader of records expects. */
static bool is_common_usable(const struct tracedat_common *common)
{
    return common->type_size == 2 && common->pid_size == 4 && common->flags_size <= 1;
}

/* Whether the two fields have bytes in common. */
static bool overlap(const struct tracedat_field *a, const struct tracedat_field *b)
{
    return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

/* Whether all fields lie behind the common ones, each in bytes of its own, and near enough to fit into a payload. */
static bool fields_follow(const struct tracedat_format *format)
{
    for (unsigned i = 0; i < format->nfields; i++) {
        if (format->field[i].offset < format->common)
            return false;
        for (unsigned k = 0; k < i; k++) {
            if (overlap(&format->field[i], &format->field[k]))
                return false;
        }
    }
    return format->fixed <= format->common + TRACEDAT_PAYLOAD_MAX / 2u;
}

/* Characters of a print format, which goes to the end of the text. It may have newlines in it; those at the end do not
 * belong to it. */
static size_t print_length(const char *print)
{
    size_t n = strlen(print);
    while (n > 0 && print[n - 1u] == '\n')
        n--;
    return n;
}

bool tracedat_format_parse(struct tracedat_format *format, const char *text, unsigned long_size,
                           struct tracedat_common *common)
{
    const char *name = value_of(text, "name: "), *print = value_of(text, "print fmt: ");
    struct tracedat_common found = {0};
    long id = tracedat_format_id(text);
    memset(format, 0, sizeof *format);
    if (name != NULL)
        format->name = copy_word(name, name + strcspn(name, "\n"));
    if (format->name == NULL || id < 0)
        return false;
    format->id = (uint32_t)id;
    if (!take_fields(format, text, print != NULL ? print : text + strlen(text), long_size, &found)
        || !is_common_usable(&found) || !fields_follow(format))
        return false;
    if (common != NULL)
        *common = found;
    format->fixed = format->fixed > format->common ? format->fixed : format->common;
    format->print = print != NULL ? text_part(print, print_length(print)) : NULL;
    return true;
}

void tracedat_format_free(struct tracedat_format *format)
{
    for (unsigned i = 0; i < format->nfields; i++)
        heap_free(format->field[i].name);
    heap_free(format->name);
    heap_free(format->print);
}

void tracedat_make_word(char *name)
{
    for (char *c = name; *c != '\0'; c++) {
        if (strchr(TRACEDAT_WORD_LETTERS, *c) == NULL)
            *c = '_';
    }
}
