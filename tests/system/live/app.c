/* app.c - logs numbers under a task's name: EVENTS of them, and then nothing more. */
#include "tlog.h"

int main(void);
int main(void)
{
    tlog_name(TLOG_NAME_TASK, 1, "one");
    for (uint32_t i = 0; i < EVENTS; i++) {
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, i & 0xFFFFu, i);
        for (volatile unsigned k = 0; k < 200u; k++) {
        }
    }
    for (;;) {
    }
}
