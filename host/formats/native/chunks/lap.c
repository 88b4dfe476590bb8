/* lap.c - the slots of a lap: see lap.h.
 *
 * The check of a lap in which nothing should be wrong has two loops. A lap of records alone takes one pass without
 * branches; a lap with traceevents takes the second loop, which also knows what their stamps are counted from.
 */
#include "formats/native/chunks/lap.h"

#include "base/heap.h"
#include "base/sort.h"

#define KIND_AND_TAG (TLOG_CLASS_MASK | TLOG_TAG_MASK)

/* Bits of the head of a traceevent slot that are class and number. */
#define EVENT_BITS (TLOG_CLASS_MASK | TLOG_EVENT_HIGH_MASK << TLOG_EVENT_HIGH_SHIFT | TLOG_EVENT_LOW)

/* The bits in which the head of a further slot of a combine event differs from the head of its first slot. */
#define OTHER_SLOT(structure) ((TLOG_STRUCT_CB ^ (structure)) << TLOG_STRUCT_SHIFT)

/* ---- laps of records alone --------------------------------------------------------------------------------------- */

/* Whether n slots are records of the lap with that tag, in the order of time. Most events go through this loop, through
 * the one that makes events of them, and through no other. So it has no branches: bit 63 of `wrong` collects all that
 * may be wrong: a mirror bit that differs from its original, a stamp before that of the slot ahead, a code of 0. */
static bool are_records(const unsigned char *slot, size_t n, uint32_t tag, struct native_span span)
{
    uint64_t before = span.from;
    uint64_t wrong = 0;
    uint32_t other = 0; /* bits of kind and tag that are not those of the lap's records */
    for (; n > 0; n--, slot += TLOG_SLOT_BYTES) {
        uint32_t head = native_head(slot);
        uint64_t raw = native_raw_stamp(slot);
        uint64_t stamp = native_without_mirror(raw);
        wrong |= (raw ^ raw << 32) | (stamp - before) | ((uint64_t)(head & TLOG_RECORD_CODE) - 1u);
        other |= head ^ tag;
        before = stamp;
    }
    return wrong >> 63 == 0 && (other & KIND_AND_TAG) == 0 && before <= span.to;
}

/* ---- laps with traceevents --------------------------------------------------------------------------------------- */

/* The way through a lap, from its first to its last slot. */
struct passage {
    const unsigned char *slot, *end; /* the next slot; behind the last one */
    uint32_t tag;
    uint64_t stamp; /* of the slot before */
    bool counted;   /* a record was passed, or begins the lap: stamps are not counted back any more */
    bool told;      /* a CONTROL TIME was passed */
};

/* Pass a record. False, as in all functions that pass something: the lap is not clean. */
static bool pass_record(struct passage *pass, uint32_t head)
{
    uint64_t raw = native_raw_stamp(pass->slot), stamp = native_without_mirror(raw);
    if ((raw ^ raw << 32) >> 63 != 0 || (head & TLOG_RECORD_CODE) == 0 || ((head ^ pass->tag) & TLOG_TAG_MASK) != 0
        || stamp < pass->stamp)
        return false;
    if (stamp - pass->stamp > UINT32_MAX)
        return false;
    pass->counted = true;
    pass->stamp = stamp;
    pass->slot += TLOG_SLOT_BYTES;
    return true;
}

/* The last slot of the combine event that begins with slot `first`; NULL: it is not whole. */
static const unsigned char *find_last(const unsigned char *first, const unsigned char *end)
{
    uint32_t head = native_head(first), low = native_low_stamp(first);
    const unsigned char *slot = first + TLOG_SLOT_BYTES;
    while (slot < end && (native_head(slot) ^ head) == OTHER_SLOT(TLOG_STRUCT_CC) && native_low_stamp(slot) == low)
        slot += TLOG_SLOT_BYTES;
    if (slot < end && (native_head(slot) ^ head) == OTHER_SLOT(TLOG_STRUCT_CE) && native_low_stamp(slot) == low)
        return slot;
    return NULL;
}

/* Take the stamp of a CONTROL TIME slot. It may be later than `follows`, the stamp that follows from the slot ahead: in
 * the first slot of a lap, or, rarely, behind the lap's first record. Between the two the lap is not clean: stamps that
 * are counted back from the record would differ. */
