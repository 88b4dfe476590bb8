/* SPDX-License-Identifier: MIT */
/* tlog_minimal.c - the slow half of the record path with TLOG_MINIMAL: one CPU, one chunk, records only.
 *
 * tlog_ring.c explains the words, the fast path and the tags; all of that holds here. What is left of its steps is one
 * table. The first row that fits says what a writer does next:
 *
 *     the lap that the cursor is in is not counted          clear the bits of the lap before the last; count it
 *     the cursor is full, and logging stops then            there is no room
 *     the cursor is full                                    open the next lap
 *     the cursor is not parked, and the slot is free        there is room: reserve it
 *     the cursor is not parked                              park it
 *     the slot is free, and its bit of this lap is set      clear the bit: its owner came back
 *     the slot is free                                      open the cursor, unless something holds it
 *     the slot was reserved before tlog_quiescent() told    empty it: its owner never comes
 *     the slot bears both tags, and its bit is set          pass it: the cursor moves on; then note that, if possible
 *     the slot bears both tags                              set its bit of this lap
 *     its bit of the last lap is set                        empty it: its owner came back
 *     the slot bears the tag of this lap                    claim it: both tags, and the lap
 *
 * A slot that is not free has an owner of the lap before, still in the middle of its event: it was interrupted, or its
 * thread was preempted or deleted. Nobody waits for it. If it comes back it fills the slot, which bears one tag again.
 * In the next lap such a slot looks as one that has another owner at work. The bits tell the two apart: a slot whose
 * bit is set was passed in that lap, and nobody has reserved it. For a bit changes only while the cursor is parked on
 * its slot, and the cursor is opened only where the bit is clear. A slot has two bits: of odd laps, of even ones.
 *
 * A note hides from readers what the owner of a passed slot fills in late, and which was to be overwritten anyway
 * (tlog_claim.c). There may be no note: a writer was interrupted between its two stores, or eight other notes are
 * valid. Then that event may be shown out of its time.
 *
 * Each step is one store-exclusive, made only while cursor, lap word and head have the values by which the row was
 * chosen. So a writer that was interrupted stores nothing that does not fit any more. It looks again, and finds the row
 * to which the other writers have come. A note is stored in the lap that it tells. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#include <stddef.h>

#if TLOG_ENABLE && TLOG_MINIMAL

/* What a note of the lap before is less than one of this lap. */
#define TLOG_MINIMAL_LAP (1u << TLOG_CLAIM_LAP_SHIFT)

/* What a writer has seen. */
struct view {
    struct tlog_chunk *chunk;
    uint32_t cursor, lap, head; /* head: of the slot on which the cursor stands, */
    uint32_t *at;               /* and where that is */
};

static void look_at_view(struct view *view)
{
    view->lap = lap_of(view->chunk);
    view->cursor = cursor_of(view->chunk);
    view->at = &view->chunk->cursor + (view->cursor >> TLOG_CURSOR_SHIFT) * 4u + TLOG_WORD_HEAD;
    view->head = *(volatile uint32_t *)view->at;
}

/* Store a word, unless what was seen has changed. False: it was not stored. */
static __attribute__((noinline)) bool put(const struct view *view, uint32_t *word, uint32_t value)
{
    uint32_t before;
    do {
        before = tlog_port_load_exclusive(word);
        if (cursor_of(view->chunk) != view->cursor || lap_of(view->chunk) != view->lap
            || *(volatile uint32_t *)view->at != view->head) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_ring_replace_exclusive(before, value, word));
    return true;
}

static bool put_cursor(const struct view *view, uint32_t cursor)
{
    return put(view, &view->chunk->cursor, cursor);
}

/* ---- bits and notes of passed slots ------------------------------------------------------------------------------ */

uint32_t tlog_ring_passed[2][TLOG_PASSED_WORDS];

/* The bits of laps with that tag. */
static uint32_t *passed_in(uint32_t tag)
{
    return tlog_ring_passed[(tag & TLOG_TAG_ODD) != 0];
}

