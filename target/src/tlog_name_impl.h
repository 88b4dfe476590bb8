/* SPDX-License-Identifier: MIT */
/* tlog_name_impl.h - what both stores of facts share, tlog_name.c and tlog_minimal_name.c: the words of a fact, and
 * changes of priorities.
 *
 * Private to tlog. */
#ifndef TLOG_NAME_IMPL_H
#define TLOG_NAME_IMPL_H

#include "tlog_ring_impl.h"

#include <stddef.h>

#if TLOG_ENABLE

/* All is compiled for size, but for changes of priorities. */
#define TLOG_FACT_SMALL __attribute__((noinline, cold))

enum {
    TLOG_FACT_ID_WORDS = sizeof(uintptr_t) / 4,
    TLOG_FACT_TIME = TLOG_FACT_ID_WORDS, /* word of a name: the clock when it ended; wraps are in the second head */
    TLOG_FACT_TEXT = TLOG_FACT_TIME + 1, /* word where its text begins */
    TLOG_FACT_MOST_SLOTS = 4,
    TLOG_FACT_WORDS_MOST = TLOG_FACT_MOST_SLOTS * 4,
    TLOG_FACT_FREE = TLOG_FACT_HEAD(0) | TLOG_TAG_ODD
};
TLOG_STATIC_ASSERT(TLOG_FACT_TEXT * 4 + TLOG_NAME_BYTES - 1 <= TLOG_FACT_MOST_SLOTS * 12,
                   "struct fact has no room for the longest name");

/* What a call tells. */
struct fact {
    uint32_t data[TLOG_FACT_WORDS_MOST]; /* slots, with heads as set_heads() makes them: the id, the time of a name,
                                          * then its text; or words */
    uint32_t kind;
    uint32_t slots;           /* that it needs */
    uint32_t right;           /* what a word must be for the call to store */
    const char *text;         /* of a name; NULL: it is none */
    struct tlog_chunk *chunk; /* where new places are made */
};

static uint32_t load(const uint32_t *word)
{
    return *(const volatile uint32_t *)word;
}

/* The factor of the checks, which the compiler does not know: else it makes a dozen additions of it on ARMv6-M. */
static TLOG_FORCE_INLINE uint32_t root(void)
{
    uint32_t value = TLOG_CHECK_ROOT;
    __asm("" : "+r"(value));
    return value;
}

/* Clear the words behind the id. volatile: or else it is a call of memset(). */
static TLOG_NOINLINE void clear_words(struct fact *fact)
{
    for (volatile uint32_t *word = fact->data + TLOG_FACT_ID_WORDS; word < fact->data + TLOG_FACT_WORDS_MOST; word++)
        *word = 0;
}

/* Write a name into the words of a fact. It is cut to what so many slots hold, but not inside a character. It has two
 * slots at least. */
static TLOG_NOINLINE void set_text(struct fact *fact, uint32_t slots)
{
    const uint32_t room = (slots * TLOG_WORD_HEAD - TLOG_FACT_TEXT) * 4u;
    const char *text = fact->text, *end = text + (room < TLOG_NAME_BYTES ? room : TLOG_NAME_BYTES - 1u);
    uint32_t at = TLOG_FACT_TEXT * 4u;
    while (end > text && ((unsigned char)*end & 0xC0u) == 0x80u)
        end--;
    clear_words(fact);
    while (text < end && *text != '\0') {
        if (at % 16u == TLOG_WORD_HEAD * 4u)
            at += 4u;
        ((char *)fact->data)[at++] = *text++;
    }
    fact->slots = at < 32u ? 2u : at / 16u + 1u;
}

/* Set the heads of a fact whose place has so many slots. The value of a priority counts as 0: it has a check of its
 * own. */
static TLOG_NOINLINE void set_heads(struct fact *fact, uint32_t slots, uint32_t wraps)
{
    uint32_t sum = (fact->kind | slots << 8) + wraps, *word = fact->data;
    for (uint32_t left = slots * 4u; left > 0; left--, word++) {
        if (left % 4u == 1u)
            *word = TLOG_FACT_FREE | (left > 1u ? TLOG_FACT_MORE : 0);
        else {
            if (fact->kind != TLOG_FACT_PRIORITY || word != fact->data + TLOG_FACT_ID_WORDS)
                sum ^= *word;
            sum *= root();
            sum = TLOG_FACT_FOLD(sum);
        }
    }
    fact->data[TLOG_WORD_HEAD] |= (sum & TLOG_FACT_CHECK_MASK) << TLOG_FACT_CHECK_SHIFT | fact->kind;
    fact->data[TLOG_WORD_HEAD + 4] |= wraps;
}

/* The slots of a place. */
static uint32_t slots_of(const uint32_t *slot)
{
    uint32_t slots = 1;
    for (; (load(slot + TLOG_WORD_HEAD) & TLOG_FACT_MORE) != 0 && slots < TLOG_FACT_MOST_SLOTS; slot += 4)
        slots++;
    return slots;
}

/* Begin a fact, in a store that is open. */
static void begin_fact(struct fact *fact, uint32_t kind, uintptr_t id);

