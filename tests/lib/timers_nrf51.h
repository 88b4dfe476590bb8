/* timers_nrf51.h - Nordic nRF51: TIMER1 and TIMER2 with 16 bits, stopped by their compare event. */
#define NRF(level)         ((uintptr_t)((level) == 1 ? BOARD_NRF1 : BOARD_NRF2))
#define NRF_REG(level, at) (*(volatile uint32_t *)(NRF(level) + (at)))

enum { TASKS_START = 0x000, TASKS_STOP = 0x004, TASKS_CLEAR = 0x00C, EVENTS_COMPARE = 0x140, SHORTS = 0x200 };
enum { INTENSET = 0x304, CC = 0x540, COMPARE0_STOP = 1 << 8, COMPARE0_INTERRUPT = 1 << 16 };

#define IRQ_1 BOARD_NRF1_IRQ
#define IRQ_2 BOARD_NRF2_IRQ

static void timer_start(int level, uint32_t delay)
{
    static bool is_set_up[3];
    if (!is_set_up[level]) {
        NRF_REG(level, SHORTS) = COMPARE0_STOP;
        NRF_REG(level, INTENSET) = COMPARE0_INTERRUPT;
        is_set_up[level] = true;
    }
    NRF_REG(level, TASKS_CLEAR) = 1;
    NRF_REG(level, CC) = delay;
    NRF_REG(level, TASKS_START) = 1;
}

static void timer_stop(int level)
{
    NRF_REG(level, TASKS_STOP) = 1;
    NRF_REG(level, EVENTS_COMPARE) = 0;
}
