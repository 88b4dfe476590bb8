/* tlog_fault.h - the last event of a run: a fault, with the registers of whoever ran into it.
 *
 *     static void reboot(void) { NVIC_SystemReset(); }
 *     TLOG_FAULT_HANDLER(HardFault_Handler, reboot)
 *
 * makes a handler that logs the fault and calls reboot(), which does not return. The event needs nine slots side by side. Where
 * the ring has no room it goes to the emergency slots: TLOG_EMERGENCY_SLOTS of TLOG_FAULT_SLOTS or more make sure that it
 * has some. It is logged while logging is disabled, too. With TLOG_RUNS > 1 the next run finds it with all that led there.
 *
 * For ARMv6-M, ARMv7-M and ARMv8-M. Elsewhere tlog_fault_log() takes what the firmware's own handler has found. */
#ifndef TLOG_FAULT_H
#define TLOG_FAULT_H

#include "tlog.h"

/* Slots of the event: one that tells the time, and two words of the event in each of the others. */
#define TLOG_FAULT_SLOTS (1u + TLOG_FAULT_WORDS / 2u)

#if TLOG_ENABLE
/* Log a fault: words as target/FORMAT.md tells them. False: there was no room, and it counts as lost.
 * Any context. */
bool tlog_fault_log(const uint32_t words[TLOG_FAULT_WORDS]);
#endif

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'

/* Log the exception whose handler this is called from: frame is where the core has put r0-r3, r12, lr, pc and xpsr, and
 * exc_return what lr was on entry of the handler. Where the core says that it could not write the frame it is not read.
 * False: there was no room. */
bool tlog_fault(const uint32_t *frame, uint32_t exc_return);

/* Define a handler for a fault, or any exception that is one: the stack that was in use is told by EXC_RETURN. */
#define TLOG_FAULT_HANDLER(name, then)                                                                                 \
    void name(void);                                                                                                   \
    __attribute__((noreturn, used)) static void name##_then(const uint32_t *frame, uint32_t exc_return)                \
    {                                                                                                                  \
        (void)tlog_fault(frame, exc_return);                                                                           \
        then();                                                                                                        \
        for (;;)                                                                                                       \
            ;                                                                                                          \
    }                                                                                                                  \
    __attribute__((naked)) void name(void)                                                                             \
    {                                                                                                                  \
        __asm volatile("movs r0, #4\n\t"                                                                               \
                       "mov r1, lr\n\t"                                                                                \
                       "tst r0, r1\n\t"                                                                                \
                       "mrs r0, msp\n\t"                                                                               \
                       "beq 1f\n\t"                                                                                    \
                       "mrs r0, psp\n"                                                                                 \
                       "1:\tldr r2, =%c0\n\t"                                                                          \
                       "bx r2\n\t"                                                                                     \
                       ".ltorg" ::"i"(name##_then));                                                                   \
    }

#endif
#endif
