/* hits.h - hit maps, which prove that an interrupt came in front of every instruction. They are recorded while a test
 * runs on the target.
 *
 * The code under test begins at test_code (runtime/sweep/code.c) and is linked last. A row of the map belongs to one
 * call made by the thread and to the addresses where the outer levels were interrupted. It has one bit for every
 * address of the code where the innermost level was interrupted. Rows are written to hits.bin; tests/strength/cover.c
 * merges them and compares them with the instructions that tests/strength/reach.c saw executed. */
#ifndef LIB_HITS_H
#define LIB_HITS_H

#include <stdint.h>

enum { HITS_WORDS = 1500, HITS_CALL = 2, HITS_PREFIX }; /* 1500 words: one bit for every 2 bytes, so 93 KB of code */

struct hits_row {
    uint32_t prefix
        [HITS_PREFIX]; /* addresses of the interrupted instructions, outermost first, 0: none; the last is the call's */
    uint32_t bits[HITS_WORDS]; /* bit n: the instruction 2 * n bytes behind test_code */
};

/* Which sweep the test is to run, and (test_irq_levels() in irq.h) up to which level interrupts are taken: the two
 * digits of QEMU's arg=. */
int hits_set(void);

/* From now on the thread makes the call at this address. */
void hits_call(uintptr_t call);

/* Write the last row to hits.bin. */
void hits_end(void);

#endif
