/* timers_generic.h - Arm's generic timer: the physical timer for level 1, the virtual timer for level 2. Four of its
 * ticks last as long as an instruction. */
#define IRQ_1 BOARD_TIMER_IRQ
#define IRQ_2 BOARD_VIRTUAL_TIMER_IRQ

static void timer_start(int level, uint32_t delay)
{
    delay *= 4u;
    if (level == 1)
        __asm volatile("mcr p15, 0, %0, c14, c2, 0\n\tmcr p15, 0, %1, c14, c2, 1" ::"r"(delay), "r"(1));
    else
        __asm volatile("mcr p15, 0, %0, c14, c3, 0\n\tmcr p15, 0, %1, c14, c3, 1" ::"r"(delay), "r"(1));
}

static void timer_stop(int level)
{
    if (level == 1)
        __asm volatile("mcr p15, 0, %0, c14, c2, 1" ::"r"(0));
    else
        __asm volatile("mcr p15, 0, %0, c14, c3, 1" ::"r"(0));
}
