/* stack.c - how deep emit() reaches below its caller's stack pointer: paint the stack, call, look what was overwritten.
 *
 * It prints the depth of the first call (which opens the ring), the maximum of 300 calls after a warm-up, and the
 * maxima of those among the 300 that do not and that do start a new lap, without those that format slots. */
#include "emit.h"
#include "tlog.h"

#ifndef BENCH_WARM_UP
#define BENCH_WARM_UP 64
#endif

enum { CALLS = 300, PAINTED_WORDS = 1024 };

static const uint32_t paint = 0x5AFEC0DEu;

/* This function calls nothing but emit(), so that nothing else writes below the stack pointer. */
static __attribute__((noipa)) uint32_t depth_of_call(uint32_t a, uint32_t b)
{
    volatile uint32_t *top;
    __asm volatile("mov %0, sp" : "=r"(top));
    for (int i = 1; i <= PAINTED_WORDS; i++)
        top[-i] = paint;
    emit(a, b);
    int deepest = PAINTED_WORDS;
    while (deepest > 0 && top[-deepest] == paint)
        deepest--;
    return (uint32_t)deepest * 4u;
}

static void raise(uint32_t *worst, uint32_t depth)
{
    if (depth > *worst)
        *worst = depth;
}

static uint32_t lap(void)
{
    return tlog_ring_is_open(&tlog_cpu0) ? tlog_ring_home(&tlog_cpu0)->lap : 0;
}

/* How far the chunks are formatted: a call that formats slots changes it. */
static uint32_t formed(void)
{
#if TLOG_FORMS
    return tlog_cpu0.formed;
#else
    return 0;
#endif
}

int main(void)
{
    uint32_t state = 0x2545F491u, all = 0, same_lap = 0, new_lap = 0;
    for (uint32_t i = 0; i < sizeof emit_text - 1u; i++)
        emit_text[i] = 'x';
    print_number("first", depth_of_call(1, 2));
    for (int i = 1; i < BENCH_WARM_UP; i++)
        emit(next_argument(&state), 0);
    for (int i = 0; i < CALLS; i++) {
        uint32_t before = lap(), formed_before = formed();
        uint32_t a = next_argument(&state);
        uint32_t depth = depth_of_call(a, next_argument(&state));
        raise(&all, depth);
        if (formed() == formed_before)
            raise(lap() != before && before != 0 ? &new_lap : &same_lap, depth);
    }
    print_number("all", all);
    print_number("same_lap", same_lap);
    print_number("new_lap", new_lap);
    return 0;
}
