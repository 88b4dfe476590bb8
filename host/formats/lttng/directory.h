/* directory.h - the files of a trace in a directory. */
#ifndef LTTNG_DIRECTORY_H
#define LTTNG_DIRECTORY_H

#include "formats/lttng/files.h"

/* Is there a file of a trace in an input that is a directory? Reports nothing. */
bool lttng_directory_look(struct input *in);

/* Open all files that are a trace's by their names and beginnings, in an input that is a directory. 0, or -1 after
 * trace_fail(). */
int lttng_directory_open(struct lttng_files *files, struct trace *trace, struct input *in);

/* For the writer: is the directory of this descriptor empty, or does it hold a trace and nothing else? */
bool lttng_directory_is_trace(int directory);

#endif
