/* SPDX-License-Identifier: MIT */
/* tlog_name.c - facts: names and values that stay true until they are changed, in a chunk of each CPU that is never
 * overwritten.
 *
 * Words
 *   fact      what one call tells: of what kind, of which id, and a text or a value. There is one for each kind and id
 *   place     one or more slots side by side that hold a fact, or are free. One bit of each head tells whether the
 *             place goes on behind the slot: so one store divides a place, or joins two. New places are made at the
 *             cursor
 *   version   a count that is odd while a call makes, moves, frees or takes places. A call that makes it odd has
 *             claimed the right to do that; the claim ends when the version changes. The next call takes it from one
 *             that was interrupted or killed
 *   right     a word and the value that it must have for the call to store
 *
 * A place, by the tag and the kind in the head of its first slot
 *
 *        free --claim--> being written --commit--> valid --claim--> being written --commit--> valid, and so on
 *          ^                                          |
 *          +------ outgrown, or its room is needed ---+
 *
 *   While a place is being written, its kind and id stand there already, and its head holds a ticket: the version of
 *   the claim, which has ended by then. A call that finds its fact being written by another call takes it over: it puts
 *   its own ticket there, and the other one's stores fail from then on. So the fact is what the last call to claim has
 *   told. Nobody waits. A call that was killed in the middle costs nothing once its fact is told again.
 *
 * What a call does
 *   1  It reads the version. If that is odd it takes the claim of another call away: it raises the version.
 *   2  It searches the fact, and room for it.
 *   3  It claims: it raises the version, if that is still the one of the search. Else it begins anew.
 *   4  If the fact must move, or is new: it frees the old place, joins all slots of the room, first to last, to one
 *      free place, and cuts off what is too much. Then it writes the id, and moves the cursor.
 *   5  It puts its ticket into the head. If that fails it begins anew. Then it ends the claim.
 *   6  It writes the slots, the last one first, and the first slot's head last of all.
 *   If after step 3 the fact stands there as it is told, or if there is no room, the call ends. It sets the version
 *   back to what that was before step 3: nothing has changed, and the searches of other calls still count.
 *
 * Why this is safe
 *   Every store here is a store-exclusive, made only while the call has its right: up to step 5 the version with its
 *   claim, then the head with its ticket. A right that is lost does not come back, so a call need not look at each
 *   store. If the ticket could be put, all stores before it were made. If one store of step 6 fails, so do all later
 *   ones, and the place belongs to another call. A call that sets the version back leaves its number to the next claim;
 *   it stores nothing more by that number, and has put no ticket.
 *   A search counts only if the version was even, and the same from its beginning up to the claim. So nobody has made,
 *   moved or freed a place between a search and the steps that follow from it, and no fact stands in two places.
 *   A reader of the memory sees a place that is valid, or one that is not. Slots that step 4 joins belong to the free
 *   place in front of them, whatever their heads tell; what it cuts off has heads of free slots already. If a reader
 *   copies a place while that changes, the check in the heads tells.
 *   The same holds for several CPUs, if a watch ends when another CPU stores (port/tlog_port.h). Where store-exclusives
 *   are made of compare-and-exchange, a store that comes too late may leave a place whose check is wrong until the fact
 *   is told again. */
#include "tlog.h"

#include <stddef.h>

#if TLOG_ENABLE && !TLOG_MINIMAL

uint32_t tlog_name_chunks[TLOG_CPUS][TLOG_NAME_WORDS] __attribute__((section(TLOG_SECTION ".names"), aligned(16)));

#define TLOG_NAMES_RING(cpu) TLOG_RING(tlog_name_chunks[cpu], cpu, TLOG_NAME_SLOTS, 0u, 1u, TLOG_ROLE_NAMES, true),
#define TLOG_NAMES_CPU(cpu)  TLOG_CPU_INIT(&name_rings[cpu]),

static const struct tlog_ring name_rings[TLOG_CPUS] = {TLOG_EACH_CPU(TLOG_NAMES_RING)};

static struct tlog_cpu names[TLOG_CPUS] = {TLOG_EACH_CPU(TLOG_NAMES_CPU)};

static uint32_t version;

