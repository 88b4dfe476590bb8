/* payload.h - payloads of events: read from a trace, and laid out as the event model has them. */
#ifndef LTTNG_PAYLOAD_H
#define LTTNG_PAYLOAD_H

#include "formats/lttng/marker.h"

struct input;

/* Where a payload is in the file, and how it lies there. */
struct lttng_stored_payload {
    struct input *in;
    uint64_t block, at, limit; /* offsets in the file: of its block, of the payload, and where it must end at most */
    uint32_t size;             /* bytes, or LTTNG_SIZE_UNKNOWN */
    uint32_t compact;          /* the data in the header of a compact event */
    uint32_t id;               /* of the event: shown where the payload is shown as bytes */
    bool big;                  /* numbers are big-endian */
    bool aligns_start;         /* the payload is aligned to its largest number */
    bool natural;              /* numbers are aligned to their size, if they are aligned at all */
};

/* A payload that was read. */
struct lttng_payload {
    uint64_t start, end; /* offsets in the file */
    uint16_t size;       /* bytes of data: the fields that the marker's type has, then the texts of strings */
    unsigned char data[TRACE_PAYLOAD_MAX];
};

/* Read a payload. Returns false if it goes beyond its limit: then it is not to be used. */
bool lttng_payload_read(const struct lttng_marker *marker, const struct lttng_stored_payload *stored,
                        struct lttng_payload *payload);

/* Get the value of the type's field of that name. Returns false if there is none, or it is a string. */
bool lttng_payload_number(const struct lttng_marker *marker, const struct lttng_payload *payload, const char *name,
                          uint64_t *value);

/* The text in the type's field of that name, which lives as long as the payload; NULL if there is none, or it is a
 * number. */
const char *lttng_payload_text(const struct lttng_marker *marker, const struct lttng_payload *payload,
                               const char *name);

#endif
