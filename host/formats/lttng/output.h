/* output.h - a trace directory that is written: its files, the blocks in them, and the payloads of events.
 *
 * A file has blocks of one size, which are filled event by event. The block of a file that has only one ends with the
 * page that its last event is in. The first error is kept in the trace; after it, nothing more is written.
 */
#ifndef LTTNG_OUTPUT_H
#define LTTNG_OUTPUT_H

#include "formats/lttng/block_header.h"
#include "model/trace.h"

#define LTTNG_OUTPUT_PAYLOAD 65536u /* bytes of the longest payload that is written */
#define LTTNG_OUTPUT_NAME    192u   /* bytes of a path or a marker's name, with its NUL */

/* What the trace looks like, as given with --lttng. */
struct lttng_options {
    bool big;       /* order=big: numbers are big-endian */
    bool packed;    /* nothing is aligned */
    bool heartbeat; /* stamps have 32 bits; also given by compact */
    bool flight;    /* files look like those of a flight recorder */
    bool seed;      /* headers are those of the document of 2008 to the letter */
    bool compact;   /* short events are written as compact events, to files of their own */
    uint8_t word;   /* bytes of a long and of a pointer: 4 or 8 */
    uint32_t block; /* bytes of a block: a multiple of LTTNG_PAGE */
};

/* The marker of a type. */
struct lttng_output_marker {
    uint32_t id;  /* 0 = no event of the type was written yet */
    bool compact; /* events are written to the compact channel */
};

/* That a task is created, or ends. */
struct lttng_output_life {
    uint64_t tsc;
    size_t order; /* among all of them */
    uint32_t task;
    uint16_t cpu;
    bool ends;
    bool again;    /* it is created once more */
    bool replaced; /* it is the number of another task later */
};

/* The trace. */
struct lttng_output {
    struct trace *trace;
    int directory; /* descriptor of the trace's directory */
    struct lttng_options options;
    uint64_t start_ns;                                  /* real time of stamp 0, as ns since 1970; 0 = not known */
    uint64_t first;                                     /* earliest full stamp of all events; 0 until there is one */
    struct lttng_output_marker marker[TRACE_TYPES_MAX]; /* by the type's index */
    struct lttng_output_life *lives;                    /* nlives of them */
    size_t nlives, lives_room;
    unsigned char payload[LTTNG_OUTPUT_PAYLOAD]; /* the payload that is being made, n bytes */
    size_t n;
};

/* A file of it, which belongs to a channel and a CPU. */
struct lttng_output_file {
    /* set before the file is opened */
    struct trace *trace;
    struct lttng_block_header common; /* what the headers of all blocks have in common; size: the most of a block */
    uint32_t arch_type;               /* the processor: see block_header.c */
    int fd;                           /* -1 = not open */
    bool compact;                     /* events are written as compact events */
    /* the current block */
    uint32_t at;          /* bytes that are filled, headers included; 0 = there is no event yet */
    uint64_t begin, last; /* full stamps of its first and last event */
    uint32_t facts[4];    /* for the caller's use: what was told of the last event that has no place for it */
    unsigned char *block;
};

/* ---- files: output.c */

/* Make the path of a file, in LTTNG_OUTPUT_NAME bytes: "control/processes_0". Arguments as of lttng_output_open(). */
void lttng_output_path(const struct lttng_output *output, char *path, const char *directory, const char *channel,
                       unsigned number);

/* Create the file of a channel and a CPU, whose number is given. directory: "" for the trace's, or "control/". 0, or -1
 * after trace_fail(). */
int lttng_output_open(const struct lttng_output *output, struct lttng_output_file *file, const char *directory,
                      const char *channel, unsigned number);

/* Create a file by its path below a directory. The members of *file up to fd are set. 0, or -1 after
 * trace_fail(). */
int lttng_output_file_open(struct lttng_output_file *file, int directory, const char *path);

/* Add an event with its full stamp, which is not before the last one's, and n bytes of payload as they are in the file.
 * Returns false, and nothing is added, if no block can hold it. In a trace with heartbeats, one is put before it if so
 * much time has passed that its own stamp has too few bits to show it. */
bool lttng_output_file_add(struct lttng_output_file *file, uint32_t id, uint64_t tsc, const unsigned char *payload,
                           size_t n);

/* Write the last block and close the file; a file without events gets a block with a heartbeat at time tsc. 0, or -1
 * after trace_fail(). */
int lttng_output_file_close(struct lttng_output_file *file, uint64_t tsc);

/* Close and free without writing, if the file is open. */
void lttng_output_file_drop(struct lttng_output_file *file);

/* Write output->start_ns into a file in the trace's directory that was written with another start; if there is no such
 * file, do nothing. 0, or -1 after trace_fail(). */
int lttng_output_set_start(const struct lttng_output *output, const char *channel, unsigned number);

/* ---- payloads: output.c */

/* Add a number of 1, 2, 4 or 8 bytes to the payload, aligned. What does not fit in the payload any more is left out. */
void lttng_output_number(struct lttng_output *output, unsigned size, uint64_t value);

/* Add a NUL-terminated text, which is left out if it does not fit. */
void lttng_output_text(struct lttng_output *output, const char *text);

/* The number in an event's field; 0 if it is not all in the payload. */
uint64_t lttng_output_field(const struct tlog_event *event, const struct tlog_field *field);

/* Make the payload of an event, in the place of the last one. */
void lttng_output_payload(struct lttng_output *output, const struct tlog_event *event);

/* Do events of this type stand for loss or damage? Their payload is a count of 8 bytes. */
bool lttng_output_is_count(const struct tlog_type *type);

/* ---- control channels, which describe the events and give names: control.c */

/* Lowest id of an ordinary event's marker: those below are the markers of control channels. */
uint32_t lttng_control_first_id(void);

/* Id of the marker that tells what events have no place for: see marker.h. The lowest compact id is one of them. */
uint32_t lttng_control_facts_id(bool compact);

/* Write all control channels. All events were written before, since only then it is known which markers and CPUs there
 * are. 0, or -1 after trace_fail(). */
int lttng_control_write(struct lttng_output *output);

#endif
