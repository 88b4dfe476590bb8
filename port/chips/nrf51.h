/* SPDX-License-Identifier: MIT */
/* nrf51.h - nRF51: the clock is TIMER0 with 32 bits at 16 MHz, which only a capture task shows: a store copies the
 * counter to a register 0x500 bytes behind the task. A SoftDevice takes TIMER0 for itself. */
#define TLOG_CLOCK_ADDRESS 0x40008040u /* TASKS_CAPTURE[0] */
#define TLOG_CLOCK_READ                                                                                                \
    "movs %[free], #1\n\tstr %[free], [%[low]]\n\t"                                                                    \
    "movs %[free], #5\n\tlsls %[free], %[free], #8\n\tldr %[low], [%[low], %[free]]\n\t"
#ifndef TLOG_CLOCK_HZ
#define TLOG_CLOCK_HZ 16000000
#endif
#define TLOG_CLOCK_START tlog_chip_start()
static __inline__ void tlog_chip_start(void)
{
    *(volatile unsigned *)0x40008508u = 3u; /* BITMODE: 32 */
    *(volatile unsigned *)0x40008510u = 0;  /* PRESCALER */
    *(volatile unsigned *)0x40008000u = 1u; /* START */
}
