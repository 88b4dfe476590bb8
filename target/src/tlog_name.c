/* SPDX-License-Identifier: MIT */
/* tlog_name.c - facts: names and values that stay true until they are changed, in a chunk of each CPU that is never
 * overwritten.
 *
 * Words
 *   fact      what one call tells: of what kind, of which id, and a text or words. Of each kind and id one is
 *             *current*; names that were released are facts of the past, with the time when they ended
 *   place     one or more slots side by side that hold a fact, or are free. One bit of each head tells whether the
 *             place goes on behind the slot: so one store divides a place, or joins two. New places are made at the
 *             cursor; once that has come to the end, at the hand
 *   hand      where the search for room goes on: it passes the places in turn, so what was released first goes first
 *   index     which place holds a fact: a hash table with a chain of places for each of its buckets. It is no part of
 *             the dump
 *   version   a count that is odd while a call changes anything. A call that makes it odd has claimed the store; the
 *             claim ends when the version changes
 *
 * What a call does
 *   1  It claims: it makes the version odd, and another number than that of another call's claim, which ends by this.
 *   2  It finds the fact by the index.
 *   3  It finds room: in place, if the fact is there and fits. Else slots at the cursor or at the hand become one free
 *      place: all of them are joined, first to last, and what is too much is cut off. The place gets the id and is put
 *      into the index.
 *   4  It *promises*: the words of the fact and its heads are written to the journal, which is no part of the dump;
 *      then one store tells the number of the place, and that of the old one. From here on the fact is told for
 *      certain: whoever claims the store next keeps the promise first, if this call does not.
 *   5  It keeps the promise: words go from the journal to the place, the old place becomes free if it is another one;
 *      the first head is written last.
 *   6  It ends the claim. If it has lost it without a promise, it begins anew, at most TLOG_FACT_TRIES times; then the
 *      fact is dropped, and counted; the one before stays. So nobody waits, and no call takes longer than that,
 *      whatever interrupts it.
 *
 * Why this is safe
 *   Every store here is a store-exclusive, made only while the version is that of the claim. A claim that is lost does
 *   not come back: so a call need not look at each store, and if the last one was made, all were.
 *   A call may be broken off behind any store. Each one leaves places side by side, of which a reader sees that they
 *   are free, being written, or valid; and each one leaves an index that leads to every current fact:
 *   - A place gets into the index while it is free, and leaves it when it is free or released. A chain may have such
 *     places, too; they are passed.
 *   - A slot stands in the chain of its id, if in any: so it is taken out of that before its id changes.
 *   A promise may be kept twice: that does the same.
 *   A search that meets the changes of another call may go astray, but it ends, and its claim is lost by then.
 *   The same holds for several CPUs, if a watch ends when another CPU stores (port/tlog_port.h).
 *
 * A priority changes without a claim: its value is one word, which tells whether it is being changed. */
#include "tlog_speed.h"
#include "tlog.h"

#if TLOG_ENABLE && !TLOG_MINIMAL
#include "tlog_name_impl.h"

uint32_t tlog_name_chunks[TLOG_CPUS][TLOG_NAME_WORDS] __attribute__((section(TLOG_SECTION ".names"), aligned(16)));

#define TLOG_NAMES_RING(cpu) TLOG_RING(tlog_name_chunks[cpu], cpu, TLOG_NAME_SLOTS, 0u, 1u, TLOG_ROLE_NAMES, true),
#define TLOG_NAMES_CPU(cpu)  TLOG_CPU_INIT(&name_rings[cpu]),

static const struct tlog_ring name_rings[TLOG_CPUS] = {TLOG_EACH_CPU(TLOG_NAMES_RING)};

static struct tlog_cpu names[TLOG_CPUS] = {TLOG_EACH_CPU(TLOG_NAMES_CPU)};

static uint32_t version;
static uint32_t hands[TLOG_CPUS];
static uint32_t promised; /* 31..16: number of the old place, or 0; 15..0: of the place to write; 0: nothing */
static uint32_t journal[TLOG_FACT_MOST_SLOTS * 4];

