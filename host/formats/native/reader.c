/* reader.c - the reader of tlog's own dumps: from chunks to events. The format is in target/FORMAT.md.
 *
 * The way of a slot through the folders and their files, from the dump to an event. A folder uses only those above it
 * here, and events does not know repair:
 *
 *   bytes     slot            what the words of one slot say
 *             chunk           where the parts of a chunk image are, its header and its seal
 *             evidence        how much of a header is as a header must be
 *             word_search, word_scan   find the words that headers, heads and seals begin with
 *   packed    region, unpack  make a compressed region the image of its chunk again
 *   chunks    header_search   finds headers of chunks, and heads of regions, among any other bytes
 *             image_parse     makes an image of a header: how much there is of it, and whether its words are right
 *             seal, write_position, names_chunk   tell whether they are: by seal, tags of slots, facts
 *             image           what is remembered of an image; brings its bytes into memory
 *             image_list, image_search   all images that can be read as they stand, and what looks like more
 *             runs            chooses the images of one run of the firmware
 *             index           puts the laps in these images in order
 *             lap_numbers     corrects numbers of laps that contradict each other, for index
 *             lap             the slots of one lap that is in memory, and what each of them is
 *             extra_slots     how many of the slots that no image shows were no events
 *   time      coarse_clock    how much time has passed between slots of a lap, by a second clock
 *             unseen_wraps    adds wraps of the clock that the firmware has not seen
 *             set_back        raises the stamps behind the places where somebody has set the clock back
 *             lap_slots, lap_times, following, ranking, lone_jump   which times of a lap are believed
 *             scale, rates    make ns of stamps, also where the rate of the clock changes
 *   events    lap_load        one lap in memory, with a decision about each of its slots
 *             stream          makes events of a lane's laps, and counts what is missing between them
 *             fast_path       makes many ordinary events at once, as nearly all are
 *             payload         types and payloads of events
 *             names           names and priorities
 *             rate_search     marks of the clock's rate, and what cannot be read, where one may be lost
 *   repair    repair          what could not be read as it stands, as far as it is proved
 *             header_repair, siblings   damaged headers
 *             image_end, displaced_rear, break_search   images that were cut, or that bytes were lost from or came into
 *             orphans, orphan_header   images that have lost their header, but have a right seal
 *             lost_chunks     chunks of which only the firmware's ELF file tells where they are
 *
 * A dump without damage needs nothing of repair. The words ring, lane and part are explained in index.h, group in
 * chunk.h, anchor in coarse_clock.h, orphan in orphan_header.h, sibling in siblings.h; others in model/trace.h and
 * tlog_wire.h. All headers of this folder are private to it.
 *
 * This file merges the streams of each CPU by time. Every record becomes the event that its code names, with both of
 * its parameters, even where the code gives one of them no meaning.
 */
#include "base/heap.h"
#include "model/clock.h"
#include "model/module.h"
#include "formats/native/time/coarse_clock.h"
#include "formats/native/repair/header_repair.h"
#include "formats/native/chunks/header_search.h"
#include "formats/native/chunks/pieces.h"
#include "formats/native/chunks/image_search.h"
#include "formats/native/repair/lost_chunks.h"
#include "formats/native/events/names.h"
#include "formats/native/repair/repair.h"
#include "formats/native/chunks/runs.h"
#include "formats/native/events/rate_search.h"
#include "formats/native/events/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- state ------------------------------------------------------------------------------------------------------- */

/* A CPU, and its streams: those of its ring, of chunks that stand alone, and of their emergency slots. */
struct cpu {
    struct native_stream *streams;
    size_t n;
    bool waits;      /* for an event that is not finished; trace.goes_on */
    size_t finished; /* how many of them are finished: the last one is the first to be */
};

struct reader {
    struct native_decoder decoder;
    struct input *input;
    struct native_view view;       /* for open_all() */
    struct native_stream *streams; /* in the order of the index's lanes: CPU after CPU, then the names */
    struct cpu cpu[NATIVE_CPUS];
};

/* ---- the events of a CPU ----------------------------------------------------------------------------------------- */

/* Choose the stream whose next event is the earliest; NULL: no stream has any. Sets its `until`, up to which it may
 * give out events: the stamp of the earliest event of the other streams. */
