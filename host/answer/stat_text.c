/* stat_text.c - the figures of --stat as text: tables with a line for each task, interrupt and mutex. */
#include "answer/answer.h"
#include "answer/mutexes.h"
#include "answer/samples.h"
#include "answer/scheduling.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* Widths of columns: of a length of time, a number, a share, a watermark. */
enum { NAME = COLUMN_NAME, MOMENT = COLUMN_MOMENT, TIME = 9, NUMBER = 8, SHARE = 9, VALUE = 12 };

struct page {
    FILE *to;
    const struct answer *answer;
    const struct stat *stat;
    const struct trace *trace;
    unsigned moment;        /* columns of a moment, with a blank before it */
    char longest[32];       /* name of a task, an interrupt or a mutex */
    struct columns columns; /* of the table that is being written */
};

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static void put(struct page *page, const char *text)
{
    columns_put(&page->columns, text);
}

static void put_time(struct page *page, uint64_t time)
{
    char text[ANSWER_TIME_BYTES];
    put(page, answer_length(page->trace, time, text));
}

static void put_moment(struct page *page, uint64_t time)
{
    char text[ANSWER_TIME_BYTES];
    put(page, answer_moment(page->trace, time, text));
}

static void put_number(struct page *page, uint64_t n)
{
    char text[ANSWER_TIME_BYTES];
    put(page, answer_amount(n, false, NUMBER - 1, text));
}

static void put_share(struct page *page, double share)
{
    char text[ANSWER_TIME_BYTES];
    snprintf(text, sizeof text, "%.2f %%", share * 100);
    put(page, text);
}

static const char *task_name(const struct page *page, const struct stat_task *task, char room[32])
{
    return task != NULL ? stat_task_name(page->stat, task, room) : "-";
}

static void put_task(struct page *page, const struct stat_task *task)
{
    char room[32];
    put(page, task_name(page, task, room));
}

