/* filter_parse.h - the parsed expression of a filter, as a tree. For filter.c, which evaluates it. */
#ifndef DECODE_FILTER_PARSE_H
#define DECODE_FILTER_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is wrong with an expression, and in which column; the first one is 1. */
struct decode_filter_error {
    size_t column;
    const char *why;
};

enum { FILTER_NODES = 128, FILTER_DEPTH = 64 }; /* at most, in an expression */

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

/* A number: real if is_real; else whole, with magnitude and sign. */
struct filter_number {
    bool is_real, is_negative;
    uint64_t size; /* the magnitude */
    long double real;
};

enum filter_value { FILTER_NUMBER, FILTER_TEXT, FILTER_NAME };

/* OR, AND and NOT have operands that are nodes; TYPE has patterns; the others compare a field with a value. */
struct filter_node {
    enum filter_op op;
    unsigned left, right;               /* indices of the nodes; NOT has the left one only */
    const char *system, *event, *field; /* two patterns, and a name; NULL: any */
    enum filter_value kind;             /* of the value */
    const char *text;                   /* of a value that is a text or a name */
    struct filter_number number;        /* of a value that is a number */
};

struct filter_tree {
    char *texts; /* what the texts of nodes point into; the tree's owner frees it */
    struct filter_node node[FILTER_NODES];
    unsigned n, root;
};

/* Parse an expression. False: it is wrong, and *error tells why; or there is no memory, and error->why is NULL. */
bool filter_parse(struct filter_tree *tree, const char *text, struct decode_filter_error *error);

#endif
