/* SPDX-License-Identifier: MIT */
/* tlog_zephyr_isr.c - Zephyr's hooks of handlers and of the idle thread, which are functions. Trap: up to 4.0 the
 * kernel passes them the depth of nesting, later versions nothing. A function without arguments serves both, because
 * the argument is in a register. So no header of the kernel may be included here: it could declare the other form.
 * Trap: with CONFIG_TRACING_CUSTOM these replace weak functions of the kernel, with which
 * CONFIG_CPU_LOAD_BACKEND_IDLE_HOOK measures the CPU's load. */
#include "../tlog_rtos.h"

#if TLOG_ENABLE

#if defined(CONFIG_TRACING_CUSTOM)
#define TLOG_ZEPHYR_ISR_ENTER sys_trace_isr_enter
#define TLOG_ZEPHYR_ISR_EXIT  sys_trace_isr_exit
#define TLOG_ZEPHYR_IDLE      sys_trace_idle
#else
#define TLOG_ZEPHYR_ISR_ENTER sys_trace_isr_enter_user
#define TLOG_ZEPHYR_ISR_EXIT  sys_trace_isr_exit_user
#define TLOG_ZEPHYR_IDLE      sys_trace_idle_user
#endif

static bool is_asleep;

/* Called by whichever comes first: the hook behind WFI, which only later versions have, a handler's hook, or the next
 * sleep. */
static void end_sleep(void)
{
    if (TLOG_SLEEP_HZ == 0 || !is_asleep)
        return;
    is_asleep = false;
    tlog_sleep_end();
}

void TLOG_ZEPHYR_ISR_ENTER(void);
void TLOG_ZEPHYR_ISR_EXIT(void);
void TLOG_ZEPHYR_IDLE(void);

#if defined(CONFIG_TLOG_ZEPHYR_ISR) && __ARM_ARCH_PROFILE == 'M'
static uint32_t exception(void)
{
    uint32_t ipsr;
    __asm volatile("mrs %0, ipsr" : "=r"(ipsr)); /* all other bits of it are 0 */
    return ipsr;
}

/* tlog_irq_trace() may log the handler, too. Inline, because the code is a constant then. */
TLOG_ALWAYS_INLINE void log_handler(uint32_t code)
{
    uint32_t number = exception();
    if (!tlog_rtos_is_traced(number))
        tlog_record_call(code, number, 0);
}

void TLOG_ZEPHYR_ISR_ENTER(void)
{
    end_sleep();
    log_handler(FTrace_EVT_interrupt_start);
}

void TLOG_ZEPHYR_ISR_EXIT(void)
{
    log_handler(FTrace_EVT_interrupt_end);
}
#else
void TLOG_ZEPHYR_ISR_ENTER(void)
{
    end_sleep();
}

void TLOG_ZEPHYR_ISR_EXIT(void)
{
}
#endif

/* The idle thread shows by its switches. tlog's 64-bit time needs tlog_tick() now and then. */
void TLOG_ZEPHYR_IDLE(void)
{
    end_sleep();
    tlog_sleep_begin();
    is_asleep = TLOG_SLEEP_HZ != 0;
}

#if defined(CONFIG_TRACING_CUSTOM)
void sys_trace_isr_exit_to_scheduler(void);
void sys_trace_idle_exit(void);

void sys_trace_isr_exit_to_scheduler(void)
{
    TLOG_ZEPHYR_ISR_EXIT();
}

void sys_trace_idle_exit(void)
{
    end_sleep();
}
#endif

#endif
