/* option.c - the options of trace.dat that tell of the trace as a whole. They come last, when all is counted.
 *
 * Vocabulary
 *   option  id, size, data; texts have their NUL inside the size
 */
#include "tracedat/write/file.h"
#include "model/module.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/ticks.h"

enum { SHIFT_INTERPOLATED = 1 }; /* flag of the option */

/* ns = ticks * mult >> shift */
struct tsc_scale {
    uint32_t mult, shift;
};

size_t tracedat_begin_option(struct dat_text *text, enum option_id id)
{
    dat_add_16(text, (uint16_t)id);
    dat_add_32(text, 0);
    return text->used - 4;
}

static void add_option_string(struct dat_text *text, enum option_id id, const char *string)
{
    size_t at = tracedat_begin_option(text, id);

    dat_add_string(text, string);
    dat_set_size_32(text, at);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* Times are ns only where the frequency is known. trace-cmd shows those of a clock it does not know as plain numbers,
 * unless the file has an option that says how to make ns of them. */
const char *tracedat_clock(const struct tracedat *dat)
{
    return dat->trace->clock_hz && !dat->options->raw_tsc ? "local" : "counter";
}

const char *tracedat_clocks(const struct tracedat *dat)
{
    return dat->trace->clock_hz && !dat->options->raw_tsc ? "[local] global counter" : "local global [counter]";
}

/* Readers hold mult in an int, and take shifts up to 32. mult is rounded up, so that a whole number of ns is not cut to
 * the one before. */
static struct tsc_scale scale_of(uint64_t hz)
{
    struct tsc_scale scale = {0, 32};
    uint64_t mult;

    while ((mult = ((UINT64_C(1000000000) << scale.shift) + hz - 1) / hz) > INT32_MAX)
        scale.shift--;
    scale.mult = (uint32_t)mult;
    return scale;
}

/* What readers make of a time in the file, in ns. */
static uint64_t shown_ns(const struct tracedat *dat, uint64_t time)
{
    struct tsc_scale scale;

    if (!dat_has_ticks(dat->trace, dat->options))
        return time;
    scale = scale_of(dat->trace->clock_hz);
    return (uint64_t)((ticks_wide)time * scale.mult >> scale.shift);
}

static void add_tsc2nsec(struct dat_text *text, uint64_t hz)
{
    struct tsc_scale scale = scale_of(hz);
    size_t at = tracedat_begin_option(text, OPTION_TSC2NSEC);

    dat_add_32(text, scale.mult);
    dat_add_32(text, scale.shift);
    dat_add_64(text, 0); /* readers leave it out of account */
    dat_set_size_32(text, at);
}

static const struct tracedat_cpu *cpu_of(const struct tracedat *dat, unsigned number)
{
    static const struct tracedat_cpu none;

    return dat->pages ? tracedat_pages_cpu(dat->pages, number) : &none;
}

static void widen(const struct tracedat_cpu *cpu, uint64_t *first)
{
    if (cpu->events && cpu->first < *first)
        *first = cpu->first;
}

/* The time of the first event, in ns as readers show it. */
static uint64_t first_shown(const struct tracedat *dat)
{
    uint64_t first = UINT64_MAX;

    for (unsigned i = 0; i < dat->ncpus; i++) {
        widen(cpu_of(dat, i), &first);
        for (unsigned k = 0; dat->split && k < dat->trace->ngroups; k++)
            widen(tracedat_split_cpu(dat->split, k, i), &first);
    }
    return first == UINT64_MAX ? 0 : shown_ns(dat, first);
}

/* From the events' times to the time of day: microseconds as the date, which a reader may leave out, and what is left
 * of ns as the offset. Readers add both. */
static void add_date(struct tracedat *dat)
{
    int64_t date = dat->options->start_time - (int64_t)first_shown(dat);
    char number[32];

    if (date >= 1000) {
        snprintf(number, sizeof number, "0x%" PRIx64, (uint64_t)date / 1000);
        add_option_string(&dat->text, OPTION_DATE, number);
        date %= 1000;
    }
    if (date == 0)
        return;
    snprintf(number, sizeof number, "%" PRId64, date);
    add_option_string(&dat->text, OPTION_OFFSET, number);
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

static void add_seconds(struct tracedat *dat, const char *what, uint64_t time)
{
    uint64_t ns = shown_ns(dat, time);

    dat_add_format(&dat->text, "%s: %5" PRIu64 ".%06" PRIu64 "\n", what, ns / 1000000000, ns / 1000 % 1000000);
}

/* As the kernel's per_cpu/cpuN/stats after the trace was read: entries are what is not in the file. */
static void add_cpu_stat(struct tracedat *dat, unsigned number, const struct tracedat_cpu *cpu,
                         struct trace_cpu_counts lost)
{
    struct dat_text *text = &dat->text;
    size_t at = tracedat_begin_option(text, OPTION_CPUSTAT);

    dat_add_format(text, "CPU: %u\nentries: 0\noverrun: %" PRIu64 "\ncommit overrun: 0\nbytes: %" PRIu64 "\n", number,
                   lost.overwritten, cpu->size);
    if (cpu->events) {
        add_seconds(dat, "oldest event ts", cpu->first);
        add_seconds(dat, "now ts", cpu->last);
    }
    dat_add_format(text, "dropped events: %" PRIu64 "\nread events: %" PRIu64 "\n", lost.dropped, cpu->events);
    if (cpu->lost || cpu->lost_more)
        dat_add_format(text, "marked as lost: %s%" PRIu64 "\n", cpu->lost_more ? "more than " : "", cpu->lost);
    dat_add_string(text, "");
    dat_set_size_32(text, at);
}

/* What was overwritten in an instance was not in the top buffer. What found no room had a CPU, but no chunk yet. */
static void add_top_stats(struct tracedat *dat)
{
    const struct trace *trace = dat->trace;

    for (unsigned i = 0; i < dat->ncpus; i++) {
        struct trace_cpu_counts lost = {0, 0};

        if (i < TRACE_CPUS_COUNTED)
            lost = trace->counts.cpu[i];
        for (unsigned k = 0; dat->split && k < trace->ngroups; k++)
            lost.overwritten -= trace->groups[k].overwritten[i];
        add_cpu_stat(dat, i, cpu_of(dat, i), lost);
    }
}

/* In front of them the line that trace-cmd writes in front of an instance's. */
static void add_instance_stats(struct tracedat *dat)
{
    for (unsigned k = 0; dat->split && k < dat->trace->ngroups; k++) {
        const struct trace_group *group = &dat->trace->groups[k];
        size_t at = tracedat_begin_option(&dat->text, OPTION_CPUSTAT);

        dat_add_format(&dat->text, "\nBuffer: %s\n", group->name);
        dat_add_string(&dat->text, "");
        dat_set_size_32(&dat->text, at);
        for (unsigned i = 0; i < dat->ncpus; i++)
            add_cpu_stat(dat, i, tracedat_split_cpu(dat->split, k, i),
                         (struct trace_cpu_counts){.overwritten = group->overwritten[i]});
    }
}

/* The sums over all CPUs, and what the kernel has no word for. */
static void add_total_stat(struct dat_text *text, const struct trace_counts *counts)
{
    size_t at = tracedat_begin_option(text, OPTION_CPUSTAT);

    dat_add_format(text, "All CPUs\nentries: 0\noverrun: %" PRIu64 "\ndropped events: %" PRIu64, counts->overwritten,
                   counts->dropped);
    dat_add_format(text, "\nunfinished events: %" PRIu64 "\ndamaged events: %" PRIu64 "\ndamaged regions: %" PRIu64,
                   counts->unfinished, counts->damaged, counts->gaps);
    dat_add_format(text, "\nread events: %" PRIu64 "\nderived events: %" PRIu64 "\n", counts->events, counts->derived);
    dat_add_string(text, "");
    dat_set_size_32(text, at);
}

/* ---- origin ------------------------------------------------------------------------------------------------------ */

/* The same input has the same id. */
static uint64_t trace_id(const struct tracedat *dat)
{
    const struct trace *trace = dat->trace;
    uint64_t id = dat->options->id;

    if (id != 0)
        return id;
    id = trace->counts.first ^ trace->counts.last << 21 ^ trace->counts.events << 42 ^ trace->ncpus;

    id = (id ^ id >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    return (id ^ id >> 29) | 1;
}

/* Times of another trace are added to on reading: for every CPU the points, and what is added there. Readers move times by
 * what lies between two points if the flag says so, and only by the offset if there is one point. */
static void add_shift(struct tracedat *dat, const struct trace_shift *shift)
{
    struct dat_text *text = &dat->text;
    size_t at = tracedat_begin_option(text, OPTION_TIME_SHIFT);

    dat_add_64(text, shift->peer);
    dat_add_32(text, SHIFT_INTERPOLATED);
    dat_add_32(text, dat->ncpus);
    for (unsigned cpu = 0; cpu < dat->ncpus; cpu++) {
        dat_add_32(text, (uint32_t)shift->n);
        for (size_t i = 0; i < shift->n; i++)
            dat_add_64(text, shift->times[i]);
        for (size_t i = 0; i < shift->n; i++)
            dat_add_64(text, (uint64_t)shift->offsets[i]);
        for (size_t i = 0; i < shift->n; i++)
            dat_add_64(text, 1); /* nothing is scaled, */
    }
    dat_add_zeros(text, 8 * shift->n * dat->ncpus); /* by no fraction */
    dat_set_size_32(text, at);
}

/* No task of the host stands for a CPU of the guest: 0. */
static void add_guest(struct dat_text *text, const struct trace_guest *guest)
{
    size_t at = tracedat_begin_option(text, OPTION_GUEST);

    dat_add_string(text, guest->name);
    dat_add_64(text, guest->id);
    dat_add_32(text, guest->ncpus);
    for (unsigned cpu = 0; cpu < guest->ncpus; cpu++) {
        dat_add_32(text, cpu);
        dat_add_32(text, 0);
    }
    dat_set_size_32(text, at);
}

/* "tlog target build-id 0123..." */
static void add_uname(struct dat_text *text, const struct trace *trace)
{
    size_t ids = trace->image ? trace->image->build_id_size : 0;
    size_t at;

    if (!trace->target && ids == 0)
        return;
    at = tracedat_begin_option(text, OPTION_UNAME);
    dat_add_text(text, trace->target ? trace->target : "unknown target");
    if (ids > 0)
        dat_add_text(text, " build-id ");
    for (size_t i = 0; i < ids; i++)
        dat_add_format(text, "%02x", trace->image->build_id[i]);
    dat_add_string(text, "");
    dat_set_size_32(text, at);
}

/* A name without blanks: they separate. */
static void add_word(struct dat_text *text, const char *name)
{
    size_t at = text->used;

    dat_add_text(text, name[0] ? name : "?");
    for (; at < text->used; at++)
        if (text->bytes[at] <= ' ')
            text->bytes[at] = '_';
}

/* What the firmware has loaded, as the map of a task: all of them share it. */
static void add_map(void *ctx, uint32_t task, const char *name)
{
    struct tracedat *dat = ctx;
    const struct trace_image *image = dat->trace->image;
    struct dat_text *text = &dat->text;
    size_t at;

    if (task > INT32_MAX)
        return;
    at = tracedat_begin_option(text, OPTION_PROCMAPS);
    dat_add_format(text, "%" PRIx32 " %zx ", task, image->nsegments);
    add_word(text, name);
    dat_add_text(text, "\n");
    for (size_t i = 0; i < image->nsegments; i++) {
        const struct trace_segment *segment = &image->segments[i];

        dat_add_format(text, "%" PRIx64 " %" PRIx64 " ", segment->address, segment->address + segment->size);
        add_word(text, segment->name);
        dat_add_text(text, "\n");
    }
    dat_add_string(text, "");
    dat_set_size_32(text, at);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

void tracedat_add_options(struct tracedat *dat)
{
    struct trace *trace = dat->trace;
    struct dat_text *text = &dat->text;
    size_t at;

    if (dat->options->given & TRACE_OPTION_START_TIME)
        add_date(dat);
    at = tracedat_begin_option(text, OPTION_TRACEID);
    dat_add_64(text, trace_id(dat));
    dat_set_size_32(text, at);
    if (dat->options->shift)
        add_shift(dat, dat->options->shift);
    for (unsigned i = 0; i < dat->options->nguests; i++)
        add_guest(text, &dat->options->guests[i]);
    add_option_string(text, OPTION_TRACECLOCK, tracedat_clocks(dat));
    if (dat_has_ticks(trace, dat->options))
        add_tsc2nsec(text, trace->clock_hz);
    add_option_string(text, OPTION_VERSION, "tlog-decode " TLOG_VERSION);
    add_uname(text, trace);
    if (trace->image && trace->image->nsegments > 0)
        trace_each_name(trace, TRACE_NAME_TASK, add_map, dat);
    add_top_stats(dat);
    add_total_stat(text, &trace->counts);
    add_instance_stats(dat);
}
