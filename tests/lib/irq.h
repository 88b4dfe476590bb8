/* irq.h - interrupts at a chosen place, on the host's simulated core and on the target. */
#ifndef LIB_IRQ_H
#define LIB_IRQ_H

#include <stdbool.h>
#include <stdint.h>

/* Let handler run once as an interrupt, delay units from now: steps of the simulated core, or instructions of the
 * target. Level 1 interrupts the thread; level 2 interrupts the thread and level 1; level 3 exists on Cortex-M only and
 * interrupts all of them. */
void test_irq_arm(int level, uint32_t delay, void (*handler)(void));

/* Disarm the interrupt. True if it has been taken. */
bool test_irq_disarm(int level);

/* Ticks that call(n) takes, on the target. Under QEMU's counted instructions (-icount) they are proportional to its
 * instructions. */
uint32_t test_irq_time(void (*call)(uint32_t n), uint32_t n);

/* Mask or unmask all interrupts; whether they are masked. */
void test_irq_mask(bool masked);
bool test_irq_is_masked(void);

/* Set the clock of the trace, on targets whose clock can be set; see lib/clock.h. */
void test_clock_set(uint32_t value);

/* Advance the clock by one if it does not move by itself. Any context may call this. */
void test_clock_step(void);

/* In a sweep on the target, hits.c is told up to which level interrupts are taken, and records where they came. */
#ifdef TEST_HITS
int test_irq_levels(void);
void test_hit(int level, uint32_t pc);
#else
static inline int test_irq_levels(void)
{
    return 3;
}
static inline void test_hit(int level, uint32_t pc)
{
    (void)level, (void)pc;
}
#endif
void test_irq_armed(void);

/* The smallest delay with which an interrupt is reliable. */
uint32_t test_irq_first(void);

#ifndef TEST_STRIDE
/* The step from one delay that is tried to the next, in units of test_irq_arm(). */
#define TEST_STRIDE 1u
#endif

int test_main(void);

#endif
