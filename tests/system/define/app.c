/* app.c - firmware of define.sh: logs events from several files and languages. */
#include "events.h"
#include "out_semihost.h"

int main(void)
{
    trace_adc_sample(3, -120);
    trace_nothing();
    trace_percent(99, true, 0xBEEF);
    trace_irq(RX | FAILED, STALL);
    TLOG_COUNTER(queue_depth, -4);
    {
        TLOG_SPAN_SCOPE(filter);
        trace_adc_sample(4, 32767);
    }
    log_second();
    log_library();
    log_cxx();
    return tlog_semihost_save("dump.bin");
}
