/* tlog_fault.h - the last event of a run: a fault, with the registers of whoever ran into it.
 *
 *     static void reboot(void) { NVIC_SystemReset(); }
 *     TLOG_FAULT_HANDLER(HardFault_Handler, reboot)
 *
 * makes a handler that logs the fault and calls reboot(), which does not return. The event needs nine slots side by side. Where
 * the ring has no room it goes to the emergency slots: TLOG_EMERGENCY_SLOTS of TLOG_FAULT_SLOTS and as many as other events
 * may take before it (tlog_record_emergency(), deadline misses and the like) make sure that it has some. It is logged while logging is disabled, too. With TLOG_RUNS > 1 the next run finds it with all that led there,
 * if a data cache that writes back is cleaned before the reset (TLOG_RUNS in tlog.h).
 *
 * That is for ARMv6-M, ARMv7-M and ARMv8-M. On ARMv7-A there are three vectors that faults come to:
 *
 *     TLOG_FAULT_VECTOR(data_abort_handler, TLOG_FAULT_DATA_ABORT, reboot)
 *
 * makes the one that the vector of data aborts is to lead to. Elsewhere tlog_fault_log() takes what the firmware's own handler
 * has found. */
#ifndef TLOG_FAULT_H
#define TLOG_FAULT_H

#include "tlog.h"

/* Slots of the event: one that tells the time, and two words of the event in each of the others. */
#define TLOG_FAULT_SLOTS (1u + TLOG_FAULT_WORDS / 2u)

TLOG_BEGIN_C

/* Log a fault: words as target/FORMAT.md tells them. False: there was no room, and it counts as lost.
 * Any context. */
#if TLOG_ENABLE
bool tlog_fault_log(const uint32_t words[TLOG_FAULT_WORDS]);
#else
TLOG_INLINE bool tlog_fault_log(const uint32_t words[TLOG_FAULT_WORDS])
{
    (void)words;
    return false;
}
#endif

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'

/* Log the exception whose handler this is called from: frame is where the core has put r0-r3, r12, lr, pc and xpsr, and
 * exc_return what lr was on entry of the handler. Where the core says that it could not write the frame it is not read.
 * False: there was no room. */
#if TLOG_ENABLE
bool tlog_fault(const uint32_t *frame, uint32_t exc_return);
#else
TLOG_INLINE bool tlog_fault(const uint32_t *frame, uint32_t exc_return)
{
    (void)frame, (void)exc_return;
    return false;
}
#endif

/* Define a handler for a fault, or any exception that is one: the stack that was in use is told by EXC_RETURN. With
 * TLOG_ENABLE = 0 all that is left of it is the call of `then`. */
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

/* Numbers of vectors. */
#define TLOG_FAULT_UNDEFINED      1u
#define TLOG_FAULT_PREFETCH_ABORT 3u
#define TLOG_FAULT_DATA_ABORT     4u

/* What a handler saves: r0-r3, r12, and lr as it was on entry. */
#define TLOG_FAULT_FRAME_WORDS    6u

/* Log the exception whose handler this is called from, in the mode it was entered in: frame is what it has saved on entry,
 * on the mode's own stack; vector one of the three above. The registers that tell of the other kind of abort are not read,
 * for they tell of an older one. False: there was no room. */
#if TLOG_ENABLE
bool tlog_fault(const uint32_t *frame, uint32_t vector);
#else
TLOG_INLINE bool tlog_fault(const uint32_t *frame, uint32_t vector)
{
    (void)frame, (void)vector;
    return false;
}
#endif

/* Define what the vector with that number is to lead to, with all registers as they are and lr not yet corrected; in Arm or
 * Thumb state, as it is compiled. The mode it is entered in, Undefined or Abort, needs a stack of 512 bytes and what `then`
 * needs, on each CPU one of its own. The same with TLOG_ENABLE = 0, only that nothing is logged. */
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

TLOG_END_C

#endif
