/* reader.c - tlog's own dumps: from chunks to events. Format: target/FORMAT.md.
 *
 *   native_find    headers in the input        native_index   which laps there are, in the order of time
 *   native_view    an image in memory, unpacked if it is a compressed region
 *   native_image   one chunk image, its seal   native_lap     which slots of a lap are events
 *   native_laps    where its cursor stands     native_clean   ... all of them, as nearly always
 *   native_run     ordinary events, many       native_stream  a lane's events, one after the other
 *
 * Every record becomes the event its code names, with both parameters even where the code gives one no meaning. A CPU's
 * events are those of its lanes, merged by time.
 */
#include "native/stream.h"
#include "model/module.h"
#include "model/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- state ------------------------------------------------------------------------------------------------------- */

struct cpu {
    struct native_stream *streams;
    size_t n;
    size_t finished; /* streams whose end was told, from the last one on */
};

struct native_reader {
    struct native_decoder decoder;
    struct input *input;
    struct native_view view;       /* of open() */
    struct native_stream *streams; /* as the index has the lanes: CPU after CPU, then the names */
    struct cpu cpu[NATIVE_CPUS];
};

/* ---- a CPU ------------------------------------------------------------------------------------------------------- */

/* The stream whose event is next, which may go on until another one's is; NULL at the end. */
static struct native_stream *choose(struct native_reader *reader, struct cpu *cpu, struct trace_batch *batch)
{
    struct native_stream *first = NULL;
    uint64_t time = NATIVE_TIME_NEVER, other = NATIVE_TIME_NEVER;

    for (size_t i = 0; i < cpu->n; i++) {
        struct native_stream *stream = &cpu->streams[i];
        uint64_t next = native_stream_next(&reader->decoder, stream, batch);

        if (next < time) {
            other = time;
            time = next;
            first = stream;
        } else if (next < other) {
            other = next;
        }
    }
    if (first != NULL)
        first->until = other;
    return first;
}

static uint64_t last_ticks(const struct cpu *cpu)
{
    uint64_t ticks = 0;

    for (size_t i = 0; i < cpu->n; i++)
        ticks = cpu->streams[i].ticks > ticks ? cpu->streams[i].ticks : ticks;
    return ticks;
}

/* What was lost after the last event, by the count that stands in the ring's first chunk, and gaps at the ends of lanes.
 * There may be more lanes than a batch has room for: the others come with the next one. */
static void finish(struct native_reader *reader, struct cpu *cpu, struct trace_batch *batch)
{
    uint64_t ticks = last_ticks(cpu);

    while (cpu->finished < cpu->n && native_stream_has_room(batch)) {
        struct native_stream *stream = &cpu->streams[cpu->n - ++cpu->finished];
        uint64_t lost = stream == cpu->streams ? reader->decoder.index.ring[stream->lane->ring].unreported : 0;

        native_stream_finish(&reader->decoder, stream, batch, lost, ticks);
    }
}

static int native_read(void *state, unsigned number, struct trace_batch *batch)
{
    struct native_reader *reader = state;
    struct cpu *cpu = &reader->cpu[number];
    struct native_stream *stream = NULL;

    batch->n = batch->used = 0;
    while (native_stream_has_room(batch) && (stream = choose(reader, cpu, batch)) != NULL)
        native_stream_read(&reader->decoder, stream, batch);
    if (stream == NULL)
        finish(reader, cpu, batch);
    if (reader->decoder.trace->failed)
        return -1;
    return batch->n > 0;
}

/* ---- the clock --------------------------------------------------------------------------------------------------- */

/* Ticks per ms from the first record of the loaded lap that tells them, or 0. */
static uint32_t clock_in_lap(const struct native_stream *stream)
{
    for (uint32_t i = stream->lap.first; i <= stream->lap.last; i++) {
        const unsigned char *slot = native_lap_slot(&stream->lap, i);
        uint32_t code = get_le32(slot) & TLOG_RECORD_CODE;

        if (native_stream_has_record(stream, i)
            && (code == FTrace_EVT_cycles_per_msec || code == FTrace_EVT_trace_start) && get_le32(slot + 12) != 0)
            return get_le32(slot + 12);
    }
    return 0;
}

static void start_stream(struct native_reader *reader, size_t i)
{
    native_stream_start(&reader->decoder, &reader->streams[i], &reader->decoder.index.lanes[i], reader->input);
}

/* The headers do not tell the clock: look for a record that does. What is damaged is said when it is decoded. */
static uint32_t search_clock(struct native_reader *reader)
{
    struct trace *trace = reader->decoder.trace;
    struct trace_counts counts = trace->counts;
    bool quiet = trace->quiet;
    uint32_t ticks = 0;

    trace->quiet = true;
    for (size_t i = 0; i + 1u < reader->decoder.index.nlanes && ticks == 0; i++) {
        while (ticks == 0 && native_stream_lap(&reader->decoder, &reader->streams[i]) > 0)
            ticks = clock_in_lap(&reader->streams[i]);
        start_stream(reader, i);
    }
    trace->counts = counts;
    trace->quiet = quiet;
    return ticks;
}

static bool has_events(const struct cpu *cpu)
{
    for (size_t i = 0; i < cpu->n; i++) {
        if (cpu->streams[i].lane->n > 0)
            return true;
    }
    return false;
}

