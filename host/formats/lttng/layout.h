/* layout.h - the trace format of LTTng 0.x: its words and constants, and how numbers lie in its files.
 *
 * LTTng 0.x was the tracer of Linux before LTTng 2.0 (2012). This folder reads its format versions 0.3 to 2.6 and
 * writes version 1.0. Sources: "The LTTng trace format" (2008), and the headers that each of these versions was
 * compiled with.
 *
 * Vocabulary of the format
 *   trace          a directory of files: control/facilities_0, cpu_0, cpu_1 ...; see files.h
 *   channel        events of one kind, such as those of scheduling; each CPU has a file for it, CHANNEL_CPU
 *   stream         the events of one file, in the order of time; see stream.h
 *   block          what a file is made of (LTTng: sub-buffer): headers, then events, then unused bytes; block_header.h
 *   open block     a block that the tracer had not finished when it was saved: its header has no size of the events
 *   event header   stamp, id and often the size of the payload; see event.c
 *   stamp, tsc     a count of clock cycles (time stamp counter); stamps in events may have its lower bits only
 *   marker         what events of one id have in common: name and format (version 1.0 and later); see marker.h
 *   format         names, types and order of a marker's fields, as text; see marker_types.c
 *   facility       up to 256 kinds of events with a common number; versions 0.3 to 0.8 have them instead of markers
 *   core events    ids 0 to 7, the same in all traces: what describes markers, and heartbeats
 *   heartbeat      an event that only shows that time goes on, so that stamps of 32 bits suffice
 *   compact event  an event whose header is one word, in channel "compact"
 *   metadata       files whose events describe other events: control/facilities_N, or metadata_N in version 2
 *   control        channels in the directory control/: descriptions, names of processes and interrupts
 *   flight recorder  a tracer that overwrites old blocks: the blocks of a file then lie in the order of a ring
 */
#ifndef LTTNG_LAYOUT_H
#define LTTNG_LAYOUT_H

#include "base/cursor.h"

#define LTTNG_PAGE             4096u      /* blocks are whole pages */
#define LTTNG_SIZE_BY_FORMAT   0xFFFFu    /* event_size: the payload is as long as the marker's format says */
#define LTTNG_SIZE_UNKNOWN     UINT32_MAX /* of a payload, where its event's header does not tell it */
#define LTTNG_FIRST_COMPACT_ID 8u         /* lowest id of a compact event */
#define LTTNG_FIRST_ID         128u       /* lowest id of an ordinary marker */

/* Ids of core events. */
enum lttng_core { LTTNG_MARKER_ID, LTTNG_MARKER_FORMAT, LTTNG_HEARTBEAT_32, LTTNG_HEARTBEAT_64, LTTNG_CORE_IDS = 8 };

/* Write a number of size bytes: 1, 2, 4 or 8. */
static inline void lttng_put(unsigned char *to, unsigned size, bool big, uint64_t value)
{
    for (unsigned i = 0; i < size; i++)
        to[big ? size - 1u - i : i] = (unsigned char)(value >> 8u * i);
}

/* Bytes of padding at an offset before a number of size bytes. It is aligned to its size, but at most to alignment,
 * which is 0 or a power of two. */
static inline uint32_t lttng_pad(uint64_t offset, unsigned size, unsigned alignment)
{
    unsigned least = alignment < size ? alignment : size;
    return least == 0 ? 0 : (uint32_t)((least - offset) & (least - 1u));
}

/* The NUL-terminated text at a cursor in memory, without a copy. NULL, and the cursor is bad, if there is no NUL. */
static inline const char *lttng_text(struct cursor *cursor)
{
    uint64_t left = cursor_left(cursor);
    const unsigned char *text = left > 0 ? cursor->memory + cursor->at : NULL;
    const unsigned char *end = left > 0 ? memchr(text, 0, (size_t)left) : NULL;
    if (end == NULL) {
        cursor->bad = true;
        return NULL;
    }
    cursor->at += (uint64_t)(end - text) + 1u;
    return (const char *)text;
}

#endif
