/* metadata.h - what a trace's headers and metadata say of the whole trace: version, clock, markers. */
#ifndef LTTNG_METADATA_H
#define LTTNG_METADATA_H

#include "formats/lttng/files.h"
#include "formats/lttng/time.h"
#include "formats/lttng/walk.h"

struct lttng_metadata {
    struct trace *trace;
    struct lttng_files files;
    struct lttng_markers markers;
    struct lttng_clock clock;
    bool seed; /* headers of version 1.0 are those of the document of 2008 */
    bool has_reference;
    struct lttng_block_header reference; /* the header that most files begin with */
};

/* Is it a file of descriptions? */
bool lttng_metadata_is(const struct lttng_file *file);

/* A walk through a file, which is ready for lttng_block_start(). */
struct lttng_walk lttng_metadata_walk(struct lttng_metadata *metadata, const struct lttng_file *file);

/* Read the descriptions in the files, which are open, and declare types of events. All else in *metadata but trace is 0
 * before. 0, or -1 after trace_fail(). */
int lttng_metadata_read(struct lttng_metadata *metadata);

/* Close the files, and free all of it. */
void lttng_metadata_free(struct lttng_metadata *metadata);

#endif
