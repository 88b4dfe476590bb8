/* hits_set.h - sets of rows of hit maps (hits.h), on the host. If memory runs out, the program ends with an error. */
#ifndef LIB_HITS_SET_H
#define LIB_HITS_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "hits.h"

struct hits_set {
    struct hits_row **rows; /* a hash table; unused places are NULL */
    size_t room, used;
};

/* The row with that prefix. It is added to the set if it is not there. */
struct hits_row *hits_set_row(struct hits_set *set, const uint32_t *prefix);

/* Set the row's bits in the set's row with the same prefix. */
void hits_set_add(struct hits_set *set, const struct hits_row *row);

/* Add all rows of a file to the set; write all rows of the set to a file. On failure they print the reason and return
 * false. */
bool hits_set_read(struct hits_set *set, const char *path);
bool hits_set_write(const struct hits_set *set, const char *path);

#endif
