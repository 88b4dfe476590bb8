/* report.c - see report.h. formats/tracedat/write/page.c says why losses are in the file as they are. */
#include "text/report.h"

#include "base/heap.h"
#include "base/bytes.h"
#include "text/print.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t END_BEHIND = 11;       /* how much later than the last event the end of a trace is */
static const uint64_t COUNT_MAX = INT32_MAX; /* of a mark */

enum { FIELDS_MOST = 32 }; /* of a type whose fields are looked up by name for each event */

struct lane {
    uint64_t time; /* of the latest event */
    bool begun;    /* there was one */
    bool loss, loss_unknown;
    uint64_t loss_count;
    struct tlog_event loss_event; /* the last one */
};

struct report {
    struct trace *trace;
    struct trace told; /* has the names of tasks that events told, and nothing else */
    unsigned ncpus;
    struct lane *lanes;
    struct print_type *print[TRACE_TYPES_MAX];
};

struct report *report_new(struct trace *trace)
{
    struct report *report = heap_calloc(1, sizeof *report);
    if (report == NULL)
        return NULL;
    report->trace = trace;
    trace_init(&report->told, trace->input_name);
    return report;
}

void report_free(struct report *report)
{
    if (report == NULL)
        return;
    for (unsigned i = 0; i < TRACE_TYPES_MAX; i++)
        print_type_free(report->print[i]);
    trace_free(&report->told);
    heap_free(report->lanes);
    heap_free(report);
}

/* ---- CPUs -------------------------------------------------------------------------------------------------------- */

int report_cpu(struct report *report, unsigned cpu)
{
    struct lane *lanes;
    if (cpu < report->ncpus)
        return 0;
    lanes = heap_realloc(report->lanes, (cpu + 1u) * sizeof *lanes);
    if (lanes == NULL)
        return -1;
    memset(lanes + report->ncpus, 0, (cpu + 1u - report->ncpus) * sizeof *lanes);
    report->lanes = lanes;
    report->ncpus = cpu + 1u;
    return 0;
}

unsigned report_cpus(const struct report *report)
{
    return report->ncpus;
}

void report_lose(struct report *report, unsigned cpu, const struct tlog_event *event)
{
    struct lane *lane = &report->lanes[cpu];
    uint64_t count = event->size >= 8u ? get_le64(event->data) : 0;
    lane->loss = true;
    lane->loss_unknown |= count == 0;
    lane->loss_count = lane->loss_count <= UINT64_MAX - count ? lane->loss_count + count : UINT64_MAX;
    lane->loss_event = *event;
}

bool report_take_loss(struct report *report, unsigned cpu, uint64_t *count)
{
    struct lane *lane = &report->lanes[cpu];
    bool loss = lane->loss;
    *count = lane->loss_unknown ? 0 : lane->loss_count < COUNT_MAX ? lane->loss_count : COUNT_MAX;
    lane->loss = lane->loss_unknown = false;
    lane->loss_count = 0;
    return loss;
}

void report_pass(struct report *report, unsigned cpu, uint64_t time)
{
    struct lane *lane = &report->lanes[cpu];
    lane->begun = true;
    lane->time = time > lane->time ? time : lane->time;
}

bool report_end(struct report *report, unsigned cpu, struct tlog_event *end)
{
    struct lane *lane = &report->lanes[cpu];
    uint64_t behind = lane->time <= UINT64_MAX - END_BEHIND ? lane->time + END_BEHIND : UINT64_MAX;
    *end = lane->loss_event;
    if (lane->begun && end->time < behind)
        end->time = behind;
    return lane->loss;
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/* As a table of tasks has them: without blanks before the name, and none is empty. */
static const char *without_blanks(const char *name)
{
    if (name != NULL)
        name += strspn(name, " ");
    return name != NULL && name[0] != '\0' ? name : NULL;
}

const char *report_task(const struct report *report, uint32_t task)
{
    const char *name = task == 0 ? "<idle>" : without_blanks(trace_name(report->trace, TRACE_NAME_TASK, task));
    if (name == NULL)
        name = trace_name(&report->told, TRACE_NAME_TASK, task);
    return name != NULL ? name : "<...>";
}

/* A field of that name, kind and size, inside of the payload; or NULL. */
static const unsigned char *find(const struct tlog_type *type, const struct tlog_event *event, const char *name,
                                 size_t size)
{
    for (unsigned i = 0; i < type->nfields; i++) {
        const struct tlog_field *field = &type->fields[i];
        if (strcmp(field->name, name) == 0 && field->size >= size && (size_t)field->offset + field->size <= event->size)
            return event->data + field->offset;
    }
    return NULL;
}

/* Learn the name of a task that no table has; the first one counts. */
static void learn(struct report *report, const struct tlog_type *type, const struct tlog_event *event,
                  const char *comm_field, const char *pid_field)
{
    const unsigned char *comm = find(type, event, comm_field, 16), *pid = find(type, event, pid_field, 4);
    char name[17] = "";
    uint32_t task = pid != NULL ? get_le32(pid) : 0;
    if (comm == NULL || task == 0 || strcmp(report_task(report, task), "<...>") != 0)
        return;
    memcpy(name, comm, 16);
    trace_set_name(&report->told, TRACE_NAME_TASK, task, name);
}

static void learn_names(struct report *report, const struct tlog_type *type, const struct tlog_event *event)
{
    if (strcmp(type->system, "sched") != 0 || type->nfields > FIELDS_MOST)
        return;
    if (strcmp(type->name, "sched_switch") == 0) {
        learn(report, type, event, "prev_comm", "prev_pid");
        learn(report, type, event, "next_comm", "next_pid");
    } else if (strcmp(type->name, "sched_wakeup") == 0 || strcmp(type->name, "sched_wakeup_new") == 0) {
        learn(report, type, event, "comm", "pid");
    }
}

char *report_event(struct report *report, char *to, const struct tlog_event *event)
{
    const struct tlog_type *type = report->trace->types[event->type];
    struct print_type **print = &report->print[event->type];
    if (*print == NULL)
        *print = print_type_new(report->trace, type);
    if (*print == NULL)
        return NULL;
    learn_names(report, type, event);
    return print_event(to, *print, event);
}
