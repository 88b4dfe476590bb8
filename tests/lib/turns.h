/* turns.h - contexts of a test on the host that take turns: each runs for a given number of steps and then yields.
 *
 * One test file may include it, after defining _XOPEN_SOURCE as 700, and TEST_TURNS as their number if it is not 2. */
#ifndef LIB_TURNS_H
#define LIB_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#ifndef TEST_TURNS
#define TEST_TURNS 2
#endif
enum { TURNS = TEST_TURNS, TURN_STACK = 65536, FOREVER = 1000000 };

static struct turn {
    ucontext_t context;
    uint32_t left; /* steps until it yields */
    bool has_begun, has_ended;
} turns[TURNS];
static struct turn *running; /* NULL outside of turn_run(): then turn_step() does not yield */
static ucontext_t turn_scheduler;
static _Alignas(16) char turn_stacks[TURNS][TURN_STACK];

/* The running context makes one step; it yields if it has no steps left. */
static void turn_step(void)
{
    if (running != NULL && running->left-- == 0)
        swapcontext(&running->context, &turn_scheduler);
}

/* Prepare context `number` to run what(number), which must set has_ended when it ends. */
static void turn_begin(uint32_t number, void (*what)(int number))
{
    struct turn *turn = &turns[number];
    *turn = (struct turn){0};
    getcontext(&turn->context);
    turn->context.uc_stack.ss_sp = turn_stacks[number];
    turn->context.uc_stack.ss_size = TURN_STACK;
    turn->context.uc_link = &turn_scheduler;
    makecontext(&turn->context, (void (*)(void))what, 1, (int)number);
}

/* Let the context make `count` steps. */
static void turn_run(uint32_t number, uint32_t count)
{
    if (count == 0 || turns[number].has_ended)
        return;
    running = &turns[number];
    running->left = count - (running->has_begun ? 1u : 0u);
    running->has_begun = true;
    swapcontext(&turn_scheduler, &running->context);
    running = NULL;
}

#endif
