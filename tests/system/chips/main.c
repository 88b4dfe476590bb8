/* main.c - what a firmware does with a row of port/README.md's table of chips: the row's lines, which are in lines.h,
 * then interrupts, a name and events. board.h of linker/ has what start-up needs; here it is empty, but for a counter
 * where QEMU lacks the chip's clock. */
#include "cmsis.h"
#include "tlog.h"
#include "tlog_irq.h"

uint32_t SystemCoreClock = 24000000;
void __unhandled_user_irq(void);
void __unhandled_user_irq(void)
{
}

int main(void);
int main(void)
{
#ifdef CHIPS_START
    CHIPS_START;
#endif
#include "lines.h"
    tlog_name(TLOG_NAME_TASK, 1, "blinky");
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
#ifdef CHIPS_VTOR
    if (!tlog_irq_trace())
        return 1;
#endif
    for (uint32_t i = 0; i < 100; i++) {
        for (volatile uint32_t wait = 0; wait < 2000; wait++)
            ;
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, i, i * i);
    }
    return 0;
}
