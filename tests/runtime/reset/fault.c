/* fault.c - firmware that reads an address where nothing is, logs the fault, and resets itself.
 *
 * The next run finds the event in memory, writes the previous run to last.bin, and all of memory to dump.bin. EVENTS
 * events are logged before the fault; with ON_PSP, by a thread with a stack of its own. */
#include "out_semihost.h"
#include "tlog_fault.h"

#ifndef EVENTS
#define EVENTS 20u
#endif

int main(void);

static _Noreturn void reboot(void)
{
    *(volatile uint32_t *)0xE000ED0Cu = 0x05FA0004u; /* AIRCR.SYSRESETREQ */
    for (;;)
        ;
}

TLOG_FAULT_HANDLER(hardfault_handler, reboot)

/* Causes the fault, with known values in the registers that the event shows, at an address that has a label. */
__attribute__((noinline, noclone)) static uint32_t read_sensor(volatile uint32_t *at)
{
    register uint32_t r3 __asm("r3") = 0x33333333u;
    register uint32_t r2 __asm("r2") = 0x22222222u;
    uint32_t value;
    __asm volatile("fault_is_here: ldr %0, [%1]" : "=r"(value) : "r"(at), "r"(r2), "r"(r3));
    return value;
}

static int write_last(void *ctx, const void *bytes, uint32_t length)
{
    return semihost_write(*(int *)ctx, bytes, length);
}

static void save_last_run(void)
{
    int file = semihost_open("last.bin");
    struct tlog_sink sink = {write_last, &file};
    int result = tlog_last_run(&sink);
    TRACER_LOGEVENT(FTrace_EVT_user_event_3, (uint32_t)result, tlog_old_runs());
    semihost_close(file);
}

static void use_other_stack(void)
{
#ifdef ON_PSP
    static uint32_t stack[256];
    __asm volatile("mov r0, sp\n\tmsr psp, %0\n\tmovs r0, #2\n\tmsr control, r0\n\tisb" ::"r"(stack + 250)
                   : "r0", "memory");
#endif
}

int main(void)
{
    bool is_first = tlog_old_runs() == 0;
    tlog_name(TLOG_NAME_TASK, 7, is_first ? "motor" : "pump");
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 7, 0);
    for (uint32_t i = 0; i < (is_first ? EVENTS : 3u); i++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_1, i, 0);
    if (is_first) {
        use_other_stack();
        read_sensor((volatile uint32_t *)0x60000004u);
    }
    save_last_run();
    return 0;
}
