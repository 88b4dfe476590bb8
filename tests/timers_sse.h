/* timers_sse.h - Arm SSE-300: two of its system timers, which compare with one counter. Two of its ticks are an
 * instruction. */
struct system_timer {
    volatile uint32_t count_low, count_high, unused0[2], frequency, unused1[3], compare_low, compare_high, value, control;
};
#define SYSTEM_TIMER(level)                                                                                            \
    ((struct system_timer *)((level) == 1 ? BOARD_SYSTEM_TIMER1 : BOARD_SYSTEM_TIMER2))

#define IRQ_1 BOARD_SYSTEM_TIMER1_IRQ
#define IRQ_2 BOARD_SYSTEM_TIMER2_IRQ

static void timer_start(int level, uint32_t delay)
{
    SYSTEM_TIMER(level)->value = delay * 2u;
    SYSTEM_TIMER(level)->control = 1;
}

static void timer_stop(int level)
{
    SYSTEM_TIMER(level)->control = 0;
}