static bool pass_time(struct passage *pass, uint64_t follows, bool first)
{
    pass->stamp = native_told_stamp(pass->slot);
    pass->told = true;
    return pass->stamp >= follows && pass->stamp <= INT64_MAX && (first || pass->stamp == follows || pass->counted);
}

/* Whether the head is that of a CONTROL BUFFER slot, which stands ahead of a CONTROL TIME. */
static bool is_buffer(uint32_t head)
{
    return (head & EVENT_BITS) == TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_BUFFER);
}

/* Pass all slots of a traceevent. first: it begins the lap. */
static bool pass_traceevent(struct passage *pass, uint32_t head, bool first)
{
    uint32_t structure = head >> TLOG_STRUCT_SHIFT;
    uint64_t stamp = native_stamp_from(pass->stamp, native_low_stamp(pass->slot));
    const unsigned char *last = structure == TLOG_STRUCT_CB ? find_last(pass->slot, pass->end) : pass->slot;
    if ((structure != TLOG_STRUCT_S && structure != TLOG_STRUCT_CB) || last == NULL)
        return false;
    if ((head & NATIVE_TRACEEVENT_ZERO) != 0 || ((head ^ pass->tag) & TLOG_TAG_MASK) != 0 || stamp > INT64_MAX)
        return false;
    if ((head & EVENT_BITS) == TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_TIME)) {
        if (structure != TLOG_STRUCT_S || !pass_time(pass, stamp, first))
            return false;
    } else if (stamp >> 32 == pass->stamp >> 32 || (first && is_buffer(head))) {
        pass->stamp = stamp;
    } else {
        return false;
    }
    pass->slot = last + TLOG_SLOT_BYTES;
    return true;
}

/* Pass all traceevents with a sound head, up to one of class CONTROL, which may be a CONTROL TIME. Laps with
 * traceevents spend their time in this loop, so it does nothing else. False: the clock wraps there, which only a
 * CONTROL TIME can tell. */
static bool pass_traceevents(struct passage *pass)
{
    const uint32_t fixed = TLOG_TAG_MASK | NATIVE_TRACEEVENT_ZERO | TLOG_STRUCT_CE << TLOG_STRUCT_SHIFT;
    const unsigned char *slot = pass->slot, *end = pass->end;
    uint32_t tag = pass->tag;
    uint64_t stamp = pass->stamp;
    for (; slot < end; slot += TLOG_SLOT_BYTES) {
        uint32_t head = native_head(slot), low = native_low_stamp(slot);
        const unsigned char *last = slot;
        if ((head & TLOG_CLASS_MASK) <= TLOG_CLASS_CONTROL << TLOG_CLASS_SHIFT)
            break;
        if (((head ^ tag) & fixed) != 0) {
            last = ((head ^ tag) & fixed) == TLOG_STRUCT_CB << TLOG_STRUCT_SHIFT ? find_last(slot, end) : NULL;
            if (last == NULL)
                break;
        }
        stamp += low - (uint32_t)stamp;
        slot = last;
    }
    if (stamp >> 32 != pass->stamp >> 32)
        return false;
    pass->slot = slot;
    pass->stamp = stamp;
    return true;
}

/* Whether n slots are whole events of the lap, records and traceevents, in the order of time.
 *
 * The rule for the stamp of a traceevent ahead of the first record is to count it back from that record. This function
 * counts it forward from the lap before. Both ways lead to the same stamps if the first record is less than a wrap
 * behind the slot ahead of it, and pass_record() sees to that. */
static bool is_clean_mixed(const unsigned char *slots, uint32_t n, uint32_t tag, struct native_span span,
                           struct native_lap *lap)
{
    struct passage pass = {.slot = slots,
                           .end = slots + (size_t)n * TLOG_SLOT_BYTES,
                           .tag = tag,
                           .stamp = span.from,
                           .counted = !native_is_traceevent(native_head(slots))};
    uint64_t record = span.from;
    bool whole;
    if (!pass.counted && !pass_traceevent(&pass, native_head(pass.slot), true))
        return false;
    lap->base_stamp = pass.stamp;
    for (whole = pass_traceevents(&pass); whole && pass.slot < pass.end; whole = pass_traceevents(&pass)) {
        uint32_t head = native_head(pass.slot);
        if (native_is_traceevent(head)) {
            if (!pass_traceevent(&pass, head, false))
                return false;
        } else {
            if (!pass_record(&pass, head))
                return false;
            record = pass.stamp;
        }
    }
    lap->counted = pass.counted || pass.told;
    return whole && record <= span.to && pass.stamp <= INT64_MAX;
}

