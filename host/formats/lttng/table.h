/* table.h - the table of a trace's files, how they get into it, and how the user is told of those that do not. */
#ifndef LTTNG_TABLE_H
#define LTTNG_TABLE_H

#include "os/os_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace;
struct input;

#define LTTNG_CONTROL  "control" /* the directory of descriptions */
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
    unsigned ncpus;                  /* the highest CPU of all files, and 1; 0 = there is no file */
    bool has_events[LTTNG_CPUS_MAX]; /* by CPU: it has a file of events, which may be empty */
};

/* Why a file is none of a trace's by its name. */
#define LTTNG_NO_NAME "its name does not end in _ and a CPU below 256"

/* May a file be a trace's by its path below the trace's directory? */
bool lttng_table_is_named(const char *path);

/* Add a file of that path, which must be named so, without an input. The caller then sets file->in, which becomes the
 * table's. Returns the file, which is valid until the next one is added, or NULL after trace_fail(). */
struct lttng_file *lttng_table_add(struct lttng_files *files, struct trace *trace, const char *path);

/* An empty file is not added: there is nothing in it. But it is there; and one of facilities tells that there is a
 * CPU. */
void lttng_table_note_empty(struct lttng_files *files, const char *path);

/* All files are added: sort them by path, and look whether the events are there that the others describe. A CPU without
 * events needs no file, unless it has descriptions of its own. 0, or -1 after trace_fail(): there are no events of any
 * CPU. */
int lttng_table_complete(struct lttng_files *files, struct trace *trace);

/* Close the inputs and free the table, which is empty then. */
void lttng_table_close(struct lttng_files *files);

/* What a file is that is none of bytes, for messages. */
const char *lttng_table_kind(enum os_kind kind);

/* Tell that a file is left out, and why. */
void lttng_table_leave_out(const struct trace *trace, const char *path, const char *why);

/* The same for one that seems to be of the trace: without it, the trace is not whole. at: its offset in an archive. */
void lttng_table_lack(struct trace *trace, uint64_t at, const char *path, const char *why);

/* Does the input begin like a file of gzip, bzip2, xz or zstd, or like a tar archive? */
bool lttng_table_is_archive(struct input *in);

/* Does the input begin like an archive, with a file of a trace among its first entries? In archive.c. */
bool lttng_archive_probe(struct input *in);

/* Unpack all files that are a trace's by name, and tell which others there are. 0, or -1 after trace_fail(). */
int lttng_archive_open(struct lttng_files *files, struct trace *trace, struct input *in);

#endif
