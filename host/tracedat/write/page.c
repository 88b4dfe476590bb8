/* page.c - packs events into ring-buffer pages and the pages into a file. The vocabulary is in
 * tracedat/write/page.h.
 *
 * An event starts with a word: kind in bits 0..4, ns since the event before it in bits 5..31. Kinds 1..28 say how many
 * words of data follow; kind 0 has the length in a word of its own; kind 30 carries time that 27 bits cannot hold. In a
 * big-endian file the word is kind << 27 | time. A page is filled in place in a buffer of many, which goes to the sink.
 *
 * pack_run() is the hot loop. It takes the events that are copied, but for where their one text is, and leaves every other
 * case (page full, long gap, loss, several texts, long or odd payload, time running backwards) to pack_event(). In a file
 * with the other byte order, or with ticks, no type is ordinary.
 */
#include "tracedat/write/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "model/ticks.h"
#include "tracedat/write/file.h"
#include "tracedat/write/blocks.h"
#include "tracedat/write/piece.h"

enum {
    TIME_SIZE = 8,                    /* of the page's time; the commit word follows */
    SHORT_MAX = 28 * 4,               /* most data an event word can announce by itself */
    FRONT = 4 + TRACEDAT_COMMON_SIZE, /* bytes in front of an ordinary event's payload */
    KIND_EXTEND = 30,
    DELTA_SHIFT = 5,
    DELTA_BITS = 27,
    EXTEND_BITS = DELTA_BITS + 32,
    HARDIRQ = 0x08,  /* of common_flags */
    EVENT_WORDS = 8, /* most bytes in front of an event's data */
};

/* Flags of the commit word. */
static const uint64_t MARK_LOST = UINT64_C(1) << 31;
static const uint64_t MARK_COUNT = UINT64_C(1) << 30;

/* Viewers take time 0 for "not set" and place the mark of a loss a little before the event; they hold time in 63 bits.
 * Times outside are moved to the nearest one inside. */
static const uint64_t TIME_MIN = 1000;
static const uint64_t TIME_MAX = UINT64_MAX / 2;

/* Readers keep the count in an int. */
static const uint64_t COUNT_MAX = INT32_MAX;

enum treatment {
    PLAIN, /* the payload is copied as it is */
    TEXT,  /* it has fields that say where in the event their text is */
    LOST,  /* becomes a mark */
};

/* What the hot loop must know of a type: how many bytes its events take on a page, if they are copied as they are. Or, if
 * they have one text: the least number of bytes and up to how many more, excluded; and where the text's place is in the
 * payload. Else all is 0. */
struct shape {
    uint16_t plain;
    uint16_t least;
    uint16_t more;
    uint16_t place;
};

struct tracedat_pages {
    struct shape shape[UINT16_MAX + 1u]; /* of every type index there could be, so that the hot loop needs no check */
    struct trace *trace;
    struct tracedat_blocks *blocks;
    bool big_endian;
    bool ticks;       /* times in the file are ticks */
    size_t page_size; /* bytes */
    size_t long_size; /* bytes of the commit word, and of the count behind the data */
    unsigned char *buffer;
    size_t buffer_size;
    size_t filled;        /* bytes of closed pages in the buffer; the open page follows them */
    unsigned char *next;  /* where the next event goes */
    unsigned char *limit; /* end of the room for events; next, when no page is open */
    bool open;            /* there is an open page */
    uint64_t mark;        /* flags for its commit word */
    uint64_t mark_count;
    uint64_t time;                 /* of the last event, at least TIME_MIN */
    bool loss;                     /* events were lost before the next one: */
    bool loss_unknown;             /* not all losses had a count */
    uint64_t loss_count;           /* sum of those that had */
    struct trace_event loss_event; /* the last of them */
    unsigned ncpus;
    struct tracedat_cpu *cpus;
    struct tracedat_cpu *cpu; /* whose events these are; NULL: nobody's yet */
    unsigned ntypes;          /* types that are prepared */
    unsigned char treatment[TRACE_TYPES_MAX];
};

/* ---- pages ----------------------------------------------------------------------------------------------------- */

/* Hand the closed pages over to be written, and go on in another buffer. */
static int flush(struct tracedat_pages *pages)
{
    if (tracedat_blocks_write(pages->blocks, pages->filled))
        return -1;
    pages->filled = 0;
    pages->buffer = tracedat_blocks_next(pages->blocks, &pages->buffer_size);
    return 0;
}

