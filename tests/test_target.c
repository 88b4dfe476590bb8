/* test_target.c - tests on mps2 boards in QEMU: console by semihosting, interrupts by two timers.
 *
 * Run with -icount shift=6: an instruction is 64 ns, 1.6 ticks of the 25 MHz timer, so a delay that grows tick by tick
 * brings an interrupt in front of every instruction. Timer values below 4 can vanish in QEMU, so delays start at 4. */
#include "board.h"
#include "out_semihost.h"
#include "test.h"
#include "test_irq.h"

#define NVIC_ENABLE   ((volatile uint32_t *)0xE000E100u)
#define NVIC_UNPEND   ((volatile uint32_t *)0xE000E280u)
#define NVIC_PRIORITY ((volatile uint8_t *)0xE000E400u)

struct dual_timer {
    volatile uint32_t load, value, control, clear;
};
#define DUAL ((struct dual_timer *)BOARD_DUALTIMER)
enum { DUAL_ONCE = 1 << 0, DUAL_32 = 1 << 1, DUAL_INTERRUPT = 1 << 5, DUAL_ENABLE = 1 << 7 };
enum { TIMER_ENABLE = 1 << 0, TIMER_INTERRUPT = 1 << 3 };

static void (*volatile handlers[3])(void);
static volatile bool taken[3];

static void take(int level)
{
    void (*handler)(void) = handlers[level];
    handlers[level] = 0;
    taken[level] = true;
    if (handler)
        handler();
}

void irq_9_handler(void);
void irq_9_handler(void)
{
    BOARD_TIMER1->ctrl = 0;
    BOARD_TIMER1->intstatus = 1;
    take(1);
}

void irq_10_handler(void);
void irq_10_handler(void)
{
    DUAL->control = 0;
    DUAL->clear = 1;
    take(2);
}

void test_irq_arm(int level, uint32_t delay, void (*handler)(void))
{
    handlers[level] = handler;
    taken[level] = false;
    if (level == 1) {
        BOARD_TIMER1->reload = 0xFFFFFFFFu;
        BOARD_TIMER1->value = delay;
        BOARD_TIMER1->ctrl = TIMER_ENABLE | TIMER_INTERRUPT;
    } else {
        DUAL->load = delay;
        DUAL->control = DUAL_ONCE | DUAL_32 | DUAL_INTERRUPT | DUAL_ENABLE;
    }
}

bool test_irq_disarm(int level)
{
    if (level == 1) {
        BOARD_TIMER1->ctrl = 0;
        BOARD_TIMER1->intstatus = 1;
        NVIC_UNPEND[0] = 1u << BOARD_TIMER1_IRQ;
    } else {
        DUAL->control = 0;
        DUAL->clear = 1;
        NVIC_UNPEND[0] = 1u << BOARD_DUALTIMER_IRQ;
    }
    bool was_taken = taken[level];
    handlers[level] = 0;
    return was_taken;
}

void test_clock_set(uint32_t value)
{
    BOARD_TIMER0->value = ~value;
}

uint32_t test_irq_first(void)
{
    return 4;
}

void test_print(const char *text)
{
    semihost_print(text);
}

int main(void)
{
    NVIC_PRIORITY[BOARD_TIMER1_IRQ] = 0x80;
    NVIC_PRIORITY[BOARD_DUALTIMER_IRQ] = 0x40;
    NVIC_ENABLE[0] = 1u << BOARD_TIMER1_IRQ | 1u << BOARD_DUALTIMER_IRQ;
    return test_main();
}
