/* metadata.h - a CTF trace that is being written, and its metadata: a text that describes all events and fields. */
#ifndef CTF_METADATA_H
#define CTF_METADATA_H

#include "formats/ctf/encoder.h"
#include "formats/ctf/stream.h"

#define CTF_METADATA        "metadata"
#define CTF_STATEDUMP_START 60000u /* numbers of events, above those of all types */
#define CTF_STATEDUMP_STATE 60001u
#define CTF_STATEDUMP_END   60002u
#define CTF_CONTEXTS        1024u /* contexts of events: model/event.h has none above */

/* How the file begins. Readers look for its first line. */
#define CTF_METADATA_START "/* CTF 1.8 */\n/* Written by tlog-decode"

/* What writer.c collects of a trace until its metadata can be written, after all events. */
struct ctf_output {
    struct trace *trace;
    struct ctf_stream stream; /* of the CPU that is being written */
    bool has_start;           /* the user gave the real time of the first event: */
    int64_t start;            /* ns since 1970 */
    bool has_groups;          /* events tell their group */
    bool context_used[CTF_CONTEXTS];
    struct ctf_encoder encoder[TRACE_TYPES_MAX]; /* by the type's index, which is also the event's number */
};

/* Write the file. 0, or -1 after trace_fail(). */
int ctf_metadata_write(const struct ctf_output *output);

#endif
