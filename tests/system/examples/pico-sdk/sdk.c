/* sdk.c - the stand-in's functions, on what QEMU has of the nRF51: UART, TIMER 0, and SysTick as the clock of the
 * trace, because TIMER 0 cannot be read directly. */
#include "hardware/adc.h"
#include "pico/stdlib.h"
#include "print.h"

#define WORD(address) (*(volatile uint32_t *)(address))
#define TIMER0        0x40008000u
#define UART          0x40002000u
#define SYSTICK       0xE000E010u

static void put(char byte)
{
    WORD(UART + 0x11Cu) = 0; /* TXDRDY */
    WORD(UART + 0x51Cu) = (uint8_t)byte;
    while (WORD(UART + 0x11Cu) == 0)
        ;
}

int _write(int file, const char *bytes, int count);
int _write(int file, const char *bytes, int count)
{
    (void)file;
    for (int i = 0; i < count; i++)
        put(bytes[i]);
    return count;
}

void SystemInit(void);
void SystemInit(void)
{
    WORD(TIMER0 + 0x508u) = 3u; /* 32 bits */
    WORD(TIMER0 + 0x510u) = 4u; /* 1 MHz */
    WORD(TIMER0) = 1u;
    WORD(SYSTICK + 4u) = 0xFFFFFFu;
    WORD(SYSTICK) = 5u;
    WORD(UART + 0x500u) = 4u;
    WORD(UART + 8u) = 1u; /* STARTTX */
}

static uint32_t now(void)
{
    WORD(TIMER0 + 0x44u) = 1u; /* captures into CC[1] */
    return WORD(TIMER0 + 0x544u);
}

void stdio_init_all(void)
{
    (void)put_line;
}

void sleep_ms(uint32_t ms)
{
    uint32_t begin = now();
    while (now() - begin < ms * 1000u)
        ;
}

void adc_init(void)
{
}

void adc_gpio_init(unsigned gpio)
{
    (void)gpio;
}

void adc_select_input(unsigned input)
{
    (void)input;
}

uint16_t adc_read(void)
{
    static uint32_t n;
    return (uint16_t)(measured(n++) + 500);
}
