/* SPDX-License-Identifier: MIT */
/* port_threads.c - see port_threads.h. The clock is the host's monotonic clock in ns, the same for all threads. */
#define _POSIX_C_SOURCE 200809L
#include "tlog.h"

#ifdef TLOG_PORT_THREADS_H

#include <time.h>

__thread struct tlog_thread tlog_thread;
uint32_t tlog_threads_published[TLOG_CPUS * 16u];

uint32_t tlog_port_now_at(const volatile uint32_t *clock)
{
    struct timespec now;
    (void)clock;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
}

const volatile uint32_t *tlog_port_clock_start(void)
{
    return NULL;
}

uint32_t tlog_port_filter(const struct tlog_cpu *cpu, uint32_t **cursor)
{
    *cursor = __atomic_load_n(&cpu->cursor, __ATOMIC_ACQUIRE);
    return __atomic_load_n(&cpu->filter, __ATOMIC_RELAXED);
}

bool tlog_port_reserve(struct tlog_cpu *cpu, uint32_t *cursor, struct tlog_reserved *out)
{
    do {
        out->cursor = tlog_port_load_exclusive(cursor);
        out->slot = (uint32_t *)((uintptr_t)cursor + (out->cursor >> 12));
        if (__atomic_load_n(out->slot + TLOG_WORD_HEAD, __ATOMIC_RELAXED) & out->cursor & TLOG_TAG_MASK)
            return false;
        out->high = __atomic_load_n(&cpu->high, __ATOMIC_RELAXED);
        out->low = tlog_port_now_at(cpu->clock);
        if ((int32_t)(out->high ^ out->low) < 0)
            return false;
    } while (tlog_port_store_exclusive(out->cursor + TLOG_CURSOR_STEP, cursor));
    return true;
}

#endif
