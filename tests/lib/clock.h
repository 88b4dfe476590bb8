/* clock.h - a trace clock that is a word in memory: the tests advance it, and can set it to any time on every board.
 *
 * It is included before every other file (gcc -include), with -DTLOG_CLOCK_ADDRESS=test_clock. */
#ifndef LIB_CLOCK_H
#define LIB_CLOCK_H

#define TEST_CLOCK 1 /* lets a file that is compiled with and without this clock tell which */

#include <stdint.h>

extern volatile uint32_t test_clock[1];

#endif
