/* names.c - the names and priorities of a dump, for the trace: see names.h.
 *
 * The first record that changes the priority of a task tells the one before as well: that is what it had when the trace
 * began. If the ring has no such record, the priority is what the fact says.
 */
#include "formats/native/events/names.h"

#include "base/heap.h"
#include "formats/native/chunks/names_chunk.h"
#include "formats/native/events/stream.h"
#include "formats/native/time/scale.h"
#include "model/past_names.h"

#include "base/sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- all facts --------------------------------------------------------------------------------------------------- */

/* What is known of priorities, by task. */
struct priorities {
    uint64_t stamp[NATIVE_TASKS]; /* of the first record that changes it */
    int32_t value[NATIVE_TASKS];  /* the one before that record; if there is none, the fact's */
    bool is_known[NATIVE_TASKS];
};

enum { PAST_MOST = 1 << 20 };

/* A name of the past. */
struct past {
    uint64_t end; /* when it ended, in ticks */
    uint32_t kind, id;
    char text[TLOG_NAME_BYTES];
};

/* Reading facts. */
struct reading {
    struct native_decoder *decoder;
    struct native_view *view;
    uint32_t id_bytes;
    uint64_t changing; /* facts that were being changed, in the newest image of each chunk */
    struct past *past; /* npast of them */
    size_t npast, past_room;
    uint64_t replaced; /* names of the past that made room for others too early */
};

static void take_priority(struct native_decoder *decoder, uint32_t context, int32_t priority, bool is_valid)
{
    if (context >= NATIVE_TASKS)
        return;
    decoder->tells_before[context / 8u] |= (unsigned char)(1u << context % 8u);
    decoder->has_priorities = true;
    decoder->priorities->is_known[context] = is_valid;
    if (is_valid)
        decoder->priorities->value[context] = priority;
}

/* Which priorities are the more important ones. A text that is none of these tells nothing. */
static void take_order(struct trace *trace, const char *text)
{
    if (strcmp(text, TLOG_LOWEST_FIRST) == 0)
        trace->priority_order = TRACE_LOWEST_FIRST;
    else if (strcmp(text, TLOG_HIGHEST_FIRST) == 0)
        trace->priority_order = TRACE_HIGHEST_FIRST;
}

_Static_assert((int)TRACE_NAME_KINDS == (int)TLOG_NAME_COUNTER, "the kinds of names are those of the wire");

/* The name of an interrupt may be the address of its handler: TLOG_NAME_HANDLER and eight hexadecimal digits. With the
 * firmware's file it is the handler's name. */
static const char *name_of(const struct trace *trace, uint32_t kind, const char *text)
{
    const bool is_address = kind == TLOG_NAME_INTERRUPT && text[0] == TLOG_NAME_HANDLER && strlen(text) == 9u
                            && strspn(text + 1, "0123456789abcdef") == 8u;
    const uint64_t address = is_address ? strtoull(text + 1, NULL, 16) : 0;
    uint64_t offset = 0;
    const struct trace_symbol *symbol =
        is_address ? trace_symbol_at(trace->firmware, address & ~(uint64_t)1, &offset) : NULL;
    return symbol != NULL && offset == 0 && !trace->firmware->is_wrong ? symbol->name : text;
}

/* Note a name of the past. */
static void take_past(struct reading *reading, const struct native_fact *fact, const char *text)
{
    struct past past = {native_fact_end(fact, reading->id_bytes), native_fact_kind(fact), get_le32(fact->slot), ""};
    struct past *all;
    if (reading->npast == PAST_MOST)
        return;
    all = heap_grow(reading->past, reading->npast, &reading->past_room, sizeof *all);
    if (all == NULL) {
        trace_fail(reading->decoder->trace, "%s: no memory for names", reading->decoder->trace->input_name);
        return;
    }
    reading->past = all;
    memcpy(past.text, text, sizeof past.text - 1u);
    all[reading->npast++] = past;
}

/* Word n of a fact, behind its id. */
static uint32_t word_of(const struct reading *reading, const struct native_fact *fact, size_t n)
{
    n += reading->id_bytes / 4u;
    return n / 3u < fact->slots ? get_le32(fact->slot + n / 3u * TLOG_SLOT_BYTES + n % 3u * 4u) : 0;
}

