/* filter_parse.c - see filter_parse.h. A recursive descent along the grammar in filter.h. */
#include "decode/filter_parse.h"

#include "base/heap.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORD    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
#define OPERAND WORD "*?.:"
#define NAME    WORD ":"

struct parse {
    struct filter_tree *tree;
    const char *text, *at;
    char *room; /* where the next text goes, with a NUL after it */
    unsigned depth;
    struct decode_filter_error *error;
};

static bool parse_either(struct parse *parse, unsigned *node);

/* Say what is wrong at a place. Always false. */
static bool refuse(struct parse *parse, const char *at, const char *why)
{
    *parse->error = (struct decode_filter_error){(size_t)(at - parse->text) + 1u, why};
    return false;
}

static void skip_blanks(struct parse *parse)
{
    parse->at += strspn(parse->at, " \t\n");
}

/* Skip a sign and the blanks around it. False: the sign is not there. */
static bool take_sign(struct parse *parse, const char *sign)
{
    skip_blanks(parse);
    if (strncmp(parse->at, sign, strlen(sign)) != 0)
        return false;
    parse->at += strlen(sign);
    skip_blanks(parse);
    return true;
}

/* Keep n characters of the expression as a text. filter_parse() has made room. */
static const char *keep(struct parse *parse, const char *from, size_t n)
{
    char *text = parse->room;
    memcpy(text, from, n);
    text[n] = '\0';
    parse->room += n + 1u;
    return text;
}

/* Add a node. False: there are too many. */
static bool add(struct parse *parse, struct filter_node node, unsigned *index)
{
    if (parse->tree->n == FILTER_NODES)
        return refuse(parse, parse->at, "too long");
    *index = parse->tree->n;
    parse->tree->node[parse->tree->n++] = node;
    return true;
}

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

/* Take an operator. The longer ones are tried first. False: there is none. */
static bool take_op(struct parse *parse, enum filter_op *op)
{
    static const struct {
        const char *sign;
        enum filter_op op;
    } signs[] = {{"==", FILTER_EQUAL},
                 {"!=", FILTER_UNEQUAL},
                 {"<=", FILTER_LESS_OR_EQUAL},
                 {">=", FILTER_GREATER_OR_EQUAL},
                 {"<", FILTER_LESS},
                 {">", FILTER_GREATER},
                 {"~", FILTER_LIKE}};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (take_sign(parse, signs[i].sign)) {
            *op = signs[i].op;
            return true;
        }
    }
    skip_blanks(parse);
    *op = FILTER_BITS;
    return parse->at[0] == '&' && parse->at[1] != '&' && take_sign(parse, "&");
}

/* Take a number with its sign. */
static bool take_number(struct parse *parse, struct filter_number *number)
{
    const char *from = parse->at, *digits = from + (*from == '-' || *from == '+');
    bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    char *end, *real_end;
    if (strspn(digits, "0123456789") == 0)
        return refuse(parse, from, "not a number");
    errno = 0;
    number->size = strtoull(digits, &end, is_hex ? 16 : 10);
    if (errno != 0)
        return refuse(parse, from, "a number that is too large");
    number->is_negative = *from == '-' && number->size != 0;
    number->real = text_to_real(from, &real_end);
    number->is_real = !is_hex && real_end > end;
    parse->at = number->is_real ? real_end : end;
    if (strspn(parse->at, WORD ".") > 0 || (is_hex && end < digits + 3))
        return refuse(parse, from, "not a number");
    return true;
}

/* Take "a text"; \" and \\ stand for the character after the backslash. */
static bool take_text(struct parse *parse, struct filter_node *node)
{
    char *to = parse->room;
    const char *from = parse->at++;
    node->text = to;
    for (; *parse->at != '"' && *parse->at != '\0'; parse->at++) {
        if (*parse->at == '\\' && parse->at[1] != '\0')
            parse->at++;
        *to++ = *parse->at;
    }
    *to++ = '\0';
    parse->room = to;
    return *parse->at++ == '"' || refuse(parse, from, "a text without an end");
}

