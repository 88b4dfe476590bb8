/* irq.h - periodic interrupts of each CPU: two levels by the generic timer, or one by SysTick. */
#include "board.h"

void smp_low_interrupt(void);
void smp_high_interrupt(void);
uint32_t smp_random(void);

#ifdef BOARD_GIC_DISTRIBUTOR

static void arm_low(void)
{
    uint32_t ticks = 2000u + (smp_random() & 0x3FFFu); /* 30 to 290 us */
    __asm volatile("mcr p15, 0, %0, c14, c2, 0\n\tmcr p15, 0, %1, c14, c2, 1" ::"r"(ticks), "r"(1));
}

static void arm_high(void)
{
    uint32_t ticks = 3000u + (smp_random() & 0x3FFFu);
    __asm volatile("mcr p15, 0, %0, c14, c3, 0\n\tmcr p15, 0, %1, c14, c3, 1" ::"r"(ticks), "r"(1));
}

static void stop_interrupts(void)
{
    __asm volatile("mcr p15, 0, %0, c14, c2, 1\n\tmcr p15, 0, %0, c14, c3, 1\n\tisb" ::"r"(0));
}

static void start_interrupts(void)
{
    volatile uint8_t *priority = (volatile uint8_t *)(BOARD_GIC_DISTRIBUTOR + 0x400u);
    priority[BOARD_TIMER_IRQ] = 0x80;
    priority[BOARD_VIRTUAL_TIMER_IRQ] = 0x40;
    ((volatile uint32_t *)(BOARD_GIC_DISTRIBUTOR + 0x100u))[0] = 1u << BOARD_TIMER_IRQ | 1u << BOARD_VIRTUAL_TIMER_IRQ;
    arm_low();
    arm_high();
}

void irq_30_handler(void);
void irq_30_handler(void)
{
    smp_low_interrupt();
    arm_low();
}

void irq_27_handler(void);
void irq_27_handler(void)
{
    smp_high_interrupt();
    arm_high();
}

#else

#define SYSTICK ((volatile uint32_t *)0xE000E010u)

static void start_interrupts(void)
{
    SYSTICK[1] = 2000u; /* 100 us */
    SYSTICK[2] = 0;
    SYSTICK[0] = 7;
}

static void stop_interrupts(void)
{
    SYSTICK[0] = 0;
    *(volatile uint32_t *)0xE000ED04u = 1u << 25; /* clears a pending SysTick */
    __asm volatile("dsb\n\tisb");
}

void systick_handler(void);
void systick_handler(void)
{
    smp_low_interrupt();
}

#endif
