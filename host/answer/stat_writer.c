/* stat_writer.c - the writer of --stat: it counts events, and writes the figures at the end. */
#include "answer/answer.h"
#include "answer/names.h"
#include "answer/show.h"
#include "answer/stat.h"

#include <stdlib.h>

struct state {
    struct answer *answer;
    struct stat *stat;
};

static void *open_stat(struct trace *trace, const struct trace_options *options, int fd)
{
    struct state *state = calloc(1, sizeof *state);
    (void)fd;
    if (state != NULL) {
        state->answer = options->answer;
        state->stat = stat_new(trace);
    }
    if (state == NULL || state->stat == NULL) {
        trace_fail(trace, "no memory for figures of %u CPUs", trace->ncpus);
        free(state);
        return NULL;
    }
    return state;
}

static int write_stat(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    struct state *state = writer;
    stat_batch(state->stat, cpu, batch);
    return 0;
}

static int close_stat(void *writer, bool ok)
{
    struct state *state = writer;
    if (ok) {
        struct answer *answer = state->answer;
        stat_end(state->stat);
        stat_order(state->stat);
        answer_open(answer, state->stat->trace->input_name);
        if (answer->is_json)
            show_stat_json(&answer->json, state->stat);
        else
            show_stat_text(answer, state->stat);
        answer_close(answer);
    }
    stat_free(state->stat);
    free(state);
    return 0;
}

const struct trace_writer writer_stat = {
    .name = "stat",
    .description = "figures of tasks, interrupts and mutexes",
    .merged = true,
    .open = open_stat,
    .write = write_stat,
    .close = close_stat,
};
