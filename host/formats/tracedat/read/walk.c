/* walk.c - see walk.h. It reads blocks, takes pages off them, and records off the pages.
 *
 *   pages as they are   one behind the other
 *   compressed pages    the number of chunks, 4 bytes; the chunks
 *   chunk               its compressed size and its real one, 4 bytes each; the compressed bytes
 *   page                time, 8 bytes; commit word, 4 or 8 bytes; records; perhaps the number of lost events
 *   record              a word of 4 bytes: kind, 5 bits, and time since the record before, 27 bits; then data
 *
 * Kinds 1 to 28 are the number of words of data. With kind 0 the length of the data is in a word of its own. Kind 29 is
 * padding, kind 30 adds more time than 27 bits can hold, kind 31 sets the time. The layout of pages is that of the
 * kernel's ring buffer (include/linux/ring_buffer.h). They are read with number_at() and not with a cursor, because
 * every record passes here.
 *
 * All CPUs of all buffers are read at a time. Mostly each has a whole chunk in memory. Where chunks would take too much
 * memory, a chunk is decompressed again for each piece of some pages, and only the piece is kept.
 */
#include "formats/tracedat/read/walk.h"

#include "base/heap.h"

#include <stddef.h>
#include <inttypes.h>

#define CHUNK_SIZE_MAX (1u << 26) /* bytes of pages; readers of trace-cmd keep whole chunks in memory, too */

enum {
    BLOCK_SIZE = 65536,    /* bytes that are read at once; or one page, if that has more */
    PIECES = 16,           /* of a chunk; fewer if they would be smaller than a block */
    CHUNK_HEADER_SIZE = 8, /* bytes */
    COUNT_SIZE = 4,        /* bytes of the number of chunks */
    TIME_SIZE = 8,         /* bytes of a page's time, which it begins with */
    WORD_SIZE = 4,         /* bytes of a word in front of a record */
    KIND_LENGTH = 0,
    KIND_PADDING = 29,
    KIND_EXTEND = 30,
    KIND_STAMP = 31,
    DELTA_BITS = 27,
};

#define COMMIT_BYTES ((1u << 27) - 1u) /* bytes of records */
#define COMMIT_LOST  (1u << 31)        /* flag: events were lost before the page */
#define COMMIT_COUNT (1u << 30)        /* flag: how many stands behind the records */
#define DELTA_MASK   ((1u << DELTA_BITS) - 1u)
#define STAMP_BITS   59u                 /* bits of the time that kind 31 sets; the higher ones stay */
#define BACK_MAX     (UINT64_C(1) << 27) /* ns by which clocks may go back; more than that is damage */

enum step { STEP_END, STEP_PAGE, STEP_DAMAGED };

/* ---- the range of a CPU ------------------------------------------------------------------------------------------ */

/* Begin with the first page of a range of the buffer. */
static void start_data(struct tracedat_data *data, struct tracedat_file *file, const struct tracedat_buffer *buffer,
                       const struct tracedat_range *range)
{
    *data =
        (struct tracedat_data){.file = file, .buffer = buffer, .at = range->offset, .end = range->offset + range->size};
    if (buffer->compressed && range->size > 0) {
        struct cursor cursor = tracedat_file_cursor(file, data->at, UINT64_MAX);
        /* The size that trace-cmd writes for a range leaves out the number of chunks. */
        data->chunks = (uint32_t)cursor_number(&cursor, COUNT_SIZE);
        data->at = cursor.at;
        data->end = data->end + COUNT_SIZE < cursor.end ? data->end + COUNT_SIZE : cursor.end;
    }
}

/* Have room for size bytes at data->block; its content may be lost. False if that is too much memory, or after
 * trace_fail(). */
