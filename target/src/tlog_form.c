/* SPDX-License-Identifier: MIT */
/* tlog_form.c - memory with any content becomes chunks, bit by bit, while the first lap of each is written.
 *
 * The memory of the chunks is not initialised at reset: it may hold noise, or what other firmware has left. To format
 * all of it at once takes long. So the first event makes only the header of the first chunk and its first slots. Behind
 * these stands the *mark*: a head with both tags, like that of the end mark, at which writers stop. A writer that finds
 * the mark takes a *step*: it formats some more slots and sets the mark behind them. The first steps also do an *item*
 * each: the notes of the chunk, its end mark, and in three parts the header of the chunk that follows. The last slot of
 * a chunk becomes free only when all items are done: so whoever switches to a chunk finds it whole.
 *
 * cpu->formed tells how far that is: index of the slot with the mark | number of its chunk | slots of the step that is
 * begun | items that are done. 0: nothing is formatted; TLOG_FORMED_ALL: everything is.
 *
 *      mark at slot s --format--> the same, n slots behind it are formatted --move--> mark at slot s + n
 *
 * The store that ends the first arrow decides n: each writer takes as many slots as its event needs. Only then the mark
 * is set at s + n. The first event does likewise.
 *
 * Each arrow ends with a store-exclusive to cpu->formed. Each store before that is a store-exclusive, too, made only
 * while cpu->formed is what it was. Until the arrow ends all writers store the same values, to words that nobody else
 * uses: slots behind the mark are in no use. Afterwards an interrupted writer stores nothing any more. One word is
 * special: the mark at s. Once it is erased, the slot is free, and an event may take it before the arrow ends. So it is
 * erased only while it still is a mark.
 *
 * The words of a header that never change are stored plainly: a late store changes nothing. The magic is erased before
 * the other words are changed, and written behind them and behind the mark: so a reader finds a whole header or none,
 * and with a header the mark, which shows him the chunk's end. A magic that is 0 may also be damage; so the seal is
 * erased ahead of it, and right behind it cursor and lap become those of a chunk without events.
 *
 * tlog_start() formats all at once. It empties the slots behind the mark by plain stores, in blocks from the end of the
 * chunk on; then one step moves the mark to the end. cpu->block tells which block is in work. Others that come to a
 * block whose writer is interrupted leave it claimed (tlog_claim.c), and go past it. A block is taken only while
 * cpu->formed and cpu->block are what they were, and a step begins only while cpu->block is. Before each step the seal
 * of the chunk is erased, because the step changes bytes that its check sums cover.
 *
 * Several CPUs: a writer that was moved to another CPU, or opens another CPU's ring, may take a step at the same time
 * as a writer there. It stores the first value of a word only if nobody stored to the word since its load, and
 * cpu->formed was still the same after that load. So either the word was not in use yet, or it has that value
 * anyway. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#include <stddef.h>

#if TLOG_ENABLE && TLOG_FORMS

#define TLOG_FORM_COLD __attribute__((noinline, cold))

/* Slots of a step that does no item. */
enum { TLOG_FORM_STEP_SLOTS = 7 };

/* cpu->formed. MORE: slots of the step that is begun, or 0. */
#define TLOG_FORM_MARK_SHIFT   16u
#define TLOG_FORM_NUMBER_SHIFT 8u
#define TLOG_FORM_NUMBER_MASK  0xFF00u
#define TLOG_FORM_MORE_SHIFT   3u
#define TLOG_FORM_MORE_MASK    0xF8u
#define TLOG_FORM_MORE_MAX     30u
#define TLOG_FORM_TO_END       0xF8u /* MORE of a step that moves the mark to the end */
#define TLOG_FORM_DONE_MASK    7u

/* Whether writers may take steps of different sizes. Records have one slot. And where several CPUs have
 * store-exclusives that are made of compare-and-exchange a late store to a slot could replace the mark. */
enum { TLOG_FORM_ANY_SIZE = TLOG_CPUS == 1 && TLOG_TRACEEVENTS };

