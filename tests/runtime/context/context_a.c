/* context_a.c - enters the modes of an ARMv7-A core: by an interrupt, a supervisor call, an undefined instruction, a
 * breakpoint; the other modes by writing the CPSR. Handlers stay in the mode in which they were entered. */
#include "context.h"

enum { FIQ = 0x11, IRQ = 0x12, SUPERVISOR = 0x13, ABORT = 0x17, UNDEFINED = 0x1B, SYSTEM = 0x1F, WORDS = 256 };

extern uint32_t context_vectors[];
void in_irq(void);
void in_supervisor(void);
void in_abort(void);
void in_undefined(void);

static uint64_t stacks[5][WORDS / 2];

/* `ahead`: by how many bytes the mode's link register is ahead of the address to return to. */
#define ENTRY(name, ahead)                                                                                             \
    "entry_" #name ": push {r0-r3, r12, lr}\n\tldr r0, =in_" #name                                                     \
    "\n\tblx r0\n\tpop {r0-r3, r12, lr}\n\tsubs pc, lr, #" #ahead "\n"

__asm(".text\n.arm\n.align 5\n.global context_vectors\ncontext_vectors:\n\t"
      "b .\n\tb entry_undefined\n\tb entry_supervisor\n\tb entry_abort\n\tb .\n\tnop\n\tb entry_irq\n\tb .\n" ENTRY(
          undefined, 0) ENTRY(supervisor, 0) ENTRY(abort, 0) ENTRY(irq, 4) ".ltorg\n.thumb\n");

__attribute__((used)) void in_irq(void)
{
    volatile uint32_t *interface = (volatile uint32_t *)BOARD_GIC_INTERFACE;
    uint32_t taken = interface[3];
    log_in(IRQ);
    interface[4] = taken;
}

__attribute__((used)) void in_supervisor(void)
{
    log_in(SUPERVISOR);
}

__attribute__((used)) void in_abort(void)
{
    log_in(ABORT);
}

__attribute__((used)) void in_undefined(void)
{
    log_in(UNDEFINED);
}

#define SET_STACK(mode, stack)                                                                                         \
    __asm volatile("cps %0\n\tmov sp, %1\n\tcps #0x1F" ::"i"(mode), "r"(&(stack)[WORDS / 2]) : "memory")

void prepare_contexts(void)
{
    __asm volatile("cpsid i\n\tmcr p15, 0, %0, c12, c0, 0\n\tisb" ::"r"(context_vectors));
    SET_STACK(FIQ, stacks[0]);
    SET_STACK(IRQ, stacks[1]);
    SET_STACK(SUPERVISOR, stacks[2]);
    SET_STACK(ABORT, stacks[3]);
    SET_STACK(UNDEFINED, stacks[4]);
    ((volatile uint32_t *)(BOARD_GIC_DISTRIBUTOR + 0x100u))[0] = 1u << 5;
    __asm volatile("cpsie i" ::: "memory");
}

/* A software-generated interrupt. */
void log_in_interrupt(void)
{
    *(volatile uint32_t *)(BOARD_GIC_DISTRIBUTOR + 0xF00u) = 2u << 24 | 5u;
    __asm volatile("dsb\n\tisb\n\tnop\n\tnop" ::: "memory");
}

void log_everywhere(void)
{
    log_in(SYSTEM);
    log_in_interrupt();
    log_in(SYSTEM);
    __asm volatile("svc #1" ::: "memory");
    __asm volatile("bkpt #0\n\tnop" ::: "memory"); /* returns to two halfwords further on */
    __asm volatile("udf #1" ::: "memory");
    __asm volatile("cpsid i\n\tcps %0\n\tmov r0, %0\n\tbl log_in\n\tcps #0x1F\n\tcpsie i" ::"i"(FIQ)
                   : "r0", "r1", "r2", "r3", "r12", "lr", "cc", "memory");
    log_in(SYSTEM);
}
