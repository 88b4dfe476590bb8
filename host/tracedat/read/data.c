/* data.c - the pages of one CPU, block by block or decompressed chunk by chunk: see tracedat/read/file.h. */
#include "tracedat/read/file.h"

#include <inttypes.h>
#include <stdlib.h>

#define BLOCK_BYTES 65536u /* read at once, or one page if that is more */

void td_data_start(struct td_data *data, struct tdfile *file, const struct td_buffer *buffer, unsigned cpu)
{
    const struct td_range *range = &buffer->cpu[cpu];

    *data = (struct td_data){.file = file, .buffer = buffer, .at = range->offset, .end = range->offset + range->size};
    if (buffer->compressed && range->size > 0) {
        struct cursor cursor = tdfile_cursor(file, data->at, UINT64_MAX);

        /* trace-cmd does not count the count. */
        data->chunks = (uint32_t)cursor_number(&cursor, 4);
        data->at = cursor.at;
        data->end = data->end + 4u < cursor.end ? data->end + 4u : cursor.end;
    }
}

static bool make_room(struct td_data *data, unsigned char **bytes, size_t *room, size_t size)
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

static enum td_step read_block(struct td_data *data)
{
    uint64_t left = data->end - data->at;
    size_t wanted = data->buffer->page_size > BLOCK_BYTES ? data->buffer->page_size : BLOCK_BYTES;

    wanted = left < wanted ? (size_t)left : wanted;
    if (wanted == 0 || !make_room(data, &data->block, &data->room, wanted))
        return TD_END;
    data->place = data->at;
    data->used = 0;
    data->n = input_read(data->file->in, data->at, data->block, wanted);
    data->at += data->n;
    return data->n > 0 ? TD_PAGE : TD_END;
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

/* Nothing behind a chunk of a wrong size can be found. */
static enum td_step lose_chunks(struct td_data *data, const char *why)
{
    trace_damage(data->file->trace, data->place, data->end - data->place, 0, "%s: the rest of a CPU's pages", why);
    data->chunks = 0;
    return TD_DAMAGED;
}

static enum td_step unpack_chunk(struct td_data *data, size_t packed, size_t size)
{
    if (!make_room(data, &data->packed, &data->packed_room, packed)
        || !make_room(data, &data->block, &data->room, size))
        return TD_END;
    if (input_read(data->file->in, data->at, data->packed, packed) != packed)
        return lose_chunks(data, "cannot be read");
    data->at += packed;
    if (!td_inflate(data->file->compression, data->packed, packed, data->block, size)) {
        trace_damage(data->file->trace, data->place, packed + 8u, 0, "%zu bytes of pages that cannot be decompressed",
                     size);
        return TD_DAMAGED;
    }
    data->used = 0;
    data->n = size;
    return TD_PAGE;
}

static enum td_step read_chunk(struct td_data *data)
{
    struct cursor cursor = tdfile_cursor(data->file, data->at, data->end);
    uint64_t packed, size;

    if (data->chunks == 0)
        return TD_END;
    data->chunks--;
    data->place = data->at;
    packed = cursor_number(&cursor, 4);
    size = cursor_number(&cursor, 4);
    if (cursor.bad)
        return lose_chunks(data, "compressed pages end early");
    if (packed > cursor.end - cursor.at || packed == 0 || size == 0 || size > TDFILE_CHUNK_MAX)
        return lose_chunks(data, "compressed pages of a size that cannot be");
    data->at = cursor.at;
    return unpack_chunk(data, (size_t)packed, (size_t)size);
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/* Find the time of the page that follows, without reading on. */
static void look_ahead(struct td_data *data, struct td_page *page)
{
    struct cursor cursor = tdfile_cursor(data->file, data->at, data->end);

    if (data->used + 8u <= data->n) {
        page->next = number_at(data->block + data->used, 8, data->file->big);
        page->has_next = true;
    } else if (!data->buffer->compressed && data->used == data->n) {
        page->next = cursor_number(&cursor, 8);
        page->has_next = !cursor.bad;
    }
}

enum td_step td_data_next(struct td_data *data, struct td_page *page)
{
    size_t size = data->buffer->page_size;

    if (data->used == data->n) {
        enum td_step step = data->buffer->compressed ? read_chunk(data) : read_block(data);

        if (step != TD_PAGE)
            return step;
    }
    size = size < data->n - data->used ? size : data->n - data->used;
    *page = (struct td_page){.bytes = data->block + data->used, .size = size, .offset = data->place};
    page->offset += data->buffer->compressed ? 0 : data->used;
    data->used += size;
    look_ahead(data, page);
    return TD_PAGE;
}

void td_data_free(struct td_data *data)
{
    free(data->block);
    free(data->packed);
    data->block = data->packed = NULL;
    data->room = data->packed_room = data->used = data->n = 0;
    data->at = data->end;
    data->chunks = 0;
}
