/* target.c - tests on boards in QEMU: console by semihosting, interrupts by two of the board's timers and by SysTick.
 *
 * QEMU runs with -icount shift=6, so an instruction takes 64 ns, which is at least one tick of every board's timers. So
 * a delay that grows one by one brings an interrupt in front of every instruction. Timer values below 4 can be lost in
 * QEMU, so delays start at 4. */
#include "board.h"
#include "out_semihost.h"
#include "test.h"
#include "irq.h"
#include "tlog.h"

#include <stddef.h>

#if defined(BOARD_DUALTIMER)
#include "timers_cmsdk.h"
#elif defined(BOARD_SYSTEM_TIMER1)
#include "timers_sse.h"
#elif defined(BOARD_GPTM1)
#include "timers_gptm.h"
#elif defined(BOARD_NRF1)
#include "timers_nrf51.h"
#elif defined(BOARD_VIRTUAL_TIMER_IRQ)
#include "timers_generic.h"
#else
#error "target.c: no timers for this board"
#endif

#ifdef BOARD_GIC_DISTRIBUTOR
#define ENABLE(irq)   ((volatile uint32_t *)(BOARD_GIC_DISTRIBUTOR + 0x100u))[0] = 1u << (irq)
#define UNPEND(irq)   ((volatile uint32_t *)(BOARD_GIC_DISTRIBUTOR + 0x280u))[0] = 1u << (irq)
#define PRIORITY(irq) ((volatile uint32_t *)(BOARD_GIC_DISTRIBUTOR + 0x400u))[(irq) / 4u]
#else
#define ENABLE(irq)   *(volatile uint32_t *)0xE000E100u = 1u << (irq)
#define UNPEND(irq)   *(volatile uint32_t *)0xE000E280u = 1u << (irq)
#define PRIORITY(irq) ((volatile uint32_t *)0xE000E400u)[(irq) / 4u]
#endif

/* TICKS ticks of the timer last as long as INSTRUCTIONS instructions. Boards whose timers_*.h does not define the ratio
 * get 1 : 1. */
#ifndef BOARD_DUALTIMER
enum { TICKS = 1, INSTRUCTIONS = 1 };
#endif
enum { TICKS_LEAST = 4 };

/* The sweeps use SysTick, the Cortex-M core's own timer, for a third level. */
#ifdef TEST_HITS
enum { LEVELS = 3 };
#define SYSTICK          ((volatile uint32_t *)0xE000E010u) /* control, reload, value */
#define SYSTICK_PRIORITY (*(volatile uint32_t *)0xE000ED20u)
#define PEND             (*(volatile uint32_t *)0xE000ED04u)
enum { SYSTICK_RUN = 7, SYSTICK_COUNT = 5, SYSTICK_UNPEND = 1 << 25, SYSTICK_MAX = 0xFFFFFF };
#else
enum { LEVELS = 2 };
#endif

/* Arm's boards have a watchdog. If 2^23 of its ticks pass without an interrupt being armed or the clock being set, the
 * test is in an endless loop, and the watchdog's NMI ends it. */
#ifdef TEST_WATCHDOG
#define WATCHDOG ((volatile uint32_t *)0x40008000u) /* load, value, control, clear: writing it reloads the counter */
static void watchdog_start(void)
{
    WATCHDOG[0] = 1u << 23;
    WATCHDOG[2] = 1;
}

static void watchdog_feed(void)
{
    WATCHDOG[3] = 1;
}
#else
static void watchdog_start(void)
{
}

static void watchdog_feed(void)
{
}
#endif

static void (*volatile handlers[LEVELS + 1])(void);
static volatile bool taken[LEVELS + 1];

/* Executes `count` instructions that do nothing, 24 at most. */
static inline __attribute__((always_inline)) void do_nothing(uint32_t count)
{
    uint32_t bytes = (24u - count) * 2u;
    __asm volatile("add pc, %0\n\tnop\n\t.rept 24\n\tnop\n\t.endr" : : "r"(bytes) : "cc");
}

static void start_timer(int level, uint32_t delay)
{
#ifdef TEST_HITS
    if (level == 3) {
        SYSTICK[1] = delay;
        SYSTICK[2] = 0;
        SYSTICK[0] = SYSTICK_RUN;
        return;
    }
#endif
    timer_start(level, delay);
}

/* A delay is a number of instructions. The timer can only be set to whole multiples of INSTRUCTIONS; it is set to one
 * that is longer, and the instructions it is too long by are spent here. */
static void start(int level, uint32_t delay)
{
    uint32_t ticks = delay / INSTRUCTIONS * TICKS + (INSTRUCTIONS > 1 ? TICKS_LEAST : 0);
    uint32_t before = INSTRUCTIONS - 1u - delay % INSTRUCTIONS;
    start_timer(level, ticks);
    if (INSTRUCTIONS > 1)
        do_nothing(before);
}

static void stop(int level)
{
#ifdef TEST_HITS
    if (level == 3) {
        SYSTICK[0] = 0;
        PEND = SYSTICK_UNPEND;
        return;
    }
#endif
    timer_stop(level);
}

