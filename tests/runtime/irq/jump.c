/* jump.c - handlers that are left by longjmp(), one alone and one inside another, as interpreters' exceptions and the
 * shutdown of a product leave them. Thread code then makes the core leave the exceptions, too.
 *
 * Task 1 and idle take turns. Before each switch the firmware logs user_event_5 (task, ticks that it ran, as it has
 * measured itself); irq.sh compares. user_event_6 (handlers that were open) is the first event behind a jump. */
#include "irq.h"

static uint32_t landing[10];
static volatile uint32_t jumps;

/* Ticks of the trace's clock, which counts down on this board. */
static uint32_t now(void)
{
    return -*(const volatile uint32_t *)TLOG_CLOCK_ADDRESS;
}

static void work(uint32_t turns)
{
    for (volatile uint32_t i = 0; i < turns; i++)
        continue;
}

/* setjmp() and longjmp(), which a C library would have. */
__attribute__((naked, noinline, returns_twice)) static int land(uint32_t *at)
{
    (void)at;
    __asm volatile("mov r12, sp\n\t"
                   "stmia r0, {r4-r12, lr}\n\t"
                   "movs r0, #0\n\t"
                   "bx lr");
}

__attribute__((naked, noinline, noreturn)) static void jump_to(const uint32_t *at)
{
    (void)at;
    __asm volatile("ldmia r0, {r4-r12, lr}\n\t"
                   "mov sp, r12\n\t"
                   "movs r0, #1\n\t"
                   "bx lr");
}

/* Return from the exception in which the core still is, to the caller: a frame of an exception is put on the stack. The
 * state behind it is what psr and exc_return tell. */
__attribute__((naked)) static void leave(uint32_t psr, uint32_t exc_return)
{
    (void)psr, (void)exc_return;
    __asm volatile("mov r12, sp\n\t"
                   "adr r2, 2f\n\t"
                   "push {r0}\n\t" /* xPSR */
                   "push {r2}\n\t" /* where it goes on */
                   "push {r12, lr}\n\t"
                   "push {r0-r3}\n\t"
                   "bx r1\n\t"
                   ".balign 4\n"
                   "2:\n\t"
                   "bx lr");
}

/* Leave all exceptions, the inner one first. */
static void leave_all(void)
{
    while ((ICSR & 0x1FFu) != 0) {       /* the active exception */
        bool is_outer = ICSR & 1u << 11; /* RETTOBASE */
        leave(1u << 24 | (is_outer ? 0 : LOW), is_outer ? 0xFFFFFFF9u : 0xFFFFFFF1u);
    }
}

/* Leave by the landing, from whatever handler runs. */
__attribute__((noreturn)) static void jump(void)
{
    jumps++;
    jump_to(landing);
}

void irq_6_handler(void);
void irq_6_handler(void)
{
    jump();
}

void irq_3_handler(void);
void irq_3_handler(void)
{
    if (jumps % 2u == 0)
        jump();
    pend(HIGH);
}

/* Run the task for a while, and log how long it was. */
static void turn(uint32_t task, uint32_t turns)
{
    uint32_t begin;
    TRACER_LOGEVENT(FTrace_EVT_context_switch, task, 0);
    begin = now();
    work(turns);
    TRACER_LOGEVENT(FTrace_EVT_user_event_5, task, now() - begin);
}

int main(void)
{
    volatile uint32_t round = 0;
    NVIC_PRIORITY(LOW - 16) = 0xC0;
    NVIC_PRIORITY(HIGH - 16) = 0x40;
    NVIC_ENABLE = 1u << (LOW - 16) | 1u << (HIGH - 16);
    tlog_name(TLOG_NAME_TASK, 1, "worker");
    check(tlog_irq_trace(), 2);
    while (round < 6u) {
        turn(1, 3000);
        turn(0, 2000);
        round++;
        if (land(landing) == 0)
            pend(LOW);
        leave_all();
        TRACER_LOGEVENT(FTrace_EVT_user_event_6, jumps, 0);
    }
    check(jumps == 6u, 3);
    return 0;
}
