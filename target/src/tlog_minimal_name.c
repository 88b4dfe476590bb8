/* SPDX-License-Identifier: MIT */
/* tlog_minimal_name.c - facts with TLOG_MINIMAL: names and priorities, in a chunk that is never overwritten.
 *
 * tlog_name.c explains the words. Here a place is made for one fact and stays with it: room is used once only, and a
 * text that has become longer is cut to its place.
 *
 * A call searches its fact from the first slot to the cursor. If it finds none it makes a place behind the cursor and
 * moves the cursor, by stores that are made only while the cursor is where the search ended: so no fact has two places.
 * Then it writes its *ticket* into the head of the place, and the words of the fact, the head last, by stores that are
 * made only while the ticket is there. If another call with the same fact overtakes it, it finds that one's ticket and
 * gives up. A call that was killed costs nothing once its fact is told again. */
#include "tlog.h"
#include "tlog_ring_impl.h"

#include <stddef.h>

#if TLOG_ENABLE && TLOG_MINIMAL

uint32_t tlog_name_chunks[TLOG_CPUS][TLOG_NAME_WORDS] __attribute__((section(TLOG_SECTION ".names"), aligned(16)));

#define TLOG_NAMES_RING(cpu) TLOG_RING(tlog_name_chunks[cpu], cpu, TLOG_NAME_SLOTS, 0u, 1u, TLOG_ROLE_NAMES, true),
#define TLOG_NAMES_CPU(cpu)  TLOG_CPU_INIT(&name_rings[cpu]),

static const struct tlog_ring name_rings[] = {TLOG_EACH_CPU(TLOG_NAMES_RING)};

static struct tlog_cpu names[] = {TLOG_EACH_CPU(TLOG_NAMES_CPU)};

static uint32_t tickets;

enum { TLOG_FACT_ID_WORDS = sizeof(uintptr_t) / 4u, TLOG_FACT_SLOT_WORDS = 3 };

/* Most slots of a place, and words of its data. */
enum {
    TLOG_FACT_SLOTS_MOST =
        (TLOG_FACT_ID_WORDS + TLOG_NAME_BYTES / 4u + TLOG_FACT_SLOT_WORDS - 1u) / TLOG_FACT_SLOT_WORDS,
    TLOG_FACT_WORDS = TLOG_FACT_SLOTS_MOST * TLOG_FACT_SLOT_WORDS
};

/* What a call tells, and where. */
struct fact {
    uint32_t kind;
    uint32_t slots;                 /* that it needs; then, those of its place */
    uint32_t *slot;                 /* the first one of its place */
    uint32_t data[TLOG_FACT_WORDS]; /* its id, then the text or the value, then zeros */
};

/* Begin a fact. volatile: or else the compiler calls memset(). */
static TLOG_NOINLINE void begin_fact(struct fact *fact, uint32_t kind, uintptr_t id)
{
    fact->kind = kind;
    fact->slots = 1;
    for (uint32_t k = 0; k < TLOG_FACT_WORDS; k++)
        ((volatile uint32_t *)fact->data)[k] = 0;
    fact->data[0] = (uint32_t)id;
    if (TLOG_FACT_ID_WORDS > 1)
        fact->data[TLOG_FACT_ID_WORDS - 1] = (uint32_t)(id >> 16 >> 16);
}

static uint32_t load(const uint32_t *word)
{
    return *(const volatile uint32_t *)word;
}

/* Store a word, if `right` has that value when it is stored. */
static TLOG_NOINLINE bool put_word(uint32_t *word, uint32_t value, const uint32_t *right, uint32_t expected)
{
    do {
        tlog_port_load_exclusive(word);
        if (load(right) != expected) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(value, word));
    return true;
}

static uint32_t more_behind(uint32_t number, uint32_t slots)
{
    return number + 1u < slots ? TLOG_FACT_MORE : 0;
}

static bool is_at(const struct fact *fact, const uint32_t *slot)
{
    return ((load(slot + TLOG_WORD_HEAD) ^ fact->kind) & TLOG_FACT_KIND) == 0 && load(slot) == fact->data[0]
           && (TLOG_FACT_ID_WORDS == 1 || load(slot + 1) == fact->data[1]);
}

/* Set the place of the fact, which may be from a slot to `end`. False: there is none; it is to be made there. */
static bool find_place(struct fact *fact, uint32_t *slot, const uint32_t *end)
{
    for (fact->slot = slot; slot < end; slot += 4) {
        if (load(slot + TLOG_WORD_HEAD) & TLOG_FACT_MORE)
            continue;
        if (is_at(fact, fact->slot)) {
            fact->slots = (uint32_t)(slot - fact->slot) / 4u + 1u;
            return true;
        }
        fact->slot = slot + 4;
    }
    return false;
}

