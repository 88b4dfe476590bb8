/* threads.c - threads as CPUs, under ThreadSanitizer.
 *
 * Each thread logs to its own ring until the ring is full; one of them also sets filters and names; one more thread
 * reads every slot as soon as it is published. The rings stop when they are full, so what has been published is never
 * written again: every access that publishing does not order is a race, and is reported.
 *
 * usage: test_threads EVENTS
 *
 * Volatile accesses count as atomic, as they do on the target: the compiler calls the functions at the end of this file
 * for them. */
#define _POSIX_C_SOURCE 200809L
#include "tlog.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOGGERS = TLOG_CPUS, EVENTS = TLOG_SLOTS + TLOG_SLOTS / 8 }; /* events of one logger in one round */

static pthread_barrier_t barrier;
static uint64_t rounds;
static uint32_t logging;
static struct tlog_cpu fresh[TLOG_CPUS];
static uint64_t seen_early, switches, wrong;

static struct tlog_chunk *chunk_of(uint32_t cpu)
{
    return tlog_cpus[cpu].ring->first;
}

static uint32_t mark(uint32_t cpu, uint32_t number)
{
    return (number * 0x9E3779B1u >> 16 ^ cpu) & 0xFFFFu;
}

static void fail(const char *what, uint32_t a, uint32_t b)
{
    if (__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED) == 0)
        printf("%s: %u %u\n", what, a, b);
}

/* ---- logging ----------------------------------------------------------------------------------------------------- */

static void change_filters(uint32_t number)
{
    tlog_filter_bit(13, number & 1024u); /* a family whose changes no mark tells */
    tlog_stop_when_full(true);
    (void)tlog_dropped();
    if (number % 65536u == 0)
        tlog_name(TLOG_NAME_TASK, number, "name");
}

static void log_round(uint32_t cpu)
{
    for (uint32_t number = 0; number < EVENTS; number++) {
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, mark(cpu, number), number);
        if (number % 512u == 0)
            tlog_filter_bit(20u + cpu, number & 512u);
        if (cpu == 0 && number % 256u == 0)
            change_filters(number);
    }
    __atomic_fetch_sub(&logging, 1u, __ATOMIC_RELEASE);
}

static void *run_logger(void *number)
{
    tlog_thread.cpu = (uint32_t)(uintptr_t)number;
    for (uint64_t round = 0; round < rounds; round++) {
        pthread_barrier_wait(&barrier);
        log_round(tlog_thread.cpu);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Reads the next slot of a CPU, if it is published. */
static bool read_next(uint32_t cpu, uint32_t at)
{
    uint32_t *slot = &chunk_of(cpu)->cursor + 4u * (at + 1u);
    uint32_t head = at < TLOG_SLOTS ? __atomic_load_n(slot + TLOG_WORD_HEAD, __ATOMIC_RELAXED) : 0;
    if ((head & TLOG_TAG_MASK) != TLOG_TAG_ODD)
        return false;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    (void)__atomic_load_n(&tlog_threads_published[cpu * 16u], __ATOMIC_ACQUIRE);
    if (slot[TLOG_WORD_PAR2] != at || head >> 16 != mark(cpu, at) || (head & 0xFFu) != FTrace_EVT_user_event_0)
        fail("not what was logged", at, slot[TLOG_WORD_PAR2]);
    if (((slot[TLOG_WORD_HIGH] ^ slot[TLOG_WORD_LOW]) & TLOG_HIGH_MIRROR) != 0)
        fail("half a stamp", slot[TLOG_WORD_HIGH], slot[TLOG_WORD_LOW]);
    return true;
}

static void read_round(void)
{
    uint32_t at[TLOG_CPUS] = {0}, last = TLOG_CPUS;
    bool others_log = true, has_read = true;
    while (others_log || has_read) {
        others_log = __atomic_load_n(&logging, __ATOMIC_ACQUIRE) > 0;
        has_read = false;
        for (uint32_t cpu = 0; cpu < TLOG_CPUS; cpu++) {
            if (!read_next(cpu, at[cpu]))
                continue;
            at[cpu]++;
            has_read = true;
            seen_early += others_log;
            switches += cpu != last;
            last = cpu;
        }
    }
    for (uint32_t cpu = 0; cpu < TLOG_CPUS; cpu++)
        if (at[cpu] != TLOG_SLOTS || chunk_of(cpu)->dropped != EVENTS - TLOG_SLOTS)
            fail("kept + dropped is not what was attempted", at[cpu], chunk_of(cpu)->dropped);
}

static void start_over(void)
{
    uint32_t muted = tlog_cpus[0].muted;
    for (uint32_t cpu = 0; cpu < TLOG_CPUS; cpu++) {
        tlog_cpus[cpu] = fresh[cpu];
        tlog_cpus[cpu].filter = muted;
    }
    tlog_cpus[0].muted = muted;
    logging = LOGGERS;
    tlog_start();
}

int main(int argc, char **argv)
{
    pthread_t thread[LOGGERS];
    rounds = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000u) / ((uint64_t)LOGGERS * EVENTS) + 1u;
    for (uint32_t cpu = 0; cpu < TLOG_CPUS; cpu++)
        fresh[cpu] = tlog_cpus[cpu];
    pthread_barrier_init(&barrier, NULL, LOGGERS + 1u);
    for (uint32_t cpu = 0; cpu < LOGGERS; cpu++)
        if (pthread_create(&thread[cpu], NULL, run_logger, (void *)(uintptr_t)cpu) != 0)
            return 3;
    for (uint64_t round = 0; round < rounds; round++) {
        start_over();
        pthread_barrier_wait(&barrier);
        read_round();
        pthread_barrier_wait(&barrier);
    }
    for (uint32_t cpu = 0; cpu < LOGGERS; cpu++)
        pthread_join(thread[cpu], NULL);
    printf("%llu events, %llu read while others logged, %llu times from another CPU than before, %llu wrong\n",
           (unsigned long long)(rounds * LOGGERS * EVENTS), (unsigned long long)seen_early,
           (unsigned long long)switches, (unsigned long long)wrong);
    if (seen_early < rounds * LOGGERS)
        printf("FAIL: nothing was read while it was logged, so this run proves nothing\n");
    return wrong > 0 || seen_early < rounds * LOGGERS;
}

/* ---- what the compiler calls for volatile accesses --------------------------------------------------------------- */

#define VOLATILE(size)                                                                                                 \
    void __tsan_volatile_read##size(void *at);                                                                         \
    void __tsan_volatile_write##size(void *at);                                                                        \
    void __tsan_volatile_read##size(void *at)                                                                          \
    {                                                                                                                  \
        (void)at;                                                                                                      \
    }                                                                                                                  \
    void __tsan_volatile_write##size(void *at)                                                                         \
    {                                                                                                                  \
        (void)at;                                                                                                      \
    }
VOLATILE(1)
VOLATILE(2)
VOLATILE(4)
VOLATILE(8)
