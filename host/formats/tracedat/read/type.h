/* type.h - types of the event model for formats of a trace.dat file, and payloads for its records.
 *
 *   record    common fields | fields, each at its offset | texts and arrays of any length
 *   payload                   fields, each at its offset | places of added texts | texts
 *
 * A text is added for a field that is no text in the record, such as the name at an address. The payload keeps the
 * offsets of the record, so a little-endian record whose fields are all numbers is copied as it is.
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
    struct tlog_type type;
    enum tracedat_special special;
    struct tracedat_format *format; /* NULL if special is TRACEDAT_UNKNOWN and there is no format */
    uint16_t id;                    /* index in the trace */
    uint32_t added;                 /* offset in the payload of the first place of an added text */
    bool plain;                     /* all fields are numbers: the payload is a copy of a little-endian record */
    unsigned texts;                 /* fields that become texts */
    bool has_hex;                   /* some texts may be longer than the record */
    uint32_t fmt_at, fmt_size;      /* trace_printk(): where the record has the address of the text */
    char *print;                    /* memory that type points to: the print format, */
    char *system;                   /* the system with an instance's name, */
    char *names;                    /* the names of elements of arrays, */
    struct tlog_field *fields;      /* the fields */
};

/* The type for an event id in a buffer. It is made and declared when the first such event comes, so that formats
 * without events take none of the trace's types. It belongs to the file. NULL after trace_fail(). */
struct tracedat_type *tracedat_type_of(struct tracedat_file *file, unsigned buffer, uint32_t id);

/* Free all types of the file. */
void tracedat_types_free(struct tracedat_file *file);

/* ---- payloads: payload.c ----------------------------------------------------------------------------------------- */

/* The most bytes that tracedat_payload_make() writes for a record of size bytes. */
size_t tracedat_payload_room(const struct tracedat_type *type, size_t size);

/* Make the payload of a record of size bytes. Returns its size, a multiple of 4 and at most TRACEDAT_PAYLOAD_MAX and a
 * few bytes. A record that is shorter than its fields gets a shorter payload, as the event model allows. */
size_t tracedat_payload_make(const struct tracedat_file *file, const struct tracedat_type *type,
                             const unsigned char *record, size_t size, unsigned char *to);

/* Write what trace_printk() would have printed: the format with its arguments, which the kernel packed into size bytes.
 * The text is cut to room bytes with its NUL. Returns its length. From a conversion on that is not understood, or has
 * no argument, the format is written as it is, and behind it all arguments in hex. */
size_t tracedat_bprint(const struct tracedat_file *file, char *to, size_t room, const char *format,
                       const unsigned char *args, size_t size);

#endif