/* Make a place at the cursor, which has that value. Each of its slots has the id for now. False: the cursor moved. */
static bool make_place(const struct fact *fact, uint32_t *cursor, uint32_t seen)
{
    uint32_t *slot = fact->slot;
    for (uint32_t i = 0; i < fact->slots; i++, slot += 4) {
        put_word(slot + TLOG_WORD_HEAD, TLOG_FACT_HEAD(fact->kind) | TLOG_TAG_MASK | more_behind(i, fact->slots),
                 cursor, seen);
        for (uint32_t k = 0; k < TLOG_FACT_ID_WORDS; k++)
            put_word(slot + k, fact->data[k], cursor, seen);
    }
    return put_word(cursor, seen + fact->slots * TLOG_CURSOR_STEP, cursor, seen);
}

static struct tlog_chunk *open_here(void)
{
    struct tlog_chunk *chunk = name_rings[0].first;
    uint32_t *volatile *seen = &tlog_ring_names;
    __asm("" : "+r"(chunk)); /* or else the compiler has a constant for each address in the chunk */
    *seen = &chunk->magic;
    tlog_ring_start(&tlog_cpu0); /* first: this decides the boot id (tlog_start.c) */
    tlog_ring_start(&names[0]);
    return chunk;
}

/* Find the place of a fact, or make it. False: there is no room; that is counted. */
static TLOG_NOINLINE bool place(struct fact *fact)
{
    struct tlog_chunk *chunk = open_here();
    uint32_t *cursor = &chunk->cursor, seen, next;
    do {
        seen = load(cursor);
        next = seen >> TLOG_CURSOR_SHIFT;
        if (find_place(fact, cursor + 4, cursor + next * 4u))
            return true;
        if (next + fact->slots > TLOG_NAME_SLOTS + 1u) {
            tlog_ring_add(&chunk->dropped, 1u);
            return false;
        }
    } while (!make_place(fact, cursor, seen));
    return true;
}

/* Take a place for the fact that is told. Returns the head by which it is taken. */
static TLOG_NOINLINE uint32_t take_place(const struct fact *fact)
{
    const uint32_t ticket = tlog_ring_add(&tickets, 1u) & TLOG_FACT_CHECK_MASK;
    const uint32_t head =
        more_behind(0, fact->slots) | ticket << TLOG_FACT_CHECK_SHIFT | TLOG_FACT_HEAD(fact->kind) | TLOG_TAG_MASK;
    *(volatile uint32_t *)(fact->slot + TLOG_WORD_HEAD) = head;
    return head;
}

/* Write a fact to its place, while that has the head by which it was taken. */
static TLOG_NOINLINE void commit(const struct fact *fact, uint32_t taken)
{
    const uint32_t *right = fact->slot + TLOG_WORD_HEAD;
    uint32_t *word = fact->slot, sum = fact->kind | fact->slots << 8;
    for (const uint32_t *data = fact->data; word < right + (fact->slots - 1u) * 4u; word++)
        for (uint32_t j = 0; j < TLOG_FACT_SLOT_WORDS; j++, data++) {
            sum = TLOG_FACT_MIX(sum, *data);
            put_word(word++, *data, right, taken);
        }
    sum = TLOG_FACT_HEAD(fact->kind) | TLOG_TAG_ODD | (sum & TLOG_FACT_CHECK_MASK) << TLOG_FACT_CHECK_SHIFT;
    for (uint32_t i = fact->slots; i-- > 0;) {
        put_word(word - 1, sum | more_behind(i, fact->slots), right, taken);
        word -= 4;
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

void tlog_name(uint32_t kind, uintptr_t id, const char *name)
{
    if (tlog_port_refuses())
        return;
    struct fact fact;
    begin_fact(&fact, kind, id);
    char *text = (char *)(fact.data + TLOG_FACT_ID_WORDS);
    uint32_t length = 0;
    for (; length < TLOG_NAME_BYTES - 1u && name[length]; length++)
        text[length] = name[length];
    fact.slots = (length + TLOG_FACT_ID_WORDS * 4u + TLOG_FACT_SLOT_WORDS * 4u - 1u) / (TLOG_FACT_SLOT_WORDS * 4u);
    if (place(&fact))
        commit(&fact, take_place(&fact));
}

/* The fact cannot be read while the record is logged: see tlog_name.c. */
void tlog_priority(uint32_t context, int32_t priority)
{
    if (tlog_port_refuses())
        return;
    const int32_t most = TLOG_PRIORITY_MOST;
    struct fact fact;
    uint32_t taken = 0;
    priority = priority > most ? most : priority < -most ? -most : priority;
    begin_fact(&fact, TLOG_FACT_PRIORITY, context);
    fact.data[TLOG_FACT_ID_WORDS] = (uint32_t)priority;
    if (place(&fact)) {
        const uint32_t before = load(fact.slot + TLOG_FACT_ID_WORDS), head = load(fact.slot + TLOG_WORD_HEAD);
        const bool is_known = (head & TLOG_TAG_MASK) == TLOG_TAG_ODD;
        if (is_known && before == fact.data[TLOG_FACT_ID_WORDS])
            return;
        taken = take_place(&fact);
        if (is_known)
            priority = (int32_t)((before + TLOG_PRIORITY_BIAS) << 16 | ((uint32_t)priority & 0xFFFFu));
    }
    tlog_record_any(context, (uint32_t)priority, FTrace_EVT_set_priority);
    if (taken != 0)
        commit(&fact, taken);
}

#endif
