/* SPDX-License-Identifier: MIT */
/* tlog_irq.h - log entry and exit of interrupts without a change in any handler.
 *
 * On every Cortex-M with the register VTOR (all but Cortex-M0 and some M0+), call this once, after the handlers'
 * vectors are in place:
 *
 *     #include "tlog_irq.h"
 *     tlog_irq_trace();
 *
 * From then on each external interrupt and SysTick logs FTrace_EVT_interrupt_start and FTrace_EVT_interrupt_end, with
 * the number in IPSR: 15 for SysTick, 16 + n for external interrupt n. The decoder names them after their
 * handlers (tlog-decode --elf), unless tlog_name() does. Faults, NMI, DebugMon, SVC and PendSV keep their vectors.
 *
 * A handler that is left by longjmp(), or as an interpreter's exception leaves it, logs no exit. The decoder closes it,
 * with an exit "ret=left", at the event that shows it: its interrupt comes again, one outside of it ends, or, with
 * TLOG_CONTEXT, thread code logs. What ran from its entry up to there is not known. To have these times, log the exit
 * ahead:
 *
 *     TRACER_LOGEVENT(FTrace_EVT_interrupt_end, tlog_irq_active(), 0);
 *     longjmp(shutdown, 1);
 *
 * On Cortex-M0, or where RAM is short, the vector table stays in flash, and has tlog_irq_any() in the place of the
 * handlers.
 *
 * On every core, for one handler:
 *
 *     TLOG_ISR(UART0_IRQHandler)
 *     {
 *         if (nothing_there())
 *             return;
 *         receive();
 *     }
 */
#ifndef TLOG_IRQ_H
#define TLOG_IRQ_H

#include "tlog.h"

TLOG_BEGIN_CALLS

/* Words of the vector table in RAM. It needs a vector for each interrupt that the core has (register ICTR): 16 plus the
 * chip's interrupts, whose number is rounded up to a multiple of 32: 82 interrupts need 16 + 96 = 112.
 * Range: 48..512. Default: 112, for chips with up to 96 interrupts; 48 on ARMv6-M. Cost: 4 bytes of RAM for each word,
 * aligned to the table's size; the same again for each CPU if tlog_irq_set() is used or handlers are installed later;
 * nothing if tlog_irq_trace() is not used and the linker drops unused sections. */
#ifndef TLOG_IRQ_VECTORS
#ifdef __ARM_ARCH_6M__
#define TLOG_IRQ_VECTORS 48
#else
#define TLOG_IRQ_VECTORS 112
#endif
#endif
TLOG_STATIC_ASSERT((TLOG_IRQ_VECTORS) >= 48 && (TLOG_IRQ_VECTORS) <= 512, "TLOG_IRQ_VECTORS: 48..512");

/* TLOG_IRQ_UNUSED: the function that stands in each vector until an SDK or the application installs a handler there,
 * such as the Pico SDK's __unhandled_user_irq. Such vectors keep it, so that the SDK finds what it expects; and
 * interrupts from 16 up are named after the handlers that they have at run time, which takes two name slots for each.
 * Default: none; then every vector is traced, and names are those of the table in the firmware's file. */

#if TLOG_ENABLE && !defined(TLOG_PORT_V7M_H) && !defined(TLOG_PORT_V6M_H)
#define TLOG_IRQ_CALL __attribute__((error("tlog: only Cortex-M; here use TLOG_ISR()")))
#else
#define TLOG_IRQ_CALL TLOG_CALL
#endif

typedef void (*tlog_irq_handler)(void);

/* Move the vector table to RAM, so that interrupts of the calling CPU go through tlog. It logs the entry, calls the
 * handler that was in the vector before, and logs the exit. The handler runs on the same stack in the same mode, above
 * a frame of 8 bytes (more without optimisation); nesting, tail-chaining and lazy stacking stay as they are. In the
 * handler lr is an ordinary return address. So a handler that reads its exception frame, or leaves by another
 * EXC_RETURN, as the SysTick of RTX5 does, needs tlog_irq_keep().
 * A further call traces the handlers that were written into the table in RAM since, as an SDK or NVIC_SetVector() of
 * CMSIS does: until then they work, but are not traced.
 * Returns true, also if the table was moved before; or false, and nothing has changed: TLOG_IRQ_VECTORS is too small,
 * or VTOR takes no address in RAM or is not there, or, on a second CPU, a vector that is not traced differs. With
 * TLOG_ENABLE = 0 it returns false.
 * With several CPUs each one makes this call, the others after the first has returned; they share the table. On ARMv8-M
 * VTOR is that of the caller's security state; interrupts of the other state are not logged.
 * Callable from: privileged thread. */
