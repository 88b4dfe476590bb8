/* writer.c - the formats "csv" and "jsonl": a row for each event, for scripts and databases.
 *
 * Both have the same columns, always all of them and in this order:
 *   time_ns   time in ns; time_ticks, in ticks of the clock, if the clock's frequency is not known
 *   cpu, pid  numbers
 *   task      name of the task; "" if it has none
 *   kind      event; derived: added by the mapping; loss, damage: events are missing before the next row of the CPU;
 *             mark: a place that was marked
 *   system, event
 *   group     "" for an event in none
 *   context   exception or mode in which it was logged; "" in a task
 *   fields    a JSON object, see json.h
 * CSV is that of RFC 4180: a row with the names of the columns comes first, and rows end with CR LF.
 *
 * There may be millions of rows, so nothing is written by printf(): see base/digits.h.
 */
#include "base/heap.h"
#include "base/digits.h"
#include "io/output.h"
#include "model/known.h"
#include "model/module.h"
#include "formats/rows/json.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES 1048576u
#define ROW_BYTES    1024u /* room for all of a row except system, event and fields; put_short() writes no farther */
#define TASKS        256u  /* names that are kept ready to be put; a power of two */
#define TASK_BYTES   128u

/* The columns pid and task of a task, as they are in a row. */
struct task_columns {
    uint32_t task;
    uint32_t bytes;
    unsigned naming; /* trace.naming + 1 when they were made; 0: not made */
    char text[TASK_BYTES + SHORT_BYTES];
};

/* What the rows of a type's events have in common. */
struct row_type {
    struct json_encoder fields;
    char *names; /* the columns system and event, with the text before and behind them; for put_short() */
    size_t names_bytes;
    /* The text from kind to the fields, of an event that has no group and no context; [1]: of a derived one. */
    char *middle[2];
    size_t middle_bytes[2];
};

struct rows {
    struct trace *trace;
    int fd;
    bool csv;
    char *at; /* next free byte of buffer */
    struct json_output json;
    struct row_type type[TRACE_TYPES_MAX];
    struct task_columns task[TASKS];
    char buffer[BUFFER_BYTES];
};

/* ---- output ------------------------------------------------------------------------------------------------------ */

/* Write what is in the buffer. 0, or -1 after trace_fail(). */
static int flush(struct rows *rows)
{
    size_t used = (size_t)(rows->at - rows->buffer);
    rows->at = rows->buffer;
    return output_put(rows->trace, rows->fd, rows->buffer, used);
}

