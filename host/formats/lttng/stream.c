/* stream.c - the blocks of one file of a trace: see stream.h.
 *
 * A block's header tells its size, and so where the next block begins. If no block is there, the next one is searched
 * at every page. Blocks of a flight recorder lie in the order of a ring: reading begins where times go down, and from
 * the end of the file it goes on at the beginning.
 */
#include "formats/lttng/stream.h"

#include "io/input.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define VARIABLE_SIZE 5u          /* 2.5 is the first version whose blocks may differ in size */
#define LOST_MAX      0x80000000u /* a count that grew by more went back */
#define SKEW_MAX      0x80000000u /* cycles that the counters of CPUs may differ by */

void lttng_stream_damage(struct lttng_stream *stream, uint64_t offset, uint64_t length, uint64_t count,
                         const char *format, ...)
{
    char text[200];
    va_list arguments;
    stream->damaged = true;
    stream->damage += count;
    if (stream->quiet)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    trace_damage(stream->trace, offset, length, count, "%s: %s", stream->name, text);
}

/* ---- finding blocks ---------------------------------------------------------------------------------------------- */

/* Read the headers of a block at an offset of the file. NULL, or what is wrong. */
static const char *read_header(const struct lttng_stream *stream, uint64_t at, struct lttng_block_header *header)
{
    unsigned char bytes[LTTNG_HEADER_MAX];
    return lttng_block_header_read(header, bytes, input_read(stream->in, at, bytes, sizeof bytes), stream->seed);
}

static bool is_block(const struct lttng_stream *stream, uint64_t at)
{
    struct lttng_block_header header;
    return read_header(stream, at, &header) == NULL
           && (!stream->has_reference
               || (header.family == stream->reference.family && header.first == stream->reference.first));
}

/* Does the page at an offset begin with a block? If not, *next becomes the offset of the page to look at next: of the
 * one behind it, or behind the hole that it is in. */
static bool is_block_page(const struct lttng_stream *stream, uint64_t at, uint64_t *next)
{
    static const unsigned char zeros[LTTNG_HEADER_MAX];
    unsigned char bytes[LTTNG_HEADER_MAX];
    size_t n = input_read(stream->in, at, bytes, sizeof bytes);
    *next = at + LTTNG_PAGE;
    if (memcmp(bytes, zeros, n) != 0)
        return lttng_block_header_is(bytes, n) && is_block(stream, at);
    at = input_data_from(stream->in, at) / LTTNG_PAGE * LTTNG_PAGE;
    *next = at > *next ? at : *next;
    return false;
}

/* Offset of the first block at a page behind at, or of the end of the file. Blocks are searched from the same place
 * more than once, so the last search is remembered. */
static uint64_t find_block(struct lttng_stream *stream, uint64_t at)
{
    uint64_t size = input_size(stream->in), from = at / LTTNG_PAGE * LTTNG_PAGE + LTTNG_PAGE, next;
    if (from >= stream->search_from && from <= stream->search_to)
        return stream->search_to;
    stream->search_from = from;
    for (at = from; at < size && !is_block_page(stream, at, &next);)
        at = next;
    stream->search_to = at < size ? at : size;
    return stream->search_to;
}

/* ---- from a block to the next one -------------------------------------------------------------------------------- */

static bool has_fixed_size(const struct lttng_block_header *header)
{
    return header->family != LTTNG_METADATA || header->minor < VARIABLE_SIZE;
}

/* Has the block the size of the one before it, in a version where all have the same size? */
static bool has_usual_size(const struct lttng_stream *stream, const struct lttng_block_header *header)
{
    return stream->blocks > 0 && has_fixed_size(header) && header->size == stream->reference.size;
}

/* Does the file end in the block at stream->next? left: bytes from there to the end of the file. */
static bool is_cut(const struct lttng_stream *stream, const struct lttng_block_header *header, uint64_t left)
{
    return header->size > left && (has_usual_size(stream, header) || left % LTTNG_PAGE != 0);
}

/* Bytes from the block at stream->next to the next page that begins a block; if they are fewer than the block's size,
 * the size is wrong. Where sizes may differ, only pages behind the block's events count. UINT64_MAX: the size is the
 * usual one, and is not doubted. */
static uint64_t block_within(struct lttng_stream *stream, const struct lttng_block_header *header)
{
    uint64_t used = has_fixed_size(header) ? 1u : lttng_block_header_used(header, header->size);
    return has_usual_size(stream, header) || used == 0 || used > header->size
               ? UINT64_MAX
               : find_block(stream, stream->next + used - 1u) - stream->next;
}

/* Does the size of the block at stream->next lead to the end of the file or to a block? */
static bool leads_on(const struct lttng_stream *stream, const struct lttng_block_header *header, uint64_t left)
{
    uint64_t size = header->size;
    return size >= header->first && size <= left
           && (size == left || has_usual_size(stream, header) || is_block(stream, stream->next + size));
}

