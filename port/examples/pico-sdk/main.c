/* SPDX-License-Identifier: MIT */
/* main.c - reads the ADC a hundred times a second, logs and prints what it read. */
#include <stdio.h>

#include "hardware/adc.h"
#include "pico/stdlib.h"
#include "tlog.h"

TLOG_DEFINE_EVENT(sample, (u16, number), (u16, reading))
TLOG_DEFINE_SPAN(convert)

int main(void)
{
    stdio_init_all();
    adc_init();
    adc_gpio_init(26);
    adc_select_input(0);
    tlog_name(TLOG_NAME_TASK, 1, "loop");
    for (uint16_t number = 0;; number++) {
        TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
        TLOG_SPAN_BEGIN(convert);
        uint16_t reading = adc_read();
        TLOG_SPAN_END(convert);
        trace_sample(number, reading);
        printf("sample %u %u\n", number, reading);
        TRACER_LOGEVENT(FTrace_EVT_context_switch, 0, 0); /* idle */
        sleep_ms(10);
    }
}