#ifdef TEST_HITS
uint32_t test_irq_time(void (*call)(uint32_t n), uint32_t n)
{
    SYSTICK[1] = SYSTICK_MAX;
    SYSTICK[2] = 0;
    SYSTICK[0] = SYSTICK_COUNT;
    uint32_t begin = SYSTICK[2];
    call(n);
    uint32_t end = SYSTICK[2];
    SYSTICK[0] = 0;
    return (begin - end) & SYSTICK_MAX;
}
#endif

void test_irq_take(uint32_t level, uint32_t pc);
void test_irq_take(uint32_t level, uint32_t pc)
{
    void (*handler)(void) = handlers[level];
    stop((int)level);
    handlers[level] = NULL;
    taken[level] = true;
    test_hit((int)level, pc);
    if (handler != NULL)
        handler();
}

#define HANDLER_NAME(irq) irq_##irq##_handler
#define HANDLER(irq)      HANDLER_NAME(irq)

#if __ARM_ARCH_PROFILE == 'M'
/* The interrupted address is the seventh word of the frame that the core has pushed. test_irq_leave_* labels the
 * instruction that returns from the exception; tests/strength/reach.c looks for it. */
#define ENTRY(name, level)                                                                                             \
    __attribute__((naked)) void name(void);                                                                            \
    __attribute__((naked)) void name(void)                                                                             \
    {                                                                                                                  \
        __asm volatile(".syntax unified\n\tldr r1, [sp, #24]\n\tpush {r3, lr}\n\tmovs r0, #" #level                    \
                       "\n\tbl test_irq_take\n\t.global test_irq_leave_" #level "\ntest_irq_leave_" #level             \
                       ":\n\tpop {r3, pc}");                                                                           \
    }
ENTRY(HANDLER(IRQ_1), 1)
ENTRY(HANDLER(IRQ_2), 2)
#ifdef TEST_HITS
ENTRY(systick_handler, 3)
#endif
#else
void HANDLER(IRQ_1)(void);
void HANDLER(IRQ_1)(void)
{
    test_irq_take(1, 0);
}

void HANDLER(IRQ_2)(void);
void HANDLER(IRQ_2)(void)
{
    test_irq_take(2, 0);
}
#endif

/* Marks, for tests/strength/reach.c, that the running context can be interrupted from here on. */
__attribute__((noinline)) void test_irq_armed(void)
{
    __asm volatile("");
}

void test_irq_arm(int level, uint32_t delay, void (*handler)(void))
{
    if (level == 1)
        watchdog_feed();
    handlers[level] = handler;
    taken[level] = false;
    if (level <= test_irq_levels())
        start(level, delay);
    test_irq_armed();
}

/* An interrupt that was taken has already stopped its timer, and is not stopped again: device writes take most of a
 * schedule's time. */
__attribute__((noinline)) bool test_irq_disarm(int level)
{
    if (!taken[level])
        stop(level);
    if (!taken[level] && level < 3)
        UNPEND(level == 1 ? IRQ_1 : IRQ_2);
    handlers[level] = NULL;
    return taken[level];
}

void test_irq_mask(bool masked)
{
    if (masked)
        __asm volatile("cpsid i" ::: "memory");
    else
        __asm volatile("cpsie i" ::: "memory");
}

bool test_irq_is_masked(void)
{
    uint32_t mask;
#if __ARM_ARCH_PROFILE == 'M'
    __asm volatile("mrs %0, primask" : "=r"(mask));
#else
    __asm volatile("mrs %0, cpsr\n\tubfx %0, %0, #7, #1" : "=r"(mask));
#endif
    return mask != 0;
}

#ifdef TEST_CLOCK
volatile uint32_t test_clock[1];
#endif

#ifdef TLOG_CLOCK_ADDRESS
void test_clock_set(uint32_t value)
{
    watchdog_feed();
    *(volatile uint32_t *)TLOG_CLOCK_ADDRESS = tlog_port_count(value);
}
#else
void test_clock_set(uint32_t value)
{
    (void)value;
}
#endif

void test_clock_step(void)
{
#ifdef TEST_CLOCK
    uint32_t *clock = (uint32_t *)(uintptr_t)test_clock, now;
    do
        now = tlog_port_load_exclusive(clock);
    while (tlog_port_store_exclusive(now + 1u, clock));
#endif
}

uint32_t test_irq_first(void)
{
    return INSTRUCTIONS > 1 ? INSTRUCTIONS - 1 : TICKS_LEAST;
}

void test_print(const char *text)
{
    semihost_print(text);
}

static void enable(uint32_t irq, uint32_t priority)
{
    PRIORITY(irq) = (PRIORITY(irq) & ~(0xFFu << irq % 4u * 8u)) | priority << irq % 4u * 8u;
    ENABLE(irq);
}

int main(void)
{
    watchdog_start();
    enable(IRQ_1, 0x80);
    enable(IRQ_2, 0x40);
#ifdef TEST_HITS
    SYSTICK_PRIORITY = 0;
#endif
    return test_main();
}
