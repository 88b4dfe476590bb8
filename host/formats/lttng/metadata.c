/* metadata.c - what a trace's headers and metadata say of the whole trace: see metadata.h. */
#include "formats/lttng/metadata.h"

#include "formats/lttng/event.h"
#include "formats/lttng/payload.h"
#include "io/input.h"
#include "model/clock.h"

#include <string.h>

#define FILES_COMPARED 64u /* files whose first headers are compared to find the reference */

bool lttng_is_metadata(const struct lttng_file *file)
{
    return file->control ? strcmp(file->channel, "facilities") == 0 : strcmp(file->channel, "metadata") == 0;
}

struct lttng_stream lttng_metadata_stream(struct lttng_metadata *metadata, const struct lttng_file *file)
{
    return (struct lttng_stream){.trace = metadata->trace,
                                 .markers = &metadata->markers,
                                 .in = file->in,
                                 .name = file->path,
                                 .channel = file->channel,
                                 .described = lttng_markers_channel(&metadata->markers, file->channel),
                                 .seed = metadata->seed,
                                 .metadata = lttng_is_metadata(file),
                                 .has_reference = metadata->has_reference,
                                 .reference = metadata->reference,
                                 .compact = !file->control && strcmp(file->channel, "compact") == 0};
}

/* ---- the document of 2008, or version 1.0 ------------------------------------------------------------------------ */

/* How many descriptions of a file can be read. seed: its headers are taken for those of the document. */
static uint64_t count_descriptions(struct lttng_metadata *metadata, const struct lttng_file *file, bool seed)
{
    struct lttng_markers markers = {.trace = metadata->trace};
    struct lttng_stream stream = lttng_metadata_stream(metadata, file);
    stream.markers = &markers;
    stream.seed = seed;
    stream.quiet = true;
    lttng_stream_start(&stream);
    while (lttng_event_next(&stream))
        continue;
    lttng_markers_free(&markers);
    return stream.events;
}

/* Both have the same version number in their headers, so the one by which more descriptions can be read is taken. */
static bool is_seed(struct lttng_metadata *metadata)
{
    for (size_t i = 0; i < metadata->files.n; i++) {
        const struct lttng_file *file = &metadata->files.file[i];
        if (lttng_is_metadata(file)
            && count_descriptions(metadata, file, true) > count_descriptions(metadata, file, false))
            return true;
    }
    return false;
}

/* ---- the reference header ---------------------------------------------------------------------------------------- */

/* Of n headers, the one that most others are like. */
static const struct lttng_block_header *most_common(const struct lttng_block_header *header, unsigned n)
{
    unsigned best = 0, most = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned alike = 0;
        for (unsigned k = 0; k < n; k++)
            alike += lttng_block_header_alike(&header[i], &header[k]);
        if (alike > most) {
            most = alike;
            best = i;
        }
    }
    return &header[best];
}

/* Find the header that most files begin with, since a file's own first header may be damaged. In version 2 the trace
 * starts with the first block of its metadata. Returns false if no file begins with a header. */
static bool find_reference(const struct lttng_metadata *metadata, struct lttng_block_header *reference)
{
    struct lttng_block_header first[FILES_COMPARED];
    const struct lttng_block_header *start = NULL;
    unsigned n = 0;
    for (size_t i = 0; i < metadata->files.n && n < FILES_COMPARED; i++) {
        const struct lttng_file *file = &metadata->files.file[i];
        unsigned char bytes[LTTNG_HEADER_MAX];
        size_t size = input_read(file->in, 0, bytes, sizeof bytes);
        if (lttng_block_header_read(&first[n], bytes, size, metadata->seed) != NULL)
            continue;
        if (start == NULL && lttng_is_metadata(file))
            start = &first[n];
        n++;
    }
    if (n == 0)
        return false;
    *reference = *most_common(first, n);
    if (reference->family == LTTNG_METADATA && start != NULL)
        reference->start_tsc = start->begin;
    return true;
}

/* If no file begins with a header: the first header that is anywhere in a file. Damage on the way is not reported.
 * Returns false if there is none. */
