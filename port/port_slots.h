/* port_slots.h - several slots at once on cores with LDREX, in Thumb state: the two steps of a traceevent of many slots.
 *
 * Included by port_ldrex.h; elsewhere tlog_event.c takes these steps in C. In assembly because the compiler, given the same
 * steps, neither loads and stores several words at a time nor keeps all of this in registers. */
#ifndef TLOG_PORT_SLOTS_H
#define TLOG_PORT_SLOTS_H

#ifndef TLOG_PORT_H
#error "tlog: include tlog.h"
#endif

#include "tlog_wire.h"

/* Where the store was refused: once more. */
#define TLOG_PORT_RETRY "cbz %[failed], 2f\n\tb 1b\n"

/* How many slots tlog_port_reserve_slots() and tlog_port_fill_slots() know. */
#define TLOG_PORT_SLOTS 16u

/* The step for a few slots, given as assembly: how the further ones are looked at, and by how much the cursor moves. */
#define TLOG_PORT_SEE(offset) "ldrh %[high], [%[slot], #" offset "]\n\torr %[low], %[low], %[high]\n\t"
#define TLOG_PORT_RESERVE_FEW(see, advance)                                                                            \
    __asm goto volatile(                                                                                               \
        "1:\n\t"                                                                                                       \
        "ldrex %[step], [%[cursor]]\n\t"                                                                               \
        "add %[slot], %[cursor], %[step], lsr #12\n\t"                                                                 \
        "ldrh %[low], [%[slot]]\n\t" see "tst %[low], %[step]\n\t"                                                     \
        "bne %l[slow]\n\t"                                                                                             \
        "add %[step], %[step], #" advance "\n\t" TLOG_PORT_STAMP "teq %[high], %[low]\n\t"                             \
        "bmi %l[slow]\n\t"                                                                                             \
        "strex %[failed], %[step], [%[cursor]]\n\t" TLOG_PORT_RETRY "2:"                                               \
        : [slot] "=&r"(slot), [step] "=&r"(step), [high] "=&r"(high), [low] "=&r"(low), [failed] "=&l"(failed)         \
        : [cursor] "r"(cursor), [cpu] "r"(cpu), [at] "i"(TLOG_PORT_CPU_HIGH)                                           \
        : "memory", "cc"                                                                                               \
        : slow)

/* tlog_port_reserve() for n slots, a constant of 2..4: all are free, or none is taken. */
TLOG_ALWAYS_INLINE bool tlog_port_reserve_few(struct tlog_cpu *cpu, uint32_t *cursor, uint32_t n,
                                              struct tlog_reserved *out)
{
    uint32_t *slot;
    uint32_t step, high, low, failed;
    TLOG_PORT_ROOM(TLOG_PORT_16_LINES TLOG_PORT_16_LINES);
    if (n == 2u)
        TLOG_PORT_RESERVE_FEW(TLOG_PORT_SEE("16"), "0x20000");
    else if (n == 3u)
        TLOG_PORT_RESERVE_FEW(TLOG_PORT_SEE("16") TLOG_PORT_SEE("32"), "0x30000");
    else
        TLOG_PORT_RESERVE_FEW(TLOG_PORT_SEE("16") TLOG_PORT_SEE("32") TLOG_PORT_SEE("48"), "0x40000");
    *out = TLOG_LITERAL(tlog_reserved){slot, step, high, low};
    return true;
slow:
    tlog_port_clear_exclusive();
    return false;
}

/* The same for 3..16 slots, by a jump into the middle of a straight run. False also when the event would end with the last
 * slot of the chunk, because that is one instruction less; the slow path finds it out. The first slot is looked at before
 * the chunk's size, which only an open chunk is sure to have. What is left of the tags when all slots are free is a zero that
 * tlog_port_fill_slots() may need: it is handed out in place of the high word, which traceevents do not bear. */
