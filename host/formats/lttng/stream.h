/* stream.h - one file of a trace that is being read: its blocks, and the place that was reached.
 *
 * Blocks come in the order of time; event.h reads the events in them. The file is read piece by piece, so memory does
 * not grow with it. What cannot be read is reported with its offset, counted, and marked before the next event; then
 * reading goes on behind it.
 */
#ifndef LTTNG_STREAM_H
#define LTTNG_STREAM_H

#include "formats/lttng/payload.h"

struct lttng_stream {
    /* set by the caller */
    struct trace *trace;
    struct lttng_markers *markers;
    struct input *in;
    const char *name;                      /* of the file, for messages */
    const char *channel;                   /* without flight- */
    const struct lttng_channel *described; /* what describes that channel; NULL = nothing, or the file does itself */
    bool seed;                             /* headers are those of the document of 2008 */
    bool metadata;                         /* the events are descriptions: they are learnt, not given out */
    bool compact;                          /* the channel of compact events */
    bool quiet;                            /* only a look: no damage is reported */
    /* Headers of the file are compared with reference: most files' first header or, without has_reference, the first
     * one of this file. Its size is that of the block before. */
    bool has_reference;
    struct lttng_block_header reference;
    /* blocks */
    struct lttng_block_header header; /* of the current block */
    bool wrapped;                     /* reading went on at the beginning of the file */
    uint64_t start;                   /* offset of the block that is first in time */
    uint64_t next;                    /* offset of the next block */
    uint64_t block, at, limit;        /* offsets of the block, the next event, the end of the block's events */
    uint64_t tsc;                     /* full stamp of the last event */
    uint64_t base, before;            /* full stamp that short ones count on from: now; before the last event */
    uint64_t blocks;                  /* entered so far */
    uint64_t lost, corrupt;           /* the header's counts of lost events and blocks, when they were last looked at */
    bool bounded;                     /* no event of the block is later than its header's end */
    uint64_t search_from, search_to;  /* pages between these offsets begin no block: see find_block() in stream.c */
    uint64_t searched;                /* offsets of the block that were searched for events: find_chain() in event.c */
    bool reported_back;               /* it was reported that time goes back in this block */
    /* the event */
    struct lttng_marker *marker;
    uint64_t offset; /* in the file */
    struct lttng_payload payload;
    struct tlog_event facts; /* for the caller's use: the events have its task, context, group and flags */
    uint64_t events;         /* so far, descriptions and heartbeats included */
    /* What is missing before the event, or at the end of the file: counts, and whether there is something, whose count
     * may be unknown. The caller resets them when it gives them out. */
    uint64_t loss, damage;
    bool lossy, damaged;
    bool ended; /* for the caller's use: there is no further event */
};

/* Go to the block that is first in time. The caller has set the first fields, up to reference, and all the rest to
 * 0. */
void lttng_stream_start(struct lttng_stream *stream);

/* Go to the next block: read its headers, check them, and set where its events are. Returns false at the end of the
 * file. */
bool lttng_stream_next_block(struct lttng_stream *stream);

/* All events of the current block, if there is one, were read. This is reported if the block ends too long after
 * them. */
void lttng_stream_leave_block(struct lttng_stream *stream);

/* Report damage at an offset of the file, unless the stream is quiet: length bytes, which may have cost count events.
 * It is marked before the next event. */
void lttng_stream_damage(struct lttng_stream *stream, uint64_t offset, uint64_t length, uint64_t count,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Is the current block an open one, or is its size of the events so wrong that it is read like one? */
static inline bool lttng_in_open_block(const struct lttng_stream *stream)
{
    return stream->header.lost == LTTNG_OPEN;
}

#endif
