/* event.c - makes up what CPUs log: see event.h. Codes, classes and names are those of target/FORMAT.md. */
#include "event.h"

#include <string.h>

enum { CALLS = 2, INTERRUPTS = 3, THREADS = 4, USER = 6, NAMELESS = 9 }; /* classes */

static uint32_t get32(const unsigned char *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

uint32_t gen_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)(z >> 32);
}

static const char *const names[256] = {
    [0x10] = "cycles_per_msec",
    [0x20] = "trace_start",
    [0x30] = "trace_stop",
    [0x40] = "blackout_start",
    [0x50] = "blackout_end",
    [0x60] = "id",
    [0x70] = "numevents",
    [0x01] = "ipoint",
    [0x02] = "task_create",
    [0x12] = "task_activate",
    [0x22] = "task_dispatch",
    [0x32] = "task_epilogue",
    [0x42] = "task_end",
    [0x52] = "task_begin_cycle",
    [0x62] = "task_end_cycle",
    [0x72] = "task_sleep",
    [0x82] = "task_schedule",
    [0x92] = "task_timer",
    [0xA2] = "task_disable",
    [0xB2] = "task_deadline_miss",
    [0xC2] = "task_wcet_violation",
    [0x03] = "interrupt_start",
    [0x13] = "interrupt_end",
    [0x23] = "interrupt_hit",
    [0x33] = "interrupt_count",
    [0x04] = "to_real_mode",
    [0x14] = "to_protected_mode",
    [0x24] = "CLI",
    [0x34] = "STI",
    [0x05] = "set_priority",
    [0x15] = "context_switch",
    [0x25] = "inheritance",
    [0x06] = "set_mutex_create",
    [0x26] = "set_mutex_inherit",
    [0x16] = "set_mutex_lock",
    [0x36] = "set_mutex_unlock",
    [0x46] = "set_mutex_wait",
    [0x56] = "set_mutex_post",
    [0x07] = "signal",
    [0x08] = "server_create",
    [0x18] = "server_replenish",
    [0x28] = "server_exhaust",
    [0x38] = "server_reclaiming",
    [0x48] = "server_remove",
    [0x58] = "server_active",
    [0x68] = "server_using_rec",
    [0x09] = "user_event_0",
    [0x19] = "user_event_1",
    [0x29] = "user_event_2",
    [0x39] = "user_event_3",
    [0x49] = "user_event_4",
    [0x59] = "user_event_5",
    [0x69] = "user_event_6",
    [0x79] = "user_event_7",
    [0x89] = "user_event_8",
    [0x99] = "user_event_9",
    [0xA9] = "user_event_10",
    [0xB9] = "user_event_11",
    [0xC9] = "user_event_12",
    [0xD9] = "user_event_13",
    [0xE9] = "user_event_14",
    [0x1A] = "data_pointer",
    [0x0B] = "timer_post",
    [0x1B] = "timer_delete",
    [0x2B] = "timer_wakeup_start",
    [0x3B] = "timer_wakeup_end",
    [0xF0] = "filter_trace_Events",
    [0xF1] = "filter_ipoint",
    [0xF2] = "filter_task",
    [0xF3] = "filter_interrupt",
    [0xF4] = "filter_CPU",
    [0xF5] = "filter_priority",
    [0xF6] = "filter_mutex",
    [0xF7] = "filter_signal",
    [0xF8] = "filter_server",
    [0xF9] = "filter_user",
    [0xFA] = "filter_data",
    [0xFB] = "filter_timer",
};

const char *gen_name(unsigned code)
{
    return code < 256 ? names[code] : NULL;
}

/* Codes to choose from, the frequent ones several times. None of them tells a clock frequency or a loss. */
static const unsigned char codes[] = {0x15, 0x15, 0x15, 0x15, 0x03, 0x13, 0x03, 0x13, 0x12, 0x12, 0x62, 0x72, 0x52,
                                      0x16, 0x36, 0x46, 0x56, 0x05, 0x82, 0x92, 0x09, 0x19, 0xE9, 0x1A, 0x0B, 0x3B,
                                      0x01, 0x07, 0x24, 0x34, 0x58, 0x02, 0x42, 0x30, 0x60, 0x70, 0xF2, 0xFB};

/* Traceevents to choose from, of one slot and of several: interrupts, kernel calls, states of threads, system and
 * message events. */
static const struct gen_kind simple_kinds[] = {{3, 1}, {3, 2}, {3, 1}, {3, 2}, {2, 11}, {2, 139},
                                               {4, 1}, {4, 2}, {4, 4}, {5, 2}, {7, 0},  {7, 1}},
                             combine_kinds[] = {{2, 11}, {2, 139}, {4, 1}, {4, 2}, {5, 2}, {7, 0}, {3, 1}};

/* The class of traceevents that mean to a viewer what records of that code do. Calls stand for all codes that mean
 * nothing to a viewer. */
