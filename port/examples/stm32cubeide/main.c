/* SPDX-License-Identifier: MIT */
/* main.c - as STM32CubeMX generates it, with tlog in its USER CODE sections, which the generator keeps. Copy these into
 * your main.c; what is generated around them is shortened here. */
#include "main.h"

/* USER CODE BEGIN Includes */
#include <stdio.h>
#include <string.h>

#include "tlog.h"
/* USER CODE END Includes */

ADC_HandleTypeDef hadc1;
UART_HandleTypeDef huart1;

/* USER CODE BEGIN PV */
TLOG_DEFINE_EVENT(sample, (u16, number), (i16, millivolts, "mV"))
TLOG_DEFINE_SPAN(convert)
/* USER CODE END PV */

/* USER CODE BEGIN 0 */
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
/* USER CODE END 0 */

int main(void)
{
    HAL_Init();
    SystemClock_Config();
    MX_ADC1_Init();
    MX_USART1_UART_Init();
    /* USER CODE BEGIN 2 */
    tlog_name(TLOG_NAME_TASK, 1, "main");
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
    if (!tlog_irq_trace())
        Error_Handler();
    uint16_t number = 0;
    /* USER CODE END 2 */
    while (1) {
        /* USER CODE BEGIN 3 */
        int16_t millivolts = read_sensor();
        trace_sample(number, millivolts);
        print(number, millivolts);
        number++;
        TRACER_LOGEVENT(FTrace_EVT_context_switch, 0, 0); /* idle */
        HAL_Delay(5);
        TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
        /* USER CODE END 3 */
    }
}
