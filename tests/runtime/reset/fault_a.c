/* fault_a.c - ARMv7-A firmware that causes one of three faults (FAULT is its vector), logs it, and resets itself.
 *
 * The next run finds the event in memory and saves it to dump.bin. With TLOG_CPUS > 1, CPU 1 faults. FROM_IRQ: the
 * fault is in an interrupt. */
#include "board.h"
#include "board_cpus.h"
#include "tlog_fault.h"

int main(void);

static _Noreturn void reboot(void)
{
    register uint32_t r0 __asm("r0") = 0x84000009u; /* PSCI SYSTEM_RESET */
    __asm volatile(".arch_extension virt\n\tdsb\n\thvc #0" ::"r"(r0));
    for (;;)
        ;
}

TLOG_FAULT_VECTOR(undefined_handler, TLOG_FAULT_UNDEFINED, reboot)
TLOG_FAULT_VECTOR(prefetch_abort_handler, TLOG_FAULT_PREFETCH_ABORT, reboot)
TLOG_FAULT_VECTOR(data_abort_handler, TLOG_FAULT_DATA_ABORT, reboot)

/* An address where virt has nothing. */
#define NOWHERE 0x0B000004u

/* Causes the fault, with known values in the registers that the event shows, at an address that has a label. */
__attribute__((noinline, noclone)) static void fail_here(uint32_t at)
{
    register uint32_t r0 __asm("r0") = at;
    register uint32_t r1 __asm("r1") = 0x11111111u;
    register uint32_t r2 __asm("r2") = 0x22222222u;
    register uint32_t r3 __asm("r3") = 0x33333333u;
    register uint32_t r12 __asm("r12") = 0x44444444u;
#if FAULT == 1
    __asm volatile("fault_is_here: udf #1" ::"r"(r0), "r"(r1), "r"(r2), "r"(r3), "r"(r12));
#elif FAULT == 3
    __asm volatile("blx r0" ::"r"(r0), "r"(r1), "r"(r2), "r"(r3), "r"(r12) : "lr");
#else
    __asm volatile("fault_is_here: str r1, [r0]" ::"r"(r0), "r"(r1), "r"(r2), "r"(r3), "r"(r12) : "memory");
#endif
}

#ifdef FROM_IRQ
void irq_30_handler(void);
void irq_30_handler(void)
{
    fail_here(NOWHERE);
}

static void fault(void)
{
    ((volatile uint32_t *)(BOARD_GIC_DISTRIBUTOR + 0x100u))[0] = 1u << BOARD_TIMER_IRQ;
    __asm volatile("mcr p15, 0, %0, c14, c2, 0\n\tmcr p15, 0, %1, c14, c2, 1" ::"r"(1000), "r"(1));
    for (;;)
        ;
}
#else
static void fault(void)
{
    fail_here(NOWHERE);
}
#endif

int main(void)
{
    bool is_first = tlog_old_runs() == 0;
    tlog_name(TLOG_NAME_TASK, 7, is_first ? "motor" : "pump");
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 7, 0);
    for (uint32_t i = 0; i < (is_first ? 20u : 3u); i++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_1, i, 0);
    if (!is_first)
        return 0;
#if TLOG_CPUS > 1
    board_start_cpu(1, fault);
    for (;;)
        ;
#else
    fault();
    return 1;
#endif
}
