/* kernel.h - the types of the stand-in for Zephyr: of the kernel's, the members that tlog's hooks read. */
#ifndef ZEPHYR_KERNEL_H
#define ZEPHYR_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#define K_IDLE_PRIO 15

typedef struct {
    int64_t ticks;
} k_timeout_t;

#define K_FOREVER ((k_timeout_t){-1})
#define K_NO_WAIT ((k_timeout_t){0})

static inline unsigned int irq_lock(void)
{
    unsigned int key;
    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(key) : : "memory");
    return key;
}

static inline void irq_unlock(unsigned int key)
{
    __asm volatile("msr primask, %0" : : "r"(key) : "memory");
}

static inline bool k_is_in_isr(void)
{
    uint32_t ipsr;
    __asm volatile("mrs %0, ipsr" : "=r"(ipsr));
    return ipsr != 0;
}

static inline uint64_t k_us_to_ticks_ceil64(uint64_t us)
{
    return (us + 999) / 1000;
}

struct k_thread {
    struct {
        int8_t prio;
        uint8_t thread_state;
    } base;
    char name[32];
};

struct k_sem {
    unsigned int count;
};

struct k_mutex {
    struct k_thread *owner;
    uint32_t lock_count;
};

struct k_msgq {
    uint32_t max_msgs, used_msgs;
};

struct k_mem_slab {
    uint32_t num_blocks, num_used;
};

struct k_event {
    uint32_t events;
};

static inline uint32_t k_mem_slab_num_free_get(struct k_mem_slab *slab)
{
    return slab->num_blocks - slab->num_used;
}

#endif
