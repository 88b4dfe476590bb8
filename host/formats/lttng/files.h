/* files.h - finds and opens the files of a trace.
 *
 *   control/facilities_N    descriptions of events, up to version 1.0
 *   metadata_N              the same in version 2
 *   control/CHANNEL_N       names of processes, interrupts ...
 *   CHANNEL_N               events of CPU N; flight-CHANNEL_N if it was a flight recorder
 *
 * The trace is a directory, or a tar archive of one, compressed or not. An archive is unpacked to temporary files that
 * have no name, so no path in the archive can lead to another file.
 */
#ifndef LTTNG_FILES_H
#define LTTNG_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct trace;
struct input;

#define LTTNG_CPUS_MAX 256u

struct lttng_file {
    char *path;    /* below the trace's directory: "control/facilities_0" */
    char *channel; /* without directory, flight- and number: "facilities" */
    bool control;  /* in control/ */
    unsigned cpu;  /* below LTTNG_CPUS_MAX */
    struct input *in;
};

/* The table of a trace's files. All 0 is an empty one. */
struct lttng_files {
    size_t n;
    struct lttng_file *file;
    unsigned ncpus; /* the highest CPU of all files, and 1; 0 = there is no file */
};

/* Is there a file of a trace in the input: in the directory, or among the first entries of the archive? Reports
 * nothing. */
bool lttng_files_probe(struct input *in);

/* Open all files that are a trace's, and sort them by path. 0, or -1 after trace_fail(). */
int lttng_files_open(struct lttng_files *files, struct trace *trace, struct input *in);

/* Close the inputs and free the table, which is empty then. */
void lttng_files_close(struct lttng_files *files);

/* For the writer: may a trace replace the directory of this descriptor, because it is empty, or holds a trace and
 * nothing else? */
bool lttng_files_may_replace(int directory);

#endif
