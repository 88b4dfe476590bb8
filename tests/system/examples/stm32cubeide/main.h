/* main.h - a stand-in for what STM32CubeMX generates, and for the part of ST's HAL that the example calls. */
#ifndef MAIN_H
#define MAIN_H

#include <stdint.h>

typedef enum { HAL_OK } HAL_StatusTypeDef;
typedef struct {
    uint32_t converted;
} ADC_HandleTypeDef;
typedef struct {
    void *Instance;
} UART_HandleTypeDef;
#define HAL_MAX_DELAY 0xFFFFFFFFu

void HAL_Init(void);
void HAL_Delay(uint32_t ms);
HAL_StatusTypeDef HAL_ADC_Start(ADC_HandleTypeDef *adc);
HAL_StatusTypeDef HAL_ADC_PollForConversion(ADC_HandleTypeDef *adc, uint32_t ms);
uint32_t HAL_ADC_GetValue(ADC_HandleTypeDef *adc);
HAL_StatusTypeDef HAL_UART_Transmit(UART_HandleTypeDef *uart, const uint8_t *data, uint16_t size, uint32_t ms);
void SystemClock_Config(void);
void MX_ADC1_Init(void);
void MX_USART1_UART_Init(void);
void Error_Handler(void);

#endif
