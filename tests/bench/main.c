/* main.c - the harness of target.sh: warm up, then call emit() from measured(). count.awk cuts these calls from the
 * log.
 *
 * A count is worthless if the code did not do its work. So the harness ends with 1 unless each measured call kept
 * BENCH_KEEPS events and counted BENCH_DROPS as lost. */
#include "emit.h"
#include "tlog.h"
#include "src/tlog_form.h"
#include "tlog_irq.h"

#ifndef BENCH_WARM_UP
#define BENCH_WARM_UP 64
#endif
#ifndef BENCH_CALLS
#define BENCH_CALLS 2000
#endif
#ifndef BENCH_KEEPS
#define BENCH_KEEPS 0
#endif
#ifndef BENCH_DROPS
#define BENCH_DROPS 0
#endif

#ifdef BENCH_PREPARE
#define PREPARE(b) prepare(b)
#else
#define PREPARE(b) (void)0
#endif

static uint32_t state = 0x2545F491u;

#ifdef BENCH_STORM
/* A storm of names: interrupts that name other tasks, storm_gap ticks of the clock apart. */
static volatile uint32_t *const systick = (volatile uint32_t *)0xE000E010u; /* control, reload, value */
static uint32_t storm_gap;

static void start_storm(void)
{
    systick[0] = 0;
    *(volatile uint32_t *)0xE000ED04u = 1u << 25; /* none is pending */
    systick[1] = storm_gap;
    systick[2] = 0;
    systick[0] = 7; /* the core's clock, the interrupt, on */
}

static void storm_strikes(void)
{
    static uint32_t names;
    systick[0] = 0;
    tlog_name(TLOG_NAME_TASK, 100u + names % 3u, names % 2u != 0 ? "storm" : "of names");
    names++;
    start_storm();
}

__attribute__((naked)) void systick_handler(void)
{
    __asm volatile(".globl storm_handler, storm_end\nstorm_handler:\n\t"
                   "push {r4, lr}\n\t"
                   "bl %c0\n"
                   "storm_end:\n\t"
                   "pop {r4, pc}" ::"i"(storm_strikes));
}

/* Another distance for each call, so that the interrupts come at every place. */
static void strike_later(void)
{
    storm_gap = 100u + (storm_gap + 3u) % BENCH_STORM;
    start_storm();
}
#undef PREPARE
#define PREPARE(b) strike_later()
#endif

/* Events put into slots so far, overwritten ones included. A chunk that is not yet opened is no chunk yet, or has lap
 * 0 and its cursor at its end. */
static uint32_t kept(void)
{
    uint32_t sum = 0;
    const struct tlog_ring *ring = tlog_cpu0.ring;
    if (!tlog_ring_is_open(&tlog_cpu0))
        return 0;
    for (uint32_t i = 0; i < ring->chunks; i++) {
        uintptr_t at = (uintptr_t)ring->first + i * ring->pattern[TLOG_PATTERN_SIZE];
        const struct tlog_chunk *chunk = (const struct tlog_chunk *)at;
        if (!tlog_ring_is_chunk(chunk))
            continue;
        sum += ((chunk->lap >> TLOG_LAP_SHIFT) - 1u) * chunk->slots + (chunk->cursor >> TLOG_CURSOR_SHIFT) - 1u
               - chunk->extra;
    }
    return sum;
}

static __attribute__((noipa)) void warm_up(uint32_t calls)
{
    for (uint32_t i = 0; i < calls; i++) {
        uint32_t a = next_argument(&state), b = next_argument(&state);
        PREPARE(b);
        emit(a, b);
    }
}

/* count.awk cuts the log where this function calls emit() and where emit() returns. What prepare() does is not
 * counted. */
static __attribute__((noipa)) void measured(uint32_t calls)
{
    for (uint32_t i = 0; i < calls; i++) {
        uint32_t a = next_argument(&state), b = next_argument(&state);
        PREPARE(b);
        emit(a, b);
    }
}

/* In their first lap chunks are formatted. That is measured only from the first event on, or with BENCH_FIRST_LAP. */
static void form_all(void)
{
#if TLOG_FORMS && !defined(BENCH_FIRST_LAP)
    while (BENCH_WARM_UP > 0 && tlog_ring_is_open(&tlog_cpu0) && tlog_ring_is_forming(&tlog_cpu0))
        tlog_form_settle(&tlog_cpu0);
#endif
}

int main(void)
{
#ifdef BENCH_START
    tlog_start();
#endif
    warm_up(BENCH_WARM_UP);
    form_all();
#if defined(BENCH_DISABLE)
    tlog_disable();
#elif defined(BENCH_FILTER)
    tlog_filter(FTrace_EVT_user_event_0 & 15, true);
#elif defined(BENCH_GROUP)
    tlog_filter_group(0, true);
#elif defined(EMIT_IRQ)
    *(volatile uint32_t *)0xE000E100u = 1u << 3;
#ifdef BENCH_IRQ_TRACE
    if (!tlog_irq_trace())
        return 1;
#endif
#elif defined(BENCH_RESUME) /* the ring is full and has lost events; from here on it has room again */
    tlog_stop_when_full(false);
#elif defined(BENCH_STUCK)  /* emit() runs in a handler that has interrupted an event */
    struct tlog_reserved at;
    tlog_ring_reserve(&tlog_cpu0, tlog_cpu0.cursor, &at);
#elif defined(BENCH_DEAD)   /* 100 or 128 slots, BENCH_DEAD apart, have owners that never come back */
    struct tlog_reserved gone;
    for (uint32_t i = 0; i < (BENCH_DEAD > 1 ? 128u : 100u); i++) {
        warm_up(BENCH_DEAD - 1u);
        while (!tlog_ring_reserve(&tlog_cpu0, tlog_cpu0.cursor, &gone))
            tlog_ring_make_room(&tlog_cpu0, false);
    }
    warm_up(8u * TLOG_SLOTS);
#elif defined(BENCH_CARRY)  /* the clock passes half a wrap */
    BOARD_TIMER0->value = 0x7FFFFFFFu;
#endif
    uint32_t kept_before = kept(), dropped_before = tlog_dropped();
    measured(BENCH_CALLS);
#ifdef BENCH_STORM
    systick[0] = 0;
    return 0; /* names that are lost are counted, and so are right */
#endif
    bool right = kept() - kept_before == (uint32_t)BENCH_CALLS * BENCH_KEEPS
                 && tlog_dropped() - dropped_before == (uint32_t)BENCH_CALLS * BENCH_DROPS;
    return right ? 0 : 1;
}