enum {
    TLOG_FACT_ID_SIZE = sizeof(uintptr_t),
    TLOG_FACT_HEAD_AT = TLOG_WORD_HEAD * 4, /* byte of a slot where its head begins */
    TLOG_FACT_LONGEST = TLOG_FACT_ID_SIZE + TLOG_NAME_BYTES - 1,
    TLOG_FACT_MOST_SLOTS = (TLOG_FACT_LONGEST + TLOG_FACT_HEAD_AT - 1) / TLOG_FACT_HEAD_AT,
    /* Byte of the slots behind the longest name. */
    TLOG_FACT_NAME_END = TLOG_FACT_LONGEST + (TLOG_FACT_LONGEST - 1) / TLOG_FACT_HEAD_AT * 4,
    TLOG_FACT_FREE = TLOG_FACT_HEAD(0) | TLOG_TAG_ODD
};

/* What a call tells, and what it knows of the place where it tells it. Sizes are in bytes. */
struct fact {
    /* The slots as they shall be. Where their heads will stand: what TLOG_FACT_AT_KIND ... tell. */
    uint32_t word[TLOG_FACT_MOST_SLOTS * 4];
    uint32_t *right;          /* the call may store while this word ... */
    uint32_t ticket;          /* ... has this value; bit 31 does not count */
    struct tlog_chunk *chunk; /* where this CPU makes new places */
    uint32_t wanted;          /* size of the place that the fact needs */
    uint32_t usable;          /* bit of the heads of those places whose room may be used, beside free ones; or 0 */
    uint32_t size;            /* of the place where the fact stands, or 0; then of the one that was taken */
    uint32_t *own;            /* the place where the fact stands, or NULL */
    uint32_t *place;          /* the place to take, or room for one; NULL: there is none */
};

/* Words of a fact where the heads of slots will stand. */
enum {
    TLOG_FACT_AT_KIND = 3,
    TLOG_FACT_AT_HEAD = TLOG_FACT_AT_KIND,   /* the kind, and then the head of the fact; bit 31 does not count */
    TLOG_FACT_AT_ROOM = 7,                   /* size of the room */
    TLOG_FACT_AT_BEFORE = TLOG_FACT_AT_ROOM, /* and then the head that the place had before it was taken */
    TLOG_FACT_AT_NEXT = 11                   /* what the cursor of the CPU's chunk must be when the place was made */
};
TLOG_STATIC_ASSERT((int)TLOG_FACT_MOST_SLOTS * 4 > (int)TLOG_FACT_AT_NEXT, "these words are not in struct fact");

/* ---- words ------------------------------------------------------------------------------------------------------- */

static uint32_t load(const uint32_t *word)
{
    return *(const volatile uint32_t *)word;
}

static uint32_t *bytes_behind(const uint32_t *word, uint32_t bytes)
{
    return (uint32_t *)((uintptr_t)word + bytes);
}

static uint32_t bytes_to(const uint32_t *from, const uint32_t *to)
{
    return (uint32_t)((uintptr_t)to - (uintptr_t)from);
}

/* Store a word, if the call still has its right when it is stored. */
static TLOG_NOINLINE bool put_word(const struct fact *fact, uint32_t *word, uint32_t value)
{
    do {
        tlog_port_load_exclusive(word);
        if ((load(fact->right) ^ fact->ticket) << 1 != 0) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(value, word));
    return true;
}

/* Store a head. Whether the place goes on behind its slot stays as it is. */
static TLOG_NOINLINE bool put_fact_head(const struct fact *fact, uint32_t *word, uint32_t head)
{
    return put_word(fact, word, ((load(word) ^ head) & TLOG_FACT_MORE) ^ head);
}

/* Raise the version from the ticket on: to claim, to end the claim, or to take another call's claim away. */
static TLOG_NOINLINE bool raise_version(struct fact *fact)
{
    const bool is_done = put_word(fact, fact->right, fact->ticket + 1u);
    fact->ticket += is_done;
    return is_done;
}

/* ---- searching --------------------------------------------------------------------------------------------------- */

static bool is_of(const struct fact *fact, const uint32_t *slot, uint32_t head)
{
    return ((head ^ fact->word[TLOG_FACT_AT_KIND]) & TLOG_FACT_KIND) == 0 && load(slot) == fact->word[0]
           && (TLOG_FACT_ID_SIZE == 4 || load(slot + 1) == fact->word[1]);
}

/* Choose the room behind the cursor if there is enough, and no other one. */
static void choose_end(struct fact *fact, const struct tlog_chunk *chunk, uint32_t *end, uint32_t cursor)
{
    if (fact->place == NULL
        && bytes_behind(end, fact->wanted) <= (uint32_t *)(uintptr_t)(chunk + 1) + TLOG_NAME_SLOTS * 4u) {
        fact->place = end;
        fact->word[TLOG_FACT_AT_ROOM] = fact->wanted;
        fact->word[TLOG_FACT_AT_NEXT] = cursor + fact->wanted * (TLOG_CURSOR_STEP / TLOG_SLOT_BYTES);
    }
}

