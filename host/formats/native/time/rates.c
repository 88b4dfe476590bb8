/* rates.c - a clock whose rate changes: see rates.h.
 *
 * A mark has a check, so one that is damaged is not taken for another. Between two marks that follow each other all is
 * exact: the second tells the rate and the ns that the first one leads to. If it does not, marks between them are
 * missing: they were overwritten, had no room, or are damaged. If a single one is, its words follow from the two. Else
 * the first one's rate holds up to what cannot be read, and the second one's behind that; in between nobody knows.
 */
#include "formats/native/time/rates.h"

#include "base/heap.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NEVER     ((uint64_t)1 << 61) /* ticks per second of a piece in which no time passes */
#define EPSILON   65536u              /* times 2^-32 ns: marks are rounded down, and a whole ns must stay one */
#define FRACTIONS 4294967296.0L
#define DISTINCT  65536.0L /* times 2^-32 ns: by which a tick must tell two rates apart */

bool native_rates_are_needed(const struct native_index *index)
{
    return index->n > 0 && (index->images[0].needs & TLOG_NEEDS_RATES) != 0;
}

void native_rates_free(struct native_rates *rates)
{
    heap_free(rates->marks);
    heap_free(rates->rate);
    heap_free(rates->holes);
    heap_free(rates->doubts);
}

/* ---- marks and holes --------------------------------------------------------------------------------------------- */

int native_rates_add(struct native_rates *rates, struct trace *trace, const struct native_rate_mark *mark)
{
    struct native_rate_mark *marks = heap_grow(rates->marks, rates->n, &rates->room, sizeof *marks);
    if (marks == NULL)
        return trace_fail(trace, "%s: no memory for more than %zu marks", trace->input_name, rates->room);
    rates->marks = marks;
    marks[rates->n++] = *mark;
    return 0;
}

bool native_rates_read_mark(const unsigned char *slot, struct native_rate_mark *mark)
{
    uint32_t word[TLOG_RATE_WORDS], sum = 0;
    for (size_t i = 0; i < TLOG_RATE_WORDS; i++) {
        word[i] = get_le32(slot + i / 2u * TLOG_SLOT_BYTES + i % 2u * 4u);
        sum = i < TLOG_RATE_CHECK ? TLOG_FACT_MIX(sum, word[i]) : sum;
    }
    *mark = (struct native_rate_mark){.ticks = (uint64_t)word[TLOG_RATE_WRAPS] << 32 | word[TLOG_RATE_LOW],
                                      .ns = (uint64_t)word[TLOG_RATE_NS_HIGH] << 32 | word[TLOG_RATE_NS],
                                      .fraction = word[TLOG_RATE_FRACTION],
                                      .before = word[TLOG_RATE_BEFORE],
                                      .hz = word[TLOG_RATE_HZ]};
    return sum == word[TLOG_RATE_CHECK] && mark->hz != 0;
}

int native_rates_add_hole(struct native_rates *rates, struct trace *trace, struct native_rate_hole hole)
{
    struct native_rate_hole *holes = heap_grow(rates->holes, rates->nholes, &rates->holes_room, sizeof *holes);
    if (holes == NULL)
        return trace_fail(trace, "%s: no memory for more than %zu gaps", trace->input_name, rates->holes_room);
    rates->holes = holes;
    holes[rates->nholes++] = hole;
    return 0;
}

/* ---- the chain --------------------------------------------------------------------------------------------------- */

static native_uint128 fixed_ns(const struct native_rate_mark *mark)
{
    return (native_uint128)mark->ns << 32 | mark->fraction;
}

/* What a mark leads to at a later tick, as the firmware computes it. */
static native_uint128 lead(const struct native_rate_mark *from, uint64_t ticks)
{
    native_uint128 passed = (native_uint128)(ticks - from->ticks) * NATIVE_NS_PER_S;
    return fixed_ns(from) + (passed / from->hz << 32) + (passed % from->hz << 32) / from->hz;
}

