/* kernel_structs.h - which thread runs on the stand-in. */
#ifndef ZEPHYR_KERNEL_STRUCTS_H
#define ZEPHYR_KERNEL_STRUCTS_H

struct z_kernel {
    struct k_thread *current;
    struct {
        struct k_thread *cache;
    } ready_q;
};

extern struct z_kernel _kernel;

#define _current (_kernel.current)

#endif