/* The last change of the clock's rate. It does not tell the rate before. */
static void take_rate(const struct reading *reading, const struct native_fact *fact)
{
    struct native_rate_mark mark = {.ring = NATIVE_RING_NAMES, .hz = word_of(reading, fact, 5)};
    mark.ticks = (uint64_t)word_of(reading, fact, TLOG_RATE_WRAPS) << 32 | word_of(reading, fact, TLOG_RATE_LOW);
    mark.ns = (uint64_t)word_of(reading, fact, TLOG_RATE_NS_HIGH) << 32 | word_of(reading, fact, TLOG_RATE_NS);
    mark.fraction = word_of(reading, fact, TLOG_RATE_FRACTION);
    if (mark.hz != 0)
        native_rates_add(&reading->decoder->rates, reading->decoder->trace, &mark);
}

static void take_fact(struct reading *reading, const struct native_fact *fact)
{
    struct trace *trace = reading->decoder->trace;
    const bool is_written = !native_fact_is_being_written(fact);
    char text[NATIVE_FACT_DATA];
    uint32_t kind = native_fact_kind(fact), id = get_le32(fact->slot);
    int32_t priority;
    if (reading->id_bytes > 4u && get_le32(fact->slot + 4) != 0)
        return; /* records and events have 32 bits of it at most */
    if (kind == TLOG_FACT_PRIORITY) {
        bool is_valid = native_fact_priority(fact, reading->id_bytes, &priority);
        take_priority(reading->decoder, id, priority, is_valid && is_written);
    }
    if (kind == TLOG_FACT_RATE && id == 0 && is_written)
        take_rate(reading, fact);
    if (!is_written || kind >= TLOG_FACT_VALUES)
        return;
    native_fact_data(fact, reading->id_bytes, text);
    if (kind == TLOG_NAME_ORDER && id == 0)
        take_order(trace, text);
    else if (kind >= TLOG_NAME_TASK && kind <= TLOG_NAME_COUNTER && native_fact_is_past(fact))
        take_past(reading, fact, text);
    else if (kind >= TLOG_NAME_TASK && kind <= TLOG_NAME_COUNTER)
        trace_set_name(trace, (enum trace_name_kind)(kind - TLOG_NAME_TASK), id, name_of(trace, kind, text));
}

static int past_order(const void *a, const void *b)
{
    const struct past *left = a, *right = b;
    return (left->end > right->end) - (left->end < right->end);
}

/* Tell the names of the past, with times in ticks. What has no name now is called by its last one. */
static void tell_past(const struct reading *reading)
{
    struct trace *trace = reading->decoder->trace;
    sort(reading->past, reading->npast, sizeof *reading->past, past_order);
    for (size_t i = 0; i < reading->npast; i++) {
        const struct past *past = &reading->past[i];
        struct trace_past_name name = {past->end, (enum trace_name_kind)(past->kind - TLOG_NAME_TASK), past->id, false,
                                       ""};
        name.is_last = trace_name(trace, name.kind, name.id) == NULL;
        memcpy(name.text, past->text, sizeof name.text);
        if (!trace_add_past_name(trace, &name))
            return;
    }
    for (size_t i = reading->npast; i-- > 0;) {
        const struct trace_past_name *past = &trace->past[i];
        if (trace_name(trace, past->kind, past->id) == NULL)
            trace_set_name(trace, past->kind, past->id, past->text);
    }
}

/* Take the facts of an image. What is wrong is told of the newest image of a chunk only. */
static void take_image(struct reading *reading, const struct native_image *image, bool is_newest)
{
    struct native_view *view = reading->view;
    struct native_fact fact;
    native_view_load(view, image, TLOG_HEADER_BYTES, (size_t)image->used * TLOG_SLOT_BYTES);
    for (uint32_t i = 1; i <= image->used && native_has_slot(image, i); i += fact.slots) {
        fact = native_fact_at(view, i, image->used);
        bool is_right = native_fact_has_head(&fact) && native_fact_kind(&fact) != 0
                        && (native_fact_is_being_written(&fact) || native_fact_is_sound(&fact, reading->id_bytes));
        if (native_fact_is_free(&fact))
            continue;
        if (is_right)
            take_fact(reading, &fact);
        if (!is_newest)
            continue;
        reading->changing += is_right && native_fact_is_being_written(&fact);
        if (!is_right)
            trace_damage(view->trace, native_damage_offset(image, native_slot_offset(i)),
                         native_damage_length(image, (size_t)fact.slots * TLOG_SLOT_BYTES), 0,
                         "a name is damaged, or was being changed while the dump was made");
    }
}

static bool is_same_chunk(const struct native_image *a, const struct native_image *b)
{
    return a->place == b->place && a->self == b->self;
}

/* Take the facts of the newest image of each chunk, or of all others, which may have names that were forgotten
 * since. */
