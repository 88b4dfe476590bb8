/* fpu.c - the registers of the FPU. */
#include "irq.h"

#ifdef __ARM_FP
/* Part of the caller, which so saves those registers that a function must keep. */
__attribute__((always_inline)) static inline void load(const uint32_t values[33])
{
    __asm volatile("vldm %0!, {s0-s31}\n\tldr r3, [%0]\n\tvmsr fpscr, r3"
                   : "+r"(values)
                   :
                   : "r3", "memory", "cc", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",
                     "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25",
                     "s26", "s27", "s28", "s29", "s30", "s31");
}

void fpu_fill(uint32_t number)
{
    uint32_t values[33];
    for (uint32_t i = 0; i < 32u; i++)
        values[i] = number << 16 | i;
    values[32] = 3u << 22;
    load(values);
}

bool fpu_survives(uint32_t number)
{
    static uint32_t before[33], after[33];
    uint32_t *to = after;
    for (uint32_t i = 0; i < 32u; i++)
        before[i] = 0x3F800000u + i * 0x10101u;
    before[32] = 1u << 22;
    load(before);
    pend(number);
    __asm volatile("vstm %0!, {s0-s31}\n\tvmrs r3, fpscr\n\tstr r3, [%0]" : "+r"(to)::"r3", "memory");
    for (uint32_t i = 0; i < 33u; i++) {
        if (before[i] != after[i])
            return false;
    }
    return true;
}
#endif