/* Search a chunk, place by place: `first` is the place's first slot, and `run` that of the usable places side by side.
 * If others change places meanwhile, the search goes astray between the chunk's first slot and its cursor, and does not
 * count. */
static TLOG_NOINLINE void search_chunk(struct fact *fact, const struct tlog_cpu *cpu)
{
    const struct tlog_chunk *const chunk = TLOG_CPUS > 1 ? tlog_ring_first(cpu) : fact->chunk;
    uint32_t *slot = (uint32_t *)(uintptr_t)(chunk + 1), *first = slot, *run = slot;
    const uint32_t cursor = load(&chunk->cursor);
    for (uint32_t left = cursor >> TLOG_CURSOR_SHIFT; --left > 0;) {
        uint32_t head = load(slot + TLOG_WORD_HEAD);
        slot += 4;
        if (head & TLOG_FACT_MORE)
            continue;
        head = load(first + TLOG_WORD_HEAD);
        if (is_of(fact, first, head)) {
            fact->own = first;
            fact->size = bytes_to(first, slot);
            if (fact->size >= fact->wanted) {
                fact->place = first;
                return;
            }
        } else if ((head & TLOG_FACT_KIND) == 0 || (head & fact->usable) != 0) {
            first = slot;
            if (bytes_to(run, slot) < fact->wanted)
                continue;
            fact->place = run;
            fact->word[TLOG_FACT_AT_ROOM] = bytes_to(run, slot);
            fact->word[TLOG_FACT_AT_NEXT] = TLOG_CPUS > 1 ? load(&fact->chunk->cursor) : cursor;
        }
        first = slot;
        run = slot;
    }
    if (TLOG_CPUS == 1 || chunk == fact->chunk)
        choose_end(fact, chunk, slot, cursor);
}

static void search(struct fact *fact)
{
    for (const struct tlog_cpu *cpu = names; cpu < names + TLOG_CPUS; cpu++)
        if (TLOG_CPUS == 1 || (tlog_ring_is_open(cpu) && fact->size < fact->wanted))
            search_chunk(fact, cpu);
}

/* Search all chunks and claim. The room of released facts is used only if there is no other. If there is none at all,
 * a longer text than before is cut. If another call has the claim, it is taken away. Another CPU is given some time. */
static TLOG_NOINLINE void claim(struct fact *fact)
{
    do {
        int tries = TLOG_CPUS > 1 ? 100 : 1;
        fact->right = &version;
        do
            fact->ticket = load(&version);
        while ((fact->ticket & 1u) != 0 && --tries > 0);
        if (fact->ticket & 1u)
            raise_version(fact);
        fact->own = NULL;
        fact->place = NULL;
        fact->size = 0;
        fact->usable = 0;
        search(fact);
        fact->usable = TLOG_FACT_RELEASED;
        if (fact->place == NULL)
            search(fact);
        if (fact->place == NULL)
            fact->place = fact->own;
    } while (!raise_version(fact));
}

/* ---- changing ---------------------------------------------------------------------------------------------------- */

/* Leave the place where the fact stands, and make one of the room. The cursor passes slots only when they have
 * heads. */
static void move_into_room(struct fact *fact)
{
    uint32_t *const place = fact->place;
    if (fact->own != NULL)
        put_fact_head(fact, fact->own + TLOG_WORD_HEAD, TLOG_FACT_FREE);
    for (uint32_t end = TLOG_SLOT_BYTES; end <= fact->word[TLOG_FACT_AT_ROOM]; end += TLOG_SLOT_BYTES)
        put_word(fact, bytes_behind(place, end) - 1,
                 ((end - fact->word[TLOG_FACT_AT_ROOM]) & TLOG_FACT_MORE) | TLOG_FACT_FREE); /* negative: it goes on */
    fact->size = fact->wanted;
    put_word(fact, bytes_behind(place, fact->size) - 1, TLOG_FACT_FREE);
    for (uint32_t i = 0; i < TLOG_FACT_ID_SIZE / 4u; i++)
        put_word(fact, place + i, fact->word[i]);
    put_word(fact, &fact->chunk->cursor, fact->word[TLOG_FACT_AT_NEXT]);
}

