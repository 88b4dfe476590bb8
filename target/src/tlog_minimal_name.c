/* SPDX-License-Identifier: MIT */
/* tlog_minimal_name.c - facts with TLOG_MINIMAL: names and priorities, in a chunk that is never overwritten.
 *
 * tlog_name.c explains the words. Here a place is made for one fact and stays with it: room is used once only, and a
 * text that has become longer is cut to its place.
 *
 * A call searches its fact from the first slot to the cursor. If it finds none it makes a place behind the cursor and
 * moves the cursor, by stores that are made only while the cursor is where the search ended: so no fact has two places.
 * If the cursor has moved it searches on from there, TLOG_FACT_TRIES times; then the fact is dropped, and counted.
 * Then it writes its *ticket* into the head of the place, and the words of the fact, the head last, by stores that are
 * made only while the ticket is there. If another call with the same fact overtakes it, it finds that one's ticket and
 * gives up. A call that was killed costs nothing once its fact is told again. */
#include "tlog_speed.h"
#include "tlog.h"

#if TLOG_ENABLE && TLOG_MINIMAL
#include "tlog_name_impl.h"

uint32_t tlog_name_chunks[TLOG_CPUS][TLOG_NAME_WORDS] __attribute__((section(TLOG_SECTION ".names"), aligned(16)));

#define TLOG_NAMES_RING(cpu) TLOG_RING(tlog_name_chunks[cpu], cpu, TLOG_NAME_SLOTS, 0u, 1u, TLOG_ROLE_NAMES, true),
#define TLOG_NAMES_CPU(cpu)  TLOG_CPU_INIT(&name_rings[cpu]),

static const struct tlog_ring name_rings[] = {TLOG_EACH_CPU(TLOG_NAMES_RING)};

static struct tlog_cpu names[] = {TLOG_EACH_CPU(TLOG_NAMES_CPU)};

static uint32_t tickets;

#define TLOG_FACT_TRIES 3u /* of a call */

static TLOG_FORCE_INLINE const uint32_t *guard_of(const struct fact *fact)
{
    return fact->guard;
}

static bool is_at(uint32_t kind, const uint32_t *id, const uint32_t *slot)
{
    return ((load(slot + TLOG_WORD_HEAD) ^ kind) & TLOG_FACT_KIND) == 0 && load(slot) == id[0]
           && (TLOG_FACT_ID_WORDS == 1 || load(slot + 1) == id[1]);
}

/* The first slot of a fact that has one from `slot` up to `end`, or NULL. */
static TLOG_NOINLINE uint32_t *find_place(uint32_t kind, const uint32_t *id, uint32_t *slot, const uint32_t *end)
{
    while (slot < end && !is_at(kind, id, slot))
        slot += 4;
    return slot < end ? slot : NULL;
}

/* Make a place at a slot, where the cursor stands that has the value `seen`. False: the cursor has moved. */
static bool make_place(struct fact *fact, uint32_t *slot, uint32_t seen)
{
    uint32_t *const cursor = &fact->chunk->cursor;
    fact->guard = cursor;
    fact->right = seen;
    for (uint32_t i = 0; i < fact->slots; i++)
        put_word(fact, slot + i * 4u + TLOG_WORD_HEAD,
                 (i == 0 ? TLOG_FACT_HEAD(fact->kind) | TLOG_TAG_MASK : TLOG_FACT_FREE)
                     | (i + 1u < fact->slots ? TLOG_FACT_MORE : 0));
    for (uint32_t i = 0; i < TLOG_FACT_ID_WORDS; i++)
        put_word(fact, slot + i, fact->data[i]);
    return put_word(fact, cursor, seen + fact->slots * TLOG_CURSOR_STEP);
}

/* Write a fact to its place. A name that has become longer is cut. */
static TLOG_NOINLINE void write_fact(struct fact *fact, uint32_t *slot)
{
    uint32_t *const first = slot + TLOG_WORD_HEAD, more = load(first) & TLOG_FACT_MORE;
    const uint32_t slots = slots_of(slot), ticket = tlog_ring_add(&tickets, 1u) & TLOG_FACT_CHECK_MASK;
    if (slots < fact->slots && fact->text != NULL)
        set_text(fact, slots);
    fact->guard = first;
    fact->right = more | ticket << TLOG_FACT_CHECK_SHIFT | TLOG_FACT_HEAD(fact->kind) | TLOG_TAG_MASK;
    *(volatile uint32_t *)first = fact->right;
    put_word(fact, first, write_slots(fact, slot, slots));
}

static TLOG_NOINLINE void open_here(uint32_t cpu)
{
    (void)cpu;
    uint32_t *volatile *seen = &tlog_ring_names;
    *seen = tlog_name_chunks[0];
    if (TLOG_START == 0)
        tlog_ring_start(&tlog_cpu0); /* first: this decides the boot id (tlog_start.c) */
    tlog_ring_start(&names[0]);
}

static TLOG_FORCE_INLINE struct tlog_chunk *open_store(void)
{
    struct tlog_chunk *chunk = (struct tlog_chunk *)(void *)tlog_name_chunks[0];
    __asm("" : "+r"(chunk)); /* or else the compiler has a constant for each address in the chunk */
    if (!tlog_ring_is_open(&names[0]))
        open_here(0);
    return chunk;
}

static void tell_fact(struct fact *fact)
{
    uint32_t *const cursor = &fact->chunk->cursor, *slot = cursor + 4;
    for (uint32_t tries = TLOG_FACT_TRIES; tries > 0; tries--) {
        const uint32_t seen = load(cursor), end = seen >> TLOG_CURSOR_SHIFT;
        uint32_t *place = find_place(fact->kind, fact->data, slot, cursor + end * 4u);
        slot = cursor + end * 4u;
        if (place == NULL && end + fact->slots > TLOG_NAME_SLOTS + 1u)
            break;
        if (place == NULL && make_place(fact, slot, seen))
            place = slot;
        if (place != NULL) {
            write_fact(fact, place);
            return;
        }
    }
    count_lost(fact->chunk);
}

static uint32_t *find_priority(uint32_t context)
{
    const uint32_t id[2] = {context, 0};
    struct tlog_chunk *chunk = name_rings[0].first;
    return tlog_ring_is_open(&names[0]) ? find_place(TLOG_FACT_PRIORITY, id, &chunk->cursor + 4,
                                                     &chunk->cursor + (load(&chunk->cursor) >> TLOG_CURSOR_SHIFT) * 4u)
                                        : NULL;
}

#endif