/* Can the size be right though it leads to no block? The next block is found bytes behind this one. If that is a
 * multiple of the size, the blocks between are broken. If no block follows, what follows is rubbish. */
static bool leads_to_rubbish(const struct lttng_block_header *header, uint64_t found, uint64_t left)
{
    uint64_t size = header->size;
    if (size < header->first)
        return false;
    if (size < found && found % size == 0)
        return true;
    return found == left && size < left && (size % LTTNG_PAGE == 0 || left % LTTNG_PAGE != 0);
}

/* Bytes from the block at stream->next to the next one: its size, unless that leads nowhere. */
static uint64_t block_span(struct lttng_stream *stream, const struct lttng_block_header *header)
{
    uint64_t at = stream->next, left = input_size(stream->in) - at, found = block_within(stream, header);
    if (found < header->size && found < left) {
        lttng_stream_damage(stream, at, 0, 0, "buf_size is %" PRIu64 ", but there is a block %" PRIu64 " bytes behind",
                            header->size, found);
        return found;
    }
    if (leads_on(stream, header, left))
        return header->size;
    found = find_block(stream, at) - at;
    if (leads_to_rubbish(header, found, left))
        return header->size;
    if (found == left && is_cut(stream, header, left))
        lttng_stream_damage(stream, at, 0, 0, "the file ends %" PRIu64 " bytes before the block does",
                            header->size - left);
    else
        lttng_stream_damage(stream, at, 0, 0, "buf_size is %" PRIu64 ", but the next block is %" PRIu64 " bytes behind",
                            header->size, found);
    return found;
}

/* ---- entering blocks --------------------------------------------------------------------------------------------- */

/* The header counts what was lost since the trace began: what is new since the block before was lost here. */
static void count_losses(struct lttng_stream *stream, const struct lttng_block_header *header)
{
    uint32_t lost = header->events_lost - (uint32_t)stream->lost, corrupt = header->corrupt - (uint32_t)stream->corrupt;
    if (lost >= LOST_MAX || corrupt >= LOST_MAX) {
        lttng_stream_damage(stream, stream->block, 0, 0, "its counts of lost events and blocks went back");
        return;
    }
    stream->loss += lost;
    stream->lossy = stream->lossy || lost > 0 || corrupt > 0;
    stream->lost = header->events_lost;
    stream->corrupt = header->corrupt;
}

/* All blocks of a trace are alike in how events lie in them, and in the clock. In a header that differs, what is needed
 * to read the events is replaced. */
static void check_header(struct lttng_stream *stream, struct lttng_block_header *header)
{
    const struct lttng_block_header *reference = &stream->reference;
    if (!stream->has_reference) {
        stream->reference = *header;
        stream->has_reference = true;
        stream->search_to = 0; /* blocks are judged by the reference */
        return;
    }
    if (lttng_block_header_alike(header, reference))
        return;
    lttng_stream_damage(stream, stream->block, 0, 0,
                        "the header differs from those of most blocks, which are taken to be right");
    header->arch_size = reference->arch_size;
    header->alignment = reference->alignment;
    header->heartbeat = reference->heartbeat;
    header->truncate = reference->truncate;
    header->tscbits = reference->tscbits;
    header->data_shift = reference->data_shift;
    header->first = reference->first;
}

/* Set where the block's events end, span bytes before the next block at most. If the file ends in the block, the end of
 * its events may be in the file or not. */
static void find_end(struct lttng_stream *stream, const struct lttng_block_header *header, uint64_t span)
{
    uint64_t size = is_cut(stream, header, span) ? header->size : span, used = lttng_block_header_used(header, size);
    if (header->lost == LTTNG_OPEN)
        lttng_stream_damage(stream, stream->block, 0, 0,
                            "the block was not finished: events are taken as far as they make sense");
    else if (used > size) {
        lttng_stream_damage(stream, stream->block, 0, 0,
                            "its %s is %" PRIu32 ", more than the block of %" PRIu64 " bytes can have",
                            has_fixed_size(header) ? "lost_size" : "data_size", header->lost, size);
        stream->header.lost = LTTNG_OPEN;
        used = size;
    }
    stream->limit = stream->block + (used < span ? used : span);
}

/* Events are never in a hole of the file, which may be far larger than all that the file holds: they end before it. */
static void end_at_hole(struct lttng_stream *stream)
{
    uint64_t hole = input_hole_from(stream->in, stream->at);
    if (stream->at >= stream->limit || hole >= stream->limit)
        return;
    if (!lttng_in_open_block(stream))
        lttng_stream_damage(stream, hole, stream->limit - hole, 0, "a hole in the file, where the block has events");
    stream->limit = hole;
}

