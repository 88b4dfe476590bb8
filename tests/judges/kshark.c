/* kshark.c - loads trace.dat files as KernelShark does, without a window. It becomes check_kshark.
 *
 * Usage: check_kshark [--list] FILE...
 *        check_kshark --session FILE     a session file, as `kernelshark -s` opens it: the streams that it tells
 *
 * Each buffer of each file is a stream; all streams are loaded together. Prints how many entries KernelShark's list of
 * events has, how many marks of lost events, how many tasks in all streams, how many entries are not in order of time
 * (disordered), and how many cannot be shown as text (untold). With --list it prints the entries instead. Exit code 0
 * if the files could be loaded and the last two are 0.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <libkshark-tepdata.h>
#include <libkshark.h>

struct result {
    uint64_t entries, marks, tasks, disordered, untold;
};

/* Count an entry. before: the time of the entry before it, in ns. */
static void check_entry(const struct kshark_entry *entry, int64_t before, struct result *result)
{
    char *info;
    if (entry->ts < before)
        result->disordered++;
    if (entry->event_id == KS_EVENT_OVERFLOW) {
        result->marks++;
        return;
    }
    result->entries++;
    info = kshark_get_info(entry);
    if (info == NULL)
        result->untold++;
    free(info);
}

/* Print a line for --list: stream, time in ns, CPU, pid, event, fields. */
static void list_entry(const struct kshark_entry *entry)
{
    char *event = kshark_get_event_name(entry);
    char *info = kshark_get_info(entry);
    printf("%d %" PRId64 " %d %d %s %s\n", entry->stream_id, entry->ts, entry->cpu, entry->pid,
           entry->event_id == KS_EVENT_OVERFLOW ? "lost"
           : event != NULL                      ? event
                                                : "?",
           info != NULL ? info : "");
    free(event);
    free(info);
}

/* Open a file, each of its buffers as a stream. 0, or -1 after a message. */
static int open_all(struct kshark_context *context, const char *name)
{
    int stream = kshark_open(context, name);
    if (stream >= 0 && kshark_tep_init_all_buffers(context, stream) >= 0)
        return 0;
    fprintf(stderr, "check_kshark: cannot load %s\n", name);
    return -1;
}

static void count_tasks(struct kshark_context *context, struct result *result)
{
    int *streams = kshark_all_streams(context);
    for (int i = 0; i < context->n_streams; i++) {
        int *tasks = NULL;
        ssize_t n = kshark_get_task_pids(context, streams[i], &tasks);
        result->tasks += n > 0 ? (uint64_t)n : 0;
        free(tasks);
    }
    free(streams);
}

/* Load the streams that a session file tells. Returns how many entries they have, -1 after a message. */
static ssize_t load_session(struct kshark_context *context, const char *name, struct kshark_entry ***rows)
{
    struct kshark_config_doc *session = kshark_open_config_file(name, "kshark.config.session");
    ssize_t n = session != NULL ? kshark_import_all_dstreams(context, session, rows) : -1;
    if (session != NULL)
        kshark_free_config_doc(session);
    return n;
}

/* Load all streams and count, or list, their entries. session: a file that tells the streams, or NULL: they are open.
 * 0, or -1 after a message. */
static int check(struct kshark_context *context, const char *session, bool list, struct result *result)
{
    struct kshark_entry **rows = NULL;
    ssize_t n = session != NULL ? load_session(context, session, &rows) : kshark_load_all_entries(context, &rows);
    if (n < 0) {
        fprintf(stderr, "check_kshark: cannot load the events\n");
        return -1;
    }
    for (ssize_t i = 0; i < n; i++) {
        check_entry(rows[i], i ? rows[i - 1]->ts : 0, result);
        if (list)
            list_entry(rows[i]);
    }
    count_tasks(context, result);
    for (ssize_t i = 0; i < n; i++)
        free(rows[i]);
    free(rows);
    return 0;
}

int main(int argc, char **argv)
{
    struct kshark_context *context = NULL;
    struct result result = {0};
    bool list = argc > 1 && strcmp(argv[1], "--list") == 0;
    const char *session = argc == 3 && strcmp(argv[1], "--session") == 0 ? argv[2] : NULL;
    int failed = argc - list < 2 || !kshark_instance(&context);
    for (int i = 1 + list; i < argc && !failed && session == NULL; i++)
        failed = open_all(context, argv[i]);
    if (!failed)
        failed = check(context, session, list, &result);
    if (!failed && !list)
        printf("entries %" PRIu64 " marks %" PRIu64 " tasks %" PRIu64 " disordered %" PRIu64 " untold %" PRIu64 "\n",
               result.entries, result.marks, result.tasks, result.disordered, result.untold);
    if (context != NULL) {
        kshark_close_all(context);
        kshark_free(context);
    }
    return failed || result.disordered != 0 || result.untold != 0;
}
