/* rates.c - a clock whose rate changes: see rates.h.
 *
 * A mark has a check, so one that is damaged is not taken for another. Between two marks that follow each other all is
 * exact: the second tells the rate and the ns that the first one leads to. If it does not, marks between them are
 * missing: they were overwritten, or had no room. If a single one is, the place where the two rates meet is the one
 * where the rate changed.
 */
#include "formats/native/time/rates.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_READ 1024u               /* at once */
#define NEVER      ((uint64_t)1 << 61) /* ticks per second of a piece in which no time passes */
#define EPSILON    65536u              /* times 2^-32 ns: marks are rounded down, and a whole ns must stay one */
#define FRACTIONS  4294967296.0L

bool native_rates_are_needed(const struct native_index *index)
{
    return index->n > 0 && (index->images[0].needs & TLOG_NEEDS_RATES) != 0;
}

void native_rates_free(struct native_rates *rates)
{
    free(rates->marks);
    free(rates->rate);
}

/* ---- finding marks ----------------------------------------------------------------------------------------------- */

int native_rates_add(struct native_rates *rates, struct trace *trace, const struct native_rate_mark *mark)
{
    if (rates->n == rates->room) {
        size_t room = rates->room ? 2u * rates->room : 64u;
        struct native_rate_mark *bigger = realloc(rates->marks, room * sizeof *bigger);
        if (bigger == NULL)
            return trace_fail(trace, "%s: no memory for %zu marks", trace->input_name, room);
        rates->marks = bigger;
        rates->room = room;
    }
    rates->marks[rates->n++] = *mark;
    return 0;
}

/* Whether the slots of a mark begin at `slot`. */
static bool is_mark(const unsigned char *slot, uint32_t tag)
{
    uint32_t head = TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_RATE) | tag, low = native_low_stamp(slot);
    for (uint32_t i = 0; i < TLOG_RATE_SLOTS; i++, slot += TLOG_SLOT_BYTES) {
        uint32_t part = i == 0 ? TLOG_STRUCT_CB : i + 1u == TLOG_RATE_SLOTS ? TLOG_STRUCT_CE : TLOG_STRUCT_CC;
        if (native_head(slot) != (head | part << TLOG_STRUCT_SHIFT) || native_low_stamp(slot) != low)
            return false;
    }
    return true;
}

/* Read the words of a mark. False: its check is wrong. */
static bool read_mark(const unsigned char *slot, struct native_rate_mark *mark)
{
    uint32_t word[TLOG_RATE_WORDS], sum = 0;
    for (size_t i = 0; i < TLOG_RATE_WORDS; i++) {
        word[i] = get_le32(slot + i / 2u * TLOG_SLOT_BYTES + i % 2u * 4u);
        sum = i < TLOG_RATE_CHECK ? TLOG_FACT_MIX(sum, word[i]) : sum;
    }
    mark->ticks = (uint64_t)word[TLOG_RATE_WRAPS] << 32 | word[TLOG_RATE_LOW];
    mark->ns = (uint64_t)word[TLOG_RATE_NS_HIGH] << 32 | word[TLOG_RATE_NS];
    mark->fraction = word[TLOG_RATE_FRACTION];
    mark->before = word[TLOG_RATE_BEFORE];
    mark->hz = word[TLOG_RATE_HZ];
    return sum == word[TLOG_RATE_CHECK] && mark->hz != 0;
}

/* Take the marks that begin in the slots first to last of a part, which are in view with those behind. */
static int take_marks(struct native_rates *rates, struct native_view *view, const struct native_image *image,
                      const struct native_part *part, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i++) {
        struct native_rate_mark mark = {.offset = native_damage_offset(image, native_slot_offset(i)),
                                        .ring = part->ring};
        if (!native_has_slot(image, i + TLOG_RATE_SLOTS - 1u)
            || !is_mark(native_view_slot(view, i), native_tag(part->lap)))
            continue;
        if (!read_mark(native_view_slot(view, i), &mark))
            trace_damage(view->trace, mark.offset,
                         native_damage_length(image, (size_t)TLOG_RATE_SLOTS * TLOG_SLOT_BYTES), 0,
                         "a mark of the clock's rate is damaged: its check is wrong");
        else if (native_rates_add(rates, view->trace, &mark) != 0)
            return -1;
    }
    return 0;
}

