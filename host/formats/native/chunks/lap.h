/* lap.h - one lap of a chunk, put together from all images that show slots of it, with a decision about each slot: is
 * it an event? lap_load.c makes these decisions; lap.c has what a lap's slots tell by themselves.
 *
 * Nearly all laps are clean: one image shows the whole lap, and all is as the firmware writes it. Then a slot's own
 * bits tell what it is. In all other laps each slot has a state.
 */
#ifndef NATIVE_LAP_H
#define NATIVE_LAP_H

#include "formats/native/chunks/index.h"

/* What a slot is in its lap. */
enum native_state {
    NATIVE_RECORD,     /* a record of the lap */
    NATIVE_TRACEEVENT, /* a traceevent slot of the lap */
    NATIVE_WRAPPED,    /* either of them; ahead of it the clock wrapped unseen: see native_lap_unseen_wrap() */
    NATIVE_UNFINISHED, /* its writer had not finished, or has not come back */
    NATIVE_CLAIMED,    /* it was passed, because the writer of an earlier lap has not come back */
    NATIVE_FRAGMENT,   /* a slot of a combine event that lacks others; the event is missing */
    NATIVE_SILENT,     /* a COARSE slot that is not believed: it says nothing */
    NATIVE_DAMAGED,    /* it held an event that cannot be relied on */
    NATIVE_ABSENT,     /* no image shows it in this lap */
    NATIVE_DOUBTED,    /* only in lap_times.c: it tells a time that another one contradicts */
};

/* Where the stamps of a lap's events must lie. */
struct native_span {
    uint64_t from, to; /* both included */
    uint64_t next;     /* a stamp of the lane's next lap, as the firmware wrote it, or NATIVE_STAMP_UNKNOWN */
};

#define NATIVE_TRAIL 5u /* stamps that are remembered */

/* The last stamps of a lane so far: what comes next must not be earlier. */
struct native_trail {
    uint64_t stamp[NATIVE_TRAIL]; /* of the last records, the latest first; n of them */
    uint32_t n;
    uint64_t wraps;         /* of the clock that the firmware has missed so far */
    uint64_t told;          /* of these: wraps that the last slot lacks, and marks tell */
    uint64_t set_back;      /* ticks by which the clock was set back so far */
    uint64_t set_back_told; /* of these: what marks tell */
    bool exact;             /* the coarse clock tells `wraps` */
    bool counted;           /* a slot has told a count of wraps, so that stamps do not only count from 0 */
};

/* A mark: the place in a lap where the clock wrapped unseen, or was set back, so that the stamps from there on were
 * raised. */
struct native_unseen_wrap {
    uint64_t stamp;    /* of the slot behind it, raised */
    uint64_t wraps;    /* how many; if not exact: at least */
    uint64_t set_back; /* ticks by which the clock was set back, at least */
    uint32_t slot;     /* the slot behind it, which is NATIVE_WRAPPED */
    bool exact;        /* the coarse clock tells how many */
};

/* The lap of a lane that is being decoded. At first all zeros, except trace and in of its view. */
struct native_lap {
    struct native_view view; /* of the image that most slots are from; slots of other images are copied into it */
    unsigned char *state;    /* enum native_state of each slot, from slot 1 on; not valid if clean */
    size_t room;             /* slots that state has room for */
    uint16_t *contexts;      /* of each slot's event, as struct tlog_event has them; taken out of the slots in view */
    size_t contexts_room;
    bool has_contexts;         /* contexts is valid; else all are 0 */
    bool broken;               /* an image of it is broken: steps back of its stamps tell nothing */
    bool clean;                /* all slots are whole events in order: a slot's head tells what it is */
    bool records;              /* clean, and all slots are records */
    bool counted;              /* clean, and one of them tells a count of wraps */
    uint64_t lap;              /* its number */
    uint32_t first, last;      /* slots that images show; there are none if the last is ahead of the first */
    uint32_t end;              /* what the last would be if no image was cut short: slots last + 1 to end are lost */
    uint32_t slots;            /* of its chunk */
    uint8_t number;            /* of its chunk */
    struct native_trail trail; /* up to the end of this lap */
    struct native_unseen_wrap *unseen; /* the lap's marks, in order; nunseen of them */
    uint32_t nunseen;
    size_t unseen_room;  /* marks that there is room for */
    uint64_t base_stamp; /* from which the stamps of the lap's first traceevent slots are counted */
};

/* A place in a lap where the clock was set back. */
struct native_set_back {
    uint32_t slot;  /* the slot behind it */
    uint64_t ticks; /* by which it was set back, there and ahead in the lane */
};

/* What all loads of laps need: the index, and working memory. One serves all lanes. */
struct native_loader {
    struct trace *trace;
    const struct native_index *index;
    struct native_view other; /* for further images of a lap */
    unsigned char *other_state;
    size_t other_room;
    struct native_ranked_stamp *ranked; /* for each slot, for laps whose stamps go back: see lap_times.h */
    size_t ranked_room;
    struct native_counted_stamp *counted; /* for each slot, for laps with unseen wraps: see unseen_wraps.h */
    uint32_t ncounted;
    bool has_places; /* one of them is placed */
    size_t counted_room;
    struct native_set_back *set_backs; /* the lap's: see set_back.h; nset_backs of them */
    size_t nset_backs, set_backs_room;
    uint64_t set_back_before; /* ticks by which the clock was set back ahead of the lap */
};

/* The context of the event in a slot, as struct tlog_event has it. */
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

/* The unseen wrap ahead of a slot that is NATIVE_WRAPPED. */
const struct native_unseen_wrap *native_lap_unseen_wrap(const struct native_lap *lap, uint32_t index);

/* How many slots the traceevent has that begins in a slot; 0: none begins there, or it lacks a slot. */
uint32_t native_lap_event_slots(const struct native_lap *lap, uint32_t index);

/* Check a lap that is in view. One image shows all of its slots, at least one, and they have no contexts. It is clean
 * if its slots are whole events of that lap alone, in the order of time and within the span. Sets lap->clean, records
 * and base_stamp. A lap that is not clean may have nothing wrong, only something rare: its slots are looked at one by
 * one. */
void native_lap_check(struct native_lap *lap, struct native_span span);

/* Add the stamp of a record to a trail. */
void native_trail_add(struct native_trail *trail, uint64_t stamp);

/* The second latest stamp of a trail, or 0 if there are not two. */
uint64_t native_trail_second_latest(const struct native_trail *trail);

/* The earliest stamp of a trail, or 0 if it is not full. */
uint64_t native_trail_earliest(const struct native_trail *trail);

/* Load the lap that n parts of the index show, from `parts` on; n is at least 1. behind: the first part of the lane's
 * next lap; NULL: there is none. span: where the stamps should lie. Reports damage. Returns 0, or -1 after
 * trace_fail(). */
int native_lap_load(struct native_loader *loader, struct native_lap *lap, const struct native_part *parts, size_t n,
                    const struct native_part *behind, struct native_span span);

/* Free what they have allocated; not the structures themselves. */
void native_lap_free(struct native_lap *lap);
void native_loader_free(struct native_loader *loader);

#endif
