/* SPDX-License-Identifier: MIT */
/* startup_m.c - from reset to main on any Cortex-M, and from the end of main back to the host.
 *
 * Handlers of interrupts are weak functions: firmware defines irq_<number>_handler, e.g. irq_9_handler for external
 * interrupt 9. With TLOG_CPUS > 1, on a board with a second CPU, board_start_cpu() starts that one: board_cpus.h. */
#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "board_cpus.h"
#include "out_semihost.h"

extern uint32_t __data_start[], __data_end[], __data_load[], __bss_start[], __bss_end[], __stack_top[];

int main(void);
void reset_handler(void);
void fault_handler(void);

/* clang-format off */
#define SYSTEM_HANDLERS(X)                                                                                             \
    X(nmi) X(hardfault) X(memmanage) X(busfault) X(usagefault) X(svc) X(debugmon) X(pendsv) X(systick)
#define IRQ_HANDLERS(X)                                                                                                \
    X(irq_0)  X(irq_1)  X(irq_2)  X(irq_3)  X(irq_4)  X(irq_5)  X(irq_6)  X(irq_7)                                     \
    X(irq_8)  X(irq_9)  X(irq_10) X(irq_11) X(irq_12) X(irq_13) X(irq_14) X(irq_15)                                    \
    X(irq_16) X(irq_17) X(irq_18) X(irq_19) X(irq_20) X(irq_21) X(irq_22) X(irq_23)                                    \
    X(irq_24) X(irq_25) X(irq_26) X(irq_27) X(irq_28) X(irq_29) X(irq_30) X(irq_31)
#define DECLARE(name) __attribute__((weak, alias("fault_handler"))) void name##_handler(void);
#define ENTRY(name)   name##_handler,

SYSTEM_HANDLERS(DECLARE)
IRQ_HANDLERS(DECLARE)

struct vectors {
    uint32_t *stack;
    void (*handler[15 + 32])(void);
};

__attribute__((section(".vectors"), used)) static const struct vectors vectors = {
    __stack_top,
    {
        reset_handler,
        nmi_handler,
        hardfault_handler,
        memmanage_handler,
        busfault_handler,
        usagefault_handler,
        0, 0, 0, 0,
        svc_handler,
        debugmon_handler,
        0,
        pendsv_handler,
        systick_handler,
        IRQ_HANDLERS(ENTRY)
    },
};
/* clang-format on */

/* The accesses are volatile: otherwise the compiler would turn the loops into calls of memcpy and memset. */
void reset_handler(void)
{
    volatile uint32_t *to = __data_start;
    for (const uint32_t *from = __data_load; to < __data_end;)
        *to++ = *from++;
    for (to = __bss_start; to < __bss_end;)
        *to++ = 0;
    board_init();
    board_exit(main());
}

#if defined(TLOG_CPUS) && TLOG_CPUS > 1 && defined(BOARD_CPUWAIT)

static void (*volatile entry)(void);

static void other_reset_handler(void)
{
    board_exclusives_are_global();
    __asm volatile("cpsie i" ::: "memory");
    entry();
    for (;;)
        __asm volatile("wfi");
}

/* The vector table of CPU 1: as that of CPU 0, except the first two words. A vector table must be aligned to its size,
 * rounded up to a power of two. */
static struct vectors other_vectors __attribute__((aligned(256)));
_Static_assert(sizeof(struct vectors) <= 256, "other_vectors");

int board_start_cpu(uint32_t number, void (*run)(void))
{
    if (number != 1)
        return -1;
    board_exclusives_are_global();
    entry = run;
    for (uint32_t i = 0; i < 15 + 32; i++)
        ((void (*volatile *)(void))other_vectors.handler)[i] = vectors.handler[i];
    other_vectors.handler[0] = other_reset_handler;
    other_vectors.stack = (uint32_t *)((uintptr_t)__stack_top - BOARD_STACK_BYTES);
    __asm volatile("dsb" ::: "memory");
    *(volatile uint32_t *)BOARD_INITSVTOR1 = (uint32_t)(uintptr_t)&other_vectors;
    *(volatile uint32_t *)BOARD_CPUWAIT &= ~2u;
    return 0;
}

#endif

/* For every exception without a handler of its own: save the trace, and end with exit code 128 + the exception's
 * number. */
void fault_handler(void)
{
    uint32_t ipsr;
    __asm volatile("mrs %0, ipsr" : "=r"(ipsr));
    board_exit(128 + (int)ipsr);
}
