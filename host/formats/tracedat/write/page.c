/* page.c - see page.h.
 *
 * A record begins with a word: kind in bits 0 to 4, time since the record before it in bits 5 to 31. Kinds 1 to 28 say
 * how many words of data follow. With kind 0 the length is in a word of its own. Kind 30 is an extend. In a big-endian
 * file the word is kind << 27 | time. Pages are filled in place in a block, which holds many of them.
 *
 * pack_fast() is the hot loop. It takes events of which nothing but the payload is copied, with the place of one text
 * changed if there is one. All others are left to pack_any(): those for which the page has no room, those behind a long
 * gap or a loss, with several texts, with a long or odd payload, or with a time that runs backwards. In a big-endian
 * file, or one with ticks, no type takes the fast path.
 */
#include "formats/tracedat/write/page.h"

#include "base/heap.h"

#include <string.h>

#include "base/bytes.h"
#include "model/clock.h"
#include "formats/tracedat/write/blocks.h"
#include "formats/tracedat/write/layout.h"
#include "formats/tracedat/write/piece.h"

enum {
    TIME_SIZE = 8,                    /* bytes of the page's time; the commit word follows */
    SHORT_MAX = 28 * 4,               /* most bytes of data that the word of a record can announce by itself */
    FRONT = 4 + TRACEDAT_COMMON_SIZE, /* bytes in front of a payload on the fast path: the word, common fields */
    KIND_EXTEND = 30,
    DELTA_SHIFT = 5,               /* bits of the kind */
    DELTA_BITS = 27,               /* of time in the word of a record */
    EXTEND_BITS = DELTA_BITS + 32, /* of time in an extend */
    HARDIRQ = 0x08,                /* flag of common_flags: the event was logged in an interrupt */
    RECORD_WORDS = 8,              /* most bytes in front of a record's data */
};

/* Flags of the commit word. */
static const uint64_t MARK_LOST = UINT64_C(1) << 31;  /* events were lost before the page */
static const uint64_t MARK_COUNT = UINT64_C(1) << 30; /* how many stands behind the records */

/* Viewers hold times in 63 bits: later ones become the last one of these. They take time 0 for "not set", and show the
 * mark of a loss a little before the event: so options.later keeps times from being earlier than TRACEDAT_EARLIEST. */
static const uint64_t TIME_MAX = UINT64_MAX / 2;

/* KernelShark shows a loss so many ns before the event behind it. */
static const uint64_t MARK_BEFORE = 10;

/* Readers hold the count of a mark in an int. */
static const uint64_t COUNT_MAX = INT32_MAX;

/* What pack_any() does with events of a type. */
enum treatment {
    PLAIN, /* the payload is copied as it is */
    TEXT,  /* the same, and the fields are changed that say where in the record a text is */
    LOST,  /* the event becomes a mark */
};

/* Which events of a type take the fast path, by the bytes that they need on a page: those without texts need exactly
 * `plain` bytes, those with one text at least `least` and less than least + more. All of them are 0 if none does. */
struct fast_path {
    uint16_t plain;
    uint16_t least;
    uint16_t more;
    uint16_t place; /* offset in the payload of the 4 bytes that say where the text is */
};

struct tracedat_pages {
    struct fast_path fast[UINT16_MAX + 1u]; /* for every index a type could have: so the hot loop needs no check */
    struct trace *trace;
    struct tracedat_blocks *blocks;
    bool big_endian;
    bool ticks;           /* times in the file are ticks */
    size_t page_size;     /* bytes */
    size_t long_size;     /* bytes of the commit word, and of the count of a mark */
    unsigned char *block; /* the one that is being filled */
    size_t block_size;    /* bytes */
    size_t filled;        /* bytes of closed pages in the block; the open page follows them */
    unsigned char *next;  /* where the next record goes */
    unsigned char *limit; /* end of the room for records on the open page; the same as next if there is no open page */
    bool open;            /* there is an open page */
    uint64_t mark;        /* flags for its commit word */
    uint64_t mark_count;  /* events, if the flags say that there is a count */
    uint64_t later;       /* what is added to times, in the file's unit */
    uint64_t time;        /* of the last event, without `later` */
    bool loss;            /* events were lost before the next one */
    bool loss_unknown;    /* not all losses before the next event had a count */
    uint64_t loss_count;  /* sum of those that had */
    struct tlog_event loss_event; /* the last loss */
    unsigned ncpus;
    struct tracedat_cpu *cpus;
    struct tracedat_cpu *cpu; /* the one whose events come now; NULL: there were no events yet */
    unsigned ntypes;          /* types for which treatment[] and fast[] are set */
    unsigned char treatment[TRACE_TYPES_MAX];
};

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/* Have the closed pages written, and go on in another block. */
static int flush(struct tracedat_pages *pages)
{
    if (tracedat_blocks_write(pages->blocks, pages->filled) != 0)
        return -1;
    pages->filled = 0;
    pages->block = tracedat_blocks_memory(pages->blocks, &pages->block_size);
    return 0;
}

