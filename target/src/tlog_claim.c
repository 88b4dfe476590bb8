/* SPDX-License-Identifier: MIT */
/* tlog_claim.c - how writers pass a slot whose owner does not come back.
 *
 * In lap m the cursor stands on slot s, and s bears the tag of lap m: its owner of lap m - 1 has not filled it. The
 * owner was interrupted, its thread was preempted, or it was deleted and never runs again. If writers waited, every
 * event would be dropped until the owner is back. So they claim the slot, note that, and pass it. The owner may still
 * fill it later, at any time, by plain stores. Its event was to be overwritten in lap m anyway, and is not shown.
 *
 * Each step below is one store-exclusive, made only while the cursor is parked on s in lap m. So no slot is reserved
 * meanwhile, and any writer can take the next step, whichever writer took the ones before. A note (s, k) says: slot s
 * was passed in lap k.
 *
 *   park    the cursor is not parked: park it
 *   claim   s bears t(m), and has no valid note: give it both tags. Then it looks taken in every lap. The rest of its
 *           head becomes the low 16 bits of m
 *   note    s bears both tags, and is not noted with k = m: note that, in the word that has a note of s; or an unused
 *           one; or one whose note is not valid; or that of the slot that was claimed longest ago
 *   pass    s bears both tags, and is noted with k = m or cannot be noted: set the cursor on s + 1, no longer parked,
 *           unless a trigger is set (tlog_trigger.c)
 *   empty   s is noted, and does not bear both tags: the owner has filled it meanwhile. Give it the head of an empty
 *           slot with the tag t(m - 1), as any free slot has in lap m
 *   forget  s is empty and noted with k = m: clear the note. Then the chunk is opened at s, as any parked chunk
 *   free    s bears t(m) or both tags, and tlog_quiescent() has told since the slot was reserved that no context is in
 *           the middle of a call: so the owner never comes. Give s the head of an empty slot, as above
 *
 * A note is valid with k = m, and with k = m - 1 until the cursor has passed its slot. An older one says nothing: some
 * writer has found the slot free since lap k and taken it. A reader takes no event from s if k = m, or if k = m - 1 and
 * the cursor has not come to s yet: what the owner filled in late could pass for an event of a later lap with the same
 * tag. Only the low 16 bits of k are kept; tlog_ring_carry_laps() clears old notes before these repeat.
 *
 * If more owners are stuck than there are notes, the slot that was claimed longest ago loses its note: its owner is the
 * least likely to return. While all notes are in use, none stays with a slot for more than TLOG_CLAIM_LAPS laps
 * (records only). A slot without a note is marked in its head (TLOG_CLAIM_UNNOTED) and passed together with its
 * neighbours of that kind, by one store to the cursor, which need not be parked. Nothing is torn then. But what such an
 * owner fills in late may be shown as an event, out of the order of time, and its slot may stay claimed, until
 * tlog_quiescent() tells.
 *
 * Several CPUs: a thread that was moved in the middle of a call is no longer on the ring's CPU, and other writers may
 * run between its look and its store. So all steps are made only on the ring's CPU. Each step asks for the CPU while
 * the watch lasts, and a move ends the watch. */
#include "tlog_speed.h"
#include "tlog.h"
#include "tlog_ring_impl.h"

#include <stddef.h>

#if TLOG_ENABLE && !TLOG_MINIMAL

/* While all notes are in use a slot keeps its note for so many laps. */
enum { TLOG_CLAIM_LAPS = 2 };

/* What is known of the slot while the cursor is parked on it. */
struct place {
    struct tlog_cpu *cpu;
    struct tlog_chunk *chunk;
    uint32_t cursor, lap;
};

static uint32_t *head_at(const struct place *at)
{
    return &at->chunk->cursor + (at->cursor >> TLOG_CURSOR_SHIFT) * 4u + TLOG_WORD_HEAD;
}

/* The note of the slot, passed in this lap. */
static uint32_t note_of(const struct place *at)
{
    return (at->lap & ~TLOG_CLAIM_SLOT_MASK) | at->cursor >> TLOG_CURSOR_SHIFT;
}

/* Laps since the one that a note tells. */
static uint32_t age_of(const struct place *at, uint32_t note)
{
    return (at->lap - note) >> TLOG_CLAIM_LAP_SHIFT;
}

/* Whether the owner never comes back. lap: the one behind that in which it reserved the slot, the lap of the claim. */
static bool is_abandoned(const struct place *at, uint32_t lap)
{
    const uint32_t reserved = (lap & ~TLOG_CLAIM_SLOT_MASK) - TLOG_LAP_STEP + (at->cursor >> TLOG_CURSOR_SHIFT);
    return tlog_ring_is_abandoned(at->chunk, at->lap, reserved);
}