static bool make_room(struct tracedat_data *data, size_t size)
{
    uint64_t *left = &data->file->budget.memory;
    unsigned char *more;
    if (size <= data->room)
        return true;
    if (data->buffer->compressed && !tracedat_budget_take(left, size - data->room))
        return false;
    more = heap_realloc(data->block, size);
    if (more == NULL) {
        trace_fail(data->file->trace, "%s: no memory for pages", data->file->trace->input_name);
        return false;
    }
    data->block = more;
    data->room = size;
    return true;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Read the next block of pages that are not compressed. */
static enum step read_block(struct tracedat_data *data)
{
    uint64_t left = data->end - data->at;
    size_t wanted = data->buffer->page_size > BLOCK_SIZE ? data->buffer->page_size : BLOCK_SIZE;
    wanted = left < wanted ? (size_t)left : wanted;
    /* A block is a whole number of pages, but for the last one of a range that is cut. All blocks have fewer bytes than
     * the file. */
    if (wanted == 0 || !make_room(data, wanted))
        return STEP_END;
    data->place = data->at;
    data->used = 0;
    data->n = input_read(data->file->in, data->at, data->block, wanted);
    data->at += data->n;
    return data->n > 0 ? STEP_PAGE : STEP_END;
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

/* Give up the rest of the range: behind a chunk of a wrong size no other one can be found. */
static enum step lose_chunks(struct tracedat_data *data, const char *why)
{
    trace_damage(data->file->trace, data->place, data->end - data->place, 0, "%s: the rest of a CPU's pages", why);
    data->chunks = 0;
    return STEP_DAMAGED;
}

/* Give up the rest of the chunk. */
static enum step lose_rest(struct tracedat_data *data, const char *why)
{
    trace_damage(data->file->trace, data->place, data->packed + CHUNK_HEADER_SIZE, 0, "%" PRIu64 " bytes of pages %s",
                 data->size - data->done, why);
    data->done = data->size;
    return STEP_DAMAGED;
}

/* How many bytes of the chunk to decompress next: all, or a piece if all are more than a range's share of the memory. A
 * piece takes as long as all before it together with itself, so a chunk has PIECES of them at most. */
static size_t choose_piece(const struct tracedat_data *data)
{
    uint64_t left = data->size - data->done, share = data->file->share, page = data->buffer->page_size;
    uint64_t piece = share < BLOCK_SIZE ? share : BLOCK_SIZE;
    if (data->size <= share || data->size <= data->room)
        return (size_t)left;
    piece = piece > data->size / PIECES ? piece : data->size / PIECES;
    piece = (piece + page - 1u) / page * page;
    return (size_t)(piece < left ? piece : left);
}

/* Decompress the next piece, n bytes, of the chunk whose compressed bytes were read. */
static bool decompress_piece(struct tracedat_data *data, const unsigned char *packed, size_t n)
{
    enum tracedat_compression how = data->file->compression;
    if (data->done == 0 && n == data->size)
        return tracedat_decompress(how, packed, (size_t)data->packed, data->block, n);
    return tracedat_decompress_part(how, packed, (size_t)data->packed, data->done, data->block, n);
}

/* Bring the next piece of the chunk into the block. */
static enum step read_piece(struct tracedat_data *data)
{
    uint64_t at = data->at - data->packed;
    size_t n = choose_piece(data);
    unsigned char *packed;
    bool good;
    if (!make_room(data, n))
        return data->file->trace->failed ? STEP_END : lose_rest(data, "that take too much memory");
    if (!tracedat_budget_take(&data->file->budget.expanded, n + data->done / 4u))
        return lose_rest(data, "in a file that becomes too large when decompressed");
    packed = heap_alloc((size_t)data->packed);
    if (packed == NULL) {
        trace_fail(data->file->trace, "%s: no memory for pages", data->file->trace->input_name);
        return STEP_END;
    }
    good = input_read(data->file->in, at, packed, (size_t)data->packed) == data->packed
           && decompress_piece(data, packed, n);
    heap_free(packed);
    if (!good)
        return lose_rest(data, "that cannot be decompressed");
    data->done += n;
    data->used = 0;
    data->n = n;
    return STEP_PAGE;
}

/* Read the next chunk, or the next piece of one. */
static enum step read_chunk(struct tracedat_data *data)
{
    struct cursor cursor = tracedat_file_cursor(data->file, data->at, data->end);
    if (data->done < data->size)
        return read_piece(data);
    if (data->chunks == 0)
        return STEP_END;
    data->chunks--;
    data->place = data->at;
    data->packed = cursor_number(&cursor, 4);
    data->size = cursor_number(&cursor, 4);
    data->done = 0;
    if (cursor.bad || data->packed > cursor_left(&cursor) || data->packed == 0 || data->size == 0
        || data->size > CHUNK_SIZE_MAX) {
        data->size = 0;
        return lose_chunks(data,
                           cursor.bad ? "compressed pages end early" : "compressed pages of a size that cannot be");
    }
    data->at = cursor.at + data->packed;
    return read_piece(data);
}

/* ---- pages, one after another ------------------------------------------------------------------------------------ */

/* Find the time of the page after this one. It is not known behind the last page of a chunk. */
static void look_ahead(struct tracedat_data *data, struct tracedat_page *page)
{
    struct cursor cursor = tracedat_file_cursor(data->file, data->at, data->end);
    if (data->used + TIME_SIZE <= data->n) {
        page->next = number_at(data->block + data->used, TIME_SIZE, data->file->big);
        page->has_next = true;
    } else if (!data->buffer->compressed && data->used == data->n) {
        page->next = cursor_number(&cursor, TIME_SIZE);
        page->has_next = !cursor.bad;
    }
}

/* Get the next page, which is valid until the next call. STEP_DAMAGED: something was skipped, and reported with
 * trace_damage(); the next call goes on behind it. STEP_END: there are no more pages, or trace_fail() was called. */
static enum step next_page(struct tracedat_data *data, struct tracedat_page *page)
{
    size_t size = data->buffer->page_size;
    if (data->used == data->n) {
        enum step step = data->buffer->compressed ? read_chunk(data) : read_block(data);
        if (step != STEP_PAGE)
            return step;
    }
    size = size < data->n - data->used ? size : data->n - data->used;
    *page = (struct tracedat_page){.bytes = data->block + data->used, .size = size, .offset = data->place};
    page->offset += data->buffer->compressed ? 0 : data->used;
    data->used += size;
    look_ahead(data, page);
    return STEP_PAGE;
}

/* Free the memory; next_page() then gives no more pages. */
static void free_data(struct tracedat_data *data)
{
    heap_free(data->block);
    if (data->buffer != NULL && data->buffer->compressed)
        data->file->budget.memory += data->room;
    data->block = NULL;
    data->room = data->used = data->n = 0;
    data->size = data->done = 0;
    data->at = data->end;
    data->chunks = 0;
}

/* ---- numbers and times ------------------------------------------------------------------------------------------- */

/* The number of size bytes at an offset of the page. The caller must have checked that they are there. */
static uint64_t load(const struct tracedat_walk *walk, size_t at, unsigned size)
{
    return number_at(walk->page.bytes + at, size, walk->data.file->big);
}

/* Whether a time lies before another one by more than clocks go back. */
static bool is_back(uint64_t time, uint64_t than)
{
    return time < than && than - time > BACK_MAX;
}

/* ---- a page ------------------------------------------------------------------------------------------------------ */

/* Report that the page is damaged from a byte on, and leave it. */
static void skip_page(struct tracedat_walk *walk, size_t from, const char *why)
{
    trace_damage(walk->data.file->trace, walk->page.offset, walk->page.size - from, 0, "%s", why);
    walk->in_page = false;
    walk->damage = true;
}

/* Whether the page's time does not fit between its neighbours': it lies before that of the last record, or behind that
 * of the next page. If the next page lies before the last record, too, then not this page is wrong but that record. */
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

/* Take the head of the page. A page that makes no sense is skipped. */
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

/* Bring a record to the head: its size bytes of data, rounded up to words, lie at an offset of the page. False if they
 * do not all lie on the page. */
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

/* Go behind padding. Padding without a length is the rest of the page, and must have no time. False if it makes no
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

/* Take the next word and what belongs to it: a record, which is brought to the head; a change of the time; or padding.
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

/* Bring the next record of the page to the head. False at the end of the page, or if the rest of it was skipped. */
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

/* Bring damage or a loss that belongs before the next record to the head. False if there is none. */
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
        enum step step;
        if (walk->in_page && (tell_missing(walk) || take_record(walk)))
            break;
        if (walk->in_page)
            continue;
        step = next_page(&walk->data, &walk->page);
        if (step == STEP_PAGE)
            open_page(walk);
        walk->damage = walk->damage || step == STEP_DAMAGED;
        if (step == STEP_END) {
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
    start_data(&walk->data, file, buffer, range);
}

void tracedat_walk_free(struct tracedat_walk *walk)
{
    free_data(&walk->data);
}
