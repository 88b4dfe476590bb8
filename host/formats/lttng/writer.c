/* writer.c - trace directories of LTTng 0.x, format 1.0, as the readers of 2008 expect them.
 *
 *   control/facilities_N    the markers of all events: id and format
 *   control/processes_N     list_process_state, for the names of tasks; kernel_process_fork and _exit, for creations
 *                           and ends of tasks, which are in cpu_N, too
 *   control/interrupts_N    list_interrupt, for the names of interrupts
 *   control/modules_N       what the format has no place for, and tlog-decode needs to read the trace: see marker.h
 *   cpu_N, compact_N        the events
 *
 * A marker is called after its event's system and name, shark_context_switch. Losses and damage are events, since the
 * blocks of this version have no count of lost events.
 */
#include "base/heap.h"
#include "formats/lttng/files.h"
#include "formats/lttng/output.h"

#include "model/module.h"
#include "model/clock.h"
#include "os/os_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_DEFAULT 65536u
#define BLOCK_MOST    (1u << 26)
#define COMPACT_MOST  8u  /* bytes of payload of an event in the compact channel */
#define COMPACT_IDS   64u /* ids of compact events are below this: they have 6 bits */

struct lttng {
    struct lttng_output output;
    struct lttng_output_file cpu, compact; /* of the CPU that is being written */
    unsigned number;                       /* of that CPU */
    bool has_cpu_0;                        /* there is cpu_0 */
    bool has_time;                         /* output.first and earliest are those of an event */
    uint64_t earliest;                     /* time of the first event, ns */
    bool has_start;                        /* when the first event was is given: */
    uint64_t start;                        /* ns since 1970 */
    uint32_t next_id, next_compact_id;
    uint64_t too_long; /* events that did not fit in a block */
};

/* ---- --lttng ----------------------------------------------------------------------------------------------------- */

/* Are the n characters at word this name? */
static bool is(const char *word, size_t n, const char *name)
{
    return strlen(name) == n && strncmp(word, name, n) == 0;
}

/* block=BYTES. The options' functions return false for what they do not understand. */
static bool take_block(struct lttng_options *options, const char *word, size_t n)
{
    char *end;
    unsigned long bytes;
    if (n < 7 || strncmp(word, "block=", 6) != 0 || word[6] < '0' || word[6] > '9')
        return false;
    bytes = strtoul(word + 6, &end, 10);
    options->block = (uint32_t)bytes;
    return end == word + n && bytes >= LTTNG_PAGE && bytes <= BLOCK_MOST && bytes % LTTNG_PAGE == 0;
}

static bool take_word(struct lttng_options *options, const char *word, size_t n)
{
    if (is(word, n, "word=4") || is(word, n, "word=8"))
        options->word = (uint8_t)(word[5] - '0');
    else if (is(word, n, "order=big") || is(word, n, "order=little"))
        options->big = word[6] == 'b';
    else if (is(word, n, "packed"))
        options->packed = true;
    else if (is(word, n, "heartbeat"))
        options->heartbeat = true;
    else if (is(word, n, "compact"))
        options->compact = options->heartbeat = true;
    else if (is(word, n, "flight"))
        options->flight = true;
    else if (is(word, n, "seed"))
        options->seed = true;
    else
        return take_block(options, word, n);
    return true;
}