/* The full stamp from which the block's short stamps count on: its begin. The begin is wrong if the last block ended
 * later, or the block itself ends earlier; then it is taken to be the end of the last block. But if the block's end is
 * before that, too, it is the end that is wrong. */
static uint64_t find_begin(struct lttng_stream *stream, const struct lttng_block_header *header)
{
    uint64_t floor = stream->blocks > 0 ? stream->tsc : stream->reference.start_tsc;
    bool early = header->begin < floor && (stream->blocks > 0 || floor - header->begin > SKEW_MAX);
    if (lttng_in_open_block(stream) || header->end < floor || !(early || header->end < header->begin))
        return header->begin;
    if (early)
        lttng_stream_damage(stream, stream->block, 0, 0, "the block begins before the %s",
                            stream->blocks > 0 ? "last one ended" : "trace");
    return floor;
}

static void enter(struct lttng_stream *stream, struct lttng_block_header *header)
{
    uint64_t span = block_span(stream, header);
    stream->block = stream->next;
    stream->next += span;
    check_header(stream, header);
    stream->header = *header;
    find_end(stream, header, span);
    stream->reference.size = span;
    stream->at = stream->block + header->first;
    stream->searched = 0;
    end_at_hole(stream);
    stream->bounded = !lttng_in_open_block(stream) && header->end >= header->begin;
    if (!lttng_in_open_block(stream) && !stream->bounded)
        lttng_stream_damage(stream, stream->block, 0, 0, "the block ends before it begins");
    stream->base = stream->before = find_begin(stream, header);
    if (stream->blocks == 0)
        stream->tsc = stream->base;
    stream->reported_back = false;
    stream->blocks++;
    count_losses(stream, header);
}

/* ---- the order of blocks ----------------------------------------------------------------------------------------- */

/* Have all blocks been visited? Reading that did not start at the beginning of the file goes on there, once. */
static bool at_end(struct lttng_stream *stream)
{
    if (stream->wrapped)
        return stream->next >= stream->start;
    if (stream->next < input_size(stream->in))
        return false;
    stream->wrapped = true;
    stream->next = 0;
    return stream->start == 0;
}

/* Can the block at stream->next, whose headers were read, be one of this trace? NULL, or why not. */
static const char *judge_header(const struct lttng_stream *stream, const struct lttng_block_header *header)
{
    const struct lttng_block_header *reference = &stream->reference;
    if (!stream->has_reference)
        return NULL;
    if (header->major != reference->major || header->minor != reference->minor)
        return "its version is not the trace's";
    return header->big != reference->big ? "its byte order is not the trace's" : NULL;
}

bool lttng_stream_next_block(struct lttng_stream *stream)
{
    struct lttng_block_header header;
    while (!at_end(stream)) {
        const char *wrong = read_header(stream, stream->next, &header);
        uint64_t found;
        if (wrong == NULL)
            wrong = judge_header(stream, &header);
        if (wrong == NULL) {
            enter(stream, &header);
            return true;
        }
        found = find_block(stream, stream->next);
        lttng_stream_damage(stream, stream->next, found - stream->next, 0, "not a block: %s", wrong);
        stream->next = found;
    }
    return false;
}

/* Offset of the block that is first in time: the one where times go down. They must do so once in the file, and at its
 * end not be later than at its beginning; else it is the first block. */
static uint64_t find_start(const struct lttng_stream *stream)
{
    struct lttng_stream look = *stream;
    uint64_t first = 0, before = 0, turn = 0;
    unsigned turns = 0;
    look.quiet = true;
    while (lttng_stream_next_block(&look)) {
        const struct lttng_block_header *header = &look.header;
        bool is_open = lttng_in_open_block(&look);
        if (!is_open && header->end < header->begin)
            continue; /* one of the two is wrong */
        if (look.blocks == 1)
            first = header->begin;
        if (header->begin < before && (is_open || header->end < before)) {
            turns++;
            turn = look.block;
        }
        before = header->begin;
    }
    return turns == 1 && before <= first ? turn : 0;
}

/* The metadata is never a ring: all of it is needed. */
void lttng_stream_start(struct lttng_stream *stream)
{
    if (!stream->metadata)
        stream->start = stream->next = find_start(stream);
}

/* With heartbeats, a block ends soon enough behind its last event that 32 bits can hold the distance. */
void lttng_stream_leave_block(struct lttng_stream *stream)
{
    const struct lttng_block_header *header = &stream->header;
    if (stream->blocks > 0 && stream->bounded && header->heartbeat && !stream->metadata && !stream->compact
        && header->end - stream->base > UINT32_MAX)
        lttng_stream_damage(stream, stream->block, 0, 0,
                            "the block ends long after its last event: its begin may be wrong, and times");
    stream->bounded = false;
}
