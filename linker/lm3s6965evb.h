/* SPDX-License-Identifier: MIT */
/* lm3s6965evb.h - TI (Luminary) LM3S6965 evaluation board, Cortex-M3, here at 25 MHz.
 *
 * QEMU's model of this chip has no timer that can be read, and no CYCCNT. So the clock is a word in memory that SysTick
 * advances (ticks.c), as the tick of an RTOS would. */
#ifndef BOARD_H
#define BOARD_H

#ifndef TLOG_CLOCK_ADDRESS
#include <stdint.h>
extern volatile uint32_t board_ticks[1];
#define TLOG_CLOCK_ADDRESS board_ticks
#endif
#ifndef TLOG_CLOCK_HZ
#define TLOG_CLOCK_HZ 20000
#endif
#define BOARD_SYSTICK_RELOAD (25000000u / TLOG_CLOCK_HZ - 1u)

#define BOARD_GPTM1     0x40030000u /* general-purpose timer 0 */
#define BOARD_GPTM1_IRQ 19
#define BOARD_GPTM2     0x40031000u /* general-purpose timer 1 */
#define BOARD_GPTM2_IRQ 21

/* Set the clock of core and devices to 200 MHz / 8, enable the clocks of both timers, and start the tick. */
static inline void board_init(void)
{
    *(volatile unsigned *)0x400FE060u = 7u << 23 | 1u << 22 | 0x3C0u; /* RCC: SYSDIV, USESYSDIV, 8 MHz crystal */
    *(volatile unsigned *)0x400FE104u |= 3u << 16;                    /* RCGC1: timers 0 and 1 */
    *(volatile unsigned *)0xE000E014u = BOARD_SYSTICK_RELOAD;
    *(volatile unsigned *)0xE000E018u = 0;
    *(volatile unsigned *)0xE000E010u = 7u; /* core clock, interrupt, on */
}
#endif
