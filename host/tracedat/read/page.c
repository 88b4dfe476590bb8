/* page.c - the records of ring-buffer pages, in order, with what was lost between them: see tracedat/read/file.h.
 *
 *   page     u64 time, commit word (4 or 8 bytes), records, perhaps the count of lost events
 *   record   word: kind (5 bits), time since the one before (27 bits); then data
 *
 * Kinds 1..28 are the number of words of data; 0 has the length in a word of its own; 29 is padding, 30 more time, 31
 * the time itself.
 */
#include "tracedat/read/file.h"

#include <inttypes.h>

enum {
    KIND_LENGTH = 0,
    KIND_PADDING = 29,
    KIND_EXTEND = 30,
    KIND_STAMP = 31,
    DELTA_BITS = 27,
};

#define COMMIT_BYTES ((1u << 27) - 1u)
#define COMMIT_LOST  (1u << 31)
#define COMMIT_COUNT (1u << 30)
#define STAMP_BITS   59u
#define BACK_MAX     (UINT64_C(1) << 27) /* times that go back by no more are a clock's, not damage */

static uint64_t load(const struct td_walk *walk, size_t at, unsigned size)
{
    return number_at(walk->page.bytes + at, size, walk->data.file->big);
}

static bool is_back(uint64_t time, uint64_t than)
{
    return time < than && than - time > BACK_MAX;
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

static void skip_page(struct td_walk *walk, size_t from, const char *why)
{
    trace_damage(walk->data.file->trace, walk->page.offset, walk->page.size - from, 0, "%s", why);
    walk->in_page = false;
    walk->marked = true;
}

/* Whether this page's time is the wrong one among its neighbours'. */
static bool is_out_of_order(const struct td_walk *walk, uint64_t time)
{
    const struct td_page *page = &walk->page;
    bool next_is_back = page->has_next && walk->has_last && is_back(page->next, walk->last);

    if (walk->has_last && is_back(time, walk->last))
        return !next_is_back;
    return page->has_next && is_back(page->next, time) && !next_is_back;
}

static void take_loss(struct td_walk *walk, uint64_t commit)
{
    unsigned size = walk->data.file->tables.commit_size;

    walk->loss = (commit & COMMIT_LOST) != 0;
    walk->lost = 0;
    if (walk->loss && (commit & COMMIT_COUNT) && size <= walk->page.size - walk->end)
        walk->lost = load(walk, walk->end, size);
    if (walk->lost > INT64_MAX)
        walk->lost = 0;
}

static void open_page(struct td_walk *walk)
{
    unsigned commit_size = walk->data.file->tables.commit_size;
    size_t header = 8u + commit_size;
    uint64_t commit;

    walk->in_page = true;
    if (walk->page.size < header) {
        skip_page(walk, 0, "a page that is cut");
        return;
    }
    walk->time = load(walk, 0, 8);
    commit = load(walk, 8, commit_size);
    if ((commit & COMMIT_BYTES) > walk->data.buffer->page_size - header) {
        skip_page(walk, 0, "a page with more on it than it can hold");
        return;
    }
    if (is_out_of_order(walk, walk->time)) {
        skip_page(walk, 0, "a page whose time does not fit between its neighbours'");
        return;
    }
    if (walk->has_last && is_back(walk->time, walk->last)) {
        trace_damage(walk->data.file->trace, walk->page.offset, 0, 0, "times go back");
        walk->marked = true;
    }
    walk->at = header;
    walk->end = header + (size_t)(commit & COMMIT_BYTES);
    walk->cut = walk->end > walk->page.size;
    if (walk->cut) {
        trace_damage(walk->data.file->trace, walk->page.offset, 0, 0, "a page of which only %zu bytes are there",
                     walk->page.size);
        walk->end = walk->page.size;
    }
    take_loss(walk, commit);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* Data of size bytes, words of it, at an offset; whether it lies on the page. */
static bool give(struct td_walk *walk, size_t at, uint64_t size)
{
    uint64_t whole = (size + 3u) & ~(uint64_t)3;

    if (whole > walk->end - at)
        return false;
    walk->head = (struct td_record){.what = TD_RECORD, .time = walk->time, .data = walk->page.bytes + at};
    walk->head.size = (size_t)whole;
    walk->at = at + (size_t)whole;
    return true;
}

/* Behind the padding, which may be all there is up to the end of the page. */
static bool skip_padding(struct td_walk *walk, uint64_t delta)
{
    uint64_t length = walk->end - walk->at >= 8u ? load(walk, walk->at + 4u, 4) : 0;

    if (length >= 4u && length <= walk->end - walk->at - 4u) {
        walk->at += 4u + (((size_t)length + 3u) & ~(size_t)3);
        walk->at = walk->at < walk->end ? walk->at : walk->end;
        return true;
    }
    walk->at = walk->end;
    return delta == 0;
}

/* Take what is next on the page. False if it makes no sense. */
static bool take_word(struct td_walk *walk)
{
    bool big = walk->data.file->big;
    uint32_t word, kind;
    uint64_t delta, second;

    if (walk->end - walk->at < 4u)
        return false;
    word = (uint32_t)load(walk, walk->at, 4);
    kind = big ? word >> DELTA_BITS : word & 31u;
    delta = big ? word & COMMIT_BYTES : word >> 5;
    if (kind > KIND_LENGTH && kind < KIND_PADDING) {
        walk->time += delta;
        return give(walk, walk->at + 4u, kind * 4u);
    }
    if (kind == KIND_PADDING) {
        walk->time += delta;
        return skip_padding(walk, delta);
    }
    if (walk->end - walk->at < 8u)
        return false;
    second = load(walk, walk->at + 4u, 4);
    if (kind == KIND_LENGTH) {
        walk->time += delta;
        return second >= 4u && give(walk, walk->at + 8u, second - 4u);
    }
    delta += second << DELTA_BITS;
    walk->time = kind == KIND_EXTEND ? walk->time + delta : (walk->time >> STAMP_BITS << STAMP_BITS) | delta;
    walk->at += 8u;
    return true;
}

/* Bring the next record of the page to the head; false at its end. */
static bool take_record(struct td_walk *walk)
{
    const struct td_page *page = &walk->page;

    walk->head.what = TD_NO_MORE;
    while (walk->at < walk->end && walk->head.what == TD_NO_MORE) {
        size_t before = walk->at;
        bool good = take_word(walk);

        if (good && walk->head.what == TD_RECORD && page->has_next && is_back(page->next, walk->time)
            && !is_back(page->next, load(walk, 0, 8)))
            good = false;
        if (!good && walk->cut) {
            walk->head.what = TD_NO_MORE;
            break;
        }
        if (!good) {
            skip_page(walk, before, "the rest of a page, where an event's length or time makes no sense");
            return false;
        }
    }
    walk->in_page = walk->head.what == TD_RECORD;
    walk->marked = walk->cut && !walk->in_page;
    return walk->in_page;
}

static bool tell(struct td_walk *walk, enum td_what what, uint64_t time, uint64_t count)
{
    walk->head = (struct td_record){.what = what, .time = time, .count = count};
    return true;
}

/* Damage and losses come before the first record behind them. */
static bool tell_marks(struct td_walk *walk)
{
    if (walk->marked) {
        walk->marked = false;
        return tell(walk, TD_DAMAGE, walk->time, 0);
    }
    if (walk->loss) {
        walk->loss = false;
        return tell(walk, TD_LOSS, walk->time, walk->lost);
    }
    return false;
}

void td_walk_next(struct td_walk *walk)
{
    for (;;) {
        enum td_step step;

        if (walk->in_page && (tell_marks(walk) || take_record(walk)))
            break;
        if (walk->in_page)
            continue;
        step = td_data_next(&walk->data, &walk->page);
        if (step == TD_PAGE)
            open_page(walk);
        walk->marked = walk->marked || step == TD_DAMAGED;
        if (step == TD_END) {
            walk->time = walk->has_last ? walk->last : walk->time;
            if (!tell_marks(walk))
                tell(walk, TD_NO_MORE, walk->time, 0);
            return;
        }
    }
    if (walk->head.what == TD_RECORD) {
        walk->last = walk->head.time;
        walk->has_last = true;
    }
}

void td_walk_start(struct td_walk *walk, struct tdfile *file, const struct td_buffer *buffer, unsigned cpu)
{
    *walk = (struct td_walk){0};
    td_data_start(&walk->data, file, buffer, cpu);
}

void td_walk_free(struct td_walk *walk)
{
    td_data_free(&walk->data);
}
