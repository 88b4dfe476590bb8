/* hits.h - the proof that an interrupt came in front of every instruction: hit maps, kept while a test runs on the
 * target.
 *
 * The code that is looked at begins with test_code (runtime/sweep/code.c) and is linked last. A row of the map belongs
 * to a call that the thread makes and to where the outer levels were interrupted, and has a bit for every address of
 * code where the innermost level was. Rows are written
 * to hits.bin; tests/strength/cover.c puts them together and holds them against what tests/strength/reach.c saw
 * executed. */
#ifndef LIB_HITS_H
#define LIB_HITS_H

#include <stdint.h>

enum { HITS_WORDS = 424, HITS_CALL = 2, HITS_PREFIX }; /* 424 words: 26.5 KB of code */

struct hits_row {
    uint32_t prefix[HITS_PREFIX]; /* addresses, outermost first; 0: none; at last, of the call */
    uint32_t bits[HITS_WORDS];    /* bit n: 2 * n bytes from test_code */
};

/* Which sweeps the test is to make, and up to which level interrupts are taken: the digits of QEMU's arg=. */
int hits_set(void);

/* The call at that address is what the thread makes from now on. */
void hits_call(uintptr_t call);

/* Write the last row. */
void hits_end(void);

#endif
