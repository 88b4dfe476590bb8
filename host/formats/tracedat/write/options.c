/* options.c - see options.h. FORMAT.md says why each option is there, and why some are not. */
#include "formats/tracedat/write/options.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/clock.h"
#include "formats/tracedat/write/layout.h"
#include "formats/tracedat/write/page.h"

#ifndef TLOG_VERSION
#define TLOG_VERSION "(version unknown)"
#endif

enum {
    SHIFT_INTERPOLATED = 1, /* flag of TIME_SHIFT: the offset changes evenly between two points */
    NS_PER_US = 1000,
    SHIFT_MAX = 32, /* of TSC2NSEC, as readers take it */
};

/* How to make ns of ticks: ns = ticks * mult >> shift */
struct scale {
    uint32_t mult, shift;
};

size_t tracedat_begin_option(struct tracedat_piece *piece, enum tracedat_option_id id)
{
    tracedat_add_16(piece, (uint16_t)id);
    tracedat_add_32(piece, 0);
    return piece->used - 4;
}

/* An option whose data is a text with its NUL. */
static void add_option_string(struct tracedat_piece *piece, enum tracedat_option_id id, const char *string)
{
    size_t at = tracedat_begin_option(piece, id);
    tracedat_add_string(piece, string);
    tracedat_set_size_32(piece, at);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* If times are ns, which takes a known frequency, the clock is called "local", as Linux calls a clock that counts ns.
 * Otherwise it gets a name that trace-cmd does not know: such times are shown as plain numbers, unless an option says
 * how to make ns of them. */
const char *tracedat_clock_name(const struct tracedat_writer *writer)
{
    return writer->trace->clock_hz != 0 && !writer->options->raw_tsc ? "local" : "counter";
}

const char *tracedat_clock_list(const struct tracedat_writer *writer)
{
    return writer->trace->clock_hz != 0 && !writer->options->raw_tsc ? "[local] global counter"
                                                                     : "local global [counter]";
}

/* The scale for a clock of hz ticks per second. mult is rounded up, because otherwise a whole number of ns would become
 * the one before. Readers hold it in an int. */
static struct scale scale_of(uint64_t hz)
{
    struct scale scale = {0, SHIFT_MAX};
    uint64_t mult;
    while ((mult = (((uint64_t)TICKS_NS_PER_S << scale.shift) + hz - 1) / hz) > INT32_MAX)
        scale.shift--;
    scale.mult = (uint32_t)mult;
    return scale;
}

/* The ns that readers make of a time in the file. */
static uint64_t shown_ns(const struct tracedat_writer *writer, uint64_t time)
{
    struct scale scale;
    if (!tracedat_has_ticks(writer->trace, writer->options))
        return time;
    scale = scale_of(writer->trace->clock_hz);
    return (uint64_t)((ticks_wide)time * scale.mult >> scale.shift);
}

/* How readers make ns of ticks. */
static void add_tsc2nsec(struct tracedat_piece *piece, uint64_t hz)
{
    struct scale scale = scale_of(hz);
    size_t at = tracedat_begin_option(piece, TRACEDAT_OPTION_TSC2NSEC);
    tracedat_add_32(piece, scale.mult);
    tracedat_add_32(piece, scale.shift);
    tracedat_add_64(piece, 0); /* an offset, which readers do not use */
    tracedat_set_size_32(piece, at);
}

/* What became of the events of a CPU in the top buffer. A file of text has no such buffer. */
static const struct tracedat_cpu *cpu_of(const struct tracedat_writer *writer, unsigned number)
{
    static const struct tracedat_cpu none;
    return writer->pages != NULL ? tracedat_pages_cpu(writer->pages, number) : &none;
}

/* Make *first the time of the CPU's first event, if that is earlier. */
static void make_earlier(const struct tracedat_cpu *cpu, uint64_t *first)
{
    if (cpu->events != 0 && cpu->first < *first)
        *first = cpu->first;
}

/* The time of the first event of all buffers, in ns as readers show it; 0 if there is none. */
static uint64_t first_shown(const struct tracedat_writer *writer)
{
    uint64_t first = UINT64_MAX;
    for (unsigned i = 0; i < writer->ncpus; i++) {
        make_earlier(cpu_of(writer, i), &first);
        for (unsigned k = 0; k < writer->ninstances; k++)
            make_earlier(&writer->instance[k].cpus[i], &first);
    }
    return first == UINT64_MAX ? 0 : shown_ns(writer, first);
}

/* What readers have to add to times to get the time of day. They add both options: DATE, in whole microseconds, and
 * OFFSET, the ns that remain. DATE has no sign, so a negative number is all in OFFSET. */
static void add_date(struct tracedat_writer *writer)
{
    int64_t date = writer->options->start_time - (int64_t)first_shown(writer);
    char number[32];
    if (date >= NS_PER_US) {
        snprintf(number, sizeof number, "0x%" PRIx64, (uint64_t)date / NS_PER_US);
        add_option_string(&writer->piece, TRACEDAT_OPTION_DATE, number);
        date %= NS_PER_US;
    }
    if (date == 0)
        return;
    snprintf(number, sizeof number, "%" PRId64, date);
    add_option_string(&writer->piece, TRACEDAT_OPTION_OFFSET, number);
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

/* A line with a time in seconds. */
static void add_seconds(struct tracedat_writer *writer, const char *what, uint64_t time)
{
    uint64_t ns = shown_ns(writer, time);
    tracedat_add_format(&writer->piece, "%s: %5" PRIu64 ".%06" PRIu64 "\n", what, ns / TICKS_NS_PER_S,
                        ns / NS_PER_US % 1000000);
}

/* The counts of a CPU, in the words of the kernel's file per_cpu/cpuN/stats after the trace was read: so "entries" are
 * events that are not in the file. lost: what the target lost. */
static void add_cpu_stat(struct tracedat_writer *writer, unsigned number, const struct tracedat_cpu *cpu,
                         struct trace_cpu_counts lost)
{
    struct tracedat_piece *piece = &writer->piece;
    size_t at = tracedat_begin_option(piece, TRACEDAT_OPTION_CPUSTAT);
    tracedat_add_format(piece, "CPU: %u\nentries: 0\noverrun: %" PRIu64 "\ncommit overrun: 0\nbytes: %" PRIu64 "\n",
                        number, lost.overwritten, cpu->size);
    if (cpu->events != 0) {
        add_seconds(writer, "oldest event ts", cpu->first);
        add_seconds(writer, "now ts", cpu->last);
    }
    tracedat_add_format(piece, "dropped events: %" PRIu64 "\nread events: %" PRIu64 "\n", lost.dropped, cpu->events);
    if (cpu->lost != 0 || cpu->lost_more)
        tracedat_add_format(piece, "marked as lost: %s%" PRIu64 "\n", cpu->lost_more ? "more than " : "", cpu->lost);
    tracedat_add_string(piece, "");
    tracedat_set_size_32(piece, at);
}

/* The counts of the top buffer. Overwritten events of a group count in its instance instead. Dropped events belong to
 * no group, because the target found no room for them in any. */
static void add_top_stats(struct tracedat_writer *writer)
{
    const struct trace *trace = writer->trace;
    for (unsigned i = 0; i < writer->ncpus; i++) {
        struct trace_cpu_counts lost = {.dropped = 0, .overwritten = 0};
        if (i < TRACE_CPUS_COUNTED)
            lost = trace->counts.cpu[i];
        for (unsigned k = 0; k < writer->ninstances; k++)
            lost.overwritten -= trace->groups[k].overwritten[i];
        add_cpu_stat(writer, i, cpu_of(writer, i), lost);
    }
}

/* The counts of the instances. In front of each there is a line with its name, as trace-cmd writes it. */
static void add_instance_stats(struct tracedat_writer *writer)
{
    for (unsigned k = 0; k < writer->ninstances; k++) {
        const struct trace_group *group = &writer->trace->groups[k];
        size_t at = tracedat_begin_option(&writer->piece, TRACEDAT_OPTION_CPUSTAT);
        tracedat_add_format(&writer->piece, "\nBuffer: %s\n", group->name);
        tracedat_add_string(&writer->piece, "");
        tracedat_set_size_32(&writer->piece, at);
        for (unsigned i = 0; i < writer->ncpus; i++)
            add_cpu_stat(writer, i, &writer->instance[k].cpus[i],
                         (struct trace_cpu_counts){.overwritten = group->overwritten[i]});
    }
}

/* The sums over all CPUs, and what the kernel has no words for. */
static void add_total_stat(struct tracedat_piece *piece, const struct trace_counts *counts)
{
    size_t at = tracedat_begin_option(piece, TRACEDAT_OPTION_CPUSTAT);
    tracedat_add_format(piece, "All CPUs\nentries: 0\noverrun: %" PRIu64 "\ndropped events: %" PRIu64,
                        counts->overwritten, counts->dropped);
    tracedat_add_format(piece,
                        "\nunfinished events: %" PRIu64 "\ndamaged events: %" PRIu64 "\ndamaged regions: %" PRIu64,
                        counts->unfinished, counts->damaged, counts->gaps);
    tracedat_add_format(piece, "\nread events: %" PRIu64 "\nderived events: %" PRIu64 "\n", counts->events,
                        counts->derived);
    tracedat_add_string(piece, "");
    tracedat_set_size_32(piece, at);
}

/* ---- ids, guests, the target ------------------------------------------------------------------------------------- */

/* The id of the trace: that of the options, or a hash of what was counted, which is the same for the same input. Never
 * 0. */
static uint64_t trace_id(const struct tracedat_writer *writer)
{
    const struct trace *trace = writer->trace;
    uint64_t id = writer->options->id;
    if (id != 0)
        return id;
    id = trace->counts.first ^ trace->counts.last << 21 ^ trace->counts.events << 42 ^ trace->ncpus;
    id = (id ^ id >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    return (id ^ id >> 29) | 1;
}

/* What readers have to add to times to get those of the host: for every CPU some points in time, and the offset at
 * each. The flag says that the offset changes evenly between two points; with one point it is always the same. */
static void add_shift(struct tracedat_writer *writer, const struct trace_time_shift *shift)
{
    struct tracedat_piece *piece = &writer->piece;
    size_t at = tracedat_begin_option(piece, TRACEDAT_OPTION_TIME_SHIFT);
    tracedat_add_64(piece, shift->peer);
    tracedat_add_32(piece, SHIFT_INTERPOLATED);
    tracedat_add_32(piece, writer->ncpus);
    for (unsigned cpu = 0; cpu < writer->ncpus; cpu++) {
        tracedat_add_32(piece, (uint32_t)shift->n);
        for (size_t i = 0; i < shift->n; i++)
            tracedat_add_64(piece, shift->times[i]);
        for (size_t i = 0; i < shift->n; i++)
            tracedat_add_64(piece, (uint64_t)shift->offsets[i]);
        for (size_t i = 0; i < shift->n; i++)
            tracedat_add_64(piece, 1); /* scaling: none */
    }
    tracedat_add_zeros(piece, 8 * shift->n * writer->ncpus); /* fractions: none */
    tracedat_set_size_32(piece, at);
}

/* A guest: its name, its id, its CPUs. For each CPU there is the number of the host's task that runs it: 0, as none
 * does. */
static void add_guest(struct tracedat_piece *piece, const struct trace_guest *guest)
{
    size_t at = tracedat_begin_option(piece, TRACEDAT_OPTION_GUEST);
    tracedat_add_string(piece, guest->name);
    tracedat_add_64(piece, guest->id);
    tracedat_add_32(piece, guest->ncpus);
    for (unsigned cpu = 0; cpu < guest->ncpus; cpu++) {
        tracedat_add_32(piece, cpu);
        tracedat_add_32(piece, 0);
    }
    tracedat_set_size_32(piece, at);
}

/* The target and the firmware: "TARGET build-id 0123..." */
static void add_uname(struct tracedat_piece *piece, const struct trace *trace)
{
    size_t ids = trace->firmware != NULL ? trace->firmware->build_id_size : 0;
    size_t at;
    if (trace->target == NULL && ids == 0)
        return;
    at = tracedat_begin_option(piece, TRACEDAT_OPTION_UNAME);
    tracedat_add_text(piece, trace->target != NULL ? trace->target : "unknown target");
    if (ids > 0)
        tracedat_add_text(piece, " build-id ");
    for (size_t i = 0; i < ids; i++)
        tracedat_add_format(piece, "%02x", trace->firmware->build_id[i]);
    tracedat_add_string(piece, "");
    tracedat_set_size_32(piece, at);
}

/* A name; its blanks become '_', because blanks separate words. */
static void add_word(struct tracedat_piece *piece, const char *name)
{
    size_t at = piece->used;
    tracedat_add_text(piece, name[0] != '\0' ? name : "?");
    for (; at < piece->used; at++)
        if (piece->bytes[at] <= ' ')
            piece->bytes[at] = '_';
}

/* The map of a task's memory: the segments of the firmware, because all tasks share one memory. */
static void add_map(void *ctx, uint32_t task, const char *name)
{
    struct tracedat_writer *writer = ctx;
    const struct trace_firmware *firmware = writer->trace->firmware;
    struct tracedat_piece *piece = &writer->piece;
    size_t at;
    if (task > INT32_MAX)
        return;
    at = tracedat_begin_option(piece, TRACEDAT_OPTION_PROCMAPS);
    tracedat_add_format(piece, "%" PRIx32 " %zx ", task, firmware->nsegments);
    add_word(piece, name);
    tracedat_add_text(piece, "\n");
    for (size_t i = 0; i < firmware->nsegments; i++) {
        const struct trace_segment *segment = &firmware->segments[i];
        tracedat_add_format(piece, "%" PRIx64 " %" PRIx64 " ", segment->address, segment->address + segment->size);
        add_word(piece, segment->name);
        tracedat_add_text(piece, "\n");
    }
    tracedat_add_string(piece, "");
    tracedat_set_size_32(piece, at);
}

/* The program that wrote the file, and how to compare priorities. */
static const char *version_of(const struct trace *trace)
{
    static const char *const versions[TRACE_PRIORITY_ORDERS] = {
        "tlog-decode " TLOG_VERSION, [TRACE_LOWEST_FIRST] = "tlog-decode " TLOG_VERSION TRACEDAT_LOWEST_FIRST,
        [TRACE_HIGHEST_FIRST] = "tlog-decode " TLOG_VERSION TRACEDAT_HIGHEST_FIRST};
    return versions[trace->priority_order];
}

/* ---- all options ------------------------------------------------------------------------------------------------- */

void tracedat_add_options(struct tracedat_writer *writer)
{
    struct trace *trace = writer->trace;
    struct tracedat_piece *piece = &writer->piece;
    size_t at;
    if (writer->options->given & TRACE_OPTION_START_TIME)
        add_date(writer);
    at = tracedat_begin_option(piece, TRACEDAT_OPTION_TRACEID);
    tracedat_add_64(piece, trace_id(writer));
    tracedat_set_size_32(piece, at);
    if (writer->options->time_shift != NULL)
        add_shift(writer, writer->options->time_shift);
    for (unsigned i = 0; i < writer->options->nguests; i++)
        add_guest(piece, &writer->options->guests[i]);
    add_option_string(piece, TRACEDAT_OPTION_TRACECLOCK, tracedat_clock_list(writer));
    if (tracedat_has_ticks(trace, writer->options))
        add_tsc2nsec(piece, trace->clock_hz);
    add_option_string(piece, TRACEDAT_OPTION_VERSION, version_of(trace));
    add_uname(piece, trace);
    if (trace->firmware != NULL && trace->firmware->nsegments > 0)
        trace_each_name(trace, TRACE_NAME_TASK, add_map, writer);
    add_top_stats(writer);
    add_total_stat(piece, &trace->counts);
    add_instance_stats(writer);
}
