/* port_v6m.h - ARMv6-M: Cortex-M0, M0+, M1, which have no exclusive loads and stores.
 *
 * One word in memory takes the monitor's place: whoever begins to watch writes his stack pointer there. No two contexts
 * that may interrupt each other have the same one, so a store is allowed if the word is still what the writer made it,
 * and then nobody else began in between. Looking and storing is the one step that must not be interrupted: five
 * instructions with PRIMASK set, which is then put back as it was.
 *
 * PRIMASK does not hold off NMI. An NMI handler must not log here, unless it never returns. HardFault may: nothing in
 * that step can fault.
 *
 * The functions below that watch must be called from frames whose stack pointer does not move between load and store,
 * which is so in any function without alloca() and variable-length arrays. */
#ifndef TLOG_PORT_V6M_H
#define TLOG_PORT_V6M_H

#if defined(TLOG_CPUS) && TLOG_CPUS > 1
#error "tlog: this core has no exclusive loads and stores, so several of them cannot log (port/tlog_port.h)"
#endif
#ifndef TLOG_CLOCK_ADDRESS
#error "tlog: this core has no clock of its own; the board must give TLOG_CLOCK_ADDRESS (port/tlog_port.h)"
#endif
#ifndef TLOG_CLOCK_DOWN
#define TLOG_CLOCK_DOWN 0
#endif

/* The stack pointer of the writer that began to watch last. */
extern uint32_t tlog_port_watch;

/* Inlined: a call of each costs a switch of chunks seventeen instructions more. They are one frame: see
 * above. */
static inline __attribute__((always_inline)) uint32_t tlog_port_load_exclusive(const uint32_t *word)
{
    uint32_t value;
    __asm volatile("mov %0, sp\n\tstr %0, [%1]\n\tldr %0, [%2]"
                   : "=&l"(value)
                   : "l"(&tlog_port_watch), "l"(word)
                   : "memory");
    return value;
}

static inline __attribute__((always_inline)) uint32_t tlog_port_store_exclusive(uint32_t value, uint32_t *word)
{
    uint32_t failed, own, mask;
    __asm volatile(".syntax unified\n\t"
                   "mrs %[mask], primask\n\t"
                   "mov %[own], sp\n\t"
                   "cpsid i\n\t"
                   "ldr %[failed], [%[watch]]\n\t"
                   "subs %[failed], %[failed], %[own]\n\t"
                   "bne 1f\n\t"
                   "str %[value], [%[word]]\n"
                   "1: msr primask, %[mask]"
                   : [failed] "=&l"(failed), [own] "=&l"(own), [mask] "=&r"(mask)
                   : [watch] "l"(&tlog_port_watch), [value] "l"(value), [word] "l"(word)
                   : "memory", "cc");
    return failed;
}

static inline __attribute__((always_inline)) void *tlog_port_load_exclusive_pointer(void *const *word)
{
    return (void *)tlog_port_load_exclusive((const uint32_t *)(const void *)word);
}

static inline __attribute__((always_inline)) uint32_t tlog_port_store_exclusive_pointer(void *value, void **word)
{
    return tlog_port_store_exclusive((uint32_t)value, (uint32_t *)(void *)word);
}

static inline void tlog_port_clear_exclusive(void)
{
}

static inline void tlog_port_publish(void)
{
    __asm volatile("" ::: "memory");
}

/* Halves are cheaper to store than to put together; the one with the tag is the last. */
static inline void tlog_port_head(uint32_t *slot, uint32_t low, uint32_t high)
{
    __asm volatile("strh %1, [%2, #2]\n\tstrh %0, [%2]" ::"l"(low), "l"(high), "l"(slot) : "memory");
}

/* The address from the code again, rather than from a register that had to hold it meanwhile. */
static inline __attribute__((always_inline)) struct tlog_cpu *tlog_port_again(struct tlog_cpu *cpu)
{
#ifdef __OPTIMIZE__
    __asm(".syntax unified\n\tldr %0, 1f\n\tb 2f\n\t.align 2\n1: .word %c1\n2:" : "=l"(cpu) : "i"(cpu));
#endif
    return cpu;
}

