/* output.h - where a writer's bytes go: a file or directory that is published whole or not at all, or standard output.
 *
 * A file is written under a temporary name in its own directory, and renamed when it is finished: that publishes it.
 * Errors and the signals that end a program remove it. It has the permissions of the file it replaces. Anything that is
 * not a regular file (pipe, terminal, device) is written directly.
 */
#ifndef IO_OUTPUT_H
#define IO_OUTPUT_H

#include "io/tree.h"

#include <stdbool.h>

/* Whether a directory, given by its descriptor, holds nothing but what may be replaced. */
typedef bool output_replaceable(int directory);

struct trace;

/* The path is freed by output_finish() and output_discard(). */
struct output {
    const char *name;                /* for messages: the path, which must live as long, or "standard output" */
    int fd;                          /* where the writer writes, or -1 */
    int final_fd;                    /* if fd is a temporary file, its bytes are copied here in the end; else -1 */
    bool own;                        /* the descriptors are closed in the end; not that of standard output */
    bool reader_gone;                /* copying failed because the reading end of the pipe is closed */
    bool directory;                  /* fd is a directory's */
    output_replaceable *may_replace; /* of a directory: see output_open_directory() */
    struct tree_list there;          /* what was in the directory that is to be replaced */
    char *path;                      /* its name once it is published; NULL: it is written directly */
    char *temporary;                 /* its name until then; NULL: it is written directly, or is published */
};

/* Open path ("-" or NULL = standard output). With seeks the writer gets a regular file whatever path is. 0, or -1 after
 * trace_fail(). */
int output_open(struct output *output, struct trace *trace, const char *path, bool seeks);

/* Make the directory path. The writer gets the descriptor of an empty directory beside it, which is renamed in the end.
 * A directory that is there already is replaced if it is empty, or if may_replace() allows it and nothing in it changes
 * until then; else it stays as it is. Only what is in it now is ever removed. 0, or -1 after trace_fail(). */
int output_open_directory(struct output *output, struct trace *trace, const char *path,
                          output_replaceable *may_replace);

/* Write all of size bytes, although write() may write less. 0, or -1 after trace_fail(). */
int output_put(struct trace *trace, int fd, const void *bytes, size_t size);

/* Whether the bytes are shown on a terminal. */
bool output_is_terminal(const struct output *output);

/* Whether the reading end of the pipe is closed. Then its reader has what it wanted, and no error is told. */
bool output_is_closed(const struct output *output);

/* Whether finishing would replace the file at path. */
bool output_replaces(const struct output *output, const char *path);

/* Publish the output, unless trace_fail() has been called: then it is removed. Closes it in any case. 0, or -1 after
 * trace_fail(). */
int output_finish(struct output *output, struct trace *trace);

/* Close the output and remove what has been written. Does nothing after output_finish(), nor to an output that was
 * never opened: all 0, but fd and final_fd -1. */
void output_discard(struct output *output);

#endif
