/* page.c - see page.h.
 *
 *   page     time, 8 bytes; commit word, 4 or 8 bytes; records; perhaps the number of lost events
 *   record   a word of 4 bytes: kind, 5 bits, and time since the record before, 27 bits; then data
 *
 * Kinds 1 to 28 are the number of words of data. With kind 0 the length of the data is in a word of its own. Kind 29 is
 * padding, kind 30 adds more time than 27 bits can hold, kind 31 sets the time.
 *
 * The layout is that of the kernel's ring buffer (include/linux/ring_buffer.h). Pages are walked with number_at() and
 * not with a cursor, because every record passes here.
 */
#include "formats/tracedat/read/page.h"

enum {
    KIND_LENGTH = 0,
    KIND_PADDING = 29,
    KIND_EXTEND = 30,
    KIND_STAMP = 31,
    DELTA_BITS = 27,
    TIME_SIZE = 8, /* bytes of a page's time */
    WORD_SIZE = 4, /* bytes of a word */
};

#define COMMIT_BYTES ((1u << 27) - 1u) /* bytes of records */
#define COMMIT_LOST  (1u << 31)        /* flag: events were lost before the page */
#define COMMIT_COUNT (1u << 30)        /* flag: how many stands behind the records */
#define DELTA_MASK   ((1u << DELTA_BITS) - 1u)
#define STAMP_BITS   59u                 /* bits of the time that kind 31 sets; the higher ones stay */
#define BACK_MAX     (UINT64_C(1) << 27) /* ns; clocks go back by so much, and by more only where there is damage */

/* The number of size bytes at an offset of the page. The caller has checked that they are there. */
static uint64_t load(const struct tracedat_walk *walk, size_t at, unsigned size)
{
    return number_at(walk->page.bytes + at, size, walk->data.file->big);
}

