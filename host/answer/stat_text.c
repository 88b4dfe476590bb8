/* stat_text.c - the figures of --stat as text: tables with a line for each task, interrupt and mutex. */
#include "answer/answer.h"
#include "answer/mutexes.h"
#include "answer/samples.h"
#include "answer/scheduling.h"

#include <inttypes.h>

/* Widths in columns. SHORTER: by how much a column of names is narrower if these are rarely long. */
enum { NAME_LEAST = 16, NAME_MOST = 32, SHORTER = 6, FIGURE = 13, NUMBER = 8 };

struct page {
    FILE *to;
    const struct answer *answer;
    const struct stat *stat;
    const struct trace *trace;
    unsigned name; /* columns of a name */
};

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static void put_time(const struct page *page, uint64_t time)
{
    char text[ANSWER_TIME_BYTES];
    fprintf(page->to, " %*s", FIGURE - 1, answer_time(page->trace, time, text));
}

static void put_moment(const struct page *page, uint64_t time)
{
    char text[ANSWER_TIME_BYTES];
    fprintf(page->to, " %*s", FIGURE - 1, answer_moment(page->trace, time, text));
}

static void put_number(const struct page *page, uint64_t n)
{
    fprintf(page->to, " %*" PRIu64, NUMBER - 1, n);
}

static void put_share(const struct page *page, double share)
{
    fprintf(page->to, " %*.2f %%", NUMBER - 3, share * 100);
}

static void put_task(const struct page *page, const struct stat_task *task, unsigned width)
{
    char room[32];
    answer_name(page->to, task != NULL ? stat_task_name(page->stat, task, room) : "-", width);
}

static void begin_heading(const struct page *page, const char *title)
{
    fprintf(page->to, "\n%s%-*s", page->answer->has_colour ? "\033[1m" : "", (int)page->name, title);
}

static void end_heading(const struct page *page, const char *columns)
{
    fprintf(page->to, "%s%s\n", columns, page->answer->has_colour ? "\033[0m" : "");
}

static void put_heading(const struct page *page, const char *title, const char *columns)
{
    begin_heading(page, title);
    end_heading(page, columns);
}

/* ---- load -------------------------------------------------------------------------------------------------------- */

/* A character for each part of the trace; the higher the block, the busier the CPU was. The last one of each kind is
 * for parts of which this is not known. */
static void put_load(const struct page *page, const struct stat_cpu *cpu, unsigned width)
{
    static const char *const blocks[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                         "\u2585", "\u2586", "\u2587", "\u2588", "?"};
    for (unsigned i = 0; i < width; i++) {
        double part = stat_load_part(page->stat, cpu, i, width);
        unsigned step = part < 0 ? 9u : part > 0 ? 1u + (unsigned)(part * 7.999) : 0;
        if (page->answer->has_blocks)
            fputs(blocks[step], page->to);
        else
            putc(" .:-=+*#@?"[step], page -> to);
    }
}

/* The stretches that figures are about, unless that is all of the trace. */
static void put_stretches(const struct page *page)
{
    const struct stat *stat = page->stat;
    char text[ANSWER_TIME_BYTES];
    if (stat_length(stat) >= stat_elapsed(stat->trace->counts.first, stat->trace->counts.last))
        return;
    fprintf(page->to, "  figures of %s of it, in %" PRIu64 " stretch%s\n",
            answer_time(page->trace, stat_length(stat), text), stat->stretches, stat->stretches == 1 ? "" : "es");
}

/* How much of the time it is not known what the CPU did, if there is any. */
static void put_unknown(const struct page *page, const struct stat_cpu *cpu)
{
    uint64_t unknown = stat_unknown(page->stat, cpu);
    char text[ANSWER_TIME_BYTES];
    if (unknown > 0)
        fprintf(page->to, "         unknown %.2f %% of the time: %s\n",
                stat_share(unknown, stat_length(page->stat)) * 100, answer_time(page->trace, unknown, text));
}