/* Make room for a row of up to that many bytes. 0, or -1 after trace_fail(). */
static int make_room(struct rows *rows, size_t bytes)
{
    if (bytes <= (size_t)(rows->buffer + BUFFER_BYTES - rows->at))
        return 0;
    if (flush(rows) != 0)
        return -1;
    return bytes <= BUFFER_BYTES ? 0 : trace_fail(rows->trace, "an event needs a row of up to %zu bytes", bytes);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* A column's name before its value, in JSON; the comma before it in CSV. */
static inline char *put_column(char *to, const struct rows *rows, const char *json)
{
    return rows->csv ? put_word(to, ",") : put_word(to, json);
}

static char *put_text(char *to, const struct rows *rows, const char *text)
{
    size_t n = strlen(text);
    return rows->csv ? csv_put(to, text, n) : json_put(to, text, n, false);
}

/* The columns pid and task. Those of a task are kept, because the same tasks come again and again. */
static const struct task_columns *columns_of(struct rows *rows, unsigned cpu, uint32_t task)
{
    struct task_columns *kept = &rows->task[task % TASKS];
    if (kept->task != task || kept->naming != rows->trace->naming + 1u) {
        const char *name = task == 0 ? "idle" : trace_name(rows->trace, TRACE_NAME_TASK, task);
        char *to;
        if (name == NULL && trace_pid_is_unknown(rows->trace, cpu, task))
            name = TRACE_UNKNOWN_COMM;
        to = put_unsigned(put_column(kept->text, rows, ",\"pid\":"), task);
        to = put_text(put_column(to, rows, ",\"task\":\""), rows, name != NULL ? name : "");
        kept->task = task;
        kept->naming = rows->trace->naming + 1u;
        kept->bytes = (uint32_t)(to - kept->text);
    }
    return kept;
}

static char *put_kind(char *to, const struct trace *trace, const struct tlog_event *event)
{
    switch (trace->types[event->type]->means) {
    case TLOG_MEANS_LOSS:
        return put_word(to, "loss");
    case TLOG_MEANS_DAMAGE:
        return put_word(to, "damage");
    case TLOG_MEANS_MARK:
        return put_word(to, "mark");
    default:
        return (event->flags & TLOG_FLAG_DERIVED) != 0 ? put_word(to, "derived") : put_word(to, "event");
    }
}

/* The columns from time to task. */
static char *put_start(char *to, struct rows *rows, unsigned cpu, const struct tlog_event *event)
{
    const struct task_columns *task = columns_of(rows, cpu, event->task);
    if (!rows->csv)
        to = rows->trace->clock_hz != 0 ? put_word(to, "{\"time_ns\":") : put_word(to, "{\"time_ticks\":");
    to = put_unsigned(to, event->time);
    to = put_unsigned(put_column(to, rows, ",\"cpu\":"), cpu);
    return put_short(to, task->text, task->bytes);
}

/* Put the columns group and context, and the text before the fields. */
static char *put_group_and_context(char *to, const struct rows *rows, const struct tlog_event *event)
{
    char context[TRACE_CONTEXT_NAME_BYTES];
    const char *name = event->context != 0 ? trace_context_name(event->context, context) : NULL;
    to = put_word(to, rows->csv ? "" : "\"group\":\"");
    if (event->group != 0)
        to = put_word(to, rows->trace->groups[event->group - 1u].name);
    to = put_column(to, rows, "\",\"context\":\"");
    to = put_word(to, name != NULL ? name : "");
    return put_word(to, rows->csv ? ",\"" : "\",\"fields\":");
}

/* Make the columns system and event. */
static void put_names(struct row_type *type, const struct tlog_type *of, bool csv)
{
    char *to = type->names;
    if (csv) {
        to = csv_put(to, of->system, strlen(of->system));
        *to++ = ',';
        to = put_word(csv_put(to, of->name, strlen(of->name)), ",");
    } else {
        to = json_put(put_word(to, "\"system\":\""), of->system, strlen(of->system), false);
        to = json_put(put_word(to, "\",\"event\":\""), of->name, strlen(of->name), false);
        to = put_word(to, "\",");
    }
    type->names_bytes = (size_t)(to - type->names);
}

/* Put the columns from kind to context, and the text before the fields. */
static char *put_middle(char *to, const struct rows *rows, const struct row_type *type, const struct tlog_event *event)
{
    to = put_kind(put_column(to, rows, "\",\"kind\":\""), rows->trace, event);
    to = put_short(put_column(to, rows, "\","), type->names, type->names_bytes);
    return put_group_and_context(to, rows, event);
}

/* Make that text once for most events of a type: those in no group that were logged in a task. False: no memory. */
static bool make_middles(const struct rows *rows, struct row_type *type, uint16_t index)
{
    struct tlog_event event = {.type = index};
    for (unsigned i = 0; i < 2; i++) {
        type->middle[i] = heap_alloc(ROW_BYTES + type->names_bytes);
        if (type->middle[i] == NULL)
            return false;
        event.flags = i == 0 ? 0 : TLOG_FLAG_DERIVED;
        type->middle_bytes[i] = (size_t)(put_middle(type->middle[i], rows, type, &event) - type->middle[i]);
    }
    return true;
}

/* Fill in a type, when its first event comes. False: no memory. */
static bool make_type(const struct rows *rows, struct row_type *type, uint16_t index)
{
    const struct tlog_type *of = rows->trace->types[index];
    type->names = heap_alloc(JSON_MOST * (strlen(of->system) + strlen(of->name)) + 32u + SHORT_BYTES);
    if (type->names == NULL)
        return false;
    put_names(type, of, rows->csv);
    return json_encoder_make(&type->fields, of, rows->csv) == 0 && make_middles(rows, type, index);
}

static void free_type(struct row_type *type)
{
    json_encoder_free(&type->fields);
    heap_free(type->names);
    heap_free(type->middle[0]);
    heap_free(type->middle[1]);
}

/* The type of an event. NULL after trace_fail(). */
static const struct row_type *type_of(struct rows *rows, const struct tlog_event *event)
{
    struct row_type *type = &rows->type[event->type];
    if (type->names != NULL || make_type(rows, type, event->type))
        return type;
    trace_fail(rows->trace, "no memory for event types");
    return NULL;
}

/* A row. 0, or -1 after trace_fail(). */
static int put_row(struct rows *rows, unsigned cpu, const struct tlog_event *event)
{
    const struct row_type *type = type_of(rows, event);
    bool is_derived = (event->flags & TLOG_FLAG_DERIVED) != 0;
    char *to;
    if (type == NULL || make_room(rows, ROW_BYTES + type->names_bytes + json_room(&type->fields, event)) != 0)
        return -1;
    to = put_start(rows->at, rows, cpu, event);
    if (event->group == 0 && event->context == 0)
        to = put_short(to, type->middle[is_derived], type->middle_bytes[is_derived]);
    else
        to = put_middle(to, rows, type, event);
    to = json_encode(to, &type->fields, &rows->json, event);
    rows->at = rows->csv ? put_word(to, "\"\r\n") : put_word(to, "}\n");
    return 0;
}

/* ---- the writers ------------------------------------------------------------------------------------------------- */

static struct rows *begin(struct trace *trace, int fd, bool csv)
{
    struct rows *rows = heap_alloc(sizeof *rows);
    if (rows == NULL) {
        trace_fail(trace, "no memory for rows");
        return NULL;
    }
    memset(rows, 0, offsetof(struct rows, buffer));
    rows->trace = trace;
    rows->fd = fd;
    rows->csv = csv;
    rows->json.trace = trace;
    rows->json.doubled = csv;
    rows->at = rows->buffer;
    return rows;
}

static void *csv_open(struct trace *trace, const struct trace_options *options, int fd)
{
    struct rows *rows = begin(trace, fd, true);
    (void)options;
    if (rows != NULL) {
        rows->at = put_word(rows->at, trace->clock_hz != 0 ? "time_ns" : "time_ticks");
        rows->at = put_word(rows->at, ",cpu,pid,task,kind,system,event,group,context,fields\r\n");
    }
    return rows;
}

static void *jsonl_open(struct trace *trace, const struct trace_options *options, int fd)
{
    (void)options;
    return begin(trace, fd, false);
}

static int rows_write(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    for (size_t i = 0; i < batch->n; i++) {
        if (put_row(writer, cpu, &batch->event[i]) != 0)
            return -1;
    }
    return 0;
}

static int rows_flush(void *writer)
{
    return flush(writer);
}

static int rows_close(void *writer, bool ok)
{
    struct rows *rows = writer;
    int result = ok ? flush(rows) : 0;
    for (unsigned i = 0; i < TRACE_TYPES_MAX; i++)
        free_type(&rows->type[i]);
    heap_free(rows);
    return result;
}

const struct trace_writer writer_csv = {
    .name = "csv",
    .suffix = ".csv",
    .description = "one row per event (RFC 4180), its fields as JSON; for spreadsheets, DuckDB, pandas",
    .merged = true,
    .open = csv_open,
    .write = rows_write,
    .flush = rows_flush,
    .close = rows_close,
};

const struct trace_writer writer_jsonl = {
    .name = "jsonl",
    .suffix = ".jsonl",
    .description = "one JSON object per line and event; for jq, DuckDB, ClickHouse, Spark",
    .merged = true,
    .open = jsonl_open,
    .write = rows_write,
    .flush = rows_flush,
    .close = rows_close,
};
