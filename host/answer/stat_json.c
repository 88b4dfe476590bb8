/* stat_json.c - the figures of --stat as JSON. The manual tells the keys. */
#include "answer/answer.h"
#include "answer/json.h"
#include "answer/mutexes.h"
#include "answer/samples.h"
#include "answer/scheduling.h"

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static void span_members(struct json *json, const struct stat_span *span)
{
    json_number(json, "count", span->n);
    json_number(json, "time", span->time);
    json_number(json, "min", span->least);
    json_number(json, "avg", span->n > 0 ? span->time / span->n : 0);
    json_number(json, "max", span->most);
    json_number(json, "max_at", span->most_at);
}

static void put_span(struct json *json, const char *key, const struct stat_span *span)
{
    json_open_flat(json, key, '{');
    span_members(json, span);
    json_close(json, '}');
}

static void put_samples(struct json *json, const char *key, struct samples *samples)
{
    json_open_flat(json, key, '{');
    json_number(json, "count", samples->n);
    json_number(json, "time", (uint64_t)samples->sum);
    json_number(json, "min", samples->least);
    json_number(json, "avg", samples_average(samples));
    json_number(json, "p50", samples_percentile(samples, 50));
    json_number(json, "p99", samples_percentile(samples, 99));
    json_number(json, "max", samples->most);
    json_number(json, "max_at", samples->most_at);
    json_bool(json, "exact", samples_are_exact(samples));
    json_number(json, "in_no_percentile", samples->missed);
    json_close(json, '}');
}