/* The valid note of the slot, or NULL. */
static uint32_t *find_note(const struct place *at)
{
    uint32_t *note = tlog_chunk_claims(at->chunk)->note;
    for (uint32_t i = 0; i < TLOG_CLAIMS; i++, note++) {
        uint32_t value = *(volatile uint32_t *)note;
        if (((value ^ note_of(at)) & TLOG_CLAIM_SLOT_MASK) == 0 && age_of(at, value & ~TLOG_CLAIM_SLOT_MASK) <= 1u)
            return note;
    }
    return NULL;
}

/* Whether a note is not valid, or the word is unused. */
static bool is_old(const struct place *at, uint32_t note)
{
    const uint32_t age = age_of(at, note & ~TLOG_CLAIM_SLOT_MASK);
    bool is_passed = (note & TLOG_CLAIM_SLOT_MASK) < at->cursor >> TLOG_CURSOR_SHIFT;
    return note == 0 || age > 1u || (age == 1u && is_passed);
}

/* Laps since a slot was claimed; 0: it does not bear both tags. */
static uint32_t claimed_for(const struct place *at, uint32_t slot)
{
    uint32_t head = ((volatile uint32_t *)&at->chunk->cursor)[slot * 4u + TLOG_WORD_HEAD];
    return (head & TLOG_TAG_MASK) == TLOG_TAG_MASK ? (at->lap - (head & ~TLOG_CLAIM_SLOT_MASK)) >> TLOG_CLAIM_LAP_SHIFT
                                                   : 0;
}

/* A word for a new note: an unused one, or one whose note is not valid; or else that of the slot that was claimed
 * longest ago, if that was before this one. NULL: there is none. */
static uint32_t *find_free_note(const struct place *at)
{
    uint32_t *note = tlog_chunk_claims(at->chunk)->note, *best = NULL;
    uint32_t longest = claimed_for(at, at->cursor >> TLOG_CURSOR_SHIFT);
    for (uint32_t i = 0; i < TLOG_CLAIMS; i++, note++) {
        uint32_t value = *(volatile uint32_t *)note, laps;
        if (is_old(at, value))
            return note;
        laps = claimed_for(at, value & TLOG_CLAIM_SLOT_MASK);
        if (laps > longest) {
            best = note;
            longest = laps;
        }
    }
    return best;
}

/* Whether the cursor is still parked on the slot, in the same lap, and this is still the ring's CPU. */
static bool is_there(const struct place *at)
{
    return cursor_of(at->chunk) == at->cursor && lap_of(at->chunk) == at->lap && is_home(at->cpu, at->chunk)
           && (TLOG_CPUS == 1 || tlog_cpu_here() == at->cpu);
}

/* Store a word, if nothing has moved: word and head of the slot still have the values that were seen. False: it was not
 * stored. */
static bool put(const struct place *at, uint32_t *word, uint32_t seen, uint32_t value, uint32_t head)
{
    do {
        if (tlog_port_load_exclusive(word) != seen || *(volatile uint32_t *)head_at(at) != head || !is_there(at)) {
            tlog_port_clear_exclusive();
            return false;
        }
    } while (tlog_ring_replace_exclusive(seen, value, word));
    return true;
}

static void make_empty(const struct place *at, uint32_t head)
{
    put(at, head_at(at), head, ~at->lap & TLOG_TAG_MASK, head);
}

/* Take the next step with a slot that does not bear both tags. True: it is free. */
static bool take_back(const struct place *at, uint32_t *note, uint32_t head)
{
    const uint32_t tag = at->lap & TLOG_TAG_MASK, noted = note != NULL ? *(volatile uint32_t *)note : 0;
    if (noted == 0 || (noted != note_of(at) && (head & tag) == 0)) {
        if ((head & tag) == 0)
            return true;
        if (is_abandoned(at, at->lap))
            make_empty(at, head);
        else
            put(at, head_at(at), head, (at->lap & ~TLOG_CLAIM_SLOT_MASK) | TLOG_TAG_MASK, head);
    } else if (head != (TLOG_TAG_MASK ^ tag)) {
        make_empty(at, head);
    } else {
        put(at, note, noted, 0, head);
    }
    return false;
}

/* Set the cursor behind the slot, as put() does: no longer parked, unless a trigger is set. */
static bool advance(const struct place *at, uint32_t cursor, uint32_t head)
{
    uint32_t tags;
    do {
        if (tlog_port_load_exclusive(&at->chunk->cursor) != at->cursor || *(volatile uint32_t *)head_at(at) != head
            || !is_there(at)) {
            tlog_port_clear_exclusive();
            return false;
        }
        tags = tlog_ring_is_triggered(at->cpu) ? TLOG_TAG_MASK : at->lap & TLOG_TAG_MASK;
    } while (tlog_port_store_exclusive(cursor | tags, &at->chunk->cursor));
    return true;
}

/* Whether all notes are in use, and the slot has had one for long. Not with traceevents: the note of its first slot
 * also hides the others of a long one. */
