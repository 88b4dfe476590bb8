/* SPDX-License-Identifier: MIT */
/* tlog_fault.c - a fault as an event: see tlog_fault.h.
 *
 * For the ring a fault is one more interrupt. A writer that was logging never continues, and its slot stays unfinished.
 * The event takes several slots in any ring, also in one that otherwise holds only records. So the slot ahead of it
 * tells the time, with the wraps of the clock. */
#include "tlog_speed.h"
#include "tlog_fault.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#if TLOG_ENABLE

/* Reserve n slots in this lap or the next one. If an owner is in the way, or the ring has stopped, take emergency
 * slots. */
static bool find_fault_room(struct tlog_cpu *cpu, uint32_t n, struct tlog_reserved *at)
{
    enum tlog_side side = tlog_side_reserve(cpu, n, n - 1u, at);
    return side == TLOG_SIDE_HERE || (side == TLOG_SIDE_STOPPED && tlog_ring_take(cpu, n, at) == TLOG_TAKEN)
           || tlog_ring_reserve_urgent(cpu, n, at);
}

/* What a slot of the event is in it. */
static uint32_t part(uint32_t i)
{
    if (i == 0)
        return TLOG_STRUCT_CB << TLOG_STRUCT_SHIFT;
    return (i + 1u == TLOG_FAULT_WORDS / 2u ? TLOG_STRUCT_CE : TLOG_STRUCT_CC) << TLOG_STRUCT_SHIFT;
}

bool tlog_fault_log(const uint32_t words[TLOG_FAULT_WORDS])
{
    struct tlog_cpu *cpu = tlog_cpu_here();
    struct tlog_reserved at;
    if (tlog_port_refuses())
        return false;
    const uint32_t held = tlog_ring_held; /* a fault in a dump is recorded: it may lead to the next dump */
    *(volatile uint32_t *)&tlog_ring_held = 0;
    bool has_room = find_fault_room(cpu, TLOG_FAULT_SLOTS, &at);
    *(volatile uint32_t *)&tlog_ring_held = held;
    if (held != 0)
        tlog_ring_close(cpu);
    if (!has_room) {
        tlog_ring_drop(cpu);
        return false;
    }
    for (uint32_t i = TLOG_FAULT_WORDS / 2u; i-- > 0;)
        tlog_side_fill(&at, 1u + i, TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_FAULT) | part(i), words + 2u * i);
    tlog_side_fill(&at, 0, TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_TIME),
                   (const uint32_t[2]){tlog_ring_wraps(at.high), at.low});
    return true;
}

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'

#ifdef __ARM_ARCH_6M__
#define TLOG_FAULT_KIND TLOG_FAULT_V6M
static uint32_t status(uint32_t offset)
{
    (void)offset;
    return 0;
}
#else
#define TLOG_FAULT_KIND TLOG_FAULT_V7M
static uint32_t status(uint32_t offset)
{
    return *(volatile uint32_t *)(0xE000ED00u + offset);
}
#endif

/* Offsets in the system control block; and the bits of CFSR that tell that the core could not write the frame. */
enum {
    TLOG_FAULT_CFSR = 0x28,
    TLOG_FAULT_HFSR = 0x2C,
    TLOG_FAULT_MMFAR = 0x34,
    TLOG_FAULT_BFAR = 0x38,
    TLOG_FAULT_STACKING_FAILED = 1 << 4 | 1 << 12 | 1 << 20
};

/* The stack pointer before the core pushed the frame: the frame may include floating-point registers, and one word for
 * alignment (bit 9 of xPSR). */
static uint32_t stack_before(const uint32_t *frame, uint32_t exc_return, uint32_t xpsr)
{
    uint32_t bytes = exc_return & 1u << 4 || TLOG_FAULT_KIND == TLOG_FAULT_V6M ? 32u : 104u;
    return (uint32_t)(uintptr_t)frame + bytes + (xpsr >> 9 & 1u) * 4u;
}

bool tlog_fault(const uint32_t *frame, uint32_t exc_return)
{
    uint32_t words[TLOG_FAULT_WORDS], ipsr;
    __asm volatile("mrs %0, ipsr" : "=r"(ipsr));
    words[0] = TLOG_FAULT_KIND << 16 | (ipsr & 0x1FFu);
    words[1] = exc_return;
    words[10] = (uint32_t)(uintptr_t)frame;
    words[11] = status(TLOG_FAULT_CFSR);
    words[12] = status(TLOG_FAULT_HFSR);
    words[13] = status(TLOG_FAULT_MMFAR);
    words[14] = status(TLOG_FAULT_BFAR);
    words[15] = 0;
    bool has_frame = (words[11] & TLOG_FAULT_STACKING_FAILED) == 0;
    for (uint32_t i = 0; i < 8u; i++)
        words[2u + i] = has_frame ? ((const volatile uint32_t *)frame)[i] : 0;
    if (has_frame)
        words[10] = stack_before(frame, exc_return, words[9]);
    return tlog_fault_log(words);
}