/* Items of a chunk. The last chunk of a ring has the first two. */
enum item {
    TLOG_FORM_NOTES,
    TLOG_FORM_END_MARK,
    TLOG_FORM_LAST_ITEMS,
    TLOG_FORM_CLEAR_NEXT = TLOG_FORM_LAST_ITEMS,
    TLOG_FORM_START_NEXT,
    TLOG_FORM_NAME_NEXT,
    TLOG_FORM_ITEMS
};

#ifdef TLOG_PORT_PUT_WHILE
#define tlog_form_put(word, value, cpu, seen) tlog_port_put_while(word, value, &(cpu)->formed, seen)
#else
/* Store a word while cpu->formed has that value. */
static TLOG_FORM_COLD void tlog_form_put(uint32_t *word, uint32_t value, struct tlog_cpu *cpu, uint32_t seen)
{
    do {
        tlog_port_load_exclusive(word);
        if (((volatile struct tlog_cpu *)cpu)->formed != seen) {
            tlog_port_clear_exclusive();
            break;
        }
    } while (tlog_port_store_exclusive(value, word));
}
#endif

/* End the first arrow of a step, if that is the block in work. False: it is not, or another writer has done that. */
static TLOG_FORCE_INLINE bool end_first_arrow(struct tlog_cpu *cpu, uint32_t seen, uint32_t formed,
                                              const uint32_t *block)
{
    do {
        if (tlog_port_load_exclusive(&cpu->formed) != seen || tlog_ring_block_in_work(cpu) != block) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(formed, &cpu->formed));
    return true;
}

/* End an arrow. False: another writer has done that. */
static TLOG_FORCE_INLINE bool end_arrow(struct tlog_cpu *cpu, uint32_t seen, uint32_t formed)
{
    do {
        if (tlog_port_load_exclusive(&cpu->formed) != seen) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(formed, &cpu->formed));
    return true;
}

/* ---- a header ---------------------------------------------------------------------------------------------------- */

static TLOG_FORCE_INLINE struct tlog_seal *seal_in_ring(const struct tlog_ring *ring, struct tlog_chunk *chunk)
{
    return (struct tlog_seal *)(void *)((char *)chunk + ring->seal);
}

/* Five words of a header that change, and are zeros at first. */
static TLOG_FORCE_INLINE void clear_five(struct tlog_cpu *cpu, uint32_t *word, uint32_t seen)
{
    tlog_form_put(word, 0, cpu, seen);
    tlog_form_put(word + 1, 0, cpu, seen);
    tlog_form_put(word + 2, 0, cpu, seen);
    tlog_form_put(word + 3, 0, cpu, seen);
    tlog_form_put(word + 4, 0, cpu, seen);
}

/* Neither a reader nor a writer of the next run finds a chunk there, nor a seal. */
static TLOG_FORCE_INLINE void erase_magics(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t seen)
{
    tlog_form_put(&seal_in_ring(cpu->ring, chunk)->magic, 0, cpu, seen);
    tlog_form_put(&chunk->magic, 0, cpu, seen);
}

/* The build id that the linker has put into the firmware, if the linker script defines this symbol. */
extern const uint32_t tlog_build_id[2] __attribute__((weak));

/* Store it in the header. Returns what it adds to the check. */
static TLOG_FORCE_INLINE uint32_t put_build_id(volatile uint32_t *to)
{
    if (tlog_build_id == NULL) {
        to[0] = to[1] = 0;
        return 0;
    }
    to[0] = tlog_build_id[0];
    to[1] = tlog_build_id[1];
    return TLOG_CHECK_TERM(tlog_build_id[0], TLOG_POWER_14) + TLOG_CHECK_TERM(tlog_build_id[1], TLOG_POWER_15);
}

