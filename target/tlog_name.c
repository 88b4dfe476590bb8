/* tlog_name.c - facts: names and values that stay true until they are changed, in a chunk of each CPU that is never
 * overwritten.
 *
 * Words
 *   fact      what one call tells: of what kind, of which id, and a text or a value. There is one for each kind and id
 *   place     one or more slots side by side that hold a fact, or are free. One bit of each head tells whether the
 *   place
 *             goes on behind the slot: so one store divides a place, or joins two. New places are made at the cursor
 *   version   a count that is odd while a call makes, moves, frees or takes places. To make it odd, or to raise it
 *   while
 *             it is odd, is to claim the right to do that; the claim ends when the version changes. A call that is
 *             interrupted in its claim, or killed, loses it to the next call
 *
 * A place, by the tag and the kind in the head of its first slot
 *
 *        free --claim--> being written --commit--> valid --claim--> being written --commit--> valid, and so on
 *          ^                                          |
 *          +------ outgrown, or its room is needed ---+
 *
 *   Only free places are divided and joined.
 *
 *   While a place is being written its kind and id stand there already, and the head has a ticket, the version of the
 *   claim, and the claim has ended. A call that finds its fact being written by another call takes it over: it puts its
 *   own ticket there. The other one sees that at its next store, and gives up. So what the last call to claim has told
 *   stays, nobody waits, and a call that was killed in the middle costs nothing once its fact is told again.
 *
 * Why this is safe
 *   Every store here is a store-exclusive, and is made only while another word still has the value that gives the right
 *   to store: the version, from the search of the fact until its place bears the ticket; from then on the head with the
 *   ticket. A search counts only if the version was even, or the caller's own claim, from its beginning on. So between
 *   a search and the steps that follow from it nobody has made, moved or freed a place, and no fact stands in two
 *   places. A reader of the memory sees a place that is valid, or one that is not; and if it copies a place while that
 *   changes, the check in the heads tells. With several CPUs it is the same as far as a watch ends when another CPU
 *   stores (port/tlog_port.h). Where store-exclusives are made of compare-and-exchange, a store that comes too late may
 *   leave a place whose check is wrong until the fact is told again. */
#include "tlog.h"

#include <stddef.h>

#if TLOG_ENABLE && !TLOG_MINIMAL

uint32_t tlog_name_chunks[TLOG_CPUS][TLOG_NAME_WORDS] __attribute__((section(TLOG_SECTION ".names"), aligned(16)));

#define RING(cpu)  TLOG_RING(tlog_name_chunks[cpu], cpu, TLOG_NAME_SLOTS, 0u, 1u, TLOG_ROLE_NAMES, true),
#define STATE(cpu) TLOG_CPU_INIT(&rings[cpu]),

static const struct tlog_ring rings[TLOG_CPUS] = {TLOG_EACH_CPU(RING)};

static struct tlog_cpu names[TLOG_CPUS] = {TLOG_EACH_CPU(STATE)};

static uint32_t version;

#define NOINLINE __attribute__((noinline))

enum { ID_WORDS = sizeof(uintptr_t) / 4u, DATA_WORDS = 3, NOWHERE = 0x10000 };

/* The first slot of a place, and how many it has; 0: there is no such place. */
struct place {
    uint32_t *slot;
    uint32_t slots;
};

/* What a call tells, and what it knows of the place where it tells it. */
struct fact {
    uint32_t kind;
    uintptr_t id;
    const char *text; /* of a value: its four bytes */
    uint32_t length;
    struct place at;
    uint32_t writing; /* the head of the place while this call writes there; 0: it does not */
    uint32_t before;  /* the head it had; kind 0: it was another fact's, or none's */
};

/* ---- the contents of a place ------------------------------------------------------------------------------------- */

/* Word k of a fact's data: its id, then the text, then zeros. */
static uint32_t data_word(const struct fact *fact, uint32_t k)
{
    uint32_t word = 0;
    if (k < ID_WORDS)
        return (uint32_t)(k == 0 ? fact->id : fact->id >> 16 >> 16);
    for (uint32_t i = 4u; i-- > 0;) {
        uint32_t at = (k - ID_WORDS) * 4u + i;
        word = word << 8 | (at < fact->length ? (unsigned char)fact->text[at] : 0u);
    }
    return word;
}

static uint32_t room_for_text(uint32_t slots)
{
    return (slots * DATA_WORDS - ID_WORDS) * 4u;
}

static uint32_t slots_of(const struct fact *fact)
{
    uint32_t slots = 1;
    while (room_for_text(slots) < fact->length)
        slots++;
    return slots;
}