/* Parse a list such as "word=4,order=big,packed"; NULL = all defaults. 0, or -1 after trace_fail(). */
static int parse_options(struct lttng_options *options, struct trace *trace, const char *list)
{
    *options = (struct lttng_options){.word = 8, .block = BLOCK_DEFAULT};
    while (list != NULL && *list != '\0') {
        size_t n = strcspn(list, ",");
        if (!take_word(options, list, n))
            return trace_fail(trace,
                              "--lttng: %.*s is none of word=4, word=8, order=little, order=big, packed, heartbeat, "
                              "compact, flight, seed, and block=BYTES in whole pages of 4096 up to 64 MiB",
                              (int)n, list);
        list += n + (list[n] == ',');
    }
    return 0;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void close_cpu(struct lttng *lttng)
{
    if (lttng->cpu.fd >= 0)
        lttng_output_file_close(&lttng->cpu, lttng->output.first);
    if (lttng->compact.fd >= 0)
        lttng_output_file_close(&lttng->compact, lttng->output.first);
}

/* The file for an event of a CPU, or NULL after trace_fail(). Files are created for the first event of a CPU: cpu_N
 * in any case, because readers search CPUs by these names. */
static struct lttng_output_file *file_of(struct lttng *lttng, unsigned number, bool compact)
{
    struct lttng_output_file *file = compact ? &lttng->compact : &lttng->cpu;
    if (lttng->number != number)
        close_cpu(lttng);
    lttng->number = number;
    lttng->has_cpu_0 = lttng->has_cpu_0 || number == 0;
    if (lttng->cpu.fd < 0 && lttng_output_open(&lttng->output, &lttng->cpu, "", "cpu", number) != 0)
        return NULL;
    if (file->fd < 0 && lttng_output_open(&lttng->output, file, "", "compact", number) != 0)
        return NULL;
    return file;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Is the payload short enough for the compact channel, whatever texts it has? None with a text is. */
static bool fits_compact(const struct tlog_type *type)
{
    size_t size = 0;
    for (unsigned i = 0; i < type->nfields; i++) {
        enum tlog_kind kind = type->fields[i].kind;
        bool is_text = kind == TLOG_KIND_STRING || kind == TLOG_KIND_CHARS || kind == TLOG_KIND_BYTES;
        size += is_text ? COMPACT_MOST + 1u : type->fields[i].size;
    }
    return size <= COMPACT_MOST;
}

/* The marker of a type, which gets its id with its first event. */
static const struct lttng_output_marker *marker_of(struct lttng *lttng, uint16_t index)
{
    struct lttng_output *output = &lttng->output;
    struct lttng_output_marker *marker = &output->marker[index];
    if (marker->id != 0)
        return marker;
    marker->compact =
        output->options.compact && lttng->next_compact_id < COMPACT_IDS && fits_compact(output->trace->types[index]);
    marker->id = marker->compact ? lttng->next_compact_id++ : lttng->next_id++;
    return marker;
}

/* An event's full stamp: ticks since the trace's start. For events before the start it wraps around, so that
 * differences are right. */
static uint64_t event_ticks(const struct trace *trace, const struct tlog_event *event)
{
    if (event->time < trace->start_ns)
        return 0u - ticks_first(trace->start_ns - event->time, trace->clock_hz);
    return ticks_first(event->time - trace->start_ns, trace->clock_hz) + event->rest;
}

/* Keep that the event creates or ends a task, if it does. Task 0 is idle, which every system of the format has at all
 * times. 0, or -1 after trace_fail(). */
static int keep_life(struct lttng_output *output, unsigned number, const struct tlog_event *event, uint64_t tsc)
{
    const struct tlog_type *type = output->trace->types[event->type];
    size_t n = output->nlives;
    struct lttng_output_life *lives;
    uint32_t task = 0;
    if ((type->means == TLOG_MEANS_CREATE && type->nfields > 0 && type->fields[0].kind < TLOG_KIND_MUTEX)
        || trace_ends_task(type))
        task = (uint32_t)lttng_output_field(event, &type->fields[0]);
    if (task == 0)
        return 0;
    lives = heap_grow(output->lives, n, &output->lives_room, sizeof *lives);
    if (lives == NULL)
        return trace_fail(output->trace, "no memory for creations and ends of tasks");
    output->lives = lives;
    lives[n] = (struct lttng_output_life){
        .tsc = tsc, .order = n, .task = task, .cpu = (uint16_t)number, .ends = type->means == TLOG_MEANS_END};
    output->nlives++;
    return 0;
}

/* Tell of an event what it has no place for, if it is not as that of the event before: see marker.h. */
static void put_facts(struct lttng_output *output, struct lttng_output_file *file, const struct tlog_event *event,
                      uint64_t tsc)
{
    bool mapped = output->trace->mapped;
    uint32_t flags = TLOG_FLAG_UNCHECKED | TLOG_FLAG_EMERGENCY | (mapped ? TLOG_FLAG_IN_INTERRUPT : 0);
    const uint32_t facts[4] = {mapped ? event->task : 0, event->context, event->group, event->flags & flags};
    if (memcmp(facts, file->facts, sizeof facts) == 0)
        return;
    memcpy(file->facts, facts, sizeof facts);
    output->n = 0;
    for (unsigned i = 0; i < 4u; i++)
        lttng_output_number(output, 4, facts[i]);
    lttng_output_file_add(file, lttng_control_facts_id(file->compact), tsc, output->payload, output->n);
}

static int write_event(struct lttng *lttng, unsigned number, const struct tlog_event *event)
{
    struct lttng_output *output = &lttng->output;
    const struct lttng_output_marker *marker = marker_of(lttng, event->type);
    uint64_t tsc = event_ticks(output->trace, event);
    struct lttng_output_file *file = file_of(lttng, number, marker->compact);
    if (file == NULL)
        return -1;
    if (!lttng->has_time || (int64_t)(tsc - output->first) < 0)
        output->first = tsc;
    if (!lttng->has_time || event->time < lttng->earliest)
        lttng->earliest = event->time;
    lttng->has_time = true;
    put_facts(output, file, event, tsc);
    lttng_output_payload(output, event);
    if (!lttng_output_file_add(file, marker->id, tsc, output->payload, output->n))
        lttng->too_long++;
    return output->trace->failed ? -1 : keep_life(output, number, event, tsc);
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

static void *lttng_open(struct trace *trace, const struct trace_options *options, int directory)
{
    struct lttng *lttng = heap_calloc(1, sizeof *lttng);
    if (lttng == NULL) {
        trace_fail(trace, "no memory for the output buffer");
        return NULL;
    }
    lttng->output.trace = trace;
    lttng->output.directory = directory;
    lttng->output.start_ns = trace->start_ns;
    lttng->has_start = (options->given & TRACE_OPTION_START_TIME) != 0;
    lttng->start = (uint64_t)options->start_time;
    if (lttng->has_start && trace->clock_hz == 0)
        trace_fail(trace, "the clock's frequency is not known, so --start-time has no meaning; --clock-hz=N tells it");
    lttng->next_id = lttng_control_first_id();
    lttng->next_compact_id = lttng_control_facts_id(true) + 1u;
    lttng->cpu.fd = lttng->compact.fd = -1;
    if (!trace->failed && parse_options(&lttng->output.options, trace, options->variant) == 0
        && !os_make_in(directory, "control"))
        trace_fail(trace, "control: %s", strerror(errno));
    if (trace->failed) {
        heap_free(lttng);
        return NULL;
    }
    return lttng;
}

/* Derived events are left out: the mapping adds them again when the trace is read. */
static int lttng_write(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct lttng *lttng = writer;
    for (size_t i = 0; i < batch->n; i++) {
        if ((batch->event[i].flags & TLOG_FLAG_DERIVED) == 0 && write_event(lttng, cpu, &batch->event[i]) != 0)
            return -1;
    }
    return 0;
}

/* Tell when the trace began, by when its first event was. The blocks that are written do not know it yet. 0, or -1
 * after trace_fail(). */
static int set_start(struct lttng *lttng)
{
    struct lttng_output *output = &lttng->output;
    uint64_t since = lttng->earliest - output->trace->start_ns; /* ns of the first event, as stamps count */
    if (!lttng->has_start || !lttng->has_time)
        return 0;
    if (since <= INT64_MAX && since > lttng->start)
        return trace_fail(output->trace,
                          "--start-time: the clock had run for %" PRIu64
                          " s by then, so it would have begun before 1970",
                          since / TICKS_NS_PER_S);
    output->start_ns = lttng->start - since;
    for (unsigned i = 0; i < output->trace->ncpus; i++) {
        if (lttng_output_set_start(output, "cpu", i) != 0 || lttng_output_set_start(output, "compact", i) != 0)
            return -1;
    }
    return 0;
}

static int lttng_close(void *writer, bool ok)
{
    struct lttng *lttng = writer;
    struct trace *trace = lttng->output.trace;
    int result = 0;
    if (ok) {
        if (!lttng->has_cpu_0) /* its descriptions without a file of events would tell that events are missing */
            file_of(lttng, 0, false);
        close_cpu(lttng);
        result = trace->failed || set_start(lttng) != 0 ? -1 : lttng_control_write(&lttng->output);
        trace_leave_out(trace, "lttng", lttng->too_long, "they are longer than a block");
    }
    lttng_output_file_drop(&lttng->cpu);
    lttng_output_file_drop(&lttng->compact);
    heap_free(lttng->output.lives);
    heap_free(lttng);
    return result;
}

const struct trace_writer writer_lttng = {
    .name = "lttng",
    .description = "trace directory of LTTng 0.x, format 1.0, for LTTV; variants with --lttng",
    .binary = true,
    .native = true,
    .takes = TRACE_OPTION_VARIANT | TRACE_OPTION_START_TIME,
    .may_replace = lttng_files_may_replace,
    .open = lttng_open,
    .write = lttng_write,
    .close = lttng_close,
};