static struct native_stream *choose(struct reader *reader, struct cpu *cpu, struct trace_batch *batch)
{
    struct native_stream *first = NULL;
    uint64_t stamp = NATIVE_STAMP_NEVER, other = NATIVE_STAMP_NEVER;
    for (size_t i = 0; i < cpu->n; i++) {
        struct native_stream *stream = &cpu->streams[i];
        uint64_t next = native_stream_next(&reader->decoder, stream, batch);
        if (next < stamp) {
            other = stamp;
            stamp = next;
            first = stream;
        } else if (next < other) {
            other = next;
        }
    }
    if (first != NULL)
        first->until = other;
    return first;
}

static uint64_t last_stamp(const struct cpu *cpu)
{
    uint64_t stamp = 0;
    for (size_t i = 0; i < cpu->n; i++)
        stamp = cpu->streams[i].stamp > stamp ? cpu->streams[i].stamp : stamp;
    return stamp;
}

/* Add what is missing behind the last event: dropped events that only the ring's count tells, and gaps at the ends of
 * lanes. There may be more lanes than the batch has room for; the next call goes on with the others. */
static void finish(struct reader *reader, struct cpu *cpu, struct trace_batch *batch)
{
    uint64_t stamp = last_stamp(cpu);
    while (cpu->finished < cpu->n && native_stream_has_room(batch)) {
        struct native_stream *stream = &cpu->streams[cpu->n - ++cpu->finished];
        uint64_t lost = stream == cpu->streams ? reader->decoder.index.ring[stream->lane->ring].unreported : 0;
        native_stream_finish(&reader->decoder, stream, batch, lost, stamp);
    }
}

static int read_batch(void *state, unsigned number, struct trace_batch *batch)
{
    struct reader *reader = state;
    struct cpu *cpu = &reader->cpu[number];
    struct native_stream *stream = NULL;
    batch->n = batch->used = 0;
    while (!cpu->waits && native_stream_has_room(batch) && (stream = choose(reader, cpu, batch)) != NULL) {
        native_stream_read(&reader->decoder, stream, batch);
        cpu->waits = stream->waits;
    }
    if (stream == NULL && !cpu->waits)
        finish(reader, cpu, batch);
    if (reader->decoder.trace->failed)
        return -1;
    return batch->n > 0;
}

/* ---- the clock --------------------------------------------------------------------------------------------------- */

/* Ticks per ms, from the first record of the loaded lap that tells them; 0: none does. */
static uint32_t clock_in_lap(const struct native_stream *stream)
{
    for (uint32_t i = stream->lap.first; i <= stream->lap.last; i++) {
        const unsigned char *slot = native_lap_slot(&stream->lap, i);
        uint32_t code = native_head(slot) & TLOG_RECORD_CODE, par2 = get_le32(slot + NATIVE_PAR2);
        if (native_stream_has_record(stream, i)
            && (code == FTrace_EVT_cycles_per_msec || code == FTrace_EVT_trace_start) && par2 != 0)
            return par2;
    }
    return 0;
}

static void start_stream(struct reader *reader, size_t i)
{
    native_stream_start(&reader->decoder, &reader->streams[i], &reader->decoder.index.lanes[i], reader->input);
}

/* Search all laps for a record that tells the clock, because the headers do not. Returns ticks per ms, or 0. Damage is
 * neither reported nor counted here: that comes when the laps are decoded. */
static uint32_t search_clock(struct reader *reader)
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

/* The rate of the clock changes: set the scale of each stream by its marks. False: there are none. What is told in
 * ticks is in ns then. */
static bool set_pieces(struct reader *reader)
{
    struct trace *trace = reader->decoder.trace;
    const struct native_rates *rates = &reader->decoder.rates;
    if (rates->nrates == 0) {
        trace_note(trace, "the rate of the clock changes, but no mark is left that tells it");
        return false;
    }
    for (size_t i = 0; i < reader->decoder.index.nlanes; i++)
        native_scale_set_pieces(&reader->streams[i].scale, rates->rate, rates->nrates);
    trace->clock_hz = NATIVE_NS_PER_S;
    native_rates_tell(rates, &reader->decoder.index, trace);
    return true;
}

