/* host.c - tests on the host: the console, and the interrupts of port_posix's simulated core. */
#include <stdio.h>

#include "test.h"
#include "irq.h"
#include "tlog.h"

#if TLOG_ARENA
/* On the target, the linker script defines the arena. */
__asm(".pushsection .bss\n.balign 16\n.globl __tlog_arena_start, __tlog_arena_end\n"
      "__tlog_arena_start: .space 73728\n__tlog_arena_end:\n.popsection");
#endif

static struct line {
    uint32_t left; /* steps until the interrupt comes, 0 = not armed */
    void (*handler)(void);
    bool taken;
} lines[3];
static int running; /* level of the handler that runs, 0 = thread */

static void step(void)
{
    for (int level = 2; level > running; level--) {
        struct line *line = &lines[level];
        if (line->left == 0 || --line->left != 0)
            continue;
        int interrupted = running;
        running = level;
        line->taken = true;
        tlog_posix_watching = false;
        line->handler();
        tlog_posix_forgotten += tlog_posix_watching;
        tlog_posix_watching = false;
        running = interrupted;
    }
}

void test_irq_arm(int level, uint32_t delay, void (*handler)(void))
{
    lines[level] = (struct line){delay, handler, false};
    tlog_posix_interrupt = step;
}

bool test_irq_disarm(int level)
{
    lines[level].left = 0;
    return lines[level].taken;
}

static bool is_masked;

void test_irq_mask(bool masked)
{
    is_masked = masked;
}

bool test_irq_is_masked(void)
{
    return is_masked;
}

void test_clock_set(uint32_t value)
{
    tlog_posix_clock = value;
}

void test_clock_step(void)
{
}

uint32_t test_irq_first(void)
{
    return 1;
}

int main(void)
{
    int result = test_main();
    printf("%u watches forgotten\n", (unsigned)tlog_posix_forgotten);
    return result || tlog_posix_forgotten;
}
