/* file.h - a .kev file of QNX's tracelogger: what its header says, and its slots.
 *
 * Prefix: kev_ is the file format of QNX's tracelogger, and the prefix of all names of this folder. qnx_ names, of
 * events/, are about QNX's events, whatever file they come from.
 *
 * The file: attributes, a text without separators | system page, SYSPAGE_LEN bytes | slots of 16 bytes up to the end.
 * An attribute is TRACE_KEY::VALUE and ends where the next one begins. A slot is a traceevent_t in the target's byte
 * order, see target/tlog_traceevent.h. These slots, of class CONTROL, tell about the trace:
 *
 *   TIME        the high word of time stamps from there on, of one CPU; in QNX 8 of all CPUs
 *   BUFFER      the beginning of a kernel buffer: its number, from 1 on, modulo 2048; how many slots it has
 *   BUFFER_END  the last slot of a kernel buffer; QNX 8
 *   DROPPED     events were lost for want of a kernel buffer; QNX 8
 *   NAME        a name, in tlog's own files (target/FORMAT.md 1.2); no event is made of it
 *
 * Kernel buffer: where QNX's kernel logs, and what tracelogger gets from it at a time. Release: see events/qnx_event.h.
 */
#ifndef QNX_FILE_H
#define QNX_FILE_H

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
    bool main;                           /* what runs first is main(): it was a firmware's trace */
    bool counts;                         /* CONTROL DROPPED has a count, low word first: tlog-decode wrote it */
    unsigned release;                    /* number that SYS_RELEASE begins with; 6 if the header does not tell */
    uint64_t slots;                      /* offset of the first slot */
    char target[3u * KEV_ATTRIBUTE_MAX]; /* SYSNAME SYS_RELEASE MACHINE */
};

/* Whether the input begins like such a file. */
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

/* Reads all slots of a file in turn. */
struct kev_walk {
    struct input *in;
    uint64_t at;    /* offset in the input of what follows the buffer */
    size_t used, n; /* bytes of the buffer that were walked through; that are there */
    bool big;       /* words are big-endian */
    unsigned char buffer[KEV_WALK_BYTES];
};

/* Begin at the first slot. The input stays the caller's. */
void kev_walk_start(struct kev_walk *walk, struct input *in, const struct kev_header *header);

/* Get the next slot. False: there is no further whole slot. */
bool kev_walk_next(struct kev_walk *walk, struct kev_slot *slot);

#endif
