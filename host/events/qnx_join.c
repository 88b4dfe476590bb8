/* qnx_join.c - combine events put together: see qnx_join.h.
 *
 * A ring holds the events in the order in which they began. One that is whole waits for those before it, and for one
 * slot more: what contradicts an event comes right behind it, like the rest of one whose end a damaged bit has made up.
 */
#include "events/qnx_join.h"

#include <string.h>

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

/* The latest event that the slot may belong to, in one of two states. */
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

static void spoil(struct qnx_joined *event)
{
    if (event->state == QNX_OPEN || event->state == QNX_WHOLE)
        event->state = QNX_BAD;
}

/* The slot has no place. If it looks like one that an event misses, but for its header or its stamp, then that event
 * cannot be relied on either. */
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

static void append(struct qnx_join *join, struct qnx_joined *event, const struct qnx_slot *slot)
{
    if (event->slots < QNX_JOIN_SLOTS)
        memcpy(event->data + event->slots * QNX_SLOT_DATA, slot->data, QNX_SLOT_DATA);
    event->slots++;
    event->touched = join->fed;
}

static void begin(struct qnx_join *join, const struct qnx_slot *slot)
{
    struct qnx_joined *event = find(join, slot, QNX_OPEN, QNX_OPEN);

    if (event != NULL) { /* two events of one stamp, one inside the other: a part that lost its mark */
        spoil(event);
        join->damaged++;
        join->bad_offset = slot->offset;
        return;
    }
    if (join->n == QNX_JOIN_EVENTS) /* the caller did not take what there is */
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

static void drop(struct qnx_join *join, struct qnx_joined *event)
{
    if (event->state == QNX_BAD) {
        join->damaged += event->slots;
        join->bad_offset = event->offset;
    } else {
        join->unfinished += event->slots;
    }
}

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