/* What address and boot id add to the check. */
static TLOG_FORCE_INLINE uint32_t sum_of_own(const struct tlog_chunk *chunk, uint32_t boot)
{
    uint32_t sum = TLOG_CHECK_TERM(high_half((uintptr_t)chunk), TLOG_POWER_12) + TLOG_CHECK_TERM(boot, TLOG_POWER_13);
    return sum + TLOG_CHECK_TERM((uint32_t)(uintptr_t)chunk, TLOG_POWER_11);
}

/* The words of a header that do not change. The magic is the last one. */
static TLOG_FORCE_INLINE void name_header(const struct tlog_ring *ring, struct tlog_chunk *chunk, uint32_t number)
{
    volatile uint32_t *to = &chunk->magic;
    const uint32_t *from = ring->pattern, place = from[TLOG_PATTERN_PLACE] | number << 8, boot = tlog_ring_boot;
    uint32_t sum = ring->sum;
    to[1] = TLOG_WIRE_TAG;
    to[2] = TLOG_RING_FORMAT;
    to[TLOG_PATTERN_PLACE] = place;
    to[4] = from[4];
    to[5] = from[5];
    to[6] = from[6];
    to[7] = TLOG_RING_FREQ;
    to[8] = TLOG_COARSE_HZ;
    to[9] = TLOG_RING_NEEDS;
    to[10] = (uint32_t)(uintptr_t)chunk;
    to[11] = high_half((uintptr_t)chunk);
    to[12] = boot;
    sum += put_build_id(to + 13);
    if (number != 0)
        sum += TLOG_CHECK_TERM(place, TLOG_POWER_4) - TLOG_CHECK_TERM(from[TLOG_PATTERN_PLACE], TLOG_POWER_4);
    to[15] = sum + sum_of_own(chunk, boot);
    tlog_port_publish();
    *to = TLOG_WIRE_MAGIC;
}

static TLOG_FORCE_INLINE bool is_last(const struct tlog_ring *ring, uint32_t number)
{
    return TLOG_CHUNKS == 1 || number + 1u == ring->chunks;
}

static TLOG_FORCE_INLINE uint32_t *head_of_slot(struct tlog_chunk *chunk, uint32_t slot)
{
    return &chunk->cursor + slot * 4u + TLOG_WORD_HEAD;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* The slots that a chunk has at first, behind those that tell the time at the beginning of a lap. */
enum { TLOG_FORM_AT_FIRST = TLOG_LAP_SLOTS + 1 };

/* n empty slots from that one on. */
static TLOG_FORCE_INLINE void put_empty(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t from, uint32_t n,
                                        uint32_t seen)
{
    uint32_t *head = head_of_slot(chunk, from);
    for (const uint32_t *end = head + 4u * n; head < end; head += 4)
        tlog_form_put(head, TLOG_SLOT_EMPTY, cpu, seen);
}

/* Fill the two slots that tell the time at the beginning of the first lap: see put_reference() in tlog_start.c. */
static TLOG_FORCE_INLINE void refer(struct tlog_cpu *cpu, struct tlog_chunk *chunk)
{
#if TLOG_TRACEEVENTS
    const uint32_t high = TLOG_CPUS > 1 ? cpu->high : 0;
#if TLOG_UNIQUE_STAMPS && TLOG_CPUS == 1
    const uint32_t low = cpu->last;
#else
    const uint32_t low = high & TLOG_HIGH_MIRROR;
#endif
    uint32_t *slot = &chunk->cursor + 4;
    tlog_form_put(slot, 1u, cpu, 0);
    tlog_form_put(slot + 1, cpu->ring->pattern[TLOG_PATTERN_SLOTS], cpu, 0);
    tlog_form_put(slot + 2, low, cpu, 0);
    tlog_form_put(slot + 3, TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_BUFFER) | TLOG_TAG_ODD, cpu, 0);
    tlog_form_put(slot + 4, tlog_ring_wraps(high), cpu, 0);
    tlog_form_put(slot + 5, low, cpu, 0);
    tlog_form_put(slot + 6, low, cpu, 0);
    tlog_form_put(slot + 7, TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_TIME) | TLOG_TAG_ODD, cpu, 0);
