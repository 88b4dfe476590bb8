/* SPDX-License-Identifier: MIT */
/* port_slots.h - reserve and fill the slots of a combine event, on cores with LDREX in Thumb state.
 *
 * port_ldrex.h includes this; on other cores tlog_event.c does the same in C. It is assembly because the compiler,
 * given the same steps, loads and stores words one at a time and does not keep all values in registers. */
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
#define TLOG_PORT_SEE(offset) "ldrh %[high], [%[slot], #12 + " offset "]\n\torr %[low], %[low], %[high]\n\t"
#define TLOG_PORT_RESERVE_FEW(see, advance)                                                                            \
    __asm goto volatile("1:\n\t"                                                                                       \
                        "ldrex %[step], [%[cursor]]\n\t"                                                               \
                        "add %[slot], %[cursor], %[step], lsr #12\n\t"                                                 \
                        "ldrh %[low], [%[slot], #12]\n\t" see "tst %[low], %[step]\n\t"                                \
                        "bne %l[slow]\n\t"                                                                             \
                        "add %[step], %[step], #" advance "\n\t" TLOG_PORT_STAMP "teq %[high], %[low]\n\t"             \
                        "bmi %l[slow]\n\t"                                                                             \
                        "strex %[failed], %[step], [%[cursor]]\n\t" TLOG_PORT_RETRY "2:"                               \
                        : [slot] "=&r"(slot), [step] "=&r"(step), [high] "=&r"(high), [low] "=&r"(low),                \
                          [failed] "=&l"(failed)TLOG_PORT_FREE                                                         \
                        : [cursor] "r"(cursor), [cpu] "r"(cpu), [at] "i"(TLOG_PORT_CPU_HIGH)                           \
                        : "memory", "cc"                                                                               \
                        : slow)

/* As tlog_port_reserve(), for n slots; n is a constant, 2..4. Either all of them are reserved or, if one is not free,
 * none. */
