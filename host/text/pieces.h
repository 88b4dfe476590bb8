/* pieces.h - a print format taken apart: a text, and behind it what one argument is shown as, and so on. */
#ifndef TEXT_PIECES_H
#define TEXT_PIECES_H

#include "model/event.h"

enum {
    CONVERSION = 16,
    PIECES_SYMBOLS_MOST = 4096, /* bytes of a list of names that is looked through for a number */
};

/* What stands for an argument. */
enum what {
    NOTHING,  /* the piece is a text only */
    NUMBER,   /* the field by its conversion */
    TEXT,     /* of a field: characters or a string; names of numbers */
    FUNCTION, /* the symbol that the address in the field is in */
    OFFSET,   /* the same, and how far in it the address is */
    SYMBOL,   /* of __print_symbolic(): the name of the number in the field */
    FLAGS,    /* of __print_flags(): the names of the bits that are set in it */
    CHOICE,   /* one of two texts, the second if the field is 0 */
    FORMAT,   /* of ftrace:bprint: the format string in the field, with the words behind the payload's fixed part */
    UNSET,    /* " name=" and the number, but nothing for 0 */
};

struct piece {
    const char *text; /* of length bytes */
    size_t length;
    enum what what;
    const struct trace_field *field;
    char conversion[CONVERSION]; /* of a NUMBER, for unsigned long long */
    bool is_int;                 /* the conversion is one of int */
    const char *choice[2];       /* of length choice_length[] */
    size_t choice_length[2];
};

struct pieces {
    unsigned n;
    struct piece *piece; /* the caller frees it */
};

/* Get memory for that many pieces, in the place of those before; n becomes 0. False: no memory. */
bool pieces_new(struct pieces *pieces, size_t n);

/* Take the print format of a type apart. False: something in it is not understood, or there is no memory. */
bool pieces_take(struct pieces *pieces, const struct trace_type *type);

/* Take a number and its name, as they stand in __print_symbolic() and __print_flags(): "{ 7, "name" }". *at goes behind
 * it. False: there is none. */
bool pieces_symbol(const char **at, uint64_t *number, const char **name, size_t *length);

#endif