/* Compute the head that the fact has in this place. Returns 0 if it stands there as it is told. */
static uint32_t compare(struct fact *fact)
{
    const uint32_t kind = fact->word[TLOG_FACT_AT_KIND] & TLOG_FACT_KIND;
    uint32_t sum = kind | fact->size * (256u / TLOG_SLOT_BYTES), differences = 0;
    for (uint32_t i = 0; i < fact->size; i += 4u)
        if (i % TLOG_SLOT_BYTES != TLOG_FACT_HEAD_AT) {
            sum = TLOG_FACT_MIX(sum, *bytes_behind(fact->word, i));
            differences |= load(bytes_behind(fact->place, i)) ^ *bytes_behind(fact->word, i);
        }
    fact->word[TLOG_FACT_AT_HEAD] = sum << TLOG_FACT_CHECK_SHIFT | TLOG_FACT_HEAD(0) | kind | TLOG_TAG_ODD;
    fact->word[TLOG_FACT_AT_BEFORE] = load(fact->place + TLOG_WORD_HEAD);
    return differences | (fact->word[TLOG_FACT_AT_BEFORE] ^ fact->word[TLOG_FACT_AT_HEAD]) << 1;
}

/* Take the place that a claim has found. If the fact stands there as it is told, or if there is no place, the size
 * becomes 0 and the version what it was. False: the claim is lost. */
static TLOG_NOINLINE bool take_place(struct fact *fact)
{
    uint32_t *head, writing;
    if (fact->place != fact->own)
        move_into_room(fact);
    if (fact->place == NULL || compare(fact) == 0) {
        fact->size = 0;
        return put_word(fact, fact->right, fact->ticket - 1u);
    }
    head = fact->place + TLOG_WORD_HEAD;
    writing = fact->ticket << TLOG_FACT_CHECK_SHIFT | (uint16_t)(fact->word[TLOG_FACT_AT_HEAD] | TLOG_TAG_MASK);
    if (!put_fact_head(fact, head, writing))
        return false;
    raise_version(fact);
    fact->right = head;
    fact->ticket = writing;
    return true;
}

/* Write a fact to the place that was taken for it: words 0 to 3 of the last slot, and so on up to the first slot. */
static void commit(const struct fact *fact)
{
    for (uint32_t i = fact->size; i > 0;) {
        i -= 4u;
        if (i % TLOG_SLOT_BYTES != 0)
            put_word(fact, bytes_behind(fact->place, i ^ TLOG_FACT_HEAD_AT),
                     *bytes_behind(fact->word, i ^ TLOG_FACT_HEAD_AT));
        else
            put_fact_head(fact, bytes_behind(fact->place, i ^ TLOG_FACT_HEAD_AT), fact->word[TLOG_FACT_AT_HEAD]);
    }
}

