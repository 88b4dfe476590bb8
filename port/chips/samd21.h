/* SPDX-License-Identifier: MIT */
/* samd21.h - SAM D21: the clock is TC4 and TC5, one counter of 32 bits that GCLK0 drives. It keeps its own time where
 * GCLK0 runs; nobody else may use them (in Arduino: Servo takes TC4, tone() TC5). TLOG_CLOCK_HZ is GCLK0's rate. */
#define TLOG_CLOCK_ADDRESS 0x42003010u /* TC4 COUNT */
#define TLOG_CLOCK_START   tlog_chip_start()
static __inline__ void tlog_chip_start(void)
{
    volatile unsigned short *const tc4 = (volatile unsigned short *)0x42003000u;
    if (*tc4 & 2u)
        return;                                        /* it runs: ENABLE */
    *(volatile unsigned *)0x40000420u |= 3u << 12;     /* PM APBCMASK: TC4, TC5 */
    *(volatile unsigned short *)0x40000C02u = 0x401Cu; /* GCLK CLKCTRL: CLKEN, GCLK0, TC4_TC5 */
    tc4[0] = 2u << 2 | 2u;                             /* CTRLA: COUNT32, ENABLE */
    while ((tc4[7] & 0x8000u) != 0)                    /* STATUS: SYNCBUSY */
        ;
    tc4[1] = 0xC010u; /* READREQ: COUNT is kept readable */
}
