/* packet.h - the packets of a trace: their heads, the two sequences they are in, the texts of a sequence, the output;
 * and the state of the writer.
 *
 * Vocabulary
 *   sequence   packets that share texts and a clock. The kernel's sequence has switches, wake-ups, interrupts and
 *              tasks. The user's sequence has the track events, which are all other events
 *   track      a row of a viewer, known by its uuid
 *   interned   of a text: it is written once in a sequence, and then referred to by a number
 *   iid        that number, from 1 on, among the texts of a kind
 *   kind       of a text: the field of InternedData that has it, INTERNED_CATEGORIES ...
 *   pending    of a text: it has a number but is not written yet; the sequence's next packet will have it
 *   room       the most bytes that a packet takes, besides its head and pending texts
 */
#ifndef PERFETTO_PACKET_H
#define PERFETTO_PACKET_H

#include "model/module.h"
#include "formats/perfetto/proto.h"

#include <stddef.h>
#include <stdint.h>

/* ---- output ------------------------------------------------------------------------------------------------------ */

struct perfetto_output {
    unsigned char *at, *end; /* next free byte of the buffer; the end of its room */
    struct perfetto_file *file;
};

/* fd and trace stay the caller's. False after trace_fail(). */
bool perfetto_output_open(struct perfetto_output *output, struct trace *trace, int fd, bool gzip);

/* Write the buffer, which then has room for that many bytes. 0, or -1 after trace_fail(). */
int perfetto_output_flush(struct perfetto_output *output, size_t bytes);

/* Make sure that there is room for that many bytes. 0, or -1 after trace_fail(). */
static inline int perfetto_output_need(struct perfetto_output *output, size_t bytes)
{
    return bytes <= (size_t)(output->end - output->at) ? 0 : perfetto_output_flush(output, bytes);
}

/* Write what is still in memory. 0, or -1 after trace_fail(). */
int perfetto_output_finish(struct perfetto_output *output);

/* Free the output. It may be all 0 instead of open. */
void perfetto_output_free(struct perfetto_output *output);

/* ---- interned texts ---------------------------------------------------------------------------------------------- */

#define INTERNS_KINDS 32u

struct perfetto_interns {
    struct trace *trace;
    uint64_t last[INTERNS_KINDS]; /* the iid that was given last, by kind */
    struct intern *table;         /* size of them, a power of two; n are used */
    size_t size, n;
    unsigned char *pending; /* messages of InternedData, used of room bytes */
    size_t used, room;
};

/* No texts; the trace stays the caller's. */
void perfetto_interns_init(struct perfetto_interns *interns, struct trace *trace);
void perfetto_interns_free(struct perfetto_interns *interns);

/* The number of a text of n bytes, which becomes pending if it is new. 0: there are too many texts, and this one has to
 * be written in full; or after trace_fail(). */
uint64_t perfetto_intern(struct perfetto_interns *interns, unsigned kind, const char *text, size_t n);

/* A new number for a text that will not come again, so it is not remembered. 0 after trace_fail(). */
uint64_t perfetto_intern_once(struct perfetto_interns *interns, unsigned kind, const char *text, size_t n);

/* Put pending texts into a packet, which has room for perfetto_interns_room() bytes more. Returns the place behind. */
size_t perfetto_interns_room(const struct perfetto_interns *interns);
unsigned char *perfetto_interns_put(struct perfetto_interns *interns, unsigned char *to);

/* ---- the state of the writer ------------------------------------------------------------------------------------- */

#define PERFETTO_ROOT_TRACK 1u

/* The tids and pids of viewers have 31 bits. Each task is a process, too: viewers colour by process. */
#define PERFETTO_FIRMWARE_PID 999999u
#define PERFETTO_PROCESS_BASE 1000000u
#define PERFETTO_LOST_TID     2000000000u
#define PERFETTO_ID_MASK      0x7FFFFFFFu

struct perfetto_bundles;
struct perfetto_cpu;
struct perfetto_shape;
struct perfetto_tasks;
struct perfetto_tracks;
struct perfetto_slices;
struct perfetto_args;

struct perfetto {
    struct trace *trace;
    struct perfetto_output output;
    struct perfetto_interns kernel, user; /* texts of the two sequences */
    bool begun;                           /* the first packets are written */
    bool has_start;                       /* the user gave the real time of the first event: */
    uint64_t start;                       /* ns since 1970 */
    uint64_t bias;                        /* what is subtracted from all times: trace.start_ns, or 0 */
    uint64_t clock;                       /* time of the last track event */
    struct perfetto_tasks *tasks;
    struct perfetto_tracks *tracks;
    struct perfetto_slices *slices;
    struct perfetto_args *args;
    struct perfetto_bundles *bundles;
    struct perfetto_cpu *cpu;      /* one for each CPU */
    struct perfetto_shape **shape; /* by type; NULL: no event of it has come */
    unsigned ntypes;               /* types that were looked at for switches, */
    bool has_switches;             /* and whether one of them is a switch */
    unsigned forgotten;            /* how often what ran on a CPU became unknown */
    char *text;                    /* room for the text of an event: PRINT_MOST bytes */
};

/* Write the first packets of both sequences. time: of the first event. 0, or -1 after trace_fail(). */
int perfetto_begin(struct perfetto *state, uint64_t time);

/* The time of an event as it is in packets. */
static inline uint64_t perfetto_time(const struct perfetto *state, uint64_t time)
{
    return time - state->bias;
}

/* Begin a packet of the kernel's or of the user's sequence; a time is put by the caller. Returns where its fields go;
 * NULL after trace_fail(). */
unsigned char *perfetto_kernel_packet(struct perfetto *state, size_t room);
unsigned char *perfetto_user_packet(struct perfetto *state, size_t room);

/* Put the time into a packet of the user's sequence: as the difference from the time of the last packet that had one;
 * if it is earlier, as it is. */
unsigned char *perfetto_put_time(struct perfetto *state, unsigned char *to, uint64_t time);

/* The packet ends at `to`. The pending texts of its sequence are put into it. */
void perfetto_kernel_end(struct perfetto *state, unsigned char *to);
void perfetto_user_end(struct perfetto *state, unsigned char *to);

#endif
