/* join.c - see join.h.
 *
 * A ring holds the events in the order in which they began. A complete event waits for the events before it, and for
 * one slot more, because that may contradict it: where a damaged bit makes a middle slot look like the last one, the
 * true rest of the event follows.
 */
#include "formats/qnx/join.h"

#include <string.h>

/* Event i of those in the ring, from the oldest one on. */
static struct kev_joined *at(struct kev_join *join, size_t i)
{
    return &join->ring[(join->first + i) % KEV_JOIN_EVENTS];
}

void kev_join_start(struct kev_join *join)
{
    join->fed = join->begun = join->gone = join->unfinished = join->damaged = join->bad_offset = 0;
    join->first = join->n = 0;
}

static bool is_alike(const struct kev_joined *event, const struct kev_part *slot)
{
    return event->header == slot->header && event->stamp == slot->stamp;
}

/* The latest event in state a or b that has the slot's header and stamp; NULL if there is none. */
static struct kev_joined *find(struct kev_join *join, const struct kev_part *slot, enum kev_state a, enum kev_state b)
{
    for (size_t i = join->n; i-- > 0;) {
        struct kev_joined *event = at(join, i);
        if ((event->state == a || event->state == b) && is_alike(event, slot))
            return event;
    }
    return NULL;
}

bool kev_join_awaits(struct kev_join *join, const struct kev_part *slot)
{
    return find(join, slot, KEV_OPEN, KEV_OPEN) != NULL;
}

/* Something contradicts the event: it is not given out. */
static void spoil(struct kev_joined *event)
{
    if (event->state == KEV_OPEN || event->state == KEV_WHOLE)
        event->state = KEV_BAD;
}

/* The slot belongs to no open event. It may be a damaged slot of an event with the same header and stamp, or of an open
 * one with the same header or the same stamp. Then that event is not reliable either. */
static void orphan(struct kev_join *join, const struct kev_part *slot)
{
    bool damaged = find(join, slot, KEV_WHOLE, KEV_BAD) != NULL;
    for (size_t i = 0; i < join->n; i++) {
        struct kev_joined *event = at(join, i);
        bool near = event->header == slot->header || event->stamp == slot->stamp;
        if (is_alike(event, slot) || (near && event->state == KEV_OPEN)) {
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
static void append(struct kev_join *join, struct kev_joined *event, const struct kev_part *slot)
{
    if (event->slots < QNX_SLOTS_MAX)
        memcpy(event->data + event->slots * QNX_SLOT_BYTES, slot->data, QNX_SLOT_BYTES);
    event->slots++;
    event->touched = join->fed;
}

/* The slot begins an event. */
static void begin(struct kev_join *join, const struct kev_part *slot)
{
    struct kev_joined *event = find(join, slot, KEV_OPEN, KEV_OPEN);
    if (event != NULL) { /* two equal events, one inside the other: a bit of the slot's part is damaged */
        spoil(event);
        join->damaged++;
        join->bad_offset = slot->offset;
        return;
    }
    if (join->n == KEV_JOIN_EVENTS) /* the caller did not call kev_join_take() */
        return;
    event = at(join, join->n++);
    join->begun++;
    event->header = slot->header;
    event->stamp = slot->stamp;
    event->slots = 0;
    event->time = slot->time;
    event->offset = slot->offset;
    event->state = slot->part == KEV_SIMPLE ? KEV_WHOLE : KEV_OPEN;
    append(join, event, slot);
}

void kev_join_feed(struct kev_join *join, const struct kev_part *slot)
{
    struct kev_joined *event;
    join->fed++;
    if (slot->part == KEV_SIMPLE || slot->part == KEV_BEGIN) {
        begin(join, slot);
        return;
    }
    event = find(join, slot, KEV_OPEN, KEV_OPEN);
    if (event == NULL) {
        orphan(join, slot);
        return;
    }
    append(join, event, slot);
    if (slot->part == KEV_END)
        event->state = KEV_WHOLE;
}

/* Count the slots of an event that is not given out. */
static void drop(struct kev_join *join, struct kev_joined *event)
{
    if (event->state == KEV_BAD) {
        join->damaged += event->slots;
        join->bad_offset = event->offset;
    } else {
        join->unfinished += event->slots;
    }
}

/* The oldest event is given out or dropped before all others. If the ring is full it is dropped even if it is open. */
const struct kev_joined *kev_join_take(struct kev_join *join, bool end)
{
    while (join->n > 0) {
        struct kev_joined *event = at(join, 0);
        bool full = join->n == KEV_JOIN_EVENTS;
        if (!full && !end && (event->state == KEV_OPEN || event->touched == join->fed))
            return NULL;
        join->first = (join->first + 1u) % KEV_JOIN_EVENTS;
        join->n--;
        join->gone++;
        if (event->state == KEV_WHOLE)
            return event;
        drop(join, event);
    }
    return NULL;
}

void kev_join_break(struct kev_join *join)
{
    for (size_t i = 0; i < join->n; i++) {
        if (at(join, i)->state == KEV_OPEN)
            at(join, i)->state = KEV_LATE;
    }
}
