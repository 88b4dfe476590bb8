/* timers_sse.h - Arm SSE-300: two of its system timers, which compare with one counter.
 *
 * A tick is 31.25 ns. QEMU rounds the time of a comparison down to nanoseconds, then finds that the counter has not
 * reached the value yet, and tries again forever. So the comparison is only ever set to multiples of four ticks after
 * the counter was set. Four ticks last as long as two instructions; a NOP reaches the odd instructions. */
struct system_timer {
    volatile uint32_t count_low, count_high, unused0[2], frequency, unused1[3], compare_low, compare_high, value,
        control;
};
#define SYSTEM_TIMER(level) ((struct system_timer *)((level) == 1 ? BOARD_SYSTEM_TIMER1 : BOARD_SYSTEM_TIMER2))
#define SYSTEM_COUNTER_LOW  (*(volatile uint32_t *)(BOARD_SYSTEM_COUNTER + 0x8u))

#define IRQ_1 BOARD_SYSTEM_TIMER1_IRQ
#define IRQ_2 BOARD_SYSTEM_TIMER2_IRQ

static void timer_start(int level, uint32_t delay)
{
    SYSTEM_COUNTER_LOW = 0;
    SYSTEM_TIMER(level)->compare_high = 0;
    SYSTEM_TIMER(level)->compare_low = (delay + 1u) / 2u * 4u;
    SYSTEM_TIMER(level)->control = 1;
    if (delay % 2u)
        __asm volatile("nop");
}

static void timer_stop(int level)
{
    SYSTEM_TIMER(level)->control = 0;
}
