/* irq.h - interrupts at a chosen place, on the host's simulated core and on the target's real one. */
#ifndef LIB_IRQ_H
#define LIB_IRQ_H

#include <stdbool.h>
#include <stdint.h>

/* Let handler run as an interrupt after delay units from now: steps of the simulated core, instructions of the
 * target's. Level 1 interrupts the thread, level 2 also level 1, and on Cortex-M level 3 these. The handler runs
 * once. */
void test_irq_arm(int level, uint32_t delay, void (*handler)(void));

/* Take the interrupt back; true when it had been taken. */
bool test_irq_disarm(int level);

/* Ticks that a call takes, on the target; with QEMU's counted instructions, in proportion to them. */
uint32_t test_irq_time(void (*call)(uint32_t n), uint32_t n);

/* Hold off all interrupts, or not; and whether that is so. */
void test_irq_mask(bool masked);
bool test_irq_is_masked(void);

/* Set the clock of the trace, where that can be done; see lib/clock.h. */
void test_clock_set(uint32_t value);

/* Advance it by one where it does not move by itself. Any context. */
void test_clock_step(void);

/* On the target the tests may be told, by hits.c, to take interrupts up to a level only. */
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

/* Smallest delay worth trying. */
uint32_t test_irq_first(void);

#ifndef TEST_STRIDE
/* Ticks between the delays that are tried. */
#define TEST_STRIDE 1u
#endif

int test_main(void);

#endif
