/* cover.c - compares the hit maps of a sweep (hits.h) with the instructions that reach.c saw executed.
 *
 * usage: cover LEVELS BEGIN HITS REACHABLE
 *
 * BEGIN is the address of test_code, in hexadecimal. Prints covered / reachable; fails if the two sets differ. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/hits_set.h"

enum { MAX_LEVELS = 3, MAX_SHOWN = 8 };

static uint32_t begin;
static int levels;

static uint64_t count(const struct hits_set *set)
{
    uint64_t n = 0;
    for (size_t i = 0; i < set->room; i++)
        for (int w = 0; set->rows[i] != NULL && w < HITS_WORDS; w++)
            n += (uint64_t)__builtin_popcount(set->rows[i]->bits[w]);
    return n;
}

static uint64_t show_row(const struct hits_row *from, const uint32_t *not_in, const char *what, uint64_t shown)
{
    for (uint32_t at = 0; at < HITS_WORDS * 32u; at++) {
        if (!(from->bits[at / 32u] & ~not_in[at / 32u] & 1u << at % 32u) || ++shown > MAX_SHOWN)
            continue;
        printf("%s, call %" PRIx32 ":", what, from->prefix[HITS_CALL]);
        for (int i = 0; i < levels - 1; i++)
            printf(" %" PRIx32, from->prefix[i]);
        printf(" %" PRIx32 "\n", begin + at * 2u);
    }
    return shown;
}

/* Print what is in one set and not in the other, MAX_SHOWN addresses per kind at most; returns their number. */
static uint64_t show(const struct hits_set *from, struct hits_set *other, const char *what)
{
    uint64_t shown = 0;
    for (size_t i = 0; i < from->room; i++)
        if (from->rows[i] != NULL)
            shown = show_row(from->rows[i], hits_set_row(other, from->rows[i]->prefix)->bits, what, shown);
    return shown;
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"", "addresses", "pairs", "triples"};
    struct hits_set hit = {0}, reachable = {0};
    levels = argc == 5 ? atoi(argv[1]) : 0;
    if (levels < 1 || levels > MAX_LEVELS) {
        fprintf(stderr, "usage: cover LEVELS BEGIN HITS REACHABLE\n");
        return 2;
    }
    begin = (uint32_t)strtoul(argv[2], NULL, 16);
    if (!hits_set_read(&hit, argv[3]) || !hits_set_read(&reachable, argv[4]))
        return 2;
    uint64_t missing = show(&reachable, &hit, "not interrupted"),
             wrong = show(&hit, &reachable, "not reachable, but hit");
    uint64_t all = count(&reachable);
    printf("covered %" PRIu64 " / reachable %" PRIu64 " %s\n", all - missing, all, kinds[levels]);
    return missing > 0 || wrong > 0 || all < 50u;
}
