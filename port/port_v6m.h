/* SPDX-License-Identifier: MIT */
/* port_v6m.h - ARMv6-M: Cortex-M0, M0+, M1, which have no exclusive loads and stores.
 *
 * A word in memory, tlog_port_watch, replaces the exclusive monitor: a load-exclusive stores the stack pointer there.
 * No two contexts that can interrupt each other have the same stack pointer. So if the word still has the writer's, no
 * other context began a watch since, and the store is allowed. An interrupt must not come between comparing and
 * storing: these are five instructions with PRIMASK set, which is then restored.
 *
 * PRIMASK does not hold off NMI. So an NMI handler must not log on these cores, unless it never returns. HardFault may
 * log, because no instruction of those five can fault.
 *
 * The stack pointer must not move between load and store in the functions that call those below. That is true of all
 * functions without alloca() and variable-length arrays. */
#ifndef TLOG_PORT_V6M_H
#define TLOG_PORT_V6M_H

#ifndef TLOG_PORT_H
#error "tlog: include tlog.h"
#endif

#include "tlog_wire.h"

#if defined(TLOG_CPUS) && TLOG_CPUS > 1
#error "tlog: this core has no exclusive loads and stores, so several of them cannot log (port/tlog_port.h)"
#endif
#ifndef TLOG_CLOCK_ADDRESS
#error "tlog: this core has no clock of its own; the board must give TLOG_CLOCK_ADDRESS (port/tlog_port.h)"
#endif
#ifndef TLOG_CLOCK_DOWN
#define TLOG_CLOCK_DOWN 0
#endif

/* The stack pointer of the writer that began a watch last. */
extern uint32_t tlog_port_watch;

/* Two constants between cursor and high in struct tlog_cpu: one load fetches them together with these. They are what is
 * added to a cursor, and the address of the watch word. As literals in the code they would cost a load each. */
#define TLOG_PORT_CPU_MEMBERS                                                                                          \
    uint32_t step;                                                                                                     \
    uint32_t *watch;
#define TLOG_PORT_CPU_INIT TLOG_CURSOR_STEP, &tlog_port_watch,

/* gcc would move constants out of loops into the high registers, and saving these costs a push, a pop and eight moves.
 * That does not pay here, because the loops start again only after an interrupt. */
#ifndef __clang__
#define TLOG_PORT_FEW_REGISTERS __attribute__((optimize("no-move-loop-invariants")))
#endif

/* Byte offset of high and clock in struct tlog_cpu; tlog_ring.h asserts it. */
#define TLOG_PORT_CPU_HIGH 16

/* Always inlined: load and store must have the same stack pointer, see above, and calls would make a switch of chunks
 * slower. */
TLOG_ALWAYS_INLINE uint32_t tlog_port_load_exclusive(const uint32_t *word)
{
    uint32_t value;
    __asm volatile("mov %0, sp\n\tstr %0, [%1]\n\tldr %0, %2"
                   : "=&l"(value)
                   : "l"(&tlog_port_watch), "m"(*word)
                   : "memory");
    return value;
}

#define TLOG_PORT_NEED() ((void)0)

/* LR holds PRIMASK meanwhile, here and below, because a function that calls another one has saved LR anyway. */
TLOG_ALWAYS_INLINE uint32_t tlog_port_store_exclusive(uint32_t value, uint32_t *word)
{
    uint32_t seen;
    TLOG_PORT_ROOM(TLOG_NEED_16_LINES);
    __asm goto volatile("mrs lr, primask\n\t"
                        "cpsid i\n\t"
                        "ldr %[seen], [%[watch]]\n\t"
                        "cmp sp, %[seen]\n\t"
                        "beq 1f\n\t"
                        "msr primask, lr\n\t"
                        "bl %l[failed]\n"
                        "1: str %[value], %[word]\n\t"
                        "msr primask, lr"
                        : [seen] "=&l"(seen)
                        : [watch] "l"(&tlog_port_watch), [value] "l"(value), [word] "m"(*word)
                        : "memory", "cc", "lr"
                        : failed);
    return 0;
failed:
    return 1;
}

