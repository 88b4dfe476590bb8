/* tier.h - how many cases a test tries. */
#ifndef LIB_TIER_H
#define LIB_TIER_H

#include <stdlib.h>
#include <string.h>

/* The step from one case to the next of a loop that is long: n in the quick tier (`make test`), else 1. A prime number:
 * so cases that come around in fours or eights are all met. */
static inline unsigned tier_step(unsigned n)
{
    const char *tier = getenv("TIER");
    return tier != NULL && strcmp(tier, "quick") == 0 ? n : 1u;
}

#endif
