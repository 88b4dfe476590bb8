/* load.h - how busy a CPU was over time, in a fixed number of steps of equal length. The length of the trace is not
 * known before its end: when time goes beyond the last step, every two steps become one. */
#ifndef ANSWER_LOAD_H
#define ANSWER_LOAD_H

#include <stdint.h>

#define LOAD_STEPS 256u /* an even number */

/* At the beginning all is 0, except first. */
struct load {
    uint64_t first; /* the time at which the first step begins */
    uint64_t width; /* of a step; 0: nothing was added */
    uint64_t busy[LOAD_STEPS];
};

/* The CPU was busy from one time to another. Times before the first step are left out. */
void load_add(struct load *load, uint64_t from, uint64_t to);

/* The share of time, 0 to 1, in which the CPU was busy in part i, if the trace up to the time `end` has n equal
 * parts. */
double load_part(const struct load *load, uint64_t end, unsigned i, unsigned n);

#endif
