/* set_back.c - a clock that was set back: see set_back.h. */
#include "formats/native/time/set_back.h"

#include "base/heap.h"
#include "formats/native/time/coarse_clock.h"

#define LOW_MOST    ((uint32_t)1 << 22) /* ticks up to the first stamp behind a step; else it is a wrap unseen */
#define OFTEN       3u                  /* places in a lap where the clock was certainly set back */
#define STAMP_BYTES 8u
#define BYTE_VALUES 256u

/* Whether a stamp would lie between two others if bytes a to b - 1 of it were others. */
static bool fits_with_others(uint64_t stamp, unsigned a, unsigned b, uint64_t from, uint64_t to)
{
    uint64_t values = b - a < STAMP_BYTES ? (uint64_t)1 << 8u * (b - a) : 0, unit = (uint64_t)1 << 8u * a;
    uint64_t least = stamp & ~((values - 1u) * unit), more = from > least ? (from - least + (unit - 1u)) / unit : 0;
    return (values == 0 || more < values) && least + more * unit >= from && least + more * unit <= to;
}

/* Whether a stamp would lie between two others if one of its bytes were another one, or bytes side by side that are 0:
 * then these may be damaged. */
static bool may_be_damaged(uint64_t stamp, uint64_t from, uint64_t to)
{
    for (unsigned a = 0; a < STAMP_BYTES; a++) {
        for (unsigned b = a + 1u; b <= STAMP_BYTES; b++) {
            if (b - a > 1u && (stamp >> 8u * (b - 1u) & 0xFFu) + (stamp >> 8u * a & 0xFFu) != 0)
                break;
            if (fits_with_others(stamp, a, b, from, to))
                return true;
        }
    }
    return false;
}

/* Whether the step leads back as a clock does that was set back. */
static bool is_low(const struct native_step *step)
{
    return step->to < step->from && step->to / NATIVE_WRAP == step->from / NATIVE_WRAP && (uint32_t)step->to < LOW_MOST
           && step->from - step->to < NATIVE_WRAP / 2u;
}

/* Whether one stamp alone is out of order: all is in order without it. */
static bool is_one_out(const struct native_step *step)
{
    return (step->before > 0 && step->before <= step->to) || step->next >= step->from;
}

/* Whether one of the two stamps alone may be out of order because it is damaged. */
static bool is_one_damaged(const struct native_step *step)
{
    return (step->before <= step->to && may_be_damaged(step->from, step->before, step->to))
           || (step->next >= step->from && may_be_damaged(step->to, step->from, step->next));
}

bool native_is_set_back(const struct native_step *step)
{
    if (!is_low(step) || step->proof == NATIVE_STEP_PROVEN)
        return is_low(step);
    return !is_one_damaged(step) && (step->proof == NATIVE_STEP_LIKELY || !is_one_out(step));
}

/* ---- the slots of a lap ------------------------------------------------------------------------------------------ */

/* Whether a slot of a lap is a CONTROL TIME, which tells the wrap of its low word. */
static bool is_time(const struct native_lap *lap, uint32_t slot)
{
    return slot <= lap->last && lap->state[slot - 1u] == NATIVE_TRACEEVENT
           && native_is_control(native_lap_slot(lap, slot), TLOG_CONTROL_TIME);
}

/* What a slot tells. ahead: the stamp of the last slot, whose wrap a low word is in, unless the CONTROL TIME behind it
 * was written at the same moment. False: nothing. */
static bool tells(const struct native_lap *lap, uint32_t slot, uint64_t ahead, uint64_t *stamp)
{
    const unsigned char *at = native_lap_slot(lap, slot), *next = at + TLOG_SLOT_BYTES;
    enum native_state state = (enum native_state)lap->state[slot - 1u];
    if (state == NATIVE_RECORD)
        *stamp = native_stamp(at);
    else if (state != NATIVE_TRACEEVENT)
        return false;
    else if (is_time(lap, slot))
        *stamp = native_told_stamp(at);
    else if (is_time(lap, slot + 1u) && native_low_stamp(next) == native_low_stamp(at))
        *stamp = native_told_stamp(next);
    else
        *stamp = ahead / NATIVE_WRAP * NATIVE_WRAP + native_low_stamp(at);
    return true;
}

/* What the next slot behind one tells; behind the last one what the next lap tells. */
static uint64_t next_stamp(const struct native_lap *lap, uint32_t slot, uint64_t stamp, struct native_span span)
{
    uint64_t next;
    for (slot++; slot <= lap->last; slot++) {
        if (tells(lap, slot, stamp, &next))
            return next;
    }
    return span.next;
}

