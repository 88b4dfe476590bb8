/* join.h - puts whole events of QNX together from their slots.
 *
 * Between the slots of a combine event those of other events may lie: events of other CPUs, and of interrupts. All
 * slots of one event have the same time stamp and the same header, except for the part. Events come out in the order in
 * which they began.
 *
 * What can go wrong, and how it is treated:
 *   An event's beginning or end is missing, or more than QNX_JOIN_EVENTS later events begin before its end comes: its
 *   slots are unfinished.
 *   A slot contradicts an event: both are damaged. No event with possibly false data is given out.
 *   An event has more than QNX_SLOTS_MAX slots: it keeps the data of the first ones, and how many slots there were.
 *
 * All memory that joining needs is in struct qnx_join.
 */
#ifndef QNX_JOIN_H
#define QNX_JOIN_H

#include "events/qnx_event.h"

#define QNX_JOIN_EVENTS 64u /* events that can be in work at a time */

/* Which part of an event a slot is. The values are those of bits 31..30 of the header. */
enum qnx_part { QNX_SIMPLE, QNX_BEGIN, QNX_MIDDLE, QNX_END };

struct qnx_slot {
    uint32_t header; /* as QNX has it, but with nothing but CPU, class and event */
    uint32_t stamp;  /* low word of the time stamp */
    enum qnx_part part;
    uint64_t time;             /* kept for the caller, with the event */
    uint64_t offset;           /* in the input; likewise */
    const unsigned char *data; /* QNX_SLOT_BYTES, which are copied */
};

enum qnx_state {
    QNX_OPEN,  /* its end has not come */
    QNX_WHOLE, /* all slots are there */
    QNX_BAD,   /* a slot contradicts it */
    QNX_LATE,  /* its end is known to be missing */
};

struct qnx_joined {
    uint32_t header, stamp;
    uint32_t slots;        /* that came, also those that are not kept */
    uint64_t touched;      /* value of qnx_join.fed after its latest slot */
    uint64_t time, offset; /* of its first slot */
    enum qnx_state state;
    unsigned char data[QNX_SLOTS_MAX * QNX_SLOT_BYTES];
};

struct qnx_join {
    uint64_t fed;        /* slots that came */
    uint64_t begun;      /* events that began */
    uint64_t gone;       /* of these, the events that were given out or dropped */
    uint64_t unfinished; /* slots that are in no event; the caller may set it to 0 */
    uint64_t damaged;    /* slots of contradictions; likewise */
    uint64_t bad_offset; /* in the input, of the latest contradiction */
    size_t first, n;     /* the events in work are ring[first] and those behind it, n in all */
    struct qnx_joined ring[QNX_JOIN_EVENTS];
};

/* Begin without any slot. */
void qnx_join_start(struct qnx_join *join);

/* Take the next slot. After each slot the caller calls qnx_join_take() until it gives nothing more. */
void qnx_join_feed(struct qnx_join *join, const struct qnx_slot *slot);

/* The next whole event, valid until the next call of this or qnx_join_feed(). NULL: there is none until another slot is
 * fed. With end: no slot comes any more, so events that are not whole by now are dropped. */
const struct qnx_joined *qnx_join_take(struct qnx_join *join, bool end);

/* Whether an event with the slot's header and stamp is still open. */
bool qnx_join_awaits(struct qnx_join *join, const struct qnx_slot *slot);

/* No further slot will come of the events that are open: slots are missing in the input here. */
void qnx_join_break(struct qnx_join *join);

#endif
