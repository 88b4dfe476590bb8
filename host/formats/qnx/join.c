/* join.c - puts events of QNX together from their slots: see join.h.
 *
 * A ring holds the events in the order in which they began. An event that is whole waits for the events before it, and
 * for one slot more. A slot that contradicts an event may come right behind it: when a damaged bit has made a middle
 * slot look like the last one, the true rest of the event follows.
 */
#include "formats/qnx/join.h"

#include <string.h>

/* Event i of those in the ring, from the oldest one on. */
static struct qnx_joined *at(struct qnx_join *join, size_t i)
{
    return &join->ring[(join->first + i) % QNX_JOIN_EVENTS];
}

void qnx_join_start(struct qnx_join *join)
{
    join->fed = join->begun = join->gone = join->unfinished = join->damaged = join->bad_offset = 0;
    join->first = join->n = 0;
}

static bool is_alike(const struct qnx_joined *event, const struct qnx_slot *slot)
{
    return event->header == slot->header && event->stamp == slot->stamp;
}

/* The latest event in state a or b that has the slot's header and stamp; NULL if there is none. */
static struct qnx_joined *find(struct qnx_join *join, const struct qnx_slot *slot, enum qnx_state a, enum qnx_state b)
{
    for (size_t i = join->n; i-- > 0;) {
        struct qnx_joined *event = at(join, i);
        if ((event->state == a || event->state == b) && is_alike(event, slot))
            return event;
    }
    return NULL;
}

bool qnx_join_awaits(struct qnx_join *join, const struct qnx_slot *slot)
{
    return find(join, slot, QNX_OPEN, QNX_OPEN) != NULL;
}

/* Something contradicts the event: it is not given out. */
static void spoil(struct qnx_joined *event)
{
    if (event->state == QNX_OPEN || event->state == QNX_WHOLE)
        event->state = QNX_BAD;
}

/* The slot belongs to no open event. If an event is like it, or an open one differs from it in the header or the stamp
 * alone, the slot may be a damaged one of that event, so the event is not reliable either. */
static void orphan(struct qnx_join *join, const struct qnx_slot *slot)
{
    bool damaged = find(join, slot, QNX_WHOLE, QNX_BAD) != NULL;
    for (size_t i = 0; i < join->n; i++) {
        struct qnx_joined *event = at(join, i);
        bool near = event->header == slot->header || event->stamp == slot->stamp;
        if (is_alike(event, slot) || (near && event->state == QNX_OPEN)) {
            damaged = true;
            spoil(event);
        }
    }
    join->damaged += damaged;
    join->unfinished += !damaged;
    if (damaged)
        join->bad_offset = slot->offset;
}

/* Append the slot's data to the event. */
static void append(struct qnx_join *join, struct qnx_joined *event, const struct qnx_slot *slot)
{
    if (event->slots < QNX_SLOTS_MAX)
        memcpy(event->data + event->slots * QNX_SLOT_BYTES, slot->data, QNX_SLOT_BYTES);
    event->slots++;
    event->touched = join->fed;
}

/* The slot begins an event. */
static void begin(struct qnx_join *join, const struct qnx_slot *slot)
{
    struct qnx_joined *event = find(join, slot, QNX_OPEN, QNX_OPEN);
    if (event != NULL) { /* two equal events, one inside the other: a bit of the slot's part is damaged */
        spoil(event);
        join->damaged++;
        join->bad_offset = slot->offset;
        return;
    }
    if (join->n == QNX_JOIN_EVENTS) /* the caller did not call qnx_join_take() */
        return;
    event = at(join, join->n++);
    join->begun++;
    event->header = slot->header;
    event->stamp = slot->stamp;
    event->slots = 0;
    event->time = slot->time;
    event->offset = slot->offset;
    event->state = slot->part == QNX_SIMPLE ? QNX_WHOLE : QNX_OPEN;
    append(join, event, slot);
}

void qnx_join_feed(struct qnx_join *join, const struct qnx_slot *slot)
{
    struct qnx_joined *event;
    join->fed++;
    if (slot->part == QNX_SIMPLE || slot->part == QNX_BEGIN) {
        begin(join, slot);
        return;
    }
    event = find(join, slot, QNX_OPEN, QNX_OPEN);
    if (event == NULL) {
        orphan(join, slot);
        return;
    }
    append(join, event, slot);
    if (slot->part == QNX_END)
        event->state = QNX_WHOLE;
}

/* Count the slots of an event that is not given out. */
static void drop(struct qnx_join *join, struct qnx_joined *event)
{
    if (event->state == QNX_BAD) {
        join->damaged += event->slots;
        join->bad_offset = event->offset;
    } else {
        join->unfinished += event->slots;
    }
}

/* The oldest event decides: it is given out or dropped before all others. A full ring drops it even if it is open. */
const struct qnx_joined *qnx_join_take(struct qnx_join *join, bool end)
{
    while (join->n > 0) {
        struct qnx_joined *event = at(join, 0);
        bool full = join->n == QNX_JOIN_EVENTS;
        if (!full && !end && (event->state == QNX_OPEN || event->touched == join->fed))
            return NULL;
        join->first = (join->first + 1u) % QNX_JOIN_EVENTS;
        join->n--;
        join->gone++;
        if (event->state == QNX_WHOLE)
            return event;
        drop(join, event);
    }
    return NULL;
}

void qnx_join_break(struct qnx_join *join)
{
    for (size_t i = 0; i < join->n; i++) {
        if (at(join, i)->state == QNX_OPEN)
            at(join, i)->state = QNX_LATE;
    }
}