/* What all heads of a fact have in common, in a place of so many slots. */
static uint32_t head_of(const struct fact *fact, uint32_t slots)
{
    uint32_t sum = fact->kind | slots << 8;
    for (uint32_t k = 0; k < slots * DATA_WORDS; k++)
        sum = TLOG_FACT_MIX(sum, data_word(fact, k));
    return TLOG_FACT_HEAD(fact->kind) | TLOG_TAG_ODD | (sum & TLOG_FACT_CHECK_MASK) << TLOG_FACT_CHECK_SHIFT;
}

/* The bit of a head that tells whether a place of so many slots goes on behind slot `number`. */
static uint32_t more_behind(uint32_t number, uint32_t slots)
{
    return number + 1u < slots ? TLOG_FACT_MORE : 0;
}

static uint32_t load(const uint32_t *word)
{
    return *(const volatile uint32_t *)word;
}

static bool is_of(const struct fact *fact, const uint32_t *slot)
{
    return ((load(slot + TLOG_WORD_HEAD) ^ fact->kind) & TLOG_FACT_KIND) == 0 && load(slot) == data_word(fact, 0)
           && (ID_WORDS == 1 || load(slot + 1) == data_word(fact, 1));
}

/* Whether the place holds the fact as it is told. */
static NOINLINE bool is_same(const struct fact *fact, const struct place *at)
{
    const uint32_t head = head_of(fact, at->slots);
    for (uint32_t i = 0, k = 0; i < at->slots; i++) {
        if (load(at->slot + i * 4u + TLOG_WORD_HEAD) != (head | more_behind(i, at->slots)))
            return false;
        for (uint32_t j = 0; j < DATA_WORDS; j++, k++)
            if (load(at->slot + i * 4u + j) != data_word(fact, k))
                return false;
    }
    return true;
}

/* ---- searching --------------------------------------------------------------------------------------------------- */

struct found {
    struct place own;  /* where the fact stands */
    struct place room; /* free places side by side, or places whose room may be used, with room enough for it */
    uint32_t cost;     /* of that room: the less the better */
};

static void offer(struct found *found, const struct place *place, uint32_t cost)
{
    if (cost < found->cost) {
        found->cost = cost;
        found->room = *place;
    }
}

/* What it costs to use a place whose first slot has that head; 0: it must not be used. */
static uint32_t cost_of(uint32_t head)
{
    if ((head & TLOG_FACT_KIND) == 0)
        return 2u;
    return (head & (TLOG_FACT_RELEASED | TLOG_TAG_MASK)) == (TLOG_FACT_RELEASED | TLOG_TAG_ODD) ? 0x100u : 0;
}

/* Add a place to the room that ends with it, and offer that if it is enough. */
static void pass_place(struct found *found, struct place *room, uint32_t *cost, const struct place *at, uint32_t wanted)
{
    const uint32_t more = cost_of(load(at->slot + TLOG_WORD_HEAD));
    if (more == 2u && at->slots == wanted)
        offer(found, at, 0);
    if (room->slots == 0 || more == 0 || room->slots >= wanted) {
        *room = (struct place){at->slot, 0};
        *cost = 0;
    }
    *cost += more;
    room->slots += more != 0 ? at->slots : 0;
    if (room->slots >= wanted)
        offer(found, room, *cost + room->slots);
}

static NOINLINE void search_chunk(struct found *found, const struct tlog_chunk *chunk, const struct fact *fact,
                                  uint32_t wanted)
{
    uint32_t *slot = (uint32_t *)(uintptr_t)(chunk + 1), left = (load(&chunk->cursor) >> TLOG_CURSOR_SHIFT) - 1u;
    struct place at = {slot, 0}, room = {slot, 0};
    uint32_t cost = 0;
    for (; left > 0; left--) {
        uint32_t head = load(slot + TLOG_WORD_HEAD);
        slot += 4;
        at.slots++;
        if (head & TLOG_FACT_MORE)
            continue;
        if (is_of(fact, at.slot)) {
            found->own = at;
            room.slots = 0;
        } else
            pass_place(found, &room, &cost, &at, wanted);
        at = (struct place){slot, 0};
    }
}

/* Search all chunks for a fact, and for room for it in so many slots. New places are made in the CPU's own chunk. */
static void search(struct found *found, const struct tlog_cpu *here, const struct fact *fact, uint32_t wanted)
{
    uint32_t *cursor = &tlog_ring_first(here)->cursor, next = load(cursor) >> TLOG_CURSOR_SHIFT;
    const struct place end = {cursor + next * 4u, wanted};
    *found = (struct found){{NULL, 0}, {NULL, 0}, NOWHERE};
    for (const struct tlog_cpu *cpu = names; cpu < names + TLOG_CPUS; cpu++)
        if (TLOG_CPUS == 1 || tlog_ring_is_open(cpu))
            search_chunk(found, tlog_ring_first(cpu), fact, wanted);
    offer(found, &end, next + wanted <= TLOG_NAME_SLOTS + 1u ? 1u : NOWHERE);
}