#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'A'

enum {
    TLOG_FAULT_USER = 0x10,
    TLOG_FAULT_MONITOR = 0x16,
    TLOG_FAULT_HYP = 0x1A,
    TLOG_FAULT_SYSTEM = 0x1F,
    TLOG_FAULT_MODE = 0x1F,
    TLOG_FAULT_THUMB = 1 << 5
};

/* Functions that read a register of coprocessor 15, given by CRn and the last number (opc2). */
#define TLOG_FAULT_REGISTER(name, crn, op2)                                                                            \
    static uint32_t name(void)                                                                                         \
    {                                                                                                                  \
        uint32_t value;                                                                                                \
        __asm volatile("mrc p15, 0, %0, " #crn ", c0, " #op2 : "=r"(value));                                           \
        return value;                                                                                                  \
    }
TLOG_FAULT_REGISTER(dfsr, c5, 0)
TLOG_FAULT_REGISTER(ifsr, c5, 1)
TLOG_FAULT_REGISTER(dfar, c6, 0)
TLOG_FAULT_REGISTER(ifar, c6, 2)

/* Read sp and lr of the interrupted code. They are banked: this changes to the mode that it ran in for a moment. If
 * that is the handler's own mode lr is lost, and words[10] already has sp. The registers are named because the compiler
 * might choose lr, which is another register in the other mode. */
static void read_banked(uint32_t cpsr, uint32_t mode, uint32_t words[TLOG_FAULT_WORDS])
{
    register uint32_t here __asm("r0") = cpsr;
    register uint32_t there __asm("r1") =
        (cpsr & ~(uint32_t)TLOG_FAULT_MODE) | (mode == TLOG_FAULT_USER ? (uint32_t)TLOG_FAULT_SYSTEM : mode);
    register uint32_t sp __asm("r2"), lr __asm("r3");
    if (mode == (cpsr & TLOG_FAULT_MODE) || mode == TLOG_FAULT_MONITOR || mode == TLOG_FAULT_HYP)
        return;
    __asm volatile("msr cpsr_c, %[there]\n\t"
                   "mov %[sp], sp\n\t"
                   "mov %[lr], lr\n\t"
                   "msr cpsr_c, %[here]"
                   : [sp] "=&r"(sp), [lr] "=&r"(lr)
                   : [here] "r"(here), [there] "r"(there)
                   : "memory");
    words[10] = sp;
    words[7] = lr;
}

/* Bytes from the instruction that faulted to the address in lr on entry of the handler. */
static uint32_t offset_of(uint32_t vector, uint32_t spsr)
{
    if (vector == TLOG_FAULT_UNDEFINED)
        return spsr & TLOG_FAULT_THUMB ? 2u : 4u;
    return vector == TLOG_FAULT_DATA_ABORT ? 8u : 4u;
}

bool tlog_fault(const uint32_t *frame, uint32_t vector)
{
    uint32_t words[TLOG_FAULT_WORDS], cpsr, spsr;
    __asm volatile("mrs %0, cpsr" : "=r"(cpsr));
    __asm volatile("mrs %0, spsr" : "=r"(spsr));
    words[0] = TLOG_FAULT_V7A << 16 | vector;
    words[1] = cpsr;
    for (uint32_t i = 0; i < 5u; i++)
        words[2u + i] = frame[i];
    words[7] = 0;
    words[8] = frame[5] - offset_of(vector, spsr);
    words[9] = spsr;
    words[10] = (uint32_t)(uintptr_t)(frame + TLOG_FAULT_FRAME_WORDS);
    words[11] = vector == TLOG_FAULT_DATA_ABORT ? dfsr() : 0;
    words[12] = vector == TLOG_FAULT_PREFETCH_ABORT ? ifsr() : 0;
    words[13] = vector == TLOG_FAULT_DATA_ABORT ? dfar() : 0;
    words[14] = vector == TLOG_FAULT_PREFETCH_ABORT ? ifar() : 0;
    words[15] = 0;
    read_banked(cpsr, spsr & TLOG_FAULT_MODE, words);
    return tlog_fault_log(words);
}

#endif
#endif
