/* clean.c - whether a lap is as the firmware writes it, with nothing wrong: see native/lap.h.
 *
 * Nearly all laps are. A lap of records alone is seen through in one pass without branches; one with traceevents in a
 * second loop, which also knows what times are counted from. Whatever else there is, native/lap.c decides slot by slot.
 */
#include "native/lap.h"

#include "native/traceevent.h"

#define KIND_AND_TAG (TLOG_CLASS_MASK | TLOG_TAG_MASK)

/* Bits of word 0 of a traceevent slot that are class and number. */
#define EVENT_BITS (TLOG_CLASS_MASK | TLOG_EVENT_HIGH_MASK << TLOG_EVENT_HIGH_SHIFT | TLOG_EVENT_LOW)

/* By what word 0 of that part of a combine event differs from its first one's. */
#define OTHER_PART(part) ((TLOG_STRUCT_CB ^ (part)) << TLOG_STRUCT_SHIFT)

/* ---- laps of records alone --------------------------------------------------------------------------------------- */

/* Whether n slots are records of the lap in the order of time. Beside the one that makes events it is the only loop that
 * each of them goes through. What is wrong comes together in bit 63: a mirror bit that differs, a time before the one
 * ahead, code 0 or 0xFF. */
static bool is_clean(const unsigned char *slot, size_t n, uint32_t tag, struct native_span span)
{
    uint64_t before = span.from;
    uint64_t wrong = 0;
    uint32_t other = 0; /* bits that are not the lap's */

    for (; n > 0; n--, slot += TLOG_SLOT_BYTES) {
        uint32_t word0 = get_le32(slot);
        uint64_t raw = native_raw_time(slot);
        uint64_t time = native_time(raw);

        wrong |= (raw ^ raw << 32) | (time - before) | ((uint64_t)((word0 + 1u) & TLOG_RECORD_CODE & ~1u) - 1u);
        other |= word0 ^ tag;
        before = time;
    }
    return wrong >> 63 == 0 && (other & KIND_AND_TAG) == 0 && before <= span.to;
}

/* ---- laps with traceevents ---------------------------------------------------------------------------------------- */

/* The slots of a lap on the way from its first to its last one. */
struct passage {
    const unsigned char *slot, *end;
    uint32_t tag;
    uint64_t time; /* of the slot before */
    bool counted;  /* the times so far follow from a record's, or from before the lap; else from the lead */
};

static bool pass_record(struct passage *pass, uint32_t word0)
{
    uint64_t raw = native_raw_time(pass->slot), time = native_time(raw);

    if ((raw ^ raw << 32) >> 63 != 0 || ((word0 + 1u) & TLOG_RECORD_CODE & ~1u) == 0
        || ((word0 ^ pass->tag) & TLOG_TAG_MASK) != 0 || time < pass->time)
        return false;
    if (!pass->counted && time - pass->time > UINT32_MAX)
        return false;
    pass->counted = true;
    pass->time = time;
    pass->slot += TLOG_SLOT_BYTES;
    return true;
}

/* The last slot of the combine event that begins there, or NULL. */
static const unsigned char *find_last(const unsigned char *first, const unsigned char *end)
{
    uint32_t word0 = get_le32(first), stamp = get_le32(first + 4);
    const unsigned char *slot = first + TLOG_SLOT_BYTES;

    while (slot < end && (get_le32(slot) ^ word0) == OTHER_PART(TLOG_STRUCT_CC) && get_le32(slot + 4) == stamp)
        slot += TLOG_SLOT_BYTES;
    if (slot < end && (get_le32(slot) ^ word0) == OTHER_PART(TLOG_STRUCT_CE) && get_le32(slot + 4) == stamp)
        return slot;
    return NULL;
}

/* A CONTROL TIME may be ahead of the time that follows from the slot before. Behind the first slot that is seldom, and
 * then what is counted back from a record is another time. */
static bool pass_time(struct passage *pass, uint64_t follows, bool first)
{
    pass->time = native_traceevent_time(follows, pass->slot);
    return pass->time <= INT64_MAX && (first || pass->time == follows || pass->counted);
}

