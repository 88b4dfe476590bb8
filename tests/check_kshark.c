/* check_kshark.c - loads a trace.dat file the way KernelShark does, without a window.
 *
 * Prints how many entries its list of events would have, how many marks of lost events among them, and how many entries
 * are not in order of time or cannot be shown as text. Exit code 0 if the file loads and there are none of the latter.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#include <libkshark.h>

struct result {
    uint64_t entries, marks, tasks, disordered, untold;
};

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
    if (!info)
        result->untold++;
    free(info);
}

static int check(struct kshark_context *context, const char *name, struct result *result)
{
    struct kshark_entry **rows = NULL;
    int stream = kshark_open(context, name);
    ssize_t n;
    int *tasks;

    if (stream < 0)
        return -1;
    n = kshark_load_entries(context, stream, &rows);
    if (n < 0)
        return -1;
    for (ssize_t i = 0; i < n; i++)
        check_entry(rows[i], i ? rows[i - 1]->ts : 0, result);
    tasks = NULL;
    result->tasks = (uint64_t)kshark_get_task_pids(context, stream, &tasks);
    free(tasks);
    for (ssize_t i = 0; i < n; i++)
        free(rows[i]);
    free(rows);
    return 0;
}

int main(int argc, char **argv)
{
    struct kshark_context *context = NULL;
    struct result result = {0};
    int failed;

    if (argc != 2 || !kshark_instance(&context))
        return 1;
    failed = check(context, argv[1], &result);
    if (failed)
        fprintf(stderr, "check_kshark: cannot load %s\n", argv[1]);
    else
        printf("entries %" PRIu64 " marks %" PRIu64 " tasks %" PRIu64 " disordered %" PRIu64 " untold %" PRIu64 "\n",
               result.entries, result.marks, result.tasks, result.disordered, result.untold);
    kshark_close_all(context);
    kshark_free(context);
    return failed || result.disordered || result.untold;
}
