/* virt.h - QEMU's virt machine, here with a Cortex-A15. The clock is the generic timer, 62.5 MHz. */
#ifndef BOARD_H
#define BOARD_H

#ifndef TLOG_CLOCK_HZ
#define TLOG_CLOCK_HZ 62500000
#endif

#define BOARD_GIC_DISTRIBUTOR   0x08000000u
#define BOARD_GIC_INTERFACE     0x08010000u
#define BOARD_TIMER_IRQ         30 /* the generic timer's physical one */
#define BOARD_VIRTUAL_TIMER_IRQ 27

static inline void board_init(void)
{
}
#endif
