/* run.c - implements run.h. */
#include "run.h"

#include "lib/hits.h"
#include "lib/logged.h"
#include "lib/test.h"
#include "lib/irq.h"

#include <stddef.h>

/* ---- calls ------------------------------------------------------------------------------------------------------- */

int sweep_depth;
struct sweep_work sweep_works[4];
static uint32_t delays[4]; /* of the interrupt of each level */
static bool has_come[4];
static void (*const handlers[4])(void);

/* Makes a call. An interrupt of level `arm` may come from its beginning on, one of level `disarm` only until its end;
 * 0: none. What the test does before and after the call is not swept. */
static void make_call(const struct sweep_call *call, int arm, int disarm)
{
    const bool logs = (call->flags & SWEEP_LOGS) != 0;
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
    return (sweep_calls[call].flags & SWEEP_LOGS) != 0 && sweep_calls[call].slots > 0;
}

void (*sweep_own)(void);

/* Makes the calls; an interrupt of that level may come, unless it is 0. */
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
    return work.count == 0 || (work.call < sweep_call_count && (sweep_calls[work.call].flags & is) == is);
}

bool sweep_mutes(void)
{
    bool any = false, filters = false;
    for (int level = 0; level <= sweep_depth; level++) {
        uint32_t call = sweep_works[level].call, is = call < sweep_call_count ? sweep_calls[call].flags : 0;
        any |= (is & SWEEP_MUTES) != 0 || (filters && (is & SWEEP_FILTERS) != 0);
        filters |= (is & SWEEP_FILTERS) != 0;
    }
    return any;
}

/* ---- memory contents that were seen before ----------------------------------------------------------------------- */

/* Interrupts leave the same memory wherever they come between two steps of what they interrupt. Contexts that continue
 * from the same memory do the same, with the same result, so they need to continue from each memory only once: the
 * context that the innermost interrupt interrupts is begun again, until the memory is one that was not seen before. */

typedef uint32_t __attribute__((may_alias)) word;

/* Words that can be saved; if there are more, no schedule is left out. ARMv6-M's board has 16 KB of memory. */
enum { ROOM = __ARM_ARCH_ISA_THUMB == 1 ? 512 : 2048 };
enum { KNOWN = 16 };

extern uint32_t test_data[], test_bss[], __data_end[], __bss_end[], __start_tlog_chunks[], __stop_tlog_chunks[];

static word kept[ROOM];
static uint32_t kept_words;
static struct sum {
    uint32_t a, b;
} sum, known[KNOWN];
static uint32_t known_count;

static void each_memory(void (*what)(word *at, uint32_t words))
{
    what(test_data, (uint32_t)(__data_end - test_data));
    what(test_bss, (uint32_t)(__bss_end - test_bss));
    what(__start_tlog_chunks, (uint32_t)(__stop_tlog_chunks - __start_tlog_chunks));
    what((word *)(uintptr_t)test_clock, 1);
    for (const struct sweep_memory *own = sweep_own_memory; own->words > 0; own++)
        what(own->at, own->words);
    what((word *)(uintptr_t)&logged_count, 1);
    what((word *)(void *)logged_events, logged_count * (uint32_t)(sizeof(struct logged) / 4u));
}

/* Eight words at a time, since copying takes much of a schedule's time. */
static void copy(word *to, const word *from, uint32_t words)
{
    struct block {
        word words[8];
    } __attribute__((may_alias));
    for (; words >= 8u; words -= 8u, to += 8, from += 8)
        *(struct block *)(void *)to = *(const struct block *)(const void *)from;
    for (; words > 0; words--)
        *to++ = *from++;
}

static void keep(word *at, uint32_t words)
{
    if (kept_words + words <= ROOM)
        copy(&kept[kept_words], at, words);
    kept_words += words;
}

static void put_back(word *at, uint32_t words)
{
    copy(at, &kept[kept_words], words);
    kept_words += words;
}

static inline uint32_t turned(uint32_t value, uint32_t by)
{
    return value << by | value >> (32u - by);
}

static inline struct sum with(struct sum all, uint32_t value)
{
    return (struct sum){(turned(all.a, 5) ^ value) * 0x9E3779B1u, turned(all.b, 9) + value};
}

static void add_up(word *at, uint32_t words)
{
    struct sum now = sum;
    for (; words >= 4u; words -= 4u, at += 4)
        now = with(with(with(with(now, at[0]), at[1]), at[2]), at[3]);
    for (; words > 0; words--)
        now = with(now, *at++);
    sum = now;
}

static bool is_known(void)
{
    sum = (struct sum){1, 2};
    each_memory(add_up);
    for (uint32_t i = 0; i < known_count; i++)
        if (known[i].a == sum.a && known[i].b == sum.b)
            return true;
    if (known_count < KNOWN)
        known[known_count++] = sum;
    return false;
}

/* ---- schedules --------------------------------------------------------------------------------------------------- */

/* Whether the interrupts inside that of `level` are at their first delay. Otherwise the interrupt of `level` comes at
 * the same place again, and finds the same memory. */
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

/* The context that the innermost interrupt interrupts: it is begun again until the interrupt leaves memory that was not
 * seen before. */
static void work_by_innermost(int level)
{
    const int innermost = level + 1;
    kept_words = 0;
    each_memory(keep);
    const bool has_room = kept_words <= ROOM;
    work_interrupted(sweep_works[level], innermost);
    while (has_room && has_come[innermost] && !test_has_failed() && is_known()) {
        kept_words = 0;
        each_memory(put_back);
        delays[innermost]++;
        work_interrupted(sweep_works[level], innermost);
    }
}

static void work_at(int level)
{
    if (level > 0)
        look(level);
    if (level > 0 && level + 1 == sweep_depth)
        work_by_innermost(level);
    else
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

/* Every delay of every level. The innermost delay grows until its interrupt comes too late, then the next outer one. */
void sweep_three(uint32_t call, struct sweep_work outer, struct sweep_work inner, struct sweep_work innermost)
{
    sweep_works[0] = (struct sweep_work){call, 1};
    sweep_works[1] = outer;
    sweep_works[2] = inner;
    sweep_works[3] = innermost;
    hits_call((uintptr_t)sweep_calls[call].call);
    test_note("call", call);
    test_note("outer", outer.call * 1000u + outer.count);
    known_count = 0;
    for (int level = 1; level <= 3; level++)
        delays[level] = test_irq_first();
    for (int level = sweep_depth; level > 0 && !test_has_failed();) {
        schedule();
        level = sweep_depth;
        while (level > 0 && !has_come[level])
            delays[level--] = test_irq_first();
        if (level < sweep_depth)
            known_count = 0;
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
