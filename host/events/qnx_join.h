/* qnx_join.h - whole events from traceevent slots: combine events are put together again.
 *
 * Slots of several combine events may lie between each other, of other CPUs or of interrupts. Slots of one event bear
 * the same header but for the structure, and the same time stamp. Events come out in the order in which they began.
 *
 * What can go wrong, and what becomes of it:
 *   beginning or end missing, or more than QNX_JOIN_EVENTS later events begun before the end: the slots are unfinished
 *   a slot that contradicts an event: both are damaged, rather than that something false is given out
 *   more than QNX_JOIN_SLOTS slots: the event keeps the first ones, and how many there were
 * Memory is the structure itself.
 */
#ifndef EVENTS_QNX_JOIN_H
#define EVENTS_QNX_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QNX_JOIN_EVENTS 64u
#define QNX_JOIN_SLOTS  112u
#define QNX_SLOT_DATA   8u /* bytes of data in a slot */

enum qnx_part { QNX_SIMPLE, QNX_BEGIN, QNX_MIDDLE, QNX_END };

struct qnx_slot {
    uint32_t header; /* as QNX has it, of CPU, class and event alone */
    uint32_t stamp;
    enum qnx_part part;
    uint64_t time;             /* kept for the caller */
    uint64_t offset;           /* likewise */
    const unsigned char *data; /* QNX_SLOT_DATA bytes, copied */
};

enum qnx_state { QNX_OPEN, QNX_WHOLE, QNX_BAD, QNX_LATE };

struct qnx_joined {
    uint32_t header, stamp;
    uint32_t slots;   /* all there were */
    uint64_t touched; /* number of the slot that came last */
    uint64_t time, offset;
    enum qnx_state state;
    unsigned char data[QNX_JOIN_SLOTS * QNX_SLOT_DATA];
};

struct qnx_join {
    uint64_t fed;        /* slots */
    uint64_t begun;      /* events */
    uint64_t gone;       /* of them, taken or dropped */
    uint64_t unfinished; /* slots that are in no event; the caller may take them away */
    uint64_t damaged;    /* slots that contradict others; likewise */
    uint64_t bad_offset; /* of the last slot that did */
    size_t first, n;     /* events in the ring */
    struct qnx_joined ring[QNX_JOIN_EVENTS];
};

void qnx_join_start(struct qnx_join *join);

/* Take the next slot. When the ring is full, qnx_join_take() must be called until it has nothing more. */
void qnx_join_feed(struct qnx_join *join, const struct qnx_slot *slot);

/* The next whole event, or NULL: feed another slot, or at the end say so. Valid until the next call of either. */
const struct qnx_joined *qnx_join_take(struct qnx_join *join, bool end);

/* Whether an event of the slot's header and stamp is still open. */
bool qnx_join_awaits(struct qnx_join *join, const struct qnx_slot *slot);

/* No slot of the events that are still open will come any more. */
void qnx_join_break(struct qnx_join *join);

#endif