/* ---- changing ---------------------------------------------------------------------------------------------------- */

/* Store a word, if `right` has that value when it is stored. */
static NOINLINE bool put(uint32_t *word, uint32_t value, const uint32_t *right, uint32_t expected)
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

/* What the version is, for a search. If another call has the claim, it is taken away. Another CPU is given some
 * time. */
static uint32_t look(void)
{
    uint32_t seen;
    int tries = TLOG_CPUS > 1 ? 100 : 1;
    do
        seen = load(&version);
    while (seen & 1u && (--tries > 0 || !put(&version, seen + 2u, &version, seen)));
    return seen & 1u ? seen + 2u : seen;
}

/* Claim, after a search at that version. False: the search does not count. */
static bool claim(uint32_t *seen)
{
    const uint32_t before = *seen;
    *seen |= 1u;
    return before == *seen || put(&version, *seen, &version, before);
}

static void end_claim(uint32_t ticket)
{
    if (ticket & 1u)
        put(&version, ticket + 1u, &version, ticket);
}

/* Store a word by the right that a claim has given. */
static bool put_claimed(uint32_t *word, uint32_t value, uint32_t ticket)
{
    return put(word, value, &version, ticket);
}

/* The head of the first slot while the place is being written. */
static uint32_t writing_head(const struct fact *fact, uint32_t slots, uint32_t ticket)
{
    return more_behind(0, slots) | (ticket & TLOG_FACT_CHECK_MASK) << TLOG_FACT_CHECK_SHIFT | TLOG_FACT_HEAD(fact->kind)
           | TLOG_TAG_MASK;
}

/* Make a slot one of a free place, which goes on behind it or not. */
static bool free_slot(uint32_t *slot, uint32_t more, uint32_t ticket)
{
    return put_claimed(slot + TLOG_WORD_HEAD, more | TLOG_FACT_HEAD(0) | TLOG_TAG_ODD, ticket);
}

/* Make one place of so many slots of free room, or of slots behind the cursor; the rest stays free. */
static bool cut_out(const struct place *room, uint32_t slots, uint32_t ticket)
{
    for (uint32_t i = 0; i < room->slots; i++)
        if (!free_slot(room->slot + i * 4u, load(room->slot + i * 4u + TLOG_WORD_HEAD) & TLOG_FACT_MORE, ticket))
            return false;
    for (uint32_t i = 0; i < slots; i++)
        if (!free_slot(room->slot + i * 4u, more_behind(i, slots), ticket))
            return false;
    return true;
}

/* Give room to a fact. The cursor passes slots only when they have heads. */
static NOINLINE bool enter(struct place *room, const struct fact *fact, uint32_t *cursor, uint32_t ticket)
{
    const uint32_t now = load(cursor), slots = slots_of(fact);
    const bool is_new = room->slot == cursor + (now >> TLOG_CURSOR_SHIFT) * 4u;
    if (!cut_out(room, slots, ticket))
        return false;
    room->slots = slots;
    for (uint32_t k = 0; k < ID_WORDS; k++)
        if (!put_claimed(room->slot + k, data_word(fact, k), ticket))
            return false;
    return put_claimed(room->slot + TLOG_WORD_HEAD, writing_head(fact, slots, ticket), ticket)
           && (!is_new || put_claimed(cursor, now + slots * TLOG_CURSOR_STEP, ticket));
}

static void count_lost(const struct tlog_cpu *cpu)
{
    uint32_t *dropped = &tlog_ring_first(cpu)->dropped;
    if (load(dropped) < TLOG_COUNT_MIRROR - 1u)
        tlog_ring_add(dropped, 1u);
}

/* Choose the place for a fact whose text has that length. If there is no room for a longer text, the text is cut. */
static struct place *choose(struct found *found, struct fact *fact, uint32_t length)
{
    struct place *to;
    fact->length = length;
    to = found->own.slots >= slots_of(fact) || found->room.slots == 0 ? &found->own : &found->room;
    const uint32_t most = to->slots == 0 ? 0 : room_for_text(to->slots);
    fact->length = length > most ? most : length;
    return to;
}

/* Take a place for a fact, where it stands already or another one. It is not taken if the fact stands there as it is
 * told, or if there is no room. */
