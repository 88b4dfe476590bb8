/* SPDX-License-Identifier: MIT */
/* virt.h - QEMU's virt machine, here with Cortex-A15 cores, as many as -smp says.
 *
 * All cores but the first wait until board_start_cpu() starts them (board_cpus.h); TLOG_CPUS of them log. The clock is
 * the generic timer, 62.5 MHz, whose virtual count is the same on all CPUs. */
#ifndef BOARD_H
#define BOARD_H

#ifndef TLOG_CLOCK_HZ
#define TLOG_CLOCK_HZ 62500000
#endif

#define BOARD_GIC_DISTRIBUTOR   0x08000000u
#define BOARD_GIC_INTERFACE     0x08010000u
#define BOARD_TIMER_IRQ         30 /* the generic timer's physical one */
#define BOARD_VIRTUAL_TIMER_IRQ 27

/* Nothing needs to be started. */
static inline void board_init(void)
{
}
#endif
