/* packet.h - the packets of a trace: their heads, the two sequences they are in, and the state of the writer.
 *
 * Vocabulary
 *   sequence   packets that share texts and a clock. The kernel's sequence has switches, wake-ups, interrupts and
 *   tasks.
 *              The other sequence has the track events, which are all other events
 *   track      a row of a viewer, known by its uuid
 *   room       the most bytes that a packet takes, besides its head and pending texts
 */
#ifndef PERFETTO_PACKET_H
#define PERFETTO_PACKET_H

#include "model/module.h"
#include "formats/perfetto/interns.h"
#include "formats/perfetto/output.h"
#include "formats/perfetto/proto.h"

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
    uint64_t bias;                        /* what is subtracted from all times */
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
    char *text;                    /* room for the text of an event: PRINT_MOST bytes */
};

/* Write the first packets of both sequences. time: of the first event. 0, or -1 after trace_fail(). */
int perfetto_begin(struct perfetto *state, uint64_t time);

/* The time of an event as it is in packets. */
static inline uint64_t perfetto_time(const struct perfetto *state, uint64_t time)
{
    return time - state->bias;
}

/* Begin a packet of the kernel's sequence; or one without a time, of the track events' sequence. Returns where its
 * fields go; NULL after trace_fail(). */
unsigned char *perfetto_kernel_packet(struct perfetto *state, size_t room);
unsigned char *perfetto_user_packet(struct perfetto *state, size_t room);

/* Put the time into a packet of the track events' sequence: as the difference from the last packet with a time; or, if
 * time goes back, as it is. */
unsigned char *perfetto_put_time(struct perfetto *state, unsigned char *to, uint64_t time);

/* The packet ends at `to`: texts that are pending are put into it. */
void perfetto_kernel_end(struct perfetto *state, unsigned char *to);
void perfetto_user_end(struct perfetto *state, unsigned char *to);

#endif
