/* hal.c - a stand-in for ST's HAL, on what QEMU has of STM32F405 and of STM32F100: a USART, SysTick, and on the first
 * one TIM5. Where there is no TIM5 SysTick is the clock of the trace: it wraps at 24 bits, and no tick comes of it. */
#include "main.h"

#include "print.h"

#define WORD(address) (*(volatile uint32_t *)(address))
#define SYSTICK       0xE000E010u
#define MS            3000u /* ticks of SysTick by its external clock, HCLK / 8, where it is that of the trace */
#ifdef STM32F405xx
#define USART1 0x40011000u
#else
#define USART1 0x40013800u
#endif

static volatile uint32_t ticks;

static void put(char byte)
{
    WORD(USART1 + 4u) = (uint8_t)byte;
}

void SystemInit(void);
void SystemInit(void)
{
#ifdef STM32F405xx
    WORD(0x40000C28u) = 9;           /* TIM5's PSC: 100 MHz, as QEMU feeds it */
    WORD(0x40000C2Cu) = 0xFFFFFFFFu; /* ARR */
    WORD(0x40000C14u) = 1;           /* EGR: takes both */
    WORD(0x40000C00u) = 1;           /* CR1: counts */
    WORD(SYSTICK + 4u) = 167999u;
    WORD(SYSTICK) = 7;
#else
    WORD(SYSTICK + 4u) = 0xFFFFFFu;
    WORD(SYSTICK) = 1;
#endif
}

void SysTick_Handler(void);
void SysTick_Handler(void)
{
    ticks = ticks + 1u;
}

void HAL_Delay(uint32_t ms)
{
#ifdef STM32F405xx
    uint32_t begin = ticks;
    while (ticks - begin <= ms)
        ;
#else
    uint32_t begin = WORD(SYSTICK + 8u);
    while (((begin - WORD(SYSTICK + 8u)) & 0xFFFFFFu) < ms * MS)
        ;
#endif
}

HAL_StatusTypeDef HAL_ADC_Start(ADC_HandleTypeDef *adc)
{
    adc->converted++;
    return HAL_OK;
}

HAL_StatusTypeDef HAL_ADC_PollForConversion(ADC_HandleTypeDef *adc, uint32_t ms)
{
    (void)adc, (void)ms;
    HAL_Delay(1);
    return HAL_OK;
}

uint32_t HAL_ADC_GetValue(ADC_HandleTypeDef *adc)
{
    return (uint32_t)measured(adc->converted);
}

HAL_StatusTypeDef HAL_UART_Transmit(UART_HandleTypeDef *uart, const uint8_t *data, uint16_t size, uint32_t ms)
{
    (void)uart, (void)ms;
    while (size-- > 0)
        put((char)*data++);
    return HAL_OK;
}

void HAL_Init(void)
{
    WORD(USART1 + 0xCu) = 0x2008u; /* CR1: UE, TE */
}

void SystemClock_Config(void)
{
}

void MX_ADC1_Init(void)
{
}

void MX_USART1_UART_Init(void)
{
}

void Error_Handler(void)
{
    put_line("error", 0, 0);
    for (;;)
        ;
}
