/* suggest.c - see suggest.h. */
#include "cli/suggest.h"

#include "base/heap.h"
#include "base/text.h"
#include "tool/message.h"

#include <stdio.h>
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

/* Of what the user may have meant by it. */
static void suggest_option(const char *word, const char *const *options, size_t n)
{
    const char *closest = cli_closest(word, options, n);
    char line[80];
    if (closest == NULL || strncmp(closest, word, strlen(word)) == 0)
        return;
    snprintf(line, sizeof line, "Did you mean --%s?", closest);
    message_line(line);
}

void cli_refuse_option(const char *text, const char *const *options, size_t n)
{
    struct growing_text meant = {0};
    char word[LENGTH_MOST];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(options[i], word, strlen(word)) == 0)
            text_add(&meant, " '--%s'", options[i]);
    }
    if (meant.bytes != NULL)
        message_error("option '%s' is ambiguous; possibilities:%s", text, meant.bytes);
    else
        message_error("unrecognized option '%s'", text);
    heap_free(meant.bytes);
    suggest_option(word, options, n);
}
