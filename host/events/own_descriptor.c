/* own_descriptor.c - parses descriptors, and makes them of formats: see own_descriptor.h.
 *
 * The text is copied, and lines and words in it are ended by NULs where they stand. */
#include "events/own_descriptor.h"

#include "base/heap.h"
#include "base/bytes.h"
#include "base/text.h"
#include "tlog_wire.h"

#include <stdlib.h>
#include <string.h>

#define WORDS       4u /* ahead of the values */
#define CLASS_FIRST 12u

/* A descriptor that is being parsed. */
struct parse {
    struct own_descriptor *to;
    const unsigned char *values; /* nvalues of them, of which `taken` are in to->names */
    uint32_t nvalues, taken;
    bool big;
    uint32_t end; /* bytes of the fixed part so far */
    const char *why;
};

/* What is wrong. Always false. */
static bool refuse(struct parse *parse, const char *why)
{
    parse->why = why;
    return false;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

size_t own_descriptor_size(const unsigned char *bytes, size_t size, bool big)
{
    uint32_t told = size >= OWN_LEAST ? get_32(bytes + 4, big) : 0;
    return told >= OWN_LEAST && told <= size && told % 4u == 0 ? told : 0;
}

/* The head of a traceevent of one of the groups, with neither tag nor kind. */
static bool is_head(uint32_t head)
{
    uint32_t means = (head & TLOG_CLASS_MASK) >> TLOG_CLASS_SHIFT;
    return head == OWN_MAGIC || ((head & ~(TLOG_CLASS_MASK | 0xFFu)) == 0 && means >= CLASS_FIRST && means < 16u);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool own_is_name(const char *text)
{
    size_t n = 0;
    while (is_letter(text[n]) || (n > 0 && text[n] >= '0' && text[n] <= '9'))
        n++;
    return n > 0 && n <= OWN_NAME_MAX && text[n] == '\0';
}

/* An enumerator may be qualified, as state::IDLE; it is shown as it was written. */
static bool is_enumerator(const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++) {
        if (text[i] <= ' ' || text[i] > '~' || strchr("\"\\{},", text[i]) != NULL)
            return false;
    }
    return n > 0 && n <= OWN_NAME_MAX;
}

/* ---- types of fields --------------------------------------------------------------------------------------------- */

static const struct type {
    const char *name, *c_name; /* as C spells it, or NULL */
    enum own_form form;
    uint16_t size;
} types[] = {
    {"u8", "uint8_t", OWN_UNSIGNED, 1},   {"u16", "uint16_t", OWN_UNSIGNED, 2}, {"u32", "uint32_t", OWN_UNSIGNED, 4},
    {"u64", "uint64_t", OWN_UNSIGNED, 8}, {"i8", "int8_t", OWN_SIGNED, 1},      {"i16", "int16_t", OWN_SIGNED, 2},
    {"i32", "int32_t", OWN_SIGNED, 4},    {"i64", "int64_t", OWN_SIGNED, 8},    {"bool", "_Bool", OWN_UNSIGNED, 1},
    {"f32", "float", OWN_FLOAT, 4},       {"f64", "double", OWN_FLOAT, 8},      {"hex8", NULL, OWN_HEX, 1},
    {"hex16", NULL, OWN_HEX, 2},          {"hex32", NULL, OWN_HEX, 4},          {"hex64", NULL, OWN_HEX, 8},
    {"enum8", NULL, OWN_ENUM, 1},         {"enum16", NULL, OWN_ENUM, 2},        {"enum32", NULL, OWN_ENUM, 4},
    {"flags8", NULL, OWN_FLAGS, 1},       {"flags16", NULL, OWN_FLAGS, 2},      {"flags32", NULL, OWN_FLAGS, 4},
    {"ptr", NULL, OWN_POINTER, 4},        {"str", NULL, OWN_TEXT, 1},
};

static const struct type *find_type(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const char *c_name = types[i].c_name;
        if ((strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0)
            || (c_name != NULL && strlen(c_name) == length && memcmp(c_name, name, length) == 0))
            return &types[i];
    }
    return NULL;
}

/* Take "u16[3]", which ends at a NUL. Arrays are of u8, u16 and u32. */
static bool take_type(struct parse *parse, struct own_field *field, const char *text)
{
    size_t length = strcspn(text, " [");
    const struct type *type = find_type(text, length);
    char *end;
    unsigned long elements;
    if (type == NULL)
        return refuse(parse, "a type that is not known");
    field->form = type->form;
    field->size = type->size;
    text += length + strspn(text + length, " ");
    if (*text == '\0')
        return true;
    elements = strtoul(text + 1, &end, 10);
    end += strspn(end, " ");
    if (type->form != OWN_UNSIGNED || type->size > 4u || strcmp(end, "]") != 0 || elements == 0
        || elements > OWN_BYTES_MAX)
        return refuse(parse, "an array of another kind");
    field->elements = (uint16_t)elements;
    return true;
}