/* Set the scale of each stream. The trace's clock is that of the first CPU that has one. */
static void set_clocks(struct reader *reader)
{
    struct trace *trace = reader->decoder.trace;
    uint64_t found = 0;
    bool searched = false;
    if (native_rates_are_needed(&reader->decoder.index) && set_pieces(reader))
        return;
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

/* Copy the build id of the firmware to the trace, and learn the size of its addresses. Every header of the run tells
 * both, even one in a region. */
static void read_firmware(struct reader *reader)
{
    const struct native_image *image = &reader->decoder.index.images[0];
    unsigned char *build = reader->decoder.trace->build;
    reader->decoder.types.address_words = 1;
    if (reader->decoder.index.n == 0)
        return;
    reader->decoder.types.address_words = image->pointer == 8u ? 2u : 1u;
    put_le32(build, image->build[0]);
    put_le32(build + 4, image->build[1]);
}

/* The trace group of a lane's events; 0: they are in none. Those of a ring are in no group; those of a chunk that
 * stands alone, which the firmware kept apart, are in a group of their own. */
static uint16_t find_trace_group(struct trace *trace, const struct native_lane *lane)
{
    char name[TRACE_GROUP_BYTES];
    if (lane->kind != NATIVE_ALONE && lane->kind != NATIVE_EMERGENCY_ALONE)
        return 0;
    snprintf(name, sizeof name, "chunk-%u", (unsigned)lane->number);
    return trace_group(trace, name);
}

static int start_streams(struct reader *reader)
{
    const struct native_index *index = &reader->decoder.index;
    struct trace *trace = reader->decoder.trace;
    reader->streams = heap_calloc(index->nlanes, sizeof *reader->streams);
    if (reader->streams == NULL)
        return trace_fail(trace, "%s: no memory", trace->input_name);
    for (size_t i = 0; i < index->nlanes; i++) {
        unsigned ring = index->lanes[i].ring;
        start_stream(reader, i);
        if (ring == NATIVE_RING_NAMES)
            continue;
        reader->streams[i].trace_group = find_trace_group(trace, &index->lanes[i]);
        if (reader->cpu[ring].n++ == 0)
            reader->cpu[ring].streams = &reader->streams[i];
    }
    return trace->failed ? -1 : 0;
}

/* Note that the address which the user gives cannot be right. */
static void check_base(const struct reader *reader, const struct native_image_list *list)
{
    const struct trace *trace = reader->view.trace;
    if (trace->has_base && list->n > 0 && !native_addresses_agree(&reader->view, list->image, list->n))
        trace_note(trace, "--base=0x%" PRIx64 " is not used: no chunk stands where its header says by that",
                   trace->base);
}

/* Find the images of the run that is decoded, and put them into the index. What cannot be read as it stands is
 * repaired, as far as it is proved. Returns 0, or -1 after trace_fail(). */
static int find_images(struct reader *reader)
{
    struct native_image_list list = {.image = NULL};
    int result = native_image_search(&list, &reader->view);
    if (result == 0
        && (!native_image_list_is_read(&list) || native_lost_chunks_exist(&reader->view, list.image, list.n)))
        result = native_repair(&reader->view, &list);
    check_base(reader, &list);
    if (result == 0)
        result = native_runs_choose(&list, &reader->view);
    if (result == 0)
        result = native_repair_report(&reader->view, &list);
    if (result == 0)
        result = native_pieces_make(&list, &reader->view);
    native_image_list_free_unread(&list);
    reader->decoder.index.images = list.image;
    reader->decoder.index.n = list.n;
    return result;
}

/* Whether an interrupt of the firmware's core comes once at a time: on Cortex-M it does. Chunks whose contexts are
 * modes are of another core, where a handler may let its own interrupt come again. */
static bool has_irqs_once(const struct native_index *index)
{
    for (size_t i = 0; i < index->n; i++) {
        if ((index->images[i].place & TLOG_CONTEXT_KIND) == TLOG_CONTEXT_MODE)
            return false;
    }
    return true;
}

/* Read how the rate of the clock changes; a fact may have told the last change. */
static int read_rates(struct reader *reader)
{
    struct native_decoder *decoder = &reader->decoder;
    if (!native_rates_are_needed(&decoder->index))
        return 0;
    if (native_rate_search(decoder, reader->streams, reader->input) != 0)
        return -1;
    return native_rates_make(&decoder->rates, decoder->trace);
}

static int open_all(struct reader *reader)
{
    struct native_decoder *decoder = &reader->decoder;
    struct trace *trace = decoder->trace;
    if (find_images(reader) != 0 || native_index_build(&decoder->index, &reader->view) != 0
        || native_extra_slots_find(&decoder->index, &reader->view) != 0
        || native_anchors_find(&decoder->index, &reader->view) != 0)
        return -1;
    read_firmware(reader);
    trace->ncpus = decoder->index.ncpus;
    trace->irqs_once = has_irqs_once(&decoder->index);
    if (start_streams(reader) != 0)
        return -1;
    for (unsigned cpu = 0; cpu < trace->ncpus; cpu++)
        trace_count_dropped(trace, cpu, decoder->index.ring[cpu].dropped);
    native_types_declare(&decoder->types, trace);
    if (native_names_read(decoder, &reader->view) != 0 || read_rates(reader) != 0)
        return -1;
    set_clocks(reader);
    if (decoder->index.nlanes > 0)
        native_names_scale(trace, reader->streams[0].scale);
    if (native_priorities_read(decoder, reader->streams, reader->input) != 0)
        return -1;
    decoder->types.priorities = decoder->has_priorities;
    native_types_name(&decoder->types, trace);
    return 0;
}

static void close_dump(void *state)
{
    struct reader *reader = state;
    struct native_decoder *decoder = &reader->decoder;
    for (size_t i = 0; reader->streams != NULL && i < decoder->index.nlanes; i++)
        native_stream_free(&reader->streams[i]);
    heap_free(reader->streams);
    heap_free(decoder->priorities);
    native_rates_free(&decoder->rates);
    native_types_free(&decoder->types, decoder->trace);
    native_loader_free(&decoder->loader);
    native_index_free(&decoder->index);
    heap_free(reader->view.bytes);
    heap_free(reader);
}

static void *open_dump(struct trace *trace, struct input *in)
{
    struct reader *reader = heap_calloc(1, sizeof *reader);
    if (reader == NULL) {
        trace_fail(trace, "%s: no memory", trace->input_name);
        return NULL;
    }
    reader->decoder.trace = reader->decoder.loader.trace = trace;
    reader->view.trace = reader->decoder.loader.other.trace = trace;
    reader->input = reader->view.in = reader->decoder.loader.other.in = in;
    reader->view.budget = native_view_budget(in);
    reader->decoder.loader.index = &reader->decoder.index;
    if (open_all(reader) != 0 || trace->failed) {
        close_dump(reader);
        return NULL;
    }
    return reader;
}

#define REPAIRS_TRIED 64u /* damaged headers that probe() looks at */

/* One header that is proved makes it a dump. If there is only what looks like a header, or a seal, it may be one. */
static enum trace_probe probe(struct input *in)
{
    enum trace_probe answer = TRACE_NOT_MINE;
    struct native_search search;
    struct native_header header;
    enum native_found found;
    unsigned tried = 0;
    native_search_begin(&search, in, 0, input_size(in));
    native_search_note(&search);
    while (answer != TRACE_MINE && (found = native_search_next(&search, &header)) != NATIVE_NOTHING) {
        bool repaired = found == NATIVE_UNPROVED && tried++ < REPAIRS_TRIED && header.may_be_mended
                        && native_header_is_repairable(in, header.offset);
        answer = found == NATIVE_HEADER || found == NATIVE_FOREIGN || repaired ? TRACE_MINE : TRACE_MINE_BROKEN;
    }
    native_search_end(&search);
    return answer;
}

static bool waits(const void *reader, unsigned cpu)
{
    return ((const struct reader *)reader)->cpu[cpu].waits;
}

const struct trace_reader reader_native = {
    .name = "native",
    .description = "tlog's own dumps: chunks as they lie in the firmware's memory, in any order, amid anything",
    .probe = probe,
    .open = open_dump,
    .read = read_batch,
    .close = close_dump,
    .waits = waits,
};
