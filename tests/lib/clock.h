/* clock.h - a word in memory that the tests advance, as the clock of the trace: so it can be set to any time on every
 * board. Included before everything, with -DTLOG_CLOCK_ADDRESS=test_clock. */
#ifndef LIB_CLOCK_H
#define LIB_CLOCK_H

#define TEST_CLOCK 1 /* for what is compiled with and without this clock */

#include <stdint.h>

extern volatile uint32_t test_clock[1];

#endif