/* ---- what stands behind a field's name --------------------------------------------------------------------------- */

/* Take a unit in quotation marks, which ends at a NUL. Backslashes stand before what they escape. */
static bool take_unit(struct parse *parse, struct own_field *field, char *text)
{
    size_t length = strlen(text), n = 0;
    if (length < 2u || text[length - 1u] != '"')
        return refuse(parse, "a unit without an end");
    for (size_t i = 1; i < length - 1u; i++) {
        if ((unsigned char)text[i] >= ' ' && text[i] != '\x7F' && text[i] != '"' && text[i] != '\\')
            text[n++] = text[i];
    }
    text[n] = '\0';
    field->unit = text;
    return n <= OWN_UNIT_MAX || refuse(parse, "a unit that is too long");
}

static uint64_t cut_to(uint32_t value, unsigned size)
{
    return size < 4u ? value & ((1u << 8u * size) - 1u) : value;
}

/* Take "IDLE, RUN, STALL", which ends at a NUL, with a value for each. */
static bool take_names(struct parse *parse, struct own_field *field, char *text)
{
    field->names = parse->to->names + parse->taken;
    for (char *next; text != NULL; text = next) {
        char *comma = strchr(text, ',');
        next = comma != NULL ? comma + 1 + strspn(comma + 1, " ") : NULL;
        if (comma != NULL)
            *comma = '\0';
        if (!is_enumerator(text))
            return refuse(parse, "an enumerator that is no name");
        if (parse->taken == parse->nvalues)
            return refuse(parse, "fewer values than enumerators");
        parse->to->names[parse->taken] =
            (struct own_name){text, cut_to(get_32(parse->values + 4u * parse->taken, parse->big), field->size)};
        parse->taken++;
        field->nnames++;
    }
    return true;
}

static bool take_extra(struct parse *parse, struct own_field *field, char *text)
{
    field->unit = "";
    if (text[0] == '\0')
        return true;
    if (field->form == OWN_ENUM || field->form == OWN_FLAGS)
        return take_names(parse, field, text);
    return text[0] == '"' ? take_unit(parse, field, text) : refuse(parse, "something behind a field's name");
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Give the field its place: at a multiple of its size, but of 4 at most; a text at the next word. */
static bool place(struct parse *parse, struct own_field *field)
{
    uint32_t alignment = field->form == OWN_TEXT || field->size > 4u ? 4u : field->size;
    unsigned numbers = field->elements > 0 ? field->elements : 1u;
    uint32_t offset = (parse->end + alignment - 1u) & ~(alignment - 1u);
    if (parse->to->has_text)
        return refuse(parse, "a field behind a text");
    if (offset + numbers * field->size > OWN_BYTES_MAX)
        return refuse(parse, "more fields than an event has room for");
    field->offset = (uint16_t)offset;
    parse->to->has_text = field->form == OWN_TEXT;
    parse->end = parse->to->has_text ? offset : offset + numbers * field->size;
    return true;
}

/* A line begins with a type, such as "u8" or "u16 [ 3 ]": the end of that. NULL: nothing stands behind it. */
static char *find_type_end(char *line)
{
    char *end = line + strcspn(line, " ["), *bracket = end + strspn(end, " ");
    if (*bracket == '[')
        end = strchr(bracket, ']');
    return end == NULL || *end == '\0' ? NULL : end + (*end == ']');
}

/* Take the line of a field: "TYPE NAME EXTRA,". */
static bool take_field(struct parse *parse, char *line)
{
    struct own_field *field = &parse->to->field[parse->to->nfields];
    size_t length = strlen(line);
    char *name = find_type_end(line), *extra;
    if (parse->to->nfields == OWN_FIELDS_MAX)
        return refuse(parse, "more fields than an event has room for");
    if (length == 0 || line[length - 1u] != ',' || name == NULL || *name != ' ')
        return refuse(parse, "a line that is no field");
    line[length - 1u] = '\0';
    *name++ = '\0';
    name += strspn(name, " ");
    extra = name + strcspn(name, " ");
    if (*extra != '\0')
        *extra++ = '\0';
    extra += strspn(extra, " ");
    field->name = name;
    if (!own_is_name(name) || strncmp(name, "common_", 7) == 0)
        return refuse(parse, "a field whose name is none");
    parse->to->nfields++;
    return take_type(parse, field, line) && take_extra(parse, field, extra) && place(parse, field);
}

/* ---- the text ---------------------------------------------------------------------------------------------------- */

/* The line at *at without its newline; *at goes behind it. NULL: there is no further newline. */
static char *take_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');
    if (end == NULL)
        return NULL;
    *end = '\0';
    *at = end + 1;
    return line;
}

