/* metadata.h - what a trace says of itself, in headers, descriptions and control channels: its clock, kinds of events,
 * names of processes and interrupts. */
#ifndef LTTNG_METADATA_H
#define LTTNG_METADATA_H

#include "formats/lttng/table.h"
#include "formats/lttng/stream.h"

/* How stamps become real times, exactly:
 *
 *   time = start_time + (tsc - start_tsc) / frequency
 *
 * rounded down to ns. (The document of 2008 multiplies by the frequency, which cannot be meant.) The frequency is a
 * fraction, freq / divisor, since headers of version 2.2 and later have it so. Products fit in 128 bits: they have up
 * to 64 + 30 + 32. */
struct lttng_clock {
    uint64_t freq;      /* ticks in divisor seconds; 0 = unknown: ticks are taken for ns */
    uint32_t divisor;   /* not 0 */
    uint64_t start_tsc; /* stamp at start_ns */
    uint64_t start_ns;  /* real time, ns since 1970 */
};

struct lttng_metadata {
    struct trace *trace;
    struct lttng_files files;
    struct lttng_markers markers;
    struct lttng_clock clock;
    bool seed; /* headers of version 1.0 are those of the document of 2008 */
    bool has_reference;
    struct lttng_block_header reference; /* the header that most files begin with */
};

/* Does the file hold descriptions of events, and no events? */
bool lttng_is_metadata(const struct lttng_file *file);

/* A reader of the file, ready for lttng_stream_start(). */
struct lttng_stream lttng_metadata_stream(struct lttng_metadata *metadata, const struct lttng_file *file);

/* Read what the trace says of itself, and declare types of events. The caller has set trace and opened the files; all
 * else is 0. Returns 0, or -1 after trace_fail(). */
int lttng_metadata_read(struct lttng_metadata *metadata);

/* Does the stream's event give something a name? Then set it in the trace. current: pid of the process that runs on the
 * event's CPU, or 0. */
void lttng_metadata_name(struct lttng_metadata *metadata, uint32_t current, const struct lttng_stream *stream);

/* The real time of a full stamp, which may be before start_tsc. 0 for times before 1970, UINT64_MAX for those beyond 64
 * bits. */
uint64_t lttng_ns(const struct lttng_clock *clock, uint64_t tsc);

/* Close the files, and free all that the metadata has allocated. */
void lttng_metadata_free(struct lttng_metadata *metadata);

#endif
