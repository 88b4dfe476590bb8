/* SPDX-License-Identifier: MIT */
/* tlog_fault.h - the last event of a run: a fault, with the registers of the code that ran into it.
 *
 * ARMv6-M, ARMv7-M and ARMv8-M:
 *
 *     #include "tlog_fault.h"
 *
 *     static void reboot(void)
 *     {
 *         *(volatile uint32_t *)0xE000ED0Cu = 0x05FA0004u; // AIRCR.SYSRESETREQ; with CMSIS NVIC_SystemReset()
 *         for (;;)
 *             ;
 *     }
 *
 *     TLOG_FAULT_HANDLER(HardFault_Handler, reboot)
 *
 * defines the handler HardFault_Handler(), which logs the fault and calls reboot(), a function that does not return.
 *
 * ARMv7-A, where faults come to three vectors:
 *
 *     TLOG_FAULT_VECTOR(data_abort_handler, TLOG_FAULT_DATA_ABORT, reboot)
 *
 * defines the handler for the vector of data aborts. On other cores the firmware's own handler collects the registers
 * and calls tlog_fault_log().
 *
 * The event is logged also while logging is disabled. It needs TLOG_FAULT_SLOTS = 9 slots side by side. Without room in
 * the ring it takes emergency slots. Other events may have taken some before: set TLOG_EMERGENCY_SLOTS (tlog_config.h)
 * to TLOG_FAULT_SLOTS plus as many as these may need.
 *
 * With TLOG_RUNS > 1 the next run of the firmware finds the fault and the events before it in memory (tlog_last_run()).
 * A data cache that writes back must be cleaned before the reset (TLOG_RUNS in tlog_config.h).
 *
 * The words of the event are listed in target/FORMAT.md, FAULT. */
#ifndef TLOG_FAULT_H
#define TLOG_FAULT_H

#include "tlog.h"

TLOG_BEGIN_CALLS

/* Slots that the event takes: one that tells the time, and one for every two words of the event. */
#define TLOG_FAULT_SLOTS (1u + TLOG_FAULT_WORDS / 2u)

/* Log a fault whose words the caller has collected, TLOG_FAULT_WORDS of them. They are copied. Returns true; or false
 * if there was no room, and the event is counted as lost. Callable from: any context. */
TLOG_CALL bool tlog_fault_log(const uint32_t words[TLOG_FAULT_WORDS]) TLOG_WHEN_OFF(return false);

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'

/* Log the exception that is being handled.
 *   frame:      where the core has put r0-r3, r12, lr, pc and xpsr. It is not read if the core says (CFSR) that it
 *               could not write them.
 *   exc_return: the value of lr on entry of the handler
 * Returns true; or false if there was no room, and the event is counted as lost.
 * Callable from: the handler of the exception. */
TLOG_CALL bool tlog_fault(const uint32_t *frame, uint32_t exc_return) TLOG_WHEN_OFF(return false);

/* Define the exception handler `void name(void)`, for a fault, or for any exception that is to be logged like one. It
 * logs the exception, with the stack that EXC_RETURN tells, and calls `then`, a function without parameters that does
 * not return. (If it returns nevertheless, the handler loops for ever.) With TLOG_ENABLE = 0 the handler only calls
 * `then`. To be used at file scope, without a semicolon.
 *
 * The handler is naked: without a prologue it finds lr and the stack pointers as the exception left them. Bit 2 of
 * EXC_RETURN, in lr, tells the stack of the frame: 0: the main stack, 1: the process stack. The handler jumps to
 * name_then(), an ordinary function, which does the rest. The address comes from a literal pool, so name_then() may be
 * out of reach of a branch. */
#if TLOG_ENABLE
#define TLOG_FAULT_HANDLER(name, then)                                                                                 \
    TLOG_EXTERN_C void name(void);                                                                                     \
    __attribute__((noreturn, used, no_instrument_function)) static void name##_then(const uint32_t *frame,             \
                                                                                    uint32_t exc_return)               \
    {                                                                                                                  \
        (void)tlog_fault(frame, exc_return);                                                                           \
        then();                                                                                                        \
        for (;;)                                                                                                       \
            ;                                                                                                          \
    }                                                                                                                  \
    __attribute__((naked, no_instrument_function)) void name(void)                                                     \
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
#else
#define TLOG_FAULT_HANDLER(name, then)                                                                                 \
    TLOG_EXTERN_C void name(void);                                                                                     \
    void name(void)                                                                                                    \
    {                                                                                                                  \
        then();                                                                                                        \
        for (;;)                                                                                                       \
            ;                                                                                                          \
    }
#endif

#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'A'

/* Numbers of the vectors that faults come to. */
#define TLOG_FAULT_UNDEFINED      1u
#define TLOG_FAULT_PREFETCH_ABORT 3u
#define TLOG_FAULT_DATA_ABORT     4u

/* Words that a handler saves on entry: r0-r3, r12, and lr as it was on entry. */
#define TLOG_FAULT_FRAME_WORDS    6u

/* Log the exception that is being handled, in the mode in which the handler was entered.
 *   frame:  the TLOG_FAULT_FRAME_WORDS words that the handler has saved on entry, on the mode's own stack
 *   vector: one of the three numbers above. Of an abort only the fault registers of its kind are read; the others
 *           belong to an older abort.
 * Returns true; or false if there was no room, and the event is counted as lost.
 * Callable from: the handler of the exception. */
TLOG_CALL bool tlog_fault(const uint32_t *frame, uint32_t vector) TLOG_WHEN_OFF(return false);

/* Define the handler `void name(void)` for the vector with that number. The vector must lead to it with all registers
 * unchanged and lr not yet corrected. It runs in Arm or Thumb state, as its file is compiled. It logs the exception and
 * calls `then`, as in TLOG_FAULT_HANDLER() of the M profile. With TLOG_ENABLE = 0 it does the same, except that nothing
 * is logged. Undefined and Abort mode need stacks of their own on each CPU: 512 bytes, and what `then` needs.
 * To be used at file scope, without a semicolon.
 *
 * The handler is naked, as that of the M profile. It saves the registers, ends the exclusive watch of the interrupted
 * code (clrex), because an exception on ARMv7-A does not, and aligns the stack. */
#define TLOG_FAULT_VECTOR(name, vector, then)                                                                          \
    TLOG_EXTERN_C void name(void);                                                                                     \
    __attribute__((noreturn, used, no_instrument_function)) static void name##_then(const uint32_t *frame)             \
    {                                                                                                                  \
        (void)tlog_fault(frame, vector);                                                                               \
        then();                                                                                                        \
        for (;;)                                                                                                       \
            ;                                                                                                          \
    }                                                                                                                  \
    __attribute__((naked, no_instrument_function)) void name(void)                                                     \
    {                                                                                                                  \
        __asm volatile("push {r0-r3, r12, lr}\n\t"                                                                     \
                       "clrex\n\t"                                                                                     \
                       "mov r0, sp\n\t"                                                                                \
                       "bic r1, r0, #7\n\t" /* calls want 8-byte alignment */                                          \
                       "mov sp, r1\n\t"                                                                                \
                       "ldr r2, =%c0\n\t"                                                                              \
                       "bx r2\n\t"                                                                                     \
                       ".ltorg" ::"i"(name##_then));                                                                   \
    }

#endif

TLOG_END_CALLS

#endif
