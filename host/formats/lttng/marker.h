/* marker.h - the kinds of events that an LTTng trace describes: its markers, and the types made of them.
 *
 * While the metadata is read, lttng_markers_learn() gets each description of a marker's id or format. Then
 * lttng_markers_declare() makes a type of the event model of each marker.
 *
 * In version 2 each channel has its own ids. Before it there is one channel for all markers, named "". Versions 0.3 to
 * 0.8 keep formats apart from the trace: there a facility is one marker, and its payloads are shown as bytes.
 */
#ifndef LTTNG_MARKER_H
#define LTTNG_MARKER_H

#include "formats/lttng/block_header.h"
#include "model/trace.h"

#define LTTNG_FIELDS_MAX 32u /* of a marker; the rest of its payload is skipped */
#define LTTNG_NAME_BYTES 88u /* of a field's name, with its NUL */
#define LTTNG_TEXT_LEAST 5u  /* bytes that a string has in the model's payload at least, its number not counted */

/* How a field is shown. */
enum lttng_conversion { LTTNG_UNSIGNED, LTTNG_SIGNED, LTTNG_HEX, LTTNG_TEXT };

struct lttng_field {
    enum lttng_conversion conversion;
    uint8_t size;    /* bytes in the trace: 1, 2, 4 or 8; 0 = a string */
    bool network;    /* big-endian, whatever the byte order of the trace */
    bool compact;    /* lies in the header of a compact event */
    uint16_t offset; /* in the model's payload; set when the type is declared */
    uint16_t chars;  /* of a string: bytes that it has there, as TLOG_KIND_CHARS; 0 = it is a TLOG_KIND_STRING */
};

/* Bytes of C's types on the traced machine, and the most that something is aligned to; 0 = nothing is aligned. */
struct lttng_sizes {
    uint8_t of_int, of_long, of_pointer, of_size_t, alignment;
};

struct lttng_format {
    unsigned n;    /* fields */
    unsigned more; /* further fields, which are not kept */
    struct lttng_field field[LTTNG_FIELDS_MAX];
    char name[LTTNG_FIELDS_MAX][LTTNG_NAME_BYTES]; /* [A-Za-z0-9_]+, all different */
};

/* What a marker's events give a name to: the reader keeps it, and hands the events on like all others. */
enum lttng_role {
    LTTNG_EVENT_ONLY,
    LTTNG_NAMES_PROCESS, /* fields pid and name */
    LTTNG_NAMES_IRQ,     /* fields irq_id and name */
    LTTNG_NAMES_CURRENT, /* field filename, of the current process */
    LTTNG_TELLS_FACTS,   /* fields task, context, group and flags, of the file's events from here on: see below */
};

struct lttng_marker {
    struct lttng_marker *next; /* of the same channel */
    char *name, *format;       /* format NULL = not described */
    uint16_t id;
    bool has_id;
    bool as_bytes; /* the format is unknown or makes no sense: the payload is shown as bytes */
    bool reported; /* that there is no format was reported as damage */
    struct lttng_sizes sizes;
    unsigned nfields;
    bool has_more; /* fields that are not shown follow */
    struct lttng_field field[LTTNG_FIELDS_MAX];
    unsigned largest; /* bytes of the largest number among the fields */
    /* in the model */
    enum lttng_role role;
    uint16_t index; /* of its type */
    struct tlog_type type;
    struct tlog_field *shown; /* the type's fields */
    char *text;               /* the names in type and shown */
    char *print;              /* the type's print format, or NULL */
};

/* Ids have 16 bits. A channel's table of ids has two levels, to be small where ids are few: a hostile file of some KiB
 * can make 900 channels, each with the highest id. */
#define LTTNG_IDS          65536u
#define LTTNG_IDS_TOGETHER 256u

struct lttng_channel {
    struct lttng_channel *next;
    char *name; /* "" before version 2 */
    struct lttng_marker *markers;
    struct lttng_marker **by_id[LTTNG_IDS / LTTNG_IDS_TOGETHER]; /* NULL = no marker has one of these ids, or the id */
};

/* All markers of a trace. At first all but trace is 0. */
struct lttng_markers {
    struct trace *trace;
    struct lttng_channel *channels;
    size_t nmarkers, nchannels;
    bool per_channel; /* ids are those of a channel: version 2 */
    bool by_tlog;     /* tlog-decode wrote the trace */
};

void lttng_markers_free(struct lttng_markers *markers);