static bool pass_traceevent(struct passage *pass, uint32_t word0, bool first)
{
    uint32_t part = word0 >> TLOG_STRUCT_SHIFT;
    uint64_t time = native_time_from(pass->time, get_le32(pass->slot + 4));
    const unsigned char *last = part == TLOG_STRUCT_CB ? find_last(pass->slot, pass->end) : pass->slot;

    if ((part != TLOG_STRUCT_S && part != TLOG_STRUCT_CB) || last == NULL)
        return false;
    if ((word0 & NATIVE_TRACEEVENT_ZERO) != 0 || ((word0 ^ pass->tag) & TLOG_TAG_MASK) != 0 || time > INT64_MAX)
        return false;
    if ((word0 & EVENT_BITS) == TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_TIME)) {
        if (part != TLOG_STRUCT_S || !pass_time(pass, time, first))
            return false;
    } else {
        pass->time = time;
    }
    pass->slot = last + TLOG_SLOT_BYTES;
    return true;
}

/* Go on to the next slot that is no traceevent with a sound word 0, or may tell the time itself. */
static void pass_traceevents(struct passage *pass)
{
    const uint32_t fixed = TLOG_TAG_MASK | NATIVE_TRACEEVENT_ZERO | TLOG_STRUCT_CE << TLOG_STRUCT_SHIFT;
    const unsigned char *slot = pass->slot, *end = pass->end;
    uint32_t tag = pass->tag;
    uint64_t time = pass->time;

    for (; slot < end; slot += TLOG_SLOT_BYTES) {
        uint32_t word0 = get_le32(slot), stamp = get_le32(slot + 4);
        const unsigned char *last = slot;

        if ((word0 & TLOG_CLASS_MASK) <= TLOG_CLASS_CONTROL << TLOG_CLASS_SHIFT)
            break;
        if (((word0 ^ tag) & fixed) != 0) {
            last = ((word0 ^ tag) & fixed) == TLOG_STRUCT_CB << TLOG_STRUCT_SHIFT ? find_last(slot, end) : NULL;
            if (last == NULL)
                break;
        }
        time += stamp - (uint32_t)time;
        slot = last;
    }
    pass->slot = slot;
    pass->time = time;
}

static bool begins_with_record(const struct native_lap *lap)
{
    return (get_le32(native_lap_slot(lap, lap->first)) & TLOG_CLASS_MASK) == 0;
}

/* Whether all slots are whole events of the lap, of either kind, in the order of time. The same is found out slot by slot
 * where this says no, so whatever is seldom is a no.
 *
 * The time of a first traceevent slot is counted back from the first record. If that record is less than a wrap behind
 * the slot before it, when times are counted forward, then both ways lead to the same times. */
static bool is_clean_mixed(struct native_lap *lap, struct native_span span)
{
    struct passage pass = {.slot = native_lap_slot(lap, lap->first),
                           .end = native_lap_slot(lap, lap->last + 1u),
                           .tag = native_tag(lap->lap),
                           .time = span.from,
                           .counted = begins_with_record(lap)};
    uint64_t record = span.from;

    if (!pass.counted && !pass_traceevent(&pass, get_le32(pass.slot), true))
        return false;
    lap->lead = pass.time;
    for (pass_traceevents(&pass); pass.slot < pass.end; pass_traceevents(&pass)) {
        uint32_t word0 = get_le32(pass.slot);

        if ((word0 & TLOG_CLASS_MASK) != 0) {
            if (!pass_traceevent(&pass, word0, false))
                return false;
        } else {
            if (!pass_record(&pass, word0))
                return false;
            record = pass.time;
        }
    }
    return record <= span.to && pass.time <= INT64_MAX;
}

/* ---- interface --------------------------------------------------------------------------------------------------- */

bool native_lap_is_clean(struct native_lap *lap, struct native_span span)
{
    lap->lead = span.from;
    lap->records =
        begins_with_record(lap)
        && is_clean(native_lap_slot(lap, lap->first), lap->last - lap->first + 1u, native_tag(lap->lap), span);
    return lap->records || is_clean_mixed(lap, span);
}