static void put_long(const struct tracedat_pages *pages, unsigned char *to, uint64_t value)
{
    tracedat_put_number(pages->big_endian, to, value, (unsigned)pages->long_size);
}

static void close_page(struct tracedat_pages *pages)
{
    unsigned char *page = pages->buffer + pages->filled;
    size_t header = TIME_SIZE + pages->long_size;

    if (!pages->open)
        return;
    put_long(pages, page + TIME_SIZE, (uint64_t)(pages->next - page) - header + pages->mark);
    memset(pages->next, 0, (size_t)(page + pages->page_size - pages->next));
    if (pages->mark & MARK_COUNT)
        put_long(pages, pages->next, pages->mark_count);
    pages->filled += pages->page_size;
    pages->limit = pages->next;
    pages->open = false;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

/* Put what was lost since the last event into the mark of the page being opened. */
static void take_mark(struct tracedat_pages *pages)
{
    struct tracedat_cpu *cpu = pages->cpu;

    pages->mark = 0;
    if (!pages->loss)
        return;
    pages->mark = pages->loss_unknown ? MARK_LOST : MARK_LOST | MARK_COUNT;
    pages->mark_count = pages->loss_count < COUNT_MAX ? pages->loss_count : COUNT_MAX;
    cpu->lost = sum(cpu->lost, pages->loss_count);
    cpu->lost_more |= pages->loss_unknown;
    pages->loss = pages->loss_unknown = false;
    pages->loss_count = 0;
}

static int open_page(struct tracedat_pages *pages, uint64_t time)
{
    unsigned char *page;

    close_page(pages);
    if (pages->filled == pages->buffer_size && flush(pages))
        return -1;
    take_mark(pages);
    page = pages->buffer + pages->filled;
    tracedat_put_number(pages->big_endian, page, time, TIME_SIZE);
    pages->time = time;
    pages->next = page + TIME_SIZE + pages->long_size;
    pages->limit = page + pages->page_size - ((pages->mark & MARK_COUNT) ? pages->long_size : 0);
    pages->open = true;
    return 0;
}

/* ---- events ---------------------------------------------------------------------------------------------------- */

static uint64_t common_fields(const struct trace_event *event, uint64_t id)
{
    uint64_t hardirq = (event->flags & TRACE_IN_INTERRUPT) * (uint64_t)HARDIRQ;

    return id | hardirq << 16 | (uint64_t)event->task << 32;
}

static unsigned char *put_word(const struct tracedat_pages *pages, unsigned char *to, uint64_t delta, uint32_t kind)
{
    uint32_t low = (uint32_t)delta & ((1u << DELTA_BITS) - 1);

    if (pages->big_endian)
        tracedat_put_number(true, to, kind << DELTA_BITS | low, 4);
    else
        put_le32(to, low << DELTA_SHIFT | kind);
    return to + 4;
}

/* Put the words in front of an event's data, for which there is room. */
static unsigned char *put_words(const struct tracedat_pages *pages, unsigned char *next, uint64_t delta, size_t size)
{
    if (delta >> DELTA_BITS) {
        next = put_word(pages, next, delta, KIND_EXTEND);
        tracedat_put_number(pages->big_endian, next, delta >> DELTA_BITS, 4);
        next += 4;
        delta = 0;
    }
    if (size <= SHORT_MAX)
        return put_word(pages, next, delta, (uint32_t)(size / 4));
    next = put_word(pages, next, delta, 0);
    tracedat_put_number(pages->big_endian, next, size + 4, 4); /* the length counts itself */
    return next + 4;
}

static void put_common_fields(const struct tracedat_pages *pages, unsigned char *to, const struct trace_event *event,
                              uint64_t id)
{
    if (!pages->big_endian) {
        put_le64(to, common_fields(event, id));
        return;
    }
    tracedat_put_number(true, to, id, 2);
    to[2] = event->flags & TRACE_IN_INTERRUPT ? HARDIRQ : 0;
    to[3] = 0;
    tracedat_put_number(true, to + 4, event->task, 4);
}

/* The event's time in the file's unit, which viewers can hold. */
static uint64_t time_of(const struct tracedat_pages *pages, const struct trace_event *event)
{
    uint64_t time = event->time;

    if (pages->ticks)
        time = ticks_first(time, pages->trace->clock_hz) + event->rest;
    return time < TIME_MAX ? time : TIME_MAX;
}

/* Write any event, whatever it takes, with a payload of at least so many bytes. The place of the payload on the page,
 * or NULL. */
static unsigned char *append(struct tracedat_pages *pages, const struct trace_event *event, uint64_t id, size_t least)
{
    size_t payload = event->size > least ? event->size : least;
    size_t size = TRACEDAT_COMMON_SIZE + ((payload + 3) & ~(size_t)3);
    uint64_t time = time_of(pages, event);
    uint64_t delta = time > pages->time ? time - pages->time : 0;
    size_t room = (delta >> DELTA_BITS ? 8u : 0u) + (size <= SHORT_MAX ? 4u : 8u) + size;
    unsigned char *data;

    if (size > pages->page_size - TIME_SIZE - 2 * pages->long_size - EVENT_WORDS) {
        trace_fail(pages->trace, "an event with %u bytes of payload is too long for trace.dat", (unsigned)payload);
        return NULL;
    }
    time = pages->time + delta;
    if (delta >> EXTEND_BITS || room > (size_t)(pages->limit - pages->next)) {
        if (open_page(pages, time))
            return NULL;
        delta = 0;
    }
    data = put_words(pages, pages->next, delta, size);
    memset(data, 0, size);
    put_common_fields(pages, data, event, id);
    if (event->size > 0)
        memcpy(data + TRACEDAT_COMMON_SIZE, event->data, event->size);
    pages->next = data + size;
    pages->time = time;
    return data + TRACEDAT_COMMON_SIZE;
}

/* The place and length of a text as a reader of the file takes them: from the start of the event, not of the payload. A
 * text that does not end inside its payload would have the reader run on, so it is given no length. */
static inline uint32_t text_place(const struct trace_event *event, uint32_t place)
{
    size_t offset = place & UINT16_MAX, size = place >> 16;
    bool ends = size > 0 ? offset + size <= event->size && event->data[offset + size - 1u] == '\0'
                         : offset + TRACEDAT_COMMON_SIZE <= UINT16_MAX;

    return ends ? place + TRACEDAT_COMMON_SIZE : TRACEDAT_COMMON_SIZE;
}

static void place_texts(const struct trace_type *type, const struct trace_event *event, unsigned char *payload)
{
    for (unsigned i = 0; i < type->nfields; i++) {
        const struct trace_field *field = &type->fields[i];
        unsigned char *at = payload + field->offset;

        if (field->kind == TRACE_STRING && field->offset + 4 <= event->size)
            put_le32(at, text_place(event, get_le32(at)));
    }
}

/* Numbers of the payload, which has size bytes, in the other byte order. */
static void turn_numbers(const struct trace_type *type, unsigned char *payload, size_t size)
{
    for (unsigned i = 0; i < type->nfields; i++) {
        const struct trace_field *field = &type->fields[i];
        unsigned char *first = payload + field->offset;
        unsigned char *last = first + field->size - 1;

        if (field->kind == TRACE_CHARS || field->offset + (size_t)field->size > size)
            continue;
        for (; first < last; first++, last--) {
            unsigned char byte = *first;

            *first = *last;
            *last = byte;
        }
    }
}

/* Remember a loss. No page stays open, so that the next event opens one, whose mark will tell. */
static void note_loss(struct tracedat_pages *pages, const struct trace_event *event)
{
    uint64_t count = event->size >= 8 ? get_le64(event->data) : 0;

    close_page(pages);
    pages->loss = true;
    pages->loss_unknown |= count == 0;
    pages->loss_count = sum(pages->loss_count, count);
    pages->loss_event = *event;
}

static int pack_event(struct tracedat_pages *pages, const struct trace_event *event)
{
    struct tracedat_cpu *cpu = pages->cpu;
    const struct trace_type *type;
    unsigned char *payload;

    if (event->type >= pages->ntypes)
        return trace_fail(pages->trace, "event of type %u, which was not declared", (unsigned)event->type);
    if (pages->treatment[event->type] == LOST) {
        note_loss(pages, event);
        return 0;
    }
    type = pages->trace->types[event->type];
    payload = append(pages, event, TRACEDAT_FIRST_ID + (uint64_t)event->type, type->size);
    if (!payload)
        return -1;
    if (pages->treatment[event->type] == TEXT)
        place_texts(type, event, payload);
    if (pages->big_endian)
        turn_numbers(type, payload, event->size > type->size ? event->size : type->size);
    if (cpu->events++ == 0)
        cpu->first = pages->time;
    return 0;
}

/* Copy a payload of whole words. All but the shortest are copied in blocks, the last of which may overlap. */
static inline void copy_words(unsigned char *to, const unsigned char *from, size_t size)
{
    size_t at = 0;

    if (size == 8) { /* most payloads; worth a quarter of the time of pack_run() */
        __builtin_memcpy(to, from, 8);
        return;
    }
    if (size == 12) {
        __builtin_memcpy(to, from, 8);
        __builtin_memcpy(to + 8, from + 8, 4);
        return;
    }
    if (size < 16) {
        if (size > 0)
            __builtin_memcpy(to, from, 4);
        return;
    }
    for (; at < size - 16; at += 16)
        __builtin_memcpy(to + at, from + at, 16);
    __builtin_memcpy(to + size - 16, from + size - 16, 16);
}

/* What stands in front of an ordinary event's payload. */
static inline void put_front(unsigned char *to, const struct trace_event *event, uint64_t delta)
{
    uint32_t words = (TRACEDAT_COMMON_SIZE + (uint32_t)event->size) / 4u;

    put_le32(to, (uint32_t)(delta << DELTA_SHIFT) | words);
    put_le64(to + 4, common_fields(event, TRACEDAT_FIRST_ID + (uint64_t)event->type));
}

/* Copy the payload of an event with one text, which takes size bytes on the page, and say where on the page that is. False
 * if there is more to it. */
static inline bool copy_text(unsigned char *to, const struct trace_event *event, uint32_t size,
                             const struct shape *shape)
{
    unsigned char *place = to + shape->place;

    if (size - shape->least >= shape->more || size % 4u != 0)
        return false;
    copy_words(to, event->data, event->size);
    put_le32(place, text_place(event, get_le32(place)));
    return true;
}

/* Pack events as long as they are ordinary and the open page has room. How many that were. In so few events no time comes
 * near the highest one. */
static size_t pack_run(struct tracedat_pages *pages, const struct trace_event *first, size_t n)
{
    const struct trace_event *event = first, *end = pages->time < TIME_MAX / 2u ? event + n : event;
    unsigned char *next = pages->next, *limit = pages->limit;
    uint64_t time = pages->time;

    for (; event < end; time = event->time, event++) {
        const struct shape *shape = &pages->shape[event->type];
        uint64_t delta = event->time - time; /* huge when time runs backwards */
        uint32_t size = FRONT + (uint32_t)event->size;

        if (delta >= (1u << DELTA_BITS) || size > (size_t)(limit - next))
            break;
        put_front(next, event, delta);
        if (size == shape->plain)
            copy_words(next + FRONT, event->data, event->size);
        else if (!copy_text(next + FRONT, event, size, shape))
            break;
        next += size;
    }
    pages->next = next;
    pages->time = time;
    return (size_t)(event - first);
}

/* ---- CPUs ------------------------------------------------------------------------------------------------------ */

/* A loss that no event follows needs one to be seen. */
static int end_cpu(struct tracedat_pages *pages)
{
    struct tracedat_cpu *cpu = pages->cpu;

    if (!cpu)
        return 0;
    if (pages->loss) {
        struct trace_event end = pages->loss_event;

        end.size = 0;
        if (!append(pages, &end, TRACEDAT_END_ID, 0))
            return -1;
    }
    close_page(pages);
    cpu->last = pages->time;
    if (tracedat_blocks_end(pages->blocks, cpu->offset, &pages->filled, &cpu->size))
        return -1;
    pages->buffer = tracedat_blocks_next(pages->blocks, &pages->buffer_size);
    pages->next = pages->limit = pages->buffer;
    return 0;
}

static int select_cpu(struct tracedat_pages *pages, unsigned number)
{
    struct tracedat_cpu *cpu;

    if (number >= pages->ncpus)
        return trace_fail(pages->trace, "events of CPU %u in a trace of %u CPUs", number, pages->ncpus);
    cpu = &pages->cpus[number];
    if (cpu == pages->cpu)
        return 0;
    if (cpu->offset != 0)
        return trace_fail(pages->trace, "the events of CPU %u are not in one stretch", number);
    if (end_cpu(pages))
        return -1;
    cpu->offset = tracedat_blocks_begin(pages->blocks, pages->filled);
    pages->cpu = cpu;
    pages->time = TIME_MIN;
    return 0;
}

static enum treatment treatment_of(const struct trace_type *type)
{
    if (type->class == TRACE_LOSS || type->class == TRACE_DAMAGE)
        return LOST;
    for (unsigned i = 0; i < type->nfields; i++)
        if (type->fields[i].kind == TRACE_STRING)
            return TEXT;
    return PLAIN;
}

static struct shape shape_of(const struct trace_type *type)
{
    uint16_t size = (uint16_t)(FRONT + type->size);
    struct shape shape = {.plain = size};

    for (unsigned i = 0; i < type->nfields; i++) {
        if (type->fields[i].kind != TRACE_STRING)
            continue;
        if (shape.plain == 0 || type->fields[i].offset + 4u > type->size)
            return (struct shape){0};
        shape = (struct shape){
            .least = size, .more = (uint16_t)(4 + SHORT_MAX + 1 - size), .place = type->fields[i].offset};
    }
    return shape;
}

/* Get ready for types declared since the last time. */
static void prepare_types(struct tracedat_pages *pages)
{
    for (; pages->ntypes < pages->trace->ntypes; pages->ntypes++) {
        const struct trace_type *type = pages->trace->types[pages->ntypes];
        enum treatment treatment = treatment_of(type);

        pages->treatment[pages->ntypes] = (unsigned char)treatment;
        if (treatment != LOST && !pages->big_endian && !pages->ticks && type->size % 4 == 0
            && TRACEDAT_COMMON_SIZE + type->size <= SHORT_MAX)
            pages->shape[pages->ntypes] = shape_of(type);
    }
}

/* ---- interface ------------------------------------------------------------------------------------------------- */

struct tracedat_pages *tracedat_pages_open(struct trace *trace, const struct trace_options *options, int fd,
                                           uint64_t offset)
{
    struct tracedat_pages *pages = calloc(1, sizeof *pages);

    if (!pages) {
        trace_fail(trace, "cannot write: no memory");
        return NULL;
    }
    pages->trace = trace;
    pages->big_endian = options->big_endian;
    pages->ticks = tracedat_has_ticks(trace, options);
    pages->page_size = tracedat_page_size(options);
    pages->long_size = tracedat_long_size(options);
    pages->ncpus = trace->ncpus;
    pages->cpus = calloc(trace->ncpus + (size_t)1, sizeof *pages->cpus);
    pages->blocks = tracedat_blocks_open(trace, options, fd, offset);
    if (!pages->cpus || !pages->blocks) {
        trace_fail(trace, "cannot write: no memory");
        tracedat_pages_free(pages);
        return NULL;
    }
    pages->buffer = pages->next = pages->limit = tracedat_blocks_next(pages->blocks, &pages->buffer_size);
    return pages;
}

int tracedat_pages_write(struct tracedat_pages *pages, unsigned cpu, const struct trace_batch *batch)
{
    prepare_types(pages);
    if (select_cpu(pages, cpu))
        return -1;
    for (size_t i = 0; i < batch->n;) {
        size_t n = pack_run(pages, &batch->event[i], batch->n - i);

        pages->cpu->events += n;
        i += n;
        if (n > 0)
            continue;
        if (i < batch->n && pack_event(pages, &batch->event[i++]))
            return -1;
    }
    return 0;
}

int tracedat_pages_finish(struct tracedat_pages *pages, uint64_t *end)
{
    return end_cpu(pages) ? -1 : tracedat_blocks_finish(pages->blocks, pages->filled, end);
}

const struct tracedat_cpu *tracedat_pages_cpu(const struct tracedat_pages *pages, unsigned cpu)
{
    return &pages->cpus[cpu];
}

void tracedat_pages_free(struct tracedat_pages *pages)
{
    tracedat_blocks_free(pages->blocks);
    free(pages->cpus);
    free(pages);
}
