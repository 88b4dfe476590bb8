/* source.h - an input with all that makes events of it: reader, mapping, names; and the times these events get.
 *
 * Calls come in this order: init, prepare, perhaps scan, start, then fill and map until all lanes have ended, release.
 *
 * Vocabulary
 *   source   one input; its CPUs are counted from 0
 *   lane     a CPU of a source: the batch that the reader filled, and the batch that the mapping made of it
 *   line     what is added to the times of a source (sync.h)
 */
#ifndef DECODE_SOURCE_H
#define DECODE_SOURCE_H

#include "decode/request.h"
#include "model/module.h"
#include "decode/sync.h"

#include <stdbool.h>
#include <stddef.h>

/* Small members come first: a lane without events then takes few pages of memory, and there may be thousands. */
struct decode_lane {
    size_t at;              /* index in `in` of the next event to be mapped */
    bool ended;             /* the reader has no more events */
    struct trace_batch in;  /* from the reader */
    struct trace_batch out; /* from the mapping; payloads may be those of in */
};

struct decode_source {
    const struct decode_request *request;
    const char *path, *elf_path; /* elf_path: or NULL */
    char *found;                 /* path of the firmware's file that was found by its build id, or NULL */
    struct trace trace;
    struct firmware_file *elf; /* or NULL, as all that is opened later */
    struct input *input;
    const struct trace_reader *reader;
    void *reader_state;
    struct decode_map *map;
    struct funcgraph *graph;
    struct spans *spans;
    struct decode_filter *filter;         /* NULL: all events are wanted */
    struct decode_select *select;         /* the same */
    const struct decode_windows *windows; /* for select, or NULL */
    struct decode_lane *lanes;            /* one for each CPU */
    struct trace_options options; /* for the writer, if this source is the only one or the first of its output */
    bool moves;                   /* times are changed, along this line: */
    struct decode_sync_line line;
    unsigned ncpus; /* this and the next two: what a scan found */
    bool clocked;   /* the clock's frequency is known */
    bool mapped;    /* trace.mapped */
};

/* Make it the source of an input; nothing is opened. elf_path: the firmware's ELF file, or NULL. Strings and the
 * request stay the caller's. */
void decode_source_init(struct decode_source *source, const struct decode_request *request, const char *path,
                        const char *elf_path);

/* Open ELF file and input, and choose a reader. 0, or -1 after trace_fail(). */
int decode_source_prepare(struct decode_source *source);

/* Read all events once, and add those that the rule asks for to the marks. 0, or -1 after trace_fail(). */
int decode_source_scan(struct decode_source *source, const struct decode_sync_rule *rule,
                       struct decode_sync_marks *marks);

/* Make a source the second one of the same input, for a request of its own: its trace is quiet, because damage is
 * reported when the events are given out. Input and ELF file stay those of the first one. */
void decode_source_repeat(struct decode_source *second, const struct decode_source *first,
                          const struct decode_request *request);

/* Free what the second one owns. */
void decode_source_release_repeated(struct decode_source *second);

/* Get ready to give out events, from the first one on. 0, or -1 after trace_fail(). */
int decode_source_start(struct decode_source *source);

/* Read the next events of a CPU into its lane, when all that are there are mapped: 1, 0 at the end, -1 after
 * trace_fail(). */
int decode_source_fill(struct decode_source *source, unsigned cpu);

/* Map the next event of the lane and those behind it that are earlier than `until`, as far as out has room. 0, or -1
 * after trace_fail(). */
int decode_source_map(struct decode_source *source, unsigned cpu, uint64_t until);

/* Free all that the source owns. Allowed after a failure of any call, and for a source that is all zero. */
void decode_source_release(struct decode_source *source);

/* Whether the lane has an event that is not mapped yet. */
static inline bool decode_lane_has_event(const struct decode_lane *lane)
{
    return lane->at < lane->in.n;
}

/* The time of the first such event. */
static inline uint64_t decode_lane_time(const struct decode_lane *lane)
{
    return lane->in.event[lane->at].time;
}

#endif