/* Learn from a description, which is the event of that id, in a block with that header; its payload is in memory.
 * Returns NULL, or what is wrong with it, as the end of a sentence that begins with "a description that". */
const char *lttng_markers_learn(struct lttng_markers *markers, uint32_t id, struct cursor payload,
                                const struct lttng_block_header *header);

/* Bytes of a description by what it holds, for events whose header does not have its size; LTTNG_SIZE_UNKNOWN if its
 * end is not in the payload. */
uint32_t lttng_markers_description_size(const struct lttng_markers *markers, uint32_t id, struct cursor payload,
                                        const struct lttng_block_header *header);

/* Make a type of each marker, after all descriptions have been learnt. 0, or -1 after trace_fail(). */
int lttng_markers_declare(struct lttng_markers *markers);

/* Take a format apart. Returns false if one of its conversions makes no sense. */
bool lttng_format_parse(struct lttng_format *format, const char *text, const struct lttng_sizes *sizes);

/* The channel of a name, or NULL. Before version 2 all names lead to the one channel. */
const struct lttng_channel *lttng_markers_channel(const struct lttng_markers *markers, const char *name);

/* The marker of an id, or NULL. The channel may be NULL: it has none. */
static inline struct lttng_marker *lttng_marker_find(const struct lttng_channel *channel, uint32_t id)
{
    struct lttng_marker *const *some =
        channel != NULL && id < LTTNG_IDS ? channel->by_id[id / LTTNG_IDS_TOGETHER] : NULL;
    return some != NULL ? some[id % LTTNG_IDS_TOGETHER] : NULL;
}

/* Give a marker's type the system, name and meaning that it had in the trace from which tlog-decode made this one. */
void lttng_marker_rename(struct lttng_marker *marker, const char *system, const char *name, enum tlog_meaning means);

/* Give a field of the type the kind and, if it is TLOG_KIND_CHARS, the size that it had there. Returns false if there
 * is no such field, or if it cannot be of that kind. */
bool lttng_marker_set_kind(struct lttng_marker *marker, uint64_t field, enum tlog_kind kind, uint64_t size);

/* Add to the print format of the type. Returns NULL, or what is wrong, as the end of a sentence that begins with "a
 * print format that". */
const char *lttng_marker_add_print(struct lttng_marker *marker, const char *text);

/* The type's print format is complete. One that makes no sense is dropped: then false. */
bool lttng_marker_end_print(struct lttng_marker *marker);

/* What tlog-decode adds to the traces it writes, and uses in those it reads. The format has no place for an unknown
 * frequency of the clock, its start in ns, the systems, names and classes of types, what their numbers are numbers of,
 * units and names of values, names of anything but processes and interrupts, priorities and groups. They are events of
 * these markers, in control/modules_0, which other readers show like any others.
 *
 * An event has no place for the task that logged it, where other events do not tell that (trace->mapped), its context,
 * group and flags. They are events of tlog_event in the events' file: what one tells holds for all behind it, up to the
 * next one. At first all are 0. */
#define LTTNG_TLOG_WRITER   "tlog_writer" /* a trace that has this marker was written by tlog-decode */
#define LTTNG_TLOG_CLOCK    "tlog_clock"
#define LTTNG_TLOG_TYPE     "tlog_type"
#define LTTNG_TLOG_FIELD    "tlog_field" /* behind the type: the kind of a field, where the format does not tell it */
#define LTTNG_TLOG_PRINT    "tlog_print" /* behind the type: its print format, in parts, one behind the other */
#define LTTNG_TLOG_NAME     "tlog_name"
#define LTTNG_TLOG_PRIORITY "tlog_priority"
#define LTTNG_TLOG_GROUP    "tlog_group" /* in the order of their numbers */
#define LTTNG_TLOG_EVENT    "tlog_event"
#define LTTNG_TLOG_COMPACT  "tlog_event_compact" /* the same in compact_N */

/* The word for a meaning. */
const char *lttng_meaning_name(enum tlog_meaning means);

/* The meaning that a word is for; TLOG_MEANS_PLAIN for an unknown one. */
enum tlog_meaning lttng_meaning_named(const char *name);

/* The word for the kind of a field; NULL: the format tells the kind. */
const char *lttng_kind_name(enum tlog_kind kind);

/* The kind that a word is for. False: for none. */
bool lttng_kind_named(const char *name, enum tlog_kind *kind);

#endif