static bool take_kind(struct parse *parse, const char *line)
{
    static const char *const kinds[] = {[OWN_EVENT] = "event", [OWN_COUNTER] = "counter", [OWN_SPAN] = "span"};
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i], line) == 0) {
            parse->to->kind = (enum own_kind)i;
            return true;
        }
    }
    return refuse(parse, "neither an event nor a counter nor a span");
}

/* Whether a name is taken by a part of a field, as own_fields.h calls the parts: NAME_0, NAME_text, NAME_unit. */
static bool is_part_of(const struct own_field *field, const char *name)
{
    size_t length = strlen(field->name), digits;
    if (strncmp(name, field->name, length) != 0 || name[length] != '_')
        return false;
    name += length + 1u;
    digits = strspn(name, "0123456789");
    if (strcmp(name, "unit") == 0)
        return field->unit[0] != '\0';
    return field->form == OWN_FLOAT ? strcmp(name, "text") == 0
                                    : field->elements > 0 && digits > 0 && name[digits] == '\0';
}

/* Whether two fields could not be told apart. */
static bool have_one_name(const struct own_descriptor *of)
{
    for (unsigned i = 0; i < of->nfields; i++) {
        for (unsigned k = 0; k < of->nfields; k++) {
            const char *name = of->field[k].name;
            if (i != k && (strcmp(of->field[i].name, name) == 0 || is_part_of(&of->field[i], name)))
                return true;
        }
    }
    return false;
}

/* Systems whose events viewers take for Linux's own. */
static bool is_reserved(const char *system)
{
    static const char *const systems[] = {"ftrace", "sched", "irq", "tlog"};
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        if (strcmp(system, systems[i]) == 0)
            return true;
    }
    return false;
}

