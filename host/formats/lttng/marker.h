/* marker.h - the events that an LTTng trace describes: its channels, their markers, and the types made of them.
 *
 * While the metadata is read, each description of a marker's id or format is handed to lttng_markers_learn(). When all
 * are known, lttng_markers_declare() makes a type of the event model of each marker.
 *
 * Version 2 has ids for each channel; before it there is one channel, named "", for all. Versions 0.3 to 0.8 keep
 * formats apart from the trace: there a facility is a marker whose payload is shown as bytes.
 */
#ifndef LTTNG_MARKER_H
#define LTTNG_MARKER_H

#include "formats/lttng/format.h"
#include "formats/lttng/block_header.h"
#include "model/trace.h"

#define LTTNG_TEXT_LEAST 5u /* bytes that a string has in the model's payload at least, its number not counted */

/* What the reader does with a marker's events besides handing them on. */
enum lttng_role {
    LTTNG_EVENT_ONLY,
    LTTNG_NAMES_PROCESS, /* fields pid and name */
    LTTNG_NAMES_IRQ,     /* fields irq_id and name */
    LTTNG_NAMES_CURRENT, /* field filename, of the current process */
};

struct lttng_marker {
    struct lttng_marker *next; /* of the same channel */
    char *name, *format;       /* format NULL = not described */
    uint16_t id;
    bool has_id;
    bool as_bytes; /* the format is unknown or makes no sense: the payload is shown as bytes */
    bool reported; /* damage was reported because of as_bytes */
    struct lttng_sizes sizes;
    unsigned nfields;
    bool has_more; /* fields that are not shown follow */
    struct lttng_field field[LTTNG_FIELDS_MAX];
    unsigned largest; /* bytes of the largest number among the fields */
    /* in the model */
    enum lttng_role role;
    uint16_t index; /* of its type */
    struct trace_type type;
    struct trace_field *shown; /* the type's fields */
    char *text;                /* the names in type and shown */
};

/* Ids have 16 bits. The table of a channel's ids has two levels: descriptions of a few bytes can make 900 channels,
 * each with the highest id. */
#define LTTNG_IDS          65536u
#define LTTNG_IDS_TOGETHER 256u

struct lttng_channel {
    struct lttng_channel *next;
    char *name; /* "" before version 2 */
    struct lttng_marker *markers;
    struct lttng_marker **by_id[LTTNG_IDS / LTTNG_IDS_TOGETHER]; /* NULL = no marker has one of these ids, or the id */
};

/* All markers of a trace. All 0 but for trace is a table without any. */
struct lttng_markers {
    struct trace *trace;
    struct lttng_channel *channels;
    size_t nmarkers, nchannels;
    bool per_channel; /* ids are those of a channel: version 2 */
    bool own;         /* tlog-decode wrote the trace: see own.h */
};

void lttng_markers_free(struct lttng_markers *markers);

/* Learn from the payload of a marker's id or format event, which is in memory, from a block with that header. Returns
 * NULL, or what is wrong with it, as the end of a sentence that begins with "a description that". */
const char *lttng_markers_learn(struct lttng_markers *markers, bool is_format, struct cursor payload,
                                const struct lttng_block_header *header);

/* Learn a facility of versions 0.3 to 0.8: all its events, id to id + 255, become one marker. Returns the same. */
const char *lttng_markers_facility(struct lttng_markers *markers, uint16_t id, const char *name);

/* Parse the formats and declare types, after all has been learnt. 0, or -1 after trace_fail(). */
int lttng_markers_declare(struct lttng_markers *markers);

/* The channel of a name, or NULL: before version 2, the one that all names lead to. */
const struct lttng_channel *lttng_markers_channel(const struct lttng_markers *markers, const char *name);

/* The marker of an id, or NULL, also if the channel is NULL. */
static inline struct lttng_marker *lttng_marker_find(const struct lttng_channel *channel, uint32_t id)
{
    struct lttng_marker *const *some =
        channel != NULL && id < LTTNG_IDS ? channel->by_id[id / LTTNG_IDS_TOGETHER] : NULL;
    return some != NULL ? some[id % LTTNG_IDS_TOGETHER] : NULL;
}

/* Give a marker's type the names and the class that it had before tlog-decode wrote the trace. */
void lttng_marker_rename(struct lttng_marker *marker, const char *system, const char *name, enum trace_class class);

#endif
