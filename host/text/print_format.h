/* print_format.h - the print format of a type, parsed, and the names that it has for numbers.
 *
 *   "irq=%d ret=%s", REC->irq, REC->ret ? "handled" : "unhandled"
 *
 * becomes pieces. Each is a text and, behind it, what stands for one argument: "irq=" and the number in field irq, "
 * ret=" and one of two texts.
 */
#ifndef TEXT_PRINT_FORMAT_H
#define TEXT_PRINT_FORMAT_H

#include "base/printable.h"
#include "model/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
    PIECE_CONVERSION_BYTES = 16,
    PIECE_SYMBOLS_BYTES = 4096, /* of a list of names that is looked through for a number, at most */
    PIECE_NAMES_BYTES = 4128,   /* of the names of a number, if no control characters in them are escaped */
    PIECE_NUMBER_BYTES = 64,    /* of a number that is shown, with its NUL */
};

/* What stands behind the text. */
enum piece_kind {
    PIECE_PLAIN,    /* nothing */
    PIECE_NUMBER,   /* the number in the field, by the conversion */
    PIECE_STRING,   /* the text in the field: characters, a string, the name of a number */
    PIECE_FUNCTION, /* the symbol that the address in the field is in */
    PIECE_OFFSET,   /* the same, and how far in it the address is */
    PIECE_SYMBOL,   /* of __print_symbolic(): the name of the number in the field */
    PIECE_FLAGS,    /* of __print_flags(): the names of the bits that are set in it */
    PIECE_CHOICE,   /* one of two texts, the second if the field is 0 */
    PIECE_FORMAT,   /* of ftrace:bprint: the format string in the field, with the words behind the fixed payload */
    PIECE_IF_SET,   /* " name=" and the number, but nothing for 0 */
};

struct piece {
    const char *text; /* of length bytes */
    size_t length;
    enum piece_kind kind;
    const struct tlog_field *field;
    char conversion[PIECE_CONVERSION_BYTES]; /* of a PIECE_NUMBER, for unsigned long long */
    bool is_int;                             /* the conversion is one of int */
    char letter;                             /* of a conversion that has nothing else, set by print.c; else 0 */
    bool left;                               /* blanks stand behind a text that is shorter than its width */
    unsigned char width;                     /* of a text or a number */
    const char *choice[2];                   /* the texts of a PIECE_CHOICE, of length choice_length[]; the first one is
                                              * the list of names of a PIECE_SYMBOL and PIECE_FLAGS */
    size_t choice_length[2];
};

struct print_format {
    unsigned n;
    struct piece *piece; /* the caller frees it */
};

/* Get memory for that many pieces, in the place of those before; n becomes 0. False: no memory. */
bool print_format_reserve(struct print_format *format, size_t n);

/* Parse the print format of a type. The pieces point into it. False: something in it is not understood, or there is no
 * memory. */
bool print_format_parse(struct print_format *format, const struct tlog_type *type);

/* Parse a number and its name, as they stand in __print_symbolic() and __print_flags(): "{ 7, "name" }". *at goes
 * behind it. False: there is none. */
bool print_format_symbol(const char **at, uint64_t *number, const char **name, size_t *length);

/* The same of the next one in a list of a piece, up to end; *at goes to the one behind it. False: there is none. */
bool print_format_next_symbol(const char **at, const char *end, uint64_t *number, const char **name, size_t *length);

/* ---- text in memory with an end ---------------------------------------------------------------------------------- */

/* Where text is put. What has no room ends in "...". */
struct out {
    char *at;  /* where the next byte goes */
    char *end; /* behind the room */
};

/* Whether there is room for that many bytes and the dots. If not, the dots are put, and nothing more. */
static inline bool out_has_room(struct out *out, size_t bytes)
{
    if (bytes + 3u <= (size_t)(out->end - out->at))
        return true;
    if (out->end - out->at >= 3)
        memcpy(out->at, "...", 3);
    out->at += out->end - out->at >= 3 ? 3 : 0;
    out->end = out->at;
    return false;
}

static inline void out_bytes(struct out *out, const char *from, size_t n)
{
    if (out_has_room(out, n)) {
        memcpy(out->at, from, n);
        out->at += n;
    }
}

/* Bytes as printable.h shows them, backslashes as they are. */
static inline void out_printable(struct out *out, const char *from, size_t n)
{
    if (out_has_room(out, PRINTABLE_MOST * n))
        out->at = printable_put(out->at, from, n, false);
}

/* Put what a PIECE_SYMBOL or PIECE_FLAGS shows for a number: its name, or the names of its bits; the number in
 * hexadecimal where there is none. */
void print_format_names(struct out *out, const struct piece *piece, uint64_t value);

#endif
