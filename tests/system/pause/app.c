/* app.c - logging pauses in each way that there is, while an interrupt logs, and the firmware keeps its own books. It
 * logs them at the end: FIGURE(code, number).
 *
 * TEST_TRIGGER: the pause is a trigger that stopped logging, and is set again. */
#include "board.h"
#include "out_semihost.h"
#include "tlog.h"

enum { ON, HELD, OFF };
enum { LOGGED, LOST, FAST_OFF, PAUSES, PAUSED, LAST_PAUSED, FIGURES };

#define PERIOD (BOARD_CORE_HZ / 4000u)

static volatile uint32_t state;
static uint32_t seq, figure[FIGURES];

static uint32_t now(void)
{
    return 0u - BOARD_TIMER0->value;
}

static void wait_ms(uint32_t ms)
{
    const uint32_t from = now();
    while (now() - from < ms * 25000u) {
    }
}

static void mask(void)
{
    __asm volatile("cpsid i" ::: "memory");
}

static void unmask(void)
{
    __asm volatile("cpsie i" ::: "memory");
}

void irq_9_handler(void);
void irq_9_handler(void)
{
    BOARD_TIMER1->intstatus = 1;
    seq++;
    TRACER_LOGEVENT(FTrace_EVT_user_event_1, (uint16_t)state, seq);
    figure[LOGGED] += state != OFF;
    if (seq % 4u == 0) {
        seq++;
        FAST_TRACER_LOGEVENT(FTrace_EVT_user_event_2, (uint16_t)state, seq);
        figure[state == OFF ? FAST_OFF : LOGGED]++;
    }
}

static void run(uint16_t task)
{
    mask();
    TRACER_LOGEVENT(FTrace_EVT_context_switch, task, 0);
    figure[LOGGED] += state == ON;
    unmask();
}

#ifndef TEST_TRIGGER
static uint32_t began;

static void pause_begins(void)
{
    began = now();
}

static void pause_ends(void)
{
    figure[PAUSES]++;
    figure[LAST_PAUSED] = now() - began;
    figure[PAUSED] += figure[LAST_PAUSED];
}

/* With interrupts masked, or they would log between the call and the entry in the books. */
static void off(void)
{
    mask();
    tlog_disable();
    tlog_disable();
    state = OFF;
    unmask();
}

static void on(uint32_t then)
{
    mask();
    tlog_enable();
    tlog_enable();
    state = then;
    unmask();
}

/* ---- dumps ------------------------------------------------------------------------------------------------------- */

static int (*inside)(uint32_t call);
static uint32_t calls;

static int slow_write(void *ctx, const void *bytes, uint32_t length)
{
    (void)ctx, (void)bytes, (void)length;
    if (calls == 0)
        wait_ms(2);
    return inside != 0 ? inside(calls++) : (int)(calls++, 0);
}

static const struct tlog_sink slow = {slow_write, 0};

static int off_and_on(uint32_t call)
{
    if (call == 1)
        off();
    wait_ms(1);
    if (call == 2)
        on(HELD);
    return 0;
}

static int only_off(uint32_t call)
{
    if (call == 1)
        off();
    wait_ms(1);
    return 0;
}

static int only_on(uint32_t call)
{
    if (call == 1)
        on(HELD);
    wait_ms(1);
    return 0;
}

static int nested(uint32_t call)
{
    inside = 0;
    return call == 1 ? tlog_dump(&slow) : 0;
}

static void dump(int (*what)(uint32_t), bool ends)
{
    inside = what;
    calls = 0;
    tlog_dump(&slow);
    if (ends)
        state = ON;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void pause_in_each_way(void)
{
    if (TLOG_RUNS > 1)
        tlog_start(); /* tlog_disable() does not open a ring that takes the place of an old run */
    off();            /* a late start: the first pause is before the first event */
    pause_begins();
    wait_ms(20);
    on(ON);
    pause_ends();
    run(1);
    wait_ms(5);
    pause_begins();
    off();
    run(5); /* nobody is told of it */
    wait_ms(30);
    on(ON);
    pause_ends();
    wait_ms(3);
    run(2);
    for (uint32_t i = 0; i < 5u; i++) {
        static int (*const ways[])(uint32_t) = {0, off_and_on, only_off, only_on, nested};
        wait_ms(4);
        pause_begins();
        if (ways[i] == only_on)
            off();
        dump(ways[i], ways[i] != only_off);
        if (ways[i] == only_off) {
            wait_ms(3);
            on(ON);
        }
        pause_ends();
        wait_ms(2);
        run(3);
    }
}

/* Only what runs is not known then. */
static void filter(void)
{
    wait_ms(2);
    mask();
    tlog_filter(FTrace_filter_priority, true);
    tlog_filter(FTrace_filter_priority, true);
    unmask();
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 5, 0);
    wait_ms(10);
    mask();
    tlog_filter(FTrace_filter_priority, false);
    figure[LOGGED] += 2; /* the marks */
    unmask();
    wait_ms(2);
    run(4);
}
#else
static void pause_in_each_way(void)
{
    run(1);
    tlog_trigger(10);
    wait_ms(20);
    run(5);
    wait_ms(2);
    tlog_trigger(400);
    wait_ms(2);
    run(2);
    wait_ms(4);
    tlog_trigger(TLOG_TRIGGER_OFF);
}

static void filter(void)
{
}
#endif

int main(void)
{
    *(volatile uint32_t *)0xE000E100u = 1u << BOARD_TIMER1_IRQ;
    BOARD_TIMER1->reload = PERIOD;
    BOARD_TIMER1->value = PERIOD;
    BOARD_TIMER1->ctrl = 1u << 0 | 1u << 3;
    pause_in_each_way();
    filter();
    wait_ms(2);
    BOARD_TIMER1->ctrl = 0;
    figure[LOST] = tlog_dropped();
    for (uint16_t i = 0; i < FIGURES; i++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_14, i, figure[i]);
    return 0;
}
