/* reader.c - traces of LTTng 0.x, formats 0.3 to 2.6: from blocks to events.
 *
 *   lttng_files    the trace's files          lttng_walk, lttng_event   one file, event after event
 *   lttng_block    headers, all versions      lttng_marker, lttng_format, lttng_payload   what events there are
 *
 * All files of a CPU are merged by time. Times are real times, as the trace tells them. Every event of every channel is
 * given out, except those that describe others, and heartbeats, and what tlog-decode itself put into control channels.
 */
#include "lttng/files.h"
#include "model/module.h"
#include "model/clock.h"
#include "lttng/time.h"
#include "lttng/walk.h"

#include "base/bytes.h"
#include "io/input.h"

#include <stdlib.h>
#include <string.h>

/* Events in a batch that one step may need: an event, and loss and damage before it. The end of a file is a step, too. */
#define EVENTS_PER_STEP 3u
#define IRQ_NESTING     16u
#define IRQ_UNKNOWN     UINT32_MAX
#define FORM_FILES      64u /* files that are asked what the trace is like */

struct lane {
    struct lttng_walk **walk; /* the files of a CPU that still have events, or tell what is missing at their end */
    size_t nwalks;
    uint64_t last; /* time of the last event, in ns */
    uint32_t current;
    uint32_t irq[IRQ_NESTING]; /* interrupts that were entered, outermost first */
    unsigned depth;
};

struct lttng_reader {
    struct trace *trace;
    struct lttng_files files;
    struct lttng_markers markers;
    struct lttng_clock clock;
    bool has_form, seed;
    struct lttng_header form; /* of most files */
    struct lttng_walk *walks; /* one per file */
    struct lane lane[LTTNG_CPUS_MAX];
    uint16_t loss, damage;
};

/* ---- giving out events ------------------------------------------------------------------------------------------- */

static bool has_room(const struct trace_batch *batch)
{
    return batch->n + EVENTS_PER_STEP <= TRACE_BATCH_EVENTS
           && batch->used + EVENTS_PER_STEP * 8u + TRACE_PAYLOAD_MAX + 16u <= sizeof batch->room;
}

static unsigned char *emit(struct trace_batch *batch, uint64_t time, uint16_t type, uint16_t size)
{
    unsigned char *data = trace_batch_room(batch, size);

    if (data == NULL) /* has_room() was wrong: better no output than one with events overwritten */
        abort();
    batch->event[batch->n++] = (struct trace_event){.time = time, .data = data, .type = type, .size = size};
    return data;
}

static void emit_gaps(const struct lttng_reader *reader, const struct lane *lane, struct lttng_walk *walk,
                      struct trace_batch *batch, uint64_t time)
{
    if (walk->lossy)
        put_le64(emit(batch, time, reader->loss, 8), walk->loss);
    if (walk->damaged)
        put_le64(emit(batch, time, reader->damage, 8), walk->damage);
    trace_count_dropped(reader->trace, (unsigned)(lane - reader->lane), walk->loss);
    walk->loss = walk->damage = 0;
    walk->lossy = walk->damaged = false;
}

static void set_rest(const struct lttng_reader *reader, struct trace_event *event, uint64_t tsc)
{
    const struct lttng_clock *clock = &reader->clock;

    if (clock->divisor == 1 && clock->freq > TICKS_NS_PER_S && event->time >= clock->start_ns)
        event->rest = ticks_rest(tsc - clock->start_tsc, event->time - clock->start_ns, clock->freq);
}

/* ---- what events mean -------------------------------------------------------------------------------------------- */

static void name_irq(struct lttng_reader *reader, const struct lttng_walk *walk)
{
    const char *name = lttng_payload_text(walk->marker, &walk->payload, "action");
    uint64_t irq;

    if (name == NULL || name[0] == '\0')
        name = lttng_payload_text(walk->marker, &walk->payload, "name");
    if (lttng_payload_number(walk->marker, &walk->payload, "irq_id", &irq))
        trace_set_name(reader->trace, TRACE_NAME_IRQ, (uint32_t)irq, name);
}