static int find_in_part(struct native_rates *rates, const struct native_index *index, struct native_view *view,
                        const struct native_part *part)
{
    const struct native_image *image = &index->images[part->image];
    uint32_t end = native_part_last(index, part) + 1u, n;
    if (native_view_reserve(view, image) != 0)
        return -1;
    for (uint32_t i = native_part_first(index, part); i + TLOG_RATE_SLOTS <= end; i += n) {
        n = end - i < SLOTS_READ ? end - i : SLOTS_READ;
        native_view_load(view, image, native_slot_offset(i), n * (size_t)TLOG_SLOT_BYTES);
        n = n - TLOG_RATE_SLOTS + 1u;
        if (take_marks(rates, view, image, part, i, i + n - 1u) != 0)
            return -1;
    }
    return 0;
}

int native_rates_find(struct native_rates *rates, const struct native_index *index, struct native_view *view)
{
    for (size_t i = 0; i < index->nparts; i++) {
        const struct native_part *part = &index->parts[i];
        if (part->ring != NATIVE_RING_NAMES && !native_is_emergency(part->kind)
            && find_in_part(rates, index, view, part) != 0)
            return -1;
    }
    return 0;
}

/* ---- the chain --------------------------------------------------------------------------------------------------- */

static native_uint128 fixed_ns(const struct native_rate_mark *mark)
{
    return (native_uint128)mark->ns << 32 | mark->fraction;
}

/* Whether a mark follows another one without any between them: rate and ns are as the first one leads to. */
static bool follows(const struct native_rate_mark *from, const struct native_rate_mark *to)
{
    native_uint128 passed = (native_uint128)(to->ticks - from->ticks) * NATIVE_NS_PER_S;
    native_uint128 ns = fixed_ns(from) + (passed / from->hz << 32) + (passed % from->hz << 32) / from->hz;
    return (to->before == from->hz || to->before == 0) && to->ticks >= from->ticks && ns == fixed_ns(to);
}

/* For qsort(): by time. */
static int mark_order(const void *a, const void *b)
{
    const struct native_rate_mark *left = a, *right = b;
    if (left->ticks != right->ticks)
        return left->ticks < right->ticks ? -1 : 1;
    return (left->before > right->before) - (left->before < right->before);
}

/* Whether two marks are of one change. A fact does not tell the rate before. */
static bool is_same(const struct native_rate_mark *a, const struct native_rate_mark *b)
{
    return a->ticks == b->ticks && a->hz == b->hz && (a->before == b->before || a->before == 0);
}

/* Put a mark in its place among n: marks of one time stand as they follow each other. */
static void place_mark(struct native_rate_mark *mark, size_t n, const struct native_rate_mark *added)
{
    while (n > 0 && mark[n - 1u].ticks == added->ticks && mark[n - 1u].before == added->hz
           && mark[n - 1u].hz != added->before) {
        mark[n] = mark[n - 1u];
        n--;
    }
    mark[n] = *added;
}

/* Whether a mark cannot be right, by those on both sides of it. */
static bool is_contradicted(const struct native_rate_mark *mark, bool has_before, bool has_behind)
{
    if (has_before && mark->ns < mark[-1].ns)
        return true;
    return has_before && has_behind && !follows(&mark[-1], mark) && !follows(mark, &mark[1])
           && follows(&mark[-1], &mark[1]);
}

