/* ranking.h - which stamps of a sequence can be right, if they must be in order. */
#ifndef NATIVE_RANKING_H
#define NATIVE_RANKING_H

#include <stdbool.h>
#include <stdint.h>

/* A stamp that a lap tells, and the sequences of stamps in order that it is in. */
struct native_ranked_stamp {
    uint64_t stamp;
    uint64_t best[2]; /* working space, by length of a sequence: the last or first stamp of the best one */
    uint32_t slot;    /* its number in the lap */
    uint32_t before;  /* stamps in the longest sequence that ends with this one */
    uint32_t after;   /* stamps in the longest sequence that begins with it */
    uint32_t rivals;  /* in entry i: stamps that can stand at place i of a longest sequence */
    bool whole;       /* the slot tells it, not only its low word */
    bool keep;        /* it is in every longest sequence */
};

/* Set keep of those of n stamps that are in every longest sequence in order. A stamp that is in some of these only
 * contradicts another one, and neither can be relied on. Takes n * log n steps. */
void native_rank_stamps(struct native_ranked_stamp *ranked, uint32_t n);

#endif
