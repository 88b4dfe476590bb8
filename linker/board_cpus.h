/* SPDX-License-Identifier: MIT */
/* board_cpus.h - boards with several CPUs: how the other CPUs are started.
 *
 * main() runs on CPU 0. Interrupts of the other CPUs come to the same handlers as those of CPU 0. */
#ifndef BOARD_CPUS_H
#define BOARD_CPUS_H

#include <stdint.h>

/* Bytes of stack of each CPU. The stacks lie side by side below the end of the RAM. */
#define BOARD_STACK_BYTES 0x10000u

/* Start CPU `number`, 1..TLOG_CPUS - 1, which must not run yet. It calls run(), with interrupts enabled and a stack of
 * its own, and sleeps when run() returns. Returns 0, or the error that firmware or hardware gives. Callable from:
 * thread. */
int board_start_cpu(uint32_t number, void (*run)(void));

#endif