static void end_row(struct page *page)
{
    columns_end(&page->columns);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* Begin a table; its first column has room for every name of the page. */
static void begin_table(struct page *page, const struct column *spec, unsigned n)
{
    columns_begin(&page->columns, page->to, spec, n, page->moment);
    columns_make_room(&page->columns, 0, page->longest);
}

static void put_heading(struct page *page)
{
    columns_head(&page->columns, page->answer->has_colour);
}

#define BEGIN_TABLE(page, spec) begin_table((page), (spec), sizeof(spec) / sizeof(spec)[0])

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
    enum { BEFORE = 25 };
    for (unsigned i = 0; i < page->trace->ncpus; i++) {
        const struct stat_cpu *cpu = &page->stat->cpu[i];
        if (!cpu->has_begun)
            continue;
        fprintf(page->to, "CPU %-4u load %*.2f %% |", i, SHARE - 3, stat_share(cpu->busy, stat_known(cpu)) * 100);
        put_load(page, cpu, ANSWER_COLUMNS - BEFORE);
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
    char room[32];
    for (size_t i = 0; i < page->stat->tasks.n; i++) {
        const struct stat_task *task = task_at(page, i);
        struct sentence sentence = {{0}, 0};
        if (task->created < 2)
            continue;
        sentence_add(&sentence, "  ");
        sentence_add_name(&sentence, task_name(page, task, room));
        sentence_add(&sentence, " stands for %" PRIu64 " tasks, one after the other", task->created);
        sentence_write(&sentence, page->to);
    }
}

static void put_tasks(struct page *page)
{
    static const struct column spec[] = {{"Tasks", NAME},         {"share", SHARE},  {"running", TIME + 1},
                                         {"runs", NUMBER},        {"preempted", 11}, {"ready", TIME + 1},
                                         {"deadlines missed", 17}};
    BEGIN_TABLE(page, spec);
    put_heading(page);
    for (size_t i = 0; i < page->stat->tasks.n; i++) {
        const struct stat_task *task = task_at(page, i);
        put_task(page, task);
        put_share(page, stat_parts_of_known(page->stat, &task->running));
        put_time(page, task->running.all);
        put_number(page, task->turns);
        put_number(page, task->preempted);
        put_time(page, task->ready);
        if (task->missed > 0)
            put_number(page, task->missed);
        end_row(page);
    }
    if (page->trace->ncpus > 1)
        fprintf(page->to, "  shares of the CPUs' known time are added up: %u %% is all of it\n",
                100 * page->trace->ncpus);
    note_instances(page);
}

/* The line of a task's responses or latencies. It ends with a star if percentiles are not exact. */
static void put_samples(struct page *page, const struct stat_task *task, struct samples *samples)
{
    put_task(page, task);
    put_number(page, samples->n);
    put_time(page, samples->least);
    put_time(page, samples_average(samples));
    put_time(page, samples_percentile(samples, 50));
    put_time(page, samples_percentile(samples, 99));
    put_time(page, samples->most);
    put_moment(page, samples->most_at);
    if (!samples_are_exact(samples))
        put(page, "*");
    end_row(page);
}

/* Tell what the stars mean. */
static void note_percentiles(const struct page *page, bool are_inexact, uint64_t missed)
{
    if (are_inexact)
        fprintf(page->to, "  * p50 and p99 are within 1 %%, all else is exact\n");
    if (missed > 0)
        fprintf(page->to, "  * there was no memory for %" PRIu64 " of these: they are in no percentile\n", missed);
}

static struct samples *samples_at(const struct page *page, size_t i, bool are_latencies)
{
    struct stat_task *task = page->stat->tasks.element[i];
    return are_latencies ? &task->latency : &task->response;
}

/* The table of responses or latencies. The idle task waits for nothing, so it has no line. Stars have a column. */
static void put_all_samples(struct page *page, const char *title, bool are_latencies)
{
    const struct column spec[] = {{title, NAME}, {"count", NUMBER}, {"min", TIME},  {"avg", TIME}, {"p50", TIME},
                                  {"p99", TIME}, {"max", TIME},     {"at", MOMENT}, {"", 2}};
    bool has = false, are_exact = true, have_histogram = false;
    uint64_t missed = 0;
    for (size_t i = 0; i < page->stat->tasks.n; i++) {
        const struct samples *samples = samples_at(page, i, are_latencies);
        are_exact &= samples_are_exact(samples);
        have_histogram |= samples->histogram != NULL;
        missed += samples->missed;
    }
    begin_table(page, spec, sizeof spec / sizeof spec[0] - are_exact);
    for (size_t i = 0; i < page->stat->tasks.n; i++) {
        struct samples *samples = samples_at(page, i, are_latencies);
        if (samples->n == 0 || task_at(page, i)->pid == 0)
            continue;
        if (!has)
            put_heading(page);
        has = true;
        put_samples(page, task_at(page, i), samples);
    }
    if (has)
        note_percentiles(page, have_histogram, missed);
}

static void put_periods(struct page *page)
{
    static const struct column spec[] = {{"Periods", NAME}, {"count", NUMBER}, {"min", TIME},   {"avg", TIME},
                                         {"max", TIME},     {"at", MOMENT},    {"jitter", TIME}};
    bool has = false;
    BEGIN_TABLE(page, spec);
    for (size_t i = 0; i < page->stat->tasks.n; i++) {
        const struct stat_task *task = task_at(page, i);
        const struct stat_span *period = &task->period;
        if (period->n < 2 || task->pid == 0)
            continue;
        if (!has)
            put_heading(page);
        has = true;
        put_task(page, task);
        put_number(page, period->n);
        put_time(page, period->least);
        put_time(page, period->time / period->n);
        put_time(page, period->most);
        put_moment(page, period->most_at);
        put_time(page, period->most - period->least);
        end_row(page);
    }
}

static void put_reason(struct page *page, const struct stat_task *task, const struct stat_reason *reason)
{
    char name[32];
    put_task(page, task);
    put(page, stat_reason_name(page->stat, reason));
    stat_object_name(page->stat, reason, name);
    put(page, name);
    put_number(page, reason->span.n + (reason->open > 0));
    put_time(page, reason->span.time + reason->open);
    put_time(page, reason->span.most > reason->open ? reason->span.most : reason->open);
    if (reason->open > reason->span.most)
        put(page, "to the end");
    else
        put_moment(page, reason->span.most_at);
    end_row(page);
}

/* Call `each` with every reason to wait that took time. */
static void each_reason(struct page *page,
                        void (*each)(struct page *page, const struct stat_task *task, const struct stat_reason *reason))
{
    for (size_t i = 0; i < page->stat->tasks.n; i++) {
        const struct stat_task *task = task_at(page, i);
        for (unsigned k = 0; k < task->nreasons; k++) {
            const struct stat_reason *reason = task->reason[k];
            if (reason->span.n > 0 || reason->open > 0)
                each(page, task, reason);
        }
    }
}

static void make_room_for_reason(struct page *page, const struct stat_task *task, const struct stat_reason *reason)
{
    char name[32];
    (void)task;
    stat_object_name(page->stat, reason, name);
    columns_make_room(&page->columns, 1, stat_reason_name(page->stat, reason));
    columns_make_room(&page->columns, 2, name);
}

static void put_reasons(struct page *page)
{
    static const struct column spec[] = {{"Blocked", NAME}, {"by", NAME},      {"object", NAME}, {"count", NUMBER},
                                         {"time", TIME},    {"longest", TIME}, {"at", MOMENT}};
    BEGIN_TABLE(page, spec);
    each_reason(page, make_room_for_reason);
    put_heading(page);
    each_reason(page, put_reason);
}

/* ---- interrupts -------------------------------------------------------------------------------------------------- */

static uint64_t time_in_interrupts(const struct stat *stat)
{
    uint64_t time = 0;
    for (unsigned i = 0; i < stat->trace->ncpus; i++)
        time += stat->cpu[i].irq_time;
    return time;
}

static void put_rate(struct page *page, double per_second)
{
    char text[ANSWER_TIME_BYTES];
    if (per_second < 1e6)
        snprintf(text, sizeof text, "%.1f", per_second);
    else
        answer_amount((uint64_t)per_second, false, 8, text);
    put(page, text);
}

static void put_irq(struct page *page, const struct stat_irq *irq)
{
    char name[32];
    stat_irq_name(page->stat, irq, name);
    put(page, name);
    put_number(page, irq->entered.all);
    put_rate(page, stat_per_second(page->stat, &irq->entered));
    put_share(page, stat_parts_of_seen(page->stat, &irq->own));
    put_time(page, irq->span.n > 0 ? irq->span.time / irq->span.n : 0);
    put_time(page, irq->span.most);
    put_moment(page, irq->span.most_at);
    put_number(page, irq->deepest);
    end_row(page);
}

/* The handlers that were left without an exit. */
static void put_left(const struct page *page)
{
    char name[32];
    for (size_t i = 0; i < page->stat->irqs.n; i++) {
        const struct stat_irq *irq = page->stat->irqs.element[i];
        struct sentence sentence = {{0}, 0};
        if (irq->left == 0)
            continue;
        stat_irq_name(page->stat, irq, name);
        sentence_add(&sentence, "  ");
        sentence_add_name(&sentence, name);
        sentence_add(&sentence, ": %" PRIu64 " of %" PRIu64 " ended without an exit, at a time that is not known",
                     irq->left, irq->entered.all);
        sentence_write(&sentence, page->to);
    }
}

/* What interrupt_hit and interrupt_count tell. */
static void put_hits(const struct page *page)
{
    char name[32];
    for (size_t i = 0; i < page->stat->irqs.n; i++) {
        const struct stat_irq *irq = page->stat->irqs.element[i];
        struct sentence sentence = {{0}, 0};
        if (irq->hits + irq->counts == 0)
            continue;
        stat_irq_name(page->stat, irq, name);
        sentence_add(&sentence, "  ");
        sentence_add_name(&sentence, name);
        sentence_add(&sentence, ": %" PRIu64 " hit%s", irq->hits, text_plural(irq->hits));
        if (irq->counts > 0)
            sentence_add(&sentence, ", and %" PRIu64 " by its last count", irq->told);
        sentence_write(&sentence, page->to);
    }
}

static void put_irqs(struct page *page)
{
    static const struct column spec[] = {{"Interrupts", NAME}, {"count", NUMBER}, {"per second", 11},
                                         {"share", SHARE},     {"avg", TIME},     {"longest", TIME},
                                         {"at", MOMENT},       {"inside", NUMBER}};
    const struct stat *stat = page->stat;
    char text[ANSWER_TIME_BYTES];
    if (stat->irqs.n == 0)
        return;
    BEGIN_TABLE(page, spec);
    put_heading(page);
    for (size_t i = 0; i < stat->irqs.n; i++)
        put_irq(page, stat->irqs.element[i]);
    fprintf(page->to, "  interrupts ran for %s, %u inside each other at most\n",
            answer_time(page->trace, time_in_interrupts(stat), text), stat->deepest);
    put_left(page);
    put_hits(page);
}

/* ---- mutexes ----------------------------------------------------------------------------------------------------- */

static void begin_mutexes(struct page *page)
{
    static const struct column spec[] = {{"Mutexes", NAME}, {"held", NUMBER},  {"longest", TIME}, {"by", NAME},
                                         {"waits", NUMBER}, {"longest", TIME}, {"of", NAME},      {"inversions", 11}};
    char room[32];
    BEGIN_TABLE(page, spec);
    for (size_t i = 0; i < page->stat->mutexes.n; i++) {
        const struct stat_mutex *mutex = page->stat->mutexes.element[i];
        columns_make_room(&page->columns, 3, task_name(page, mutex->longest_holder, room));
        columns_make_room(&page->columns, 6, task_name(page, mutex->longest_waiter, room));
    }
    put_heading(page);
}

static void put_mutex(struct page *page, const struct stat_mutex *mutex)
{
    char name[32];
    stat_mutex_name(page->stat, mutex, name);
    put(page, name);
    put_number(page, mutex->hold.n);
    put_time(page, mutex->hold.most);
    put_task(page, mutex->longest_holder);
    put_number(page, mutex->wait.n);
    put_time(page, mutex->wait.most);
    put_task(page, mutex->longest_waiter);
    put_number(page, mutex->inversions[stat_priority_order_of(page->stat)]);
    end_row(page);
}

static void put_inversion(const struct page *page, const struct stat_wait *wait)
{
    const struct stat_other *intruder = mutex_intruder(wait, stat_priority_order_of(page->stat));
    struct sentence sentence = {{0}, 0};
    char name[32], text[ANSWER_TIME_BYTES];
    if (intruder == NULL)
        return;
    sentence_add(&sentence, "  ");
    sentence_add_name(&sentence, task_name(page, wait->task, name));
    sentence_add(&sentence, " waited %s for mutex ", answer_time(page->trace, wait->time, text));
    stat_mutex_name(page->stat, wait->mutex, name);
    sentence_add_name(&sentence, name);
    sentence_add(&sentence, " held by ");
    sentence_add_name(&sentence, task_name(page, wait->holder, name));
    sentence_add(&sentence, ", which ");
    sentence_add_name(&sentence, task_name(page, intruder->task, name));
    sentence_add(&sentence, " preempted for %s", answer_time(page->trace, intruder->time, text));
    sentence_add(&sentence, ", at %s", answer_moment(page->trace, wait->begin, text));
    sentence_write(&sentence, page->to);
}

static void put_mutexes(struct page *page)
{
    const struct stat *stat = page->stat;
    uint64_t inversions = 0;
    for (size_t i = 0; i < stat->mutexes.n; i++) {
        const struct stat_mutex *mutex = stat->mutexes.element[i];
        if (i == 0)
            begin_mutexes(page);
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

static void put_value(struct page *page, int64_t value)
{
    char text[ANSWER_TIME_BYTES];
    uint64_t n = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    put(page, answer_amount(n, value < 0, VALUE - 1, text));
}

static const struct tlog_type *type_of(const struct page *page, const struct stat_watermark *mark)
{
    return page->trace->types[mark->key >> 16];
}

static void begin_watermarks(struct page *page)
{
    static const struct column spec[] = {{"Stack and heap", NAME}, {"field", NAME}, {"count", NUMBER}, {"least", VALUE},
                                         {"at", MOMENT},           {"most", VALUE}, {"at", MOMENT}};
    BEGIN_TABLE(page, spec);
    for (size_t i = 0; i < page->stat->watermarks.n; i++) {
        const struct stat_watermark *mark = page->stat->watermarks.element[i];
        columns_make_room(&page->columns, 0, type_of(page, mark)->name);
        columns_make_room(&page->columns, 1, type_of(page, mark)->fields[mark->key & 0xFFFFu].name);
    }
    put_heading(page);
}

static void put_watermarks(struct page *page)
{
    const struct stat *stat = page->stat;
    for (size_t i = 0; i < stat->watermarks.n; i++) {
        const struct stat_watermark *mark = stat->watermarks.element[i];
        if (i == 0)
            begin_watermarks(page);
        put(page, type_of(page, mark)->name);
        put(page, type_of(page, mark)->fields[mark->key & 0xFFFFu].name);
        put_number(page, mark->n);
        put_value(page, mark->least);
        put_moment(page, mark->least_at);
        put_value(page, mark->most);
        put_moment(page, mark->most_at);
        end_row(page);
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

static void note_length(struct page *page, const char *name)
{
    if (strlen(name) <= strlen(page->longest))
        return;
    snprintf(page->longest, sizeof page->longest, "%s", name);
}

/* Find out how wide the first columns of tables should be, and moments. */
static void measure(struct page *page)
{
    const struct stat *stat = page->stat;
    char name[ANSWER_TIME_BYTES];
    page->moment = 1u + (unsigned)strlen(answer_moment(page->trace, stat->last, name));
    for (size_t i = 0; i < stat->tasks.n; i++)
        note_length(page, stat_task_name(stat, task_at(page, i), name));
    for (size_t i = 0; i < stat->irqs.n; i++) {
        stat_irq_name(stat, stat->irqs.element[i], name);
        note_length(page, name);
    }
    for (size_t i = 0; i < stat->mutexes.n; i++) {
        stat_mutex_name(stat, stat->mutexes.element[i], name);
        note_length(page, name);
    }
}

void stat_show_text(const struct answer *answer, const struct stat *stat)
{
    struct page page = {.to = answer->to, .answer = answer, .stat = stat, .trace = stat->trace};
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
