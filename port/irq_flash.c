/* SPDX-License-Identifier: MIT */
/* irq_flash.c - interrupts of Cortex-M whose vector table stays in flash, by way of one function, which logs them: see
 * tlog_irq_any() in tlog_irq.h. Compile this file only if the vector table has that function. */
#include "src/tlog_speed.h"
#include "tlog_irq.h"

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'

/* Functions of their own: while the handler runs, no register of theirs takes stack. */
__attribute__((noinline, no_instrument_function)) static void log_entry(uint32_t number)
{
    (void)number;
    TRACER_LOGEVENT(FTrace_EVT_interrupt_start, number, 0);
}

__attribute__((noinline, no_instrument_function)) static void log_exit(uint32_t number)
{
    (void)number;
    TRACER_LOGEVENT(FTrace_EVT_interrupt_end, number, 0);
}

__attribute__((no_instrument_function)) void tlog_irq_any(void)
{
    uint32_t number = tlog_irq_active();
    log_entry(number);
    tlog_irq_handlers[number]();
    log_exit(number);
}

#endif