static NOINLINE void take(const struct tlog_cpu *cpu, struct fact *fact)
{
    struct found found;
    const uint32_t length = fact->length, slots = slots_of(fact);
    uint32_t ticket;
    struct place *to;
    bool is_taken = false;
    do {
        ticket = look();
        search(&found, cpu, fact, slots);
        to = choose(&found, fact, length);
        fact->before = to == &found.own && to->slots > 0 ? load(to->slot + TLOG_WORD_HEAD) : TLOG_FACT_HEAD(0);
        if (to->slots == 0 || (to == &found.own && is_same(fact, to))) {
            if (load(&version) != ticket)
                continue;
            end_claim(ticket);
            if (to->slots == 0)
                count_lost(cpu);
            return;
        }
        is_taken = claim(&ticket);
        if (is_taken && to == &found.own)
            is_taken = put_claimed(to->slot + TLOG_WORD_HEAD, writing_head(fact, to->slots, ticket), ticket);
        else if (is_taken)
            is_taken = (found.own.slots == 0 || free_slot(found.own.slot, more_behind(0, found.own.slots), ticket))
                       && enter(to, fact, &tlog_ring_first(cpu)->cursor, ticket);
    } while (!is_taken);
    end_claim(ticket);
    fact->at = *to;
    fact->writing = writing_head(fact, to->slots, ticket);
}

/* Write a fact to the place that was taken for it, unless another call has taken it over. */
static NOINLINE void commit(const struct fact *fact)
{
    const uint32_t head = head_of(fact, fact->at.slots), slots = fact->at.slots, writing = fact->writing;
    const uint32_t *right = fact->at.slot + TLOG_WORD_HEAD;
    uint32_t *slot = fact->at.slot;
    if (writing == 0)
        return;
    for (uint32_t i = 0, k = 0; i < slots; i++, slot += 4) {
        for (uint32_t j = 0; j < DATA_WORDS; j++, k++)
            if (!put(slot + j, data_word(fact, k), right, writing))
                return;
        if (i > 0 && !put(slot + TLOG_WORD_HEAD, head | more_behind(i, slots), right, writing))
            return;
    }
    put(fact->at.slot + TLOG_WORD_HEAD, head | more_behind(0, slots), right, writing);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static NOINLINE const struct tlog_cpu *open_here(void)
{
    struct tlog_cpu *cpu = &names[tlog_cpu_number()];
    if (TLOG_RUNS == 1)
        *(uint32_t *volatile *)&tlog_ring_names = tlog_name_chunks[0];
    tlog_ring_start(tlog_cpu_here()); /* first: this decides the boot id (tlog_start.c) */
    tlog_ring_start_names(cpu);
    return cpu;
}

void tlog_name(uint32_t kind, uintptr_t id, const char *name)
{
    const struct tlog_cpu *cpu = open_here();
    struct fact fact = {kind, id, name, 0, {NULL, 0}, 0, 0};
    while (fact.length < TLOG_NAME_BYTES - 1u && name[fact.length])
        fact.length++;
    if (kind - 1u >= TLOG_FACT_VALUES - 1u) {
        count_lost(cpu);
        return;
    }
    take(cpu, &fact);
    commit(&fact);
}

/* The fact cannot be read while the record is logged: so no reader takes the new priority for that of the time before
 * the record. */
void tlog_priority(uint32_t context, int32_t priority)
{
    const int32_t most = TLOG_PRIORITY_MOST, value = priority > most ? most : priority < -most ? -most : priority;
    struct fact fact = {TLOG_FACT_PRIORITY, context, (const char *)&value, sizeof(value), {NULL, 0}, 0, 0};
    uint32_t par2 = (uint32_t)value;
    take(open_here(), &fact);
    const bool is_known = (fact.before & TLOG_TAG_MASK) == TLOG_TAG_ODD;
    if (is_known && fact.writing == 0)
        return;
    if (is_known)
        par2 = (load(fact.at.slot + ID_WORDS) + TLOG_PRIORITY_BIAS) << 16 | (par2 & 0xFFFFu);
    tlog_record_any(context, par2, FTrace_EVT_set_priority);
    commit(&fact);
}

static void release(const struct tlog_cpu *cpu, uint32_t kind, uintptr_t id)
{
    struct fact fact;
    struct found found;
    uint32_t ticket, head;
    bool is_done;
    fact.kind = kind; /* one by one: clang calls memclr to set a whole struct to zeros */
    fact.id = id;
    fact.text = NULL;
    fact.length = 0;
    do {
        ticket = look();
        search(&found, cpu, &fact, TLOG_NAME_SLOTS);
        head = found.own.slots == 0 ? 0 : load(found.own.slot + TLOG_WORD_HEAD);
        if ((head & TLOG_TAG_MASK) != TLOG_TAG_ODD)
            is_done = load(&version) == ticket;
        else
            is_done = claim(&ticket) && put_claimed(found.own.slot + TLOG_WORD_HEAD, head | TLOG_FACT_RELEASED, ticket);
    } while (!is_done);
    end_claim(ticket);
}

void tlog_forget(uint32_t kind, uintptr_t id)
{
    release(open_here(), kind, id);
    if (kind == TLOG_NAME_TASK)
        release(open_here(), TLOG_FACT_PRIORITY, id);
}

#endif
