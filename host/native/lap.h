/* lap.h - one lap of a chunk, put together from all images that show slots of it, with a decision about each slot. */
#ifndef NATIVE_LAP_H
#define NATIVE_LAP_H

#include "native/index.h"

enum native_state {
    NATIVE_RECORD,     /* a record of the lap */
    NATIVE_TRACEEVENT, /* a traceevent slot of the lap */
    NATIVE_UNFINISHED, /* its writer had not finished, or has not come back */
    NATIVE_DAMAGED,    /* it held an event that cannot be relied on */
    NATIVE_ABSENT,     /* no image shows it in this lap */
};

/* A lap that is being decoded; there is one for each lane. All zeros, but for trace and in of the view, at first. */
struct native_lap {
    struct native_view view; /* the image that most slots are from; slots of other images are copied in */
    unsigned char *state;    /* enum native_state of each slot, from slot 1 on; not valid if clean */
    size_t room;             /* slots that state has room for */
    uint16_t *contexts;      /* of each slot's event, as struct trace_event has them; taken out of the slots in view */
    size_t contexts_room;
    bool has_contexts;    /* contexts is valid; else all are 0 */
    bool clean;           /* all slots are whole events in order: word 0 of each tells what it is */
    bool records;         /* clean, and all slots are records */
    uint32_t lap;         /* its number */
    uint32_t first, last; /* slots that some image shows */
    uint8_t number;       /* of its chunk */
    uint64_t lead;        /* stamp that those of traceevent slots ahead of the first record are counted from */
};

/* What loading laps needs. One serves all lanes. */
struct native_loader {
    struct trace *trace;
    const struct native_index *index;
    struct native_view other; /* for further images of a lap */
    unsigned char *other_state;
    size_t other_room;
    struct native_order *order; /* one for each slot, for laps whose stamps go back */
    size_t order_room;
};

/* The context of the event in a slot. */
static inline uint16_t native_lap_context(const struct native_lap *lap, uint32_t index)
{
    return lap->has_contexts ? lap->contexts[index - 1u] : 0;
}

/* The slot with that number. */
static inline const unsigned char *native_lap_slot(const struct native_lap *lap, uint32_t index)
{
    return native_view_slot(&lap->view, index);
}

/* The number of a slot. */
static inline uint32_t native_lap_index(const struct native_lap *lap, const unsigned char *slot)
{
    return (uint32_t)((size_t)(slot - native_lap_slot(lap, 1)) / TLOG_SLOT_BYTES) + 1u;
}

/* What a slot from first to last is. */
static inline enum native_state native_lap_state(const struct native_lap *lap, uint32_t index)
{
    if (!lap->clean)
        return (enum native_state)lap->state[index - 1u];
    return native_is_traceevent(get_le32(native_lap_slot(lap, index))) ? NATIVE_TRACEEVENT : NATIVE_RECORD;
}

/* Load the lap that n parts of the index show, at least one. Its events must lie within the span. Reports damage.
 * Returns 0, or -1 after trace_fail(). */
int native_lap_load(struct native_loader *loader, struct native_lap *lap, const struct native_part *parts, size_t n,
                    struct native_span span);

/* How many slots the traceevent has that begins in a slot; 0 if none begins there, or it lacks a slot. */
uint32_t native_lap_combined(const struct native_lap *lap, uint32_t index);

/* Free what they have allocated; not the structures themselves. */
void native_lap_free(struct native_lap *lap);
void native_loader_free(struct native_loader *loader);

#endif
