/* library.c - a file of another library of the project, which logs. */
#include "tlog.h"

void log_library(void);
void log_library(void)
{
    TRACER_LOGEVENT(FTrace_EVT_user_event_1, 7, 42);
}
