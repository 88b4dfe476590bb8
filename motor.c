/* motor.c */
#include "tlog.h"

enum motor_state { IDLE, RUN, STALL = 7 };
TLOG_DEFINE_EVENT(adc_sample, (u8, ch), (i16, mv, "mV"))
TLOG_DEFINE_EVENT(motor_state, (u8, motor), (enum8, state, IDLE, RUN, STALL), (f32, rpm))
TLOG_DEFINE_SPAN(control_step)

int main(void)
{
    TLOG_SPAN_BEGIN(control_step);
    trace_adc_sample(3, -120);
    trace_motor_state(1, STALL, 624.5f);
    TLOG_COUNTER(queue_depth, 4);
    TLOG_SPAN_END(control_step);
    return 0;
}
