/* print.c - the print format of an event: what it tells about the fields, and the same in terms of the fields
 * that they become. See tracedat/read/file.h.
 *
 *   "irq=%d name=%s", REC->irq, __get_str(name)
 */
#include "tracedat/read/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 64, NAME_BYTES = 128 };

static const char word_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
static const char field_mark[] = "REC->";

struct conversion {
    char letter;
    bool nothing_for_zero; /* %.0u */
};

struct span {
    const char *from, *end;
};

static struct td_field *find_field(struct td_format *format, const char *name, size_t length)
{
    for (unsigned i = 0; i < format->nfields; i++) {
        if (strlen(format->field[i].name) == length && memcmp(format->field[i].name, name, length) == 0)
            return &format->field[i];
    }
    return NULL;
}

/* Behind the text that begins with a quotation mark. */
static const char *behind_text(const char *at)
{
    for (at++; *at != '\0' && *at != '"'; at++)
        at += at[0] == '\\' && at[1] != '\0';
    return at + (*at == '"');
}

/* ---- conversions and arguments ----------------------------------------------------------------------------------- */

/* Read the conversions of the texts before the first argument, one for each argument they take. */
static unsigned take_conversions(const char *at, const char *end, struct conversion *conversion)
{
    unsigned n = 0;

    while (at < end && n < ARGUMENTS_MAX) {
        const char *start;

        if (*at++ != '%')
            continue;
        start = at;
        at += strspn(at, "-+ #0123456789.hlLzt*");
        for (const char *c = start; c < at && n < ARGUMENTS_MAX; c++) {
            if (*c == '*')
                conversion[n++] = (struct conversion){.letter = '*'};
        }
        if (*at != '%' && *at != '\0' && n < ARGUMENTS_MAX)
            conversion[n++] = (struct conversion){*at, at - start == 2 && memcmp(start, ".0", 2) == 0};
        at += *at != '\0';
    }
    return n;
}

/* Behind the argument that begins here. */
static const char *behind_argument(const char *at)
{
    int depth = 0;

    while (*at != '\0' && (*at != ',' || depth > 0)) {
        if (*at == '"') {
            at = behind_text(at);
            continue;
        }
        depth += *at == '(' || *at == '{' || *at == '[';
        depth -= *at == ')' || *at == '}' || *at == ']';
        at++;
    }
    return at;
}

static unsigned take_arguments(const char *at, struct span *argument)
{
    unsigned n = 0;

    while (*at == ',' && n < ARGUMENTS_MAX) {
        at++;
        argument[n].from = at;
        at = behind_argument(at);
        argument[n++].end = at;
    }
    return n;
}

/* The only field that an argument is, or an element of it, with nothing around it but casts and parentheses; or
 * NULL. */
static struct td_field *only_field(struct td_format *format, struct span argument, bool *bare)
{
    const char *mark = strstr(argument.from, field_mark), *name, *behind;
    size_t length;

    if (mark == NULL || mark >= argument.end)
        return NULL;
    name = mark + strlen(field_mark);
    length = strspn(name, word_letters);
    behind = name + length + strspn(name + length, "[0123456789]");
    *bare = true;
    for (const char *c = argument.from; c < argument.end; c++) {
        bool inside = c >= mark && c < behind;

        if (!inside && (!strchr(word_letters, *c) && !strchr(" ()*", *c)))
            return NULL;
        *bare = *bare && (inside || *c == ' ');
    }
    return find_field(format, name, length);
}

static void learn(struct td_field *field, const struct conversion *conversion, bool bare)
{
    if (strchr("xXp", conversion->letter) && (field->shape == TD_SCALAR || field->shape == TD_ARRAY))
        field->hex = true;
    if (conversion->letter == 'u' && conversion->nothing_for_zero && field->size == 4)
        field->optional = bare;
    if (conversion->letter == 's' && bare && field->pointer && field->shape == TD_SCALAR && field->size >= 4)
        field->shape = TD_POINTED;
}

void td_print_learn(struct td_format *format)
{
    struct conversion conversion[ARGUMENTS_MAX];
    struct span argument[ARGUMENTS_MAX];
    const char *print = format->print, *end;
    unsigned nconversions, narguments;

    if (print == NULL)
        return;
    end = behind_argument(print);
    nconversions = take_conversions(print, end, conversion);
    narguments = take_arguments(end, argument);
    for (unsigned i = 0; i < nconversions && i < narguments; i++) {
        bool bare = false;
        struct td_field *field = only_field(format, argument[i], &bare);

        if (field != NULL)
            learn(field, &conversion[i], bare);
    }
}

