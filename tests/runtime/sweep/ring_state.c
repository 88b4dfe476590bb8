/* ring_state.c - implements ring_state.h. */
#include "ring_state.h"

#include <stddef.h>

#include "lib/logged.h"
#include "lib/passed.h"
#include "preempt.h"
#include "read.h"
#include "run.h"
#include "lib/test.h"
#include "lib/irq.h"
#include "tlog.h"

static uint32_t saved[SWEEP_RING_WORDS], saved_count, saved_clock;
static struct tlog_cpu saved_cpu;
static struct sweep_preempted saved_preempted;

static void copy(uint32_t *to, const uint32_t *from, uint32_t words)
{
    for (; words > 0; words--)
        *to++ = *from++;
}

struct sweep_state sweep_state;
uint32_t sweep_begin_clock = 0x7FFFFE00u;
uint32_t sweep_went_on;

void sweep_keep(void)
{
    saved_preempted = sweep_preempted;
    copy(saved, sweep_ring, SWEEP_RING_WORDS);
    saved_cpu = tlog_cpu0;
    passed_keep();
    saved_count = logged_count;
    saved_clock = sweep_state.clock ? sweep_state.clock : test_clock[0];
}

void sweep_enter(struct sweep_state wanted)
{
    static const struct sweep_work fill = {0, 1};
    sweep_state = wanted;
    test_note("filled", sweep_state.filled + sweep_state.stops * 100u + sweep_state.goes_on * 200u);
    for (uint32_t i = 0; i < SWEEP_RING_WORDS; i++)
        sweep_ring[i] = 0xDEADBEEFu ^ i * 0x9E3779B9u; /* RAM full of noise */
    tlog_cpu0 = (struct tlog_cpu)TLOG_CPU_INIT(tlog_cpu0.ring);
    passed_clear();
    tlog_ring_untold = 0; /* of a pause that found no room for its records */
    logged_count = 0;
    test_clock[0] = sweep_begin_clock;
    if (sweep_state.filled > 0)
        tlog_stop_when_full(sweep_state.stops);
    for (uint32_t i = 0; i < sweep_state.filled; i++)
        sweep_do(fill);
    if (sweep_state.goes_on)
        tlog_stop_when_full(false);
    sweep_preempted.home = NULL;
    sweep_keep();
}

void sweep_enter_preempted(uint32_t filled)
{
    sweep_enter((struct sweep_state){filled, false, false, 0});
    sweep_preempt();
    sweep_do((struct sweep_work){0, TLOG_SLOTS});
    sweep_keep();
}

void sweep_enter_in_switch(uint32_t filled)
{
    sweep_enter((struct sweep_state){filled, false, false, 0});
    sweep_preempt();
    sweep_keep();
}

void sweep_restore(void)
{
    sweep_went_on = 0;
    copy(sweep_ring, saved, SWEEP_RING_WORDS);
    tlog_cpu0 = saved_cpu;
    passed_restore();
    tlog_ring_untold = 0;
    sweep_preempted = saved_preempted;
    logged_count = saved_count;
    test_clock[0] = saved_clock;
    sweep_names_reset(sweep_state.filled > 0);
    if (sweep_state.filled == 0)
        tlog_ring_boot = 0; /* the number of the run has not been decided yet */
}

const struct sweep_memory sweep_own_memory[] = {
    {&sweep_preempted, sizeof(sweep_preempted) / 4u}, {&sweep_went_on, 1}, {NULL, 0}};
