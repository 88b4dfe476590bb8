/* wake.h - the clock that goes on in a sleep, for wake.c. Included before every other file (gcc -include). */
#ifndef RUNTIME_WAKE_H
#define RUNTIME_WAKE_H

#include <stdint.h>

uint32_t test_sleep_now(void);

#endif
