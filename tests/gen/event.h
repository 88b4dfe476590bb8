/* event.h - what the CPUs of a made-up system log, event after event: the same ones from the same seed. Private to
 * gen_dump. */
#ifndef GEN_EVENT_H
#define GEN_EVENT_H

#include "dump.h"

#define GEN_SLOTS_MAX 8 /* of a traceevent */

struct gen_kind {
    uint32_t class, event;
};

struct gen_event {
    uint64_t ticks;
    uint64_t lost; /* by a blackout_end */
    uint32_t code, par1, par2;
    uint32_t slots; /* of a traceevent; 0: a record */
    struct gen_kind kind;
    uint32_t word[2 * GEN_SLOTS_MAX];
};

/* What one CPU logs, event after event. */
struct gen_source {
    const struct gen_options *options;
    uint64_t state, ticks;
    uint64_t lost;    /* to be told by the next event */
    uint64_t dropped; /* so far */
};

/* The next number from the state, which may be any. */
uint32_t gen_random(uint64_t *state);

/* Begin with what the CPU logs first. The options must stay. */
void gen_source_start(struct gen_source *source, const struct gen_options *options, uint32_t cpu);

/* The next event. */
void gen_next(struct gen_source *source, struct gen_event *event);

#endif
