/* SPDX-License-Identifier: MIT */
/* tlog_form.h - how the chunks of events are formatted, bit by bit: see tlog_form.c.
 *
 * Private to tlog. */
#ifndef TLOG_FORM_H
#define TLOG_FORM_H

#ifndef TLOG_H
#error "tlog: include tlog.h"
#endif

#include <stddef.h>

#if TLOG_ENABLE

#if TLOG_FORMS
#define TLOG_FORMED_ALL 1u /* in cpu->formed: all chunks are formatted */

/* Make the first chunk of a ring, with slots for an event of n slots if that is possible: the first step of opening the
 * ring. */
void tlog_form_first(struct tlog_cpu *cpu, uint32_t n);

/* Format the next n slots of a ring that is open, as needed. True: something was done, so there may be room now. */
bool tlog_form_slots(struct tlog_cpu *cpu, uint32_t n);

/* Take a step of formatting, so that no interrupted writer continues a step that it began before. */
void tlog_form_settle(struct tlog_cpu *cpu);

/* Format all that is not formatted yet of a ring that is open. */
void tlog_form_all(struct tlog_cpu *cpu);

/* How many chunks of a CPU have a header. */
uint32_t tlog_form_chunks(const struct tlog_cpu *cpu);

/* Whether chunks are not yet formatted as a whole. */
static inline bool tlog_ring_is_forming(const struct tlog_cpu *cpu)
{
    return ((const volatile struct tlog_cpu *)cpu)->formed != TLOG_FORMED_ALL;
}

/* Whether the ring is not open, or the mark, up to which slots are formatted, is at the cursor. In another chunk than
 * home it may seem so, too. Both words have an index in their high halves; before the ring is open it is 0 in both. */
static inline bool tlog_ring_is_at_mark(const struct tlog_cpu *cpu, const uint32_t *current)
{
    return (((const volatile struct tlog_cpu *)cpu)->formed ^ *(const volatile uint32_t *)current) >> TLOG_CURSOR_SHIFT
           == 0;
}

/* tlog_form_slots() for any ring that is open. */
static inline bool tlog_ring_form(struct tlog_cpu *cpu, uint32_t n)
{
    return tlog_ring_is_forming(cpu) && !tlog_ring_is_held() && tlog_form_slots(cpu, n);
}
#else
static inline bool tlog_ring_is_forming(const struct tlog_cpu *cpu)
{
    (void)cpu;
    return false;
}

static inline bool tlog_ring_is_at_mark(const struct tlog_cpu *cpu, const uint32_t *current)
{
    (void)cpu, (void)current;
    return false;
}

static inline bool tlog_ring_form(struct tlog_cpu *cpu, uint32_t n)
{
    (void)cpu, (void)n;
    return false;
}
#endif

/* The block that tlog_start() is emptying, or NULL. */
static TLOG_FORCE_INLINE const uint32_t *tlog_ring_block_in_work(const struct tlog_cpu *cpu)
{
#if TLOG_BLOCKS
    return ((const volatile struct tlog_cpu *)cpu)->block;
#else
    (void)cpu;
    return NULL;
#endif
}

#if TLOG_BLOCKS
/* Slots of a block, which tlog_start() empties by plain stores: twice eight. */
enum { TLOG_BLOCK_SLOTS = 16, TLOG_BLOCK_WORDS = 4 * TLOG_BLOCK_SLOTS };

/* Whether a block is being emptied: by a call of tlog_start() that has been interrupted. */
static inline bool tlog_ring_is_emptying(void)
{
    return ((volatile struct tlog_cpu *)&tlog_cpu0)->block != NULL;
}

/* Empty the slots of a block. Returns the slot behind it. */
static inline uint32_t *tlog_form_block(uint32_t *block)
{
    volatile uint32_t *head = block + TLOG_WORD_HEAD;
    const uint32_t empty = TLOG_SLOT_EMPTY;
    for (const uint32_t *end = block + TLOG_BLOCK_WORDS; head < end; head += 32) {
        head[0] = empty;
        head[4] = empty;
        head[8] = empty;
        head[12] = empty;
        head[16] = empty;
        head[20] = empty;
        head[24] = empty;
        head[28] = empty;
    }
    return block + TLOG_BLOCK_WORDS;
}
#else
static inline bool tlog_ring_is_emptying(void)
{
    return false;
}
#endif

/* How many chunks of a ring that is open are formatted. */
#if TLOG_FORMS
static inline uint32_t tlog_ring_chunks(const struct tlog_cpu *cpu)
{
    return tlog_form_chunks(cpu);
}
#else
static inline uint32_t tlog_ring_chunks(const struct tlog_cpu *cpu)
{
    (void)cpu;
    return TLOG_CHUNKS;
}
#endif

#endif

#endif
