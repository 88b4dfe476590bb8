/* qnx_event.h - a traceevent of QNX, and its words of data.
 *
 * Prefix: qnx_ names in events/ are about what QNX's kernel logs, whatever file it comes from: a .kev file (qnx/), or a
 * tlog dump of traceevents (native/).
 *
 * Vocabulary, from QNX's documentation:
 *   traceevent   an event of QNX: a class, a number within the class, a CPU, a time stamp, and words of data
 *   slot         16 bytes, as QNX's traceevent_t: header, stamp, two words of data
 *   simple       said of an event that is one slot
 *   combine      said of an event that is several slots, each with two more words of its data
 *   release      the first number of QNX's version: 6, 7 or 8; some numbers mean other events from 8 on
 */
#ifndef EVENTS_QNX_EVENT_H
#define EVENTS_QNX_EVENT_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QNX_SLOTS_MAX  112u /* slots whose data an event keeps; the data of further ones is dropped */
#define QNX_SLOT_BYTES 8u   /* of data in each slot: two words of 4 bytes */

struct qnx_event {
    uint32_t class, event;
    uint32_t slots;            /* that the event had, also those beyond QNX_SLOTS_MAX */
    const unsigned char *data; /* QNX_SLOT_BYTES of each slot that is kept, as they lie in the target's memory */
    bool big;                  /* words are big-endian */
};

/* Word i of the event's data, from 0 on; 0 if the event has no such word. */
static inline uint32_t qnx_word(const struct qnx_event *event, uint32_t i)
{
    uint32_t word;
    if (i >= 2u * event->slots || i >= 2u * QNX_SLOTS_MAX)
        return 0;
    word = get_le32(event->data + (size_t)4u * i);
    return event->big ? __builtin_bswap32(word) : word;
}

#endif
