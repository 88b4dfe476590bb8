/* tlog_minimal.c - the slow half of the record path with TLOG_MINIMAL: one CPU, one chunk, records only.
 *
 * tlog_ring.c and tlog_claim.c explain the words, the fast path, the tags and the notes of slots that were passed; all
 * of that holds here. What is left of their steps is one table. The first row that fits says what the writer does next:
 *
 *     the lap that the cursor is in is not counted                            count it
 *     the cursor is full, and logging stops then                              there is no room
 *     the cursor is full                                                      open the next lap
 *     not parked, the slot is free                                            done: reserve it
 *     not parked, the slot is not free                                        park the cursor
 *     parked, the slot bears both tags, no note of it is of this lap          note it, if there is room for a note
 *     parked, the slot bears both tags                                        pass it: cursor to the next slot, open
 *     parked, a note is valid and of this lap, or the slot bears this lap's   its owner is back: make the slot empty,
 *     tag: and the slot is not empty                                          with the tag of the lap before
 *     parked, the same, and the slot is empty                                 clear the note
 *     parked, no note is valid, the slot bears this lap's tag                 claim it: both tags
 *     parked, else                                                            the slot is free: open the cursor there
 *
 * Each step is one store-exclusive, made only while the word that it changes has the value that was seen, and the lap
 * word, too. That is enough, because within a lap these words change in one direction only:
 *
 *   cursor   from slot to slot, and at a slot from open to parked to open. While it is parked no slot is reserved
 *   head     from this lap's tag to both tags, or to empty. An owner whose slot nobody has claimed is of the lap
 *            before, so the tag that it stores is not this lap's
 *   note     from none, or an old one, to one of this lap, or to none
 *
 * So a writer that was interrupted stores nothing that does not fit any more: it looks again, and finds the row at
 * which the other writers have left the table. If an owner comes back between look and step, the note or the cursor may
 * be stored all the same: that is as if it had come back behind the step, and the next lap finds its head. */
#include "tlog.h"
#include "tlog_ring_impl.h"

#include <stddef.h>

#if TLOG_ENABLE && TLOG_MINIMAL

/* What note_of() gives of the lap before. */
#define A_LAP_AGO (1u << TLOG_CLAIM_LAP_SHIFT)

/* ---- a step ------------------------------------------------------------------------------------------------------ */

/* What a writer has seen. */
struct view {
    struct tlog_chunk *chunk;
    uint32_t cursor, lap, head; /* head: of the slot on which the cursor stands, */
    uint32_t *at;               /* and where that is */
};

static inline uint32_t *head_at(const struct view *view, uint32_t slot)
{
    return &view->chunk->cursor + slot * 4u + TLOG_WORD_HEAD;
}

static bool has_both_tags(uint32_t head)
{
    return (head & TLOG_TAG_MASK) == TLOG_TAG_MASK;
}

static void look(struct view *view)
{
    view->lap = lap_of(view->chunk);
    view->cursor = cursor_of(view->chunk);
    view->at = head_at(view, view->cursor >> TLOG_CURSOR_SHIFT);
    view->head = *(volatile uint32_t *)view->at;
}

/* Store a word that had the value `seen`, unless it or the lap has changed. False: it was not stored. */
static __attribute__((noinline)) bool put(const struct view *view, uint32_t *word, uint32_t seen, uint32_t value)
{
    do {
        if (tlog_port_load_exclusive(word) != seen || lap_of(view->chunk) != view->lap) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_port_store_exclusive(value, word));
    return true;
}

static void put_head(const struct view *view, uint32_t head)
{
    put(view, view->at, view->head, head);
}

