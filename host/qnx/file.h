/* file.h - a .kev file of QNX's tracelogger: what its header says, and its slots.
 *
 *   attributes, text without separators | system page, SYSPAGE_LEN bytes | slots of 16 bytes up to the end
 *
 * An attribute is TRACE_KEY::VALUE and ends where the next one begins. Slots are in the target's byte order; a slot is
 * a traceevent_t, see target/tlog_traceevent.h. Slots of class CONTROL tell about the trace:
 *
 *   TIME        the time stamp's high word, of one CPU (in QNX 8: of all) from there on
 *   BUFFER      begins a kernel buffer: its number, from 1 on, modulo 2048, and how many slots it has, itself included
 *   BUFFER_END  the last slot of one (QNX 8)
 *   DROPPED     events were lost for want of a buffer (QNX 8)
 *   NAME        a name, of tlog: FORMAT.md 1.2; no event
 */
#ifndef QNX_FILE_H
#define QNX_FILE_H

#include "io/input.h"
#include "model/trace.h"

#define KEV_SLOT_BYTES    16u
#define KEV_CPUS_MAX      64u
#define KEV_SEQUENCES     2048u
#define KEV_HEADER_BEGIN  "TRACE_HEADER_BEGIN::"
#define KEV_HEADER_END    "TRACE_HEADER_END::"
#define KEV_BEGINS_WITHIN 99u    /* bytes */
#define KEV_HEADER_MAX    65536u /* bytes that are searched for the header's end */
#define KEV_ATTRIBUTE_MAX 64u    /* of the texts that are kept */

struct kev_header {
    bool big;                            /* words are big-endian */
    uint64_t hz;                         /* CYCLES_PER_SEC; 0 = not told */
    unsigned cpus;                       /* CPU_NUM; 0 = not told */
    bool counts;                         /* CONTROL DROPPED has a count, low word first: tlog-decode wrote the file */
    unsigned release;                    /* number that SYS_RELEASE begins with; 6 if not told */
    uint64_t slots;                      /* offset of the first slot */
    char target[3u * KEV_ATTRIBUTE_MAX]; /* SYSNAME SYS_RELEASE MACHINE */
};

/* Whether the input begins like such a file. */
bool kev_begins(struct input *in);

/* Parse the header. 0, or -1 after trace_fail(). */
int kev_header_read(struct trace *trace, struct input *in, struct kev_header *header);

struct kev_slot {
    uint64_t offset;
    uint32_t header, stamp, word[2];
    unsigned char data[8]; /* the words as they lie in the file */
};

#define KEV_WALK_BYTES 16384u

/* All slots of a file in turn. */
struct kev_walk {
    struct input *in;
    uint64_t at; /* offset of what follows the buffer */
    size_t used, n;
    bool big;
    unsigned char buffer[KEV_WALK_BYTES];
};

void kev_walk_start(struct kev_walk *walk, struct input *in, const struct kev_header *header);

/* False at the end. */
bool kev_walk_next(struct kev_walk *walk, struct kev_slot *slot);

#endif
