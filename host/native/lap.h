/* lap.h - one lap of a chunk, put together from all images that show part of it, slot by slot decided on.
 *
 * Private to the native reader.
 */
#ifndef NATIVE_LAP_H
#define NATIVE_LAP_H

#include "native/index.h"

enum native_slot {
    NATIVE_RECORD,     /* a record of the lap */
    NATIVE_TRACEEVENT, /* a traceevent slot of the lap */
    NATIVE_UNFINISHED, /* its writer had not finished, or came too late */
    NATIVE_DAMAGED,    /* it held an event that cannot be relied on */
    NATIVE_ABSENT,     /* no image shows it in this lap */
};

/* Bits of word 0 of a traceevent slot that are always 0. */
#define NATIVE_TRACEEVENT_ZERO 0x00FC8000u

/* A lap that is being decoded; one per lane. */
struct native_lap {
    struct native_view view; /* the image that most slots are from, with those of other images copied in */
    unsigned char *state;    /* enum native_slot of each slot, from slot 1 on */
    size_t room;             /* of state */
    uint16_t *contexts;      /* as events have them, of each slot, taken out of the slots in view */
    size_t contexts_room;
    bool has_contexts; /* there are some */
    bool clean;        /* all slots are whole events in order, what each is its word 0 tells, not state */
    bool records;      /* clean, and all are records */
    uint32_t lap;
    uint32_t first, last; /* slots that any image shows */
    uint32_t self;
    uint8_t number;
    uint64_t lead; /* time that traceevent slots before the first record are counted from */
};

/* Between which times, in ticks, the lap's events must lie. */
struct native_span {
    uint64_t from, to;
};

/* What loading laps needs, and any lane can use. */
struct native_loader {
    struct trace *trace;
    const struct native_index *index;
    struct native_view other; /* further images of a lap */
    unsigned char *other_state;
    size_t other_room;
    struct native_order *order; /* one per slot, for laps whose times go back */
    size_t order_room;
};

/* The context of a slot's event. */
static inline uint16_t native_lap_context(const struct native_lap *lap, uint32_t index)
{
    return lap->has_contexts ? lap->contexts[index - 1u] : 0;
}

static inline const unsigned char *native_lap_slot(const struct native_lap *lap, uint32_t index)
{
    return lap->view.bytes + native_slot_offset(index);
}

/* Which slot of the lap that is. */
static inline uint32_t native_lap_index(const struct native_lap *lap, const unsigned char *slot)
{
    return (uint32_t)((size_t)(slot - native_lap_slot(lap, 1)) / TLOG_SLOT_BYTES) + 1u;
}

/* What a slot from first to last is. */
static inline enum native_slot native_lap_state(const struct native_lap *lap, uint32_t index)
{
    if (!lap->clean)
        return (enum native_slot)lap->state[index - 1u];
    return get_le32(native_lap_slot(lap, index)) & TLOG_CLASS_MASK ? NATIVE_TRACEEVENT : NATIVE_RECORD;
}

/* Load the lap that n segments show. 0, or -1 after trace_fail(). */
int native_lap_load(struct native_loader *loader, struct native_lap *lap, const struct native_segment *segments,
                    size_t n, struct native_span span);

/* Whether the lap in view is whole events of it alone, in the order of time and within the span: then it has no need of
 * state. Sets records and lead. What no one would call wrong, but is seldom, may make it unclean. */
bool native_lap_is_clean(struct native_lap *lap, struct native_span span);

void native_lap_free(struct native_lap *lap);
void native_loader_free(struct native_loader *loader);

/* The time nearest to ticks, and not before it, with that low word; or not after it. */
uint64_t native_time_from(uint64_t ticks, uint32_t low);
uint64_t native_time_until(uint64_t ticks, uint32_t low);

/* The time of a traceevent slot behind something at ticks. CONTROL TIME tells its wraps itself. */
uint64_t native_traceevent_time(uint64_t ticks, const unsigned char *slot);

/* Slots of the combine event that begins in the slot; 1 for a simple one; 0 if it is none, or not whole up to last. */
uint32_t native_combined(const struct native_lap *lap, uint32_t index);

#endif
