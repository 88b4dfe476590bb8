/* budget.h - how much a trace.dat file may make of itself. A few bytes can decompress to gigabytes, and some lines of a
 * table can need far more memory than they have bytes. So the memory for what is kept of a file, and the bytes that are
 * decompressed, are limited by the file's size; FORMAT.md tells the limits.
 */
#ifndef TRACEDAT_READ_BUDGET_H
#define TRACEDAT_READ_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#define TRACEDAT_MEMORY         (UINT64_C(32) << 20)  /* bytes of memory, */
#define TRACEDAT_MEMORY_TIMES   2u                    /* and for each byte of the file */
#define TRACEDAT_EXPANDED       (UINT64_C(256) << 20) /* bytes that are decompressed, */
#define TRACEDAT_EXPANDED_TIMES 512u                  /* and for each byte of the file */

/* What is left. */
struct tracedat_budget {
    uint64_t memory;   /* bytes of memory */
    uint64_t expanded; /* bytes that may be decompressed */
};

static inline struct tracedat_budget tracedat_budget_of(uint64_t file_size)
{
    return (struct tracedat_budget){TRACEDAT_MEMORY + TRACEDAT_MEMORY_TIMES * file_size,
                                    TRACEDAT_EXPANDED + TRACEDAT_EXPANDED_TIMES * file_size};
}

/* Take n bytes of what is left. False, and nothing was taken, if there are not as many. */
static inline bool tracedat_budget_take(uint64_t *left, uint64_t n)
{
    if (n > *left)
        return false;
    *left -= n;
    return true;
}

#endif