static void put_cpus(const struct page *page)
{
    enum { BEFORE = 24, LEAST = 8 };
    unsigned columns = page->answer->columns;
    for (unsigned i = 0; i < page->trace->ncpus; i++) {
        const struct stat_cpu *cpu = &page->stat->cpu[i];
        if (!cpu->has_begun)
            continue;
        fprintf(page->to, "CPU %-4u load", i);
        put_share(page, stat_share(cpu->busy, stat_known(cpu)));
        fputs(" |", page->to);
        put_load(page, cpu, columns > BEFORE + LEAST ? columns - BEFORE : LEAST);
        fputs("|\n", page->to);
        put_unknown(page, cpu);
    }
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

static const struct stat_task *task_at(const struct page *page, size_t i)
{
    return page->stat->tasks.element[i];
}

/* Tasks of one name that lived one after the other are one line. */
static void note_instances(const struct page *page)
{
    for (size_t i = 0; i < page->stat->tasks.n; i++) {
        const struct stat_task *task = task_at(page, i);
        if (task->created < 2)
            continue;
        fputs("  ", page->to);
        put_task(page, task, 0);
        fprintf(page->to, " stands for %" PRIu64 " tasks, one after the other\n", task->created);
    }
}

static void put_tasks(const struct page *page)
{
    put_heading(page, "Tasks", "    share      running    runs  preempted       ready  deadlines missed");
    for (size_t i = 0; i < page->stat->tasks.n; i++) {
        const struct stat_task *task = task_at(page, i);
        put_task(page, task, page->name);
        put_share(page, stat_parts_of_known(page->stat, &task->running));
        put_time(page, task->running.all);
        put_number(page, task->turns);
        fprintf(page->to, "  ");
        put_number(page, task->preempted);
        put_time(page, task->ready);
        if (task->missed > 0)
            put_number(page, task->missed);
        putc('\n', page->to);
    }
    note_instances(page);
}

/* The line of a task's responses or latencies. It ends with a star if percentiles are not exact. */
static void put_samples(const struct page *page, const struct stat_task *task, struct samples *samples)
{
    put_task(page, task, page->name);
    put_number(page, samples->n);
    put_time(page, samples->least);
    put_time(page, samples_average(samples));
    put_time(page, samples_percentile(samples, 50));
    put_time(page, samples_percentile(samples, 99));
    put_time(page, samples->most);
    put_moment(page, samples->most_at);
    fputs(samples_are_exact(samples) ? "\n" : " *\n", page->to);
}

/* Tell what the stars mean. */
static void note_percentiles(const struct page *page, bool are_inexact, uint64_t missed)
{
    if (are_inexact)
        fprintf(page->to, "  * p50 and p99 are within 1 %%, all else is exact\n");
    if (missed > 0)
        fprintf(page->to, "  * there was no memory for %" PRIu64 " of these: they are in no percentile\n", missed);
}

/* The table of responses or latencies. The idle task waits for nothing, so it has no line. */
static void put_all_samples(const struct page *page, const char *title, bool are_latencies)
{
    bool has = false, are_inexact = false;
    uint64_t missed = 0;
    for (size_t i = 0; i < page->stat->tasks.n; i++) {
        struct stat_task *task = page->stat->tasks.element[i];
        struct samples *samples = are_latencies ? &task->latency : &task->response;
        if (samples->n == 0 || task->pid == 0)
            continue;
        if (!has)
            put_heading(page, title,
                        "   count          min          avg          p50          p99          max"
                        "           at");
        has = true;
        put_samples(page, task, samples);
        are_inexact |= samples->histogram != NULL;
        missed += samples->missed;
    }
    note_percentiles(page, are_inexact, missed);
}

static void put_periods(const struct page *page)
{
    bool has = false;
    for (size_t i = 0; i < page->stat->tasks.n; i++) {
        const struct stat_task *task = task_at(page, i);
        const struct stat_span *period = &task->period;
        if (period->n < 2 || task->pid == 0)
            continue;
        if (!has)
            put_heading(page, "Periods", "   count          min          avg          max           at       jitter");
        has = true;
        put_task(page, task, page->name);
        put_number(page, period->n);
        put_time(page, period->least);
        put_time(page, period->time / period->n);
        put_time(page, period->most);
        put_moment(page, period->most_at);
        put_time(page, period->most - period->least);
        putc('\n', page->to);
    }
}

static void put_reason(const struct page *page, const struct stat_task *task, const struct stat_reason *reason)
{
    char name[32];
    put_task(page, task, page->name);
    putc(' ', page->to);
    answer_name(page->to, stat_reason_name(page->stat, reason), page->name);
    stat_object_name(page->stat, reason, name);
    putc(' ', page->to);
    answer_name(page->to, name, page->name - SHORTER);
    put_number(page, reason->span.n + (reason->open > 0));
    put_time(page, reason->span.time + reason->open);
    put_time(page, reason->span.most > reason->open ? reason->span.most : reason->open);
    if (reason->open > reason->span.most)
        fprintf(page->to, " %*s", FIGURE - 1, "to the end");
    else
        put_moment(page, reason->span.most_at);
    putc('\n', page->to);
}

static void put_reasons(const struct page *page)
{
    begin_heading(page, "Blocked");
    fprintf(page->to, " %-*s %-*s", (int)page->name, "by", (int)page->name - SHORTER, "object");
    end_heading(page, "   count         time      longest           at");
    for (size_t i = 0; i < page->stat->tasks.n; i++) {
        const struct stat_task *task = task_at(page, i);
        for (unsigned k = 0; k < task->nreasons; k++) {
            const struct stat_reason *reason = task->reason[k];
            if (reason->span.n > 0 || reason->open > 0)
                put_reason(page, task, reason);
        }
    }
}

/* ---- interrupts -------------------------------------------------------------------------------------------------- */

static uint64_t time_in_interrupts(const struct stat *stat)
{
    uint64_t time = 0;
    for (unsigned i = 0; i < stat->trace->ncpus; i++)
        time += stat->cpu[i].irq_time;
    return time;
}

static void put_irq(const struct page *page, const struct stat_irq *irq)
{
    char name[32];
    stat_irq_name(page->stat, irq, name);
    answer_name(page->to, name, page->name);
    put_number(page, irq->entered.all);
    fprintf(page->to, " %*.1f", NUMBER + 1, stat_per_second(page->stat, &irq->entered));
    put_share(page, stat_parts_of_seen(page->stat, &irq->own));
    put_time(page, irq->span.n > 0 ? irq->span.time / irq->span.n : 0);
    put_time(page, irq->span.most);
    put_moment(page, irq->span.most_at);
    put_number(page, irq->deepest);
    putc('\n', page->to);
}

/* The handlers that were left without an exit. */
static void put_left(const struct page *page)
{
    char name[32];
    for (size_t i = 0; i < page->stat->irqs.n; i++) {
        const struct stat_irq *irq = page->stat->irqs.element[i];
        if (irq->left == 0)
            continue;
        stat_irq_name(page->stat, irq, name);
        fprintf(page->to, "  %s: %" PRIu64 " of %" PRIu64 " ended without an exit, at a time that is not known\n", name,
                irq->left, irq->entered.all);
    }
}

static void put_irqs(const struct page *page)
{
    const struct stat *stat = page->stat;
    char text[ANSWER_TIME_BYTES];
    if (stat->irqs.n == 0)
        return;
    put_heading(page, "Interrupts", "   count  per second   share          avg      longest           at  inside");
    for (size_t i = 0; i < stat->irqs.n; i++)
        put_irq(page, stat->irqs.element[i]);
    fprintf(page->to, "  interrupts ran for %s, %u inside each other at most\n",
            answer_time(page->trace, time_in_interrupts(stat), text), stat->deepest);
    put_left(page);
}

/* ---- mutexes ----------------------------------------------------------------------------------------------------- */

static void put_mutexes_heading(const struct page *page)
{
    int width = (int)page->name - SHORTER;
    begin_heading(page, "Mutexes");
    fprintf(page->to, "    held      longest  %-*s   waits      longest  %-*s", width, "by", width, "of");
    end_heading(page, " inversions");
}

static void put_mutex(const struct page *page, const struct stat_mutex *mutex)
{
    char name[32];
    stat_mutex_name(page->stat, mutex, name);
    answer_name(page->to, name, page->name);
    put_number(page, mutex->hold.n);
    put_time(page, mutex->hold.most);
    fputs("  ", page->to);
    put_task(page, mutex->longest_holder, page->name - SHORTER);
    put_number(page, mutex->wait.n);
    put_time(page, mutex->wait.most);
    fputs("  ", page->to);
    put_task(page, mutex->longest_waiter, page->name - SHORTER);
    put_number(page, mutex->inversions[stat_priority_order_of(page->stat)]);
    putc('\n', page->to);
}

static void put_inversion(const struct page *page, const struct stat_wait *wait)
{
    const struct stat_other *intruder = mutex_intruder(wait, stat_priority_order_of(page->stat));
    char name[32], text[ANSWER_TIME_BYTES];
    if (intruder == NULL)
        return;
    fputs("  ", page->to);
    put_task(page, wait->task, 0);
    fprintf(page->to, " waited %s for mutex ", answer_time(page->trace, wait->time, text));
    stat_mutex_name(page->stat, wait->mutex, name);
    answer_name(page->to, name, 0);
    fputs(" held by ", page->to);
    put_task(page, wait->holder, 0);
    fputs(", which ", page->to);
    put_task(page, intruder->task, 0);
    fprintf(page->to, " preempted for %s", answer_time(page->trace, intruder->time, text));
    fprintf(page->to, ", at %s\n", answer_moment(page->trace, wait->begin, text));
}

static void put_mutexes(const struct page *page)
{
    const struct stat *stat = page->stat;
    uint64_t inversions = 0;
    for (size_t i = 0; i < stat->mutexes.n; i++) {
        const struct stat_mutex *mutex = stat->mutexes.element[i];
        if (i == 0)
            put_mutexes_heading(page);
        put_mutex(page, mutex);
        inversions += mutex->inversions[stat_priority_order_of(stat)];
    }
    if (inversions > 0)
        fprintf(page->to, "\nPriority inversions: %" PRIu64 "%s\n", inversions,
                inversions > STAT_INVERSIONS ? ", the longest" : "");
    for (unsigned i = 0; i < stat->ninversions; i++)
        put_inversion(page, &stat->inversion[i]);
}

/* ---- stacks and heaps -------------------------------------------------------------------------------------------- */

static void put_watermarks(const struct page *page)
{
    const struct stat *stat = page->stat;
    for (size_t i = 0; i < stat->watermarks.n; i++) {
        const struct stat_watermark *mark = stat->watermarks.element[i];
        const struct trace_type *type = stat->trace->types[mark->key >> 16];
        if (i == 0) {
            begin_heading(page, "Stack and heap");
            fprintf(page->to, " %-*s", (int)page->name - 1, "field");
            end_heading(page, "   count         least           at          most           at");
        }
        answer_name(page->to, type->name, page->name);
        putc(' ', page->to);
        answer_name(page->to, type->fields[mark->key & 0xFFFFu].name, page->name - 1u);
        put_number(page, mark->n);
        fprintf(page->to, " %*" PRId64, FIGURE, mark->least);
        put_moment(page, mark->least_at);
        fprintf(page->to, " %*" PRId64, FIGURE, mark->most);
        put_moment(page, mark->most_at);
        putc('\n', page->to);
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void note_bounds(const struct page *page)
{
    const struct stat *stat = page->stat;
    if (stat->tasks.is_full)
        fprintf(page->to, "\nOnly the first %u tasks are counted.\n", (unsigned)STAT_TASKS_MOST);
    if (stat->irqs.is_full || stat->mutexes.is_full || stat->watermarks.is_full || stat->reasons_left_out)
        fprintf(page->to, "\nThere are more interrupts, mutexes, reasons to wait or stacks than are counted.\n");
    if (stat->waits_missed > 0)
        fprintf(page->to, "\n%" PRIu64 " waits for mutexes are not counted: more than %u at a time.\n",
                stat->waits_missed, (unsigned)STAT_WAITS);
}

static void widen(struct page *page, const char *name)
{
    unsigned columns = answer_columns(name);
    if (columns > page->name)
        page->name = columns < NAME_MOST ? columns : NAME_MOST;
}

/* The columns of names are as wide as the longest one. */
static void measure(struct page *page)
{
    const struct stat *stat = page->stat;
    char name[32];
    for (size_t i = 0; i < stat->tasks.n; i++)
        widen(page, stat_task_name(stat, task_at(page, i), name));
    for (size_t i = 0; i < stat->irqs.n; i++) {
        stat_irq_name(stat, stat->irqs.element[i], name);
        widen(page, name);
    }
    for (size_t i = 0; i < stat->mutexes.n; i++) {
        stat_mutex_name(stat, stat->mutexes.element[i], name);
        widen(page, name);
    }
}

void stat_show_text(const struct answer *answer, const struct stat *stat)
{
    struct page page = {answer->to, answer, stat, stat->trace, NAME_LEAST};
    measure(&page);
    answer_trace_text(answer, stat->trace);
    put_stretches(&page);
    put_cpus(&page);
    put_tasks(&page);
    put_all_samples(&page, "Responses", false);
    put_all_samples(&page, "Latencies", true);
    put_periods(&page);
    put_reasons(&page);
    put_irqs(&page);
    put_mutexes(&page);
    put_watermarks(&page);
    note_bounds(&page);
}
