/* SPDX-License-Identifier: MIT */
/* main.c - a loop that measures something, logs it, and prints it. board.h is yours. */
#include "board.h"
#include "tlog.h"

TLOG_DEFINE_EVENT(sample, (u16, number), (i16, millivolts, "mV"))
TLOG_DEFINE_SPAN(measure)

int main(void)
{
    board_init();
    tlog_name(TLOG_NAME_TASK, 1, "loop");
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
    for (uint16_t number = 0;; number++) {
        TLOG_SPAN_BEGIN(measure);
        int16_t millivolts = board_measure();
        TLOG_SPAN_END(measure);
        trace_sample(number, millivolts);
        board_print("sample", number, millivolts);
        TRACER_LOGEVENT(FTrace_EVT_context_switch, 0, 0); /* idle */
        board_wait_ms(1);
        TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
    }
}
