/* output.h - where a writer's bytes go: a file that appears whole or not at all, or standard output.
 *
 * A file is written under a temporary name in its own directory and renamed when it is finished; errors and the signals
 * that end a program remove it. Anything that is not a regular file (pipe, terminal, device) is written directly.
 * One output at a time: the signal handler knows one name.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>

struct trace;

struct output {
    const char *name; /* for messages */
    int fd;           /* for the writer */
    int direct;       /* where fd's bytes are copied in the end, or -1 */
    bool own;         /* the descriptors are ours to close */
    bool gone;        /* the reading end of the pipe is closed */
    char *path;       /* what the finished file is called, or NULL */
    char *temporary;  /* what it is called until then, or NULL */
};

/* Open path ("-" or NULL = standard output). With seeks the writer gets a regular file whatever path is. 0, or -1 after
 * trace_fail(). */
int output_open(struct output *output, struct trace *trace, const char *path, bool seeks);

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
