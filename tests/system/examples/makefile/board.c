/* board.c - a board of one's own: USART1 and TIM5 of an STM32F405 in QEMU, which has neither an ADC with a sensor nor
 * DWT CYCCNT. */
#include "board.h"

#include "print.h"

#define WORD(address) (*(volatile uint32_t *)(address))
#define USART1_DR     WORD(0x40011004u)
#define TIM5          0x40000C00u

static void put(char byte)
{
    USART1_DR = (uint8_t)byte;
}

void SystemInit(void);
void SystemInit(void)
{
    WORD(TIM5 + 0x28u) = 9;           /* PSC: 100 MHz, as QEMU feeds it */
    WORD(TIM5 + 0x2Cu) = 0xFFFFFFFFu; /* ARR */
    WORD(TIM5 + 0x14u) = 1;           /* EGR: takes both */
    WORD(TIM5) = 1;                   /* CR1: counts */
}

void board_init(void)
{
    WORD(0x4001100Cu) = 0x2008u; /* USART1's CR1: UE, TE */
}

int16_t board_measure(void)
{
    static uint32_t n;
    board_wait_ms(5);
    return measured(n++);
}

void board_wait_ms(uint32_t ms)
{
    uint32_t begin = WORD(TIM5 + 0x24u);
    while (WORD(TIM5 + 0x24u) - begin < ms * 100000u)
        ;
}

void board_print(const char *word, uint32_t first, int32_t second)
{
    put_line(word, first, second);
}