#define TLOG_FACT_TRIES 3u /* of a call */

/* Buckets of the index: a power of 2, about as many as there are facts. */
#define TLOG_FACT_BUCKET_BITS                                                                                          \
    (TLOG_CPUS * TLOG_NAME_SLOTS > 511   ? 9u                                                                          \
     : TLOG_CPUS * TLOG_NAME_SLOTS > 255 ? 8u                                                                          \
     : TLOG_CPUS * TLOG_NAME_SLOTS > 127 ? 7u                                                                          \
     : TLOG_CPUS * TLOG_NAME_SLOTS > 47  ? 6u                                                                          \
                                         : 5u)

enum { TLOG_FACT_BUCKETS = 1 << TLOG_FACT_BUCKET_BITS };
TLOG_STATIC_ASSERT(TLOG_CPUS *(TLOG_NAME_SLOTS) < 0xFFFF, "TLOG_NAME_SLOTS: all CPUs together have 65534 at most");

static TLOG_FORCE_INLINE const uint32_t *guard_of(const struct fact *fact)
{
    (void)fact;
    return &version;
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */

static TLOG_FORCE_INLINE struct tlog_chunk *chunk_of_names(uint32_t cpu)
{
    return TLOG_RUNS > 1 ? tlog_ring_first(&names[cpu]) : (struct tlog_chunk *)(void *)tlog_name_chunks[cpu];
}

/* Slots have numbers from 1 on, those of each CPU behind those of the CPU before. */
static TLOG_FORCE_INLINE uint32_t *slot_of(uint32_t number)
{
    const uint32_t cpu = TLOG_CPUS > 1 ? (number - 1u) / TLOG_NAME_SLOTS : 0;
    return &chunk_of_names(cpu)->cursor + (number - cpu * TLOG_NAME_SLOTS) * 4u;
}

static uint32_t cpu_of(const struct fact *fact)
{
    return TLOG_CPUS > 1 ? fact->chunk->place & 0xFFu : 0;
}

/* ---- the index --------------------------------------------------------------------------------------------------- */

/* Numbers of slots, 0: none. First those that begin the chains of the buckets, then that behind each slot in its
 * chain. Two are in a word. */
typedef uint16_t __attribute__((may_alias)) tlog_fact_link;
static uint32_t links[(TLOG_FACT_BUCKETS + TLOG_CPUS * TLOG_NAME_SLOTS + 1) / 2];

static TLOG_FORCE_INLINE uint32_t bucket_of(uint32_t id)
{
    return id * root() >> (32u - TLOG_FACT_BUCKET_BITS);
}

static TLOG_FORCE_INLINE uint32_t behind(uint32_t number)
{
    return TLOG_FACT_BUCKETS - 1u + number;
}

static TLOG_FORCE_INLINE uint32_t link_at(uint32_t at)
{
    return ((const volatile tlog_fact_link *)links)[at];
}

static TLOG_NOINLINE void put_link(const struct fact *fact, uint32_t at, uint32_t number)
{
    uint32_t *const word = &links[at / 2u];
    const uint32_t shift = at % 2u * 16u;
    put_word(fact, word, (load(word) & 0xFFFF0000u >> shift) | number << shift);
}

/* Give a free slot the id of a fact, and put it at the beginning of that chain. */
static TLOG_NOINLINE void enter_chain(const struct fact *fact, uint32_t number)
{
    const uint32_t bucket = bucket_of(fact->data[0]);
    for (uint32_t i = 0; i < TLOG_FACT_ID_WORDS; i++)
        put_word(fact, slot_of(number) + i, fact->data[i]);
    put_link(fact, behind(number), link_at(bucket));
    put_link(fact, bucket, number);
}

/* Take a slot out of its chain, if it is there. */
static TLOG_NOINLINE void leave_chain(const struct fact *fact, uint32_t number)
{
    uint32_t at = bucket_of(load(slot_of(number))), next;
    while ((next = link_at(at)) != number) {
        if (next == 0)
            return;
        at = behind(next);
    }
    put_link(fact, at, link_at(behind(number)));
}

/* Make a place free that holds a fact. */
static void free_place(const struct fact *fact, uint32_t number)
{
    uint32_t *const head = slot_of(number) + TLOG_WORD_HEAD;
    put_word(fact, head, TLOG_FACT_FREE | (load(head) & TLOG_FACT_MORE));
    leave_chain(fact, number);
}

/* The number of the fact of that kind and id, or 0; of which no bit of the mask is set in the head. */
static TLOG_FORCE_INLINE uint32_t find_slot(uint32_t kind, uint32_t id, uint32_t id_high, uint32_t mask)
{
    uint32_t number = link_at(bucket_of(id));
    for (; number != 0; number = link_at(behind(number))) {
        const uint32_t *slot = slot_of(number);
        if (load(slot) == id && ((load(slot + TLOG_WORD_HEAD) ^ kind) & (TLOG_FACT_KIND | mask)) == 0
            && (TLOG_FACT_ID_WORDS == 1 || load(slot + 1) == id_high))
            break;
    }
    return number;
}

/* The number of the current fact. A value that was released is current until its room is used. */
static uint32_t find_current(const struct fact *fact)
{
    return find_slot(fact->kind, fact->data[0], fact->data[1], fact->kind < TLOG_FACT_VALUES ? TLOG_FACT_RELEASED : 0);
}

/* ---- room -------------------------------------------------------------------------------------------------------- */

/* Find places side by side that are free or released, from the hand on; behind the cursor each slot is a free place.
 * Returns the index of the first slot, and how many slots there are; or 0. */
static uint32_t find_fact_room(const struct fact *fact, uint32_t *slots)
{
    const uint32_t *heads = &fact->chunk->cursor + TLOG_WORD_HEAD;
    uint32_t at = load(&hands[cpu_of(fact)]), first = at;
    for (uint32_t left = TLOG_NAME_SLOTS + TLOG_FACT_MOST_SLOTS; left > 0; left--) {
        uint32_t head;
        if (at - 1u >= TLOG_NAME_SLOTS)
            at = first = 1;
        head = load(heads + 4u * at);
        while (load(heads + 4u * at++) & TLOG_FACT_MORE && at <= TLOG_NAME_SLOTS)
            ;
        if ((head & TLOG_FACT_KIND) != 0 && (head & TLOG_FACT_RELEASED) == 0)
            first = at;
        else if (at - first >= *slots) {
            *slots = at - first;
            return first;
        }
    }
    return 0;
}

/* Count a name of the past that makes room, if the ring may hold events of its time: if it did not end ahead of the
 * oldest event, which stands where the next one will. */
TLOG_FACT_SMALL static void count_replaced(const struct fact *fact, const uint32_t *slot)
{
    const struct tlog_chunk *home = tlog_ring_home(tlog_cpu_here());
    if (tlog_ring_is_early(tlog_cpu_here()))
        return;
    const uint32_t index = cursor_of(home) >> TLOG_CURSOR_SHIFT;
    const uint32_t *oldest = &home->cursor + (index > home->slots ? 4u : index * 4u);
    if (tlog_ring_is_first_lap(home) || (int32_t)(load(slot + TLOG_FACT_TIME) - load(oldest + TLOG_WORD_LOW)) >= 0)
        tlog_ring_add(&fact->chunk->extra, 1u);
}

/* Make a free place for a fact. Returns the number of its first slot, or 0. The cursor passes slots only when they have
 * heads. */
static uint32_t make_place(const struct fact *fact)
{
    uint32_t *const cursor = &fact->chunk->cursor, slots = fact->slots, end;
    const uint32_t base = cpu_of(fact) * TLOG_NAME_SLOTS, first = find_fact_room(fact, &slots);
    if (first == 0)
        return 0;
    for (uint32_t i = first; i < first + slots; i++) {
        uint32_t *word = cursor + i * 4u + TLOG_WORD_HEAD;
        leave_chain(fact, base + i);
        if ((load(word) & TLOG_FACT_KIND) - 1u < TLOG_FACT_VALUES - 1u)
            count_replaced(fact, word - TLOG_WORD_HEAD);
        put_word(fact, word, TLOG_FACT_FREE | (i + 1u < first + slots ? TLOG_FACT_MORE : 0));
    }
    end = first + fact->slots;
    put_word(fact, cursor + end * 4u - 1u, TLOG_FACT_FREE);
    put_word(fact, &hands[cpu_of(fact)], end);
    if (end > load(cursor) >> TLOG_CURSOR_SHIFT)
        put_word(fact, cursor, end << TLOG_CURSOR_SHIFT | TLOG_TAG_ODD);
    return base + first;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Copy what differs from the journal to a place that has the id. Its first head has that value meanwhile. */
static void copy_journal(const struct fact *fact, uint32_t *slot, uint32_t marked)
{
    uint32_t at = TLOG_FACT_ID_WORDS, word;
    do {
        word = journal[at];
        if (load(slot + at) == word || at == TLOG_WORD_HEAD)
            continue;
        if (load(slot + TLOG_WORD_HEAD) != marked)
            put_word(fact, slot + TLOG_WORD_HEAD, marked);
        put_rightly(fact, slot + at, word);
    } while (++at % 4u != 0 || (word & TLOG_FACT_MORE) != 0);
}

/* Bring to its end what is promised, if anything is: by this call, or by one whose claim was ended. */
static TLOG_NOINLINE void keep_promise(const struct fact *fact)
{
    const uint32_t numbers = load(&promised), number = numbers & 0xFFFFu, old = numbers >> 16;
    if (numbers == 0) /* so there is no slot of that number, whose CPU's names could be looked at */
        return;
    uint32_t *const slot = slot_of(number), *const head = slot + TLOG_WORD_HEAD;
    copy_journal(fact, slot, old == number ? journal[TLOG_WORD_HEAD] | TLOG_TAG_MASK : load(head));
    if (old != number && old != 0)
        free_place(fact, old);
    put_word(fact, head, journal[TLOG_WORD_HEAD]);
    if ((journal[TLOG_WORD_HEAD] & TLOG_FACT_RELEASED) != 0)
        leave_chain(fact, number);
    put_word(fact, &promised, 0);
}

/* Write a fact to its place; its old place, if it is another one, becomes free. False: the claim was ended. Else it is
 * told, whatever happens to this call from here on. */
static bool write_fact(const struct fact *fact)
{
    uint32_t *const slot = slot_of(fact->place);
    if (fact->place != fact->old)
        enter_chain(fact, fact->place);
    const uint32_t head = write_slots(fact, journal, slots_of(slot)) | fact->released;
    put_word(fact, &journal[TLOG_WORD_HEAD], head);
    const bool is_told = put_word(fact, &promised, fact->old << 16 | fact->place);
    keep_promise(fact);
    return is_told;
}

/* ---- the claim --------------------------------------------------------------------------------------------------- */

/* Claim the store. False: another call has done so at this moment. Another CPU is given some time to end its claim. */
static bool claim(struct fact *fact)
{
    uint32_t tries = TLOG_CPUS > 1 ? 100u : 1u;
    do
        fact->right = load(&version);
    while ((fact->right & 1u) != 0 && --tries > 0);
    const uint32_t next = (fact->right + 1u) | 1u;
    const bool is_claimed = put_word(fact, &version, next);
    fact->right = next;
    return is_claimed;
}

/* Change the store. The function finds a place for the fact; without a place there is nothing to write. False: there is
 * none. */
static TLOG_NOINLINE void change_store(struct fact *fact, bool (*find)(struct fact *fact))
{
    for (uint32_t tries = TLOG_FACT_TRIES; tries > 0; tries--) {
        if (!claim(fact))
            continue;
        keep_promise(fact);
        fact->place = fact->old = find_current(fact);
        bool is_told = find(fact);
        if (is_told && fact->place != 0)
            is_told = write_fact(fact);
        const bool has_ended = put_word(fact, &version, fact->right + 1u);
        if (is_told)
            return;
        if (has_ended)
            break;
    }
    count_lost(fact->chunk);
}

/* Find a place where there is room. Without room a name that has become longer is cut to its place. */
static bool find_place_told(struct fact *fact)
{
    const uint32_t slots = fact->old != 0 ? slots_of(slot_of(fact->old)) : 0;
    if (slots >= fact->slots)
        return true;
    fact->place = make_place(fact);
    if (fact->place != 0)
        return true;
    fact->place = fact->old;
    if (fact->old != 0 && fact->text != NULL)
        set_text(fact, slots);
    return fact->old != 0 && fact->text != NULL;
}

/* The wraps of the clock now, and its low word. */
static uint32_t read_time(uint32_t *low)
{
    const uint32_t here = tlog_cpu_number();
    const struct tlog_cpu *cpu = tlog_ring_is_early(&tlog_cpus[here]) ? &names[here] : &tlog_cpus[here];
    const uint32_t high = ((const volatile struct tlog_cpu *)cpu)->high;
    *low = tlog_ring_time(cpu);
    return tlog_ring_wraps((int32_t)(high ^ *low) < 0 ? tlog_ring_carry(high) : high);
}

/* Release the current fact. A name becomes one of the past, which ends now. */
static bool release(struct fact *fact)
{
    if (fact->old == 0)
        return put_word(fact, &promised, 0);
    uint32_t *const slot = slot_of(fact->old), *const head = slot + TLOG_WORD_HEAD;
    if (fact->kind >= TLOG_FACT_VALUES) {
        fact->place = 0;
        return put_word(fact, head, load(head) | TLOG_FACT_RELEASED);
    }
    for (uint32_t at = TLOG_FACT_TEXT, to = at; to < TLOG_FACT_WORDS_MOST; at++)
        if (at % 4u != TLOG_WORD_HEAD)
            fact->data[to++] = load(slot + at);
    fact->wraps = read_time(&fact->data[TLOG_FACT_TIME]) << TLOG_FACT_CHECK_SHIFT & ~TLOG_FACT_MORE;
    fact->released = TLOG_FACT_RELEASED;
    return true;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static TLOG_NOINLINE void open_here(uint32_t cpu)
{
    if (TLOG_RUNS == 1) {
        uint32_t *volatile *seen = &tlog_ring_names;
        *seen = tlog_name_chunks[0];
    }
    if (TLOG_START == 0)
        tlog_ring_start(&tlog_cpus[cpu]); /* first: this decides the boot id (tlog_start.c) */
    tlog_ring_start_names(&names[cpu]);
}

static TLOG_FORCE_INLINE struct tlog_chunk *open_store(void)
{
    const uint32_t cpu = tlog_cpu_number();
    if (!tlog_ring_is_open(&names[cpu]))
        open_here(cpu);
    return chunk_of_names(cpu);
}

static void tell_fact(struct fact *fact)
{
    change_store(fact, find_place_told);
}

static uint32_t *find_priority(uint32_t context)
{
    const uint32_t number = find_slot(TLOG_FACT_PRIORITY, context, 0, TLOG_TAG_EVEN);
    return number != 0 ? slot_of(number) : NULL;
}

__attribute__((cold)) void tlog_forget(uint32_t kind, uintptr_t id)
{
    struct fact fact;
    if (tlog_port_refuses())
        return;
    begin_fact(&fact, kind & TLOG_FACT_KIND, id);
    change_store(&fact, release);
    if (kind == TLOG_NAME_TASK) {
        fact.kind = TLOG_FACT_PRIORITY;
        change_store(&fact, release);
    }
}

#endif
