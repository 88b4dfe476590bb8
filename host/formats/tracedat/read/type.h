/* type.h - types of the event model for formats of a trace.dat file.
 *
 *   record    common fields | fields, each at its offset | texts and arrays of any length
 *   payload                   fields, each at its offset | places of texts that were added | texts
 *
 * So a little-endian record whose fields are all numbers is copied to its payload as it is.
 */
#ifndef TRACEDAT_READ_TYPE_H
#define TRACEDAT_READ_TYPE_H

#include "formats/tracedat/read/file.h"

enum tracedat_special {
    TRACEDAT_ORDINARY,
    TRACEDAT_BPRINT,  /* trace_printk(): the payload has the finished text */
    TRACEDAT_UNKNOWN, /* the payload has the record in hex */
};

/* How records of one format become payloads. */
struct tracedat_type {
    struct trace_type type;
    enum tracedat_special special;
    struct tracedat_format *format; /* NULL if special is TRACEDAT_UNKNOWN and there is no format */
    uint16_t id;                    /* index in the trace */
    uint32_t added;                 /* offset in the payload of the first place of a text that was added */
    bool plain;                     /* all fields are numbers: a little-endian record is its payload */
    unsigned texts;                 /* fields that become texts */
    bool has_hex;                   /* or texts that may be longer than the record */
    uint32_t fmt_at, fmt_size;      /* trace_printk(): where the record has the address of the text */
    char *print;                    /* memory that type points to: the print format, */
    char *system;                   /* the system with an instance's name, */
    char *names;                    /* the names of elements of arrays, */
    struct trace_field *fields;     /* the fields */
};

/* The type for an event id in a buffer; made and declared when the first such event comes, so that types do not run out
 * for events that never do. NULL after trace_fail(). It belongs to the file. */
struct tracedat_type *tracedat_type_of(struct tracedat_file *file, unsigned buffer, uint32_t id);

/* Free all types of the file. */
void tracedat_types_free(struct tracedat_file *file);

/* ---- payloads: payload.c ----------------------------------------------------------------------------------------- */

/* Bytes that tracedat_payload_make() may write for a record of size bytes. */
size_t tracedat_payload_room(const struct tracedat_type *type, size_t size);

/* Make the payload of a record of size bytes. Returns its size, at most TRACEDAT_PAYLOAD_MAX and a few bytes, a
 * multiple of 4. A record that is shorter than its fields gets a short payload, as the event model allows. */
size_t tracedat_payload_make(const struct tracedat_file *file, const struct tracedat_type *type,
                             const unsigned char *record, size_t size, unsigned char *to);

/* Write what printf() makes of the format and the arguments, which the kernel packed into size bytes: a text of less
 * than room bytes, and a NUL. Returns its length. Where a conversion cannot be understood or the arguments end early,
 * the rest of the format is written as it is, and behind it all arguments in hex. */
size_t tracedat_bprint(const struct tracedat_file *file, char *to, size_t room, const char *format,
                       const unsigned char *args, size_t size);

#endif
