/* startup_m.c - from reset to main on any Cortex-M, and from the end of main back to the host.
 *
 * Interrupt handlers are weak: firmware defines irq_<number>_handler, e.g. irq_9_handler for external interrupt 9. */
#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "out_semihost.h"

extern uint32_t __data_start[], __data_end[], __data_load[], __bss_start[], __bss_end[], __stack_top[];

int main(void);
void reset_handler(void);
void fault_handler(void);

#define WEAK   __attribute__((weak, alias("fault_handler")))
#define IRQ(n) WEAK void irq_##n##_handler(void);

WEAK void nmi_handler(void);
WEAK void hardfault_handler(void);
WEAK void memmanage_handler(void);
WEAK void busfault_handler(void);
WEAK void usagefault_handler(void);
WEAK void svc_handler(void);
WEAK void debugmon_handler(void);
WEAK void pendsv_handler(void);
WEAK void systick_handler(void);
IRQ(0)
IRQ(1) IRQ(2) IRQ(3) IRQ(4) IRQ(5) IRQ(6) IRQ(7) IRQ(8) IRQ(9) IRQ(10) IRQ(11) IRQ(12) IRQ(13) IRQ(14) IRQ(15) IRQ(16)
    IRQ(17) IRQ(18) IRQ(19) IRQ(20) IRQ(21) IRQ(22) IRQ(23) IRQ(24) IRQ(25) IRQ(26) IRQ(27) IRQ(28) IRQ(29) IRQ(30)
        IRQ(31)

            struct vectors {
    uint32_t *stack;
    void (*handler[15 + BOARD_IRQS])(void);
};

#define H(n) irq_##n##_handler

__attribute__((section(".vectors"), used)) static const struct vectors vectors = {__stack_top,
                                                                                  {reset_handler,
                                                                                   nmi_handler,
                                                                                   hardfault_handler,
                                                                                   memmanage_handler,
                                                                                   busfault_handler,
                                                                                   usagefault_handler,
                                                                                   0,
                                                                                   0,
                                                                                   0,
                                                                                   0,
                                                                                   svc_handler,
                                                                                   debugmon_handler,
                                                                                   0,
                                                                                   pendsv_handler,
                                                                                   systick_handler,
                                                                                   H(0),
                                                                                   H(1),
                                                                                   H(2),
                                                                                   H(3),
                                                                                   H(4),
                                                                                   H(5),
                                                                                   H(6),
                                                                                   H(7),
                                                                                   H(8),
                                                                                   H(9),
                                                                                   H(10),
                                                                                   H(11),
                                                                                   H(12),
                                                                                   H(13),
                                                                                   H(14),
                                                                                   H(15),
                                                                                   H(16),
                                                                                   H(17),
                                                                                   H(18),
                                                                                   H(19),
                                                                                   H(20),
                                                                                   H(21),
                                                                                   H(22),
                                                                                   H(23),
                                                                                   H(24),
                                                                                   H(25),
                                                                                   H(26),
                                                                                   H(27),
                                                                                   H(28),
                                                                                   H(29),
                                                                                   H(30),
                                                                                   H(31)}};

/* Volatile, so that the compiler does not make calls of memcpy and memset of the loops. */
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

/* Every exception without a handler of its own: save the trace, and end with 128 + the exception's number. */
void fault_handler(void)
{
    uint32_t ipsr;
    __asm volatile("mrs %0, ipsr" : "=r"(ipsr));
    board_exit(128 + (int)ipsr);
}