static void name_process(struct lttng_reader *reader, const struct lttng_walk *walk)
{
    const char *name = lttng_payload_text(walk->marker, &walk->payload, "name");
    uint64_t pid;

    if (lttng_payload_number(walk->marker, &walk->payload, "pid", &pid) && pid != 0)
        trace_set_name(reader->trace, TRACE_NAME_TASK, (uint32_t)pid, name);
}

/* A process is called after the last component of what it executes. */
static void name_current(struct lttng_reader *reader, const struct lane *lane, const struct lttng_walk *walk)
{
    const char *path = lttng_payload_text(walk->marker, &walk->payload, "filename");
    const char *slash = path ? strrchr(path, '/') : NULL;

    if (path != NULL && lane->current != 0)
        trace_set_name(reader->trace, TRACE_NAME_TASK, lane->current, slash ? slash + 1 : path);
}

static void take_names(struct lttng_reader *reader, const struct lane *lane, const struct lttng_walk *walk)
{
    if (walk->marker->role == LTTNG_NAMES_PROCESS)
        name_process(reader, walk);
    if (walk->marker->role == LTTNG_NAMES_IRQ)
        name_irq(reader, walk);
    if (walk->marker->role == LTTNG_NAMES_CURRENT)
        name_current(reader, lane, walk);
}

