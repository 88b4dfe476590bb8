/* turns_m.h - the threads of threads.h on a Cortex-M in QEMU: real ones, each with a stack of its own, which a timer's
 * interrupt stops at any instruction. A step is an instruction here.
 *
 * The test, too, is a context on the process stack, and PendSV, which has the lowest priority, switches. */
#ifndef LIB_TURNS_M_H
#define LIB_TURNS_M_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/irq.h"

#ifndef TEST_TURNS
#define TEST_TURNS 2
#endif
enum { TURNS = TEST_TURNS, TURN_WORDS = 256, FOREVER = 1000000 };

/* Words of a context that does not run, from its stack pointer on: r4 to r11, and the frame that the core pushes. */
enum { SAVED_ARGUMENT = 8, SAVED_PC = 14, SAVED_XPSR, SAVED_WORDS };

struct turn {
    uint32_t *sp;
    void (*what)(int number);
    bool has_ended;
};

static struct turn turns[TURNS], turn_test;
static struct turn *turn_now = &turn_test, *volatile turn_next;
static _Alignas(8) uint32_t turn_stacks[TURNS][TURN_WORDS], turn_handler_stack[TURN_WORDS];
static uint32_t turn_delay; /* of an interrupt that stops a thread before its first instruction */

#define TURN_ICSR       (*(volatile uint32_t *)0xE000ED04u)
#define TURN_PRIORITIES (*(volatile uint32_t *)0xE000ED20u) /* PendSV's is in 23..16 */

/* Called in PendSV with the stack pointer of the context that is left. Returns that of the next one. */
uint32_t *turn_swap(uint32_t *sp);
uint32_t *turn_swap(uint32_t *sp)
{
    turn_now->sp = sp;
    turn_now = turn_next;
    return turn_now->sp;
}

__attribute__((naked)) void pendsv_handler(void);
__attribute__((naked)) void pendsv_handler(void)
{
    __asm volatile(
        ".syntax unified\n\tmrs r0, psp\n\tsubs r0, #32\n\tstmia r0!, {r4-r7}\n\tmov r4, r8\n\tmov r5, r9\n\t"
        "mov r6, r10\n\tmov r7, r11\n\tstmia r0!, {r4-r7}\n\tsubs r0, #32\n\tpush {r3, lr}\n\t"
        "bl turn_swap\n\tadds r0, #16\n\tldmia r0!, {r4-r7}\n\tmov r8, r4\n\tmov r9, r5\n\tmov r10, r6\n\t"
        "mov r11, r7\n\tmsr psp, r0\n\tsubs r0, #32\n\tldmia r0!, {r4-r7}\n\tpop {r3, pc}");
}

static void turn_pend(void)
{
    TURN_ICSR = 1u << 28;
    __asm volatile("dsb\n\tisb" ::: "memory");
}

/* The interrupt that stops a thread. If it comes ahead of the switch to the thread, there is no switch. */
static void turn_stop(void)
{
    turn_next = &turn_test;
    turn_pend();
}

static void turn_enter(int number)
{
    turns[number].what(number);
    for (;;)
        turn_stop();
}

/* Prepare thread `number` to run what(number), which must set has_ended when it ends. */
static void turn_begin(uint32_t number, void (*what)(int number))
{
    uint32_t *sp = turn_stacks[number] + TURN_WORDS - SAVED_WORDS;
    sp[SAVED_ARGUMENT] = number;
    sp[SAVED_PC] = (uint32_t)(uintptr_t)turn_enter & ~1u;
    sp[SAVED_XPSR] = 1u << 24;
    turns[number] = (struct turn){sp, what, false};
}

/* Let a thread make `count` steps, or FOREVER. */
static void run(uint32_t number, uint32_t count)
{
    if (count == 0 || turns[number].has_ended)
        return;
    turn_next = &turns[number];
    if (count != FOREVER)
        test_irq_arm(1, turn_delay + count, turn_stop);
    turn_pend();
    test_irq_disarm(1);
}

/* Defined by the test: keep the memory that a thread changes, or restore it. */
static void test_keep(bool restore);

/* Let a thread make so many steps from its beginning, and tell whether something is so then. */
static bool is_so_after(uint32_t steps, uint32_t number, void (*what)(int number), bool (*is_so)(void))
{
    test_keep(true);
    turn_begin(number, what);
    run(number, steps);
    return is_so();
}

/* Begin a thread, and stop it when something is so, or when it has ended. If it were interrupted at each step it would
 * never make a store-exclusive. So it begins again and again, each time for one step more; the steps of the call before
 * are tried first. */
static void run_until(uint32_t number, void (*what)(int number), bool (*is_so)(void))
{
    static uint32_t steps;
    test_keep(false);
    if (steps == 0 || is_so_after(steps - 1u, number, what, is_so))
        steps = 0;
    while (!is_so_after(steps, number, what, is_so) && !turns[number].has_ended)
        steps++;
}

static void turn_nothing(int number)
{
    turns[number].has_ended = true;
}

/* Find the delay: with that plus one, a thread makes its first step. */
static void turn_calibrate(void)
{
    turn_delay = test_irq_first();
    do {
        turn_delay++;
        turn_begin(0, turn_nothing);
        run(0, 1);
    } while (turns[0].sp[SAVED_PC] == ((uint32_t)(uintptr_t)turn_enter & ~1u));
}

/* Call it before all else. */
static void threads_start(void)
{
    TURN_PRIORITIES |= 0xFFu << 16;
    __asm volatile("mrs r0, msp\n\tmsr psp, r0\n\tmsr msp, %0\n\tmovs r0, #2\n\tmsr control, r0\n\tisb"
                   :
                   : "r"(turn_handler_stack + TURN_WORDS - 8)
                   : "r0", "memory");
    turn_calibrate();
}

#endif
