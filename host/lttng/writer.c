/* writer.c - trace directories of LTTng 0.x, format 1.0, as the readers of 2008 know them.
 *
 *   control/facilities_N    the markers of all events: id and format
 *   control/processes_N     list_process_state, for the names of tasks
 *   control/interrupts_N    list_interrupt, for the names of interrupts
 *   control/modules_N       what the format has no place for, and tlog-decode wants back
 *   cpu_N, compact_N        the events
 *
 * A marker is called after its event's system and name, shark_context_switch. Losses and damage are events: the blocks
 * of this version have no count of lost events.
 */
#include "lttng/files.h"
#include "model/module.h"
#include "lttng/format.h"
#include "lttng/options.h"
#include "lttng/sink.h"
#include "model/ticks.h"

#include "base/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAYLOAD_MAX   65536u
#define FORMAT_BYTES  4096u
#define NAME_BYTES    128u
#define COMPACT_MOST  8u  /* bytes of payload of an event in the compact channel */
#define COMPACT_IDS   64u /* ids there are below this */
#define COMPACT_SHIFT 26u /* of the data in its words: 20 bits of time, 6 of id; data stay 0 */
#define COMPACT_STAMP 20u
#define KHZ           1000u
#define UNKNOWN_KHZ   1000000u

enum { ARCH_ARM = 6, ARCH_PPC64 = 7, ARCH_X86_64 = 8 };

/* Markers of control channels; their ids are below those of events. */
enum control {
    CONTROL_WRITER,
    CONTROL_CLOCK,
    CONTROL_TYPE,
    CONTROL_NAME,
    CONTROL_MODULE,
    CONTROL_PROCESS,
    CONTROL_INTERRUPT,
    CONTROLS,
};

static const struct {
    const char *name, *format;
} controls[CONTROLS] = {
    [CONTROL_WRITER] = {"tlog_writer", "version %u"},
    [CONTROL_CLOCK] = {"tlog_clock", "hz %llu start_ns %llu"},
    [CONTROL_TYPE] = {"tlog_type", "id %u system %s name %s class %s"},
    [CONTROL_NAME] = {"tlog_name", "kind %u id %u name %s"},
    [CONTROL_MODULE] = {"list_module", "name %s state %d ref %lu"},
    [CONTROL_PROCESS] = {"list_process_state",
                         "pid %d parent_pid %d name %s type %d mode %d submode %d status %d tgid %d"},
    [CONTROL_INTERRUPT] = {"list_interrupt", "name %s action %s irq_id %u"},
};

struct kind {
    uint32_t id; /* 0 = no event of it yet */
    bool compact;
};

struct lttng {
    struct trace *trace;
    int directory;
    struct lttng_options options;
    struct lttng_sink cpu, compact, control;
    unsigned number; /* of the CPU whose files are open */
    bool has_time;
    uint64_t first; /* earliest tick of all */
    uint32_t next_id, next_compact_id;
    uint64_t too_long;
    struct kind kind[TRACE_TYPES_MAX];
    unsigned char payload[PAYLOAD_MAX];
    size_t n;
};

/* ---- payloads ---------------------------------------------------------------------------------------------------- */

static void put_number(struct lttng *lttng, unsigned size, uint64_t value)
{
    unsigned alignment = lttng->options.packed ? 0 : lttng->options.word;
    uint32_t pad = lttng_pad(lttng->n, size, alignment);

    if (lttng->n + pad + size > PAYLOAD_MAX)
        return;
    memset(lttng->payload + lttng->n, 0, pad);
    lttng->n += pad;
    lttng_put(lttng->payload + lttng->n, size, lttng->options.big, value);
    lttng->n += size;
}

static void put_text(struct lttng *lttng, const void *text, size_t n)
{
    const unsigned char *end = n > 0 ? memchr(text, 0, n) : NULL;

    if (end != NULL)
        n = (size_t)(end - (const unsigned char *)text);
    if (lttng->n + n + 1u > PAYLOAD_MAX)
        return;
    if (n > 0)
        memcpy(lttng->payload + lttng->n, text, n);
    lttng->payload[lttng->n + n] = '\0';
    lttng->n += n + 1u;
}

