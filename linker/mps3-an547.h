/* SPDX-License-Identifier: MIT */
/* mps3-an547.h - Arm MPS3, image AN547 (Cortex-M55), 32 MHz, secure aliases of everything.
 *
 * The clock is CYCCNT if it counts, else the counter of the FPGA's I/O block, which has the frequency of the core. */
#ifndef BOARD_H
#define BOARD_H

#ifndef TLOG_CLOCK_ADDRESS
#define TLOG_CLOCK_ADDRESS 0x59302018u /* FPGAIO, COUNTER */
#define TLOG_CLOCK_CYCCNT  1
#endif
#ifndef TLOG_CLOCK_HZ
#define TLOG_CLOCK_HZ 32000000
#endif

#define BOARD_SYSTEM_TIMER1     0x58000000u /* SSE-300 system timers */
#define BOARD_SYSTEM_TIMER1_IRQ 3
#define BOARD_SYSTEM_TIMER2     0x58001000u
#define BOARD_SYSTEM_TIMER2_IRQ 4
#define BOARD_SYSTEM_COUNTER    0x58100000u

/* Start the system counter, which drives all system timers. */
static inline void board_init(void)
{
    *(volatile unsigned *)BOARD_SYSTEM_COUNTER = 1u;
}
#endif
