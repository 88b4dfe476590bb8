/* file.h - a .kev file of QNX's tracelogger: what its header says, its slots, and what each slot is.
 *
 * All names of this folder begin with kev_, after the suffix of such files. qnx_ names, of events/, are about QNX's
 * events, whatever file they come from.
 *
 * The file: attributes, a text without separators | system page, SYSPAGE_LEN bytes | slots of 16 bytes up to the end.
 * An attribute is TRACE_KEY::VALUE and ends where the next one begins. A slot is a traceevent_t in the target's byte
 * order (target/tlog_traceevent.h). An event has one slot or several. These slots, of class CONTROL, are no events but
 * tell about the trace:
 *
 *   TIME        the high word of the time stamps that follow, of one CPU; in QNX 8 of all CPUs
 *   BUFFER      the beginning of a kernel buffer: its number, from 1 on, modulo 2048, and how many slots it has
 *   BUFFER_END  the last slot of a kernel buffer; QNX 8
 *   DROPPED     events were lost for want of a kernel buffer; QNX 8
 *   NAME        a name, in tlog's own files (target/FORMAT.md 1.2); no event is made of it
 *
 * Kernel buffer: where QNX's kernel logs, and what tracelogger gets from it at a time. Release: see events/qnx_event.h.
 */
#ifndef QNX_FILE_H
#define QNX_FILE_H

#include "formats/qnx/join.h"
#include "events/qnx_types.h"
#include "io/input.h"
#include "model/trace.h"

#define KEV_SLOT_BYTES    16u
#define KEV_CPUS_MAX      64u
#define KEV_SEQUENCES     2048u /* numbers of kernel buffers start over after so many */
#define KEV_HEADER_BEGIN  "TRACE_HEADER_BEGIN::"
#define KEV_HEADER_END    "TRACE_HEADER_END::"
#define KEV_BEGINS_WITHIN 99u    /* bytes that are searched for the header's beginning */
#define KEV_HEADER_MAX    65536u /* bytes that are searched for the header's end */
#define KEV_ATTRIBUTE_MAX 64u    /* bytes of a text that is kept, with its NUL */

/* Offsets in a slot. */
enum { KEV_AT_HEADER = 0, KEV_AT_STAMP = 4, KEV_AT_DATA = 8 };

struct kev_header {
    bool big;                            /* words are big-endian */
    uint64_t hz;                         /* of the clock: CYCLES_PER_SEC; 0: the header does not tell */
    unsigned cpus;                       /* CPU_NUM; 0: the header does not tell */
    enum trace_priority_order order;     /* as tlog-decode tells, if it wrote the file; else QNX's own */
    bool main;                           /* what runs first is main(): it was a firmware's trace */
    bool counts;                         /* CONTROL DROPPED has a count, low word first: tlog-decode wrote it */
    unsigned release;                    /* number that SYS_RELEASE begins with; 6 if the header does not tell */
    uint64_t slots;                      /* offset of the first slot */
    char target[3u * KEV_ATTRIBUTE_MAX]; /* SYSNAME SYS_RELEASE MACHINE */
};

/* Whether the input begins as a .kev file does. */
bool kev_begins(struct input *in);

/* Parse the header. 0, or -1 after trace_fail(). */
int kev_header_read(struct trace *trace, struct input *in, struct kev_header *header);

struct kev_slot {
    uint64_t offset;       /* in the input */
    uint32_t header;       /* part, CPU, class and event */
    uint32_t stamp;        /* low word of the time stamp */
    uint32_t word[2];      /* of data */
    unsigned char data[8]; /* the words as they lie in the file */
};

#define KEV_WALK_BYTES 16384u

/* Reads all slots of a file, one after another. */
struct kev_walk {
    struct input *in;
    uint64_t at;    /* offset in the input of what follows the buffer */
    size_t used, n; /* bytes of the buffer that were given out as slots; that are there */
    bool big;       /* words are big-endian */
    unsigned char buffer[KEV_WALK_BYTES];
};

/* Begin at the first slot. The input stays the caller's. */
void kev_walk_start(struct kev_walk *walk, struct input *in, const struct kev_header *header);

/* Get the next slot. False at the end of the file, or if only a part of a slot is left. */
bool kev_walk_next(struct kev_walk *walk, struct kev_slot *slot);

/* The CPU that logged the slot, 0 .. KEV_CPUS_MAX - 1. */
unsigned kev_cpu(const struct kev_slot *slot);

/* Whether the slot is of class CONTROL and has that event number: TLOG_CONTROL_TIME ... */
bool kev_is_control(const struct kev_slot *slot, uint32_t event);

/* Whether all words of the slot are 0. */
bool kev_is_empty(const struct kev_slot *slot);

/* Whether the slot tells about the trace and belongs to no event: TIME, BUFFER, BUFFER_END or DROPPED. */
bool kev_tells_trace(const struct kev_slot *slot);

/* What is wrong with the slot, as far as it shows without its neighbours: a text for a message. NULL: nothing. release:
 * of QNX; ncpus: of the trace. */
const char *kev_fault(const struct kev_slot *slot, unsigned release, unsigned ncpus);

/* The slot in the form that events are joined from. time: its own, in ticks. The result points to the data of *slot. */
struct kev_part kev_joinable(const struct kev_slot *slot, uint64_t time);

/* The event that was joined. big: of words in its data. The result points to the data of *joined. */
struct qnx_event kev_event(const struct kev_joined *joined, bool big);

/* Follows the numbers of kernel buffers, and counts the slots of the present one. All zeros at the beginning, except
 * for per_cpu. The caller counts found. */
struct kev_buffers {
    bool per_cpu;                /* each CPU numbers its own buffers; else all CPUs do together, as CPU 0 below */
    bool begun[KEV_CPUS_MAX];    /* a buffer has come */
    uint32_t last[KEV_CPUS_MAX]; /* number of the latest one, if begun */
    uint32_t expected;           /* slots of the present buffer, as it tells; 0: it does not tell */
    uint32_t found;              /* slots of it so far */
};

/* A buffer begins with the slot. Returns how many buffers are missing before it. */
uint32_t kev_buffers_step(struct kev_buffers *buffers, const struct kev_slot *slot);

/* Whether the present buffer, which ends now, has another number of slots than it told. Always false for QNX 8: nobody
 * has documented which slots its number counts. */
bool kev_buffers_wrong(const struct kev_buffers *buffers, unsigned release);

#endif