TLOG_IRQ_CALL bool tlog_irq_trace(void) TLOG_WHEN_OFF(return false);

/* Let an interrupt keep its own vector: it is not logged. Call it before or after tlog_irq_trace(); after it also
 * before an SDK changes or removes the handler, if it looks for it in the table. number: as in IPSR,
 * 15..TLOG_IRQ_VECTORS - 1; others are ignored. This holds for all CPUs, which must have the same handler for it.
 * Callable from: privileged thread, or an interrupt. */
TLOG_IRQ_CALL void tlog_irq_keep(uint32_t number) TLOG_WHEN_OFF();

/* Give an interrupt of the calling CPU another handler, and trace it. number: as above.
 * Returns true; or false, and then the caller sets the vector as without tlog: tlog_irq_trace() has not moved the table
 * on this CPU, or the number is not one of the above. With TLOG_ENABLE = 0 it returns false.
 * Callable from: privileged thread, one call at a time. */
TLOG_IRQ_CALL bool tlog_irq_set(uint32_t number, tlog_irq_handler handler) TLOG_WHEN_OFF(return false);

/* For a vector table that stays in flash: the one function for all vectors of external interrupts and SysTick, the
 * words 15 and up of the table. It logs the entry, calls the handler that tlog_irq_handlers has for the number in IPSR,
 * and logs the exit. Compile port/irq_flash.c, and define that table:
 *
 *     const tlog_irq_handler tlog_irq_handlers[16 + 32] = {[15] = SysTick_Handler, [16] = UART0_IRQHandler};
 *
 * It needs a handler for each vector that has tlog_irq_any(). The decoder reads the handlers' names from it. The
 * vectors before 15 must keep their handlers: SVC and PendSV look at lr and at their exception frame, and an NMI must
 * not log on ARMv6-M. So must SysTick, if it switches tasks itself. The handler runs as with tlog_irq_trace(); do not
 * call that, too. With TLOG_ENABLE = 0 nothing is logged, and the handler is called all the same.
 * Callable from: an interrupt, as its vector. */
void tlog_irq_any(void);
extern const tlog_irq_handler tlog_irq_handlers[];

/* TLOG_ISR(name) { ... } defines the handler void name(void), which logs its entry and its exit, also if it returns
 * early. Use it at file scope; in C++ the name has C linkage.
 * TLOG_ISR(name, number) { ... } gives the number, which cores without IPSR need. On Cortex-A it defines the function
 * that the interrupt's dispatcher calls, and the number is that of the interrupt controller. A constant number saves an
 * instruction.
 * tlog_irq_trace() would log the same interrupt a second time, unless tlog_irq_keep() excludes it. (Hooks of
 * the kernels in port/rtos do not.) */
#define TLOG_ISR(...)                      TLOG_ISR_OF(__VA_ARGS__, TLOG_ISR_NUMBER, TLOG_ISR_IPSR, 0)(__VA_ARGS__)
#define TLOG_ISR_OF(name, number, of, ...) of
#define TLOG_ISR_IPSR(name)                TLOG_ISR_NUMBER(name, tlog_irq_active())
#define TLOG_ISR_NUMBER(name, number)                                                                                  \
    static void name##_body(void);                                                                                     \
    TLOG_EXTERN_C void name(void);                                                                                     \
    __attribute__((no_instrument_function)) void name(void)                                                            \
    {                                                                                                                  \
        const uint32_t tlog_number = (number);                                                                         \
        TRACER_LOGEVENT(FTrace_EVT_interrupt_start, tlog_number, 0);                                                   \
        name##_body();                                                                                                 \
        TRACER_LOGEVENT(FTrace_EVT_interrupt_end, tlog_number, 0);                                                     \
    }                                                                                                                  \
    static void name##_body(void)

/* The number of the exception that the CPU handles; 0: none. Callable from: any context. */
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
TLOG_ALWAYS_INLINE uint32_t tlog_irq_active(void)
{
    uint32_t number;
    __asm("mrs %0, ipsr" : "=r"(number));
    return number;
}
#else
uint32_t tlog_irq_active(void)
    __attribute__((error("tlog: this core does not tell the interrupt's number: TLOG_ISR(name, number)")));
#endif

TLOG_END_CALLS

#endif
