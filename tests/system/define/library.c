/* library.c - a caller in a static library. */
#include "events.h"

void log_library(void)
{
    trace_adc_sample(9, -1);
    trace_percent(1, false, 0);
}
