/* SPDX-License-Identifier: MIT */
/* tlog_pause.c - pauses: logging is off by the user's switch (tlog_disable()), or held by tlog itself (a dump).
 *
 * The two are independent. The switch is a bit of the word that the filters are made of: with it an event is neither
 * recorded nor counted. A hold parks home, and nothing opens it before the last hold is released: every event, one that
 * passes the filter as well, takes the slow path there and is dropped and counted. So the memory rests while it is
 * read, and the count is exact.
 *
 * A pause lasts while the switch is off or a hold is taken. Ahead of it stands the record trace_stop, behind it a pair
 * of records as for a loss, which tells how long it was and what was not counted, and the record trace_start. What a
 * CPU could not be told at once, because its ring has no room or only its own code may open it, stands ahead of its
 * next event (tlog_loss.c). */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#if TLOG_ENABLE

/* A time, or how long something took: wraps of the clock, and ticks. */
struct ticks {
    uint32_t low, high;
};

/* What a CPU is to be told of a pause: when it began; if it is over, how long it was; and the filter bits of what was
 * not counted in it. */
static struct pause {
    struct ticks began, length;
    uint32_t skipped;
    bool is_over;
} pauses[TLOG_CPUS];

/* Clear and set bits of a word that interrupts and other CPUs change as well. Returns the word before. */
uint32_t tlog_ring_change_bits(uint32_t *word, uint32_t clear, uint32_t set)
{
    uint32_t value;
    do
        value = tlog_port_load_exclusive(word);
    while (tlog_port_store_exclusive((value & ~clear) | set, word));
    return value;
}

/* ---- marks ------------------------------------------------------------------------------------------------------- */

/* Log a record past the filter. extra: it is no event of its own. False: there is no room. */
static bool put_mark(struct tlog_cpu *cpu, uint32_t code, uint32_t par1, uint32_t par2, bool extra)
{
    struct tlog_reserved at;
    uint32_t *cursor;
    bool has_slot;
    do {
        cursor = ((volatile struct tlog_cpu *)cpu)->cursor;
        has_slot = tlog_ring_reserve(cpu, cursor, &at);
    } while (!has_slot && tlog_ring_make_room(cpu, true));
    if (has_slot && extra)
        tlog_ring_count_extra(cursor, 1);
    if (!has_slot)
        has_slot = extra ? tlog_ring_reserve_triggered(cpu, 1, &at) : tlog_ring_take(cpu, 1, &at) == TLOG_TAKEN;
    if (has_slot)
        tlog_ring_fill(&at, code, par1, par2);
    return has_slot;
}

/* How long ago a time was; and when something began that took so long. */
static struct ticks ticks_since(struct tlog_cpu *cpu, struct ticks ticks)
{
    tlog_ring_tick(cpu);
    const uint32_t low = tlog_port_now_at(cpu->clock), high = tlog_ring_wraps(((volatile struct tlog_cpu *)cpu)->high);
    return (struct ticks){low - ticks.low, high - ticks.high - (low < ticks.low)};
}

/* The pair: how long the pause was, and what was not counted in it. */
static bool put_pause_pair(struct tlog_cpu *cpu, const struct pause *pause)
{
    const struct ticks length = pause->is_over ? pause->length : ticks_since(cpu, pause->began);
    const uint32_t high = length.high << TLOG_LOSS_VALUE_SHIFT & TLOG_PAUSE_HIGH;
    return put_mark(cpu, TLOG_RECORD_LOSS, TLOG_LOSS_PAUSED | high, length.low, true)
           && put_mark(cpu, TLOG_RECORD_LOSS, TLOG_LOSS_PAUSED | TLOG_LOSS_END, pause->skipped, true);
}

/* Word by word: of a copy of it all compilers make a call of memcpy(). */
static void read_pause(const struct tlog_cpu *cpu, struct pause *to)
{
    const volatile struct pause *from = &pauses[cpu - tlog_cpus];
    to->began.low = from->began.low;
    to->began.high = from->began.high;
    to->length.low = from->length.low;
    to->length.high = from->length.high;
    to->skipped = from->skipped;
    to->is_over = from->is_over;
}

/* Tell a CPU of its pause, and that logging goes on. Where there is no room it is told when there is: until then there
 * is a loss, and this is false. */
static bool tell_pause(struct tlog_cpu *cpu)
{
    struct pause pause;
    read_pause(cpu, &pause);
    if (!(tlog_ring_change_bits(&tlog_ring_untold, tlog_ring_pause_bit(cpu), 0) & tlog_ring_pause_bit(cpu)))
        return true;
    bool has_room = put_pause_pair(cpu, &pause);
    if (!has_room)
        tlog_ring_change_bits(&tlog_ring_untold, 0, tlog_ring_pause_bit(cpu));
    else
        has_room = put_mark(cpu, FTrace_EVT_trace_start, 0, TLOG_CLOCK_RATE / 1000u, false);
    if (!has_room)
        tlog_ring_drop(cpu);
    return !tlog_ring_is_untold(cpu) || tlog_ring_is_off();
}

