/* SPDX-License-Identifier: MIT */
/* mps2-an385.h - what tlog and the demo need to know of the board: Arm MPS2, image AN385 (Cortex-M3), 25 MHz.
 *
 * The clock is TIMER 0: it counts down from 0xFFFFFFFF and wraps. DWT CYCCNT is not used because it does not count in
 * QEMU. */
#ifndef BOARD_H
#define BOARD_H

#ifndef TLOG_CLOCK_ADDRESS
#define TLOG_CLOCK_ADDRESS      0x40000004u /* CMSDK APB timer 0, VALUE */
#define TLOG_CLOCK_DOWN         1
#define TLOG_CLOCK_HALT(halted) (BOARD_TIMER0->ctrl = !(halted))
#endif
#ifndef TLOG_CLOCK_HZ
#define TLOG_CLOCK_HZ 25000000
#endif

#ifndef __ASSEMBLER__
#include <stdint.h>

/* CMSDK APB timer */
struct board_timer {
    volatile uint32_t ctrl; /* bit 0 enable, bit 3 interrupt enable */
    volatile uint32_t value;
    volatile uint32_t reload;
    volatile uint32_t intstatus; /* write 1 to clear */
};

#ifdef __cplusplus
#define BOARD_TIMER_AT(address) reinterpret_cast<struct board_timer *>(address)
#else
#define BOARD_TIMER_AT(address) ((struct board_timer *)(address))
#endif
#define BOARD_TIMER0         BOARD_TIMER_AT(0x40000000u) /* the clock of the trace */
#define BOARD_TIMER1         BOARD_TIMER_AT(0x40001000u)
#define BOARD_TIMER1_ADDRESS 0x40001000u
#define BOARD_TIMER1_IRQ     9
#define BOARD_DUALTIMER      0x40002000u /* CMSDK dual timer */
#define BOARD_DUALTIMER_IRQ  10
#define BOARD_CORE_HZ        25000000u
#define BOARD_CORE           "cortex-m3"

/* Start the clock of the trace. */
static inline void board_init(void)
{
    BOARD_TIMER0->reload = 0xFFFFFFFFu;
    BOARD_TIMER0->value = 0xFFFFFFFFu;
    BOARD_TIMER0->ctrl = 1u;
}
#endif
#endif
