/* SPDX-License-Identifier: MIT */
/* tlog_rate.c - tlog_clock_rate(): the rate of the clock changes.
 *
 * The present rate, and since when it holds, in ticks and in ns, are the words of the last mark. They are kept twice:
 * bit 0 of `rate_turn` says which copy is valid. A call
 *
 *   takes its turn   a store-exclusive adds 2 to `rate_turn`: whoever was in the middle of a call has lost his turn
 *   computes         from the valid copy and the time
 *   stores           the words of the other copy, by store-exclusives, made only while it is still its turn
 *   ends its turn    a store-exclusive inverts bit 0, made only while it is still its turn
 *
 * So each call ends after these steps, however often it is interrupted. A call that has lost its turn changes nothing:
 * a newer call knows the rate better. The time is read behind taking the turn: so the times of changes never step back.
 *
 * The mark is logged behind that, from the call's own words. It tells its time itself: so it does not matter which
 * events, or other marks, come ahead of it. Ahead of that the last change is told as a fact, which also stands where
 * the ring has no room, or has overwritten all marks. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#if TLOG_ENABLE && TLOG_CLOCK_CHANGES

#define TLOG_NS_PER_S 1000000000u

enum { TLOG_RATE_TRIES = 4 };

/* The rate at the first event where TLOG_CLOCK_HZ is 0: of firmware that uses CMSIS, else there is no such variable. */
extern uint32_t SystemCoreClock __attribute__((weak));

static uint32_t rate_copies[2][TLOG_RATE_WORDS];
static uint32_t rate_turn;   /* 0: no rate was told yet */
static uint32_t rate_untold; /* 1: the rate has changed while logging was disabled */

static uint32_t turn_now(void)
{
    return *(volatile uint32_t *)&rate_turn;
}

/* ---- a change ---------------------------------------------------------------------------------------------------- */

static uint64_t join_words(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

static uint32_t rate_check(const uint32_t words[TLOG_RATE_WORDS])
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < TLOG_RATE_CHECK; i++)
        sum = TLOG_FACT_MIX(sum, words[i]);
    return sum;
}

/* Compute the words of a change from those of the one before. Each term is rounded down to 2^-32 ns. */
static void compute_rate(const uint32_t *before, uint64_t ticks, uint32_t hz, uint32_t words[TLOG_RATE_WORDS])
{
    const uint64_t rate = before[TLOG_RATE_HZ] != 0 ? before[TLOG_RATE_HZ] : hz;
    const uint64_t from = join_words(before[TLOG_RATE_WRAPS], before[TLOG_RATE_LOW]);
    const uint64_t passed = ticks > from ? ticks - from : 0, seconds = passed / rate;
    const uint64_t rest = (passed - seconds * rate) * TLOG_NS_PER_S, whole = rest / rate;
    const uint64_t fraction = (((rest - whole * rate) << 32) / rate) + before[TLOG_RATE_FRACTION];
    const uint64_t ns = join_words(before[TLOG_RATE_NS_HIGH], before[TLOG_RATE_NS]) + seconds * TLOG_NS_PER_S + whole
                        + (fraction >> 32);
    words[TLOG_RATE_WRAPS] = (uint32_t)((from + passed) >> 32);
    words[TLOG_RATE_LOW] = (uint32_t)(from + passed);
    words[TLOG_RATE_NS] = (uint32_t)ns;
    words[TLOG_RATE_NS_HIGH] = (uint32_t)(ns >> 32);
    words[TLOG_RATE_FRACTION] = (uint32_t)fraction;
    words[TLOG_RATE_BEFORE] = before[TLOG_RATE_HZ];
    words[TLOG_RATE_HZ] = hz;
    words[TLOG_RATE_CHECK] = rate_check(words);
}

static uint32_t take_turn(void)
{
    uint32_t mine;
    do
        mine = tlog_port_load_exclusive(&rate_turn) + 2u;
    while (tlog_port_store_exclusive(mine, &rate_turn));
    return mine;
}

/* Store a word while it is still that turn. False: it is not. */
static bool put_in_turn(uint32_t mine, uint32_t *word, uint32_t value)
{
    do {
        tlog_port_load_exclusive(word);
        if (turn_now() != mine) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(value, word));
    return true;
}