/* ---- clean laps -------------------------------------------------------------------------------------------------- */

void native_lap_check(struct native_lap *lap, struct native_span span)
{
    const unsigned char *slot = native_lap_slot(lap, lap->first);
    uint32_t n = lap->last - lap->first + 1u, tag = native_tag(lap->lap);
    lap->base_stamp = span.from;
    lap->records = lap->counted = !native_is_traceevent(native_head(slot)) && are_records(slot, n, tag, span);
    lap->clean = lap->records || is_clean_mixed(slot, n, tag, span, lap);
}

/* ---- slots of any lap -------------------------------------------------------------------------------------------- */

/* The head without the bits that differ among the slots of one event. */
static uint32_t common_bits(const unsigned char *slot)
{
    return native_head(slot) & ~(TLOG_STRUCT_CE << TLOG_STRUCT_SHIFT);
}

uint32_t native_lap_event_slots(const struct native_lap *lap, uint32_t index)
{
    const unsigned char *first = native_lap_slot(lap, index);
    uint32_t structure = native_head(first) >> TLOG_STRUCT_SHIFT;
    uint32_t n = 1;
    if (structure != TLOG_STRUCT_CB)
        return structure == TLOG_STRUCT_S;
    for (uint32_t i = index + 1u; i <= lap->last && native_lap_state(lap, i) == NATIVE_TRACEEVENT; i++) {
        const unsigned char *slot = native_lap_slot(lap, i);
        structure = native_head(slot) >> TLOG_STRUCT_SHIFT;
        if (common_bits(slot) != common_bits(first) || native_low_stamp(slot) != native_low_stamp(first))
            return 0;
        n++;
        if (structure == TLOG_STRUCT_CE)
            return n;
        if (structure != TLOG_STRUCT_CC)
            return 0;
    }
    return 0;
}

static int mark_order(const void *mark, const void *slot)
{
    uint32_t left = ((const struct native_unseen_wrap *)mark)->slot, right = *(const uint32_t *)slot;
    return (left > right) - (left < right);
}

const struct native_unseen_wrap *native_lap_unseen_wrap(const struct native_lap *lap, uint32_t index)
{
    return &lap->unseen[sort_first(lap->unseen, lap->nunseen, sizeof *lap->unseen, &index, mark_order)];
}

/* ---- the last stamps --------------------------------------------------------------------------------------------- */

void native_trail_add(struct native_trail *trail, uint64_t stamp)
{
    for (uint32_t i = NATIVE_TRAIL - 1u; i > 0; i--)
        trail->stamp[i] = trail->stamp[i - 1u];
    trail->stamp[0] = stamp;
    trail->n += trail->n < NATIVE_TRAIL;
}

uint64_t native_trail_second_latest(const struct native_trail *trail)
{
    uint64_t first = 0, second = 0;
    for (uint32_t i = 0; i < trail->n; i++) {
        if (trail->stamp[i] >= first) {
            second = first;
            first = trail->stamp[i];
        } else if (trail->stamp[i] > second) {
            second = trail->stamp[i];
        }
    }
    return second;
}

uint64_t native_trail_earliest(const struct native_trail *trail)
{
    uint64_t least = trail->n < NATIVE_TRAIL ? 0 : UINT64_MAX;
    for (uint32_t i = 0; i < trail->n; i++)
        least = trail->stamp[i] < least ? trail->stamp[i] : least;
    return least;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

void native_lap_free(struct native_lap *lap)
{
    heap_free(lap->view.bytes);
    heap_free(lap->state);
    heap_free(lap->contexts);
    heap_free(lap->unseen);
}

void native_loader_free(struct native_loader *loader)
{
    heap_free(loader->other.bytes);
    heap_free(loader->other_state);
    heap_free(loader->ranked);
    heap_free(loader->counted);
    heap_free(loader->set_backs);
}
