/* archive.h - the files of a trace in a tar archive of its directory, compressed or not.
 *
 * They are unpacked to temporary files that have no name, so no path in an archive can lead to another file.
 */
#ifndef LTTNG_ARCHIVE_H
#define LTTNG_ARCHIVE_H

#include "formats/lttng/files.h"

/* Does the input begin like an archive, with a file of a trace among its first entries? Reports nothing. */
bool lttng_archive_look(struct input *in);

/* Unpack all files that are a trace's by name. 0, or -1 after trace_fail(). */
int lttng_archive_open(struct lttng_files *files, struct trace *trace, struct input *in);

#endif