static void put_word(struct lttng *lttng, const char *word)
{
    put_text(lttng, word, strlen(word));
}

static void put_field(struct lttng *lttng, const struct trace_event *event, const struct trace_field *field)
{
    const unsigned char *data = event->data + field->offset;
    bool there = field->offset <= event->size && field->size <= event->size - field->offset;
    uint32_t place;

    if (field->kind == TRACE_CHARS) {
        put_text(lttng, data, there ? field->size : 0);
    } else if (field->kind == TRACE_STRING) {
        place = there ? get_le32(data) : 0;
        there = there && (place & 0xFFFFu) <= event->size && place >> 16 <= event->size - (place & 0xFFFFu);
        put_text(lttng, event->data + (there ? place & 0xFFFFu : 0), there ? place >> 16 : 0);
    } else {
        put_number(lttng, field->size, there ? lttng_get(data, field->size, false) : 0);
    }
}

static bool is_count(const struct trace_type *type)
{
    return type->class == TRACE_LOSS || type->class == TRACE_DAMAGE;
}

static void put_payload(struct lttng *lttng, const struct trace_event *event, const struct trace_type *type)
{
    lttng->n = 0;
    if (is_count(type))
        put_number(lttng, 8, event->size >= 8u ? get_le64(event->data) : 0);
    for (unsigned i = 0; i < type->nfields && !is_count(type); i++)
        put_field(lttng, event, &type->fields[i]);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void set_form(const struct lttng *lttng, struct lttng_sink *sink, bool compact)
{
    const struct lttng_options *options = &lttng->options;
    const struct trace *trace = lttng->trace;
    uint64_t hz = trace->clock_hz;
    struct lttng_header *form = &sink->form;

    *sink = (struct lttng_sink){.trace = lttng->trace, .fd = -1, .compact = compact};
    sink->arch_type = options->word == 4 ? ARCH_ARM : options->big ? ARCH_PPC64 : ARCH_X86_64;
    form->big = options->big;
    form->heartbeat = options->heartbeat;
    form->arch_size = options->word;
    form->alignment = options->packed ? 0 : options->word;
    form->flight = options->flight;
    form->tscbits = options->compact ? COMPACT_STAMP : 32;
    form->data_shift = options->compact ? COMPACT_SHIFT : 0;
    form->freq_scale = hz % KHZ == 0 ? KHZ : 1u;
    form->start_freq = hz == 0 ? UNKNOWN_KHZ : hz / form->freq_scale;
    form->start_ns = trace->start_ns;
    form->size = options->block;
}

/* Overwritten channels, which are all but facilities, say so in their names. */
static int open_sink(struct lttng *lttng, struct lttng_sink *sink, const char *directory, const char *channel,
                     unsigned number)
{
    bool flight = lttng->options.flight && strcmp(channel, "facilities") != 0;
    char path[NAME_BYTES];

    snprintf(path, sizeof path, "%s%s%s_%u", directory, flight ? "flight-" : "", channel, number);
    set_form(lttng, sink, strcmp(channel, "compact") == 0);
    return lttng_sink_open(sink, lttng->directory, path);
}

static void close_cpu(struct lttng *lttng)
{
    if (lttng->cpu.fd >= 0)
        lttng_sink_close(&lttng->cpu, lttng->first);
    if (lttng->compact.fd >= 0)
        lttng_sink_close(&lttng->compact, lttng->first);
}

/* Files of a CPU are made when it gets its first event: cpu_N always, for readers know CPUs by it. */
static struct lttng_sink *sink_of(struct lttng *lttng, unsigned number, bool compact)
{
    struct lttng_sink *sink = compact ? &lttng->compact : &lttng->cpu;

    if (lttng->number != number)
        close_cpu(lttng);
    lttng->number = number;
    if (lttng->cpu.fd < 0 && open_sink(lttng, &lttng->cpu, "", "cpu", number) != 0)
        return NULL;
    if (sink->fd < 0 && open_sink(lttng, sink, "", "compact", number) != 0)
        return NULL;
    return sink;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static bool fits_compact(const struct trace_type *type)
{
    size_t size = 0;

    for (unsigned i = 0; i < type->nfields; i++)
        size += type->fields[i].kind == TRACE_STRING || type->fields[i].kind == TRACE_CHARS ? COMPACT_MOST + 1u
                                                                                            : type->fields[i].size;
    return size <= COMPACT_MOST;
}

static const struct kind *kind_of(struct lttng *lttng, uint16_t index)
{
    struct kind *kind = &lttng->kind[index];

    if (kind->id != 0)
        return kind;
    kind->compact =
        lttng->options.compact && lttng->next_compact_id < COMPACT_IDS && fits_compact(lttng->trace->types[index]);
    kind->id = kind->compact ? lttng->next_compact_id++ : lttng->next_id++;
    return kind;
}

static uint64_t event_ticks(const struct lttng *lttng, const struct trace_event *event)
{
    const struct trace *trace = lttng->trace;

    if (event->time < trace->start_ns) /* before the trace began, so that differences are right */
        return 0u - ticks_first(trace->start_ns - event->time, trace->clock_hz);
    return ticks_first(event->time - trace->start_ns, trace->clock_hz) + event->rest;
}

static int write_event(struct lttng *lttng, unsigned number, const struct trace_event *event)
{
    const struct kind *kind = kind_of(lttng, event->type);
    uint64_t tsc = event_ticks(lttng, event);
    struct lttng_sink *sink = sink_of(lttng, number, kind->compact);

    if (sink == NULL)
        return -1;
    if (!lttng->has_time || (int64_t)(tsc - lttng->first) < 0)
        lttng->first = tsc;
    lttng->has_time = true;
    put_payload(lttng, event, lttng->trace->types[event->type]);
    if (!lttng_sink_event(sink, kind->id, tsc, lttng->payload, lttng->n))
        lttng->too_long++;
    return lttng->trace->failed ? -1 : 0;
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* Sizes of 1 and 2 bytes are told before the conversion, in the only form that readers of 2008 understand. */
static const char *conversion(const struct trace_field *field)
{
    unsigned row = field->size == 1 ? 0 : field->size == 2 ? 1 : field->size == 8 ? 3 : 2;
    static const char *const is_unsigned[] = {"#1u%u", "#2u%u", "%u", "%llu"};
    static const char *const is_signed[] = {"#1d%d", "#2d%d", "%d", "%lld"};
    static const char *const is_hex[] = {"#1x0x%x", "#2x0x%x", "0x%x", "0x%llx"};

    switch (field->kind) {
    case TRACE_SIGNED:
        return is_signed[row];
    case TRACE_HEX:
        return is_hex[row];
    case TRACE_OPTIONAL:
        return "%-u";
    case TRACE_ADDRESS:
        return field->size == 4 ? "#4x%p" : is_hex[row];
    case TRACE_CHARS:
    case TRACE_STRING:
        return "%s";
    default:
        return is_unsigned[row];
    }
}

static void make_format(const struct trace_type *type, char *format)
{
    size_t used = 0;

    format[0] = '\0';
    if (is_count(type)) {
        snprintf(format, FORMAT_BYTES, "count %%llu");
        return;
    }
    for (unsigned i = 0; i < type->nfields && used < FORMAT_BYTES; i++)
        used += (size_t)snprintf(format + used, FORMAT_BYTES - used, "%s%s %s", i ? " " : "", type->fields[i].name,
                                 conversion(&type->fields[i]));
}

/* Two markers of one name would be one to a reader. */
static void make_name(const struct lttng *lttng, unsigned index, char *name)
{
    const struct trace_type *type = lttng->trace->types[index];

    snprintf(name, NAME_BYTES, "%.40s_%.60s", type->system, type->name);
    for (unsigned i = 0; i < index; i++) {
        const struct trace_type *other = lttng->trace->types[i];

        if (lttng->kind[i].id != 0 && strcmp(other->system, type->system) == 0
            && strcmp(other->name, type->name) == 0) {
            snprintf(name, NAME_BYTES, "%.40s_%.60s_%u", type->system, type->name, lttng->kind[index].id);
            return;
        }
    }
}

/* ---- control channels -------------------------------------------------------------------------------------------- */

static void put_control(struct lttng *lttng, uint32_t id)
{
    lttng_sink_event(&lttng->control, id, lttng->first, lttng->payload, lttng->n);
    lttng->n = 0;
}

static uint32_t control_id(enum control control)
{
    return LTTNG_FIRST_ID + (uint32_t)control;
}

static void declare_marker(struct lttng *lttng, uint32_t id, const char *name, const char *format)
{
    uint8_t word = lttng->options.word;

    lttng->n = 0;
    put_word(lttng, name);
    put_number(lttng, 2, id);
    put_number(lttng, 1, 4); /* sizes of int, long, pointer, size_t; alignment */
    put_number(lttng, 1, word);
    put_number(lttng, 1, word);
    put_number(lttng, 1, word);
    put_number(lttng, 1, lttng->options.packed ? 0 : word);
    put_control(lttng, LTTNG_MARKER_ID);
    put_word(lttng, name);
    put_word(lttng, format);
    put_control(lttng, LTTNG_MARKER_FORMAT);
}

static int write_facilities(struct lttng *lttng)
{
    char name[NAME_BYTES], format[FORMAT_BYTES];

    if (open_sink(lttng, &lttng->control, "control/", "facilities", 0) != 0)
        return -1;
    for (unsigned i = 0; i < CONTROLS; i++)
        declare_marker(lttng, control_id((enum control)i), controls[i].name, controls[i].format);
    for (unsigned i = 0; i < lttng->trace->ntypes; i++) {
        if (lttng->kind[i].id == 0)
            continue;
        make_name(lttng, i, name);
        make_format(lttng->trace->types[i], format);
        declare_marker(lttng, lttng->kind[i].id, name, format);
    }
    return lttng_sink_close(&lttng->control, lttng->first);
}

static const char *class_name(enum trace_class class)
{
    switch (class) {
    case TRACE_SWITCH:
        return "switch";
    case TRACE_WAKE:
        return "wake";
    case TRACE_BLOCK:
        return "block";
    case TRACE_UNBLOCK:
        return "unblock";
    case TRACE_IRQ_ENTRY:
        return "irq_entry";
    case TRACE_IRQ_EXIT:
        return "irq_exit";
    case TRACE_PRIORITY:
        return "priority";
    case TRACE_LOSS:
        return "loss";
    case TRACE_DAMAGE:
        return "damage";
    default:
        return "plain";
    }
}

static void put_type(struct lttng *lttng, unsigned index)
{
    const struct trace_type *type = lttng->trace->types[index];

    put_number(lttng, 4, lttng->kind[index].id);
    put_word(lttng, type->system);
    put_word(lttng, type->name);
    put_word(lttng, class_name(type->class));
    put_control(lttng, control_id(CONTROL_TYPE));
}

/* Names of one kind on their way to a control channel. */
struct naming {
    struct lttng *lttng;
    enum trace_name_kind kind;
};

static void put_name(void *ctx, uint32_t id, const char *name)
{
    const struct naming *naming = ctx;

    put_number(naming->lttng, 4, naming->kind);
    put_number(naming->lttng, 4, id);
    put_word(naming->lttng, name);
    put_control(naming->lttng, control_id(CONTROL_NAME));
}

static void put_process(void *ctx, uint32_t id, const char *name)
{
    struct lttng *lttng = ((const struct naming *)ctx)->lttng;

    put_number(lttng, 4, id);
    put_number(lttng, 4, 0);
    put_word(lttng, name);
    for (unsigned i = 0; i < 4u; i++) /* type, mode, submode, status: not known */
        put_number(lttng, 4, 0);
    put_number(lttng, 4, id);
    put_control(lttng, control_id(CONTROL_PROCESS));
}

static void put_interrupt(void *ctx, uint32_t id, const char *name)
{
    struct lttng *lttng = ((const struct naming *)ctx)->lttng;

    put_word(lttng, "");
    put_word(lttng, name);
    put_number(lttng, 4, id);
    put_control(lttng, control_id(CONTROL_INTERRUPT));
}

static int write_names(struct lttng *lttng, const char *channel, enum trace_name_kind kind,
                       void (*put)(void *ctx, uint32_t id, const char *name))
{
    struct naming naming = {lttng, kind};

    if (open_sink(lttng, &lttng->control, "control/", channel, 0) != 0)
        return -1;
    trace_each_name(lttng->trace, kind, put, &naming);
    return lttng_sink_close(&lttng->control, lttng->first);
}

static int write_modules(struct lttng *lttng)
{
    const struct trace *trace = lttng->trace;

    if (open_sink(lttng, &lttng->control, "control/", "modules", 0) != 0)
        return -1;
    put_word(lttng, trace->target ? trace->target : "firmware");
    put_number(lttng, 4, 0);
    put_number(lttng, lttng->options.word, 0);
    put_control(lttng, control_id(CONTROL_MODULE));
    put_number(lttng, 8, trace->clock_hz);
    put_number(lttng, 8, trace->start_ns);
    put_control(lttng, control_id(CONTROL_CLOCK));
    for (unsigned i = 0; i < trace->ntypes; i++) {
        if (lttng->kind[i].id != 0)
            put_type(lttng, i);
    }
    for (unsigned kind = 0; kind < TRACE_NAME_KINDS; kind++)
        trace_each_name(trace, (enum trace_name_kind)kind, put_name,
                        &(struct naming){lttng, (enum trace_name_kind)kind});
    return lttng_sink_close(&lttng->control, lttng->first);
}

/* Facilities of other CPUs: a reader counts CPUs by them. */
static int write_other_cpus(struct lttng *lttng)
{
    for (unsigned i = 1; i < lttng->trace->ncpus; i++) {
        if (open_sink(lttng, &lttng->control, "control/", "facilities", i) != 0
            || lttng_sink_close(&lttng->control, lttng->first) != 0)
            return -1;
    }
    return 0;
}

static int write_control(struct lttng *lttng)
{
    lttng->n = 0;
    if (write_facilities(lttng) != 0 || write_other_cpus(lttng) != 0 || write_modules(lttng) != 0
        || write_names(lttng, "processes", TRACE_NAME_TASK, put_process) != 0)
        return -1;
    return write_names(lttng, "interrupts", TRACE_NAME_IRQ, put_interrupt);
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

static void *lttng_open(struct trace *trace, const struct trace_options *options, int directory)
{
    struct lttng *lttng = calloc(1, sizeof *lttng);

    if (lttng == NULL) {
        trace_fail(trace, "no memory for the output buffer");
        return NULL;
    }
    lttng->trace = trace;
    lttng->directory = directory;
    lttng->next_id = control_id(CONTROLS);
    lttng->next_compact_id = LTTNG_FIRST_COMPACT_ID;
    lttng->cpu.fd = lttng->compact.fd = lttng->control.fd = -1;
    if (lttng_options_parse(&lttng->options, trace, options->variant) == 0 && mkdirat(directory, "control", 0777) != 0)
        trace_fail(trace, "control: %s", strerror(errno));
    if (trace->failed) {
        free(lttng);
        return NULL;
    }
    return lttng;
}

static int lttng_write(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct lttng *lttng = writer;

    for (size_t i = 0; i < batch->n; i++) {
        if (!(batch->event[i].flags & TRACE_DERIVED) && write_event(lttng, cpu, &batch->event[i]) != 0)
            return -1;
    }
    return 0;
}

static int lttng_close(void *writer, bool ok)
{
    struct lttng *lttng = writer;
    int result = 0;

    if (ok) {
        close_cpu(lttng);
        result = lttng->trace->failed ? -1 : write_control(lttng);
        if (lttng->too_long > 0 && !lttng->trace->quiet)
            fprintf(stderr, "tlog-decode: lttng: %" PRIu64 " events left out: longer than a block\n", lttng->too_long);
    }
    lttng_sink_drop(&lttng->cpu);
    lttng_sink_drop(&lttng->compact);
    lttng_sink_drop(&lttng->control);
    free(lttng);
    return result;
}

const struct trace_writer writer_lttng = {
    .name = "lttng",
    .description = "trace directory of LTTng 0.x, format 1.0; variants with --lttng",
    .binary = true,
    .native = true,
    .takes = TRACE_OPTION_VARIANT,
    .may_replace = lttng_directory_is_trace,
    .open = lttng_open,
    .write = lttng_write,
    .close = lttng_close,
};
