/* sweep_run.c - see sweep_run.h. */
#include "sweep_run.h"

#include "hits.h"
#include "logged.h"
#include "test.h"
#include "test_irq.h"

#include <stddef.h>

/* ---- what is done -------------------------------------------------------------------------------------------------- */

int sweep_depth;
struct sweep_work sweep_works[4];
static uint32_t delays[4]; /* of the interrupt of each level */
static bool has_come[4];
static void (*const handlers[4])(void);

/* A call, from which on an interrupt of one level may come, or with which that ends; 0: of none. What the test does before and
 * after it is not swept. */
static void make_call(const struct sweep_call *call, int arm, int disarm)
{
    const bool logs = (call->is & SWEEP_LOGS) != 0;
    uint32_t n = logs ? logged_begin(call->slots) : logged_count;
    if (logs && n >= LOGGED_MAX)
        return;
    if (arm)
        test_irq_arm(arm, delays[arm], handlers[arm]);
    call->call(n);
    if (disarm)
        has_come[disarm] = test_irq_disarm(disarm);
    if (logs)
        logged_end(n);
}

static bool takes_slots(uint32_t call)
{
    return (sweep_calls[call].is & SWEEP_LOGS) != 0 && sweep_calls[call].slots > 0;
}

void (*sweep_own)(void);

/* Make the calls, while an interrupt of a level may come, unless that is 0. */
static void work_interrupted(struct sweep_work work, int level)
{
    uint32_t call = work.call == SWEEP_MIXED ? 0 : work.call;
    if (work.call == SWEEP_OWN) {
        sweep_own();
        return;
    }
    for (uint32_t i = 0; i < work.count; i++) {
        while (work.call == SWEEP_MIXED && !takes_slots(call))
            call = (call + 1u) % sweep_call_count;
        make_call(&sweep_calls[call], i == 0 ? level : 0, i + 1u == work.count ? level : 0);
        if (work.call == SWEEP_MIXED)
            call = (call + 1u) % sweep_call_count;
    }
}

void sweep_do(struct sweep_work work)
{
    work_interrupted(work, 0);
}

bool sweep_is(struct sweep_work work, uint32_t is)
{
    return work.count == 0 || (work.call < sweep_call_count && (sweep_calls[work.call].is & is) == is);
}

bool sweep_mutes(void)
{
    bool any = false, filters = false;
    for (int level = 0; level <= sweep_depth; level++) {
        uint32_t call = sweep_works[level].call, is = call < sweep_call_count ? sweep_calls[call].is : 0;
        any |= (is & SWEEP_MUTES) != 0 || (filters && (is & SWEEP_FILTERS) != 0);
        filters |= (is & SWEEP_FILTERS) != 0;
    }
    return any;
}

/* ---- schedules ----------------------------------------------------------------------------------------------------- */

/* Whether the interrupts inside that of a level are at their first delay. Until they are again, it comes at the same place,
 * and finds the same. */
static bool is_new(int level)
{
    while (++level <= sweep_depth)
        if (delays[level] != test_irq_first())
            return false;
    return true;
}

static void look(int level)
{
    if (is_new(level))
        sweep_check_instant((uint32_t)level);
}

static void work_at(int level)
{
    if (level > 0)
        look(level);
    work_interrupted(sweep_works[level], level < sweep_depth ? level + 1 : 0);
}

static void level_1(void)
{
    work_at(1);
}

static void level_2(void)
{
    work_at(2);
}

static void level_3(void)
{
    work_at(3);
}

static void (*const handlers[4])(void) = {NULL, level_1, level_2, level_3};

static uint32_t schedules;

static void schedule(void)
{
    sweep_restore();
    has_come[1] = has_come[2] = has_come[3] = false;
    work_at(0);
    if (test_irq_is_masked())
        test_fail(__FILE__, __LINE__, "interrupts are let in as before");
    sweep_check_end();
    schedules++;
}

/* Every delay of every level. The innermost one grows until its interrupt does not come any more, then the one outside. */
void sweep_three(uint32_t call, struct sweep_work outer, struct sweep_work inner, struct sweep_work innermost)
{
    sweep_works[0] = (struct sweep_work){call, 1};
    sweep_works[1] = outer;
    sweep_works[2] = inner;
    sweep_works[3] = innermost;
    hits_call((uintptr_t)sweep_calls[call].call);
    test_note("call", call);
    test_note("outer", outer.call * 1000u + outer.count);
    for (int level = 1; level <= 3; level++)
        delays[level] = test_irq_first();
    for (int level = sweep_depth; level > 0 && !test_has_failed();) {
        schedule();
        level = sweep_depth;
        while (level > 0 && !has_come[level])
            delays[level--] = test_irq_first();
        delays[level]++;
        test_note("delay", delays[1]);
        test_note("second", delays[2]);
        test_note("schedules", schedules);
    }
}

void sweep(uint32_t call, struct sweep_work outer, struct sweep_work inner)
{
    sweep_three(call, outer, inner, inner);
}

int sweep_main(const struct sweep_set *sets, uint32_t count)
{
    uint32_t set = (uint32_t)hits_set() - 1u;
    if (set >= count) {
        test_fail(__FILE__, __LINE__, "which set?");
        return 1;
    }
    test_run(sets[set].name, sets[set].set);
    hits_end();
    return test_end();
}
