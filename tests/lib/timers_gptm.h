/* timers_gptm.h - TI LM3S: two general-purpose timers, 32 bits, one shot. */
struct gptm {
    volatile uint32_t config, mode_a, mode_b, control, unused0[2], mask, raw, masked, clear, load;
};
#define GPTM(level) ((struct gptm *)((level) == 1 ? BOARD_GPTM1 : BOARD_GPTM2))

#define IRQ_1 BOARD_GPTM1_IRQ
#define IRQ_2 BOARD_GPTM2_IRQ

static void timer_start(int level, uint32_t delay)
{
    GPTM(level)->config = 0;
    GPTM(level)->mode_a = 1;
    GPTM(level)->load = delay;
    GPTM(level)->mask = 1;
    GPTM(level)->control = 1;
}

static void timer_stop(int level)
{
    GPTM(level)->control = 0;
    GPTM(level)->clear = 1;
}
