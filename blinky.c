/* blinky.c */
#include "tlog.h"

int main(void)
{
    tlog_name(TLOG_NAME_TASK, 1, "blinky");
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
    for (uint32_t i = 0; i < 100; i++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, i, i * i);
    return 0;
}
