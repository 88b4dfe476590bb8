/* filter_parse.h - the expression of a filter, taken apart. */
#ifndef DECODE_FILTER_PARSE_H
#define DECODE_FILTER_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is wrong with an expression: the column, from 1 on, and the reason. */
struct decode_filter_error {
    size_t column;
    const char *why;
};

enum { FILTER_NODES = 128, FILTER_DEPTH = 64 };

enum filter_op {
    FILTER_OR,
    FILTER_AND,
    FILTER_NOT,
    FILTER_TYPE, /* the event is of such a type */
    FILTER_EQUAL,
    FILTER_UNEQUAL,
    FILTER_LESS,
    FILTER_LESS_OR_EQUAL,
    FILTER_GREATER,
    FILTER_GREATER_OR_EQUAL,
    FILTER_BITS,
    FILTER_LIKE,
};

/* A number: whole, with its sign; or else a floating point number. */
struct filter_number {
    bool is_real, is_negative;
    uint64_t size; /* without its sign */
    long double real;
};

enum filter_value { FILTER_NUMBER, FILTER_TEXT, FILTER_NAME };

struct filter_node {
    enum filter_op op;
    unsigned left, right;               /* nodes; NOT has the left one only */
    const char *system, *event, *field; /* patterns, and a name; NULL: any */
    enum filter_value kind;             /* of the value */
    const char *text;                   /* of the value, if it is no number */
    struct filter_number number;        /* ... if it is one */
};

struct filter_tree {
    char *texts; /* what the texts of nodes point into */
    struct filter_node node[FILTER_NODES];
    unsigned n, root;
};

/* Take an expression apart. False: it is wrong, and *error says why; or there is no memory, and its why is NULL. */
bool filter_parse(struct filter_tree *tree, const char *text, struct decode_filter_error *error);

#endif
