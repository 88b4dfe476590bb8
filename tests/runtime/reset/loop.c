/* loop.c - firmware in a boot loop: LONG runs that fill their ring, then SHORT runs that a reset ends after a few
 * events, or in the middle of their start. The last run, which is a short one, too, writes all of memory to dump.bin.
 *
 * The number of the boot lies where neither the start-up code nor a reset of QEMU writes. */
#include "board.h"
#include "out_semihost.h"
#include "reset.h"
#include "tlog.h"

extern uint32_t __start_tlog_chunks[], __stop_tlog_chunks[];
int main(void);
void irq_9_handler(void);

static _Noreturn void reboot(void)
{
    *(volatile uint32_t *)0xE000ED0Cu = 0x05FA0004u; /* AIRCR.SYSRESETREQ */
    for (;;)
        ;
}

/* The reset that ends a short run from outside. */
void irq_9_handler(void)
{
    reboot();
}

static void reset_after(uint32_t ticks)
{
    *(volatile uint32_t *)0xE000E100u = 1u << BOARD_TIMER1_IRQ;
    BOARD_TIMER1->reload = 0xFFFFFFFFu;
    BOARD_TIMER1->value = ticks;
    BOARD_TIMER1->ctrl = 9;
}

int main(void)
{
    volatile uint32_t *number = (volatile uint32_t *)RESET_STATE_ADDRESS;
    const uint32_t boot = ++*number;
    uint32_t events = boot <= LONG ? 3u * TLOG_SLOTS : boot % 7u + 1u;
    if (boot > LONG && boot < LONG + SHORT && boot % 3u == 0)
        reset_after(boot * 97u % 6000u);
    for (uint32_t i = 0; i < events; i++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_1, boot & 0xFFFFu, i);
    tlog_name(TLOG_NAME_TASK, boot & 0xFFFFu, "task");
    if (boot < LONG + SHORT)
        reboot();
    semihost_write_file("dump.bin", __start_tlog_chunks,
                        (uint32_t)((uintptr_t)__stop_tlog_chunks - (uintptr_t)__start_tlog_chunks));
    return 0;
}
