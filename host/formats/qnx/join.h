/* join.h - joins the slots of an event.
 *
 * An event of several slots begins, goes on, and ends. Slots of other events may lie between its own: those of other
 * CPUs, and of interrupts. All slots of one event have the same time stamp, and the same header but for the bits that
 * tell whether it begins, goes on, or ends. Events come out in the order in which they began.
 *
 * What can go wrong:
 *   The beginning or the end of an event is missing, or more than KEV_JOIN_EVENTS later events begin before its end
 *   comes: its slots count as unfinished.
 *   A slot contradicts an event: both count as damaged. No event whose data may be wrong is given out.
 *   An event has more than QNX_SLOTS_MAX slots: it keeps the data of the first ones, and the number of all.
 *
 * All memory that joining needs is in struct kev_join.
 */
#ifndef QNX_JOIN_H
#define QNX_JOIN_H

#include "events/qnx_event.h"

#define KEV_JOIN_EVENTS 64u /* events that can be in work at a time */

/* What a slot is in its event. The values are those of bits 31..30 of the header. */
enum kev_part_kind { KEV_SIMPLE, KEV_BEGIN, KEV_MIDDLE, KEV_END };

struct kev_part {
    uint32_t header; /* CPU, class and event, at the bits where QNX has them */
    uint32_t stamp;  /* low word of the time stamp */
    enum kev_part_kind part;
    uint64_t time;             /* of the slot: the caller's, kept with the event */
    uint64_t offset;           /* in the input */
    const unsigned char *data; /* QNX_SLOT_BYTES, which are copied */
};

enum kev_state {
    KEV_OPEN,  /* its end has not come */
    KEV_WHOLE, /* all slots are there */
    KEV_BAD,   /* a slot contradicts it */
    KEV_LATE,  /* its end is known to be missing */
};

struct kev_joined {
    uint32_t header, stamp;
    uint32_t slots;        /* that came, also those whose data is not kept */
    uint64_t touched;      /* value of kev_join.fed after its latest slot */
    uint64_t time, offset; /* of its first slot */
    enum kev_state state;
    unsigned char data[QNX_SLOTS_MAX * QNX_SLOT_BYTES];
};

struct kev_join {
    uint64_t fed;        /* slots that came */
    uint64_t begun;      /* events that began */
    uint64_t gone;       /* of these, the events that were given out or dropped */
    uint64_t unfinished; /* slots that are in no event that was given out; the caller may set it to 0 */
    uint64_t damaged;    /* slots that contradict each other; the caller may set it to 0 */
    uint64_t bad_offset; /* in the input, of the latest contradiction */
    size_t first, n;     /* the events in work are ring[first] and those behind it, n in all */
    struct kev_joined ring[KEV_JOIN_EVENTS];
};

/* Begin without any slot. */
void kev_join_start(struct kev_join *join);

/* Take the next slot. After each slot the caller calls kev_join_take() until it gives nothing more. */
void kev_join_feed(struct kev_join *join, const struct kev_part *slot);

/* The next complete event, valid until the next call of this function or of kev_join_feed(). NULL: another slot must be
 * fed first. end: no slot will come any more, so incomplete events are dropped. */
const struct kev_joined *kev_join_take(struct kev_join *join, bool end);

/* Whether an event with the slot's header and stamp is still open. */
bool kev_join_awaits(struct kev_join *join, const struct kev_part *slot);

/* Slots are missing in the input here: the events that are open will get no further one. */
void kev_join_break(struct kev_join *join);

#endif
