/* mps2.c - included by a board of one's own: the UART and a timer of Arm's MPS2 in QEMU. TIMER 0 stands for CYCCNT. */
#include "board.h"

#include "print.h"

#define WORD(address) (*(volatile uint32_t *)(address))
#define TIMER0        0x40000000u
#define UART0         0x40004000u
#define MS            25000u

static void put(char byte)
{
    while ((WORD(UART0 + 4u) & 1u) != 0)
        ;
    WORD(UART0) = (uint8_t)byte;
}

void SystemInit(void);
void board_wait_ms(uint32_t ms);
void SystemInit(void)
{
    WORD(TIMER0 + 8u) = 0xFFFFFFFFu;
    WORD(TIMER0 + 4u) = 0xFFFFFFFFu;
    WORD(TIMER0) = 1u;
    WORD(UART0 + 16u) = 16u;
    WORD(UART0 + 8u) = 1u;
}

void board_wait_ms(uint32_t ms)
{
    uint32_t begin = WORD(TIMER0 + 4u);
    while (begin - WORD(TIMER0 + 4u) < ms * MS)
        ;
}

static int16_t mps2_measure(void)
{
    static uint32_t n;
    board_wait_ms(2);
    return measured(n++);
}

void board_print(const char *word, uint32_t first, int32_t second)
{
    put_line(word, first, second);
}