/* Raise what a slot tells. */
static void raise(struct native_lap *lap, uint32_t slot, uint64_t ticks)
{
    unsigned char *at = lap->view.bytes + native_slot_offset(slot);
    uint64_t stamp = native_stamp(at) + ticks;
    if (native_is_traceevent(native_head(at))) {
        if (native_is_control(at, TLOG_CONTROL_TIME))
            put_le32(at + NATIVE_DATA, (uint32_t)((native_told_stamp(at) + ticks) >> 32));
        put_le32(at + NATIVE_LOW, native_low_stamp(at) + (uint32_t)ticks);
        return;
    }
    put_le32(at + NATIVE_LOW, (uint32_t)stamp);
    put_le32(at + NATIVE_HIGH, ((uint32_t)(stamp >> 32) & ~TLOG_HIGH_MIRROR) | ((uint32_t)stamp & TLOG_HIGH_MIRROR));
}

/* Note that the clock was set back by so many ticks ahead of a slot. */
static void note(struct native_loader *loader, uint32_t slot, uint64_t ticks)
{
    struct native_set_back *all =
        heap_grow(loader->set_backs, loader->nset_backs, &loader->set_backs_room, sizeof *all);
    if (all == NULL) {
        trace_fail(loader->trace, "%s: no memory for more than %zu steps of the clock", loader->trace->input_name,
                   loader->set_backs_room);
        return;
    }
    loader->set_backs = all;
    all[loader->nset_backs++] = (struct native_set_back){slot, ticks};
}

/* Go on with a step to what a slot tells. */
static void go_to(struct native_step *step, const struct native_lap *lap, uint32_t slot, uint64_t stamp,
                  struct native_span span)
{
    if (step->to != NATIVE_STAMP_UNKNOWN) {
        step->before = step->to < step->from ? 0 : step->from;
        step->from = step->to;
    }
    step->to = stamp;
    step->next = stamp < step->from ? next_stamp(lap, slot, stamp, span) : NATIVE_STAMP_UNKNOWN;
}

/* The last stamp of a step's beginning, ahead of all of them. */
static uint64_t last_of(const struct native_step *step)
{
    return step->to != NATIVE_STAMP_UNKNOWN ? step->to : step->from;
}

/* What a lap that no seal confirms tells of steps in it: if its firmware has set the clock back anywhere, another step
 * is likely to be one; if it does so often, each step back is one. */
static enum native_proof proof_by_others(const struct native_lap *lap, struct native_step step, struct native_span span)
{
    uint32_t n = lap->trail.set_back > 0, likely = 0;
    uint64_t stamp;
    for (uint32_t i = lap->first; i <= lap->last && likely < OFTEN; i++) {
        if (!tells(lap, i, last_of(&step), &stamp))
            continue;
        go_to(&step, lap, i, stamp, span);
        step.proof = NATIVE_STEP_ALONE;
        n += native_is_set_back(&step);
        step.proof = NATIVE_STEP_LIKELY;
        likely += native_is_set_back(&step);
    }
    return n == 0 ? NATIVE_STEP_ALONE : likely < OFTEN ? NATIVE_STEP_LIKELY : NATIVE_STEP_PROVEN;
}

void native_set_backs_add(struct native_loader *loader, struct native_lap *lap, const struct native_anchors *anchors,
                          struct native_span span, bool proven)
{
    uint64_t missing = lap->trail.set_back + lap->trail.wraps * NATIVE_WRAP, stamp;
    struct native_step step = {.from = span.from >= missing ? span.from - missing : 0,
                               .to = NATIVE_STAMP_UNKNOWN,
                               .next = NATIVE_STAMP_UNKNOWN};
    bool may_be = !lap->broken && native_anchors_all_counted(anchors);
    loader->nset_backs = 0;
    loader->set_back_before = lap->trail.set_back;
    if (!may_be && lap->trail.set_back == 0)
        return;
    native_view_will_change(&lap->view);
    step.before = native_trail_second_latest(&lap->trail);
    step.before = step.before > missing ? step.before - missing : 0;
    step.proof = proven ? NATIVE_STEP_PROVEN : proof_by_others(lap, step, span);
    for (uint32_t i = lap->first; i <= lap->last; i++) {
        if (tells(lap, i, last_of(&step), &stamp)) {
            go_to(&step, lap, i, stamp, span);
            if (may_be && native_is_set_back(&step)) {
                lap->trail.set_back += step.from - step.to;
                note(loader, i, lap->trail.set_back);
            }
        }
        if (lap->trail.set_back > 0)
            raise(lap, i, lap->trail.set_back);
    }
}
