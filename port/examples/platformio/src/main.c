/* SPDX-License-Identifier: MIT */
/* main.c - a loop on ST's HAL. board.h, with the set-up of the clock, the ADC and the UART, is yours. */
#include "board.h"

#include <stdio.h>
#include <string.h>

#include "tlog.h"
#include "tlog_irq.h"

ADC_HandleTypeDef hadc1;
UART_HandleTypeDef huart1;

TLOG_DEFINE_EVENT(sample, (u16, number), (i16, millivolts, "mV"))
TLOG_DEFINE_SPAN(convert)

static int16_t read_sensor(void)
{
    int16_t millivolts;
    TLOG_SPAN_BEGIN(convert);
    HAL_ADC_Start(&hadc1);
    HAL_ADC_PollForConversion(&hadc1, HAL_MAX_DELAY);
    millivolts = (int16_t)HAL_ADC_GetValue(&hadc1);
    TLOG_SPAN_END(convert);
    return millivolts;
}

static void print(uint16_t number, int16_t millivolts)
{
    char line[32];
    snprintf(line, sizeof line, "sample %u %d\n", number, millivolts);
    HAL_UART_Transmit(&huart1, (const uint8_t *)line, (uint16_t)strlen(line), HAL_MAX_DELAY);
}

int main(void)
{
    HAL_Init();
    SystemClock_Config();
    MX_ADC1_Init();
    MX_USART1_UART_Init();
    tlog_name(TLOG_NAME_TASK, 1, "main");
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
    if (!tlog_irq_trace())
        Error_Handler();
    uint16_t number = 0;
    while (1) {
        int16_t millivolts = read_sensor();
        trace_sample(number, millivolts);
        print(number, millivolts);
        number++;
        TRACER_LOGEVENT(FTrace_EVT_context_switch, 0, 0); /* idle */
        HAL_Delay(5);
        TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
    }
}
