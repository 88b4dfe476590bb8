/* payload.h - payloads of the event model for records of a trace.dat file. */
#ifndef TRACEDAT_READ_PAYLOAD_H
#define TRACEDAT_READ_PAYLOAD_H

#include "formats/tracedat/read/type.h"

/* Bytes that tracedat_payload_make() may write for a record of size bytes. */
size_t tracedat_payload_room(const struct tracedat_type *type, size_t size);

/* Make the payload of a record of size bytes. Returns its size, at most TRACEDAT_PAYLOAD_MAX and a few bytes, a
 * multiple of 4. A record that is shorter than its fields gets a short payload, as the event model allows. */
size_t tracedat_payload_make(const struct tracedat_file *file, const struct tracedat_type *type,
                             const unsigned char *record, size_t size, unsigned char *to);

#endif