/* A thread that fills a slot does not watch, so a head must be compared as well. */
#define TLOG_PORT_REPLACE
TLOG_ALWAYS_INLINE uint32_t tlog_port_replace_exclusive(uint32_t seen, uint32_t value, uint32_t *word)
{
    uint32_t now = 0;
    __asm goto volatile("mrs lr, primask\n\t"
                        "cpsid i\n\t"
                        "ldr %[now], [%[watch]]\n\t"
                        "cmp sp, %[now]\n\t"
                        "bne 2f\n\t"
                        "ldr %[now], %[word]\n\t"
                        "cmp %[now], %[seen]\n\t"
                        "beq 1f\n"
                        "2: msr primask, lr\n\t"
                        "bl %l[failed]\n"
                        "1: str %[value], %[word]\n\t"
                        "msr primask, lr"
                        : [now] "=&l"(now)
                        : [watch] "l"(&tlog_port_watch), [seen] "l"(seen), [value] "l"(value), [word] "m"(*word)
                        : "memory", "cc", "lr"
                        : failed);
    return 0;
failed:
    return 1;
}

TLOG_ALWAYS_INLINE void *tlog_port_load_exclusive_pointer(void *const *word)
{
    return (void *)tlog_port_load_exclusive((const uint32_t *)(const void *)word);
}

TLOG_ALWAYS_INLINE uint32_t tlog_port_store_exclusive_pointer(void *value, void **word)
{
    return tlog_port_store_exclusive((uint32_t)value, (uint32_t *)(void *)word);
}

TLOG_INLINE void tlog_port_clear_exclusive(void)
{
}

TLOG_INLINE void tlog_port_publish(void)
{
    __asm volatile("" ::: "memory");
}

/* Two stores of half a word are cheaper than putting the word together. The half with the tag is stored last. */
TLOG_INLINE void tlog_port_head(uint32_t *slot, uint32_t low, uint32_t high)
{
    __asm volatile("strh %1, [%2, #14]\n\tstrh %0, [%2, #12]" ::"l"(low), "l"(high), "l"(slot) : "memory");
}

#ifdef __OPTIMIZE__
/* One store takes ascending registers to ascending addresses, so the head comes last. If an interrupt breaks it off, it
 * begins again, but not once the head is written. The stamp is in r3 already: see tlog_port_reserve_home(). */
#define TLOG_PORT_PUT_SLOT
TLOG_ALWAYS_INLINE void tlog_port_put_slot(uint32_t *slot, uint32_t d0, uint32_t d1, uint32_t low, uint32_t head)
{
    register uint32_t first __asm("r0") = d0;
    register uint32_t second __asm("r1") = d1;
    register uint32_t stamp __asm("r3") = low;
    register uint32_t last __asm("r5") = head;
    __asm volatile("stm %0!, {%1, %2, %3, %4}"
                   : "+l"(slot)
                   : "r"(first), "r"(second), "r"(stamp), "r"(last)
                   : "memory");
}

/* The same for a record, whose head is cheaper as two halves. A code that is not constant may be in a high register. */
#define TLOG_PORT_PUT_RECORD
TLOG_ALWAYS_INLINE void tlog_port_put_record(const struct tlog_reserved *at, uint32_t code, uint32_t par1,
                                             uint32_t par2)
{
    uint32_t *slot, head = at->cursor;
    if (__builtin_constant_p(code))
        head += code;
    else
        __asm("add %0, %1" : "+l"(head) : "h"(code));
    register uint32_t first __asm("r1") = par2;
    register uint32_t second __asm("r2") = at->high;
    register uint32_t stamp __asm("r3") = at->low;
    __asm volatile("stm %0!, {%1, %2, %3}\n\tstrh %4, [%0, #2]\n\tstrh %5, [%0]"
                   : "=l"(slot)
                   : "r"(first), "r"(second), "r"(stamp), "l"(par1), "l"(head), "0"(at->slot)
                   : "memory");
}
#endif

#ifdef __OPTIMIZE__
/* Keeps a value in a high register, if it is free until then: such are no use for most instructions, so the compiler
 * would rather save others. */
#define TLOG_PORT_KEEP(value) __asm volatile("" : "+h"(value))

/* The family of a code, which is kept so behind that: then the LDM of the filter has its registers. */
#define TLOG_PORT_FAMILY
TLOG_ALWAYS_INLINE uint32_t tlog_port_family(uint32_t *code)
{
    uint32_t family;
    __asm volatile(".syntax unified\n\tlsls %0, %1, #28\n\tlsrs %0, %0, #28" : "=l"(family) : "l"(*code) : "cc");
    TLOG_PORT_KEEP(*code);
    return family;
}
#endif

