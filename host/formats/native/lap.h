/* lap.h - one lap of a chunk, put together from all images that show slots of it, with a decision about each slot. */
#ifndef NATIVE_LAP_H
#define NATIVE_LAP_H

#include "formats/native/image.h"
#include "formats/native/index.h"
#include "formats/native/unwrap.h"

enum native_state {
    NATIVE_RECORD,     /* a record of the lap */
    NATIVE_TRACEEVENT, /* a traceevent slot of the lap */
    NATIVE_WRAPPED,    /* a slot of the lap, ahead of which the clock wrapped unseen: lap->step tells more */
    NATIVE_UNFINISHED, /* its writer had not finished, or has not come back */
    NATIVE_CLAIMED,    /* it was passed, because the writer of an earlier lap has not come back */
    NATIVE_REST,       /* a part of a combine event whose first slots are overwritten */
    NATIVE_DAMAGED,    /* it held an event that cannot be relied on */
    NATIVE_ABSENT,     /* no image shows it in this lap */
    NATIVE_DOUBTED,    /* only in times.c: it tells a time that another one contradicts */
};

/* Where the clock wrapped unseen: wraps that the firmware had not counted yet. */
struct native_step {
    uint64_t stamp; /* of the slot, with these wraps */
    uint64_t wraps; /* how many, or at least one */
    uint32_t slot;  /* the first one behind it */
    bool vouched;   /* the coarse clock tells how many */
};

/* A lap that is being decoded; there is one for each lane. All zeros, but for trace and in of the view, at first. */
struct native_lap {
    struct native_view view; /* the image that most slots are from; slots of other images are copied in */
    unsigned char *state;    /* enum native_state of each slot, from slot 1 on; not valid if clean */
    size_t room;             /* slots that state has room for */
    uint16_t *contexts;      /* of each slot's event, as struct trace_event has them; taken out of the slots in view */
    size_t contexts_room;
    bool has_contexts;         /* contexts is valid; else all are 0 */
    bool clean;                /* all slots are whole events in order: the head of each tells what it is */
    bool records;              /* clean, and all slots are records */
    uint64_t lap;              /* its number */
    uint32_t first, last;      /* slots that some image shows; there are none if the last is ahead of the first */
    uint32_t end;              /* what the last would be if no image was cut short: slots between them are lost */
    uint32_t slots;            /* of its chunk */
    uint8_t number;            /* of its chunk */
    struct native_trail trail; /* of the lane, up to the end of this lap */
    struct native_step step[NATIVE_STEPS_MAX];
    uint32_t steps;
    uint64_t lead; /* stamp that those of traceevent slots ahead of the first record are counted from */
};

#define NATIVE_TOLD_AROUND 2u /* what is told ahead of a lap, and behind it, besides what its slots tell */

/* What loading laps needs. One serves all lanes. */
struct native_loader {
    struct trace *trace;
    const struct native_index *index;
    struct native_view other; /* for further images of a lap */
    unsigned char *other_state;
    size_t other_room;
    struct native_order *order; /* one for each slot, for laps whose stamps go back */
    size_t order_room;
    struct native_told *told; /* the same, for laps with wraps that were not seen */
    size_t told_room;
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
    return native_is_traceevent(native_head(native_lap_slot(lap, index))) ? NATIVE_TRACEEVENT : NATIVE_RECORD;
}

/* The step ahead of a slot that is NATIVE_WRAPPED. */
const struct native_step *native_lap_step(const struct native_lap *lap, uint32_t index);

/* How many slots the traceevent has that begins in a slot; 0 if none begins there, or it lacks a slot. */
uint32_t native_lap_combined(const struct native_lap *lap, uint32_t index);

/* Free what they have allocated; not the structures themselves. */
void native_lap_free(struct native_lap *lap);
void native_loader_free(struct native_loader *loader);

#endif