static void put_task_name(struct json *json, const char *key, const struct stat *stat, const struct stat_task *task)
{
    char room[32];
    if (task != NULL)
        json_text(json, key, stat_task_name(stat, task, room));
    else
        json_null(json, key);
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

static void put_reason(struct json *json, const struct stat *stat, const struct stat_reason *reason)
{
    char name[32];
    json_open_flat(json, NULL, '{');
    json_text(json, "reason", stat_reason_name(stat, reason));
    stat_object_name(stat, reason, name);
    if (name[0] != '\0') {
        json_text(json, "kind", stat->roles.of[reason->type].object->name);
        json_text(json, "object", name);
    } else {
        json_null(json, "kind");
        json_null(json, "object");
    }
    json_bool(json, "lock", reason->is_lock);
    span_members(json, &reason->span);
    json_number(json, "until_end", reason->open);
    json_close(json, '}');
}

static void put_task(struct json *json, const struct stat *stat, struct stat_task *task)
{
    json_open(json, NULL, '{');
    put_task_name(json, "task", stat, task);
    json_number(json, "pid", task->pid);
    if (task->has_priority)
        json_signed(json, "priority", task->priority);
    else
        json_null(json, "priority");
    json_number(json, "running", task->running.all);
    json_share(json, "share", stat_parts_of_known(stat, &task->running));
    json_number(json, "interrupted", task->interrupted);
    json_number(json, "runs", task->turns);
    json_number(json, "preempted", task->preempted);
    json_number(json, "ready", task->ready);
    json_number(json, "deadlines_missed", task->missed);
    json_number(json, "created", task->created);
    put_samples(json, "response", &task->response);
    put_samples(json, "latency", &task->latency);
    put_span(json, "cycle", &task->cycle);
    put_span(json, "period", &task->period);
    json_number(json, "jitter", stat_elapsed(task->period.least, task->period.most));
    json_open(json, "blocked", '[');
    for (unsigned i = 0; i < task->nreasons; i++) {
        const struct stat_reason *reason = task->reason[i];
        if (reason->span.n > 0 || reason->open > 0)
            put_reason(json, stat, reason);
    }
    json_close(json, ']');
    json_close(json, '}');
}

/* ---- CPUs and interrupts ----------------------------------------------------------------------------------------- */

enum { PARTS = 64 }; /* of the load over time */

static void put_cpu(struct json *json, const struct stat *stat, unsigned number)
{
    const struct stat_cpu *cpu = &stat->cpu[number];
    json_open(json, NULL, '{');
    json_number(json, "cpu", number);
    json_share(json, "load", stat_share(cpu->busy, stat_known(cpu)));
    json_number(json, "busy", cpu->busy);
    json_number(json, "idle", cpu->idle);
    json_number(json, "unknown", stat_unknown(stat, cpu));
    json_number(json, "in_interrupts", cpu->irq_time);
    json_open_flat(json, "load_over_time", '[');
    for (unsigned i = 0; i < PARTS; i++) {
        double part = stat_load_part(stat, cpu, i, PARTS);
        if (part < 0)
            json_null(json, NULL);
        else
            json_share(json, NULL, part);
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void put_irq(struct json *json, const struct stat *stat, const struct stat_irq *irq)
{
    char name[32];
    stat_irq_name(stat, irq, name);
    json_open_flat(json, NULL, '{');
    json_text(json, "interrupt", name);
    json_number(json, "number", irq->number);
    json_number(json, "entered", irq->entered.all);
    json_share(json, "per_second", stat_per_second(stat, &irq->entered));
    span_members(json, &irq->span);
    json_number(json, "own", irq->own.all);
    json_share(json, "share", stat_parts_of_seen(stat, &irq->own));
    json_number(json, "inside", irq->deepest);
    json_number(json, "left", irq->left);
    json_number(json, "hits", irq->hits);
    json_number(json, "counted", irq->told);
    json_close(json, '}');
}

/* ---- mutexes ----------------------------------------------------------------------------------------------------- */

static void put_mutex(struct json *json, const struct stat *stat, const struct stat_mutex *mutex)
{
    char name[32];
    stat_mutex_name(stat, mutex, name);
    json_open(json, NULL, '{');
    json_text(json, "mutex", name);
    json_number(json, "number", mutex->number);
    put_span(json, "held", &mutex->hold);
    put_task_name(json, "held_longest_by", stat, mutex->longest_holder);
    put_span(json, "waited", &mutex->wait);
    put_task_name(json, "waited_longest", stat, mutex->longest_waiter);
    json_number(json, "inversions", mutex->inversions[stat_priority_order_of(stat)]);
    json_close(json, '}');
}

static void put_inversion(struct json *json, const struct stat *stat, const struct stat_wait *wait)
{
    const struct stat_other *intruder = mutex_intruder(wait, stat_priority_order_of(stat));
    char name[32];
    if (intruder == NULL)
        return;
    stat_mutex_name(stat, wait->mutex, name);
    json_open_flat(json, NULL, '{');
    put_task_name(json, "task", stat, wait->task);
    json_text(json, "mutex", name);
    put_task_name(json, "holder", stat, wait->holder);
    put_task_name(json, "preempted_by", stat, intruder->task);
    json_number(json, "waited", wait->time);
    json_number(json, "preempted", intruder->time);
    json_number(json, "at", wait->begin);
    json_close(json, '}');
}

static void put_watermark(struct json *json, const struct stat *stat, const struct stat_watermark *mark)
{
    const struct tlog_type *type = stat->trace->types[mark->key >> 16];
    json_open_flat(json, NULL, '{');
    json_text(json, "event", type->name);
    json_text(json, "field", type->fields[mark->key & 0xFFFFu].name);
    json_number(json, "count", mark->n);
    json_signed(json, "min", mark->least);
    json_number(json, "min_at", mark->least_at);
    json_signed(json, "max", mark->most);
    json_number(json, "max_at", mark->most_at);
    json_signed(json, "last", mark->last);
    json_close(json, '}');
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void put_mutexes(struct json *json, const struct stat *stat)
{
    json_open(json, "mutexes", '[');
    for (size_t i = 0; i < stat->mutexes.n; i++)
        put_mutex(json, stat, stat->mutexes.element[i]);
    json_close(json, ']');
    json_text(json, "priority_order", answer_priority_order(stat_priority_order_of(stat)));
    json_open(json, "inversions", '[');
    for (unsigned i = 0; i < stat->ninversions; i++)
        put_inversion(json, stat, &stat->inversion[i]);
    json_close(json, ']');
    json_open(json, "stacks_and_heaps", '[');
    for (size_t i = 0; i < stat->watermarks.n; i++)
        put_watermark(json, stat, stat->watermarks.element[i]);
    json_close(json, ']');
    json_bool(json, "complete", stat_is_complete(stat));
}

void stat_show_json(struct answer *answer, const struct stat *stat)
{
    struct json *json = &answer->json;
    answer_trace_json(json, stat->trace);
    json_number(json, "chosen", stat_length(stat));
    json_number(json, "stretches", stat->stretches);
    json_open(json, "load", '[');
    for (unsigned i = 0; i < stat->trace->ncpus; i++) {
        if (stat->cpu[i].has_begun)
            put_cpu(json, stat, i);
    }
    json_close(json, ']');
    json_open(json, "tasks", '[');
    for (size_t i = 0; i < stat->tasks.n; i++)
        put_task(json, stat, stat->tasks.element[i]);
    json_close(json, ']');
    json_open(json, "interrupts", '[');
    for (size_t i = 0; i < stat->irqs.n; i++)
        put_irq(json, stat, stat->irqs.element[i]);
    json_close(json, ']');
    put_mutexes(json, stat);
}
