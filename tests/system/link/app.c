/* app.c - events, a name and a text: what a dump must hold, wherever the linker script puts tlog's memory. */
#include "out_semihost.h"
#include "tlog.h"

int main(void);
int main(void)
{
#ifndef NAMELESS
    tlog_name(TLOG_NAME_TASK, 1, "blinky");
#endif
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
    for (uint32_t i = 0; i < 100; i++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, i, i * i);
    TLOG_PRINTK("text %d", 42);
    return 0;
}