/* Loads the address from a literal again, so that no register has to hold it since the fast path. */
TLOG_ALWAYS_INLINE struct tlog_cpu *tlog_port_again(struct tlog_cpu *cpu)
{
#ifdef __OPTIMIZE__
    __asm(".syntax unified\n\tldr %0, 1f\n\tb 2f\n\t.align 2\n1: .word %c1\n2:" : "=l"(cpu) : "i"(cpu));
#endif
    return cpu;
}

TLOG_INLINE uint32_t tlog_port_now_at(const volatile uint32_t *clock)
{
    return TLOG_PORT_TIME(tlog_port_read(clock));
}

/* Puts the number of the active exception, 0 in threads, below the wraps of a high word. */
#define TLOG_PORT_CONTEXT TLOG_CONTEXT_EXCEPTION
TLOG_ALWAYS_INLINE uint32_t tlog_port_context(uint32_t high)
{
    uint32_t number;
    __asm("mrs %0, ipsr" : "=l"(number) : "l"(high)); /* the input keeps this behind the load of high */
    return high | number;
}

#ifdef __OPTIMIZE__
/* One LDM loads the filter, the cursor and the two members of the port behind it, and leaves the address of the member
 * `high`. LDM needs ascending registers, so they are named. R7 is not among them: it may be a frame pointer. */
#define TLOG_PORT_HOME
typedef struct tlog_port_home {
    uint32_t high; /* the address of cpu->high */
    uint32_t *cursor;
    uint32_t step;
    uint32_t *watch;
} tlog_port_home;

TLOG_ALWAYS_INLINE uint32_t tlog_port_filter(const struct tlog_cpu *cpu, tlog_port_home *home)
{
    register uint32_t at __asm("r2") = (uint32_t)cpu;
    register uint32_t filter __asm("r3");
    register uint32_t *cursor __asm("r4");
    register uint32_t step __asm("r5");
    register uint32_t *watch __asm("r6");
    __asm volatile("ldm %0!, {%1, %2, %3, %4}"
                   : "+l"(at), "=l"(filter), "=l"(cursor), "=l"(step), "=l"(watch)::"memory");
    *home = TLOG_LITERAL(tlog_port_home){at, cursor, step, watch};
    return filter;
}

TLOG_INLINE uint32_t *tlog_port_cursor(tlog_port_home home)
{
    return home.cursor;
}

/* A board whose clock takes more than one load to read gives TLOG_CLOCK_READ (tlog_port.h). */
#ifdef TLOG_CLOCK_READ
#define TLOG_PORT_CLOCK_READ    TLOG_CLOCK_READ "\n\tldr %[free], 4f\n\t" TLOG_PORT_WIDEN("s")
#define TLOG_PORT_CLOCK_LITERAL "\n.align 2\n4: .word %c[watch]"
#else
#define TLOG_PORT_CLOCK_READ    "ldr %[low], [%[low]]\n\t" TLOG_PORT_WIDEN("s")
#define TLOG_PORT_CLOCK_LITERAL ""
#endif

/* The atomic step, in assembly because registers are few: it needs six, the event has the other two, and each of the
 * six holds several values in turn. The assembly is TLOG_PORT_RESERVE. An interrupt may change some values. Of these
 * only the address of home's cursor is loaded before the watch begins; it is right as long as that chunk is open.
 * Where r7 is a frame pointer, r0 or r1 has to make room for the slot. The constraints of named registers say "r",
 * because gcc counts each "l" against the number of low registers, and then finds none that is left.
 * Conditional branches do not reach far in this instruction set. So all failures leave by one BL in the middle, and the
 * branch of the normal case jumps over it. A store that is not allowed leaves there, too: the slow path tries again.
 * TLOG_PORT_WATCH begins the watch, TLOG_PORT_STORE has what follows the look at the slot. */
#define TLOG_PORT_WATCH                                                                                                \
    ".syntax unified\n\t"                                                                                              \
    "mov %[low], sp\n\t"                                                                                               \
    "str %[low], [%[free]]\n\t"
