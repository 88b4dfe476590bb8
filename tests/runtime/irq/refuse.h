/* refuse.h - the register that tells the CPU is a word of the test: see refuse.c. */
#include <stdint.h>

extern uint32_t this_cpu_register;
#define TLOG_ONLY_CPU_ADDRESS (&this_cpu_register)
