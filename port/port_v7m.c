/* SPDX-License-Identifier: MIT */
/* port_v7m.c - the clock of ARMv7-M and ARMv8-M mainline: DWT CYCCNT if it counts, or else the clock of the board. */
#include "src/tlog_speed.h"
#include "tlog.h"

#ifdef TLOG_PORT_V7M_H

#if TLOG_CLOCK_CYCCNT
static volatile uint32_t *register_at(uintptr_t address)
{
    return (volatile uint32_t *)address;
}

/* Start CYCCNT and test whether it counts. False on cores built without the counter, and in simulators without it. */
static bool cyccnt_counts(void)
{
    *register_at(TLOG_PORT_DEMCR) |= 1u << 24;     /* TRCENA: power the DWT */
    *register_at(TLOG_PORT_DWT_LAR) = 0xC5ACCE55u; /* Cortex-M7 locks it; the others ignore this */
    if (*register_at(TLOG_PORT_DWT_CTRL) >> 25 & 1u)
        return false;                            /* NOCYCCNT */
    *register_at(TLOG_PORT_DWT_CTRL) |= 1u << 0; /* CYCCNTENA */
    uint32_t first = *register_at(TLOG_PORT_DWT_CYCCNT);
    __asm volatile("nop\n\tnop\n\tnop\n\tnop"); /* the counter may count more slowly than the core */
    return *register_at(TLOG_PORT_DWT_CYCCNT) != first;
}

const volatile uint32_t *tlog_port_clock_start(void)
{
    if (cyccnt_counts())
        return register_at(TLOG_PORT_DWT_CYCCNT);
    TLOG_CLOCK_START;
    return (const volatile uint32_t *)TLOG_CLOCK_ADDRESS;
}
#endif

#endif