#define TLOG_PORT_STORE(home)                                                                                          \
    "ldm %[high], {%[high], %[low]}\n\t" TLOG_PORT_CLOCK_READ "eors %[low], %[high]\n\t"                               \
    "bpl 3f\n\t"                                                                                                       \
    "b 2f\n"                                                                                                           \
    "1: msr primask, lr\n"                                                                                             \
    "2: bl %l[slow]" TLOG_PORT_CLOCK_LITERAL "\n"                                                                      \
    "3: eors %[low], %[high]\n\t"                                                                                      \
    "mrs lr, primask\n\t"                                                                                              \
    "cpsid i\n\t"                                                                                                      \
    "ldr %[free], [%[free]]\n\t"                                                                                       \
    "cmp sp, %[free]\n\t"                                                                                              \
    "bne 1b\n\t"                                                                                                       \
    "str %[step], " home "\n\tmsr primask, lr"
#define TLOG_PORT_RESERVE                                                                                              \
    TLOG_PORT_WATCH                                                                                                    \
    "ldr %[slot], [%[cursor]]\n\t"                                                                                     \
    "adds %[step], %[step], %[slot]\n\t"                                                                               \
    "lsrs %[slot], %[slot], #12\n\t"                                                                                   \
    "adds %[slot], %[slot], %[cursor]\n\t"                                                                             \
    "ldrh %[low], [%[slot], #12]\n\t"                                                                                  \
    "tst %[low], %[step]\n\t"                                                                                          \
    "bne 2f\n\t" TLOG_PORT_STORE("[%[cursor]]")

TLOG_ALWAYS_INLINE bool tlog_port_reserve_home(struct tlog_cpu *cpu, tlog_port_home home, struct tlog_reserved *out)
{
    uint32_t *slot;
    register uint32_t high __asm("r2") = home.high;
    register uint32_t low __asm("r3");
    register uint32_t *cursor __asm("r4") = home.cursor;
    register uint32_t step __asm("r5") = home.step;
    register uint32_t *free __asm("r6") = home.watch;
    (void)cpu;
    TLOG_PORT_ROOM(TLOG_NEED_16_LINES "\n\n\n\n\n\n\n\n");
    __asm goto volatile(TLOG_PORT_RESERVE
                        : [slot] "=&l"(slot), [step] "+&r"(step), [low] "=&r"(low), [high] "+&r"(high),
                          [free] "+&r"(free), [cursor] "+&r"(cursor)
                        : [watch] "i"(&tlog_port_watch)
                        : "memory", "cc", "lr"
                        : slow);
    *out = TLOG_LITERAL(tlog_reserved){slot, step, TLOG_CONTEXT ? tlog_port_context(high) : high, low};
    return true;
slow:
    return false;
}

#if TLOG_CHUNKS == 1 && !TLOG_ARENA && !TLOG_TRACEEVENTS && !TLOG_COARSE_HZ && !TLOG_UNIQUE_STAMPS
#define TLOG_PORT_BEGIN_LAP

/* What tlog_port_begin_lap() does, in the registers of TLOG_PORT_RESERVE. The offsets of the chunk's words are from
 * `slots` on. Before the ring is open the cursor and the word behind it do not agree, and no other word is read. */
#define TLOG_PORT_LAP                                                                                                  \
    TLOG_PORT_WATCH                                                                                                    \
    "subs %[cursor], %[cursor], %[base]\n\t"                                                                           \
    "ldr %[step], [%[cursor], %[base]]\n\t"                                                                            \
    "ldr %[low], [%[cursor], %[base] + 4]\n\t"                                                                         \
    "eors %[low], %[low], %[step]\n\t"                                                                                 \
    "lsls %[low], %[low], #22\n\t"                                                                                     \
    "bne 2f\n\t"                                                                                                       \
    "ldr %[low], [%[cursor]]\n\t"                                                                                      \
    "lsrs %[step], %[step], #16\n\t"                                                                                   \
    "cmp %[step], %[low]\n\t"                                                                                          \
    "bls 2f\n\t"                                                                                                       \
    "ldr %[low], [%[cursor], %[flags]]\n\t"                                                                            \
    "lsls %[low], %[low], #28\n\t"                                                                                     \
    "bmi 2f\n\t"                                                                                                       \
    "ldr %[step], [%[cursor], %[base] + 4]\n\t"                                                                        \
    "movs %[low], #3\n\t"                                                                                              \
    "lsls %[low], %[low], #8\n\t"                                                                                      \
    "bics %[low], %[low], %[step]\n\t"                                                                                 \
    "ldr %[step], [%[cursor], %[base] + 28]\n\t"                                                                       \
    "tst %[step], %[low]\n\t"                                                                                          \
    "bne 2f\n\t"                                                                                                       \
    "movs %[step], #2\n\t"                                                                                             \
    "lsls %[step], %[step], #16\n\t"                                                                                   \
    "orrs %[step], %[step], %[low]\n\t" TLOG_PORT_STORE(                                                               \
        "[%[cursor], %[base]]") "\n\tadds %[cursor], %[cursor], %[base] + 16"

