/* lone_jump.c - stamps that alone tell of whole wraps: see lone_jump.h. */
#include "formats/native/time/lone_jump.h"

/* What is near in any case is a small part of a wrap, so that a pause seldom ends there. */
#define TICKS_MAX (NATIVE_WRAP >> 10)

bool native_is_jump(uint64_t ahead, uint64_t stamp, uint64_t ticks)
{
    return stamp >= ahead && stamp - ahead >= NATIVE_WRAP
           && (uint32_t)(stamp - ahead) <= (ticks < TICKS_MAX ? ticks : TICKS_MAX);
}

/* A lap of records: whether the last one jumps. */
static bool does_last_jump(const struct native_lap *lap)
{
    uint32_t ahead = lap->last - 1u, first = lap->first;
    if (ahead < first + 1u)
        return false;
    first = ahead - first > NATIVE_JUMP_SLOTS ? ahead - NATIVE_JUMP_SLOTS : first;
    return native_is_jump(native_stamp(native_lap_slot(lap, ahead)), native_stamp(native_lap_slot(lap, lap->last)),
                          native_stamp(native_lap_slot(lap, ahead)) - native_stamp(native_lap_slot(lap, first)));
}

static bool has_record(const struct native_lap *lap)
{
    uint32_t i = lap->first;
    while (i <= lap->last && native_is_traceevent(native_head(native_lap_slot(lap, i))))
        i++;
    return i <= lap->last;
}

bool native_lap_has_lone_jump(const struct native_lap *lap, struct native_span span)
{
    uint32_t ticks =
        native_low_stamp(native_lap_slot(lap, lap->last)) - native_low_stamp(native_lap_slot(lap, lap->first));
    if (lap->records)
        return does_last_jump(lap);
    return lap->trail.counted && native_is_jump(span.from, lap->base_stamp, ticks) && !has_record(lap);
}
