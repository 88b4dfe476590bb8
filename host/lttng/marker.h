/* marker.h - the events an LTTng trace describes: markers, their formats, and their payloads in the event model.
 *
 * Vocabulary
 *   marker   a kind of event: name, id, format; version 2 has ids per channel, before there is one channel for all
 *   format   text with "name %conversion" for each field; what stands before "%" after "#" tells size and sign
 *   role     what the reader does with an event besides giving it out
 *
 * Versions 0.3 to 0.8 keep formats apart from the trace. There a facility is a marker whose payload is shown as bytes.
 */
#ifndef LTTNG_MARKER_H
#define LTTNG_MARKER_H

#include "model/trace.h"

struct input;
struct lttng_header;

#define LTTNG_FIELDS_MAX 32u   /* of a marker; the rest of its payload is skipped */
#define LTTNG_TEXT_LEAST 5u    /* bytes kept for a string in the model's payload */
#define LTTNG_TEXT_MAX   4096u /* payload of a marker's id or format event */

enum lttng_role {
    LTTNG_EVENT_ONLY,
    LTTNG_NAMES_PROCESS, /* fields pid and name */
    LTTNG_NAMES_IRQ,     /* fields irq_id and name */
    LTTNG_NAMES_CURRENT, /* field filename, of the running process */
    LTTNG_LEAVES_IRQ,    /* an irq_exit that does not tell which: the payload has room for it at the front */
};

enum lttng_conversion { LTTNG_UNSIGNED, LTTNG_SIGNED, LTTNG_HEX, LTTNG_ADDRESS, LTTNG_OPTIONAL, LTTNG_TEXT };

struct lttng_field {
    enum lttng_conversion conversion;
    uint8_t size;    /* bytes in the trace; 0 = a string */
    bool network;    /* big-endian in any trace */
    bool compact;    /* lies in the word of a compact event */
    uint16_t offset; /* in the model's payload */
};

struct lttng_sizes {
    uint8_t of_int, of_long, of_pointer, of_size_t, alignment;
};

struct lttng_marker {
    struct lttng_marker *next; /* of the same channel */
    char *name, *format;       /* format NULL = not told */
    uint16_t id;
    bool has_id;
    bool raw; /* the format is not known or makes no sense: the payload is shown as bytes */
    bool told_raw;
    struct lttng_sizes sizes;
    unsigned nfields;
    bool more; /* fields that are not shown follow */
    struct lttng_field field[LTTNG_FIELDS_MAX];
    unsigned largest; /* size of the largest number */
    /* in the model */
    enum lttng_role role;
    uint16_t index; /* of its type */
    struct trace_type type;
    struct trace_field *shown;
    char *text; /* the names in type and shown */
};

struct lttng_channel {
    struct lttng_channel *next;
    char *name; /* "" before version 2 */
    struct lttng_marker *markers;
    struct lttng_marker **by_id;
    size_t nids;
};

struct lttng_markers {
    struct trace *trace;
    struct lttng_channel *channels;
    size_t nmarkers;
    bool per_channel;
    bool own; /* tlog-decode wrote the trace: control channels tell names and classes, and are no events */
};

/* An event's payload, read. */
struct lttng_payload {
    uint64_t start, end; /* offsets in the file */
    uint16_t size;
    unsigned char data[TRACE_PAYLOAD_MAX];
};

void lttng_markers_free(struct lttng_markers *markers);

/* Take the payload of a marker's id or format event, from a block with that header. NULL, or what is wrong with it. */
const char *lttng_markers_learn(struct lttng_markers *markers, bool is_format, const unsigned char *data, size_t n,
                                const struct lttng_header *header);

/* A facility of versions 0.3 to 0.8: all its events, id to id + 255, are one marker. */
const char *lttng_markers_facility(struct lttng_markers *markers, uint16_t id, const char *name);

/* All has been learnt: parse the formats and declare types. 0, or -1 after trace_fail(). */
int lttng_markers_declare(struct lttng_markers *markers);

/* The marker, or NULL. With facilities, ids of one facility are one marker. */
struct lttng_marker *lttng_markers_find(const struct lttng_markers *markers, const char *channel, uint32_t id);

struct lttng_place {
    struct input *in;
    uint64_t block, at, limit; /* offsets in the file: of the block, the payload, and what it may not go beyond */
    uint32_t size;             /* bytes, or UINT32_MAX: what the format says */
    uint32_t compact, id;
    bool big;
    bool aligns_start; /* the payload is aligned to its largest number */
    bool natural;      /* numbers are aligned to their size, if they are aligned at all */
};

/* Read a payload. False when it goes beyond its limit. */
bool lttng_payload_read(const struct lttng_marker *marker, const struct lttng_place *place,
                        struct lttng_payload *payload);

/* What tlog-decode says of an event in traces it wrote. */
void lttng_marker_rename(struct lttng_marker *marker, const char *system, const char *name, enum trace_class class);

/* Value of the model's field of that name; false if there is none, or it is a string. */
bool lttng_payload_number(const struct lttng_marker *marker, const struct lttng_payload *payload, const char *name,
                          uint64_t *value);

/* The string in the field of that name, or NULL. */
const char *lttng_payload_text(const struct lttng_marker *marker, const struct lttng_payload *payload,
                               const char *name);

#endif
