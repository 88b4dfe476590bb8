/* chunk_read.c - implements chunk_read.h. It reads the memory as FORMAT.md describes it. */
#include "chunk_read.h"

#include "lib/claims.h"
#include "lib/marks.h"
#include "lib/test.h"

#include <stddef.h>

struct chunk_found chunk_found;
#define found chunk_found

void chunk_read_start(void)
{
    uint32_t *end = (uint32_t *)(void *)found.seen;
    for (volatile uint32_t *word = (volatile uint32_t *)&found; word < end; word++)
        *word = 0;
    for (uint32_t n = 0; n <= logged_count && n < LOGGED_MAX; n++)
        ((volatile bool *)found.seen)[n] = false;
}

/* The runtime's own events: filter changes, reports of a loss; and timer_post, which the tests log only under a filter.
 */
static bool is_own(uint32_t code)
{
    return code == TLOG_RECORD_LOSS || code == FTrace_EVT_timer_post || code == FTrace_EVT_trace_start || code >= 0xF0u;
}

static void read_event(const uint32_t *word)
{
    uint32_t code = word[TLOG_WORD_HEAD] & TLOG_RECORD_CODE, n = word[TLOG_WORD_PAR2];
    if (is_own(code) || marks_is_one(word)) {
        found.own++;
        bool is_loss = code == TLOG_RECORD_LOSS && !marks_is_pause(word);
        found.told += is_loss && word[TLOG_WORD_HEAD] >> 16 & TLOG_LOSS_END ? n : 0;
        return;
    }
    CHECK(n < LOGGED_MAX && n < logged_count);
    CHECK(!found.seen[n]);
    found.seen[n] = true;
    found.events++;
    CHECK(word[TLOG_WORD_HEAD] >> 16 == ((n ^ LOGGED_SALT) & 0xFFFFu));
    CHECK(logged_fits(n, word[TLOG_WORD_LOW]));
}

/* True if the slot's event was already read (marked) at that place; then it must not have changed. Marks it otherwise.
 */
static bool is_marked(struct chunk_marks *marks, uint32_t index, uint32_t place, uint32_t n)
{
    if (marks == NULL)
        return false;
    bool same = marks->place[index] == place;
    if (same && marks->n[index] != n)
        test_fail(__FILE__, __LINE__, "a slot is what it was when it was sent");
    marks->place[index] = place;
    marks->n[index] = n;
    return same;
}

static void check_order(const uint32_t *word)
{
    uint64_t stamp = (uint64_t)(word[TLOG_WORD_HIGH] & ~TLOG_HIGH_MIRROR) << 32 | word[TLOG_WORD_LOW];
    CHECK(((word[TLOG_WORD_HIGH] ^ word[TLOG_WORD_LOW]) & TLOG_HIGH_MIRROR) == 0);
    CHECK(stamp >= found.last);
    found.last = stamp;
}

/* Reads slots from..to-1, which were written in the given lap. */
static void read_lap(const struct chunk_view *view, uint32_t from, uint32_t to, uint32_t lap, struct chunk_marks *marks)
{
    const uint32_t before = (view->cursor >> TLOG_CURSOR_SHIFT) - 1u;
    const uint32_t lap_of_view = from == before && to > before ? lap + 1u : lap;
    uint32_t tag = lap & 1u ? TLOG_TAG_ODD : TLOG_TAG_EVEN;
    for (uint32_t i = from; i < to && !test_has_failed(); i++) {
        const uint32_t *word = view->slots[i].word;
        if (is_claimed(view->chunk, lap_of_view, before + 1u, i + 1u)) {
            found.claimed++;
            continue;
        }
        if ((word[TLOG_WORD_HEAD] & TLOG_TAG_MASK) != tag) {
            found.unfinished++;
            continue;
        }
        found.kept++;
        check_order(word);
        if (is_marked(marks, i, (lap - 1u) * view->chunk->slots + i + 1u, word[TLOG_WORD_PAR2]))
            found.again++;
        else
            read_event(word);
    }
}

void chunk_read_view(const struct chunk_view *view, struct chunk_marks *marks)
{
    uint32_t tag = view->cursor & TLOG_TAG_MASK, lap = view->lap >> TLOG_LAP_SHIFT, slots = view->chunk->slots;
    uint32_t before = (view->cursor >> TLOG_CURSOR_SHIFT) - 1u;
    if (tag != TLOG_TAG_MASK) /* a parked cursor has no lap tag; an opened lap may not be counted in `lap` yet */
        lap += tag != (view->lap & TLOG_TAG_MASK);
    CHECK(before <= slots);
    found.last = 0;
    if (lap > 1)
        read_lap(view, before, slots, lap - 1u, marks);
    if (lap > 0)
        read_lap(view, 0, before, lap, marks);
    for (uint32_t i = lap > 0 ? before : 0; lap <= 1 && i < slots && view->slots == tlog_chunk_slots(view->chunk); i++)
        CHECK(view->slots[i].word[TLOG_WORD_HEAD] == TLOG_SLOT_EMPTY); /* slots that were never reserved are empty */
    found.attempted += lap > 0 ? (lap - 1u) * slots + before : 0;
    found.overwritten += lap > 1 ? (lap - 2u) * slots + before : 0;
}

void chunk_read(const struct tlog_chunk *chunk, struct chunk_marks *marks)
{
    const struct tlog_slot *slot = tlog_chunk_emergency_slots(chunk);
    chunk_read_view(&(struct chunk_view){chunk, chunk->cursor, chunk->lap, tlog_chunk_slots(chunk)}, marks);
    CHECK(chunk->emergency_used <= chunk->emergency);
    found.extra += chunk->extra;
    found.last = 0;
    for (uint32_t i = 0; i < chunk->emergency_used && !test_has_failed(); i++, slot++) {
        if ((slot->word[TLOG_WORD_HEAD] & TLOG_TAG_MASK) != TLOG_TAG_ODD) {
            found.unfinished++;
            continue;
        }
        found.urgent++;
        check_order(slot->word);
        read_event(slot->word);
    }
}

void chunk_read_all(void)
{
    struct tlog_chunk **table = tlog_chunk_table();
    chunk_read_start();
    chunk_read(tlog_cpu0.ring->first, NULL);
    for (int i = 0; i < TLOG_CHUNK_NUMBERS && !test_has_failed(); i++)
        if (table[i] != NULL && table[i]->magic == TLOG_WIRE_MAGIC)
            chunk_read(table[i], NULL);
}