/* Put a number as wide as a long of the target. */
static void put_long(const struct tracedat_pages *pages, unsigned char *to, uint64_t value)
{
    tracedat_put_number(pages->big_endian, to, value, (unsigned)pages->long_size);
}

/* Complete the open page, if there is one: commit word, count, zeros up to its end. */
static void close_page(struct tracedat_pages *pages)
{
    unsigned char *page = pages->block + pages->filled;
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

/* The sum, or the highest number there is. */
static uint64_t sum(uint64_t a, uint64_t b)
{
    return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

/* Mark the page that is being opened if events were lost since the last one. */
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

/* Close the open page, and open one of that time. The count of a mark needs room behind the records. */
static int open_page(struct tracedat_pages *pages, uint64_t time)
{
    unsigned char *page;
    close_page(pages);
    if (pages->filled == pages->block_size && flush(pages) != 0)
        return -1;
    take_mark(pages);
    page = pages->block + pages->filled;
    tracedat_put_number(pages->big_endian, page, time + pages->later, TIME_SIZE);
    pages->time = time;
    pages->next = page + TIME_SIZE + pages->long_size;
    pages->limit = page + pages->page_size - ((pages->mark & MARK_COUNT) ? pages->long_size : 0);
    pages->open = true;
    return 0;
}

/* ---- any event --------------------------------------------------------------------------------------------------- */

/* The common fields of a little-endian file, as one number. id: the event's. */
static uint64_t common_fields(const struct tlog_event *event, uint64_t id)
{
    uint64_t hardirq = (event->flags & TLOG_FLAG_IN_INTERRUPT) * (uint64_t)HARDIRQ;
    return id | hardirq << 16 | (uint64_t)event->task << 32;
}

/* Put the word of a record; of delta only the bits that fit. Returns the place behind it. */
static unsigned char *put_word(const struct tracedat_pages *pages, unsigned char *to, uint64_t delta, uint32_t kind)
{
    uint32_t low = (uint32_t)delta & ((1u << DELTA_BITS) - 1);
    if (pages->big_endian)
        tracedat_put_number(true, to, kind << DELTA_BITS | low, 4);
    else
        put_le32(to, low << DELTA_SHIFT | kind);
    return to + 4;
}

/* Put the words in front of size bytes of data, for which there is room. Returns the place behind them. */
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

/* Put the common fields: id, flags, preempt count, which is 0, and the task. */
static void put_common_fields(const struct tracedat_pages *pages, unsigned char *to, const struct tlog_event *event,
                              uint64_t id)
{
    if (!pages->big_endian) {
        put_le64(to, common_fields(event, id));
        return;
    }
    tracedat_put_number(true, to, id, 2);
    to[2] = event->flags & TLOG_FLAG_IN_INTERRUPT ? HARDIRQ : 0;
    to[3] = 0;
    tracedat_put_number(true, to + 4, event->task, 4);
}

/* A time in the file's unit. */
static uint64_t in_unit(const struct tracedat_pages *pages, uint64_t ns)
{
    return pages->ticks ? ticks_first(ns, pages->trace->clock_hz) : ns;
}

/* The event's time in the file's unit, without `later`, with which it is at most TIME_MAX. */
static uint64_t time_of(const struct tracedat_pages *pages, const struct tlog_event *event)
{
    uint64_t time = in_unit(pages, event->time) + (pages->ticks ? event->rest : 0u), most = TIME_MAX - pages->later;
    return time < most ? time : most;
}

/* Put any event on a page. A payload of less than `least` bytes is filled up with zeros. An event that is earlier than
 * the one before it gets the time of that one. Returns the payload on the page, or NULL after trace_fail(). */
static unsigned char *append(struct tracedat_pages *pages, const struct tlog_event *event, uint64_t id, size_t least)
{
    size_t payload = event->size > least ? event->size : least;
    size_t size = TRACEDAT_COMMON_SIZE + ((payload + 3) & ~(size_t)3);
    uint64_t time = time_of(pages, event);
    uint64_t delta = time > pages->time ? time - pages->time : 0;
    size_t room = (delta >> DELTA_BITS ? 8u : 0u) + (size <= SHORT_MAX ? 4u : 8u) + size;
    unsigned char *data;
    if (size > pages->page_size - TIME_SIZE - 2 * pages->long_size - RECORD_WORDS) {
        trace_fail(pages->trace, "an event with %u bytes of payload is too long for trace.dat", (unsigned)payload);
        return NULL;
    }
    time = pages->time + delta;
    if (delta >> EXTEND_BITS || room > (size_t)(pages->limit - pages->next)) {
        if (open_page(pages, time) != 0)
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

/* What a field says in the file of where its text is. In the file the place counts from the start of the record, in the
 * event model from the start of the payload. A text that does not end inside its payload gets no length, because
 * readers would go on behind it. */
static inline uint32_t text_place(const struct tlog_event *event, uint32_t place)
{
    size_t offset = place & UINT16_MAX, size = place >> 16;
    bool ends = size > 0 ? offset + size <= event->size && event->data[offset + size - 1u] == '\0'
                         : offset + TRACEDAT_COMMON_SIZE <= UINT16_MAX;
    return ends ? place + TRACEDAT_COMMON_SIZE : TRACEDAT_COMMON_SIZE;
}

/* Change all fields of a payload on a page that say where a text is. */
static void place_texts(const struct tlog_type *type, const struct tlog_event *event, unsigned char *payload)
{
    for (unsigned i = 0; i < type->nfields; i++) {
        const struct tlog_field *field = &type->fields[i];
        unsigned char *at = payload + field->offset;
        if (field->kind == TLOG_KIND_STRING && field->offset + 4 <= event->size)
            put_le32(at, text_place(event, get_le32(at)));
    }
}

/* Swap the bytes of all numbers in a payload of size bytes. */
static void swap_numbers(const struct tlog_type *type, unsigned char *payload, size_t size)
{
    for (unsigned i = 0; i < type->nfields; i++) {
        const struct tlog_field *field = &type->fields[i];
        unsigned char *first = payload + field->offset;
        unsigned char *last = first + field->size - 1;
        if (field->kind == TLOG_KIND_CHARS || field->kind == TLOG_KIND_BYTES
            || field->offset + (size_t)field->size > size)
            continue;
        for (; first < last; first++, last--) {
            unsigned char byte = *first;
            *first = *last;
            *last = byte;
        }
    }
}

/* Remember a loss. A mark tells what was lost before its page, so this page is closed, and the next event opens
 * another. */
static void note_loss(struct tracedat_pages *pages, const struct tlog_event *event)
{
    uint64_t count = event->size >= 8 ? get_le64(event->data) : 0;
    close_page(pages);
    pages->loss = true;
    pages->loss_unknown |= count == 0;
    pages->loss_count = sum(pages->loss_count, count);
    pages->loss_event = *event;
}

/* Take any event. 0, or -1 after trace_fail(). */
static int pack_any(struct tracedat_pages *pages, const struct tlog_event *event)
{
    struct tracedat_cpu *cpu = pages->cpu;
    const struct tlog_type *type;
    unsigned char *payload;
    if (event->type >= pages->ntypes)
        return trace_fail(pages->trace, "event of type %u, which was not declared", (unsigned)event->type);
    if (pages->treatment[event->type] == LOST) {
        note_loss(pages, event);
        return 0;
    }
    type = pages->trace->types[event->type];
    payload = append(pages, event, TRACEDAT_FIRST_ID + (uint64_t)event->type, type->size);
    if (payload == NULL)
        return -1;
    if (pages->treatment[event->type] == TEXT)
        place_texts(type, event, payload);
    if (pages->big_endian)
        swap_numbers(type, payload, event->size > type->size ? event->size : type->size);
    if (cpu->events++ == 0)
        cpu->first = pages->time + pages->later;
    return 0;
}

/* ---- the fast path ----------------------------------------------------------------------------------------------- */

/* Copy a payload of whole words. Long ones are copied 16 bytes at a time; the last 16 may overlap those before. */
static inline void copy_words(unsigned char *to, const unsigned char *from, size_t size)
{
    size_t at = 0;
    if (size == 8) { /* most payloads; worth a quarter of the time of pack_fast() */
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

/* Put what stands in front of the payload: the word and the common fields. */
static inline void put_front(unsigned char *to, const struct tlog_event *event, uint64_t delta)
{
    uint32_t words = (TRACEDAT_COMMON_SIZE + (uint32_t)event->size) / 4u;
    put_le32(to, (uint32_t)(delta << DELTA_SHIFT) | words);
    put_le64(to + 4, common_fields(event, TRACEDAT_FIRST_ID + (uint64_t)event->type));
}

/* Copy the payload of an event that takes size bytes on the page, and change the field that says where its text is.
 * False if the event does not take the fast path. */
static inline bool copy_text(unsigned char *to, const struct tlog_event *event, uint32_t size,
                             const struct fast_path *fast)
{
    unsigned char *place = to + fast->place;
    if (size - fast->least >= fast->more || size % 4u != 0)
        return false;
    copy_words(to, event->data, event->size);
    put_le32(place, text_place(event, get_le32(place)));
    return true;
}

/* Put events on the open page, as many as can take the fast path and have room. Returns how many. Times are not limited
 * here: the events of a batch, each less than 2^27 later than the one before, cannot get from half of TIME_MAX to
 * TIME_MAX. */
static size_t pack_fast(struct tracedat_pages *pages, const struct tlog_event *first, size_t n)
{
    const struct tlog_event *event = first, *end = pages->time < TIME_MAX / 2u ? event + n : event;
    unsigned char *next = pages->next, *limit = pages->limit;
    uint64_t time = pages->time;
    for (; event < end; time = event->time, event++) {
        const struct fast_path *fast = &pages->fast[event->type];
        uint64_t delta = event->time - time; /* huge if time runs backwards */
        uint32_t size = FRONT + (uint32_t)event->size;
        if (delta >= (1u << DELTA_BITS) || size > (size_t)(limit - next))
            break;
        put_front(next, event, delta);
        if (size == fast->plain)
            copy_words(next + FRONT, event->data, event->size);
        else if (!copy_text(next + FRONT, event, size, fast))
            break;
        next += size;
    }
    pages->next = next;
    pages->time = time;
    return (size_t)(event - first);
}

/* ---- CPUs and types ---------------------------------------------------------------------------------------------- */

/* Add an event for the loss at the end of a CPU. KernelShark shows the mark MARK_BEFORE ns before that event. So the
 * event comes a little later than MARK_BEFORE behind the CPU's last one: then the mark is behind the last one, too. */
static int add_end(struct tracedat_pages *pages)
{
    struct tlog_event end = pages->loss_event;
    uint64_t behind = MARK_BEFORE + 1u, most = TIME_MAX - pages->later;
    if (pages->ticks)
        behind += behind * (pages->trace->clock_hz / 1000000000u);
    if (pages->cpu->events > 0)
        pages->time = pages->time < most - behind ? pages->time + behind : most;
    end.size = 0;
    return append(pages, &end, TRACEDAT_END_ID, 0) != NULL ? 0 : -1;
}

/* All events of the CPU have come. Readers show no loss that no event follows, so one is added for such a loss. */
static int end_cpu(struct tracedat_pages *pages)
{
    struct tracedat_cpu *cpu = pages->cpu;
    if (cpu == NULL)
        return 0;
    if (pages->loss && add_end(pages) != 0)
        return -1;
    close_page(pages);
    cpu->last = pages->time + pages->later;
    if (tracedat_blocks_end_cpu(pages->blocks, cpu->offset, &pages->filled, &cpu->size) != 0)
        return -1;
    pages->block = tracedat_blocks_memory(pages->blocks, &pages->block_size);
    pages->next = pages->limit = pages->block;
    return 0;
}

/* The next events are of that CPU. */
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
    if (end_cpu(pages) != 0)
        return -1;
    cpu->offset = tracedat_blocks_begin_cpu(pages->blocks, pages->filled);
    pages->cpu = cpu;
    pages->time = pages->later > 0 ? 0 : in_unit(pages, TRACEDAT_EARLIEST);
    return 0;
}

/* Losses and damage become marks. Types with a text need a change of the field that says where the text is. */
static enum treatment treatment_of(const struct tlog_type *type)
{
    if (type->means == TLOG_MEANS_LOSS || type->means == TLOG_MEANS_DAMAGE)
        return LOST;
    for (unsigned i = 0; i < type->nfields; i++)
        if (type->fields[i].kind == TLOG_KIND_STRING)
            return TEXT;
    return PLAIN;
}

/* Types with several texts do not take the fast path. */
static struct fast_path fast_of(const struct tlog_type *type)
{
    uint16_t size = (uint16_t)(FRONT + type->size);
    struct fast_path fast = {.plain = size};
    for (unsigned i = 0; i < type->nfields; i++) {
        if (type->fields[i].kind != TLOG_KIND_STRING)
            continue;
        if (fast.plain == 0 || type->fields[i].offset + 4u > type->size)
            return (struct fast_path){0};
        fast = (struct fast_path){
            .least = size, .more = (uint16_t)(4 + SHORT_MAX + 1 - size), .place = type->fields[i].offset};
    }
    return fast;
}

/* Set treatment[] and fast[] for types that were declared since the last time. */
static void prepare_types(struct tracedat_pages *pages)
{
    for (; pages->ntypes < pages->trace->ntypes; pages->ntypes++) {
        const struct tlog_type *type = pages->trace->types[pages->ntypes];
        enum treatment treatment = treatment_of(type);
        pages->treatment[pages->ntypes] = (unsigned char)treatment;
        if (treatment != LOST && !pages->big_endian && !pages->ticks && type->size % 4 == 0
            && TRACEDAT_COMMON_SIZE + type->size <= SHORT_MAX)
            pages->fast[pages->ntypes] = fast_of(type);
    }
}

/* ---- interface --------------------------------------------------------------------------------------------------- */

struct tracedat_pages *tracedat_pages_open(struct trace *trace, const struct trace_options *options, int fd,
                                           uint64_t offset)
{
    struct tracedat_pages *pages = heap_calloc(1, sizeof *pages);
    if (pages == NULL) {
        trace_fail(trace, "cannot write: no memory");
        return NULL;
    }
    pages->trace = trace;
    pages->big_endian = options->big_endian;
    pages->ticks = tracedat_has_ticks(trace, options);
    pages->later = in_unit(pages, options->later);
    pages->page_size = tracedat_page_size(options);
    pages->long_size = tracedat_long_size(options);
    pages->ncpus = trace->ncpus;
    pages->cpus = heap_calloc(trace->ncpus + (size_t)1, sizeof *pages->cpus);
    pages->blocks = tracedat_blocks_open(trace, options, fd, offset);
    if (pages->cpus == NULL || pages->blocks == NULL) {
        trace_fail(trace, "cannot write: no memory");
        tracedat_pages_free(pages);
        return NULL;
    }
    pages->block = pages->next = pages->limit = tracedat_blocks_memory(pages->blocks, &pages->block_size);
    return pages;
}

int tracedat_pages_write(struct tracedat_pages *pages, unsigned cpu, const struct trace_batch *batch)
{
    prepare_types(pages);
    if (select_cpu(pages, cpu) != 0)
        return -1;
    for (size_t i = 0; i < batch->n;) {
        size_t n = pack_fast(pages, &batch->event[i], batch->n - i);
        pages->cpu->events += n;
        i += n;
        if (n > 0)
            continue;
        if (i < batch->n && pack_any(pages, &batch->event[i++]) != 0)
            return -1;
    }
    return 0;
}

int tracedat_pages_finish(struct tracedat_pages *pages, uint64_t *end)
{
    return end_cpu(pages) != 0 ? -1 : tracedat_blocks_finish(pages->blocks, pages->filled, end);
}

const struct tracedat_cpu *tracedat_pages_cpu(const struct tracedat_pages *pages, unsigned cpu)
{
    return &pages->cpus[cpu];
}

void tracedat_pages_free(struct tracedat_pages *pages)
{
    tracedat_blocks_free(pages->blocks);
    heap_free(pages->cpus);
    heap_free(pages);
}