/* The note that the slot at the cursor was passed in this lap. */
static uint32_t note_of(const struct view *view)
{
    return (view->lap & ~TLOG_CLAIM_SLOT_MASK) | view->cursor >> TLOG_CURSOR_SHIFT;
}

/* Note that the slot was passed, if a word has no note, or one that the cursor has passed since in a later lap. */
static void put_note(const struct view *view)
{
    uint32_t *note = tlog_chunk_claims(view->chunk)->note;
    for (const uint32_t *end = note + TLOG_CLAIMS; note < end; note++) {
        uint32_t value = tlog_port_load_exclusive(note);
        if ((value == 0 || note_of(view) - value >= TLOG_MINIMAL_LAP) && lap_of(view->chunk) == view->lap
            && !tlog_port_store_exclusive(note_of(view), note))
            return;
        tlog_port_clear_exclusive();
    }
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Notes have 16 bits of laps, which repeat: so they are all cleared in time, and valid ones are made again. */
static void clear_notes(const struct view *view)
{
    uint32_t *note = tlog_chunk_claims(view->chunk)->note;
    for (const uint32_t *end = note + TLOG_CLAIMS; note < end; note++)
        *(volatile uint32_t *)note = 0;
}

/* Clear the bits of slots passed in the lap before the last, which has the same tag as the lap that begins. False:
 * there were some, and the writer must look again. */
static bool clear_passed(const struct view *view)
{
    for (uint32_t i = 0; i < TLOG_PASSED_WORDS; i++)
        if (passed_in(~view->lap)[i] != 0) {
            put(view, &passed_in(~view->lap)[i], 0);
            return false;
        }
    return true;
}

/* In 2^15 laps `extra` grows by less than 2^31, so its high word is never behind by more than one step. */
static void count_lap(const struct view *view)
{
    struct tlog_chunk *chunk = view->chunk;
    if (!clear_passed(view))
        return;
    if (view->lap << 1 >> (TLOG_LAP_SHIFT + 1u) == 0) {
        clear_notes(view);
        tlog_ring_forget_told(chunk);
    }
    put(view, &chunk->lap, (view->lap ^ TLOG_TAG_MASK) + TLOG_LAP_STEP);
    tlog_ring_carry_count(&chunk->extra_high, &chunk->extra);
    tlog_ring_carry_count(&chunk->lap_high, &chunk->lap);
}

/* Whether a slot that is not free was reserved before no context was in the middle of a call: in the lap before, or in
 * that before the claim. */
static bool is_abandoned_slot(const struct view *view)
{
    const uint32_t behind = is_parked(view->head) ? view->head : view->lap;
    return tlog_ring_is_abandoned(
        view->chunk, view->lap, (behind & ~TLOG_CLAIM_SLOT_MASK) - TLOG_LAP_STEP + (view->cursor >> TLOG_CURSOR_SHIFT));
}

static void pass_slot(const struct view *view)
{
    if (put_cursor(view, view->cursor + TLOG_CURSOR_STEP)) {
        tlog_ring_add(&view->chunk->extra, 1u);
        put_note(view);
    }
}

/* The rows of a parked cursor. */
static void step_parked(const struct view *view)
{
    const uint32_t slot = view->cursor >> TLOG_CURSOR_SHIFT, bit = 1u << (slot & 31u);
    uint32_t *word = &passed_in(view->lap)[slot >> 5];
    const uint32_t bits = *(volatile uint32_t *)word;
    const bool is_taken = (view->head & view->lap & TLOG_TAG_MASK) != 0;
    if (!is_taken && (bits & bit) == 0)
        put_cursor(view, view->cursor ^ (~view->lap & TLOG_TAG_MASK));
    else if (is_taken && is_abandoned_slot(view))
        put(view, view->at, ~view->lap & TLOG_TAG_MASK);
    else if (is_taken && !is_parked(view->head))
        put(view, view->at,
            passed_in(~view->lap)[slot >> 5] & bit ? ~view->lap & TLOG_TAG_MASK
                                                   : (view->lap & ~TLOG_CLAIM_SLOT_MASK) | TLOG_TAG_MASK);
    else if (is_taken && (bits & bit) != 0)
        pass_slot(view);
    else
        put(view, word, bits ^ bit);
}

/* Take the step of the first row that fits, if there is no room. */
static void step_once(const struct view *view)
{
    if ((view->lap & view->cursor & TLOG_TAG_MASK) == 0)
        count_lap(view);
    else if (is_full(view->chunk, view->cursor))
        put_cursor(view, TLOG_CURSOR_STEP | (~view->lap & TLOG_TAG_MASK));
    else if (is_parked(view->cursor))
        step_parked(view);
    else
        put_cursor(view, view->cursor | TLOG_TAG_MASK);
}

/* Whether the cursor stands on a free slot, and the lap is counted: then both have the same tag, which the slot has
 * not. */
static bool has_room(const struct view *view)
{
    return ((view->head | ~view->lap) & view->cursor & TLOG_TAG_MASK) == 0;
}

/* Whether logging has stopped because the chunk is full. */
static bool has_stopped(const struct view *view)
{
    return is_full(view->chunk, view->cursor) && view->chunk->flags & TLOG_CHUNK_STOP;
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

/* Three steps for each slot, and those of a lap, find room if there is any: all slots may have to be claimed. */
__attribute__((cold)) bool tlog_ring_make_room(struct tlog_cpu *cpu, bool reports)
{
    struct view view;
    (void)reports; /* no record tells of a loss */
    if (tlog_ring_is_early(cpu))
        return false;
    tlog_ring_start(cpu);
    tlog_ring_tick(cpu);
    view.chunk = tlog_ring_home(cpu);
    for (uint32_t steps = 4u * view.chunk->slots + 4u; steps > 0 && !tlog_ring_is_held(); steps--) {
        look_at_view(&view);
        if (has_room(&view)) {
            if (tlog_ring_is_untold(cpu) && !tlog_ring_is_off())
                tlog_ring_tell_pause(cpu);
            return true;
        }
        if (has_stopped(&view))
            return false;
        step_once(&view);
    }
    return false;
}

__attribute__((cold)) void tlog_ring_close(struct tlog_cpu *cpu)
{
    struct view view;
    bool is_done = false;
    view.chunk = tlog_ring_home(cpu);
    while (!is_done) {
        look_at_view(&view);
        is_done = is_parked(view.cursor);
        if (!is_done && ((view.lap ^ view.cursor) & TLOG_TAG_MASK) != 0)
            count_lap(&view);
        else if (!is_done)
            is_done = put_cursor(&view, view.cursor | TLOG_TAG_MASK);
    }
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
TLOG_NOINLINE void tlog_record_checked(uint32_t par1, uint32_t par2, uint32_t code)
{
    if (!tlog_ring_is_muted(((volatile struct tlog_cpu *)&tlog_cpu0)->filter, code))
        tlog_ring_slow(par1, par2, code, &tlog_cpu0);
}

void tlog_record_any(uint32_t par1, uint32_t par2, uint32_t code)
{
    if (!tlog_code_ok(code))
        tlog_ring_drop(&tlog_cpu0);
    else
        tlog_record_checked(par1, par2, code);
}

__attribute__((cold)) void tlog_ring_drop(struct tlog_cpu *cpu)
{
    if (tlog_port_refuses())
        return;
    if (tlog_ring_is_early(cpu) && tlog_ring_drop_early(cpu))
        return;
    tlog_ring_start(cpu);
    struct tlog_chunk *chunk = tlog_ring_home(cpu);
    tlog_ring_tick(cpu);
    if (tlog_ring_add(&chunk->dropped, 1u) == chunk->reported) {
        chunk->lost_at = tlog_port_now_at(cpu->clock);
        chunk->lost_high = tlog_ring_wraps(((volatile struct tlog_cpu *)cpu)->high);
    }
    tlog_ring_carry_count(&chunk->dropped_high, &chunk->dropped);
}

#endif
