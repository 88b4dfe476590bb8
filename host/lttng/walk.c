/* walk.c - one file of an LTTng trace: its blocks. See lttng/walk.h; events are in lttng/event.c.
 *
 * A block says its size, and so where the next one is. Where that is not so, the next one is looked for at every page.
 * Blocks of a flight recorder lie in the order of a ring: the walk begins where times go down.
 */
#include "lttng/event.h"

#include "io/input.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define LOST_MAX 0x80000000u /* a count that grew by more went back */
#define SKEW_MAX 0x80000000u /* cycles that CPUs may differ by */

void lttng_fault(struct lttng_walk *walk, uint64_t offset, uint64_t length, uint64_t count, const char *format, ...)
{
    char text[200];
    va_list arguments;

    walk->damaged = true;
    walk->damage += count;
    if (walk->quiet)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    trace_damage(walk->trace, offset, length, count, "%s: %s", walk->name, text);
}

/* ---- finding blocks ---------------------------------------------------------------------------------------------- */

static const char *read_header(const struct lttng_walk *walk, uint64_t at, struct lttng_header *header)
{
    unsigned char bytes[LTTNG_HEADER_MAX];

    return lttng_header_read(header, bytes, input_read(walk->in, at, bytes, sizeof bytes), walk->seed);
}

static bool is_block(const struct lttng_walk *walk, uint64_t at)
{
    struct lttng_header header;

    return read_header(walk, at, &header) == NULL
           && (!walk->has_form || (header.family == walk->form.family && header.first == walk->form.first));
}

/* Offset of the first block at a page behind at, or of the end of the file. */
static uint64_t find_block(const struct lttng_walk *walk, uint64_t at)
{
    uint64_t size = input_size(walk->in);

    for (at = at / LTTNG_PAGE * LTTNG_PAGE + LTTNG_PAGE; at < size; at += LTTNG_PAGE) {
        unsigned char bytes[LTTNG_HEADER_MAX];

        if (lttng_header_is(bytes, input_read(walk->in, at, bytes, sizeof bytes)) && is_block(walk, at))
            return at;
    }
    return size;
}

static bool has_fixed_size(const struct lttng_header *header)
{
    return header->family != LTTNG_METADATA || header->minor < 5u;
}

/* Is the block at walk->next one that goes on behind the end of the file? */
static bool is_cut(const struct lttng_walk *walk, const struct lttng_header *header, uint64_t left)
{
    bool usual = walk->blocks > 0 && has_fixed_size(header) && header->size == walk->form.size;

    return header->size > left && (usual || left % LTTNG_PAGE != 0);
}

/* Bytes from the block at walk->next to one that lies in it, or more: where sizes may differ, behind its events. */
static uint64_t block_within(const struct lttng_walk *walk, const struct lttng_header *header, bool usual)
{
    uint64_t used = has_fixed_size(header) ? 1u : lttng_header_used(header, header->size);

    return usual || used == 0 || used > header->size ? UINT64_MAX
                                                     : find_block(walk, walk->next + used - 1u) - walk->next;
}

/* From the block at walk->next to the next one: what it says, unless that leads nowhere. */
static uint64_t block_span(struct lttng_walk *walk, const struct lttng_header *header)
{
    uint64_t at = walk->next, left = input_size(walk->in) - at, size = header->size, found;
    bool usual = walk->blocks > 0 && has_fixed_size(header) && size == walk->form.size;

    found = block_within(walk, header, usual);
    if (found < size && found < left) {
        lttng_fault(walk, at, 0, 0, "buf_size is %" PRIu64 ", but there is a block %" PRIu64 " bytes behind", size,
                    found);
        return found;
    }
    if (size >= header->first && size <= left && (usual || size == left || is_block(walk, at + size)))
        return size;
    found = find_block(walk, at) - at;
    if (size >= header->first && size < found && found % size == 0)
        return size; /* the blocks between are broken, not this one */
    if (size >= header->first && size < left && found == left && (size % LTTNG_PAGE == 0 || left % LTTNG_PAGE != 0))
        return size; /* what follows is no block */
    if (found == left && is_cut(walk, header, left))
        lttng_fault(walk, at, 0, 0, "the file ends %" PRIu64 " bytes before the block does", size - left);
    else
        lttng_fault(walk, at, 0, 0, "buf_size is %" PRIu64 ", but the next block is %" PRIu64 " bytes behind", size,
                    found);
    return found;
}

/* ---- entering blocks --------------------------------------------------------------------------------------------- */

static void count_losses(struct lttng_walk *walk, const struct lttng_header *header)
{
    uint32_t lost = header->events_lost - (uint32_t)walk->lost, corrupt = header->corrupt - (uint32_t)walk->corrupt;

    if (lost >= LOST_MAX || corrupt >= LOST_MAX) {
        lttng_fault(walk, walk->block, 0, 0, "its counts of lost events and blocks went back");
        return;
    }
    walk->loss += lost;
    walk->lossy = walk->lossy || lost > 0 || corrupt > 0;
    walk->lost = header->events_lost;
    walk->corrupt = header->corrupt;
}