/* Store the fact that is told, in words. */
static void tell_fact(struct fact *fact);

/* The first slot of a priority that is not being written, or NULL. */
static uint32_t *find_priority(uint32_t context);

static TLOG_NOINLINE void count_lost(struct tlog_chunk *chunk)
{
    if (((load(&chunk->dropped) + 1u) & TLOG_COUNT_MIRROR) == 0)
        tlog_ring_add(&chunk->dropped, 1u);
}

__attribute__((cold)) void tlog_name(uint32_t kind, uintptr_t id, const char *name)
{
    struct fact fact;
    if (tlog_port_refuses())
        return;
    begin_fact(&fact, kind, id);
    if (kind - 1u < TLOG_FACT_VALUES - 1u) {
        fact.text = name;
        set_text(&fact, TLOG_FACT_MOST_SLOTS);
        tell_fact(&fact);
    } else
        count_lost(fact.chunk);
}

__attribute__((cold)) void tlog_fact_words(uint32_t kind, uintptr_t id, const uint32_t *words, uint32_t n)
{
    struct fact fact;
    begin_fact(&fact, kind, id);
    clear_words(&fact);
    for (uint32_t at = TLOG_FACT_ID_WORDS; n > 0; at++)
        if (at % 4u != TLOG_WORD_HEAD) {
            fact.data[at] = *words++;
            fact.slots = at / 4u + 1u;
            n--;
        }
    tell_fact(&fact);
}

/* ---- priorities -------------------------------------------------------------------------------------------------- */

/* Bits of a head that tell what is in its place, and in what state. */
#define TLOG_FACT_STATE (TLOG_FACT_KIND | TLOG_TAG_MASK | TLOG_FACT_RELEASED)

static uint32_t before_and_after(uint32_t before, int32_t after)
{
    return (before + TLOG_PRIORITY_BIAS) << 16 | ((uint32_t)after & 0xFFFFu);
}

/* Change a priority that is out of range, or whose fact is new, was released, or is being changed by another call. Or
 * it is the same. */
TLOG_FACT_SMALL static void change_slowly(const uint32_t *slot, uint32_t context, int32_t priority)
{
    if (priority > TLOG_PRIORITY_MOST)
        priority = TLOG_PRIORITY_MOST;
    if (priority < -TLOG_PRIORITY_MOST)
        priority = -TLOG_PRIORITY_MOST;
    uint32_t value = (uint32_t)priority & 0xFFFFu, par2 = (uint32_t)priority;
    if (slot != NULL) {
        const uint32_t seen = load(slot + TLOG_FACT_ID_WORDS), head = load(slot + TLOG_WORD_HEAD) ^ TLOG_FACT_PRIORITY;
        const bool is_known =
            (head & (TLOG_FACT_KIND | TLOG_TAG_MASK)) == TLOG_TAG_ODD && (seen & TLOG_PRIORITY_CHANGING) == 0;
        if (is_known && (head & TLOG_FACT_RELEASED) == 0 && (seen & 0xFFFFu) == value)
            return;
        if (is_known)
            par2 = before_and_after(seen, priority);
    }
    value |= TLOG_PRIORITY_CHECK(value);
    tlog_record_any(context, par2, FTrace_EVT_set_priority);
    tlog_fact_words(TLOG_FACT_PRIORITY, context, &value, 1);
}

/* While the record is logged the value is marked: so no reader takes the new priority for that of the time before the
 * record, nor the old one for that behind it. Of two calls at once the one that marks last writes. The watch is on the
 * value: if the place becomes another fact's, its words are written, and the mark is not. */
void tlog_priority(uint32_t context, int32_t priority)
{
    if (tlog_port_refuses())
        return;
    uint32_t *const slot = find_priority(context), *word, seen, value;
    if (slot == NULL || (uint32_t)priority + TLOG_PRIORITY_MOST > 2u * TLOG_PRIORITY_MOST) {
        change_slowly(slot, context, priority);
        return;
    }
    word = slot + TLOG_FACT_ID_WORDS;
    do {
        seen = tlog_port_load_exclusive(word);
        if (load(slot) != context
            || ((load(slot + TLOG_WORD_HEAD) ^ TLOG_FACT_PRIORITY) & TLOG_FACT_STATE) != TLOG_TAG_ODD
            || (seen & TLOG_PRIORITY_CHANGING) != 0 || ((seen ^ (uint32_t)priority) & 0xFFFFu) == 0) {
            tlog_port_clear_exclusive();
            change_slowly(slot, context, priority);
            return;
        }
    } while (tlog_port_store_exclusive(seen | TLOG_PRIORITY_CHANGING, word));
    tlog_record(FTrace_EVT_set_priority, context, before_and_after(seen, priority));
    value = ((seen + TLOG_PRIORITY_STEP) & TLOG_PRIORITY_COUNT) | ((uint32_t)priority & 0xFFFFu);
    value |= value * root() & 0xFF000000u; /* TLOG_PRIORITY_CHECK() */
    do {
        if (tlog_port_load_exclusive(word) != (seen | TLOG_PRIORITY_CHANGING)) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(value, word));
}

#endif

#endif
