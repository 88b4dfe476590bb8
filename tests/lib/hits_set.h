/* hits_set.h - sets of rows of hit maps (hits.h), on the host. Whoever gives no memory ends the program. */
#ifndef LIB_HITS_SET_H
#define LIB_HITS_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "hits.h"

struct hits_set {
    struct hits_row **rows; /* some are NULL */
    size_t room, used;
};

/* The row with that prefix; it is put into the set if it is not there. */
struct hits_row *hits_set_row(struct hits_set *set, const uint32_t *prefix);

/* Add the bits of a row. */
void hits_set_add(struct hits_set *set, const struct hits_row *row);

/* Add the rows of a file; write all to one. False, and said why, if that fails. */
bool hits_set_read(struct hits_set *set, const char *path);
bool hits_set_write(const struct hits_set *set, const char *path);

#endif