TLOG_ALWAYS_INLINE bool tlog_port_reserve_slots(struct tlog_cpu *cpu, uint32_t *cursor, uint32_t n,
                                                struct tlog_reserved *out)
{
    uint32_t *slot;
    uint32_t step, low;
    register uint32_t *home __asm("r12") = cursor; /* the low ones are needed for others */
    register uint32_t high __asm("r4"), failed __asm("r6"), zero __asm("lr");
    TLOG_PORT_ROOM(TLOG_PORT_16_LINES TLOG_PORT_16_LINES TLOG_PORT_16_LINES TLOG_PORT_16_LINES);
    __asm goto volatile("1:\n\t"
                        "ldrex %[step], [%[cursor]]\n\t"
                        "add %[slot], %[cursor], %[step], lsr #12\n\t"
                        "ldrh %[high], [%[slot]]\n\t"
                        "tst %[high], %[step]\n\t"
                        "bne %l[slow]\n\t"
                        "add %[step], %[step], %[n], lsl #16\n\t"
                        "ldr %[failed], [%[cursor], %[slots]]\n\t"
                        "cmp %[failed], %[step], lsr #16\n\t"
                        "blo %l[slow]\n\t"
                        "tbb [pc, %[n]]\n"
                        "2:\n\t"
                        ".irp k, 15, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0\n\t"
                        ".byte (3f - 2b) / 2 + 3 * \\k\n\t"
                        ".endr\n\t"
                        ".balign 2\n"
                        "3:\n\t"
                        ".irp k, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1\n\t"
                        "ldrh.w %[failed], [%[slot], #16 * \\k]\n\t"
                        "orrs.n %[high], %[failed]\n\t"
                        ".endr\n\t"
                        "ands.w %[zero], %[high], %[step]\n\t"
                        "bne %l[slow]\n\t" TLOG_PORT_STAMP "teq %[high], %[low]\n\t"
                        "bmi %l[slow]\n\t"
                        "strex %[failed], %[step], [%[cursor]]\n\t" TLOG_PORT_RETRY "2:"
                        : [slot] "=&r"(slot), [step] "=&r"(step), [low] "=&r"(low), [high] "=&r"(high),
                          [failed] "=&r"(failed), [zero] "=&r"(zero)
                        : [cursor] "r"(home), [cpu] "r"(cpu), [n] "r"(n), [at] "i"(TLOG_PORT_CPU_HIGH),
                          [slots] "i"((int)__builtin_offsetof(struct tlog_chunk, slots) - (int)TLOG_CURSOR_OFFSET)
                        : "memory", "cc"
                        : slow);
    *out = TLOG_LITERAL(tlog_reserved){slot, step, zero, low};
    return true;
slow:
    tlog_port_clear_exclusive();
    return false;
}

/* Two slots in two instructions: r4 and r9 are their words 0, r5 and r10 the stamp. */
#define TLOG_PORT_TWO_SLOTS                                                                                            \
    "ldmdb.w %[from]!, {r6, r8, r12, lr}\n\t"                                                                          \
    "stmdb.w %[to]!, {r4, r5, r6, r8, r9, r10, r12, lr}\n\t"

/* Where 0..16 slots begin in the run at 3, which is one of pairs for even numbers, and one for odd ones. */
#define TLOG_PORT_PAIRS(table)                                                                                         \
    ".irp k, 24, 24, 24, 54, 24, 50, 20, 46, 16, 42, 12, 38, 8, 34, 4, 30, 0\n\t"                                      \
    ".byte (3f - " #table ") / 2 + \\k\n\t"                                                                            \
    ".endr\n\t"                                                                                                        \
    ".balign 2\n"

/* Fill 3..16 reserved slots, from the last one back, with all but word 0 of the first, which is returned. begin: that word
 * shifted left by one, without the tag; bit 0: the last slot lacks a word. The words end at end. at->high is 0.
 * r7 and r11 are left to frame pointers. */
TLOG_ALWAYS_INLINE uint32_t tlog_port_fill_slots(const struct tlog_reserved *at, uint32_t begin, const uint32_t *end,
                                                 uint32_t n)
{
    register uint32_t first __asm("r4") = at->cursor & 0xFFFFu;
    register uint32_t first_low __asm("r5") = at->low;
    register uint32_t second __asm("r9");
    register uint32_t second_low __asm("r10") = at->low;
    register uint32_t zero __asm("lr") = at->high;
    uint32_t *to = at->slot + n * 4u;
    TLOG_PORT_ROOM(TLOG_PORT_16_LINES TLOG_PORT_16_LINES TLOG_PORT_16_LINES);
    __asm volatile(
        "lsrs %[begin], %[begin], #1\n\t"
        "orr %[begin], %[begin], %[first]\n\t"
        "add %[first], %[begin], %[part]\n\t"
        "add %[second], %[first], %[part]\n\t"
        "bcs 2f\n\t" TLOG_PORT_TWO_SLOTS "mov %[second], %[first]\n\t"
        "tbb [pc, %[n]]\n"
        "1:\n\t" TLOG_PORT_PAIRS(1b) "2:\n\t"
                                     "ldmdb %[from]!, {r6, r8, r12}\n\t"
                                     "stmdb %[to]!, {r4, r5, r6, r8, r9, r10, r12, lr}\n\t"
                                     "mov %[second], %[first]\n\t"
                                     "tbb [pc, %[n]]\n"
                                     "2:\n\t" TLOG_PORT_PAIRS(2b) "3:\n\t"
                                                                  ".rept 6\n\t" TLOG_PORT_TWO_SLOTS ".endr\n\t"
                                                                  "ldmdb.w %[from], {r6, r8, r12, lr}\n\t"
                                                                  "stmdb.w %[to], {r5, r6, r8, r9, r10, r12, lr}\n\t"
                                                                  "b.w 4f\n\t"
                                                                  ".rept 6\n\t" TLOG_PORT_TWO_SLOTS ".endr\n\t"
                                                                  "ldmdb %[from], {r6, r8}\n\t"
                                                                  "stmdb %[to], {r5, r6, r8}\n"
                                                                  "4:"
        : [begin] "+r"(begin), [first] "+r"(first), [second] "=&r"(second), [from] "+r"(end), [to] "+r"(to), "+r"(zero)
        : "r"(first_low), "r"(second_low), [n] "r"(n), [part] "i"(1u << TLOG_STRUCT_SHIFT)
        : "memory", "cc", "r6", "r8", "r12");
    return begin;
}

#endif
