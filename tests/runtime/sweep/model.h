/* model.h - computes the chunk of a ring with traceevents as target/FORMAT.md says it must be, for comparison with the
 * one that the runtime writes.
 *
 * A test that makes a call tells the model what the call must do: log an event or a record, or lose one. The model
 * itself adds slots that state the time, pads, and records that report a loss. The ring is the model's own, of any
 * size. No interrupts come here. */
#ifndef RUNTIME_SWEEP_MODEL_H
#define RUNTIME_SWEEP_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { MODEL_MOST = 116 }; /* most slots of a ring */

/* The ring's state. slots: of the ring; index: of the next slot, from 1 on; lap 0: the ring is not opened; halves: half
 * wraps of the clock that the runtime knows of. */
struct model {
    uint32_t slots, index, lap;
    bool is_parked;
    uint64_t clock, halves;
};
extern struct model model;

/* A ring of `slots` slots, not opened yet, in memory full of noise, with the number of an older run in its header. */
void model_begin(uint32_t slots, uint32_t boot, uint64_t clock);

/* Whether rings are put where no accessible memory follows, if the test has such a place (TEST_MEMORY_END). */
extern bool model_is_last;

/* A ring that has been filled many times before, at that time. */
void model_begin_late(uint32_t slots, uint64_t clock);

/* Format the ring, if it is not open. The call that comes next opens it. */
void model_format(void);

/* Set the clock. tlog cannot know of a wrap that passes without a call: so model_knows_time() must be true before, or
 * the clock must move by less than half a wrap. */
void model_set_clock(uint64_t clock);

/* Whether the runtime knows which half of a wrap the clock is in. */
bool model_knows_time(void);

/* Let the ring stop when it is full, or not. */
void model_set_stop(bool stops);

/* Fill the free slots ahead with zeros. */
void model_clear(void);

/* Let a slot be one that a writer took in the lap before and was interrupted before it filled it; or let that writer
 * fill it. Returns whether the slot has such an owner now. */
bool model_toggle(uint32_t index);

/* The two words of data of a traceevent's slot, counted from 0, as the runtime has filled it. */
const uint32_t *model_slot(uint32_t number);

/* What a call does: open the ring; read the clock; lose an event; log an event of `count` words; log a record. */
void expect_start(void);
void expect_tick(void);
void expect_loss(void);
void expect_words(uint32_t class, uint32_t event, const uint32_t *words, uint32_t count);
void expect_record(uint32_t code, uint32_t par1, uint32_t par2);

/* Compare the memory, and the runtime's other variables, with the model. */
void model_check(void);

#endif
