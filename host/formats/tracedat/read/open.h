/* open.h - reads all of a trace.dat file but its pages. */
#ifndef TRACEDAT_READ_OPEN_H
#define TRACEDAT_READ_OPEN_H

#include "formats/tracedat/read/file.h"

/* Whether the input begins as a trace.dat file does. */
bool tracedat_recognise(struct input *in);

/* Read all of the file but the pages; what file holds before that does not matter. 0, or -1 after trace_fail(). The
 * file is to be freed in any case. */
int tracedat_open(struct tracedat_file *file, struct trace *trace, struct input *in);

#endif
