/* SPDX-License-Identifier: MIT */
/* mps2-an505.h - Arm MPS2, image AN505 (Cortex-M33), 20 MHz, secure aliases of everything.
 *
 * The clock is CYCCNT if it counts, else the counter of the FPGA's I/O block, which has the frequency of the core. */
#ifndef BOARD_H
#define BOARD_H

#ifndef TLOG_CLOCK_ADDRESS
#define TLOG_CLOCK_ADDRESS 0x50302018u /* FPGAIO, COUNTER */
#define TLOG_CLOCK_CYCCNT  1
#endif
#ifndef TLOG_CLOCK_HZ
#define TLOG_CLOCK_HZ 20000000
#endif

#define BOARD_TIMER1_ADDRESS 0x50001000u /* CMSDK APB timer */
#define BOARD_TIMER1_IRQ     4
#define BOARD_DUALTIMER      0x50002000u /* CMSDK dual timer */
#define BOARD_DUALTIMER_IRQ  5

/* Nothing needs to be started. */
static inline void board_init(void)
{
}
#endif
