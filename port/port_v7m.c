/* port_v7m.c - the clock of ARMv7-M: DWT CYCCNT, or the one the board gives. */
#include "tlog_port.h"

#if defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_7EM__)

const volatile uint32_t *tlog_port_clock_start(void)
{
#if TLOG_PORT_USES_DWT
    volatile uint32_t *demcr = (volatile uint32_t *)0xE000EDFCu;
    volatile uint32_t *dwt_lar = (volatile uint32_t *)0xE0001FB0u;
    volatile uint32_t *dwt_ctrl = (volatile uint32_t *)0xE0001000u;
    *demcr |= 1u << 24;     /* TRCENA: power the DWT */
    *dwt_lar = 0xC5ACCE55u; /* Cortex-M7 locks it; the others ignore this */
    *dwt_ctrl |= 1u;        /* CYCCNTENA */
#endif
    return (const volatile uint32_t *)TLOG_CLOCK_ADDRESS;
}

#endif
