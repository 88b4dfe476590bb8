/* timers_cmsdk.h - Arm's MPS2 boards: the CMSDK timer for level 1, the dual timer for level 2. */
enum { TIMER_ENABLE = 1 << 0, TIMER_INTERRUPT = 1 << 3 };
enum { DUAL_ONCE = 1 << 0, DUAL_32 = 1 << 1, DUAL_INTERRUPT = 1 << 5, DUAL_ENABLE = 1 << 7 };

struct cmsdk_timer {
    volatile uint32_t ctrl, value, reload, intstatus;
};
struct cmsdk_dual_timer {
    volatile uint32_t load, value, control, clear;
};
/* TICKS ticks of a timer (40 or 50 ns each) last as long as INSTRUCTIONS instructions. */
enum { TICKS = TLOG_CLOCK_HZ == 25000000 ? 8 : 32, INSTRUCTIONS = TLOG_CLOCK_HZ == 25000000 ? 5 : 25 };

#define TIMER ((struct cmsdk_timer *)BOARD_TIMER1_ADDRESS)
#define DUAL  ((struct cmsdk_dual_timer *)BOARD_DUALTIMER)

#define IRQ_1 BOARD_TIMER1_IRQ
#define IRQ_2 BOARD_DUALTIMER_IRQ

static void timer_start(int level, uint32_t delay)
{
    if (level == 1) {
        TIMER->reload = 0xFFFFFFFFu;
        TIMER->value = delay;
        TIMER->ctrl = TIMER_ENABLE | TIMER_INTERRUPT;
    } else {
        DUAL->load = delay;
        DUAL->control = DUAL_ONCE | DUAL_32 | DUAL_INTERRUPT | DUAL_ENABLE;
    }
}

static void timer_stop(int level)
{
    if (level == 1) {
        TIMER->ctrl = 0;
        TIMER->intstatus = 1;
    } else {
        DUAL->control = 0;
        DUAL->clear = 1;
    }
}
