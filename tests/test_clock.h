/* test_clock.h - included before everything where the clock of the trace is to be a word in memory, which the tests
 * advance: -DTEST_CLOCK. So it can be set to any time on every board. */
#ifdef TEST_CLOCK
#ifndef TEST_CLOCK_H
#define TEST_CLOCK_H
#include <stdint.h>
extern volatile uint32_t test_clock[1];
#define TLOG_CLOCK_ADDRESS test_clock
#endif
#endif