static void set_clocks(struct native_reader *reader)
{
    struct trace *trace = reader->decoder.trace;
    uint64_t found = 0;
    bool searched = false;

    for (unsigned number = 0; number < trace->ncpus; number++) {
        struct cpu *cpu = &reader->cpu[number];
        uint64_t hz = reader->decoder.index.ring[number].freq;

        if (hz == 0 && has_events(cpu) && !searched) {
            found = clock_choose(trace, search_clock(reader));
            searched = true;
        }
        hz = hz ? hz : found;
        for (size_t i = 0; i < cpu->n; i++)
            native_scale_set(&cpu->streams[i].scale, hz);
        trace->clock_hz = trace->clock_hz ? trace->clock_hz : hz;
    }
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Names are known before the first event: viewers want them at the head of a file. Their lane is the last. */
static int read_names(struct native_reader *reader)
{
    struct native_decoder *decoder = &reader->decoder;
    struct native_stream *stream = &reader->streams[decoder->index.nlanes - 1u];
    uint32_t lost = decoder->index.ring[NATIVE_RING_NAMES].dropped;
    struct trace *trace = decoder->trace;
    struct trace_batch *batch = malloc(sizeof *batch);

    if (batch == NULL)
        return trace_fail(trace, "%s: no memory", trace->input_name);
    native_scale_set(&stream->scale, 0);
    while (!stream->ended) {
        batch->n = batch->used = 0;
        native_stream_read(decoder, stream, batch);
    }
    free(batch);
    native_stream_free(stream);
    if (lost > 0 && !trace->failed && !trace->quiet)
        fprintf(stderr, "tlog-decode: %s: %u names were lost for want of room on the target\n", trace->input_name,
                (unsigned)lost);
    return trace->failed ? -1 : 0;
}

/* The firmware whose run is decoded is in the header of each of its chunks. */
static void read_build(struct native_reader *reader)
{
    const struct native_image *image = &reader->decoder.index.images[0];
    struct native_header header;

    if (reader->decoder.index.n > 0
        && native_find(reader->input, image->offset, image->offset + 1u, &header) == NATIVE_HEADER)
        memcpy(reader->decoder.trace->build, header.bytes + offsetof(struct tlog_chunk, build), TRACE_BUILD_BYTES);
}

/* A ring's chunks are one buffer; what stands alone was kept apart by the firmware. */
static uint16_t group_of(struct trace *trace, const struct native_lane *lane)
{
    char name[TRACE_GROUP_BYTES];

    if (lane->kind != NATIVE_ALONE && lane->kind != NATIVE_URGENT_ALONE)
        return 0;
    snprintf(name, sizeof name, "chunk-%u", (unsigned)lane->number);
    return trace_group(trace, name);
}

static int start_streams(struct native_reader *reader)
{
    const struct native_index *index = &reader->decoder.index;

    reader->streams = calloc(index->nlanes, sizeof *reader->streams);
    if (reader->streams == NULL)
        return trace_fail(reader->decoder.trace, "%s: no memory", reader->decoder.trace->input_name);
    for (size_t i = 0; i < index->nlanes; i++) {
        unsigned ring = index->lanes[i].ring;

        start_stream(reader, i);
        if (ring == NATIVE_RING_NAMES)
            continue;
        reader->streams[i].group = group_of(reader->decoder.trace, &index->lanes[i]);
        if (reader->cpu[ring].n++ == 0)
            reader->cpu[ring].streams = &reader->streams[i];
    }
    return reader->decoder.trace->failed ? -1 : 0;
}

static int open_all(struct native_reader *reader)
{
    struct native_decoder *decoder = &reader->decoder;
    struct trace *trace = decoder->trace;

    if (native_index_build(&decoder->index, &reader->view) != 0)
        return -1;
    read_build(reader);
    trace->ncpus = decoder->index.ncpus;
    if (start_streams(reader) != 0)
        return -1;
    for (unsigned cpu = 0; cpu < trace->ncpus; cpu++)
        trace_count_dropped(trace, cpu, decoder->index.ring[cpu].dropped);
    native_declare_types(&decoder->types, trace);
    set_clocks(reader);
    if (read_names(reader) != 0)
        return -1;
    native_name_types(&decoder->types, trace);
    return 0;
}

static void native_close(void *state)
{
    struct native_reader *reader = state;
    struct native_decoder *decoder = &reader->decoder;

    for (size_t i = 0; reader->streams != NULL && i < decoder->index.nlanes; i++)
        native_stream_free(&reader->streams[i]);
    free(reader->streams);
    native_free_types(&decoder->types, decoder->trace);
    native_loader_free(&decoder->loader);
    native_index_free(&decoder->index);
    free(reader->view.bytes);
    free(reader);
}

static void *native_open(struct trace *trace, struct input *in)
{
    struct native_reader *reader = calloc(1, sizeof *reader);

    if (reader == NULL) {
        trace_fail(trace, "%s: no memory", trace->input_name);
        return NULL;
    }
    reader->decoder.trace = reader->decoder.loader.trace = trace;
    reader->view.trace = reader->decoder.loader.other.trace = trace;
    reader->input = reader->view.in = reader->decoder.loader.other.in = in;
    reader->decoder.loader.index = &reader->decoder.index;
    if (open_all(reader) != 0 || trace->failed) {
        native_close(reader);
        return NULL;
    }
    return reader;
}

static enum trace_probe native_probe(struct input *in)
{
    struct native_header header;
    enum trace_probe answer = TRACE_NOT_MINE;
    uint64_t at = 0;

    for (;;) {
        switch (native_find(in, at, input_size(in), &header)) {
        case NATIVE_NOTHING:
            return answer;
        case NATIVE_HEADER:
            return TRACE_MINE;
        case NATIVE_BROKEN:
            if (header.intact)
                return TRACE_MINE;
            answer = TRACE_MINE_BROKEN;
            at = header.offset + 8u;
            break;
        }
    }
}

const struct trace_reader reader_native = {
    .name = "native",
    .description = "tlog's own dumps: chunks as they lie in the firmware's memory, in any order, amid anything",
    .probe = native_probe,
    .open = native_open,
    .read = native_read,
    .close = native_close,
};
