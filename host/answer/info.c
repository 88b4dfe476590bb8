/* info.c - the writer of --info: what an input is, and how many events of each type it has. */
#include "base/heap.h"
#include "answer/answer.h"
#include "answer/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct info {
    struct answer *answer;
    struct trace *trace;
    uint64_t events[TRACE_TYPES_MAX]; /* of each type */
    uint64_t *on_cpu;                 /* of each CPU */
};

static void *open_info(struct trace *trace, const struct trace_options *options, int fd)
{
    struct info *info = heap_calloc(1, sizeof *info);
    (void)fd;
    if (info != NULL)
        info->on_cpu = heap_calloc(trace->ncpus + 1u, sizeof *info->on_cpu);
    if (info == NULL || info->on_cpu == NULL) {
        trace_fail(trace, "no memory for %u CPUs", trace->ncpus);
        heap_free(info);
        return NULL;
    }
    info->answer = options->answer;
    info->trace = trace;
    return info;
}

static int write_info(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct info *info = writer;
    for (size_t i = 0; i < batch->n; i++) {
        uint16_t type = batch->event[i].type;
        info->events[type]++;
        info->on_cpu[cpu] += info->trace->types[type]->means < TLOG_MEANS_LOSS;
    }
    return 0;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* What the kinds of names are called, by enum trace_name_kind. */
static const char *const kinds[] = {
    "task",      "interrupt",    "mutex",         "event",          "object",     "queue",   "queue_set",   "semaphore",
    "timer",     "event_group",  "stream_buffer", "message_buffer", "mailbox",    "pipe",    "memory_pool", "heap",
    "condition", "notification", "barrier",       "lock",           "work_queue", "counter",
};

static void count_name(void *ctx, uint32_t id, const char *name)
{
    uint64_t *n = ctx;
    (void)id;
    *n += name[0] != '\0';
}

static uint64_t names_of(const struct trace *trace, unsigned kind)
{
    uint64_t n = 0;
    trace_each_name(trace, (enum trace_name_kind)kind, count_name, &n);
    return n;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void line_text(const struct info *info, const char *name, const char *value)
{
    fprintf(info->answer->to, "  %-24s", name);
    answer_name(info->answer->to, value);
    putc('\n', info->answer->to);
}

static void line_number(const struct info *info, const char *name, uint64_t value)
{
    fprintf(info->answer->to, "  %-24s%" PRIu64 "\n", name, value);
}

static void build_id(const struct trace *trace, char text[2u * TRACE_BUILD_BYTES + 1u])
{
    static const unsigned char none[TRACE_BUILD_BYTES];
    text[0] = '\0';
    if (memcmp(trace->build, none, sizeof none) == 0)
        return;
    for (unsigned i = 0; i < TRACE_BUILD_BYTES; i++)
        snprintf(text + 2u * i, 3, "%02x", trace->build[i]);
}

static void target_text(const struct info *info)
{
    const struct trace *trace = info->trace;
    char build[2u * TRACE_BUILD_BYTES + 1u], time[ANSWER_TIME_BYTES];
    line_text(info, "format", trace->format != NULL ? trace->format : "-");
    if (trace->target != NULL)
        line_text(info, "target", trace->target);
    if (trace_detail(trace, "clock_changes") > 0)
        line_text(info, "clock", "its rate changes: times are ns");
    else if (trace->clock_hz > 0)
        fprintf(info->answer->to, "  %-24s%" PRIu64 " Hz\n", "clock", trace->clock_hz);
    else
        line_text(info, "clock", "not known: times are ticks");
    line_text(info, "first event at", answer_moment(trace, trace->counts.first, time));
    line_text(info, "last event at", answer_moment(trace, trace->counts.last, time));
    build_id(trace, build);
    if (build[0] != '\0')
        line_text(info, "build id", build);
    if (trace->priority_order != TRACE_ORDER_UNKNOWN)
        line_text(info, "priorities", trace->priority_order == TRACE_LOWEST_FIRST ? "lowest first" : "highest first");
    if (trace->firmware != NULL && trace->firmware->path != NULL)
        line_text(info, trace->firmware->is_wrong ? "firmware (wrong)" : "firmware", trace->firmware->path);
    for (unsigned i = 0; i < trace->ndetails; i++)
        line_number(info, trace->details[i].name, trace->details[i].value);
    for (unsigned kind = 0; kind < TRACE_NAME_KINDS; kind++) {
        if (names_of(trace, kind) > 0)
            fprintf(info->answer->to, "  names of %-15s%" PRIu64 "\n", kinds[kind], names_of(trace, kind));
    }
}

/* How many of the places that are not proved are shown. */
static unsigned unproved_shown(const struct trace *trace)
{
    return trace->nunproved < TRACE_UNPROVED_MAX ? (unsigned)trace->nunproved : TRACE_UNPROVED_MAX;
}

static void unproved_text(const struct info *info)
{
    const struct trace *trace = info->trace;
    for (unsigned i = 0; i < unproved_shown(trace); i++)
        fprintf(info->answer->to, "  not proved, left alone  offset 0x%" PRIx64 ": %s\n", trace->unproved[i].offset,
                trace->unproved[i].text);
    if (trace->nunproved > TRACE_UNPROVED_MAX)
        line_number(info, "and further ones", trace->nunproved - TRACE_UNPROVED_MAX);
}

static void unproved_json(const struct trace *trace, struct json *json)
{
    json_open(json, "not_proved", '[');
    for (unsigned i = 0; i < unproved_shown(trace); i++) {
        json_open_flat(json, NULL, '{');
        json_number(json, "offset", trace->unproved[i].offset);
        json_text(json, "text", trace->unproved[i].text);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void counts_text(const struct info *info)
{
    const struct trace_counts *counts = &info->trace->counts;
    line_number(info, "dropped", counts->dropped);
    line_number(info, "overwritten", counts->overwritten);
    line_number(info, "unfinished", counts->unfinished);
    line_number(info, "damaged", counts->damaged);
    for (unsigned i = 0; info->trace->ncpus > 1 && i < info->trace->ncpus; i++) {
        uint64_t lost = i < TRACE_CPUS_COUNTED ? counts->cpu[i].dropped + counts->cpu[i].overwritten : 0;
        if (info->on_cpu[i] + lost > 0)
            fprintf(info->answer->to, "  CPU %-20u%" PRIu64 " events, lost %" PRIu64 "\n", i, info->on_cpu[i], lost);
    }
    for (unsigned i = 0; i < info->trace->ngroups; i++)
        line_text(info, "chunk by itself", info->trace->groups[i].name);
}

/* ---- types, the most frequent ones first ------------------------------------------------------------------------- */

struct row {
    const struct tlog_type *type;
    uint64_t n;
};

static int by_number(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = x->n > y->n ? -1 : x->n < y->n;
    if (order == 0)
        order = strcmp(x->type->system, y->type->system);
    return order != 0 ? order : strcmp(x->type->name, y->type->name);
}

/* Make rows of the types that have events, TRACE_TYPES_MAX at most, and sort them. Returns how many there are. */
static unsigned sort_types(const struct info *info, struct row *rows)
{
    unsigned n = 0;
    for (unsigned i = 0; i < info->trace->ntypes; i++) {
        if (info->events[i] > 0)
            rows[n++] = (struct row){info->trace->types[i], info->events[i]};
    }
    qsort(rows, n, sizeof rows[0], by_number);
    return n;
}

static void types_text(const struct info *info, const struct row *rows, unsigned n)
{
    fputs("\n", info->answer->to);
    for (unsigned i = 0; i < n; i++) {
        fprintf(info->answer->to, "%12" PRIu64 "  ", rows[i].n);
        answer_name(info->answer->to, rows[i].type->system);
        putc(':', info->answer->to);
        answer_name(info->answer->to, rows[i].type->name);
        putc('\n', info->answer->to);
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void text_or_null(struct json *json, const char *key, const char *text)
{
    if (text != NULL && text[0] != '\0')
        json_text(json, key, text);
    else
        json_null(json, key);
}

static void target_json(const struct info *info, struct json *json)
{
    const struct trace *trace = info->trace;
    char build[2u * TRACE_BUILD_BYTES + 1u];
    build_id(trace, build);
    text_or_null(json, "format", trace->format);
    text_or_null(json, "target", trace->target);
    json_number(json, "clock_hz", trace->clock_hz);
    text_or_null(json, "build_id", build);
    text_or_null(json, "priority_order", answer_priority_order(trace->priority_order));
    text_or_null(json, "firmware", trace->firmware != NULL ? trace->firmware->path : NULL);
    json_bool(json, "is_other_firmware", trace->firmware != NULL && trace->firmware->is_wrong);
    for (unsigned i = 0; i < trace->ndetails; i++)
        json_number(json, trace->details[i].name, trace->details[i].value);
    json_open_flat(json, "names", '{');
    for (unsigned kind = 0; kind < TRACE_NAME_KINDS; kind++) {
        if (names_of(trace, kind) > 0)
            json_number(json, kinds[kind], names_of(trace, kind));
    }
    json_close(json, '}');
    json_open_flat(json, "groups", '[');
    for (unsigned i = 0; i < trace->ngroups; i++)
        json_text(json, NULL, trace->groups[i].name);
    json_close(json, ']');
}

static void cpus_json(const struct info *info, struct json *json)
{
    const struct trace_counts *counts = &info->trace->counts;
    json_open(json, "per_cpu", '[');
    for (unsigned i = 0; i < info->trace->ncpus && i < TRACE_CPUS_COUNTED; i++) {
        json_open_flat(json, NULL, '{');
        json_number(json, "cpu", i);
        json_number(json, "events", info->on_cpu[i]);
        json_number(json, "dropped", counts->cpu[i].dropped);
        json_number(json, "overwritten", counts->cpu[i].overwritten);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void types_json(struct json *json, const struct row *rows, unsigned n)
{
    json_open(json, "types", '[');
    for (unsigned i = 0; i < n; i++) {
        json_open_flat(json, NULL, '{');
        json_text(json, "system", rows[i].type->system);
        json_text(json, "event", rows[i].type->name);
        json_number(json, "count", rows[i].n);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void tell(const struct info *info, struct row *rows)
{
    struct answer *answer = info->answer;
    unsigned n = sort_types(info, rows);
    answer_begin_input(answer, info->trace->input_name);
    if (answer->is_json) {
        answer_trace_json(&answer->json, info->trace);
        target_json(info, &answer->json);
        cpus_json(info, &answer->json);
        types_json(&answer->json, rows, n);
        unproved_json(info->trace, &answer->json);
    } else {
        answer_trace_text(answer, info->trace);
        target_text(info);
        counts_text(info);
        unproved_text(info);
        types_text(info, rows, n);
    }
    answer_end_input(answer);
}

static int close_info(void *writer, bool ok)
{
    struct info *info = writer;
    struct row *rows = ok ? heap_alloc(TRACE_TYPES_MAX * sizeof *rows) : NULL;
    int result = ok && rows == NULL ? trace_fail(info->trace, "no memory for types of event") : 0;
    if (rows != NULL)
        tell(info, rows);
    heap_free(rows);
    heap_free(info->on_cpu);
    heap_free(info);
    return result;
}

const struct trace_writer writer_info = {
    .name = "info",
    .description = "what the input is and has",
    .native = true,
    .open = open_info,
    .write = write_info,
    .close = close_info,
};
