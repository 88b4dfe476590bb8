/* load.h - how busy a CPU was over time, in a fixed number of steps of equal length, without knowing before how long
 * the trace is: when time goes beyond the last step, each two steps become one. */
#ifndef ANSWER_LOAD_H
#define ANSWER_LOAD_H

#include <stdint.h>

#define LOAD_STEPS 256u /* an even number */

/* All 0 to begin with, but for first. */
struct load {
    uint64_t first; /* the time at which the first step begins */
    uint64_t width; /* of a step; 0: nothing was added */
    uint64_t busy[LOAD_STEPS];
};

/* The CPU was busy from one time to another. Times before the first step are left out. */
void load_add(struct load *load, uint64_t from, uint64_t to);

/* How much of a part of the trace the CPU was busy: part i of n equal ones up to the time `end`. 0 to 1. */
double load_part(const struct load *load, uint64_t end, unsigned i, unsigned n);

#endif
