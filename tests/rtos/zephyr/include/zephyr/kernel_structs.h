/* kernel_structs.h - which thread runs on the stand-in. */
#ifndef ZEPHYR_KERNEL_STRUCTS_H
#define ZEPHYR_KERNEL_STRUCTS_H

#define _THREAD_PENDING   0x02u
#define _THREAD_DEAD      0x08u
#define _THREAD_SUSPENDED 0x10u
#if defined(CONFIG_TRACING_CUSTOM)
#define _THREAD_SLEEPING 0x04u
#else
#define _THREAD_PRESTART 0x04u
#endif

struct z_kernel {
    struct k_thread *current;
    struct {
        struct k_thread *cache;
    } ready_q;
};

extern struct z_kernel _kernel;

#define _current (_kernel.current)

#endif
