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
    TLOG_FACT_TEXT = TLOG_FACT_TIME + 1, /* words of its data ahead of its text */
    TLOG_FACT_MOST_SLOTS = 4,
    TLOG_FACT_WORDS_MOST = TLOG_FACT_MOST_SLOTS * TLOG_WORD_HEAD,
    TLOG_FACT_FREE = TLOG_FACT_HEAD(0) | TLOG_TAG_ODD
};
TLOG_STATIC_ASSERT(TLOG_FACT_TEXT * 4 + TLOG_NAME_BYTES - 1 <= TLOG_FACT_WORDS_MOST * 4,
                   "struct fact has no room for the longest name");

/* What a call tells. */
struct fact {
    uint32_t data[TLOG_FACT_WORDS_MOST]; /* without heads: the id; the time of a name, and its text; or words; zeros */
    uint32_t kind;
    uint32_t wraps;        /* of the time, as the second head has them */
    uint32_t released;     /* TLOG_FACT_RELEASED, or 0 */
    uint32_t slots;        /* that it needs */
    const uint32_t *guard; /* the word that must have the value `right` for the call to store; see guard_of() */
    uint32_t right;
    uint32_t place, old;      /* numbers of the place where it is to be written, and of the one where it stands */
    const char *text;         /* of a name; NULL: it is none */
    struct tlog_chunk *chunk; /* where new places are made */
};

static uint32_t load(const uint32_t *word)
{
    return *(const volatile uint32_t *)word;
}

/* The word that gives a call its right to store. */
static TLOG_FORCE_INLINE const uint32_t *guard_of(const struct fact *fact);

/* Open the store, unless it is open. Returns the chunk where new places are made. */
static TLOG_FORCE_INLINE struct tlog_chunk *open_store(void);

/* The factor of the checks, which the compiler does not know: else it makes a dozen additions of it on ARMv6-M. */
static TLOG_FORCE_INLINE uint32_t root(void)
{
    uint32_t value = TLOG_CHECK_ROOT;
    __asm("" : "+r"(value));
    return value;
}

/* Zeros from a word of the data on. volatile: or else it is a call of memset(). */
static TLOG_NOINLINE void clear_words(struct fact *fact, uint32_t from)
{
    for (volatile uint32_t *word = fact->data + from; word < fact->data + TLOG_FACT_WORDS_MOST; word++)
        *word = 0;
}

/* Write a name into the words of a fact. It is cut to what so many slots hold, but not inside a character. It has two
 * slots at least. */
static TLOG_NOINLINE void set_text(struct fact *fact, uint32_t slots)
{
    const char *const text = fact->text;
    volatile char *const to = (volatile char *)(fact->data + TLOG_FACT_TEXT);
    const uint32_t room = (slots * TLOG_WORD_HEAD - TLOG_FACT_TEXT) * 4u;
    const uint32_t most = room < TLOG_NAME_BYTES ? room : TLOG_NAME_BYTES - 1u;
    uint32_t length = 0;
    fact->data[TLOG_FACT_TIME] = 0;
    for (char next; length < most && (next = text[length]) != '\0'; length++)
        to[length] = next;
    while (length > 0 && ((unsigned char)text[length] & 0xC0u) == 0x80u)
        length--;
    for (slots = 2; slots * TLOG_WORD_HEAD * 4u < TLOG_FACT_TEXT * 4u + length;)
        slots++;
    fact->slots = slots;
    while (length % 4u != 0)
        to[length++] = '\0';
    clear_words(fact, TLOG_FACT_TEXT + length / 4u);
}

/* Store a word, if the call has the right to. False: it has lost that. */
static TLOG_FORCE_INLINE bool put_rightly(const struct fact *fact, uint32_t *word, uint32_t value)
{
    do {
        tlog_port_load_exclusive(word);
        if (load(guard_of(fact)) != fact->right) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(value, word));
    return true;
}

static TLOG_NOINLINE bool put_word(const struct fact *fact, uint32_t *word, uint32_t value)
{
    return put_rightly(fact, word, value);
}

static TLOG_FORCE_INLINE uint32_t mix_word(uint32_t sum, uint32_t word, uint32_t factor)
{
    sum = (sum ^ word) * factor;
    return TLOG_FACT_FOLD(sum);
}

/* Write a fact to slots, but for the first head, which it returns. The value of a priority counts as 0
 * in the check: it has one of its own. */