static bool put_cursor(const struct view *view, uint32_t cursor)
{
    return put(view, &view->chunk->cursor, view->cursor, cursor);
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

/* The note that the slot at the cursor is passed in this lap. */
static uint32_t note_of(const struct view *view)
{
    return (view->lap & ~TLOG_CLAIM_SLOT_MASK) | view->cursor >> TLOG_CURSOR_SHIFT;
}

static bool is_of_slot(uint32_t note, uint32_t other)
{
    return ((note ^ other) & TLOG_CLAIM_SLOT_MASK) == 0;
}

/* Laps since a slot was claimed; 0: it does not bear both tags. A claimed head has the low 16 bits of the lap. */
static uint32_t claimed_for(const struct view *view, uint32_t slot)
{
    uint32_t head = *(volatile uint32_t *)head_at(view, slot);
    return has_both_tags(head) ? ((view->lap | TLOG_CLAIM_SLOT_MASK) - head) >> TLOG_CLAIM_LAP_SHIFT : 0;
}

/* The word that has the valid note of the slot. If there is none: a word that has no note, or an old one, whose slot
 * the cursor has passed since in a later lap; or else the note of the slot that was claimed longest ago, if that was
 * before this one, because its owner is the least likely to return. NULL: there is none. Old notes are cleared on the
 * way. */
static uint32_t *find_note(const struct view *view)
{
    uint32_t *note = tlog_chunk_claims(view->chunk)->note, *best = NULL;
    const uint32_t wanted = note_of(view);
    uint32_t longest = claimed_for(view, wanted & TLOG_CLAIM_SLOT_MASK);
    for (const uint32_t *end = note + TLOG_CLAIMS; note < end; note++) {
        uint32_t value = *(volatile uint32_t *)note, laps = A_LAP_AGO;
        if (value != 0 && wanted - value > A_LAP_AGO)
            put(view, note, value, 0);
        else if (value != 0)
            laps = is_of_slot(value, wanted) ? UINT32_MAX : claimed_for(view, value & TLOG_CLAIM_SLOT_MASK);
        if (laps > longest) {
            longest = laps;
            best = note;
        }
    }
    return best;
}

bool tlog_ring_is_noted(const struct tlog_chunk *chunk, uint32_t cursor, uint32_t lap)
{
    const struct view view = {(struct tlog_chunk *)(uintptr_t)chunk, cursor, lap, 0, NULL};
    const uint32_t *note = find_note(&view);
    return note != NULL && *(const volatile uint32_t *)note == note_of(&view);
}

/* ---- counts with a high word ------------------------------------------------------------------------------------- */

/* Add to the high word of a count, if its bit 31 differs from that of its low word: see TLOG_COUNT_MIRROR. */
static void carry(uint32_t *high, const uint32_t *low)
{
    uint32_t value;
    do {
        value = tlog_port_load_exclusive(high);
        if ((int32_t)(value ^ *(const volatile uint32_t *)low) >= 0) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(value + TLOG_COUNT_MIRROR + (value >> 31), high));
}

static bool is_counted(const struct view *view)
{
    return ((view->lap ^ view->cursor) & TLOG_TAG_MASK) != TLOG_TAG_MASK;
}

/* Old notes are cleared in every lap, because the 16 bits of laps that they have repeat. In 2^15 laps `extra` grows by
 * less than 2^31, so its high word is never behind by more than one step. */
static void count_lap(struct view *view)
{
    struct tlog_chunk *chunk = view->chunk;
    put(view, &chunk->lap, view->lap, (view->lap ^ TLOG_TAG_MASK) + TLOG_LAP_STEP);
    carry(&chunk->extra_high, &chunk->extra);
    carry(&chunk->lap_high, &chunk->lap);
    look(view);
    if (is_counted(view))
        find_note(view);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* The rows of a parked cursor whose slot bears both tags. Returns the slots that were passed: 0 or 1. */
static uint32_t pass(const struct view *view, uint32_t *note, uint32_t noted)
{
    const uint32_t wanted = note_of(view);
    if (note != NULL && noted != wanted) {
        put(view, note, noted, wanted);
        return 0;
    }
    if (!put_cursor(view, (view->cursor & ~TLOG_TAG_MASK) + TLOG_CURSOR_STEP + (view->lap & TLOG_TAG_MASK)))
        return 0;
    tlog_ring_add(&view->chunk->extra, 1u);
    return 1;
}

/* The other rows of a parked cursor. */
static void take_back(const struct view *view, uint32_t *note, uint32_t noted)
{
    const uint32_t tag = view->lap & TLOG_TAG_MASK, empty = TLOG_TAG_MASK ^ tag, age = note_of(view) - noted;
    if (age != 0 && !(view->head & tag))
        put_cursor(view, view->cursor ^ empty);
    else if (age != 0 && age != A_LAP_AGO)
        put_head(view, (view->lap & ~TLOG_CLAIM_SLOT_MASK) | TLOG_TAG_MASK);
    else if (view->head != empty)
        put_head(view, empty);
    else
        put(view, note, noted, 0);
}

static uint32_t step_parked(const struct view *view)
{
    uint32_t *note = find_note(view);
    const uint32_t noted = note != NULL ? *(volatile uint32_t *)note : 0;
    if (has_both_tags(view->head))
        return pass(view, note, noted);
    take_back(view, note, noted);
    return 0;
}

/* Take the step of the first row that fits. Returns the slots that were passed: 0 or 1. */
static uint32_t step(struct view *view)
{
    if (!is_counted(view))
        count_lap(view);
    else if (is_full(view->chunk, view->cursor))
        put_cursor(view, TLOG_CURSOR_STEP | (~view->lap & TLOG_TAG_MASK));
    else if (!is_parked(view->cursor))
        put_cursor(view, view->cursor | TLOG_TAG_MASK);
    else
        return step_parked(view);
    return 0;
}

/* Whether the cursor stands on a free slot, and the lap is counted: then both have the same tag, which the slot has
 * not. */
static bool has_room(const struct view *view)
{
    return ((view->head | ~view->lap) & view->cursor & TLOG_TAG_MASK) == 0;
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

/* Whether logging has stopped because the chunk is full. */
static bool has_stopped(const struct view *view)
{
    return is_full(view->chunk, view->cursor) && view->chunk->flags & TLOG_CHUNK_STOP;
}

/* It passes each slot once at most: if all of them are stuck there is no room. */
__attribute__((cold)) bool tlog_ring_make_room(struct tlog_cpu *cpu, bool reports)
{
    struct view view;
    uint32_t passed = 0;
    (void)reports; /* no record tells of a loss */
    tlog_ring_start(cpu);
    tlog_ring_tick(cpu);
    view.chunk = tlog_ring_home(cpu);
    for (look(&view); !has_room(&view); look(&view)) {
        if (has_stopped(&view) || passed > view.chunk->slots)
            return false;
        passed += step(&view);
    }
    return true;
}

__attribute__((cold)) void tlog_ring_slow(uint32_t par1, uint32_t par2, uint32_t code, struct tlog_cpu *cpu)
{
    struct tlog_reserved at;
    while (!tlog_ring_reserve(cpu, ((volatile struct tlog_cpu *)cpu)->cursor, &at))
        if (!tlog_ring_make_room(cpu, false)) {
            tlog_ring_drop(cpu);
            return;
        }
    tlog_ring_fill(&at, code, par1, par2);
}

/* As in tlog.c, but the path that tlog_ring_slow() has is not inlined once more. */
void tlog_record_any(uint32_t par1, uint32_t par2, uint32_t code)
{
    if (!tlog_code_ok(code))
        tlog_ring_drop(&tlog_cpu0);
    else if (!tlog_ring_is_muted(((volatile struct tlog_cpu *)&tlog_cpu0)->filter, code))
        tlog_ring_slow(par1, par2, code, &tlog_cpu0);
}

__attribute__((cold)) void tlog_ring_drop(struct tlog_cpu *cpu)
{
    tlog_ring_start(cpu);
    struct tlog_chunk *chunk = tlog_ring_home(cpu);
    tlog_ring_tick(cpu);
    if (tlog_ring_add(&chunk->dropped, 1u) == chunk->reported) {
        chunk->lost_at = tlog_port_now_at(cpu->clock);
        chunk->lost_high = tlog_ring_wraps(((volatile struct tlog_cpu *)cpu)->high);
    }
    carry(&chunk->dropped_high, &chunk->dropped);
}

#endif