/* Whether the time lies before another one, by more than clocks go back. */
static bool is_back(uint64_t time, uint64_t than)
{
    return time < than && than - time > BACK_MAX;
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/* Tell that the page is damaged from a byte on, and leave it. */
static void skip_page(struct tracedat_walk *walk, size_t from, const char *why)
{
    trace_damage(walk->data.file->trace, walk->page.offset, walk->page.size - from, 0, "%s", why);
    walk->in_page = false;
    walk->damage = true;
}

/* Whether the page's time is the wrong one among its neighbours': it lies before the last record's, or behind the next
 * page's time. Where the next page lies before the last record, too, this page is right and the last record was not. */
static bool is_out_of_order(const struct tracedat_walk *walk, uint64_t time)
{
    const struct tracedat_page *page = &walk->page;
    bool next_is_back = page->has_next && walk->has_last && is_back(page->next, walk->last);
    if (walk->has_last && is_back(time, walk->last))
        return !next_is_back;
    return page->has_next && is_back(page->next, time) && !next_is_back;
}

/* Take what the commit word says of lost events. A number above INT64_MAX is not believed. */
static void take_loss(struct tracedat_walk *walk, uint64_t commit)
{
    unsigned size = walk->data.file->tables.commit_size;
    walk->loss = (commit & COMMIT_LOST) != 0;
    walk->lost = 0;
    if (walk->loss && (commit & COMMIT_COUNT) && size <= walk->page.size - walk->end)
        walk->lost = load(walk, walk->end, size);
    if (walk->lost > INT64_MAX)
        walk->lost = 0;
}

/* Take the head of the page that data.c gave. A page that makes no sense is skipped. */
static void open_page(struct tracedat_walk *walk)
{
    unsigned commit_size = walk->data.file->tables.commit_size;
    size_t header = TIME_SIZE + commit_size;
    uint64_t commit;
    walk->in_page = true;
    if (walk->page.size < header) {
        skip_page(walk, 0, "a page that is cut");
        return;
    }
    walk->time = load(walk, 0, TIME_SIZE);
    commit = load(walk, TIME_SIZE, commit_size);
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
        walk->damage = true;
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

/* Bring the record with size bytes of data, rounded up to words, at an offset to the head. False if they do not lie on
 * the page. */
static bool take_data(struct tracedat_walk *walk, size_t at, uint64_t size)
{
    uint64_t whole = (size + 3u) & ~(uint64_t)3;
    if (whole > walk->end - at)
        return false;
    walk->head = (struct tracedat_record){.what = TRACEDAT_RECORD, .time = walk->time, .data = walk->page.bytes + at};
    walk->head.size = (size_t)whole;
    walk->at = at + (size_t)whole;
    return true;
}

/* Go behind padding. Padding without a length, which has no time either, is the rest of the page. False if it makes no
 * sense. */
static bool skip_padding(struct tracedat_walk *walk, uint64_t delta)
{
    uint64_t length = walk->end - walk->at >= 2u * WORD_SIZE ? load(walk, walk->at + WORD_SIZE, WORD_SIZE) : 0;
    if (length >= WORD_SIZE && length <= walk->end - walk->at - WORD_SIZE) {
        walk->at += WORD_SIZE + (((size_t)length + 3u) & ~(size_t)3);
        walk->at = walk->at < walk->end ? walk->at : walk->end;
        return true;
    }
    walk->at = walk->end;
    return delta == 0;
}

/* Take the next word and what belongs to it: it brings a record to the head, or only changes the time, or is padding.
 * False if it makes no sense. */
static bool take_word(struct tracedat_walk *walk)
{
    bool big = walk->data.file->big;
    uint32_t word, kind;
    uint64_t delta, second;
    if (walk->end - walk->at < WORD_SIZE)
        return false;
    word = (uint32_t)load(walk, walk->at, WORD_SIZE);
    kind = big ? word >> DELTA_BITS : word & 31u;
    delta = big ? word & DELTA_MASK : word >> 5;
    if (kind > KIND_LENGTH && kind < KIND_PADDING) {
        walk->time += delta;
        return take_data(walk, walk->at + WORD_SIZE, kind * WORD_SIZE);
    }
    if (kind == KIND_PADDING) {
        walk->time += delta;
        return skip_padding(walk, delta);
    }
    if (walk->end - walk->at < 2u * WORD_SIZE)
        return false;
    second = load(walk, walk->at + WORD_SIZE, WORD_SIZE);
    if (kind == KIND_LENGTH) {
        walk->time += delta;
        return second >= WORD_SIZE && take_data(walk, walk->at + 2u * WORD_SIZE, second - WORD_SIZE);
    }
    delta += second << DELTA_BITS;
    walk->time = kind == KIND_EXTEND ? walk->time + delta : (walk->time >> STAMP_BITS << STAMP_BITS) | delta;
    walk->at += 2u * WORD_SIZE;
    return true;
}

/* Bring the next record of the page to the head. False at its end, and where the rest of it was skipped. */
static bool take_record(struct tracedat_walk *walk)
{
    const struct tracedat_page *page = &walk->page;
    walk->head.what = TRACEDAT_NO_MORE;
    while (walk->at < walk->end && walk->head.what == TRACEDAT_NO_MORE) {
        size_t before = walk->at;
        bool good = take_word(walk);
        if (good && walk->head.what == TRACEDAT_RECORD && page->has_next && is_back(page->next, walk->time)
            && !is_back(page->next, load(walk, 0, TIME_SIZE)))
            good = false; /* the next page begins long before this record, but not before this page */
        if (!good && walk->cut) {
            walk->head.what = TRACEDAT_NO_MORE;
            break;
        }
        if (!good) {
            skip_page(walk, before, "the rest of a page, where an event's length or time makes no sense");
            return false;
        }
    }
    walk->in_page = walk->head.what == TRACEDAT_RECORD;
    walk->damage = walk->cut && !walk->in_page;
    return walk->in_page;
}

/* Bring what is no record to the head. Returns true. */
static bool tell(struct tracedat_walk *walk, enum tracedat_what what, uint64_t time, uint64_t count)
{
    walk->head = (struct tracedat_record){.what = what, .time = time, .count = count};
    return true;
}

/* Bring damage or a loss to the head that comes before the next record. False if there is none. */
static bool tell_missing(struct tracedat_walk *walk)
{
    if (walk->damage) {
        walk->damage = false;
        return tell(walk, TRACEDAT_DAMAGE, walk->time, 0);
    }
    if (walk->loss) {
        walk->loss = false;
        return tell(walk, TRACEDAT_LOSS, walk->time, walk->lost);
    }
    return false;
}

void tracedat_walk_next(struct tracedat_walk *walk)
{
    for (;;) {
        enum tracedat_step step;
        if (walk->in_page && (tell_missing(walk) || take_record(walk)))
            break;
        if (walk->in_page)
            continue;
        step = tracedat_data_next(&walk->data, &walk->page);
        if (step == TRACEDAT_PAGE)
            open_page(walk);
        walk->damage = walk->damage || step == TRACEDAT_DAMAGED;
        if (step == TRACEDAT_END) {
            walk->time = walk->has_last ? walk->last : walk->time;
            if (!tell_missing(walk))
                tell(walk, TRACEDAT_NO_MORE, walk->time, 0);
            return;
        }
    }
    if (walk->head.what == TRACEDAT_RECORD) {
        walk->last = walk->head.time;
        walk->has_last = true;
    }
}

void tracedat_walk_start(struct tracedat_walk *walk, struct tracedat_file *file, const struct tracedat_buffer *buffer,
                         const struct tracedat_range *range)
{
    *walk = (struct tracedat_walk){0};
    tracedat_data_start(&walk->data, file, buffer, range);
}

void tracedat_walk_free(struct tracedat_walk *walk)
{
    tracedat_data_free(&walk->data);
}
