/* files.h - the files of an LTTng trace: a directory's, or those of a tar archive of one, compressed or not.
 *
 * Files of an archive are unpacked to temporary files that have no name, so nothing an archive says can lead anywhere.
 */
#ifndef LTTNG_FILES_H
#define LTTNG_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace;
struct input;

#define LTTNG_FILES_MAX 4096u
#define LTTNG_CPUS_MAX  256u

struct lttng_file {
    char *path;    /* below the trace's directory: "control/facilities_0" */
    char *channel; /* without directory, flight- and number: "facilities" */
    bool control;  /* in control/ */
    unsigned cpu;
    struct input *in;
};

struct lttng_files {
    size_t n;
    struct lttng_file *file; /* in the order of path */
};

/* Is there a trace of LTTng 0.x? Says nothing. */
bool lttng_files_look(struct input *in);

/* Open all files that are a trace's by name and beginning. 0, or -1 after trace_fail(). */
int lttng_files_open(struct lttng_files *files, struct trace *trace, struct input *in);

void lttng_files_close(struct lttng_files *files);

/* For the two sources. Take a file below a directory that may be a trace's; true if its name says so. */
bool lttng_file_named(const char *path);

/* Add a file by its path; in becomes the files'. 0, or -1 after trace_fail(). */
int lttng_files_add(struct lttng_files *files, struct trace *trace, const char *path, struct input *in);

/* The same of archives. */
bool lttng_archive_is(struct input *in);
bool lttng_archive_look(struct input *in);
int lttng_archive_open(struct lttng_files *files, struct trace *trace, struct input *in);

/* For writers: is the directory empty, or does it hold a trace of LTTng 0.x and nothing else? */
bool lttng_directory_is_trace(int directory);

#endif
