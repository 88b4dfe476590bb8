/* output.h - a trace directory that is written: what all its files share, and payloads for them. */
#ifndef LTTNG_OUTPUT_H
#define LTTNG_OUTPUT_H

#include "formats/lttng/options.h"
#include "formats/lttng/output_file.h"
#include "model/trace.h"

#define LTTNG_OUTPUT_PAYLOAD 65536u /* bytes of the longest payload that is written */
#define LTTNG_OUTPUT_NAME    128u   /* bytes of a path or a marker's name, with its NUL */

/* The marker of a type. */
struct lttng_output_marker {
    uint32_t id;  /* 0 = no event of the type was written yet */
    bool compact; /* events are written to the compact channel */
};

struct lttng_output {
    struct trace *trace;
    int directory; /* descriptor of the trace's directory */
    struct lttng_options options;
    uint64_t start_ns;                                  /* real time of stamp 0, as ns since 1970; 0 = not known */
    uint64_t first;                                     /* earliest full stamp of all events; 0 until there is one */
    struct lttng_output_marker marker[TRACE_TYPES_MAX]; /* by the type's index */
    unsigned char payload[LTTNG_OUTPUT_PAYLOAD];        /* the payload that is being made, n bytes */
    size_t n;
};

/* Make the path of the file of a channel and CPU number, LTTNG_OUTPUT_NAME bytes: see the next one. */
void lttng_output_path(const struct lttng_output *output, char *path, const char *directory, const char *channel,
                       unsigned number);

/* Create the file of a channel and CPU number, below the trace's directory or "control/". 0, or -1 after
 * trace_fail(). */
int lttng_output_open(const struct lttng_output *output, struct lttng_output_file *file, const char *directory,
                      const char *channel, unsigned number);

/* Write output->start_ns into the file of a channel and CPU number below the trace's directory, which was written with
 * another one, if there is such a file. 0, or -1 after trace_fail(). */
int lttng_output_restart(const struct lttng_output *output, const char *channel, unsigned number);

/* Add a number of 1, 2, 4 or 8 bytes to the payload, aligned. What does not fit in the payload any more is left out. */
void lttng_output_number(struct lttng_output *output, unsigned size, uint64_t value);

/* Add a NUL-terminated text to the payload, or leave it out, likewise. */
void lttng_output_text(struct lttng_output *output, const char *text);

/* Make the payload of an event, which replaces the last one. */
void lttng_output_payload(struct lttng_output *output, const struct trace_event *event);

/* Do events of this type stand for loss or damage? Their payload is a count of 8 bytes. */
bool lttng_output_is_count(const struct trace_type *type);

#endif