/* Change the rate. False: it is that already, or the call has lost its turn. */
static bool change_rate(struct tlog_cpu *cpu, uint32_t hz, uint32_t words[TLOG_RATE_WORDS])
{
    const uint32_t mine = take_turn();
    const volatile uint32_t *valid = rate_copies[mine & 1u];
    uint32_t before[TLOG_RATE_WORDS], *other = rate_copies[~mine & 1u];
    for (uint32_t i = 0; i < TLOG_RATE_WORDS; i++)
        before[i] = valid[i];
    if (before[TLOG_RATE_HZ] == hz)
        return false;
    compute_rate(before, tlog_ring_ticks(cpu), hz, words);
    for (uint32_t i = 0; i < TLOG_RATE_WORDS; i++)
        if (!put_in_turn(mine, &other[i], words[i]))
            return false;
    return put_in_turn(mine, &rate_turn, mine ^ 1u);
}

/* ---- the mark ---------------------------------------------------------------------------------------------------- */

static uint32_t rate_head(uint32_t i)
{
    const uint32_t part = i == 0 ? TLOG_STRUCT_CB : i + 1u == TLOG_RATE_SLOTS ? TLOG_STRUCT_CE : TLOG_STRUCT_CC;
    return TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_RATE) | part << TLOG_STRUCT_SHIFT;
}

/* Log the mark, unless there is no room: then the next one tells, or the fact. */
static void put_rate_mark(struct tlog_cpu *cpu, const uint32_t words[TLOG_RATE_WORDS])
{
    struct tlog_reserved at;
    if (tlog_side_reserve(cpu, TLOG_RATE_SLOTS, TLOG_RATE_SLOTS, &at) != TLOG_SIDE_HERE
        && !tlog_ring_reserve_triggered(cpu, TLOG_RATE_SLOTS, &at))
        return;
    for (uint32_t i = TLOG_RATE_SLOTS; i-- > 0;)
        tlog_side_fill(&at, i, rate_head(i), words + 2u * i);
}

/* Copy the words of the last change. Returns the turn in which they are valid. */
static uint32_t copy_last(uint32_t words[TLOG_RATE_WORDS])
{
    uint32_t seen;
    do {
        seen = turn_now();
        for (uint32_t i = 0; i < TLOG_RATE_WORDS; i++)
            words[i] = ((const volatile uint32_t *)rate_copies[seen & 1u])[i];
    } while (turn_now() != seen);
    return seen;
}

/* Tell the last change as a fact. A call that has interrupted this one may have told a newer change meanwhile, over
 * which the older one is written: then that is told again. */
static void put_rate_fact(void)
{
    uint32_t words[TLOG_RATE_WORDS], seen, tries = 0;
    do {
        seen = copy_last(words);
        words[TLOG_RATE_BEFORE] = words[TLOG_RATE_HZ];
        tlog_fact_words(TLOG_FACT_RATE, 0, words, TLOG_RATE_BEFORE + 1u);
    } while (turn_now() != seen && ++tries < TLOG_RATE_TRIES);
}

void tlog_rate_tell(void)
{
    uint32_t words[TLOG_RATE_WORDS];
    while (*(volatile uint32_t *)&rate_untold && !tlog_ring_is_off()) {
        *(volatile uint32_t *)&rate_untold = 0;
        copy_last(words);
        put_rate_mark(tlog_cpu_here(), words);
    }
}

uint32_t tlog_rate_now(void)
{
    uint32_t words[TLOG_RATE_WORDS];
    copy_last(words);
    return words[TLOG_RATE_HZ];
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

/* Change the rate, and log the mark: now, or when logging is enabled again. */
static void set_rate(struct tlog_cpu *cpu, uint32_t hz)
{
    uint32_t words[TLOG_RATE_WORDS];
    if (!change_rate(cpu, hz, words))
        return;
    put_rate_fact();
    if (!tlog_ring_is_off()) {
        put_rate_mark(cpu, words);
        return;
    }
    *(volatile uint32_t *)&rate_untold = 1u;
    tlog_rate_tell(); /* it may have been enabled since */
}

void tlog_rate_start(struct tlog_cpu *cpu)
{
    const uint32_t hz = TLOG_CLOCK_RATE != 0 ? TLOG_CLOCK_RATE : &SystemCoreClock != NULL ? SystemCoreClock : 0;
    if (turn_now() == 0 && hz != 0 && cpu >= tlog_cpus && cpu < tlog_cpus + TLOG_CPUS)
        set_rate(cpu, hz);
}

void tlog_clock_rate(uint32_t hz)
{
    tlog_ring_start_all();
    tlog_sleep_rate();
    if (hz != 0 && hz <= 0xFFFFFFFFu >> TLOG_CLOCK_SHIFT)
        set_rate(tlog_cpu_here(), hz << TLOG_CLOCK_SHIFT);
}

#endif