static uint32_t class_of(uint32_t code)
{
    static const unsigned char of_threads[] = {0x15, 0x12, 0x3B, 0x62, 0x72, 0x46, 0x42, 0x52};
    if (code == 0x03 || code == 0x13)
        return INTERRUPTS;
    return memchr(of_threads, (int)code, sizeof of_threads) != NULL ? THREADS : CALLS;
}

/* Whether the options want records of that code. */
static bool is_wanted(const struct gen_source *source, uint32_t code)
{
    uint32_t class = source->options->class;
    return class == 0 || class_of(code) == (class == INTERRUPTS || class == THREADS ? class : CALLS);
}

void gen_source_start(struct gen_source *source, const struct gen_options *options, uint32_t cpu)
{
    memset(source, 0, sizeof *source);
    source->options = options;
    source->state = (uint64_t)options->seed << 16 | cpu;
    source->ticks = options->start;
}

/* Let time go on. */
static void advance(struct gen_source *source, uint32_t chance)
{
    if (source->options->still)
        return;
    source->ticks += chance % 2000u;
    if (source->options->jumps && chance % 97u == 0)
        source->ticks += (uint64_t)gen_random(&source->state) << (chance >> 20 & 7u);
}

/* Make the event's words a text whose NUL is in the last slot. In one slot it has four characters at least. */
static void make_text(struct gen_event *event, uint32_t chance)
{
    uint32_t least = event->slots > 1 ? 8u * (event->slots - 1u) : 4u,
             length = least + chance % (event->slots > 1 ? 8 : 4);
    unsigned char text[8 * GEN_SLOTS_MAX] = {0};
    for (uint32_t i = 0; i < length; i++)
        text[i] = (unsigned char)(' ' + (chance + i * 7u) % 95u);
    for (uint32_t i = 0; i < 2u * event->slots; i++)
        event->word[i] = get32(text + (size_t)4 * i);
}

/* Make a traceevent with words. The first two are a pid and a tid of few threads, so that each of them gets a number of
 * its own; those of user events are no text. */
static void make_words(struct gen_source *source, struct gen_event *event, uint32_t choice)
{
    bool user = source->options->user || source->options->unknown;
    uint32_t number = choice % 1024u;
    uint32_t n =
        event->slots > 1 ? sizeof combine_kinds / sizeof *combine_kinds : sizeof simple_kinds / sizeof *simple_kinds;
    do {
        event->kind = event->slots > 1 ? combine_kinds[choice % n] : simple_kinds[choice % n];
        choice = choice * 5u + 1u;
    } while (!user && source->options->class != 0 && source->options->class != event->kind.class);
    if (user)
        event->kind = (struct gen_kind){source->options->unknown ? NAMELESS : USER, number};
    for (uint32_t i = 0; i < 2u * event->slots; i++)
        event->word[i] = gen_random(&source->state);
    event->word[0] = user ? event->word[0] & 0xFFFFu : event->word[0] % 5u + 2u;
    event->word[1] = user ? event->word[1] : event->word[1] % 7u + 1u;
}

/* Make a traceevent of as many slots as the options want. */
static void make_traceevent(struct gen_source *source, struct gen_event *event, uint32_t chance, uint32_t choice)
{
    uint32_t shortest = source->options->shortest ? source->options->shortest : 1u;
    uint32_t longest = source->options->longest > shortest ? source->options->longest : shortest;
    event->slots = shortest + (chance >> 12) % (longest - shortest + 1u);
    if (source->options->texts) {
        event->kind = (struct gen_kind){USER, choice % 1024u};
        make_text(event, chance >> 16);
    } else {
        make_words(source, event, choice);
    }
}

void gen_next(struct gen_source *source, struct gen_event *event)
{
    uint32_t chance = gen_random(&source->state), choice = gen_random(&source->state);
    advance(source, chance);
    event->ticks = source->ticks;
    event->lost = 0;
    event->slots = 0;
    if (source->lost == 0 && source->options->traceevents > 0 && (chance >> 8) % 100u < source->options->traceevents) {
        make_traceevent(source, event, chance, choice);
        return;
    }
    event->par1 = source->options->tasks ? choice % source->options->tasks : choice & 0xFFFFu;
    event->par2 = chance ^ choice;
    if (source->lost > 0) { /* the second record of a loss */
        event->code = 0x50;
        event->par1 = 0;
        event->par2 = (uint32_t)(event->lost = source->lost);
        source->lost = 0;
    } else if ((choice >> 16) % 1000u < source->options->drops) {
        source->lost = chance % 500u + 1u;
        source->dropped += source->lost;
        event->code = 0x40;
        event->par1 = 0;
    } else if (source->options->user) {
        event->code = (choice >> 24) % 15u << 4 | 0x09u;
    } else {
        event->code = chance >> 16 & 0xFFu ? codes[choice % sizeof codes] : 0x7Cu; /* one in 256 is no known code */
        while (!is_wanted(source, event->code))
            event->code = codes[gen_random(&source->state) % sizeof codes];
    }
}
