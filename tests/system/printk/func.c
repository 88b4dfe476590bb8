/* func.c - firmware of tests/system/printk/printk.sh, compiled with -finstrument-functions. Two tasks switch in the
 * middle of a function; the functions call each other to a known depth, and one is called in an interrupt. */
#include "board.h"
#include "tlog.h"

#define SET_ENABLE  0xE000E100u
#define SET_PENDING 0xE000E200u

static volatile uint32_t sum;

static __attribute__((noinline)) void leaf(uint32_t n)
{
    sum += n;
}

static __attribute__((noinline)) void recurse(uint32_t n)
{
    leaf(n);
    if (n > 0)
        recurse(n - 1u);
}

void irq_9_handler(void);
__attribute__((no_instrument_function)) void irq_9_handler(void)
{
    TRACER_LOGEVENT(FTrace_EVT_interrupt_start, 9, 0);
    leaf(9);
    TRACER_LOGEVENT(FTrace_EVT_interrupt_end, 9, 0);
}

/* Task 1 enters this function. In the middle the tasks switch, task 2 calls recurse(), and task 1 goes on. */
static __attribute__((noinline)) void inside(void)
{
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 2, 0);
    recurse(2);
    *(volatile uint32_t *)SET_PENDING = 1u << 9;
    __asm volatile("dsb\n\tisb" ::: "memory");
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
}

int main(void)
{
    tlog_name(TLOG_NAME_TASK, 1, "one");
    tlog_name(TLOG_NAME_TASK, 2, "two");
    *(volatile uint32_t *)SET_ENABLE = 1u << 9;
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
    inside();
    leaf(1);
    return 0;
}