#else
    (void)cpu, (void)chunk;
#endif
}

/* What leads from the first chunk to others, and the flags of the last one. */
static TLOG_FORCE_INLINE void link_first(struct tlog_cpu *cpu, const struct tlog_ring *ring, struct tlog_chunk *chunk)
{
    const uint32_t size = ring->pattern[TLOG_PATTERN_SIZE], back = (ring->chunks - 1u) * size;
    tlog_form_put(&chunk->next, TLOG_CHUNKS > 1 ? size : 0, cpu, 0);
    tlog_form_put(&chunk->flags, TLOG_CHUNKS > 1 ? TLOG_CHUNK_JTN : ring->last_flags, cpu, 0);
    if (TLOG_CHUNKS > 1)
        tlog_form_put((uint32_t *)((uintptr_t)&chunk->flags + back), TLOG_CHUNK_JTN | ring->last_flags, cpu, 0);
}

/* Where the first event may have any number of slots the first store to cpu->formed decides where the mark is. A writer
 * that came too late sets it there as well, unless the ring is open: until then no step is taken. */
static TLOG_FORCE_INLINE void set_first_mark(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t mark)
{
    uint32_t seen = mark << TLOG_FORM_MARK_SHIFT;
    if (!TLOG_FORM_ANY_SIZE)
        tlog_form_put(head_of_slot(chunk, mark), TLOG_TAG_MASK, cpu, 0);
    const bool decides = end_arrow(cpu, 0, seen);
    if (!TLOG_FORM_ANY_SIZE)
        return;
    if (!decides)
        seen = ((volatile struct tlog_cpu *)cpu)->formed;
    if (decides || !tlog_ring_is_open(cpu))
        tlog_form_put(head_of_slot(chunk, seen >> TLOG_FORM_MARK_SHIFT), TLOG_TAG_MASK, cpu, seen);
}

/* More slots for the first event, if it needs them. Those that the items need are behind the mark. Returns how many. */
static TLOG_FORCE_INLINE uint32_t put_further(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t n)
{
    const uint32_t most = TLOG_SLOTS - (TLOG_CHUNKS > 1 ? (uint32_t)TLOG_FORM_ITEMS : (uint32_t)TLOG_FORM_LAST_ITEMS)
                          - TLOG_FORM_AT_FIRST;
    if (!TLOG_FORM_ANY_SIZE || n <= 1u)
        return 0;
    n = n - 1u < most ? n - 1u : most;
    put_empty(cpu, chunk, TLOG_FORM_AT_FIRST + 1u, n, 0);
    return n;
}

__attribute__((cold)) void tlog_form_first(struct tlog_cpu *cpu, uint32_t n)
{
    const struct tlog_ring *ring = cpu->ring;
    struct tlog_chunk *chunk = ring->first;
    const uint32_t refers = TLOG_TRACEEVENTS ? 2u : 0u;
    erase_magics(cpu, chunk, 0);
    tlog_form_put(&chunk->cursor, (1u + refers) << TLOG_CURSOR_SHIFT | TLOG_TAG_ODD, cpu, 0);
    tlog_form_put(&chunk->lap, TLOG_LAP_FIRST, cpu, 0);
    for (uint32_t *word = &chunk->emergency_used; word < &chunk->cursor; word += 5)
        clear_five(cpu, word, 0);
    tlog_form_put(&chunk->dropped, 0, cpu, 0);
    tlog_form_put(&chunk->extra, refers, cpu, 0);
    link_first(cpu, ring, chunk);
    refer(cpu, chunk);
    put_empty(cpu, chunk, 1u + refers, TLOG_FORM_AT_FIRST - refers, 0);
    const uint32_t further = put_further(cpu, chunk, n);
    set_first_mark(cpu, chunk, TLOG_FORM_AT_FIRST + 1u + further);
    name_header(ring, chunk, 0);
}

/* ---- items ------------------------------------------------------------------------------------------------------- */

