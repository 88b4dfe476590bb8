/* names.c - see names.h. */
#include "text/names.h"

#include "base/digits.h"

static void out_hex(struct out *out, uint64_t value)
{
    char text[DIGITS_MOST];
    out_bytes(out, text, (size_t)(put_hex(text, value) - text));
}

/* The name that a print format has for a number, else the number. */
static void put_symbol(struct out *out, const struct piece *piece, uint64_t value)
{
    const char *at = piece->choice[0], *end = at + piece->choice_length[0], *name;
    uint64_t number;
    size_t length;
    while (at < end) {
        at++; /* the comma */
        if (!pieces_symbol(&at, &number, &name, &length))
            break;
        if (number == value) {
            out_printable(out, name, length);
            return;
        }
        at += strspn(at, " ");
    }
    out_hex(out, value);
}

/* The names of the bits that are set, and the rest as a number, as libtraceevent shows them: a name with several bits
 * counts if all of them are set and not named yet, and 0 has no name. */
static void put_flags(struct out *out, const struct piece *piece, uint64_t value)
{
    const char *at = piece->choice[0], *end = at + piece->choice_length[0], *name, *between = "";
    uint64_t number;
    size_t length;
    while (at < end) {
        at++; /* the comma */
        if (!pieces_symbol(&at, &number, &name, &length))
            break;
        at += strspn(at, " ");
        if (number == 0 || (value & number) != number)
            continue;
        out_bytes(out, between, strlen(between));
        out_printable(out, name, length);
        between = "|";
        value &= ~number;
    }
    if (value != 0) {
        out_bytes(out, between, strlen(between));
        out_hex(out, value);
    }
}

void names_put(struct out *out, const struct piece *piece, uint64_t value)
{
    if (piece->what == FLAGS)
        put_flags(out, piece, value);
    else
        put_symbol(out, piece, value);
}