/* Blocks of one trace are alike in what tells how events lie in them, and when. */
static void check_form(struct lttng_walk *walk, struct lttng_header *header)
{
    const struct lttng_header *form = &walk->form;

    if (!walk->has_form) {
        walk->form = *header;
        walk->has_form = true;
        return;
    }
    if (lttng_header_alike(header, form))
        return;
    lttng_fault(walk, walk->block, 0, 0, "the header differs from those of most blocks, which are taken to be right");
    header->arch_size = form->arch_size;
    header->alignment = form->alignment;
    header->heartbeat = form->heartbeat;
    header->truncate = form->truncate;
    header->tscbits = form->tscbits;
    header->data_shift = form->data_shift;
    header->first = form->first;
}

/* Of a block that is cut the end of its events may be there, or not. */
static void find_end(struct lttng_walk *walk, const struct lttng_header *header, uint64_t span)
{
    uint64_t size = is_cut(walk, header, span) ? header->size : span, used = lttng_header_used(header, size);

    if (header->lost == LTTNG_OPEN)
        lttng_fault(walk, walk->block, 0, 0, "the block was not finished: events are taken as far as they make sense");
    else if (used > size) {
        lttng_fault(walk, walk->block, 0, 0, "its %s is %" PRIu32 ", more than the block of %" PRIu64 " bytes can have",
                    has_fixed_size(header) ? "lost_size" : "data_size", header->lost, size);
        walk->header.lost = LTTNG_OPEN;
        used = size;
    }
    walk->limit = walk->block + (used < span ? used : span);
}

/* The time that short stamps count on from. A block that begins before the last one ended, or ends before it begins,
 * tells a wrong begin, unless it is its end that is too early. */
static uint64_t find_begin(struct lttng_walk *walk, const struct lttng_header *header)
{
    uint64_t floor = walk->blocks > 0 ? walk->tsc : walk->form.start_tsc;
    bool early = header->begin < floor && (walk->blocks > 0 || floor - header->begin > SKEW_MAX);

    if (walk->header.lost == LTTNG_OPEN || header->end < floor || !(early || header->end < header->begin))
        return header->begin;
    if (early)
        lttng_fault(walk, walk->block, 0, 0, "the block begins before the %s",
                    walk->blocks > 0 ? "last one ended" : "trace");
    return floor;
}

static void enter(struct lttng_walk *walk, struct lttng_header *header)
{
    uint64_t span = block_span(walk, header);

    walk->block = walk->next;
    walk->next += span;
    check_form(walk, header);
    walk->header = *header;
    find_end(walk, header, span);
    walk->form.size = span;
    walk->at = walk->block + header->first;
    walk->bounded = walk->header.lost != LTTNG_OPEN && header->end >= header->begin;
    if (walk->header.lost != LTTNG_OPEN && !walk->bounded)
        lttng_fault(walk, walk->block, 0, 0, "the block ends before it begins");
    walk->base = walk->before = find_begin(walk, header);
    if (walk->blocks == 0)
        walk->tsc = walk->base;
    walk->told_back = false;
    walk->blocks++;
    count_losses(walk, header);
}

/* Go on at the file's beginning, once, when the walk did not start there. */
static bool at_end(struct lttng_walk *walk)
{
    if (walk->wrapped)
        return walk->next >= walk->start;
    if (walk->next < input_size(walk->in))
        return false;
    walk->wrapped = true;
    walk->next = 0;
    return walk->start == 0;
}

static bool next_block(struct lttng_walk *walk)
{
    struct lttng_header header;

    while (!at_end(walk)) {
        const char *wrong = read_header(walk, walk->next, &header);
        uint64_t found;

        if (wrong == NULL && walk->has_form && (header.major != walk->form.major || header.minor != walk->form.minor))
            wrong = "its version is not the trace's";
        if (wrong == NULL && walk->has_form && header.big != walk->form.big)
            wrong = "its byte order is not the trace's";
        if (wrong == NULL) {
            enter(walk, &header);
            return true;
        }
        found = find_block(walk, walk->next);
        lttng_fault(walk, walk->next, found - walk->next, 0, "not a block: %s", wrong);
        walk->next = found;
    }
    return false;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

/* The block that is first in time: where times go down, if they do that once, and go on at the beginning of the file. */
static uint64_t find_start(const struct lttng_walk *walk)
{
    struct lttng_walk look = *walk;
    uint64_t first = 0, before = 0, turn = 0;
    unsigned turns = 0;

    look.quiet = true;
    while (next_block(&look)) {
        const struct lttng_header *header = &look.header;
        bool is_open = header->lost == LTTNG_OPEN;

        if (!is_open && header->end < header->begin)
            continue; /* it does not know itself */
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

void lttng_walk_open(struct lttng_walk *walk)
{
    if (!walk->metadata)
        walk->start = walk->next = find_start(walk);
}

/* Where stamps have 32 bits, no file is without one for longer than they can tell. */
static void leave(struct lttng_walk *walk)
{
    const struct lttng_header *header = &walk->header;

    if (walk->blocks > 0 && walk->bounded && header->heartbeat && !walk->metadata && !walk->compact
        && header->end - walk->base > UINT32_MAX)
        lttng_fault(walk, walk->block, 0, 0,
                    "the block ends long after its last event: its begin may be wrong, and times");
}

bool lttng_walk_next(struct lttng_walk *walk)
{
    for (;;) {
        while (walk->at < walk->limit) {
            if (lttng_event_take(walk))
                return true;
        }
        leave(walk);
        walk->bounded = false;
        if (walk->trace->failed || !next_block(walk))
            return false;
    }
}
