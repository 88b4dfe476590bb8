/* SPDX-License-Identifier: MIT */
/* microbit.h - BBC micro:bit: Nordic nRF51822, Cortex-M0, 16 MHz.
 *
 * The clock is TIMER0 with 32 bits. It cannot be read directly: writing 1 to a capture task copies the counter to a
 * register 0x500 bytes behind the task. If an interrupt in between captures, too, the register holds a later time,
 * which is still a time within this call. */
#ifndef BOARD_H
#define BOARD_H

#define BOARD_TIMER0   0x40008000u
#define BOARD_NRF1     0x40009000u /* TIMER1 */
#define BOARD_NRF1_IRQ 9
#define BOARD_NRF2     0x4000A000u /* TIMER2 */
#define BOARD_NRF2_IRQ 10

#ifndef TLOG_CLOCK_ADDRESS
#define TLOG_CLOCK_ADDRESS (BOARD_TIMER0 + 0x40u) /* TASKS_CAPTURE[0] */
#define TLOG_CLOCK_READ                                                                                                \
    "movs %[free], #1\n\tstr %[free], [%[low]]\n\t"                                                                    \
    "movs %[free], #5\n\tlsls %[free], %[free], #8\n\tldr %[low], [%[low], %[free]]\n\t"
#endif
#ifndef TLOG_CLOCK_HZ
#define TLOG_CLOCK_HZ 16000000
#endif

/* Capture the counter and read it: what TLOG_CLOCK_READ does in assembly. */
static inline unsigned long board_capture(const volatile void *task)
{
    *(volatile unsigned *)task = 1u;
    return ((volatile unsigned *)task)[0x500 / 4];
}

/* Start the clock of the trace. */
static inline void board_init(void)
{
    *(volatile unsigned *)(BOARD_TIMER0 + 0x508u) = 3u; /* BITMODE: 32 */
    *(volatile unsigned *)(BOARD_TIMER0 + 0x510u) = 0;  /* PRESCALER: 16 MHz */
    *(volatile unsigned *)BOARD_TIMER0 = 1u;            /* START */
}
#endif
