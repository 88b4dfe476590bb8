/* SPDX-License-Identifier: MIT */
/* port_threads.h - any POSIX host with TLOG_CPUS > 1: threads of a process act as CPUs without interrupts.
 *
 * For tests under ThreadSanitizer, a checker of data races, which understands atomic operations but no fences. So
 * publishing a slot is a fence and, besides, a release of a word that each CPU has for this. A reader loads the head of
 * a slot and then acquires that word. A store-exclusive is a compare-and-exchange: it does not notice a word that has
 * changed and changed back. */
#ifndef TLOG_PORT_THREADS_H
#define TLOG_PORT_THREADS_H

#ifndef TLOG_PORT_H
#error "tlog: include tlog.h"
#endif

#define TLOG_CLOCK_DOWN   0
#define TLOG_PORT_CONTEXT TLOG_CONTEXT_EXCEPTION

struct tlog_thread {
    uint32_t cpu;   /* number of the CPU that the thread acts as; the program sets it before the thread logs */
    uintptr_t seen; /* value that the last load-exclusive has loaded */
};

extern __thread struct tlog_thread tlog_thread;          /* __thread: the keyword that both C and C++ have */
extern uint32_t tlog_threads_published[TLOG_CPUS * 16u]; /* every sixteenth is used: one per cache line */

TLOG_INLINE uint32_t tlog_port_cpu(void)
{
    return tlog_thread.cpu;
}

/* Threads have no interrupts, so the context is 0. */
TLOG_INLINE uint32_t tlog_port_context(uint32_t high)
{
    return high;
}

TLOG_INLINE uint32_t tlog_port_load_exclusive(const uint32_t *word)
{
    uint32_t value = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    tlog_thread.seen = value;
    return value;
}

TLOG_INLINE uint32_t tlog_port_store_exclusive(uint32_t value, uint32_t *word)
{
    uint32_t seen = (uint32_t)tlog_thread.seen;
    return !__atomic_compare_exchange_n(word, &seen, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

TLOG_INLINE void *tlog_port_load_exclusive_pointer(void *const *word)
{
    void *value = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    tlog_thread.seen = (uintptr_t)value;
    return value;
}

TLOG_INLINE uint32_t tlog_port_store_exclusive_pointer(void *value, void **word)
{
    void *seen = (void *)tlog_thread.seen;
    return !__atomic_compare_exchange_n(word, &seen, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

TLOG_INLINE void tlog_port_clear_exclusive(void)
{
}

TLOG_INLINE struct tlog_cpu *tlog_port_again(struct tlog_cpu *cpu)
{
    return cpu;
}

TLOG_INLINE void tlog_port_publish(void)
{
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_fetch_add(&tlog_threads_published[tlog_thread.cpu * 16u], 1u, __ATOMIC_RELEASE);
}

TLOG_INLINE void tlog_port_head(uint32_t *slot, uint32_t low, uint32_t high)
{
    TLOG_NEED_OPTIONS();
    __atomic_store_n(slot + TLOG_WORD_HEAD, (low & 0xFFFFu) | high << 16, __ATOMIC_RELAXED);
}

uint32_t tlog_port_now_at(const volatile uint32_t *clock);
uint32_t tlog_port_filter(const struct tlog_cpu *cpu, uint32_t **cursor);
bool tlog_port_reserve(struct tlog_cpu *cpu, uint32_t *cursor, struct tlog_reserved *out);
const volatile uint32_t *tlog_port_clock_start(void);

#endif
