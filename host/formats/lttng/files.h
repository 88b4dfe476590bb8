/* files.h - the files of a trace: their names, and a table of those that were opened.
 *
 *   control/facilities_N    descriptions of events, up to version 1.0
 *   metadata_N              the same in version 2
 *   control/CHANNEL_N       names of processes, interrupts ...
 *   CHANNEL_N               events of CPU N; flight-CHANNEL_N if it was a flight recorder
 *
 * The table is filled from a directory (directory.h) or from an archive of one (archive.h).
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

/* All 0 is an empty table. */
struct lttng_files {
    size_t n;
    struct lttng_file *file;
    unsigned ncpus; /* the highest CPU of all files, and 1; 0 = there is no file */
};

/* May a file be a trace's by its path below the trace's directory? */
bool lttng_file_named(const char *path);

/* Add a file, whose path lttng_file_named() accepts, without an input. The caller then sets file->in, which becomes the
 * table's. Returns the file, which is valid until the next one is added, or NULL after trace_fail(). */
struct lttng_file *lttng_files_add(struct lttng_files *files, struct trace *trace, const char *path);

/* Note that a file is there that is not added, because it is empty. That counts only for facilities, which tell that
 * there is a CPU. */
void lttng_files_note(struct lttng_files *files, const char *path);

/* Sort the files by path. */
void lttng_files_sort(struct lttng_files *files);

/* Close the inputs and free the table, which is empty then. */
void lttng_files_close(struct lttng_files *files);

#endif
