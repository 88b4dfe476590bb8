/* coarse.h - the coarse clock of coarse.c. */
#ifndef RUNTIME_COARSE_H
#define RUNTIME_COARSE_H

#include <stdint.h>

uint32_t test_coarse_now(void);

#endif
