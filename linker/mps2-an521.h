/* SPDX-License-Identifier: MIT */
/* mps2-an521.h - Arm MPS2, image AN521 (SSE-200, two Cortex-M33), 20 MHz, secure aliases of everything.
 *
 * Devices and memory are those of AN505. The second core waits until board_start_cpu() starts it (board_cpus.h); with
 * TLOG_CPUS = 2 both cores log. The clock is the counter of the FPGA's I/O block, which both cores read; CYCCNT cannot
 * be the clock, because each core has its own. */
#ifndef BOARD_AN521_H
#define BOARD_AN521_H

#ifndef TLOG_CLOCK_ADDRESS
#define TLOG_CLOCK_ADDRESS 0x50302018u /* FPGAIO, COUNTER */
#endif
#ifndef TLOG_CPU_ADDRESS
#define TLOG_CPU_ADDRESS 0x5001F000u /* SSE-200, CPU_IDENTITY: each core reads its own number */
#endif

#include "mps2-an505.h"

#define BOARD_INITSVTOR1 0x50021114u /* SSE-200 system control: where the second core finds its vectors */
#define BOARD_CPUWAIT    0x50021118u /* bit n: core n waits */
#define BOARD_ACTLR      0xE000E008u

/* Without an MPU the RAM is not shareable. Make the core send its exclusive accesses to the RAM's monitor
 * nevertheless. */
static inline void board_exclusives_are_global(void)
{
    *(volatile unsigned *)BOARD_ACTLR |= 1u << 29; /* EXTEXCLALL */
}
#endif