static TLOG_NOINLINE uint32_t write_slots(const struct fact *fact, uint32_t *slot, uint32_t slots)
{
    const uint32_t *from = fact->data, *head = slot + TLOG_WORD_HEAD, *const end = slot + slots * 4u;
    const uint32_t factor = root();
    const uint32_t *const value = fact->kind == TLOG_FACT_PRIORITY ? from + TLOG_FACT_ID_WORDS + 1 : NULL;
    uint32_t wraps = fact->wraps, sum = (fact->kind | slots << 8) + wraps, word;
    for (; slot < end; slot++) {
        if (slot != head) {
            word = *from++;
            sum = mix_word(sum, from == value ? 0 : word, factor);
        } else {
            head += 4;
            if (from == fact->data + TLOG_WORD_HEAD)
                continue; /* the first head */
            word = TLOG_FACT_FREE | wraps | (head < end ? TLOG_FACT_MORE : 0);
            wraps = 0;
        }
        if (load(slot) != word)
            put_rightly(fact, slot, word);
    }
    return TLOG_FACT_FREE | fact->kind | (sum & TLOG_FACT_CHECK_MASK) << TLOG_FACT_CHECK_SHIFT
           | (slots > 1u ? TLOG_FACT_MORE : 0);
}

/* The slots of a place. */
static TLOG_NOINLINE uint32_t slots_of(const uint32_t *slot)
{
    uint32_t slots = 1;
    for (; (load(slot + TLOG_WORD_HEAD) & TLOG_FACT_MORE) != 0 && slots < TLOG_FACT_MOST_SLOTS; slot += 4)
        slots++;
    return slots;
}

/* Store the fact that is told, in words. */
static void tell_fact(struct fact *fact);

/* The first slot of a priority that is not being written, or NULL. */
static uint32_t *find_priority(uint32_t context);

static TLOG_NOINLINE void count_lost(struct tlog_chunk *chunk)
{
    if (((load(&chunk->dropped) + 1u) & TLOG_COUNT_MIRROR) == 0)
        tlog_ring_add(&chunk->dropped, 1u);
}

static TLOG_NOINLINE void begin_fact(struct fact *fact, uint32_t kind, uintptr_t id)
{
    fact->data[0] = (uint32_t)id;
    fact->data[1] = high_half(id);
    fact->kind = kind;
    fact->wraps = fact->released = 0;
    fact->text = NULL;
    fact->chunk = open_store();
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
    clear_words(&fact, TLOG_FACT_ID_WORDS);
    for (uint32_t i = 0; i < n; i++)
        fact.data[TLOG_FACT_ID_WORDS + i] = words[i];
    fact.slots = TLOG_FACT_ID_WORDS + n > TLOG_WORD_HEAD ? 2 : 1;
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

/* A priority that is being changed: its place, and the word with the value before. */
struct change {
    uint32_t *slot;
    uint32_t seen;
};

/* Mark the value. False: it is not so simple. */
static TLOG_FORCE_INLINE bool mark_priority(uint32_t context, int32_t priority, struct change *change)
{
    uint32_t *const slot = find_priority(context), seen, wrong;
    change->slot = slot;
    if (slot == NULL || (uint32_t)priority + TLOG_PRIORITY_MOST > 2u * TLOG_PRIORITY_MOST)
        return false;
    do {
        seen = tlog_port_load_exclusive(slot + TLOG_FACT_ID_WORDS);
        wrong = (load(slot) ^ context) | (seen & TLOG_PRIORITY_CHANGING)
                | ((load(slot + TLOG_WORD_HEAD) ^ (TLOG_FACT_PRIORITY | TLOG_TAG_ODD)) & TLOG_FACT_STATE);
        if (wrong != 0 || (seen ^ (uint32_t)priority) << 16 == 0) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(seen | TLOG_PRIORITY_CHANGING, slot + TLOG_FACT_ID_WORDS));
    change->seen = seen;
    return true;
}

/* While the record is logged the value is marked: so no reader takes the new priority for that of the time before the
 * record, nor the old one for that behind it. Of two calls at once the one that marks last writes. The watch is on the
 * value: if the place becomes another fact's, its words are written, and the mark is not. */
void tlog_priority(uint32_t context, int32_t priority)
{
    struct change change;
    if (tlog_port_refuses())
        return;
    if (!mark_priority(context, priority, &change)) {
        change_slowly(change.slot, context, priority);
        return;
    }
    tlog_record(FTrace_EVT_set_priority, context, before_and_after(change.seen, priority));
    uint32_t *const word = change.slot + TLOG_FACT_ID_WORDS, seen = change.seen | TLOG_PRIORITY_CHANGING;
    uint32_t value = ((seen + TLOG_PRIORITY_CHANGING) & TLOG_PRIORITY_COUNT) | ((uint32_t)priority & 0xFFFFu);
    value |= value * root() & 0xFF000000u; /* TLOG_PRIORITY_CHECK() */
    do {
        if (tlog_port_load_exclusive(word) != seen) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(value, word));
}

#endif

#endif
