/* SPDX-License-Identifier: MIT */
/* startup_a.c - from reset to main on an ARMv7-A CPU, MMU and caches off, and from the end of main back to the host.
 *
 * Everything runs in System mode on one stack per CPU, interrupts included: the interrupt entry saves its return state
 * on that stack, so that an interrupt of higher priority can come in while a handler runs. Handlers of interrupts are
 * weak functions, irq_<number>_handler with the number that the GIC uses. Handlers of faults are weak functions, too:
 * undefined_handler, prefetch_abort_handler and data_abort_handler. They run in their own modes, on stacks of their
 * own; TLOG_FAULT_VECTOR in tlog_fault.h makes such handlers. With TLOG_CPUS > 1 board_start_cpu() starts the other
 * CPUs through PSCI: board_cpus.h. */
#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "board_cpus.h"
#include "out_semihost.h"

extern uint32_t __data_start[], __data_end[], __data_load[], __bss_start[], __bss_end[], __stack_top[];

int main(void);
void startup(void);
void interrupt(void);
void fault_handler(void);
_Noreturn void fault(uint32_t number);

/* clang-format off */
#define IRQ_HANDLERS(X)                                                                                                \
    X(irq_0)  X(irq_1)  X(irq_2)  X(irq_3)  X(irq_4)  X(irq_5)  X(irq_6)  X(irq_7)                                     \
    X(irq_8)  X(irq_9)  X(irq_10) X(irq_11) X(irq_12) X(irq_13) X(irq_14) X(irq_15)                                    \
    X(irq_16) X(irq_17) X(irq_18) X(irq_19) X(irq_20) X(irq_21) X(irq_22) X(irq_23)                                    \
    X(irq_24) X(irq_25) X(irq_26) X(irq_27) X(irq_28) X(irq_29) X(irq_30) X(irq_31)
#define DECLARE(name) __attribute__((weak, alias("fault_handler"))) void name##_handler(void);
#define ENTRY(name)   name##_handler,

IRQ_HANDLERS(DECLARE)
static void (*const handlers[32])(void) = { IRQ_HANDLERS(ENTRY) };
/* clang-format on */

/* Divide the stack that ends at r0: the modes of the two kinds of fault get 1 KiB each, System mode gets the rest. */
#define FAULT_STACKS                                                                                                   \
    "cpsid if, #0x17\n\tmov sp, r0\n\t"                                                                                \
    "cps #0x1B\n\tsub sp, r0, #1024\n\t"                                                                               \
    "cps #0x1F\n\tsub sp, r0, #2048\n\t"

/* A fault ends the program with a number, the offset of its vector divided by four: 1 undefined instruction, 2
 * supervisor call, 3 prefetch abort, 4 data abort, 7 FIQ. */
__asm(".section .vectors, \"ax\", %progbits\n"
      ".arm\n"
      ".align 5\n"
      ".global reset_handler\n"
      ".type reset_handler, %function\n"
      "vectors:\n\t"
      "b reset_handler\n\t"
      "ldr pc, =undefined_handler\n\t"
      "b svc_entry\n\t"
      "ldr pc, =prefetch_abort_handler\n\t"
      "ldr pc, =data_abort_handler\n\t"
      "nop\n\t"
      "b irq_entry\n\t"
      "b fiq_entry\n"
      "reset_handler:\n\t"
      "ldr r0, =__stack_top\n\t" FAULT_STACKS "ldr r0, =vectors\n\t"
      "mcr p15, 0, r0, c12, c0, 0\n\t" /* VBAR */
      "isb\n\t"
      "ldr r0, =startup\n\t"
      "bx r0\n"
      ".weak undefined_handler, prefetch_abort_handler, data_abort_handler\n"
      "undefined_handler: mov r0, #1\n\tb fault_entry\n"
      "svc_entry: mov r0, #2\n\tb fault_entry\n"
      "prefetch_abort_handler: mov r0, #3\n\tb fault_entry\n"
      "data_abort_handler: mov r0, #4\n\tb fault_entry\n"
      "fiq_entry: mov r0, #7\n"
      "fault_entry:\n\t"
      "cpsid if, #0x1F\n\t"
      "ldr r1, =fault\n\t"
      "bx r1\n"
      "irq_entry:\n\t"
      "sub lr, lr, #4\n\t"
      "srsdb sp!, #0x1F\n\t"
      "cps #0x1F\n\t"
      "push {r0-r3, r12, lr}\n\t"
      "and r1, sp, #4\n\t" /* calls need a stack aligned to 8 bytes */
      "sub sp, sp, r1\n\t"
      "push {r1, r2}\n\t"
      "clrex\n\t"
      "ldr r0, =interrupt\n\t"
      "blx r0\n\t"
      "pop {r1, r2}\n\t"
      "add sp, sp, r1\n\t"
      "pop {r0-r3, r12, lr}\n\t"
      "rfeia sp!\n\t"
      ".ltorg\n\t"
      ".previous");