/* Follow which task and which interrupts run: an exit of an interrupt may not tell which it is. */
static void follow(struct lane *lane, const struct lttng_walk *walk, unsigned char *data)
{
    const struct lttng_marker *marker = walk->marker;
    uint32_t first = marker->type.nfields > 0 ? get_le32(data + marker->shown[0].offset) : 0;

    if (marker->type.class == TRACE_SWITCH)
        lane->current = first;
    if (marker->type.class == TRACE_IRQ_ENTRY && lane->depth < IRQ_NESTING)
        lane->irq[lane->depth++] = first;
    if (marker->type.class != TRACE_IRQ_EXIT)
        return;
    if (marker->role == LTTNG_LEAVES_IRQ)
        put_le32(data, lane->depth > 0 ? lane->irq[lane->depth - 1u] : IRQ_UNKNOWN);
    lane->depth -= lane->depth > 0;
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

/* Drop a file that has ended. What it lacks at its end is marked behind its last event or, if it has none, where its first
 * block begins. */
static void drop(struct lttng_reader *reader, struct lane *lane, size_t i, struct trace_batch *batch)
{
    uint64_t time = lttng_ns(&reader->clock, lane->walk[i]->tsc);

    if (time > lane->last && time < UINT64_MAX)
        lane->last = time;
    emit_gaps(reader, lane, lane->walk[i], batch, lane->last);
    lane->nwalks--;
    memmove(&lane->walk[i], &lane->walk[i + 1u], (lane->nwalks - i) * sizeof lane->walk[0]);
}

/* At one time, what a file lacks at its end is before events. */
static bool is_before(const struct lttng_walk *walk, const struct lttng_walk *other)
{
    uint64_t distance = walk->tsc - other->tsc;

    return distance > INT64_MAX || (distance == 0 && walk->ended && !other->ended);
}

static size_t earliest(const struct lane *lane)
{
    size_t best = 0;

    for (size_t i = 1; i < lane->nwalks; i++) {
        if (is_before(lane->walk[i], lane->walk[best]))
            best = i;
    }
    return best;
}

/* An event whose time no 64 bits of ns can hold was not read right. */
static bool is_absurd(struct lttng_walk *walk, uint64_t time)
{
    if (time < UINT64_MAX)
        return false;
    walk->damaged = true;
    walk->damage++;
    trace_damage(walk->trace, walk->offset, 0, 1, "%s: an event of an absurd time", walk->name);
    return true;
}

static void take(struct lttng_reader *reader, struct lane *lane, struct lttng_walk *walk, struct trace_batch *batch)
{
    uint64_t time = lttng_ns(&reader->clock, walk->tsc);
    unsigned char *data;

    if (is_absurd(walk, time))
        return;
    time = time < lane->last ? lane->last : time; /* a file that had nothing for long may lag by rounding */
    emit_gaps(reader, lane, walk, batch, time);
    data = emit(batch, time, walk->marker->index, walk->payload.size);
    memcpy(data, walk->payload.data, walk->payload.size);
    set_rest(reader, &batch->event[batch->n - 1u], walk->tsc);
    if (walk->marker->type.class == TRACE_LOSS && walk->payload.size >= 8u) /* one that tlog-decode wrote */
        trace_count_dropped(reader->trace, (unsigned)(lane - reader->lane), get_le64(data));
    follow(lane, walk, data);
    take_names(reader, lane, walk);
    lane->last = time;
}

static int lttng_read(void *state, unsigned cpu, struct trace_batch *batch)
{
    struct lttng_reader *reader = state;
    struct lane *lane = &reader->lane[cpu];

    batch->n = batch->used = 0;
    while (lane->nwalks > 0 && has_room(batch)) {
        size_t i = earliest(lane);
        struct lttng_walk *walk = lane->walk[i];

        if (walk->ended) {
            drop(reader, lane, i, batch);
        } else {
            take(reader, lane, walk, batch);
            walk->ended = !lttng_walk_next(walk);
        }
    }
    return reader->trace->failed ? -1 : batch->n > 0;
}

/* ---- metadata ---------------------------------------------------------------------------------------------------- */

static bool is_metadata(const struct lttng_file *file)
{
    return file->control ? strcmp(file->channel, "facilities") == 0 : strcmp(file->channel, "metadata") == 0;
}

static struct lttng_walk start_walk(struct lttng_reader *reader, const struct lttng_file *file)
{
    return (struct lttng_walk){.trace = reader->trace,
                               .markers = &reader->markers,
                               .in = file->in,
                               .name = file->path,
                               .channel = file->channel,
                               .seed = reader->seed,
                               .metadata = is_metadata(file),
                               .has_form = reader->has_form,
                               .form = reader->form,
                               .compact = !file->control && strcmp(file->channel, "compact") == 0};
}

/* How many descriptions can be read if the headers are the document's, or version 1.0's. */
static uint64_t count_descriptions(struct lttng_reader *reader, const struct lttng_file *file, bool seed)
{
    struct lttng_markers markers = {.trace = reader->trace};
    struct lttng_walk walk = start_walk(reader, file);

    walk.markers = &markers;
    walk.seed = seed;
    walk.quiet = true;
    lttng_walk_open(&walk);
    while (lttng_walk_next(&walk))
        continue;
    lttng_markers_free(&markers);
    return walk.events;
}

/* The one of n headers that most are like. */
static const struct lttng_header *most_common(const struct lttng_header *header, unsigned n)
{
    unsigned best = 0, most = 0;

    for (unsigned i = 0; i < n; i++) {
        unsigned alike = 0;

        for (unsigned k = 0; k < n; k++)
            alike += lttng_header_alike(&header[i], &header[k]);
        if (alike > most) {
            most = alike;
            best = i;
        }
    }
    return &header[best];
}

/* The header that most files begin with: a damaged one among them does not tell what the trace is like. In version 2
 * time starts with the metadata. */
static bool find_form(const struct lttng_reader *reader, struct lttng_header *form)
{
    struct lttng_header first[FORM_FILES];
    const struct lttng_header *start = NULL;
    unsigned n = 0;

    for (size_t i = 0; i < reader->files.n && n < FORM_FILES; i++) {
        const struct lttng_file *file = &reader->files.file[i];
        unsigned char bytes[LTTNG_HEADER_MAX];
        size_t size = input_read(file->in, 0, bytes, sizeof bytes);

        if (lttng_header_read(&first[n], bytes, size, reader->seed) != NULL)
            continue;
        if (start == NULL && is_metadata(file))
            start = &first[n];
        n++;
    }
    if (n == 0)
        return false;
    *form = *most_common(first, n);
    if (form->family == LTTNG_METADATA && start != NULL)
        form->start_tsc = start->begin;
    return true;
}

static void set_form(struct lttng_reader *reader, const struct lttng_header *form)
{
    struct lttng_clock *clock = &reader->clock;

    reader->has_form = true;
    reader->form = *form;
    reader->markers.per_channel = form->family == LTTNG_METADATA;
    lttng_header_clock(form, &clock->freq, &clock->divisor);
    clock->start_tsc = form->start_tsc;
    clock->start_ns = form->start_ns;
}

/* True if the file has a block. */
static bool read_metadata(struct lttng_reader *reader, const struct lttng_file *file)
{
    struct lttng_walk walk = start_walk(reader, file);

    lttng_walk_open(&walk);
    while (lttng_walk_next(&walk))
        continue;
    return walk.blocks > 0;
}

static int read_all_metadata(struct lttng_reader *reader)
{
    const struct lttng_files *files = &reader->files;
    struct lttng_header form;
    bool told = false;

    for (size_t i = 0; i < files->n && !reader->seed; i++)
        reader->seed =
            is_metadata(&files->file[i])
            && count_descriptions(reader, &files->file[i], true) > count_descriptions(reader, &files->file[i], false);
    if (find_form(reader, &form))
        set_form(reader, &form);
    for (size_t i = 0; i < files->n; i++) {
        if (is_metadata(&files->file[i]))
            told |= read_metadata(reader, &files->file[i]);
    }
    if (!told)
        return trace_fail(reader->trace, "%s: neither control/facilities nor metadata describes the events",
                          reader->trace->input_name);
    return lttng_markers_declare(&reader->markers);
}

/* ---- what tlog-decode put into control channels ------------------------------------------------------------------ */

static enum trace_class class_of(const char *name)
{
    static const char *const names[] = {
        [TRACE_SWITCH] = "switch",     [TRACE_WAKE] = "wake",           [TRACE_BLOCK] = "block",
        [TRACE_UNBLOCK] = "unblock",   [TRACE_IRQ_ENTRY] = "irq_entry", [TRACE_IRQ_EXIT] = "irq_exit",
        [TRACE_PRIORITY] = "priority", [TRACE_LOSS] = "loss",           [TRACE_DAMAGE] = "damage",
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i] != NULL && strcmp(names[i], name) == 0)
            return (enum trace_class)i;
    }
    return TRACE_PLAIN;
}