static int take_images(struct reading *reading, bool newest)
{
    const struct native_index *index = &reading->decoder->index;
    for (size_t i = index->n; i-- > 0;) {
        const struct native_image *image = &index->images[i];
        bool is_newest = i == 0 || !is_same_chunk(image, image - 1);
        if (native_role(image) != TLOG_ROLE_NAMES || is_newest != newest)
            continue;
        if (native_view_reserve(reading->view, image) != 0)
            return -1;
        take_image(reading, image, is_newest);
        reading->replaced += is_newest ? image->extra : 0;
    }
    return 0;
}

void native_names_scale(struct trace *trace, struct native_scale scale)
{
    for (size_t i = 0; i < trace->npast; i++)
        trace->past[i].time = native_scale_ns(&scale, trace->past[i].time);
}

int native_names_read(struct native_decoder *decoder, struct native_view *view)
{
    struct trace *trace = decoder->trace;
    uint64_t lost = decoder->index.ring[NATIVE_RING_NAMES].dropped;
    struct reading reading = {decoder, view, decoder->types.address_words * 4u, 0, NULL, 0, 0, 0};
    decoder->priorities = heap_calloc(1, sizeof *decoder->priorities);
    if (decoder->priorities == NULL)
        return trace_fail(trace, "%s: no memory", trace->input_name);
    if (take_images(&reading, false) != 0 || take_images(&reading, true) != 0) {
        heap_free(reading.past);
        return -1;
    }
    tell_past(&reading);
    heap_free(reading.past);
    if (reading.changing > 0)
        trace_note(trace, "%" PRIu64 " name%s being changed when the dump was made", reading.changing,
                   reading.changing == 1u ? " was" : "s were");
    if (lost > 0)
        trace_note(trace, "%" PRIu64 " name%s lost for want of room on the target: TLOG_NAME_SLOTS gives more", lost,
                   lost == 1u ? " or priority was" : "s or priorities were");
    if (reading.replaced > 0) {
        trace_set_detail(trace, "names_replaced", reading.replaced);
        trace_note(trace, "%" PRIu64 " name%s of what was deleted made room for newer ones: TLOG_NAME_SLOTS keeps more",
                   reading.replaced, reading.replaced == 1u ? "" : "s");
    }
    return trace->failed ? -1 : 0;
}

/* ---- priorities -------------------------------------------------------------------------------------------------- */

/* Note the priority before a record, if it is the first one that changes that of its task. */
static void note_change(const struct native_decoder *decoder, const unsigned char *slot)
{
    struct priorities *known = decoder->priorities;
    uint32_t context = native_head(slot) >> 16;
    uint64_t stamp = native_stamp(slot);
    if (!native_tells_before(decoder, context) || stamp >= known->stamp[context])
        return;
    known->stamp[context] = stamp;
    native_record_priority(get_le32(slot + NATIVE_PAR2), &known->value[context], &known->is_known[context]);
}

static void note_lap(const struct native_decoder *decoder, const struct native_stream *stream)
{
    for (uint32_t i = stream->lap.first; i <= stream->lap.last; i++) {
        const unsigned char *slot = native_lap_slot(&stream->lap, i);
        if (native_stream_has_record(stream, i) && (native_head(slot) & TLOG_RECORD_CODE) == FTrace_EVT_set_priority)
            note_change(decoder, slot);
    }
}

/* Damage is neither reported nor counted here: that comes when the laps are decoded. */
static void note_changes(struct native_decoder *decoder, struct native_stream *streams, struct input *in)
{
    struct trace *trace = decoder->trace;
    struct trace_counts counts = trace->counts;
    bool quiet = trace->quiet;
    trace->quiet = true;
    memset(decoder->priorities->stamp, 0xFF, sizeof decoder->priorities->stamp);
    for (size_t i = 0; i + 1u < decoder->index.nlanes; i++) {
        while (native_stream_lap(decoder, &streams[i]) > 0)
            note_lap(decoder, &streams[i]);
        native_stream_start(decoder, &streams[i], &decoder->index.lanes[i], in);
    }
    trace->counts = counts;
    trace->quiet = quiet;
}

int native_priorities_read(struct native_decoder *decoder, struct native_stream *streams, struct input *in)
{
    if (decoder->has_priorities)
        note_changes(decoder, streams, in);
    for (uint32_t i = 0; decoder->has_priorities && i < NATIVE_TASKS; i++) {
        if (decoder->priorities->is_known[i])
            trace_set_priority(decoder->trace, i, decoder->priorities->value[i]);
    }
    heap_free(decoder->priorities);
    decoder->priorities = NULL;
    return decoder->trace->failed ? -1 : 0;
}
