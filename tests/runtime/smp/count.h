/* count.h - counts the store-exclusives of tlog that fail on words which several CPUs change. Included before every
 * other file (gcc -include). */
#ifndef RUNTIME_SMP_COUNT_H
#define RUNTIME_SMP_COUNT_H

#include "tlog_port.h"

void smp_stored(uint32_t failed, const uint32_t *word);

static inline uint32_t smp_store(uint32_t failed, const uint32_t *word)
{
    smp_stored(failed, word);
    return failed;
}

#define tlog_port_store_exclusive(value, word) smp_store(tlog_port_store_exclusive(value, word), word)

/* Other CPUs see accesses before the fence before those after it. */
static inline void smp_fence(void)
{
    __asm volatile("dmb" ::: "memory");
}

#endif