static void take_own_type(struct lttng_reader *reader, const struct lttng_walk *walk)
{
    const char *system = lttng_payload_text(walk->marker, &walk->payload, "system");
    const char *name = lttng_payload_text(walk->marker, &walk->payload, "name");
    const char *class = lttng_payload_text(walk->marker, &walk->payload, "class");
    struct lttng_marker *marker;
    uint64_t id;

    if (!lttng_payload_number(walk->marker, &walk->payload, "id", &id) || !system || !name || !class)
        return;
    marker = lttng_markers_find(&reader->markers, "", (uint32_t)id);
    if (marker != NULL && system[0] != '\0' && name[0] != '\0')
        lttng_marker_rename(marker, system, name, class_of(class));
}

static void take_own_name(struct lttng_reader *reader, const struct lttng_walk *walk)
{
    const char *name = lttng_payload_text(walk->marker, &walk->payload, "name");
    uint64_t kind, id;

    if (lttng_payload_number(walk->marker, &walk->payload, "kind", &kind)
        && lttng_payload_number(walk->marker, &walk->payload, "id", &id) && kind < TRACE_NAME_KINDS)
        trace_set_name(reader->trace, (enum trace_name_kind)kind, (uint32_t)id, name);
}

static void take_own_clock(struct lttng_reader *reader, const struct lttng_walk *walk)
{
    uint64_t hz, start_ns;

    if (!lttng_payload_number(walk->marker, &walk->payload, "hz", &hz)
        || !lttng_payload_number(walk->marker, &walk->payload, "start_ns", &start_ns))
        return;
    reader->clock.freq = hz;
    reader->clock.divisor = 1;
    reader->clock.start_ns = start_ns;
}

static void take_own(struct lttng_reader *reader, const struct lttng_walk *walk)
{
    const char *name = walk->marker->name;

    if (strcmp(name, "tlog_type") == 0)
        take_own_type(reader, walk);
    else if (strcmp(name, "tlog_name") == 0)
        take_own_name(reader, walk);
    else if (strcmp(name, "tlog_clock") == 0)
        take_own_clock(reader, walk);
}

/* Control channels are read before all others: names are good for events before they were told. */
static void read_control(struct lttng_reader *reader, const struct lttng_file *file)
{
    const struct lane none = {0};
    struct lttng_walk walk = start_walk(reader, file);

    walk.quiet = !reader->markers.own;
    lttng_walk_open(&walk);
    while (lttng_walk_next(&walk)) {
        if (reader->markers.own)
            take_own(reader, &walk);
        else
            take_names(reader, &none, &walk);
    }
}