static bool has_had_note(const struct place *at)
{
    const uint32_t last = *(volatile uint32_t *)&tlog_chunk_claims(at->chunk)->note[TLOG_CLAIMS - 1u];
    return !TLOG_TRACEEVENTS && !is_old(at, last) && claimed_for(at, at->cursor >> TLOG_CURSOR_SHIFT) > TLOG_CLAIM_LAPS;
}

/* The claimed slots without notes that are passed in one step: all side by side, for none of them is emptied while the
 * cursor stands here; but if it was told that some owners never come back, each alone, because each may be free. */
static uint32_t count_unnoted(const struct place *at)
{
    uint32_t *slot = head_at(at) - TLOG_WORD_HEAD;
    return tlog_ring_has_told(at->chunk) ? 1u : (uint32_t)(skip_unnoted(slot) - slot) / 4u;
}

/* Take the next step with a slot that bears both tags. True: it is passed. */
static bool pass(const struct place *at, uint32_t *note, uint32_t head)
{
    const uint32_t wanted = note_of(at);
    if (tlog_ring_is_unnoted(head) || has_had_note(at))
        note = NULL;
    else if (note == NULL)
        note = find_free_note(at);
    if (note == NULL && !tlog_ring_is_unnoted(head)) {
        put(at, head_at(at), head, head | TLOG_CLAIM_UNNOTED, head);
        return false;
    }
    uint32_t noted = note != NULL ? *(volatile uint32_t *)note : wanted;
    if (noted != wanted) {
        put(at, note, noted, wanted, head);
        return false;
    }
    const uint32_t slots = tlog_ring_is_unnoted(head) ? count_unnoted(at) : 1u;
    if (!advance(at, (at->cursor & ~TLOG_TAG_MASK) + slots * TLOG_CURSOR_STEP, head))
        return false;
    tlog_ring_add(&at->chunk->extra, slots);
    return true;
}

static void clear_if_stale(const struct place *at, uint32_t *note)
{
    uint32_t value;
    do {
        value = tlog_port_load_exclusive(note);
        if (value == 0 || lap_of(at->chunk) != at->lap || age_of(at, value & ~TLOG_CLAIM_SLOT_MASK) <= 1u) {
            tlog_port_clear_exclusive();
            return;
        }
    } while (tlog_port_store_exclusive(0, note));
}

/* In 2^15 laps `extra` grows by less than 2^31, so its high word is never behind by more than one step. The high word
 * of the laps comes last: if a context is killed on the way, the next lap does all of it. */
__attribute__((cold)) void tlog_ring_carry_laps(struct tlog_chunk *chunk)
{
    const struct place at = {NULL, chunk, 0, lap_of(chunk)};
    for (uint32_t i = 0; i < TLOG_CLAIMS; i++)
        clear_if_stale(&at, &tlog_chunk_claims(chunk)->note[i]);
    tlog_ring_forget_told(chunk);
    tlog_ring_carry_count(&chunk->extra_high, &chunk->extra);
    tlog_ring_carry_count(&chunk->lap_high, &chunk->lap);
}

bool tlog_ring_is_noted(const struct tlog_chunk *chunk, uint32_t cursor, uint32_t lap)
{
    if (TLOG_FORMS && tlog_ring_is_first_lap(chunk))
        return false;
    const struct place at = {NULL, (struct tlog_chunk *)(uintptr_t)chunk, cursor, lap};
    const uint32_t *note = find_note(&at);
    return note != NULL && *(const volatile uint32_t *)note == note_of(&at);
}

__attribute__((cold)) bool tlog_ring_pass(struct tlog_cpu *cpu, struct tlog_chunk *home)
{
    struct place at = {cpu, home, cursor_of(home), 0};
    if (TLOG_FORMS && tlog_ring_is_first_lap(home) && !tlog_ring_is_unnoted(*(volatile uint32_t *)head_at(&at)))
        return true; /* no owner of an earlier lap, but the mark (tlog_form.c) */
    if (!is_parked(at.cursor)) {
        if (TLOG_ARENA)
            tlog_ring_set_goal(cpu, home, 0, false); /* it may have one from when it was left last */
        tlog_ring_park(cpu, home, 0);
        at.cursor = cursor_of(home);
    }
    at.lap = lap_of(home);
    if (!is_parked(at.cursor) || is_full(home, at.cursor))
        return true;
    for (bool done = false; !done && is_there(&at);) {
        uint32_t head = *(volatile uint32_t *)head_at(&at), *note = find_note(&at);
        if (tlog_ring_is_blocked(head))
            return true;
        if (!is_parked(head))
            done = take_back(&at, note, head);
        else if (is_abandoned(&at, head))
            make_empty(&at, head);
        else
            done = pass(&at, note, head);
    }
    return TLOG_CPUS == 1 || tlog_cpu_here() == cpu;
}

#endif