static inline uint32_t tlog_port_filter(const struct tlog_cpu *cpu, uint32_t **cursor)
{
    uint32_t filter;
    __asm volatile("ldr %0, [%2]\n\tldr %1, [%2, #4]" : "=&l"(filter), "=l"(*cursor) : "l"(cpu) : "memory");
    return filter;
}

/* A board whose clock takes more than a load: TLOG_CLOCK_READ, assembly that turns the address in %[low] into the time,
 * with %[free] to work in, and TLOG_CLOCK_READ_C(address), the same in C. */
#ifdef TLOG_CLOCK_READ
#define TLOG_PORT_CLOCK_READ TLOG_CLOCK_READ "ldr %[free], 4f\n\t"
#elif TLOG_CLOCK_DOWN
#define TLOG_PORT_CLOCK_READ "ldr %[low], [%[low]]\n\tmvns %[low], %[low]\n\t"
#else
#define TLOG_PORT_CLOCK_READ "ldr %[low], [%[low]]\n\t"
#endif

/* In assembly because every register counts. Conditional branches do not reach far in this instruction set, so all leave
 * by a BL in the middle, where the constant lies as well; it is jumped over by the branch that is taken when all is
 * well. A store that was refused also leaves there: the slow path tries again. */
static inline __attribute__((always_inline)) bool tlog_port_reserve(struct tlog_cpu *cpu, uint32_t *cursor,
                                                                    struct tlog_reserved *out)
{
    uint32_t *slot;
    uint32_t step, low, free, high = (uint32_t)cpu;
    TLOG_PORT_ROOM(TLOG_PORT_16_LINES TLOG_PORT_16_LINES);
    __asm goto volatile(
        ".syntax unified\n\t"
        "ldr %[free], 4f\n\t"
        "mov %[low], sp\n\t"
        "str %[low], [%[free]]\n\t"
        "ldr %[step], [%[cursor]]\n\t"
        "lsrs %[slot], %[step], #12\n\t"
        "adds %[slot], %[slot], %[cursor]\n\t"
        "ldrh %[low], [%[slot]]\n\t"
        "tst %[low], %[step]\n\t"
        "bne 2f\n\t"
        "ldr %[low], 3f\n\t"
        "adds %[step], %[step], %[low]\n\t"
        "ldr %[low], [%[high], #12]\n\t"
        "ldr %[high], [%[high], #8]\n\t" TLOG_PORT_CLOCK_READ "eors %[low], %[high]\n\t"
        "bpl 5f\n\t"
        "b 2f\n"
        "1: msr primask, r12\n"
        "2: bl %l[slow]\n\t"
        ".align 2\n"
        "3: .word 0x10000\n"
        "4: .word %c[watch]\n"
        "5: eors %[low], %[high]\n\t"
        "mrs r12, primask\n\t"
        "cpsid i\n\t"
        "ldr %[free], [%[free]]\n\t"
        "cmp sp, %[free]\n\t"
        "bne 1b\n\t"
        "str %[step], [%[cursor]]\n\t"
        "msr primask, r12"
        : [slot] "=&l"(slot), [step] "=&l"(step), [low] "=&l"(low), [high] "+&l"(high), [free] "=&l"(free)
        : [cursor] "l"(cursor), [watch] "i"(&tlog_port_watch)
        : "memory", "cc", "r12", "lr"
        : slow);
    *out = (struct tlog_reserved){slot, step, high, low};
    return true;
slow:
    return false;
}

static inline uint32_t tlog_port_now_at(const volatile uint32_t *clock)
{
#ifdef TLOG_CLOCK_READ
    return TLOG_CLOCK_READ_C(clock);
#else
    return TLOG_CLOCK_DOWN ? ~*clock : *clock;
#endif
}

static inline const volatile uint32_t *tlog_port_clock_start(void)
{
    return (const volatile uint32_t *)TLOG_CLOCK_ADDRESS;
}

#endif