/* Put the marks in order, each once, without those that contradict the others. */
static void arrange(struct native_rates *rates, struct trace *trace)
{
    struct native_rate_mark *mark = rates->marks;
    size_t n = 0, all;
    if (rates->n > 0)
        qsort(mark, rates->n, sizeof *mark, mark_order);
    for (size_t i = 0; i < rates->n; i++) {
        const struct native_rate_mark added = mark[i];
        if (n > 0 && is_same(&mark[n - 1u], &added))
            mark[n - 1u] = added;
        else
            place_mark(mark, n++, &added);
    }
    for (all = n, n = 0; n < all;) {
        if (!is_contradicted(&mark[n], n > 0, n + 1u < all)) {
            n++;
            continue;
        }
        trace_damage(trace, mark[n].offset, 0, 0, "a mark of the clock's rate contradicts those around it");
        memmove(&mark[n], &mark[n + 1u], (--all - n) * sizeof *mark);
    }
    rates->n = n;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* Add a piece that begins `back` ticks ahead of a mark. */
static void add_piece(struct native_rates *rates, const struct native_rate_mark *mark, uint64_t back, uint64_t hz)
{
    native_uint128 time = (fixed_ns(mark) + EPSILON) * hz >> 32, ahead = (native_uint128)back * NATIVE_NS_PER_S;
    time = time > ahead ? time - ahead : 0;
    rates->rate[rates->nrates++] = (struct native_rate){
        .ticks = mark->ticks - back, .ns = (uint64_t)(time / hz), .rest = (uint64_t)(time % hz), .hz = hz};
}

/* The piece ahead of the first mark. If the rate had been the same from 0 on, it would begin there. */
static void add_first(struct native_rates *rates)
{
    const struct native_rate_mark *mark = rates->marks;
    uint64_t hz = mark->before != 0 ? mark->before : mark->hz;
    native_uint128 most = (fixed_ns(mark) * hz >> 32) / NATIVE_NS_PER_S;
    uint64_t back = most < mark->ticks ? (uint64_t)most : mark->ticks;
    if (back < mark->ticks)
        rates->rate[rates->nrates++] = (struct native_rate){.hz = NEVER};
    add_piece(rates, mark, back, hz);
}

/* The pieces between a mark and one that does not follow it: up to the place where the rates of both meet, if there is
 * one, in whole ticks so that no time steps back; else the time is divided evenly. */
static void add_between(struct native_rates *rates, const struct native_rate_mark *from,
                        const struct native_rate_mark *to)
{
    long double ns = (long double)(fixed_ns(to) - fixed_ns(from)) / FRACTIONS,
                ticks = (long double)(to->ticks - from->ticks);
    long double slow = 1e9L / (long double)from->hz, fast = to->before != 0 ? 1e9L / (long double)to->before : slow;
    long double at = from->hz != to->before && to->before != 0 ? (ns - ticks * fast) / (slow - fast) : -1;
    if (at >= 0 && at <= ticks) {
        add_piece(rates, from, 0, from->hz);
        add_piece(rates, to, (uint64_t)(ticks - at + (fast > slow ? 0.001L : 0.999L)), to->before);
    } else {
        add_piece(rates, from, 0, ns * 4.3L < ticks ? NEVER : (uint64_t)(ticks * 1e9L / ns) + 1u);
    }
}

int native_rates_make(struct native_rates *rates, struct trace *trace)
{
    uint64_t missing = 0;
    arrange(rates, trace);
    if (rates->n == 0)
        return 0;
    rates->rate = calloc(2u * rates->n + 2u, sizeof *rates->rate);
    if (rates->rate == NULL)
        return trace_fail(trace, "%s: no memory for %zu marks", trace->input_name, rates->n);
    add_first(rates);
    for (size_t i = 0; i < rates->n; i++) {
        const struct native_rate_mark *mark = &rates->marks[i];
        bool is_last = i + 1u == rates->n, is_whole = is_last || follows(mark, &mark[1]);
        if (is_whole)
            add_piece(rates, mark, 0, mark->hz);
        else
            add_between(rates, mark, &mark[1]);
        missing += !is_whole;
    }
    if (missing > 0)
        trace_note(trace,
                   "marks of the clock's rate are missing at %" PRIu64 " place%s: times between the marks around "
                   "them are estimated",
                   missing, text_plural(missing));
    return 0;
}

/* ---- telling ----------------------------------------------------------------------------------------------------- */

/* Note CPUs whose events are older than the first mark, which is in another CPU's ring: older marks were
 * overwritten. */
static void note_older(const struct native_rates *rates, const struct native_index *index, struct trace *trace)
{
    const struct native_rate_mark *first = rates->marks;
    bool noted[NATIVE_RINGS] = {false};
    for (size_t i = 0; i < index->nparts && first->before != 0; i++) {
        const struct native_part *part = &index->parts[i];
        if (part->ring == NATIVE_RING_NAMES || part->ring == first->ring || noted[part->ring]
            || part->stamp == NATIVE_STAMP_UNKNOWN || part->stamp >= first->ticks)
            continue;
        noted[part->ring] = true;
        trace_note(trace,
                   "CPU %u has events that are older than all marks of the clock's rate: their times may be wrong",
                   part->ring);
    }
}

void native_rates_tell(const struct native_rates *rates, const struct native_index *index, struct trace *trace)
{
    uint64_t slots = 0, marks = 0;
    uint32_t low = UINT32_MAX, high = 0;
    for (size_t i = 0; i < rates->n; i++) {
        low = rates->marks[i].hz < low ? rates->marks[i].hz : low;
        high = rates->marks[i].hz > high ? rates->marks[i].hz : high;
        marks += rates->marks[i].ring != NATIVE_RING_NAMES;
    }
    for (size_t i = 0; i < index->nparts; i++) {
        const struct native_part *part = &index->parts[i];
        slots += part->ring != NATIVE_RING_NAMES
                     ? native_part_available(index, part) + 1u - native_part_first(index, part)
                     : 0;
    }
    trace_set_detail(trace, "clock_changes", rates->n);
    trace_set_detail(trace, "clock_lowest_hz", low);
    trace_set_detail(trace, "clock_highest_hz", high);
    trace_set_detail(trace, "clock_mark_slots", marks * TLOG_RATE_SLOTS);
    trace_set_detail(trace, "slots", slots);
    note_older(rates, index, trace);
}
