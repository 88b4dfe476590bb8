/* suggest.c - see suggest.h. */
#include "cli/suggest.h"

#include <string.h>

enum {
    LENGTH_MOST = 40, /* of words that are compared */
    CHANGES_MOST = 2,
};

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* How many changes it takes to make b of a: the distance of Damerau and Levenshtein, in which no part of a word is
 * changed twice. Row i of the table is about the first i characters of a. */
static unsigned changes(const char *a, const char *b)
{
    unsigned row[LENGTH_MOST + 1][LENGTH_MOST + 1];
    size_t na = strlen(a), nb = strlen(b);
    if (na > LENGTH_MOST || nb > LENGTH_MOST)
        return LENGTH_MOST;
    for (size_t i = 0; i <= na; i++) {
        for (size_t k = 0; k <= nb; k++) {
            if (i == 0 || k == 0) {
                row[i][k] = (unsigned)(i + k);
                continue;
            }
            row[i][k] = least(row[i - 1][k], row[i][k - 1]) + 1u;
            row[i][k] = least(row[i][k], row[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                row[i][k] = least(row[i][k], row[i - 2][k - 2] + 1u);
        }
    }
    return row[na][nb];
}

const char *cli_closest(const char *word, const char *const *words, size_t n)
{
    const char *closest = NULL;
    unsigned fewest = CHANGES_MOST + 1u;
    for (size_t i = 0; i < n; i++) {
        unsigned number = changes(word, words[i]);
        if (number < fewest && 2u * number < strlen(word)) {
            fewest = number;
            closest = words[i];
        }
    }
    return closest;
}
