/* model.h - the chunk of a ring with traceevents as target/FORMAT.md says it is to be, beside the one the runtime
 * writes.
 *
 * Whoever makes a call tells the model what it is to have done: an event, a record, a loss. Slots that tell the time,
 * pads, and records that tell of a loss are the model's own affair. The ring is one of the model's own, of any size.
 * Nothing interrupts here. */
#ifndef RUNTIME_SWEEP_MODEL_H
#define RUNTIME_SWEEP_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { MODEL_MOST = 116 }; /* slots of a ring */

/* Where the ring is. Slots: of the ring; index: of the next slot, from 1 on; lap 0: the ring is not opened; halves: of
 * wraps of the clock, as far as the runtime knows. */
struct model {
    uint32_t slots, index, lap;
    bool is_parked;
    uint64_t clock, halves;
};
extern struct model model;

/* A ring of so many slots, not opened yet, in memory full of noise, in which a run of that number stood. */
void model_begin(uint32_t slots, uint32_t boot, uint64_t clock);

/* Whether rings are to be put where no memory is behind them, if the test knows such a place (TEST_MEMORY_END). */
extern bool model_is_last;

/* A ring that has gone round and round before, until that time. */
void model_begin_late(uint32_t slots, uint64_t clock);

/* Set the clock. A wrap that passes unseen nobody can know: before, model_knows_time(), or it moves by less than half a
 * wrap. */
void model_set_clock(uint64_t clock);

/* Whether the runtime knows in which half of a wrap the clock is. */
bool model_knows_time(void);

/* Let the ring stop when it is full, or go on. */
void model_set_stop(bool stops);

/* Let the slots ahead, which are free, hold zeros. */
void model_clear(void);

/* The owner of a slot is interrupted, as if it had taken it and not filled it yet; or comes back. */
void model_toggle(uint32_t index);

/* A slot's words 2 and 3, as the runtime has filled it, from 0 on. */
const uint32_t *model_slot(uint32_t number);

/* What a call does: open the ring; see the clock; lose an event; log one of so many words; log a record. */
void expect_start(void);
void expect_tick(void);
void expect_loss(void);
void expect_words(uint32_t class, uint32_t event, const uint32_t *words, uint32_t count);
void expect_record(uint32_t code, uint32_t par1, uint32_t par2);

/* Hold the memory, and what the runtime keeps besides, against the model. */
void model_check(void);

#endif
