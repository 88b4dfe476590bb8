/* data.c - see data.h.
 *
 *   pages as they are   one behind the other
 *   compressed pages    the number of chunks, 4 bytes; the chunks
 *   chunk               its compressed size and its real one, 4 bytes each; the compressed bytes
 */
#include "tracedat/read/data.h"

#include <stdlib.h>

#define CHUNK_SIZE_MAX (1u << 26) /* bytes of pages; readers of trace-cmd keep whole chunks in memory, too */

enum {
    BLOCK_SIZE = 65536,    /* bytes that are read at once; or one page, if that has more */
    CHUNK_HEADER_SIZE = 8, /* bytes */
    COUNT_SIZE = 4,        /* bytes of the number of chunks */
    TIME_SIZE = 8,         /* bytes of a page's time, which it begins with */
};

void tracedat_data_start(struct tracedat_data *data, struct tracedat_file *file, const struct tracedat_buffer *buffer,
                         unsigned cpu)
{
    const struct tracedat_range *range = &buffer->cpu[cpu];
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

/* Have at least size bytes at *bytes, where *room are now. What they held may be lost. False after trace_fail(). */
static bool make_room(struct tracedat_data *data, unsigned char **bytes, size_t *room, size_t size)
{
    unsigned char *more;
    if (size <= *room)
        return true;
    more = realloc(*bytes, size);
    if (more == NULL) {
        trace_fail(data->file->trace, "%s: no memory for pages", data->file->trace->input_name);
        return false;
    }
    *bytes = more;
    *room = size;
    return true;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Read pages as they are. */
static enum tracedat_step read_block(struct tracedat_data *data)
{
    uint64_t left = data->end - data->at;
    size_t wanted = data->buffer->page_size > BLOCK_SIZE ? data->buffer->page_size : BLOCK_SIZE;
    wanted = left < wanted ? (size_t)left : wanted;
    /* A block is a whole number of pages, but for the last one of a range that is cut. */
    if (wanted == 0 || !make_room(data, &data->block, &data->room, wanted))
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

/* Decompress a chunk, whose bytes begin at data->at, to size bytes. */
static enum tracedat_step decompress_chunk(struct tracedat_data *data, size_t compressed_size, size_t size)
{
    if (!make_room(data, &data->compressed, &data->compressed_room, compressed_size)
        || !make_room(data, &data->block, &data->room, size))
        return TRACEDAT_END;
    if (input_read(data->file->in, data->at, data->compressed, compressed_size) != compressed_size)
        return lose_chunks(data, "cannot be read");
    data->at += compressed_size;
    if (!tracedat_decompress(data->file->compression, data->compressed, compressed_size, data->block, size)) {
        trace_damage(data->file->trace, data->place, compressed_size + CHUNK_HEADER_SIZE, 0,
                     "%zu bytes of pages that cannot be decompressed", size);
        return TRACEDAT_DAMAGED;
    }
    data->used = 0;
    data->n = size;
    return TRACEDAT_PAGE;
}

/* Read the next chunk. */
static enum tracedat_step read_chunk(struct tracedat_data *data)
{
    struct cursor cursor = tracedat_file_cursor(data->file, data->at, data->end);
    uint64_t compressed_size, size;
    if (data->chunks == 0)
        return TRACEDAT_END;
    data->chunks--;
    data->place = data->at;
    compressed_size = cursor_number(&cursor, 4);
    size = cursor_number(&cursor, 4);
    if (cursor.bad)
        return lose_chunks(data, "compressed pages end early");
    if (compressed_size > cursor_left(&cursor) || compressed_size == 0 || size == 0 || size > CHUNK_SIZE_MAX)
        return lose_chunks(data, "compressed pages of a size that cannot be");
    data->at = cursor.at;
    return decompress_chunk(data, (size_t)compressed_size, (size_t)size);
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
    free(data->compressed);
    data->block = data->compressed = NULL;
    data->room = data->compressed_room = data->used = data->n = 0;
    data->at = data->end;
    data->chunks = 0;
}
