/* board_cpus.h - boards with several CPUs: starting the others. main() runs on CPU 0; interrupts of the other CPUs come to
 * the same handlers as its own. */
#ifndef BOARD_CPUS_H
#define BOARD_CPUS_H

#include <stdint.h>

/* Bytes of stack that each CPU has; they lie side by side below the end of the RAM. */
#define BOARD_STACK_BYTES 0x10000u

/* Let a CPU that does not run yet, 1 to TLOG_CPUS - 1, run a function, with interrupts on and a stack of its own; when the
 * function returns, the CPU sleeps. 0, or the error that the firmware or hardware gives. */
int board_start_cpu(uint32_t number, void (*run)(void));

#endif