static bool take_value(struct parse *parse, struct filter_node *node)
{
    const char *from = parse->at;
    size_t n = strspn(from, NAME);
    if (*from == '"') {
        node->kind = FILTER_TEXT;
        if (!take_text(parse, node))
            return false;
    } else if (strchr("+-0123456789", *from) != NULL && *from != '\0') {
        node->kind = FILTER_NUMBER;
        if (!take_number(parse, &node->number))
            return false;
    } else if (n > 0) {
        node->kind = FILTER_NAME;
        node->text = keep(parse, from, n);
        parse->at += n;
    } else {
        return refuse(parse, from, "a value is missing: a number, \"a text\" or a name");
    }
    if (node->op == FILTER_LIKE && node->kind != FILTER_TEXT)
        return refuse(parse, from, "~ wants \"a pattern\"");
    if (node->op >= FILTER_LESS && node->op <= FILTER_BITS && node->kind == FILTER_TEXT)
        return refuse(parse, from, "a text is only compared with ==, != and ~");
    return true;
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* Whether a part of an operand is empty, or the field's name has characters that no name has. */
static bool is_no_name(const struct filter_node *node)
{
    const char *const patterns[] = {node->system, node->event, node->field};
    for (unsigned i = 0; i < 3; i++) {
        if (patterns[i] != NULL && patterns[i][0] == '\0')
            return true;
    }
    return node->field != NULL && strspn(node->field, WORD) != strlen(node->field);
}

/* The last full stop of n characters, or NULL. */
static const char *find_stop(const char *from, size_t n)
{
    const char *stop = NULL;
    for (const char *c = from; c < from + n; c++)
        stop = *c == '.' ? c : stop;
    return stop;
}

/* Split an operand, [[SYSTEM:]EVENT.]FIELD, into its parts. */
static bool take_operand(struct parse *parse, struct filter_node *node, const char *from, size_t n)
{
    const char *colon = memchr(from, ':', n), *event = colon != NULL ? colon + 1 : from, *end = from + n;
    const char *stop = find_stop(event, (size_t)(end - event));
    if (stop == NULL && colon != NULL)
        return refuse(parse, from, "not EVENT.FIELD");
    if (colon != NULL)
        node->system = keep(parse, from, (size_t)(colon - from));
    if (stop != NULL)
        node->event = keep(parse, event, (size_t)(stop - event));
    node->field = stop != NULL ? keep(parse, stop + 1, (size_t)(end - stop - 1)) : keep(parse, from, n);
    return !is_no_name(node) || refuse(parse, from, "not the name of a field or an event");
}

/* Split a type, [SYSTEM:]EVENT, into its parts. */
static bool take_type(struct parse *parse, struct filter_node *node, const char *from, size_t n)
{
    const char *colon = memchr(from, ':', n), *event = colon != NULL ? colon + 1 : from, *end = from + n;
    if (find_stop(event, (size_t)(end - event)) != NULL)
        return refuse(parse, from, "a comparison is missing");
    if (colon != NULL)
        node->system = keep(parse, from, (size_t)(colon - from));
    node->event = keep(parse, event, (size_t)(end - event));
    return !is_no_name(node) || refuse(parse, from, "not the name of a field or an event");
}

static bool parse_comparison(struct parse *parse, unsigned *index)
{
    struct filter_node node = {.op = FILTER_TYPE};
    const char *from = parse->at;
    size_t n = strspn(from, OPERAND);
    if (n == 0)
        return refuse(parse, from, "the name of a field or an event is missing");
    parse->at += n;
    if (take_op(parse, &node.op))
        return take_operand(parse, &node, from, n) && take_value(parse, &node) && add(parse, node, index);
    node.op = FILTER_TYPE;
    return take_type(parse, &node, from, n) && add(parse, node, index);
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

static bool parse_term(struct parse *parse, unsigned *index)
{
    struct filter_node node = {.op = FILTER_NOT};
    bool good;
    skip_blanks(parse);
    if (++parse->depth > FILTER_DEPTH)
        return refuse(parse, parse->at, "too deep");
    if (take_sign(parse, "!")) {
        good = parse_term(parse, &node.left) && add(parse, node, index);
    } else if (take_sign(parse, "(")) {
        const char *from = parse->at;
        good = parse_either(parse, index)
               && (take_sign(parse, ")") || refuse(parse, from, "a parenthesis that is not closed"));
    } else {
        good = parse_comparison(parse, index);
    }
    parse->depth--;
    return good;
}

/* Parse operands with a sign, && or ||, between them. */
static bool parse_chain(struct parse *parse, unsigned *index, const char *sign, enum filter_op op,
                        bool (*part)(struct parse *parse, unsigned *index))
{
    if (!part(parse, index))
        return false;
    while (take_sign(parse, sign)) {
        struct filter_node node = {.op = op, .left = *index};
        if (!part(parse, &node.right) || !add(parse, node, index))
            return false;
    }
    return true;
}

static bool parse_both(struct parse *parse, unsigned *index)
{
    return parse_chain(parse, index, "&&", FILTER_AND, parse_term);
}

static bool parse_either(struct parse *parse, unsigned *index)
{
    return parse_chain(parse, index, "||", FILTER_OR, parse_both);
}

/* Every text that is kept has at least one character of the expression to itself, so three bytes for each character are
 * more than enough for texts and NULs. */
bool filter_parse(struct filter_tree *tree, const char *text, struct decode_filter_error *error)
{
    struct parse parse = {.tree = tree, .text = text, .at = text, .error = error};
    *error = (struct decode_filter_error){0, NULL};
    parse.room = tree->texts = heap_alloc(3u * strlen(text) + 1u);
    if (tree->texts == NULL || !parse_either(&parse, &tree->root))
        return false;
    skip_blanks(&parse);
    return *parse.at == '\0' || refuse(&parse, parse.at, "more than an expression");
}