static TLOG_FORCE_INLINE void make_notes(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t seen)
{
    uint32_t *note = tlog_chunk_claims(chunk)->note;
    for (uint32_t *end = note + TLOG_CLAIMS; note < end; note += 2) {
        tlog_form_put(note, 0, cpu, seen);
        tlog_form_put(note + 1, 0, cpu, seen);
    }
}

static TLOG_FORCE_INLINE void make_end(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t seen)
{
    struct tlog_end *end = (struct tlog_end *)(void *)((uint32_t *)(void *)(chunk + 1) + chunk->slots * 4u);
    tlog_form_put(&end->spare[0], 0, cpu, seen);
    tlog_form_put(&end->spare[1], 0, cpu, seen);
    tlog_form_put(&end->spare[2], 0, cpu, seen);
    tlog_form_put(&end->mark, TLOG_TAG_MASK, cpu, seen);
}

/* Begin with a chunk that is not the first one: its cursor is as if it were full in lap 0. The flags of the last chunk
 * stand there already. */
static TLOG_FORCE_INLINE void begin_next(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t number, uint32_t seen)
{
    const uint32_t full = (cpu->ring->pattern[TLOG_PATTERN_SLOTS] + 1u) << TLOG_CURSOR_SHIFT;
    erase_magics(cpu, chunk, seen);
    tlog_form_put(&chunk->cursor, full | TLOG_TAG_EVEN, cpu, seen);
    tlog_form_put(&chunk->lap, TLOG_LAP_NONE, cpu, seen);
    if (!is_last(cpu->ring, number))
        tlog_form_put(&chunk->flags, TLOG_CHUNK_JTN, cpu, seen);
}

/* Words that are zeros at first, and `next`. */
static TLOG_FORCE_INLINE void clear_next(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t number, uint32_t seen)
{
    const uint32_t size = cpu->ring->pattern[TLOG_PATTERN_SIZE];
    tlog_form_put(&chunk->next, is_last(cpu->ring, number) ? 0u - number * size : size, cpu, seen);
    clear_five(cpu, &chunk->emergency_used, seen);
    tlog_form_put(&chunk->dropped, 0, cpu, seen);
    tlog_form_put(&chunk->extra, 0, cpu, seen);
}

/* The other words that are zeros, and its first slots. */
static TLOG_FORCE_INLINE void start_next(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t seen)
{
    clear_five(cpu, &chunk->emergency_used + 5, seen);
    put_empty(cpu, chunk, 1, TLOG_FORM_AT_FIRST, seen);
    tlog_form_put(head_of_slot(chunk, TLOG_FORM_AT_FIRST + 1u), TLOG_TAG_MASK, cpu, seen);
}

static TLOG_FORCE_INLINE struct tlog_chunk *chunk_of_ring(const struct tlog_ring *ring, uint32_t number)
{
    return (struct tlog_chunk *)((uintptr_t)ring->first
                                 + (TLOG_CHUNKS > 1 ? number * ring->pattern[TLOG_PATTERN_SIZE] : 0u));
}

