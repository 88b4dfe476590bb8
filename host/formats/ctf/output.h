/* output.h - a CTF trace that is being written: what the writer's files share. */
#ifndef CTF_OUTPUT_H
#define CTF_OUTPUT_H

#include "formats/ctf/shape.h"
#include "formats/ctf/stream.h"

#define CTF_CONTEXTS 1024u /* contexts of events: event.h has none above */

struct ctf_output {
    struct trace *trace;
    struct ctf_stream stream; /* of the CPU that is being written */
    bool has_start;           /* the user gave the real time of the first event: */
    int64_t start;            /* ns since 1970 */
    bool has_groups;          /* events tell their group */
    bool context_used[CTF_CONTEXTS];
    struct ctf_shape shape[TRACE_TYPES_MAX]; /* by the type's index, which is also the event's number */
};

#endif
