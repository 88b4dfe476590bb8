/* main.c - a name, a task, events of its own, and events of a library: what a dump of any package's firmware holds. */
#include "tlog.h"

void log_library(void);
#ifdef OWN_EVENTS
TLOG_DEFINE_EVENT(adc_sample, (u8, ch), (i16, mv, "mV"))
#endif

int main(void);
int main(void)
{
    tlog_name(TLOG_NAME_TASK, 1, "blinky");
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
    for (uint32_t i = 0; i < 100; i++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, i, i * i);
#ifdef OWN_EVENTS
    trace_adc_sample(3, -120);
#endif
    log_library();
    return 0;
}
