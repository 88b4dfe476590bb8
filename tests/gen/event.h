/* event.h - what the CPUs of an invented system log, event after event: the same events from the same seed. For
 * dump.c. */
#ifndef GEN_EVENT_H
#define GEN_EVENT_H

#include "dump.h"

#define GEN_SLOTS_MAX 8 /* of a traceevent */

/* What a traceevent is: its class, and its number within the class. */
struct gen_kind {
    uint32_t class, event;
};

struct gen_event {
    uint64_t ticks;
    uint64_t lost;             /* events whose loss this one, a blackout_end, tells */
    uint32_t code, par1, par2; /* of a record */
    uint32_t slots;            /* of a traceevent; 0: it is a record */
    struct gen_kind kind;
    uint32_t word[2 * GEN_SLOTS_MAX];
};

/* What one CPU logs, event after event. */
struct gen_source {
    const struct gen_options *options;
    uint64_t state, ticks;
    uint64_t lost;    /* events whose loss the next event will tell */
    uint64_t dropped; /* events lost so far */
};

/* The next random number; *state may begin with any value. */
uint32_t gen_random(uint64_t *state);

/* Begin with what the CPU logs first. The options stay the caller's, and must live as long as the source. */
void gen_source_start(struct gen_source *source, const struct gen_options *options, uint32_t cpu);

/* The next event. */
void gen_next(struct gen_source *source, struct gen_event *event);

#endif
