/* tracecmd.c - reads a trace.dat file through libtracecmd, without any code of the decoder. It becomes check_tracedat.
 *
 * Usage: check_tracedat FILE
 *
 * Prints how many events and lost events there are in all buffers, the number of CPUs, the times of the first and the
 * last event in ns, how many events have no usable format (unknown), and how many have a time before that of the event
 * before them on their CPU (disordered). Exit code 0 if the file could be opened and the last two are 0.
 */
#define _GNU_SOURCE

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <trace-cmd/trace-cmd.h>

struct result {
    uint64_t events, lost, unknown, disordered;
    uint64_t first, last; /* ns, over all CPUs */
};

/* Whether the event has a format that libtraceevent can print it with. */
static bool has_format(struct tep_handle *tep, struct tep_record *record)
{
    struct tep_event *event = tep_find_event_by_record(tep, record);
    struct trace_seq text;
    bool parsed;
    if (event == NULL)
        return false;
    trace_seq_init(&text);
    tep_print_event(tep, &text, record, "%s", TEP_PRINT_INFO);
    parsed = ((unsigned)event->flags & TEP_EVENT_FL_FAILED) == 0;
    trace_seq_destroy(&text);
    return parsed;
}

/* Count the events of a CPU in one buffer. */
static void check_cpu(struct tracecmd_input *file, int cpu, struct result *result)
{
    struct tep_record *record;
    uint64_t before = 0;
    while ((record = tracecmd_read_data(file, cpu)) != NULL) {
        result->events++;
        if (record->missed_events > 0)
            result->lost += (uint64_t)record->missed_events;
        if (!has_format(tracecmd_get_tep(file), record))
            result->unknown++;
        if (record->ts < before)
            result->disordered++;
        before = record->ts;
        if (result->first == 0 || record->ts < result->first)
            result->first = record->ts;
        if (record->ts > result->last)
            result->last = record->ts;
        tracecmd_free_record(record);
    }
}

int main(int argc, char **argv)
{
    struct result result = {0};
    struct tracecmd_input *file = argc == 2 ? tracecmd_open(argv[1], 0) : NULL;
    int cpus, instances;
    if (file == NULL) {
        fprintf(stderr, "check_tracedat: cannot open %s\n", argc == 2 ? argv[1] : "without one file name");
        return 1;
    }
    cpus = tep_get_cpus(tracecmd_get_tep(file));
    for (int cpu = 0; cpu < cpus; cpu++)
        check_cpu(file, cpu, &result);
    instances = tracecmd_buffer_instances(file);
    for (int i = 0; i < instances; i++) {
        struct tracecmd_input *instance = tracecmd_buffer_instance_handle(file, i);
        for (int cpu = 0; instance != NULL && cpu < cpus; cpu++)
            check_cpu(instance, cpu, &result);
        tracecmd_close(instance);
    }
    tracecmd_close(file);
    printf("events %" PRIu64 " lost %" PRIu64 " cpus %d first %" PRIu64 " last %" PRIu64 " unknown %" PRIu64
           " disordered %" PRIu64 "\n",
           result.events, result.lost, cpus, result.first, result.last, result.unknown, result.disordered);
    return result.unknown != 0 || result.disordered != 0;
}