TLOG_ALWAYS_INLINE bool tlog_port_begin_lap(struct tlog_cpu *cpu, struct tlog_reserved *out)
{
    tlog_port_home home;
    tlog_port_filter(cpu, &home);
    register uint32_t high __asm("r2") = home.high;
    register uint32_t low __asm("r3");
    register uint32_t *cursor __asm("r4") = home.cursor;
    register uint32_t step __asm("r5");
    register uint32_t *free __asm("r6") = home.watch;
    TLOG_PORT_ROOM(TLOG_NEED_16_LINES TLOG_PORT_16_LINES TLOG_PORT_16_LINES);
    __asm goto volatile(
        TLOG_PORT_LAP
        : [step] "=&r"(step), [low] "=&r"(low), [high] "+&r"(high), [free] "+&r"(free), [cursor] "+&r"(cursor)
        : [watch] "i"(&tlog_port_watch), [base] "i"(TLOG_CURSOR_OFFSET - __builtin_offsetof(struct tlog_chunk, slots)),
          [flags] "i"(__builtin_offsetof(struct tlog_chunk, flags) - __builtin_offsetof(struct tlog_chunk, slots))
        : "memory", "cc", "lr"
        : slow);
    *out = TLOG_LITERAL(tlog_reserved){cursor, step, TLOG_CONTEXT ? tlog_port_context(high) : high, low};
    return true;
slow:
    return false;
}
#endif

/* Loads the cursor once more, together with the members behind it: that takes two instructions less than loading these
 * alone. It does not matter that another chunk may be home by now. */
TLOG_ALWAYS_INLINE bool tlog_port_reserve(struct tlog_cpu *cpu, uint32_t *cursor, struct tlog_reserved *out)
{
    tlog_port_home home;
    tlog_port_filter(cpu, &home);
    (void)cursor;
    return tlog_port_reserve_home(cpu, home, out);
}
#else
/* Without optimisation the compiler keeps a frame pointer and no value in a register, so this is C. The constants are
 * the indices of words in struct tlog_cpu (tlog_ring.h). */
enum { TLOG_PORT_FILTER_WORD, TLOG_PORT_CURSOR_WORD, TLOG_PORT_HIGH_WORD = 4, TLOG_PORT_CLOCK_WORD };

TLOG_INLINE uint32_t tlog_port_word(const struct tlog_cpu *cpu, uint32_t number)
{
    return ((const volatile uint32_t *)(const volatile void *)cpu)[number];
}

TLOG_INLINE uint32_t tlog_port_filter(const struct tlog_cpu *cpu, uint32_t **cursor)
{
    *cursor = (uint32_t *)tlog_port_word(cpu, TLOG_PORT_CURSOR_WORD);
    return tlog_port_word(cpu, TLOG_PORT_FILTER_WORD);
}

TLOG_INLINE bool tlog_port_reserve(struct tlog_cpu *cpu, uint32_t *cursor, struct tlog_reserved *out)
{
    uint32_t step, high, low;
    volatile uint32_t *slot;
    do {
        step = tlog_port_load_exclusive(cursor);
        slot = cursor + (step >> 16) * 4u;
        if ((slot[TLOG_WORD_HEAD] & step & TLOG_TAG_MASK) != 0)
            return false;
        high = tlog_port_word(cpu, TLOG_PORT_HIGH_WORD);
        low = tlog_port_now_at((const volatile uint32_t *)tlog_port_word(cpu, TLOG_PORT_CLOCK_WORD));
        if ((int32_t)(high ^ low) < 0)
            return false;
        step += 0x10000u;
    } while (tlog_port_store_exclusive(step, cursor));
    out->slot = (uint32_t *)(uint32_t)slot;
    out->cursor = step;
    out->high = TLOG_CONTEXT ? tlog_port_context(high) : high;
    out->low = low;
    return true;
}
#endif

TLOG_INLINE const volatile uint32_t *tlog_port_clock_start(void)
{
    TLOG_CLOCK_START;
    return (const volatile uint32_t *)TLOG_CLOCK_ADDRESS;
}

#endif