/* ---- the print format made anew ---------------------------------------------------------------------------------- */

struct made {
    char *to;
    size_t used, room;
    bool failed;
};

static void put(struct made *made, const char *from, size_t n)
{
    if (made->failed || n >= made->room - made->used) {
        made->failed = true;
        return;
    }
    memcpy(made->to + made->used, from, n);
    made->used += n;
    made->to[made->used] = '\0';
}

static void put_call(struct made *made, const char *name, size_t length)
{
    put(made, "__get_str(", 10);
    put(made, name, length);
    put(made, ")", 1);
}

/* An element of an array, by a number: a field of its own. Behind it. */
static const char *put_element(struct made *made, const struct td_field *field, const char *name, size_t length)
{
    const char *open = name + length;
    char *close;
    unsigned long n = strtoul(open + 1, &close, 10);
    char number[16];
    int digits = snprintf(number, sizeof number, "_%lu", n);

    if (*open != '[' || close == open + 1 || *close != ']' || n >= field->count) {
        made->failed = true;
        return open;
    }
    put(made, "REC->", 5);
    put(made, name, length);
    put(made, number, (size_t)digits);
    return close + 1;
}

/* A field by its name, with the mark before it. Behind it. */
static const char *put_field(struct made *made, struct td_format *format, const char *mark)
{
    const char *name = mark + strlen(field_mark);
    size_t length = strspn(name, word_letters);
    const struct td_field *field = find_field(format, name, length);

    if (field == NULL) {
        made->failed = strncmp(name, "common_", 7) != 0;
        put(made, mark, strlen(field_mark) + length);
        return name + length;
    }
    switch (field->shape) {
    case TD_SCALAR:
    case TD_CHARS:
        put(made, mark, strlen(field_mark) + length);
        break;
    case TD_OPEN:
    case TD_POINTED:
        put_call(made, name, length);
        break;
    case TD_ARRAY:
        return put_element(made, field, name, length);
    default:
        made->failed = true;
        break;
    }
    return name + length;
}

/* A call that gets a field by its name; only of texts there is one. Behind it. */
static const char *put_getter(struct made *made, struct td_format *format, const char *at)
{
    const char *name = at + strspn(at, word_letters), *end;
    size_t call = (size_t)(name - at), length;
    bool string =
        (call == 9 && memcmp(at, "__get_str", call) == 0) || (call == 13 && memcmp(at, "__get_rel_str", call) == 0);
    const struct td_field *field;

    if (*name == '(')
        name++;
    name += strspn(name, " ");
    length = strspn(name, word_letters);
    field = find_field(format, name, length);
    end = name + length + strspn(name + length, " ");
    if (!string || field == NULL || (field->shape != TD_DATALOC && field->shape != TD_RELLOC) || *end != ')') {
        made->failed = true;
        return end;
    }
    put_call(made, name, length);
    return end + 1;
}

/* The next piece outside of quotation marks. Behind it. */
static const char *put_piece(struct made *made, struct td_format *format, const char *at)
{
    size_t word = strspn(at, word_letters);

    if (strncmp(at, field_mark, strlen(field_mark)) == 0)
        return put_field(made, format, at);
    if (strncmp(at, "__get_", 6) == 0)
        return put_getter(made, format, at);
    if (strncmp(at, "REC", 3) == 0 && word == 3)
        made->failed = true; /* a way to name a field that is not known here */
    word = word > 0 ? word : 1;
    put(made, at, word);
    return at + word;
}

/* Fields in calls that take an array cannot be told, so these formats are given up. */
char *td_print_make(struct td_format *format)
{
    struct made made = {0};
    const char *at = format->print;

    if (at == NULL || *at != '"')
        return NULL;
    made.room = strlen(at) * 4u + 64u;
    made.to = malloc(made.room);
    while (made.to != NULL && *at != '\0' && !made.failed) {
        if (*at == '"') {
            const char *end = behind_text(at);

            put(&made, at, (size_t)(end - at));
            at = end;
        } else {
            at = put_piece(&made, format, at);
        }
    }
    if (made.failed || made.to == NULL) {
        free(made.to);
        return NULL;
    }
    return made.to;
}
