/* load.h - how busy a CPU was over time. */
#ifndef ANSWER_LOAD_H
#define ANSWER_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#define LOAD_STEPS 256u /* an even number */

/* How busy a CPU was, in steps of equal length. How long the trace is comes out only at its end. So when time goes
 * beyond the last step, every two steps become one, which makes room for as many new ones. All 0 at the beginning, but
 * for first. */
struct cpu_load {
    uint64_t first; /* the time at which the first step begins */
    uint64_t width; /* of a step, as times are counted; 0: nothing was added yet */
    uint64_t busy[LOAD_STEPS];
};

/* The CPU was busy from one time to another. Times before the first step are left out. */
void cpu_load_add(struct cpu_load *load, uint64_t from, uint64_t to);

/* Add a time, or take one away that was added. NULL: there is none. */
void cpu_load_change(struct cpu_load *load, uint64_t from, uint64_t to, bool is_added);

/* The share of a part of the trace, 0 to 1, in which the CPU was busy. It is part i, from 0 on, of n equal parts from
 * the first step to the time `end`. */
double cpu_load_part(const struct cpu_load *load, uint64_t end, unsigned i, unsigned n);

#endif