static bool take_text(struct parse *parse)
{
    struct own_descriptor *to = parse->to;
    char *at = to->text, *system = take_line(&at), *name = take_line(&at), *kind = take_line(&at), *line;
    if (system == NULL || name == NULL || kind == NULL || !own_is_name(system) || !own_is_name(name))
        return refuse(parse, "names that are none");
    if (is_reserved(system))
        return refuse(parse, "the name of one of Linux's systems");
    to->system = system;
    to->name = name;
    if (!take_kind(parse, kind))
        return false;
    while ((line = take_line(&at)) != NULL) {
        if (!take_field(parse, line))
            return false;
    }
    to->words = (parse->end + 3u) / 4u;
    if (*at != '\0' || parse->taken != parse->nvalues)
        return refuse(parse, "more in it than fields");
    if (have_one_name(to))
        return refuse(parse, "two fields of one name");
    return to->kind != OWN_SPAN || to->nfields == 0 || refuse(parse, "a span with fields");
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static bool check_words(struct parse *parse, const unsigned char *bytes, size_t size)
{
    size_t told = own_descriptor_size(bytes, size, parse->big), text;
    if (told == 0 || told != size)
        return refuse(parse, "a size that is not its own");
    if (get_32(bytes + 8, parse->big) != OWN_VERSION)
        return refuse(parse, "of a version that is not known");
    parse->to->head = get_32(bytes, parse->big);
    if (!is_head(parse->to->head))
        return refuse(parse, "not of an event of a group");
    parse->nvalues = get_32(bytes + 12, parse->big);
    text = 4u * (WORDS + (size_t)parse->nvalues);
    if (parse->nvalues > OWN_VALUES_MAX || text >= size || memchr(bytes + text, '\0', size - text) == NULL)
        return refuse(parse, "more values than there is room for, or a text without an end");
    parse->values = bytes + 4u * WORDS;
    return true;
}

/* Copy the text and get memory for the enumerators. False: no memory. */
static bool copy(struct parse *parse, const unsigned char *bytes)
{
    struct own_descriptor *to = parse->to;
    to->names = heap_calloc(parse->nvalues + 1u, sizeof *to->names);
    to->text = text_copy((const char *)bytes + 4u * (WORDS + (size_t)parse->nvalues));
    return to->names != NULL && to->text != NULL;
}

struct own_descriptor *own_descriptor_parse(const unsigned char *bytes, size_t size, bool big, const char **why)
{
    struct parse parse = {.to = heap_calloc(1, sizeof *parse.to), .big = big};
    bool good = parse.to != NULL && check_words(&parse, bytes, size) && copy(&parse, bytes) && take_text(&parse);
    *why = parse.why;
    if (good)
        return parse.to;
    own_descriptor_free(parse.to);
    return NULL;
}

void own_descriptor_free(struct own_descriptor *descriptor)
{
    if (descriptor == NULL)
        return;
    heap_free(descriptor->names);
    heap_free(descriptor->text);
    heap_free(descriptor);
}

/* ---- formats that name their arguments --------------------------------------------------------------------------- */

#define ROOM    1024u /* bytes of a descriptor that is made of a format */
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* The descriptor's text that is being made. */
struct made {
    char text[ROOM];
    size_t used; /* may be more than there is room for */
};

static void put(struct made *made, const char *text, size_t n)
{
    if (made->used + n < ROOM)
        memcpy(made->text + made->used, text, n);
    made->used += n;
}

static void put_word(struct made *made, const char *text)
{
    put(made, text, strlen(text));
}

/* The type of a field that a conversion shows, or NULL. *at: behind its percent sign, and then behind it. An int of the
 * target is a field of 4 bytes, long long and double have 8: so the arguments lie where the fields do. */
static const char *field_of_conversion(const char **at)
{
    const char *length = *at + strspn(*at, "0123456789.+-#"), *letter = length + strspn(length, "hlz");
    bool is_long = letter - length == 2 && strncmp(length, "ll", 2) == 0;
    *at = letter + (*letter != '\0');
    switch (*letter) {
    case 'd':
    case 'i':
        return is_long ? "i64 " : "i32 ";
    case 'u':
        return is_long ? "u64 " : "u32 ";
    case 'x':
    case 'X':
        return is_long ? "hex64 " : "hex32 ";
    case 'p':
        return "ptr ";
    case 'f':
    case 'F':
    case 'g':
    case 'e':
        return "f64 ";
    case 's':
        return "str ";
    default:
        return NULL;
    }
}

/* Put what stands behind a conversion, up to a blank or a comma, as a unit. False: it has another conversion in it. */
static bool put_unit(struct made *made, const char **at)
{
    size_t n = strcspn(*at, " ,\n");
    if (n > 0)
        put_word(made, " \"");
    for (size_t i = 0; i < n; i++) {
        if ((*at)[i] == '%' && (*at)[++i] != '%')
            return false;
        put(made, *at + i, 1);
    }
    if (n > 0)
        put_word(made, "\"");
    *at += n;
    return true;
}

/* Put the field "key=%d" as the line of a descriptor. */
static bool put_field(struct made *made, const char **at)
{
    const char *key = *at, *type;
    size_t n = strspn(key, LETTERS);
    if (n == 0 || key[n] != '=' || key[n + 1u] != '%')
        return false;
    *at += n + 2u;
    type = field_of_conversion(at);
    if (type == NULL)
        return false;
    put_word(made, type);
    put(made, key, n);
    if (!put_unit(made, at))
        return false;
    put_word(made, ",\n");
    return true;
}

/* Put the whole text of the descriptor. */
static bool put_all(struct made *made, const char *format)
{
    const char *at = format + strspn(format, " ");
    size_t n = strspn(at, LETTERS);
    put_word(made, "text\n");
    put(made, at, n);
    put_word(made, "\nevent\n");
    if (n == 0 || at[n] != ':')
        return false;
    at += n + 1u;
    do {
        at += strspn(at, " ,");
        if (!put_field(made, &at))
            return false;
        at += strspn(at, " ,");
    } while (*at != '\0' && *at != '\n');
    put(made, "", 1);
    return *at == '\0' || at[1] == '\0';
}

struct own_descriptor *own_descriptor_of_format(const char *format)
{
    struct made made = {.used = 4u * WORDS};
    const char *why;
    if (!put_all(&made, format) || made.used + 4u > ROOM)
        return NULL;
    while (made.used % 4u != 0)
        put(&made, "", 1);
    put_le32(made.text, OWN_MAGIC);
    put_le32(made.text + 4, (uint32_t)made.used);
    put_le32(made.text + 8, OWN_VERSION);
    put_le32(made.text + 12, 0);
    return own_descriptor_parse((const unsigned char *)made.text, made.used, false, &why);
}