static TLOG_FORM_COLD void do_item(struct tlog_cpu *cpu, uint32_t number, uint32_t item, uint32_t seen)
{
    struct tlog_chunk *chunk = chunk_of_ring(cpu->ring, number + (item >= TLOG_FORM_LAST_ITEMS));
    if (item == TLOG_FORM_NOTES) {
        make_notes(cpu, chunk, seen);
    } else if (item == TLOG_FORM_END_MARK) {
        make_end(cpu, chunk, seen);
        if (TLOG_CHUNKS > 1 && !is_last(cpu->ring, number))
            begin_next(cpu, chunk_of_ring(cpu->ring, number + 1u), number + 1u, seen);
    } else if (TLOG_CHUNKS == 1) {
        return;
    } else if (item == TLOG_FORM_CLEAR_NEXT) {
        clear_next(cpu, chunk, number + 1u, seen);
    } else if (item == TLOG_FORM_START_NEXT) {
        start_next(cpu, chunk, seen);
    } else {
        name_header(cpu->ring, chunk, number + 1u);
    }
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

/* Erase the mark. */
static TLOG_FORCE_INLINE void unmark(struct tlog_cpu *cpu, uint32_t *head, uint32_t seen)
{
    do {
        if (tlog_port_load_exclusive(head) != TLOG_TAG_MASK || ((volatile struct tlog_cpu *)cpu)->formed != seen) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(TLOG_SLOT_EMPTY, head));
}

static TLOG_FORCE_INLINE uint32_t number_in(uint32_t seen)
{
    return (seen & TLOG_FORM_NUMBER_MASK) >> TLOG_FORM_NUMBER_SHIFT;
}

/* The index of the first slot of a block, if it is in that chunk and behind the mark; else a large number. */
static TLOG_FORCE_INLINE uint32_t index_of_block(struct tlog_chunk *chunk, const uint32_t *block)
{
    return block == NULL ? UINT32_MAX : (uint32_t)((uintptr_t)block - (uintptr_t)&chunk->cursor) / TLOG_SLOT_BYTES;
}

/* The slots of a step without an item, for an event of n slots. most: the mark can move so far; ahead: so many slots
 * behind it a block in work begins. The mark does not move into that, but over it. */
static TLOG_FORCE_INLINE uint32_t put_step(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t seen, uint32_t n,
                                           uint32_t most, uint32_t ahead)
{
    const uint32_t mark = seen >> TLOG_FORM_MARK_SHIFT;
#if TLOG_BLOCKS
    if (ahead == 1u) {
        uint32_t *head = head_of_slot(chunk, mark + 1u);
        for (const uint32_t *end = head + TLOG_BLOCK_WORDS; head < end; head += 4)
            tlog_form_put(head, TLOG_SLOT_CLAIMED, cpu, seen);
        return TLOG_BLOCK_SLOTS + 1u;
    }
#endif
    most = most < ahead - 1u ? most : ahead - 1u;
    n = n < most ? n : most;
    put_empty(cpu, chunk, mark + 1u, n - 1u, seen);
    return n;
}

/* The first arrow of a step, for an event of n slots. most: the mark can move so far. Returns the slots of the step. If
 * another writer has ended the arrow with another number nothing is stored with the caller's state any more. */
static TLOG_FORCE_INLINE uint32_t begin_step(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t seen,
                                             bool has_item, uint32_t n, uint32_t most)
{
    const uint32_t *const block = tlog_ring_block_in_work(cpu);
    uint32_t more = 1;
    tlog_form_put(&seal_in_ring(cpu->ring, chunk)->magic, 0, cpu, seen);
    if (has_item)
        do_item(cpu, number_in(seen), seen & TLOG_FORM_DONE_MASK, seen);
    if (!has_item || (TLOG_FORM_ANY_SIZE && n > 1u)) {
        more = TLOG_FORM_ANY_SIZE && (has_item || n > TLOG_FORM_STEP_SLOTS) ? n : TLOG_FORM_STEP_SLOTS;
        more = more < TLOG_FORM_MORE_MAX ? more : TLOG_FORM_MORE_MAX;
        more = put_step(cpu, chunk, seen, more, most, index_of_block(chunk, block) - (seen >> TLOG_FORM_MARK_SHIFT));
    }
    end_first_arrow(cpu, seen, seen | more << TLOG_FORM_MORE_SHIFT, block);
    return more;
}

/* Items that are left to do. */
static TLOG_FORCE_INLINE uint32_t items_left(const struct tlog_ring *ring, uint32_t seen)
{
    return (is_last(ring, number_in(seen)) ? (uint32_t)TLOG_FORM_LAST_ITEMS : (uint32_t)TLOG_FORM_ITEMS)
           - (seen & TLOG_FORM_DONE_MASK);
}

/* The second arrow. item: 1 if the step has done one. */
static TLOG_FORCE_INLINE void finish_step(struct tlog_cpu *cpu, uint32_t seen, uint32_t item)
{
    const struct tlog_ring *ring = cpu->ring;
    const uint32_t mark = seen >> TLOG_FORM_MARK_SHIFT, number = number_in(seen);
    const uint32_t slots = ring->pattern[TLOG_PATTERN_SLOTS];
    struct tlog_chunk *chunk = chunk_of_ring(ring, number);
    const uint32_t more = TLOG_BLOCKS && (seen & TLOG_FORM_MORE_MASK) == TLOG_FORM_TO_END
                              ? slots + 1u - mark
                              : (seen & TLOG_FORM_MORE_MASK) >> TLOG_FORM_MORE_SHIFT;
    tlog_form_put(head_of_slot(chunk, mark + more), TLOG_TAG_MASK, cpu, seen);
    unmark(cpu, head_of_slot(chunk, mark), seen);
    uint32_t after = (seen & ~TLOG_FORM_MORE_MASK) + item + (more << TLOG_FORM_MARK_SHIFT);
    if (mark + more > slots)
        after = (TLOG_FORM_AT_FIRST + 1u) << TLOG_FORM_MARK_SHIFT | (number + 1u) << TLOG_FORM_NUMBER_SHIFT;
    end_arrow(cpu, seen, mark + more > slots && is_last(ring, number) ? TLOG_FORMED_ALL : after);
}

/* Take a step from that state on, for an event of n slots, or finish it if it is begun. */
static void form_step(struct tlog_cpu *cpu, uint32_t seen, uint32_t n)
{
    const struct tlog_ring *ring = cpu->ring;
    const uint32_t left = items_left(ring, seen), item = left > 0;
    if ((seen & TLOG_FORM_MORE_MASK) == 0) {
        const uint32_t most = ring->pattern[TLOG_PATTERN_SLOTS] + 1u + item - left - (seen >> TLOG_FORM_MARK_SHIFT);
        seen |= begin_step(cpu, chunk_of_ring(ring, number_in(seen)), seen, item, n, most) << TLOG_FORM_MORE_SHIFT;
    }
    finish_step(cpu, seen, item);
}

/* Whether a step is begun, or the mark stands in the way of n slots at the cursor. */
static TLOG_FORCE_INLINE bool is_in_the_way(const struct tlog_cpu *cpu, uint32_t seen, uint32_t n)
{
    const struct tlog_chunk *home = tlog_ring_home(cpu);
    const bool is_here = TLOG_CHUNKS == 1 || ((seen ^ home->place) & TLOG_FORM_NUMBER_MASK) == 0;
    return (seen & TLOG_FORM_MORE_MASK) != 0
           || (is_here && (seen >> TLOG_FORM_MARK_SHIFT) - (cursor_of(home) >> TLOG_CURSOR_SHIFT) < n);
}

__attribute__((cold)) bool tlog_form_slots(struct tlog_cpu *cpu, uint32_t n)
{
    bool any = false;
    for (uint32_t seen; is_in_the_way(cpu, seen = ((volatile struct tlog_cpu *)cpu)->formed, n); any = true) {
        form_step(cpu, seen, n);
        if (n == 1u)
            return true;
    }
    return any;
}

/* A writer that was preempted in a step would go on with it behind the sealing. */
__attribute__((cold)) void tlog_form_settle(struct tlog_cpu *cpu)
{
    uint32_t seen = ((volatile struct tlog_cpu *)cpu)->formed;
    if (seen == 0 || seen == TLOG_FORMED_ALL)
        return;
    do {
        form_step(cpu, seen, 1);
        seen = ((volatile struct tlog_cpu *)cpu)->formed;
    } while (seen & TLOG_FORM_MORE_MASK);
}

uint32_t tlog_form_chunks(const struct tlog_cpu *cpu)
{
    const uint32_t seen = ((const volatile struct tlog_cpu *)cpu)->formed;
    const uint32_t items = (seen & TLOG_FORM_DONE_MASK) + ((seen & TLOG_FORM_MORE_MASK) != 0);
    const uint32_t chunks =
        ((seen & TLOG_FORM_NUMBER_MASK) >> TLOG_FORM_NUMBER_SHIFT) + 1u + (items >= TLOG_FORM_ITEMS);
    return seen == TLOG_FORMED_ALL ? TLOG_CHUNKS : seen == 0 ? 0 : chunks;
}

/* ---- all at once ------------------------------------------------------------------------------------------------- */

#if TLOG_BLOCKS
/* Go on from one block to another one, or to none. False: it is another writer's, or something has changed. */
static bool claim_block(struct tlog_cpu *cpu, const uint32_t *from, uint32_t *to, uint32_t seen)
{
    do {
        if (tlog_port_load_exclusive_pointer((void **)&cpu->block) != from
            || (to != NULL && (((volatile struct tlog_cpu *)cpu)->formed != seen || tlog_ring_is_held()))) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive_pointer(to, (void **)&cpu->block));
    return true;
}

/* Slots that are left between the mark and the blocks: so an interrupt seldom comes to the block in work. */
enum { TLOG_FORM_GAP = 2 * TLOG_FORM_STEP_SLOTS };

/* Empty the slots from `first` up to `low`, in blocks from the end on. Returns the first one that was emptied. */
static TLOG_FORCE_INLINE uint32_t empty_down(struct tlog_cpu *cpu, struct tlog_chunk *chunk, uint32_t first,
                                             uint32_t low, uint32_t seen)
{
    uint32_t *block = NULL;
    tlog_form_put(&seal_in_ring(cpu->ring, chunk)->magic, 0, cpu, seen);
    while (low > first) {
        const uint32_t next = low - first > TLOG_BLOCK_SLOTS ? low - TLOG_BLOCK_SLOTS : first;
        uint32_t *to = &chunk->cursor + next * 4u;
        if (!claim_block(cpu, block, to, seen))
            break;
        tlog_form_block(to);
        block = to;
        low = next;
    }
    if (block != NULL)
        claim_block(cpu, block, NULL, seen);
    return low;
}

#endif

/* Do the next part of formatting all; slots from `low` on are empty. False: another writer's block is in work. */
static bool form_part(struct tlog_cpu *cpu, uint32_t seen, uint32_t *low)
{
#if TLOG_BLOCKS
    const uint32_t mark = seen >> TLOG_FORM_MARK_SHIFT, first = mark + 1u + TLOG_FORM_GAP;
    const bool is_blank = (seen & TLOG_FORM_MORE_MASK) == 0 && items_left(cpu->ring, seen) == 0;
    const bool has_place = first + TLOG_BLOCK_SLOTS <= cpu->ring->pattern[TLOG_PATTERN_SLOTS] + 1u;
    if (!is_blank || (*low > mark + 1u && (*low <= first || !has_place)))
        form_step(cpu, seen, 1);
    else if (tlog_ring_block_in_work(cpu) != NULL)
        return false;
    else if (*low > first)
        *low = empty_down(cpu, chunk_of_ring(cpu->ring, number_in(seen)), first, *low, seen);
    else if (end_first_arrow(cpu, seen, seen | TLOG_FORM_TO_END, NULL))
        finish_step(cpu, seen | TLOG_FORM_TO_END, 0);
#else
    (void)low;
    form_step(cpu, seen, 1);
#endif
    return true;
}

/* An interrupt that takes a step in between only makes this look again. What is emptied stays so until the mark comes
 * there. If another writer's block is in work the rest is left to that one, or to events. */
__attribute__((cold)) void tlog_form_all(struct tlog_cpu *cpu)
{
    const uint32_t end = cpu->ring->pattern[TLOG_PATTERN_SLOTS] + 1u;
    uint32_t low = end, number = 0, seen;
    while ((seen = ((volatile struct tlog_cpu *)cpu)->formed) != TLOG_FORMED_ALL && !tlog_ring_is_held()) {
        if (number != number_in(seen))
            low = end;
        number = number_in(seen);
        if (!form_part(cpu, seen, &low))
            return;
    }
}

#endif
