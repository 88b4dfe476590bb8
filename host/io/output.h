/* output.h - where a writer's bytes go: a file or directory that appears whole or not at all, or standard output.
 *
 * A file is written under a temporary name in its own directory and renamed when it is finished; errors and the signals
 * that end a program remove it. It has the permissions of what it replaces. Anything that is not a regular file (pipe,
 * terminal, device) is written directly. At most eight outputs at a time: the signal handler knows their names.
 */
#ifndef IO_OUTPUT_H
#define IO_OUTPUT_H

#include <stdbool.h>

/* Of a directory: does it hold what may be replaced? */
typedef bool output_replaceable(int directory);

struct trace;

struct output {
    const char *name; /* for messages */
    int fd;           /* for the writer */
    int direct;       /* where fd's bytes are copied in the end, or -1 */
    bool own;         /* the descriptors are ours to close */
    bool gone;        /* the reading end of the pipe is closed */
    bool directory;   /* fd is a directory's */
    char *path;       /* what the finished file is called, or NULL */
    char *temporary;  /* what it is called until then, or NULL */
};

/* Open path ("-" or NULL = standard output). With seeks the writer gets a regular file whatever path is. 0, or -1 after
 * trace_fail(). */
int output_open(struct output *output, struct trace *trace, const char *path, bool seeks);

/* Make a directory that will be path; the writer gets a descriptor of an empty one beside it. A directory that is there
 * already is replaced if it is empty or may_replace says so. 0, or -1 after trace_fail(). */
int output_open_directory(struct output *output, struct trace *trace, const char *path,
                          output_replaceable *may_replace);

/* Does the output end on a terminal? */
bool output_is_terminal(const struct output *output);

/* Has the other end of the pipe gone? Then there is nobody to complain to. */
bool output_is_closed(const struct output *output);

/* Would finishing replace the file at path? */
bool output_replaces(const struct output *output, const char *path);

/* Make the output appear; always closes it. 0, or -1 after trace_fail(). */
int output_finish(struct output *output, struct trace *trace);

/* Close it and leave nothing behind. */
void output_discard(struct output *output);

#endif
