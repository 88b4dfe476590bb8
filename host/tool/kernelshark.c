/* kernelshark.c - writes a session file for KernelShark: decode_job_write_session() of job.h.
 *
 * A session tells which rows KernelShark shows when it opens the trace.dat file. By itself it shows a row per CPU, in
 * which all tasks are stripes. Our session has a row for each CPU, then one for each interrupt and task that ran:
 * interrupts first, then tasks by priority, the most important one first, and the idle task last.
 *
 * The format is the JSON that KernelShark 2 saves. KernelShark accepts a session only if the trace file's path and time
 * of last change are those in it.
 */

#include "base/heap.h"
#include "tool/job.h"
#include "decode/map.h"
#include "os/os_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 2048 }; /* more would be of no use in a window */

struct rows {
    struct decode_map_row row[ROWS_MAX]; /* of a lower priority, the more important it is */
    size_t n;
    bool highest_first; /* to the source of the rows that are added */
};

static void add_row(void *ctx, const struct decode_map_row *row)
{
    struct rows *rows = ctx;
    if (rows->n == ROWS_MAX)
        return;
    rows->row[rows->n] = *row;
    if (rows->highest_first)
        rows->row[rows->n].priority = ~row->priority; /* the other way round, without overflow */
    rows->n++;
}

/* A callback of trace_each_name(): of a trace that is mapped already only the names of tasks are known. */
static void add_named(void *ctx, uint32_t id, const char *name)
{
    (void)name;
    if (id != 0 && id <= INT32_MAX)
        add_row(ctx, &(struct decode_map_row){.pid = id});
}

/* The order of rows, for qsort(): interrupts, then tasks by importance, then idle; equal ones by pid. */
static int compare(const void *a, const void *b)
{
    const struct decode_map_row *x = a, *y = b;
    if (x->is_interrupt != y->is_interrupt)
        return x->is_interrupt ? -1 : 1;
    if ((x->pid == 0) != (y->pid == 0))
        return x->pid == 0 ? 1 : -1;
    if (x->priority != y->priority)
        return x->priority < y->priority ? -1 : 1;
    return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Collect the rows of all sources in their order. A pid has one row only: boards share that of the idle task. */
static void collect(const struct decode_job *job, struct rows *rows)
{
    size_t kept = 0;
    for (unsigned i = 0; i < job->ndecoders; i++) {
        const struct decode_source *source = &job->decoders[i].source;
        rows->highest_first = source->trace.priority_order == TRACE_HIGHEST_FIRST;
        if (source->trace.mapped)
            trace_each_name(&source->trace, TRACE_NAME_TASK, add_named, rows);
        else
            decode_map_each_row(source->map, add_row, rows);
    }
    if (rows->n > 0)
        qsort(rows->row, rows->n, sizeof rows->row[0], compare);
    for (size_t i = 0; i < rows->n; i++) {
        if (kept == 0 || rows->row[kept - 1].pid != rows->row[i].pid)
            rows->row[kept++] = rows->row[i];
    }
    rows->n = kept;
}

/* A text as a string of JSON. */
static void put_string(FILE *to, const char *text)
{
    putc('"', to);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', to);
        if ((unsigned char)*text < ' ')
            fprintf(to, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            putc(*text, to);
    }
    putc('"', to);
}

/* Put the output's path. 0, or -1. */
static int put_path(FILE *to, const char *path)
{
    char *whole = os_whole_path(path);
    if (whole != NULL)
        put_string(to, whole);
    heap_free(whole);
    return whole != NULL ? 0 : -1;
}

/* Put the numbers from 0 to n - 1. */
static void put_cpus(FILE *to, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        fprintf(to, "%s%u", i > 0 ? ", " : "", i);
}

static int put_session(FILE *to, const struct decode_job *job, const struct rows *rows, long long time)
{
    fprintf(to, "{ \"type\": \"kshark.config.session\",\n  \"data streams\": [ { \"type\": \"kshark.config.stream\", "
                "\"stream id\": 0,\n    \"data\": { \"type\": \"kshark.config.data\", \"file\": ");
    if (put_path(to, job->output_path) != 0)
        return -1;
    fprintf(to, ", \"name\": \"top buffer\", \"time\": %lld },\n", time);
    fprintf(to, "    \"filters\": { \"type\": \"kshark.config.filter\", \"filter mask\": 7 },\n"
                "    \"plugins\": { \"type\": \"kshark.config.plugins\", \"registered\": "
                "[[\"missed_events\", true], [\"sched_events\", true]] },\n    \"CPUPlots\": [");
    put_cpus(to, job->trace->ncpus);
    fprintf(to, "],\n    \"TaskPlots\": [");
    for (size_t i = 0; i < rows->n; i++)
        fprintf(to, "%s%u", i > 0 ? ", " : "", (unsigned)rows->row[i].pid);
    fprintf(to, "] } ],\n  \"ComboPlots\": [], \"MainWindow\": [1400, 900], \"Splitter\": [640, 200], \"ViewTop\": 0, "
                "\"ColorScheme\": 0.75,\n"
                "  \"Markers\": { \"type\": \"kshark.config.markers\", \"markA\": { \"isSet\": false }, "
                "\"markB\": { \"isSet\": false }, \"Active\": \"A\" },\n"
                "  \"User Plugins\": { \"type\": \"kshark.config.plugins\", \"obj. files\": [] } }\n");
    return 0;
}

/* Publishing the output does not change the time of its last change. */
int decode_job_write_session(const struct decode_job *job, int fd)
{
    struct rows *rows = heap_calloc(1, sizeof *rows);
    FILE *to = os_stream(fd, "w");
    struct os_status status;
    int result = rows == NULL || to == NULL || !os_status_of(job->output.fd, &status) ? -1 : 0;
    if (result == 0) {
        collect(job, rows);
        result = put_session(to, job, rows, (long long)status.written);
    }
    if (to != NULL && fclose(to) != 0)
        result = -1;
    heap_free(rows);
    return result == 0 ? 0 : trace_fail(job->trace, "%s: cannot write: %s", job->request->session, strerror(errno));
}