/* Release a fact; with a task, its priority. One that is being written stays as it is. */
static void release(struct fact *fact)
{
    for (;;) {
        uint32_t head;
        do {
            claim(fact);
            if (fact->own == NULL)
                break;
            head = load(fact->own + TLOG_WORD_HEAD);
        } while ((head & TLOG_TAG_EVEN) == 0 && !put_word(fact, fact->own + TLOG_WORD_HEAD, head | TLOG_FACT_RELEASED));
        raise_version(fact);
        if (fact->word[TLOG_FACT_AT_KIND] != TLOG_NAME_TASK)
            return;
        fact->word[TLOG_FACT_AT_KIND] = TLOG_FACT_PRIORITY;
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* What tell_fact() does, beside the kind: write the fact, or release it; without these it takes the place only. */
enum { TLOG_FACT_TELL_WRITE = 0x100, TLOG_FACT_TELL_FORGET = 0x200 };

/* What it returns if nothing changes; no par2 of a set_priority record is that. */
#define TLOG_FACT_UNCHANGED 0x10000u

static TLOG_NOINLINE void count_lost(struct tlog_chunk *chunk)
{
    if (((load(&chunk->dropped) + 1u) & TLOG_COUNT_MIRROR) == 0)
        tlog_ring_add(&chunk->dropped, 1u);
}

static void set_name(struct fact *fact, const char *name)
{
    uint32_t last = 0;
    for (uint32_t i = TLOG_FACT_ID_SIZE; i < TLOG_FACT_NAME_END && *name != '\0'; i++)
        if (i % TLOG_SLOT_BYTES < TLOG_FACT_HEAD_AT) {
            ((char *)fact->word)[i] = *name++;
            last = i;
        }
    fact->wanted = (last | (TLOG_SLOT_BYTES - 1u)) + 1u;
}

/* Tell a fact of the kind and id: `data` is its value, or the address of its name. Returns UNCHANGED, or for a priority
 * the parameter of the record. */
static TLOG_NOINLINE uint32_t tell_fact(struct tlog_chunk *chunk, uint32_t what, uintptr_t id, uintptr_t data)
{
    struct fact fact;
    uint32_t par2 = (uint32_t)data;
    fact.chunk = chunk;
    fact.wanted = TLOG_SLOT_BYTES;
    for (uint32_t i = TLOG_FACT_MOST_SLOTS * 4u; i-- > 0;) /* volatile: else it becomes a call of memset() */
        *(volatile uint32_t *)&fact.word[i] = 0;
    fact.word[0] = (uint32_t)id;
    if (TLOG_FACT_ID_SIZE > 4)
        fact.word[1] = (uint32_t)(id >> 16 >> 16);
    fact.word[TLOG_FACT_AT_KIND] = what & TLOG_FACT_KIND;
    if (what & TLOG_FACT_TELL_FORGET) {
        release(&fact);
        return TLOG_FACT_UNCHANGED;
    }
    if (fact.word[TLOG_FACT_AT_KIND] < TLOG_FACT_VALUES)
        set_name(&fact, (const char *)data);
    else
        fact.word[TLOG_FACT_ID_SIZE / 4] = par2;
    do
        claim(&fact);
    while (!take_place(&fact));
    if (fact.size == 0) {
        if (fact.place != NULL)
            return TLOG_FACT_UNCHANGED;
        if (what & TLOG_FACT_TELL_WRITE)
            count_lost(chunk);
        return par2;
    }
    if (((fact.word[TLOG_FACT_AT_BEFORE] ^ fact.word[TLOG_FACT_AT_HEAD]) & (TLOG_TAG_MASK | TLOG_FACT_KIND)) == 0)
        par2 = (load(fact.place + TLOG_FACT_ID_SIZE / 4) + TLOG_PRIORITY_BIAS) << 16 | (par2 & 0xFFFFu);
    if (what & TLOG_FACT_TELL_WRITE)
        commit(&fact);
    return par2;
}

static TLOG_NOINLINE struct tlog_chunk *open_here(void)
{
    struct tlog_cpu *cpu = &names[tlog_cpu_number()];
    if (TLOG_RUNS == 1) {
        uint32_t *volatile *seen = &tlog_ring_names;
        *seen = tlog_name_chunks[0];
    }
    tlog_ring_start(tlog_cpu_here()); /* first: this decides the boot id (tlog_start.c) */
    tlog_ring_start_names(cpu);
    return TLOG_RUNS > 1 ? tlog_ring_first(cpu) : (struct tlog_chunk *)(void *)tlog_name_chunks[cpu - names];
}

void tlog_name(uint32_t kind, uintptr_t id, const char *name)
{
    if (tlog_port_refuses())
        return;
    struct tlog_chunk *chunk = open_here();
    if (kind - 1u < TLOG_FACT_VALUES - 1u)
        tell_fact(chunk, TLOG_FACT_TELL_WRITE | kind, id, (uintptr_t)name);
    else
        count_lost(chunk);
}

/* The fact cannot be read while the record is logged: so no reader takes the new priority for that of the time before
 * the record. It is told twice, first without writing it: so its struct fact is not on the stack meanwhile. */
void tlog_priority(uint32_t context, int32_t priority)
{
    if (tlog_port_refuses())
        return;
    const int32_t most = TLOG_PRIORITY_MOST, value = priority > most ? most : priority < -most ? -most : priority;
    struct tlog_chunk *chunk = open_here();
    uint32_t par2 = tell_fact(chunk, TLOG_FACT_PRIORITY, context, (uint32_t)value);
    if (par2 == TLOG_FACT_UNCHANGED)
        return;
    tlog_record_any(context, par2, FTrace_EVT_set_priority);
    tell_fact(chunk, TLOG_FACT_TELL_WRITE | TLOG_FACT_PRIORITY, context, (uint32_t)value);
}

void tlog_forget(uint32_t kind, uintptr_t id)
{
    if (!tlog_port_refuses())
        tell_fact(open_here(), TLOG_FACT_TELL_FORGET | (kind & TLOG_FACT_KIND), id, id); /* data are not looked at */
}

#endif
