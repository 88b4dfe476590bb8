/* port_slots.h - reserve and fill the slots of a combine event, on cores with LDREX in Thumb state.
 *
 * port_ldrex.h includes this; on other cores tlog_event.c does the same in C. This is assembly because the compiler,
 * given the same steps, neither loads and stores several words at a time nor keeps all values in registers. */
#ifndef TLOG_PORT_SLOTS_H
#define TLOG_PORT_SLOTS_H

#ifndef TLOG_PORT_H
#error "tlog: include tlog.h"
#endif

#include "tlog_wire.h"

/* If the store-exclusive failed, start again at label 1. */
#define TLOG_PORT_RETRY "cbz %[failed], 2f\n\tb 1b\n"

/* Most slots that tlog_port_reserve_slots() and tlog_port_fill_slots() can take. */
#define TLOG_PORT_SLOTS 16u

/* The atomic step for a few slots. Both parameters are assembly: `see` collects the tags of all slots but the first,
 * `advance` is what is added to the cursor. */
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

/* As tlog_port_reserve(), for n slots; n is a constant, 2..4. Either all of them are reserved or, if one is not free,
 * none. */
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

/* Collect the tags of the further slots of n slots in high, by a jump into a sequence with one step per slot. The byte
 * with number n of the table tells how far to jump. */
#define TLOG_PORT_SEE_MANY                                                                                             \
    "tbb [pc, %[n]]\n"                                                                                                 \
    "2:\n\t"                                                                                                           \
    ".irp k, 15, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0\n\t"                                             \
    ".byte (3f - 2b) / 2 + 3 * \\k\n\t"                                                                                \
    ".endr\n\t"                                                                                                        \
    ".balign 2\n"                                                                                                      \
    "3:\n\t"                                                                                                           \
    ".irp k, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1\n\t"                                                    \
    "ldrh.w %[failed], [%[slot], #16 * \\k]\n\t"                                                                       \
    "orrs.n %[high], %[failed]\n\t"                                                                                    \
    ".endr\n\t"

/* As tlog_port_reserve(), for n = 3..16 slots. Returns false also when the event would end with the last slot of the
 * chunk: to allow that would take one instruction more, and the slow path finds out that the slots are free. The tag of
 * the first slot is tested before the size of the chunk is read, because only an open chunk is sure to have that word.
 * The tags of slots that are all free give a zero, which tlog_port_fill_slots() may need: it is returned as out->high,
 * because traceevents have no high word. */
/* clang-format off */
TLOG_ALWAYS_INLINE bool tlog_port_reserve_slots(struct tlog_cpu *cpu, uint32_t *cursor, uint32_t n,
                                                struct tlog_reserved *out)
{
    uint32_t *slot;
    uint32_t step, low;
    register uint32_t *home __asm("r12") = cursor; /* the low registers are needed for other values */
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
                        TLOG_PORT_SEE_MANY
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
/* clang-format on */

/* Fill two slots with two instructions: r4 and r9 are their words 0; r5 and r10 are the stamp. */
#define TLOG_PORT_TWO_SLOTS                                                                                            \
    "ldmdb.w %[from]!, {r6, r8, r12, lr}\n\t"                                                                          \
    "stmdb.w %[to]!, {r4, r5, r6, r8, r9, r10, r12, lr}\n\t"

/* The table of a jump for 0..16 slots into the sequences at label 3. Each step of a sequence fills two slots; the first
 * sequence is for even numbers of slots, the second for odd numbers. */
#define TLOG_PORT_PAIRS(table)                                                                                         \
    ".irp k, 24, 24, 24, 54, 24, 50, 20, 46, 16, 42, 12, 38, 8, 34, 4, 30, 0\n\t"                                      \
    ".byte (3f - " #table ") / 2 + \\k\n\t"                                                                            \
    ".endr\n\t"                                                                                                        \
    ".balign 2\n"

/* The sequences: for even numbers of slots, and for odd ones. The last step leaves out
 * word 0 of the first slot. */
#define TLOG_PORT_FILL_PAIRS                                                                                           \
    ".rept 6\n\t" TLOG_PORT_TWO_SLOTS ".endr\n\t"                                                                      \
    "ldmdb.w %[from], {r6, r8, r12, lr}\n\t"                                                                           \
    "stmdb.w %[to], {r5, r6, r8, r9, r10, r12, lr}\n\t"                                                                \
    "b.w 4f\n\t"                                                                                                       \
    ".rept 6\n\t" TLOG_PORT_TWO_SLOTS ".endr\n\t"                                                                      \
    "ldmdb %[from], {r6, r8}\n\t"                                                                                      \
    "stmdb %[to], {r5, r6, r8}\n"                                                                                      \
    "4:"

/* Fill n = 3..16 reserved slots, from the last one back, except word 0 of the first slot: that word is returned, for
 * the caller to publish. begin is that word without the tag, shifted left by one; bit 0 of begin is set if the last
 * slot has only one data word. The data words end at `end`. at->high is 0. r7 and r11 are not used: they may be frame
 * pointers. */
/* clang-format off */
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
        "bcs 2f\n\t"
        TLOG_PORT_TWO_SLOTS
        "mov %[second], %[first]\n\t"
        "tbb [pc, %[n]]\n"
        "1:\n\t"
        TLOG_PORT_PAIRS(1b)
        "2:\n\t"
        "ldmdb %[from]!, {r6, r8, r12}\n\t"
        "stmdb %[to]!, {r4, r5, r6, r8, r9, r10, r12, lr}\n\t"
        "mov %[second], %[first]\n\t"
        "tbb [pc, %[n]]\n"
        "2:\n\t"
        TLOG_PORT_PAIRS(2b)
        "3:\n\t"
        TLOG_PORT_FILL_PAIRS
        : [begin] "+r"(begin), [first] "+r"(first), [second] "=&r"(second), [from] "+r"(end), [to] "+r"(to), "+r"(zero)
        : "r"(first_low), "r"(second_low), [n] "r"(n), [part] "i"(1u << TLOG_STRUCT_SHIFT)
        : "memory", "cc", "r6", "r8", "r12");
    return begin;
}
/* clang-format on */

#endif