static bool search_reference(struct lttng_metadata *metadata, struct lttng_block_header *reference)
{
    for (size_t i = 0; i < metadata->files.n; i++) {
        struct lttng_stream stream = lttng_metadata_stream(metadata, &metadata->files.file[i]);
        stream.quiet = true;
        if (lttng_stream_next_block(&stream)) {
            *reference = stream.reference;
            return true;
        }
    }
    return false;
}

static void set_reference(struct lttng_metadata *metadata, const struct lttng_block_header *reference)
{
    struct lttng_clock *clock = &metadata->clock;
    metadata->has_reference = true;
    metadata->reference = *reference;
    metadata->markers.per_channel = reference->family == LTTNG_METADATA;
    lttng_block_header_clock(reference, &clock->freq, &clock->divisor);
    clock->start_tsc = reference->start_tsc;
    clock->start_ns = reference->start_ns;
}

/* ---- the clock --------------------------------------------------------------------------------------------------- */

/* ns of so many ticks, rounded down or up; UINT64_MAX for more than 64 bits can hold. */
static uint64_t span_of(const struct lttng_clock *clock, uint64_t ticks, bool up)
{
    uint64_t freq = ticks_clock(clock->freq);
    ticks_wide product = (ticks_wide)ticks * TICKS_NS_PER_S * clock->divisor;
    ticks_wide ns = (product + (up ? freq - 1u : 0u)) / freq;
    return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

uint64_t lttng_ns(const struct lttng_clock *clock, uint64_t tsc)
{
    uint64_t span;
    if ((int64_t)(tsc - clock->start_tsc) < 0) {
        span = span_of(clock, clock->start_tsc - tsc, true);
        return span > clock->start_ns ? 0 : clock->start_ns - span;
    }
    span = span_of(clock, tsc - clock->start_tsc, false);
    return span > UINT64_MAX - clock->start_ns ? UINT64_MAX : clock->start_ns + span;
}

/* ---- descriptions ------------------------------------------------------------------------------------------------ */

/* Learn the events that a file describes. Returns true if it has a block. */
static bool read_descriptions(struct lttng_metadata *metadata, const struct lttng_file *file)
{
    struct lttng_stream stream = lttng_metadata_stream(metadata, file);
    lttng_stream_start(&stream);
    while (lttng_event_next(&stream))
        continue;
    return stream.blocks > 0;
}

/* ---- names that Linux gives -------------------------------------------------------------------------------------- */

/* The event's field of that name, as a number or text: see payload.h. */
static bool number(const struct lttng_stream *stream, const char *name, uint64_t *value)
{
    return lttng_payload_number(stream->marker, &stream->payload, name, value);
}

static const char *text(const struct lttng_stream *stream, const char *name)
{
    return lttng_payload_text(stream->marker, &stream->payload, name);
}

/* An interrupt is called after its action: "name" is that of its controller. */
static void name_irq(struct lttng_metadata *metadata, const struct lttng_stream *stream)
{
    const char *name = text(stream, "action");
    uint64_t irq;
    if (name == NULL || name[0] == '\0')
        name = text(stream, "name");
    if (number(stream, "irq_id", &irq))
        trace_set_name(metadata->trace, TRACE_NAME_IRQ, (uint32_t)irq, name);
}

static void name_process(struct lttng_metadata *metadata, const struct lttng_stream *stream)
{
    uint64_t pid;
    if (number(stream, "pid", &pid) && pid != 0)
        trace_set_name(metadata->trace, TRACE_NAME_TASK, (uint32_t)pid, text(stream, "name"));
}

/* A process is called after the last component of what it executes. */
static void name_current(struct lttng_metadata *metadata, uint32_t current, const struct lttng_stream *stream)
{
    const char *path = text(stream, "filename");
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (path != NULL && current != 0)
        trace_set_name(metadata->trace, TRACE_NAME_TASK, current, slash != NULL ? slash + 1 : path);
}

void lttng_metadata_name(struct lttng_metadata *metadata, uint32_t current, const struct lttng_stream *stream)
{
    if (stream->marker->role == LTTNG_NAMES_PROCESS)
        name_process(metadata, stream);
    if (stream->marker->role == LTTNG_NAMES_IRQ)
        name_irq(metadata, stream);
    if (stream->marker->role == LTTNG_NAMES_CURRENT)
        name_current(metadata, current, stream);
}

/* ---- what tlog-decode added -------------------------------------------------------------------------------------- */

/* Report what is wrong with the event. */
static void report(struct lttng_stream *stream, const char *what, const char *why)
{
    lttng_stream_damage(stream, stream->offset, 0, 0, "%s %s: ignored", what, why);
}

/* The marker whose type the event is about, or NULL. */
static struct lttng_marker *marker_of(const struct lttng_metadata *metadata, const struct lttng_stream *stream)
{
    uint64_t id;
    if (!number(stream, "id", &id))
        return NULL;
    return lttng_marker_find(lttng_markers_channel(&metadata->markers, ""), (uint32_t)id);
}

/* System, name and meaning of a type, by the id of its marker. */
static void take_type(struct lttng_metadata *metadata, struct lttng_stream *stream)
{
    const char *system = text(stream, "system"), *name = text(stream, "name"), *means = text(stream, "class");
    struct lttng_marker *marker = marker_of(metadata, stream);
    if (system == NULL || name == NULL || means == NULL)
        return;
    if (marker != NULL && system[0] != '\0' && name[0] != '\0')
        lttng_marker_rename(marker, system, name, lttng_meaning_named(means));
}

static void take_field(struct lttng_metadata *metadata, struct lttng_stream *stream)
{
    const char *word = text(stream, "kind");
    struct lttng_marker *marker = marker_of(metadata, stream);
    enum tlog_kind kind;
    uint64_t field, size;
    if (marker == NULL || word == NULL || !number(stream, "field", &field) || !number(stream, "size", &size))
        return;
    if (!lttng_kind_named(word, &kind) || !lttng_marker_set_kind(marker, field, kind, size))
        report(stream, "a kind", "that the field cannot have");
}

static void take_print(struct lttng_metadata *metadata, struct lttng_stream *stream)
{
    const char *print = text(stream, "print");
    struct lttng_marker *marker = marker_of(metadata, stream);
    const char *wrong = marker != NULL && print != NULL ? lttng_marker_add_print(marker, print) : NULL;
    if (wrong != NULL)
        report(stream, "a print format that", wrong);
}

/* A name of any kind. */
static void take_name(struct lttng_metadata *metadata, struct lttng_stream *stream)
{
    uint64_t kind, id;
    if (number(stream, "kind", &kind) && number(stream, "id", &id) && kind < TRACE_NAME_KINDS)
        trace_set_name(metadata->trace, (enum trace_name_kind)kind, (uint32_t)id, text(stream, "name"));
}

/* The clock's frequency, 0 if it is unknown, and its start in ns, which headers have in us; whether the system ran
 * before the trace began, and whether its events are Linux's already. */
static void take_clock(struct lttng_metadata *metadata, struct lttng_stream *stream)
{
    uint64_t hz, start_ns, ran_before, mapped;
    if (!number(stream, "hz", &hz) || !number(stream, "start_ns", &start_ns))
        return;
    metadata->clock.freq = hz;
    metadata->clock.divisor = 1;
    metadata->clock.start_ns = start_ns;
    metadata->trace->ran_before = number(stream, "ran_before", &ran_before) && ran_before != 0;
    metadata->trace->mapped = number(stream, "mapped", &mapped) && mapped != 0;
}

static void take_priority(struct lttng_metadata *metadata, struct lttng_stream *stream)
{
    uint64_t task, priority;
    if (number(stream, "task", &task) && number(stream, "priority", &priority))
        trace_set_priority(metadata->trace, (uint32_t)task, (int32_t)(uint32_t)priority);
}

static void take_group(struct lttng_metadata *metadata, struct lttng_stream *stream)
{
    const char *name = text(stream, "name");
    if (name != NULL && metadata->trace->ngroups < TRACE_GROUPS_MAX)
        trace_group(metadata->trace, name);
}

/* Take the stream's event, which is of a control channel of a trace that tlog-decode wrote. */
static void take_tlog(struct lttng_metadata *metadata, struct lttng_stream *stream)
{
    static const struct {
        const char *name;
        void (*take)(struct lttng_metadata *metadata, struct lttng_stream *stream);
    } takers[] = {{LTTNG_TLOG_TYPE, take_type},  {LTTNG_TLOG_FIELD, take_field}, {LTTNG_TLOG_PRINT, take_print},
                  {LTTNG_TLOG_NAME, take_name},  {LTTNG_TLOG_CLOCK, take_clock}, {LTTNG_TLOG_PRIORITY, take_priority},
                  {LTTNG_TLOG_GROUP, take_group}};
    for (size_t i = 0; i < sizeof takers / sizeof takers[0]; i++) {
        if (strcmp(stream->marker->name, takers[i].name) == 0)
            takers[i].take(metadata, stream);
    }
}

/* All events of control channels were taken. */
static void end_prints(struct lttng_metadata *metadata)
{
    const struct lttng_channel *channel = lttng_markers_channel(&metadata->markers, "");
    for (struct lttng_marker *marker = channel != NULL ? channel->markers : NULL; marker != NULL;
         marker = marker->next) {
        if (marker->print != NULL && !lttng_marker_end_print(marker))
            trace_damage(metadata->trace, 0, 0, 0,
                         "control/modules_0: the print format of %s:%s makes no sense: ignored", marker->type.system,
                         marker->type.name);
    }
}

/* ---- control channels -------------------------------------------------------------------------------------------- */

/* Damage is reported here only in traces that tlog-decode wrote. In others the events of control channels are given out
 * like all events, and damage is reported then. */
static void read_control(struct lttng_metadata *metadata, const struct lttng_file *file)
{
    struct lttng_stream stream = lttng_metadata_stream(metadata, file);
    bool by_tlog = metadata->markers.by_tlog;
    stream.quiet = !by_tlog;
    lttng_stream_start(&stream);
    while (lttng_event_next(&stream)) {
        if (by_tlog)
            take_tlog(metadata, &stream);
        else
            lttng_metadata_name(metadata, 0, &stream);
    }
}

/* Version 2 has no control/: there channels with names are called task_state, irq_state and the like. */
static bool has_names(const struct lttng_file *file)
{
    return !lttng_is_metadata(file) && (file->control || strstr(file->channel, "state") != NULL);
}

/* Read all control channels, before any other event: so names are known also for events before those that have them. In
 * traces that tlog-decode wrote they also have what it added: see marker.h. */
static void read_controls(struct lttng_metadata *metadata)
{
    for (size_t i = 0; i < metadata->files.n; i++) {
        if (has_names(&metadata->files.file[i]))
            read_control(metadata, &metadata->files.file[i]);
    }
    end_prints(metadata);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

int lttng_metadata_read(struct lttng_metadata *metadata)
{
    const struct lttng_files *files = &metadata->files;
    struct lttng_block_header reference;
    bool found = false;
    metadata->markers.trace = metadata->trace;
    metadata->clock.divisor = 1; /* until a header tells the clock: one may never be found */
    metadata->seed = is_seed(metadata);
    if (find_reference(metadata, &reference) || search_reference(metadata, &reference))
        set_reference(metadata, &reference);
    for (size_t i = 0; i < files->n; i++) {
        if (lttng_is_metadata(&files->file[i]))
            found |= read_descriptions(metadata, &files->file[i]);
    }
    if (!found)
        return trace_fail(metadata->trace, "%s: neither control/facilities nor metadata describes the events",
                          metadata->trace->input_name);
    if (lttng_markers_declare(&metadata->markers) != 0)
        return -1;
    metadata->trace->ran_before = !metadata->markers.by_tlog; /* a kernel, which has booted long ago */
    read_controls(metadata);
    return 0;
}

void lttng_metadata_free(struct lttng_metadata *metadata)
{
    lttng_markers_free(&metadata->markers);
    lttng_table_close(&metadata->files);
}
