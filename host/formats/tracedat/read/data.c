/* data.c - see data.h.
 *
 *   pages as they are   one behind the other
 *   compressed pages    the number of chunks, 4 bytes; the chunks
 *   chunk               its compressed size and its real one, 4 bytes each; the compressed bytes
 *
 * All CPUs of all buffers are read at a time. Mostly each has a whole chunk in memory. Where chunks would take too much
 * memory, they are decompressed once for each piece of some pages, and only the piece is kept.
 */
#include "formats/tracedat/read/data.h"

#include <inttypes.h>
#include <stdlib.h>

#define CHUNK_SIZE_MAX (1u << 26) /* bytes of pages; readers of trace-cmd keep whole chunks in memory, too */

enum {
    BLOCK_SIZE = 65536,    /* bytes that are read at once; or one page, if that has more */
    PIECES = 16,           /* of a chunk; fewer if they would be smaller than a block */
    CHUNK_HEADER_SIZE = 8, /* bytes */
    COUNT_SIZE = 4,        /* bytes of the number of chunks */
    TIME_SIZE = 8,         /* bytes of a page's time, which it begins with */
};

void tracedat_data_start(struct tracedat_data *data, struct tracedat_file *file, const struct tracedat_buffer *buffer,
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

/* Have at least size bytes at data->block, whose content may be lost. False: there is not as much memory. */
static bool make_room(struct tracedat_data *data, size_t size)
{
    uint64_t *left = &data->file->budget.memory;
    unsigned char *more;
    if (size <= data->room)
        return true;
    if (data->buffer->compressed && !tracedat_budget_take(left, size - data->room))
        return false;
    more = realloc(data->block, size);
    if (more == NULL) {
        trace_fail(data->file->trace, "%s: no memory for pages", data->file->trace->input_name);
        return false;
    }
    data->block = more;
    data->room = size;
    return true;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Read pages as they are. */
static enum tracedat_step read_block(struct tracedat_data *data)
{
    uint64_t left = data->end - data->at;
    size_t wanted = data->buffer->page_size > BLOCK_SIZE ? data->buffer->page_size : BLOCK_SIZE;
    wanted = left < wanted ? (size_t)left : wanted;
    /* A block is a whole number of pages, but for the last one of a range that is cut. All blocks have fewer bytes than
     * the file. */
    if (wanted == 0 || !make_room(data, wanted))
        return TRACEDAT_END;
    data->place = data->at;
    data->used = 0;
    data->n = input_read(data->file->in, data->at, data->block, wanted);
    data->at += data->n;
    return data->n > 0 ? TRACEDAT_PAGE : TRACEDAT_END;
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

/* Give up the rest of the range: where a chunk has a wrong size, the ones behind it cannot be found. */
static enum tracedat_step lose_chunks(struct tracedat_data *data, const char *why)
{
    trace_damage(data->file->trace, data->place, data->end - data->place, 0, "%s: the rest of a CPU's pages", why);
    data->chunks = 0;
    return TRACEDAT_DAMAGED;
}

/* Give up the rest of the chunk. */
static enum tracedat_step lose_rest(struct tracedat_data *data, const char *why)
{
    trace_damage(data->file->trace, data->place, data->packed + CHUNK_HEADER_SIZE, 0, "%" PRIu64 " bytes of pages %s",
                 data->size - data->done, why);
    data->done = data->size;
    return TRACEDAT_DAMAGED;
}

/* How many bytes of the chunk to decompress next: all, or a piece if all are more than a range's share of the memory.
 * Smaller pieces than a part of the chunk would take too long, because each takes as long as all before it. */
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
static enum tracedat_step read_piece(struct tracedat_data *data)
{
    uint64_t at = data->at - data->packed;
    size_t n = choose_piece(data);
    unsigned char *packed;
    bool good;
    if (!make_room(data, n))
        return data->file->trace->failed ? TRACEDAT_END : lose_rest(data, "that take too much memory");
    if (!tracedat_budget_take(&data->file->budget.expanded, n + data->done / 4u))
        return lose_rest(data, "in a file that becomes too large when decompressed");
    packed = malloc((size_t)data->packed);
    if (packed == NULL) {
        trace_fail(data->file->trace, "%s: no memory for pages", data->file->trace->input_name);
        return TRACEDAT_END;
    }
    good = input_read(data->file->in, at, packed, (size_t)data->packed) == data->packed
           && decompress_piece(data, packed, n);
    free(packed);
    if (!good)
        return lose_rest(data, "that cannot be decompressed");
    data->done += n;
    data->used = 0;
    data->n = n;
    return TRACEDAT_PAGE;
}

/* Read the next chunk, or the next piece of one. */
static enum tracedat_step read_chunk(struct tracedat_data *data)
{
    struct cursor cursor = tracedat_file_cursor(data->file, data->at, data->end);
    if (data->done < data->size)
        return read_piece(data);
    if (data->chunks == 0)
        return TRACEDAT_END;
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

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/* Find the time of the page that will be given out next. It is not known behind the last page of a chunk. */
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

enum tracedat_step tracedat_data_next(struct tracedat_data *data, struct tracedat_page *page)
{
    size_t size = data->buffer->page_size;
    if (data->used == data->n) {
        enum tracedat_step step = data->buffer->compressed ? read_chunk(data) : read_block(data);
        if (step != TRACEDAT_PAGE)
            return step;
    }
    size = size < data->n - data->used ? size : data->n - data->used;
    *page = (struct tracedat_page){.bytes = data->block + data->used, .size = size, .offset = data->place};
    page->offset += data->buffer->compressed ? 0 : data->used;
    data->used += size;
    look_ahead(data, page);
    return TRACEDAT_PAGE;
}

void tracedat_data_free(struct tracedat_data *data)
{
    free(data->block);
    if (data->buffer != NULL && data->buffer->compressed)
        data->file->budget.memory += data->room;
    data->block = NULL;
    data->room = data->used = data->n = 0;
    data->size = data->done = 0;
    data->at = data->end;
    data->chunks = 0;
}
