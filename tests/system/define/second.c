/* second.c - another file with the same events, and code that nothing calls. */
#include "events.h"

TLOG_NAME_GROUP(1, "name_of_a_group");

void dead_code(void)
{
    trace_of_dead_code(1);
}

void log_second(void)
{
    for (uint8_t i = 0; i < 2u; i++)
        trace_adc_sample(i, 5);
    trace_nothing();
    TLOG_COUNTER(queue_depth, 7);
    TLOG_SPAN_BEGIN(filter);
#if TLOG_TRACEEVENTS
    static const uint8_t mac[3] = {1, 2, 0xFF};
    static const uint16_t ports[2] = {80, 65535};
    trace_motor_state(1, STALL, false, 624.5f);
    trace_energy(5000000000u, -1, -2.25, 4000000000u);
    trace_opened(77, mac, ports, "log.txt");
    trace_where((const void *)0x20000004);
#endif
    TLOG_SPAN_END(filter);
}
