/* source.h - an input with all that makes events of it: reader, mapping, names; and the times these events get.
 *
 * Vocabulary
 *   source   one input; its CPUs are counted from 0
 *   lane     a CPU of a source: the batch its reader filled, and the batch the mapping made of it
 */
#ifndef DECODE_SOURCE_H
#define DECODE_SOURCE_H

#include "decode/request.h"
#include "model/module.h"
#include "decode/sync.h"

#include <stdbool.h>
#include <stddef.h>

struct lane {
    struct trace_batch in;  /* from the reader */
    struct trace_batch out; /* from the mapping */
    size_t at;              /* next event of out */
    bool again;             /* the mapping has not used up in */
    bool ended;
};

struct source {
    const struct decode_request *request;
    const char *path, *elf_path;
    struct trace trace;
    struct elf_image *elf;
    struct input *input;
    const struct trace_reader *reader;
    void *state; /* of the reader */
    struct map *map;
    struct funcgraph *graph;
    struct lane *lanes;
    struct trace_options options; /* of the file that is written of this source alone, or of all, if it is the first */
    bool moved;                   /* times are changed: */
    struct sync_line line;
    unsigned ncpus; /* as a scan found it, like: */
    bool clocked;   /* the clock's frequency is known */
    bool mapped;    /* trace.mapped */
};

/* An empty source for an input, and the firmware's ELF file or NULL. */
void source_init(struct source *source, const struct decode_request *request, const char *path, const char *elf_path);

/* Open ELF file and input, and choose a reader. 0, or -1 after trace_fail(). */
int source_prepare(struct source *source);

/* Read all events once, and note those that the rule wants. 0, or -1 after trace_fail(). */
int source_scan(struct source *source, const struct sync_rule *rule, struct sync_marks *marks);

/* Get ready to give out events from the first one on. 0, or -1 after trace_fail(). */
int source_start(struct source *source);

/* Bring the next mapped events of a CPU into its lane's out: 1, 0 at the end, -1 after trace_fail(). */
int source_fill(struct source *source, unsigned cpu);

/* Free all but what the caller owns. Also after a failure, and of a source that was only cleared. */
void source_release(struct source *source);

static inline bool lane_has(const struct lane *lane)
{
    return lane->at < lane->out.n;
}

#endif