/* Whether a mark follows another one without any between them: rate and ns are as the first one leads to. */
static bool follows(const struct native_rate_mark *from, const struct native_rate_mark *to)
{
    return (to->before == from->hz || to->before == 0) && to->ticks >= from->ticks
           && lead(from, to->ticks) == fixed_ns(to);
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

/* The mark that is missing between two that do not follow each other, if it is the only one: it is where the lines meet
 * that the rates of the two make, and leads to the second one exactly. If a tick more or less makes a difference, that
 * is hardly ever chance. False: there is none. */
static bool find_missing(const struct native_rate_mark *from, const struct native_rate_mark *to,
                         struct native_rate_mark *missing)
{
    long double ns = (long double)(fixed_ns(to) - fixed_ns(from)) / FRACTIONS, slow = 1e9L / (long double)from->hz,
                fast = to->before != 0 ? 1e9L / (long double)to->before : slow, step = slow - fast,
                at = step * FRACTIONS > DISTINCT || -step * FRACTIONS > DISTINCT
                         ? (ns - (long double)(to->ticks - from->ticks) * fast) / step
                         : -1;
    if (at < 0 || at > (long double)(to->ticks - from->ticks))
        return false;
    for (uint64_t ticks = from->ticks + (uint64_t)at - (at >= 1); ticks <= from->ticks + (uint64_t)at + 1u; ticks++) {
        native_uint128 fixed = lead(from, ticks);
        *missing =
            (struct native_rate_mark){ticks, (uint64_t)(fixed >> 32), (uint32_t)fixed, from->hz, to->before, 0, 0};
        if (follows(missing, to))
            return true;
    }
    return false;
}

/* What cannot be read between two ticks, from the first place to the last one; all of it, if nothing is known. */
static struct native_rate_hole find_hole(const struct native_rates *rates, uint64_t from, uint64_t to)
{
    struct native_rate_hole all = {to, from};
    for (size_t i = 0; i < rates->nholes; i++) {
        const struct native_rate_hole *hole = &rates->holes[i];
        if (hole->from >= to || hole->to <= from)
            continue;
        all.from = hole->from < all.from ? hole->from : all.from;
        all.to = hole->to > all.to ? hole->to : all.to;
    }
    if (all.from > all.to)
        return (struct native_rate_hole){from, to};
    return (struct native_rate_hole){all.from > from ? all.from : from, all.to < to ? all.to : to};
}

static void add_doubt(struct native_rates *rates, uint64_t from, uint64_t to)
{
    rates->doubts[rates->ndoubts++] = (struct native_rate_hole){from, to};
}

/* The pieces between a mark and one that does not follow it, of which more than one is missing between them: up to what
 * cannot be read, and behind it. In between the time is divided evenly. */
static void add_doubtful(struct native_rates *rates, const struct native_rate_mark *from,
                         const struct native_rate_mark *to)
{
    struct native_rate_hole hole = find_hole(rates, from->ticks, to->ticks);
    native_uint128 begin = lead(from, hole.from), end = fixed_ns(to), back;
    back = to->before != 0 ? ((native_uint128)(to->ticks - hole.to) * NATIVE_NS_PER_S << 32) / to->before : 0;
    if (to->before == 0 || back > end || end - back < begin) {
        hole = (struct native_rate_hole){from->ticks, to->ticks};
        begin = fixed_ns(from);
        back = 0;
    }
    if (hole.from > from->ticks)
        add_piece(rates, from, 0, from->hz);
    if (hole.from < hole.to) {
        struct native_rate_mark mark = {hole.from, (uint64_t)(begin >> 32), (uint32_t)begin, 0, 0, 0, 0};
        long double ns = (long double)(end - back - begin) / FRACTIONS, ticks = (long double)(hole.to - hole.from);
        add_piece(rates, &mark, 0, ns * 4.3L < ticks ? NEVER : (uint64_t)(ticks * 1e9L / ns) + 1u);
    }
    if (hole.to < to->ticks)
        add_piece(rates, to, to->ticks - hole.to, to->before);
    add_doubt(rates, hole.from, hole.to);
}

/* The pieces from a mark to the next one. */
static void add_between(struct native_rates *rates, const struct native_rate_mark *from,
                        const struct native_rate_mark *to)
{
    struct native_rate_mark missing;
    if (follows(from, to)) {
        add_piece(rates, from, 0, from->hz);
    } else if (find_missing(from, to, &missing)) {
        add_piece(rates, from, 0, from->hz);
        add_piece(rates, &missing, 0, missing.hz);
    } else {
        add_doubtful(rates, from, to);
    }
}

/* Ahead of the first mark the rate is the one before it, up to the last hole: unless the mark leads back to the
 * beginning, one may be lost there. */
static void doubt_ahead(struct native_rates *rates)
{
    const struct native_rate_mark *first = rates->marks, origin = {.hz = first->before};
    uint64_t to = 0;
    if (first->before == 0 || follows(&origin, first))
        return;
    for (size_t i = 0; i < rates->nholes; i++) {
        if (rates->holes[i].from < first->ticks && rates->holes[i].to > to)
            to = rates->holes[i].to;
    }
    if (to > 0)
        add_doubt(rates, 0, to < first->ticks ? to : first->ticks);
}

/* Behind the last mark its rate holds, up to the first hole: unless the fact tells that it is the last one. */
static void doubt_behind(struct native_rates *rates, uint64_t told)
{
    const struct native_rate_mark *last = &rates->marks[rates->n - 1u];
    uint64_t from = UINT64_MAX;
    if (last->ticks == told)
        return;
    for (size_t i = 0; i < rates->nholes; i++) {
        if (rates->holes[i].to > last->ticks && rates->holes[i].from < from)
            from = rates->holes[i].from;
    }
    if (from < UINT64_MAX)
        add_doubt(rates, from > last->ticks ? from : last->ticks, UINT64_MAX);
}

/* When the fact tells that the rate has changed last; UINT64_MAX: there is none. */
static uint64_t told_by_fact(const struct native_rates *rates)
{
    uint64_t ticks = UINT64_MAX;
    for (size_t i = 0; i < rates->n; i++) {
        if (rates->marks[i].ring == NATIVE_RING_NAMES && (ticks == UINT64_MAX || rates->marks[i].ticks > ticks))
            ticks = rates->marks[i].ticks;
    }
    return ticks;
}

int native_rates_make(struct native_rates *rates, struct trace *trace)
{
    uint64_t told = told_by_fact(rates);
    arrange(rates, trace);
    rates->rate = heap_calloc(3u * rates->n + 2u, sizeof *rates->rate);
    rates->doubts = heap_calloc(rates->n + 1u, sizeof *rates->doubts);
    if (rates->rate == NULL || rates->doubts == NULL)
        return trace_fail(trace, "%s: no memory for %zu marks", trace->input_name, rates->n);
    if (rates->n == 0) {
        add_doubt(rates, 0, UINT64_MAX);
        return 0;
    }
    doubt_ahead(rates);
    add_first(rates);
    for (size_t i = 0; i + 1u < rates->n; i++)
        add_between(rates, &rates->marks[i], &rates->marks[i + 1u]);
    add_piece(rates, &rates->marks[rates->n - 1u], 0, rates->marks[rates->n - 1u].hz);
    doubt_behind(rates, told);
    if (rates->ndoubts > 0)
        trace_note(trace,
                   "marks of the clock's rate are missing at %zu place%s, or may be: times there are estimated, and an "
                   "event clock_rate_unknown stands ahead of them",
                   rates->ndoubts, text_plural(rates->ndoubts));
    return 0;
}

/* ---- doubts ------------------------------------------------------------------------------------------------------ */

const struct native_rate_hole *native_rates_doubt(const struct native_rates *rates, uint64_t stamp)
{
    for (size_t i = 0; i < rates->ndoubts; i++) {
        const struct native_rate_hole *doubt = &rates->doubts[i];
        if ((doubt->from < stamp || doubt->from == 0) && stamp < doubt->to)
            return doubt;
    }
    return NULL;
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