/* ---- the beginning and the end ----------------------------------------------------------------------------------- */

/* A pause of that CPU begins now. An interrupt in between may store another time: all words must be of one. */
static void begin_pause(struct tlog_cpu *cpu)
{
    bool (*volatile * call)(struct tlog_cpu *) = &tlog_ring_tell_pause;
    volatile struct pause *pause = &pauses[cpu - tlog_cpus];
    *call = tell_pause;
    const struct ticks now = ticks_since(cpu, (struct ticks){0, 0});
    do {
        pause->began.low = now.low;
        pause->began.high = now.high;
        pause->skipped = 0;
        pause->is_over = false;
    } while (pause->began.low != now.low || pause->began.high != now.high);
    tlog_ring_change_bits(&tlog_ring_untold, 0, tlog_ring_pause_bit(cpu));
}

/* It is over, or goes on after all. What an interrupt finds in between is of one of the two. */
static void end_pause(struct tlog_cpu *cpu, volatile struct pause *pause)
{
    if (!pause->is_over) {
        const struct ticks began = {pause->began.low, pause->began.high}, length = ticks_since(cpu, began);
        pause->length.low = length.low;
        pause->length.high = length.high;
        pause->is_over = true;
    }
}

static void resume_pause(struct tlog_cpu *cpu, volatile struct pause *pause)
{
    const struct ticks length = {pause->length.low, pause->length.high}, began = ticks_since(cpu, length);
    pause->began.low = began.low;
    pause->began.high = began.high;
    pause->is_over = false;
}

/* A CPU that has not been told of the last pause has logged nothing since. A mark that finds no room is no loss:
 * nothing of the firmware is missing, and the pair behind the pause tells when it began. */
void tlog_pause_mark(void)
{
    for (struct tlog_cpu *cpu = tlog_cpus; cpu < tlog_cpus + TLOG_CPUS; cpu++)
        if (tlog_ring_is_open(cpu) && !tlog_ring_is_untold(cpu))
            put_mark(cpu, FTrace_EVT_trace_stop, 0, 0, false);
}

/* A pause of which a CPU has not been told goes on. An interrupt may have ended the pause before it was noted: then
 * this ends it. */
void tlog_pause_note(uint32_t skipped)
{
    for (struct tlog_cpu *cpu = tlog_cpus; cpu < tlog_cpus + TLOG_CPUS; cpu++) {
        struct pause *pause = &pauses[cpu - tlog_cpus];
        if (!tlog_ring_is_open(cpu))
            continue;
        if (!tlog_ring_is_untold(cpu))
            begin_pause(cpu);
        else if (pause->is_over)
            resume_pause(cpu, pause);
        tlog_ring_change_bits(&pause->skipped, 0, skipped);
    }
    tlog_pause_end();
}

/* A CPU is told of it ahead of its next event. */
void tlog_pause_end(void)
{
    if (tlog_ring_is_off())
        return;
    for (struct tlog_cpu *cpu = tlog_cpus; cpu < tlog_cpus + TLOG_CPUS; cpu++) {
        if (!tlog_ring_is_untold(cpu))
            continue;
        end_pause(cpu, &pauses[cpu - tlog_cpus]);
        tlog_ring_close(cpu);
    }
    tlog_ring_tell_times();
}

/* Only a CPU's own code opens its ring where that is parked: the others are told ahead of their next events. */
void tlog_pause_tell(void)
{
    struct tlog_cpu *cpu = tlog_cpu_here();
    if (tlog_ring_is_untold(cpu) && !tlog_ring_is_off())
        tell_pause(cpu);
}

void tlog_pause_mark_filter(uint32_t number, uint32_t status)
{
    if (number > (FTrace_filter_timer & FTrace_family_mask))
        return; /* no code tells it */
    if (TLOG_START == 0)
        tlog_ring_start_all();
    for (struct tlog_cpu *cpu = tlog_cpus; cpu < tlog_cpus + TLOG_CPUS; cpu++)
        if (!put_mark(cpu, 0xF0u | number, status, 0, false))
            tlog_ring_drop(cpu);
}

/* ---- holds ------------------------------------------------------------------------------------------------------- */

void tlog_pause_hold(void)
{
    if (!tlog_ring_is_off())
        tlog_pause_mark();
    tlog_ring_add(&tlog_ring_held, 1u);
    for (struct tlog_cpu *cpu = tlog_cpus; cpu < tlog_cpus + TLOG_CPUS; cpu++)
        if (tlog_ring_is_open(cpu))
            tlog_ring_close(cpu);
    tlog_pause_note(0);
}

void tlog_pause_release(void)
{
    tlog_ring_add(&tlog_ring_held, 0u - 1u);
    tlog_pause_end();
}

#endif
