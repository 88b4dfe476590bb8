/* source.h - an input and all that makes events of it: its reader, its mapping, and what is left out.
 *
 * The calls for a source come in this order: init, prepare, perhaps scan, start; then fill and map until all of its
 * lanes have ended; release.
 *
 * Vocabulary
 *   source   one input; its CPUs are counted from 0
 *   lane     what is kept for a CPU of a source: two batches, of events from the reader and of what the mapping made
 */
#ifndef DECODE_SOURCE_H
#define DECODE_SOURCE_H

#include "decode/known.h"
#include "decode/lives.h"
#include "decode/request.h"

/* Small members come first: there may be thousands of lanes, and one without events then touches few pages of memory.
 */
struct decode_lane {
    size_t at;                 /* index in `in` of the next event to be mapped */
    bool ended;                /* the reader has no more events */
    bool has_moved;            /* its events have several times */
    uint64_t events, first;    /* until then: how many events came, and the time of the first */
    struct decode_moment last; /* of the last event that was read; its time is UINT64_MAX if there was none */
    struct decode_edge edge;   /* the next one of what the user wants; its time is UINT64_MAX if there is none */
    struct decode_lives_lane lives;
    struct trace_batch in;  /* from the reader */
    struct trace_batch out; /* from the mapping; its payloads may be those of in */
};

/* All zero before decode_source_init(). */
struct decode_source {
    const struct decode_request *request;
    const char *path, *elf_path; /* elf_path: as the user gave it, or NULL */
    char *const *more;           /* nmore further files of the input */
    unsigned nmore;
    const struct tlog_bytes *bytes; /* what is opened in place of the path; or NULL */
    char *found;                    /* path of the firmware's file that was found by its build id, or NULL */
    struct trace trace;
    struct firmware_file *elf; /* this and all pointers below: NULL until they are opened */
    struct input *input;
    const struct trace_reader *reader;
    void *reader_state;
    void *opened;               /* the reader's state, if the caller has opened it before the start; else NULL */
    struct decode_lives *lives; /* of numbers that were given again, or NULL: none is known of */
    bool knows_lives;           /* it was looked for them, or they are of no interest */
    struct decode_map *map;
    struct nesting *nesting;
    struct decode_filter *filter;         /* NULL = there is no --filter */
    struct decode_select *select;         /* NULL = no option selects events */
    const struct decode_windows *windows; /* of --time and --around, if these name events; else NULL */
    struct decode_lane *lanes;            /* one for each CPU */
    struct trace_options options;  /* for the writer of its output, unless an earlier source has the same output */
    bool moves;                    /* times are changed along this line: */
    struct decode_clock_line line; /* to the first source's clock */
    unsigned ncpus;                /* this and the next two: what a scan found */
    bool clocked;                  /* the clock's frequency is known */
    bool mapped;                   /* trace.mapped */
};

/* Make it the source of an input, without opening anything. elf_path: the firmware's ELF file, or NULL. Strings and the
 * request stay the caller's, who then sets `more` and nmore if the input has further files, or `bytes`. */
void decode_source_init(struct decode_source *source, const struct decode_request *request, const char *path,
                        const char *elf_path);

/* Open ELF file and input, unless that is given, and choose a reader. 0, or -1 after trace_fail(). */
int decode_source_prepare(struct decode_source *source);

/* Read all events once before any is given out, and hand each batch to a function, with a trace that is the scan's own.
 * If the function returns -1 after trace_fail() of that trace, so does this. 0, or -1 after trace_fail(). */
int decode_source_scan(struct decode_source *source,
                       int (*take)(void *ctx, struct trace *trace, const struct trace_batch *batch), void *ctx);

/* Get ready to give out events, from the first one on. 0, or -1 after trace_fail(). */
int decode_source_start(struct decode_source *source);

/* From now on, the edges of what the user wants are in the lanes, beside events. */
void decode_source_begin_edges(struct decode_source *source);

/* Read the next events of a CPU into its lane, whose events must all be mapped. 1; 0 at the end; -1 after
 * trace_fail(). */
int decode_source_fill(struct decode_source *source, unsigned cpu);

/* Map the lane's next edge; or its next event, and those after it that are before the next edge and earlier than
 * `until`, as far as `out` has room. Events that are not wanted are left out. 0, or -1 after trace_fail(). */
int decode_source_map(struct decode_source *source, unsigned cpu, uint64_t until);

/* The reader had no more events, but has again: read on. */
static inline void decode_source_resume(struct decode_source *source)
{
    for (unsigned i = 0; i < source->trace.ncpus; i++)
        source->lanes[i].ended = false;
}

/* Whether an event has told of a number that was given again, but what it is given for is not known. */
bool decode_source_meets_lives(const struct decode_source *source);

/* Read the rest of the events, for the damage that they tell of, and get ready to be started again. Damage is told no
 * more. 0, or -1 after trace_fail(). */
int decode_source_begin_again(struct decode_source *source);

/* Free all that the source owns. Allowed after a failure of any call, and for a source that is all zero. */
void decode_source_release(struct decode_source *source);

/* Make `second`, which is all zero, another source of the first one's input, for a request of its own; the first one is
 * prepared, and keeps owning input and ELF file. The second one tells of no damage, because the first one does. */
void decode_source_repeat(struct decode_source *second, const struct decode_source *first,
                          const struct decode_request *request);

/* Free what the second one owns. */
void decode_source_release_repeated(struct decode_source *second);

/* Whether the lane has an event that is not mapped yet. */
static inline bool decode_lane_has_event(const struct decode_lane *lane)
{
    return lane->at < lane->in.n;
}

/* Whether the next edge comes before an event of that time. */
static inline bool decode_lane_edge_before(const struct decode_lane *lane, uint64_t time)
{
    return lane->edge.time < time || (lane->edge.time == time && lane->edge.begins);
}

/* Whether an edge comes next. */
static inline bool decode_lane_at_edge(const struct decode_lane *lane)
{
    return lane->edge.time != UINT64_MAX
           && (!decode_lane_has_event(lane) || decode_lane_edge_before(lane, lane->in.event[lane->at].time));
}

/* The time of what comes next: an edge or an event, of which there must be one. */
static inline uint64_t decode_lane_time(const struct decode_lane *lane)
{
    return decode_lane_at_edge(lane) ? lane->edge.time : lane->in.event[lane->at].time;
}

/* The nearest integer; halves are rounded away from 0. */
static inline int64_t decode_nearest(double value)
{
    return (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}

/* What a line adds to a time, in ns. */
int64_t decode_clock_offset(const struct decode_clock_line *line, uint64_t time);

/* The time with that added, at least 0. */
uint64_t decode_clock_time(const struct decode_clock_line *line, uint64_t time);

#endif
