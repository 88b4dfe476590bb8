/* walk.h - one file of an LTTng trace, event after event, in the order of time.
 *
 * The file is read where it is needed: memory does not grow with it. What cannot be read is reported with its offset,
 * counted, and marked before the next event; the walk goes on behind it.
 */
#ifndef LTTNG_WALK_H
#define LTTNG_WALK_H

#include "lttng/block.h"
#include "lttng/marker.h"

struct lttng_walk {
    struct trace *trace;
    struct lttng_markers *markers;
    struct input *in;
    const char *name;    /* of the file, for messages */
    const char *channel; /* without flight- */
    bool seed;           /* headers are those of the document of 2008 */
    bool metadata;       /* a facilities or metadata file: its events are learnt, not given out */
    bool compact;
    bool quiet; /* look only: nothing is reported or counted */
    /* blocks */
    bool has_form, wrapped;
    struct lttng_header form;   /* of the metadata, else of the first block that could be read: others look like it */
    struct lttng_header header; /* of the block */
    uint64_t start;             /* offset of the block that is first in time */
    uint64_t next;              /* offset of the next block */
    uint64_t block, at, limit;  /* offsets of the block, the next event, the end of the block's events */
    uint64_t tsc;               /* of the last event */
    uint64_t base, before;      /* times that short stamps count on from: now, and before the last event */
    uint64_t blocks, lost, corrupt;
    bool bounded, told_back; /* the block's end is good for a limit; that time ran back was said */
    /* the event */
    struct lttng_marker *marker;
    uint64_t offset; /* in the file */
    struct lttng_payload payload;
    uint64_t events; /* so far, learnt ones included */
    /* what is missing before it, or at the end; to be reset by whoever gives it out */
    uint64_t loss, damage;
    bool lossy, damaged;
    bool ended; /* for the caller's use: there is no further event */
};

/* Start. The caller has set everything up to quiet, form if it is known, and the rest to 0. */
void lttng_walk_open(struct lttng_walk *walk);

/* Go to the next event: its time is tsc. False at the end. */
bool lttng_walk_next(struct lttng_walk *walk);

#endif
