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

#include "formats/lttng/table.h"

/* Is there a file of a trace in the input: in the directory, or among the first entries of the archive? Reports
 * nothing. */
bool lttng_files_probe(struct input *in);

/* Open all files that are a trace's, and sort them by path. All others are told to the user, and a CPU whose file of
 * events is missing is damage. 0, or -1 after trace_fail(), also if there are no events at all. */
int lttng_files_open(struct lttng_files *files, struct trace *trace, struct input *in);

/* For the writer: may a trace replace the directory of this descriptor, because it is empty, or holds a trace and
 * nothing else? */
bool lttng_files_may_replace(int directory);

#endif