static void interrupts_on(void)
{
    volatile uint32_t *distributor = (volatile uint32_t *)BOARD_GIC_DISTRIBUTOR;
    volatile uint32_t *interface = (volatile uint32_t *)BOARD_GIC_INTERFACE;
    distributor[0] = 1;
    interface[1] = 0xF0; /* PMR: all priorities but the lowest */
    interface[0] = 1;
    __asm volatile("cpsie i" ::: "memory");
}

#if defined(TLOG_CPUS) && TLOG_CPUS > 1

#define PSCI_CPU_ON 0x84000003u

static void (*volatile entries[TLOG_CPUS])(void);

void other_reset_handler(void);
void other_startup(uint32_t number);

/* The entry of the other CPUs. r0 is the number of the CPU, as it was given to PSCI. */
__asm(".section .text.other_reset_handler, \"ax\", %progbits\n"
      ".arm\n"
      ".align 2\n"
      ".global other_reset_handler\n"
      ".type other_reset_handler, %function\n"
      "other_reset_handler:\n\t"
      "mov r4, r0\n\t"
      "ldr r0, =__stack_top\n\t"
      "sub r0, r0, r4, lsl #16\n\t" /* BOARD_STACK_BYTES */
      FAULT_STACKS "mov r0, r4\n\t"
      "ldr r1, =vectors\n\t"
      "mcr p15, 0, r1, c12, c0, 0\n\t" /* VBAR */
      "isb\n\t"
      "ldr r1, =other_startup\n\t"
      "bx r1\n\t"
      ".ltorg\n\t"
      ".previous");
_Static_assert(BOARD_STACK_BYTES == 1u << 16, "the shift in other_reset_handler");

__attribute__((used)) void other_startup(uint32_t number)
{
    interrupts_on();
    entries[number]();
    for (;;)
        __asm volatile("wfi");
}

int board_start_cpu(uint32_t number, void (*run)(void))
{
    register uint32_t r0 __asm("r0") = PSCI_CPU_ON;
    register uint32_t r1 __asm("r1") = number;
    register void (*r2)(void) __asm("r2") = other_reset_handler;
    register uint32_t r3 __asm("r3") = number;
    entries[number] = run;
    __asm volatile("dsb\n\t.arch_extension virt\n\thvc #0" : "+r"(r0) : "r"(r1), "r"(r2), "r"(r3) : "memory");
    return (int)r0;
}

#endif

/* The accesses are volatile: otherwise the compiler would turn the loops into calls of memcpy and memset. */
__attribute__((used)) void startup(void)
{
    volatile uint32_t *to = __data_start;
    for (const uint32_t *from = __data_load; to < __data_end;)
        *to++ = *from++;
    for (to = __bss_start; to < __bss_end;)
        *to++ = 0;
    board_init();
    interrupts_on();
    board_exit(main());
}

__attribute__((used)) void interrupt(void)
{
    volatile uint32_t *interface = (volatile uint32_t *)BOARD_GIC_INTERFACE;
    uint32_t taken = interface[3]; /* IAR */
    uint32_t number = taken & 0x3FFu;
    if (number >= 1020)
        return; /* spurious: the interrupt is no longer pending */
    __asm volatile("cpsie i" ::: "memory");
    if (number < 32)
        handlers[number]();
    __asm volatile("cpsid i" ::: "memory");
    interface[4] = taken; /* EOIR */
}

/* For every interrupt without a handler of its own: save the trace, and end with exit code 128 + 16. */
void fault_handler(void)
{
    fault(16);
}

/* For every fault without a handler of its own: save the trace, and end with exit code 128 + number. */
__attribute__((used)) _Noreturn void fault(uint32_t number)
{
    board_exit(128 + (int)number);
}
