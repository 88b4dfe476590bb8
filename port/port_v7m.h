/* port_v7m.h - ARMv7-M: Cortex-M3, M4, M7.
 *
 * The exclusive monitor of these cores is cleared by every exception entry and return, which is all the atomicity a CPU
 * needs against its own interrupts. Nothing here masks one. */
#ifndef TLOG_PORT_V7M_H
#define TLOG_PORT_V7M_H

#ifndef TLOG_CLOCK_ADDRESS
#define TLOG_CLOCK_ADDRESS 0xE0001004u /* DWT CYCCNT: core clock cycles */
#define TLOG_PORT_USES_DWT 1
#else
#define TLOG_PORT_USES_DWT 0
#endif
#ifndef TLOG_CLOCK_DOWN
#define TLOG_CLOCK_DOWN 0
#endif

/* Word offset of high and clock in struct tlog_cpu; tlog_ring.h asserts it. */
#define TLOG_PORT_CPU_HIGH 8

static inline uint32_t tlog_port_load_exclusive(const uint32_t *word)
{
    uint32_t value;
    __asm volatile("ldrex %0, %1" : "=r"(value) : "Uv"(*word) : "memory");
    return value;
}

static inline uint32_t tlog_port_store_exclusive(uint32_t value, uint32_t *word)
{
    uint32_t failed;
    __asm volatile("strex %0, %2, %1" : "=&r"(failed), "=Uv"(*word) : "r"(value) : "memory");
    return failed;
}

static inline void tlog_port_clear_exclusive(void)
{
}

static inline void *tlog_port_load_exclusive_pointer(void *const *word)
{
    void *value;
    __asm volatile("ldrex %0, %1" : "=r"(value) : "Uv"(*word) : "memory");
    return value;
}

static inline uint32_t tlog_port_store_exclusive_pointer(void *value, void **word)
{
    uint32_t failed;
    __asm volatile("strex %0, %2, %1" : "=&r"(failed), "=Uv"(*word) : "r"(value) : "memory");
    return failed;
}

static inline void tlog_port_publish(void)
{
    __asm volatile("" ::: "memory");
}

static inline uint32_t tlog_port_pack(uint32_t low, uint32_t high)
{
    __asm("bfi %0, %1, #16, #16" : "+r"(low) : "r"(high));
    return low;
}

#if TLOG_CLOCK_DOWN
#define TLOG_PORT_CLOCK_READ "ldr %[low], [%[low]]\n\tmvn %[low], %[low]\n\t"
#else
#define TLOG_PORT_CLOCK_READ "ldr %[low], [%[low]]\n\t"
#endif

/* The filter word and the chunk's cursor in one load. */
static inline uint32_t tlog_port_filter(const struct tlog_cpu *cpu, uint32_t **cursor)
{
    uint32_t filter;
    __asm volatile("ldrd %0, %1, [%2]" : "=r"(filter), "=r"(*cursor) : "r"(cpu) : "memory");
    return filter;
}

/* In assembly because the compiler, given the same steps, needs four more instructions and two more registers. cbz over
 * a branch back is the one-instruction way out of the loop when the store succeeded. */
static inline __attribute__((always_inline)) bool tlog_port_reserve(struct tlog_cpu *cpu, uint32_t *cursor,
                                                                    struct tlog_reserved *out)
{
    uint32_t *slot;
    uint32_t now, high, low, step, failed;
    __asm goto volatile("1:\n\t"
                        "ldrex %[now], [%[cursor]]\n\t"
                        "add %[slot], %[cursor], %[now], lsr #12\n\t"
                        "ldrh %[step], [%[slot]]\n\t"
                        "tst %[step], %[now]\n\t"
                        "bne %l[slow]\n\t"
                        "add %[step], %[now], #0x10000\n\t"
                        "ldrd %[high], %[low], [%[cpu], %[at]]\n\t" TLOG_PORT_CLOCK_READ "teq %[high], %[low]\n\t"
                        "bmi %l[slow]\n\t"
                        "strex %[failed], %[step], [%[cursor]]\n\t"
                        "cbz %[failed], 2f\n\t"
                        "b 1b\n"
                        "2:"
                        : [now] "=&r"(now), [slot] "=&r"(slot), [step] "=&r"(step), [high] "=&r"(high),
                          [low] "=&r"(low), [failed] "=&l"(failed)
                        : [cursor] "r"(cursor), [cpu] "r"(cpu), [at] "i"(TLOG_PORT_CPU_HIGH)
                        : "memory", "cc"
                        : slow);
    *out = (struct tlog_reserved){slot, now, high, low};
    return true;
slow:
    return false;
}

static inline uint32_t tlog_port_now_at(const volatile uint32_t *clock)
{
    return TLOG_CLOCK_DOWN ? ~*clock : *clock;
}

const volatile uint32_t *tlog_port_clock_start(void);

#endif
