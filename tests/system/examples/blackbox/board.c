/* board.c - what a black box needs of Arm's MPS2 besides: CMSDK's watchdog, a second UART, and a sensor that has two
 * faults. The number of the run is kept where no start-up code writes, behind what the linker script knows. */
#include "mps2.c"

#define WATCHDOG        0x40008000u
#define UART1           0x40005000u
#define RUN             WORD(0x203FFFF0u)
#define WATCHDOG_UNLOCK 0x1ACCE551u

void board_init(void)
{
    WORD(UART1 + 16u) = 16u;
    WORD(UART1 + 8u) = 1u;
    RUN = RUN + 1u;
    board_print("run", RUN, 0);
}

void board_watchdog_start(uint32_t ms)
{
    WORD(WATCHDOG + 0xC00u) = WATCHDOG_UNLOCK;
    WORD(WATCHDOG) = ms * 25000u;
    WORD(WATCHDOG + 8u) = 3u; /* counts, warns, resets */
}

void board_watchdog_feed(void)
{
    WORD(WATCHDOG + 0xCu) = 1u;
}

void board_send(const void *bytes, uint32_t length)
{
    for (const uint8_t *at = bytes; length-- > 0; at++) {
        while ((WORD(UART1 + 4u) & 1u) != 0)
            ;
        WORD(UART1) = *at;
    }
}

__attribute__((noinline)) static void hang(void)
{
    for (volatile uint32_t spins = 0;; spins = spins + 1u)
        ;
}

__attribute__((noinline)) static uint32_t read_lost_sensor(void)
{
    return WORD(0x60000004u);
}

int16_t board_measure(void)
{
    static uint32_t measured_here;
    measured_here++;
    if (RUN == 1u && measured_here == 41u)
        return (int16_t)read_lost_sensor();
    if (RUN == 2u && measured_here == 31u)
        hang();
    return mps2_measure();
}