TLOG_ALWAYS_INLINE bool tlog_port_reserve_few(struct tlog_cpu *cpu, uint32_t *cursor, uint32_t n,
                                              struct tlog_reserved *out)
{
    uint32_t *slot;
    uint32_t step, high, low, failed;
    TLOG_PORT_FREE_WORD
    TLOG_PORT_ROOM(TLOG_NEED_16_LINES TLOG_PORT_16_LINES);
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
    "ldrh.w %[failed], [%[slot], #16 * \\k + 12]\n\t"                                                                  \
    "orrs.n %[high], %[failed]\n\t"                                                                                    \
    ".endr\n\t"

/* As tlog_port_reserve(), for n = 3..16 slots. Returns false also when the event would end with the last slot of the
 * chunk: the slow path finds out that the slots are free, and to see it here takes one instruction more. The tag of the
 * first slot is tested before the size of the chunk is read, because only an open chunk is sure to have that word. */
/* clang-format off */
TLOG_ALWAYS_INLINE bool tlog_port_reserve_slots(struct tlog_cpu *cpu, uint32_t *cursor, uint32_t n,
                                                struct tlog_reserved *out)
{
    uint32_t *slot;
    uint32_t step, low;
    register uint32_t *home __asm("r12") = cursor; /* the low registers are needed for other values */
    register uint32_t high __asm("r4"), failed __asm("r6");
    TLOG_PORT_FREE_WORD
    TLOG_PORT_ROOM(TLOG_PORT_16_LINES TLOG_PORT_16_LINES TLOG_PORT_16_LINES TLOG_PORT_16_LINES);
    __asm goto volatile("1:\n\t"
                        "ldrex %[step], [%[cursor]]\n\t"
                        "add %[slot], %[cursor], %[step], lsr #12\n\t"
                        "ldrh %[high], [%[slot], #12]\n\t"
                        "tst %[high], %[step]\n\t"
                        "bne %l[slow]\n\t"
                        "add %[step], %[step], %[n], lsl #16\n\t"
                        "ldr %[failed], [%[cursor], %[slots]]\n\t"
                        "cmp %[failed], %[step], lsr #16\n\t"
                        "blo %l[slow]\n\t"
                        TLOG_PORT_SEE_MANY
                        "tst.w %[high], %[step]\n\t"
                        "bne %l[slow]\n\t" TLOG_PORT_STAMP "teq %[high], %[low]\n\t"
                        "bmi %l[slow]\n\t"
                        "strex %[failed], %[step], [%[cursor]]\n\t" TLOG_PORT_RETRY "2:"
                        : [slot] "=&r"(slot), [step] "=&r"(step), [low] "=&r"(low), [high] "=&r"(high),
                          [failed] "=&r"(failed) TLOG_PORT_FREE
                        : [cursor] "r"(home), [cpu] "r"(cpu), [n] "r"(n), [at] "i"(TLOG_PORT_CPU_HIGH),
                          [slots] "i"((int)__builtin_offsetof(struct tlog_chunk, slots) - (int)TLOG_CURSOR_OFFSET)
                        : "memory", "cc"
                        : slow);
    *out = TLOG_LITERAL(tlog_reserved){slot, step, 0, low};
    return true;
slow:
    tlog_port_clear_exclusive();
    return false;
}
/* clang-format on */

/* Fill the two slots before `to`. r4 to r8 take their data, r9 is the stamp, r10 the head of both. Each slot has a
 * store of its own, which ends with the head. An interrupted store begins again, and must not touch a slot whose head
 * is written: that slot may have another owner by then. */
#define TLOG_PORT_TWO_SLOTS                                                                                            \
    "ldmdb.w %[from]!, {r4, r5, r6, r8}\n\t"                                                                           \
    "stmdb.w %[to]!, {r6, r8, r9, r10}\n\t"                                                                            \
    "stmdb.w %[to]!, {r4, r5, r9, r10}\n\t"
#define TLOG_PORT_ONE_SLOT                                                                                             \
    "ldmdb.w %[from]!, {r6, r8}\n\t"                                                                                   \
    "stmdb.w %[to]!, {r6, r8, r9, r10}\n\t"

/* clang-format off */
/* The last slot, and the jump to the middle ones. */
#define TLOG_PORT_FILL_LAST                                                                                            \
    "lsrs %[begin], %[begin], #1\n\t"                                                                                  \
    "orr %[begin], %[begin], %[tag]\n\t"                                                                               \
    "add %[head], %[begin], %[last]\n\t"                                                                               \
    "bcs 2f\n\t"                                                                                                       \
    "ldmdb %[from]!, {r6, r8}\n"                                                                                       \
    "1:\n\t"                                                                                                           \
    "stmdb %[to]!, {r6, r8, r9, r10}\n\t"                                                                              \
    "add %[head], %[begin], %[part]\n\t"                                                                               \
    "tbb [pc, %[n]]\n"                                                                                                 \
    "3:\n\t"                                                                                                           \
    ".irp even, 42, 42, 36, 30, 24, 18, 12, 6\n\t"                                                                     \
    ".byte (6f - 3b) / 2 + \\even, (4f - 3b) / 2\n\t"                                                                  \
    ".endr\n\t"                                                                                                        \
    ".byte (6f - 3b) / 2\n\t"                                                                                          \
    ".balign 2\n"
/* A last slot with one word; an odd number of middle slots; the steps for two; the first slot. */
#define TLOG_PORT_FILL_REST                                                                                            \
    "2:\n\t"                                                                                                           \
    "ldr r6, [%[from], #-4]!\n\t"                                                                                      \
    "mov r8, #0\n\t"                                                                                                   \
    "b 1b\n"                                                                                                           \
    "4:\n\t"                                                                                                           \
    TLOG_PORT_ONE_SLOT                                                                                                 \
    "tbb [pc, %[n]]\n"                                                                                                 \
    "5:\n\t"                                                                                                           \
    ".irp odd, 42, 42, 36, 30, 24, 18, 12, 6\n\t"                                                                      \
    ".byte 0, (6f - 5b) / 2 + \\odd\n\t"                                                                               \
    ".endr\n\t"                                                                                                        \
    "6:\n\t"                                                                                                           \
    ".rept 7\n\t" TLOG_PORT_TWO_SLOTS ".endr\n\t"                                                                      \
    "ldmdb %[from], {r6, r8}\n\t"                                                                                      \
    "strd r6, r8, [%[to], #-16]\n\t"                                                                                   \
    "str r9, [%[to], #-8]"
/* clang-format on */

/* Fill n = 3..16 reserved slots, from the last one back, except the head of the first slot: that word is returned, for
 * the caller to publish. begin is that word without the tag, shifted left by one; its bit 0 is set if the last slot has
 * only one data word. The data words end at `end`. r7 and r11 are not used: they may be frame pointers.
 * The last slot comes first. The middle slots are filled by a jump into seven steps for two slots each; of an odd
 * number one slot is filled before. The tables tell how far to jump, for n = 0..16. */
/* clang-format off */
TLOG_ALWAYS_INLINE uint32_t tlog_port_fill_slots(const struct tlog_reserved *at, uint32_t begin, const uint32_t *end,
                                                 uint32_t n)
{
    register uint32_t tag __asm("r4") = at->cursor & 0xFFFFu;
    register uint32_t low __asm("r9") = at->low;
    register uint32_t head __asm("r10");
    uint32_t *to = at->slot + n * 4u;
    TLOG_PORT_ROOM(TLOG_PORT_16_LINES TLOG_PORT_16_LINES TLOG_PORT_16_LINES TLOG_PORT_16_LINES);
    __asm volatile(
        TLOG_PORT_FILL_LAST TLOG_PORT_FILL_REST
        : [begin] "+&r"(begin), [head] "=&r"(head), [from] "+&r"(end), [to] "+&r"(to), [tag] "+&r"(tag)
        : "r"(low), [n] "r"(n), [part] "i"(1u << TLOG_STRUCT_SHIFT),
          [last] "i"(2u << TLOG_STRUCT_SHIFT)
        : "memory", "cc", "r5", "r6", "r8");
    return begin;
}
/* clang-format on */

#endif
