/* names.h - names that a print format has for the numbers in a field: __print_symbolic() and __print_flags(). */
#ifndef TEXT_NAMES_H
#define TEXT_NAMES_H

#include "text/out.h"
#include "text/pieces.h"

#define NAMES_MOST 4128u /* bytes of the names of a number, unless they have control characters, which are escaped */

/* Put what a piece of kind SYMBOL or FLAGS shows for a number: its name, or the names of its bits; the number in
 * hexadecimal where there is none. */
void names_put(struct out *out, const struct piece *piece, uint64_t value);

#endif