static bool tells_names(const struct lttng_file *file)
{
    return !is_metadata(file) && (file->control || strstr(file->channel, "state") != NULL);
}

static void read_all_control(struct lttng_reader *reader)
{
    for (size_t i = 0; i < reader->files.n; i++) {
        if (tells_names(&reader->files.file[i]))
            read_control(reader, &reader->files.file[i]);
    }
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

/* Go to the file's first event. False if it has none, and nothing is missing, either. */
static bool begin_walk(struct lttng_reader *reader, const struct lttng_file *file, struct lttng_walk *walk)
{
    *walk = start_walk(reader, file);
    lttng_walk_open(walk);
    walk->ended = !lttng_walk_next(walk);
    if (walk->blocks == 0)
        walk->tsc = reader->clock.start_tsc;
    return !walk->ended || walk->lossy || walk->damaged;
}

/* Give the file's walk to its CPU's lane, if there is something in it. */
static int add_walk(struct lttng_reader *reader, const struct lttng_file *file, struct lttng_walk *walk)
{
    struct lane *lane = &reader->lane[file->cpu];
    struct lttng_walk **more;

    if (!begin_walk(reader, file, walk))
        return 0;
    more = realloc(lane->walk, (lane->nwalks + 1u) * sizeof(*more));
    if (more == NULL)
        return trace_fail(reader->trace, "%s: no memory", reader->trace->input_name);
    lane->walk = more;
    lane->walk[lane->nwalks++] = walk;
    return 0;
}

static int add_walks(struct lttng_reader *reader)
{
    reader->walks = calloc(reader->files.n + 1u, sizeof *reader->walks);
    if (reader->walks == NULL)
        return trace_fail(reader->trace, "%s: no memory", reader->trace->input_name);
    for (size_t i = 0; i < reader->files.n; i++) {
        const struct lttng_file *file = &reader->files.file[i];

        if (file->cpu >= reader->trace->ncpus)
            reader->trace->ncpus = file->cpu + 1u;
        if (is_metadata(file) || (reader->markers.own && file->control))
            continue;
        if (add_walk(reader, file, &reader->walks[i]) != 0)
            return -1;
    }
    return 0;
}

static void publish_clock(struct lttng_reader *reader)
{
    struct trace *trace = reader->trace;

    if (reader->clock.freq == 0)
        reader->clock.freq = trace->clock_hz_given;
    trace->clock_hz = reader->clock.freq / reader->clock.divisor;
    trace->start_ns = reader->clock.start_ns;
    clock_note(trace, trace->clock_hz);
}

static int prepare(struct lttng_reader *reader, struct input *in)
{
    struct trace *trace = reader->trace;

    if (lttng_files_open(&reader->files, trace, in) != 0)
        return -1;
    reader->markers.trace = trace;
    reader->loss = trace_type(trace, &trace_loss_type);
    reader->damage = trace_type(trace, &trace_damage_type);
    if (read_all_metadata(reader) != 0)
        return -1;
    read_all_control(reader);
    publish_clock(reader);
    return add_walks(reader);
}

static void lttng_close(void *state)
{
    struct lttng_reader *reader = state;

    for (unsigned i = 0; i < LTTNG_CPUS_MAX; i++)
        free(reader->lane[i].walk);
    lttng_markers_free(&reader->markers);
    lttng_files_close(&reader->files);
    free(reader->walks);
    free(reader);
}

static void *lttng_open(struct trace *trace, struct input *in)
{
    struct lttng_reader *reader = calloc(1, sizeof *reader);

    if (reader == NULL) {
        trace_fail(trace, "%s: no memory", trace->input_name);
        return NULL;
    }
    reader->trace = trace;
    if (prepare(reader, in) != 0 || trace->failed) {
        lttng_close(reader);
        return NULL;
    }
    return reader;
}

static enum trace_probe lttng_probe(struct input *in)
{
    return lttng_files_look(in) ? TRACE_MINE : TRACE_NOT_MINE;
}

const struct trace_reader reader_lttng = {
    .name = "lttng",
    .description = "trace directories of LTTng 0.x, formats 0.3 to 2.6, and tar archives of them",
    .probe = lttng_probe,
    .open = lttng_open,
    .read = lttng_read,
    .close = lttng_close,
};
