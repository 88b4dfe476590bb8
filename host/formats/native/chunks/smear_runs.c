/* smear_runs.c - runs of slots with one tag, and when they were: see smear_runs.h. */
#include "formats/native/chunks/smear_runs.h"

#include "base/heap.h"

#include <stdlib.h>

#define BROKEN   8u    /* slots between two runs that may be broken there: of an event of several slots */
#define RUNS_MAX 1024u /* more are not looked at */
#define PART_MAX 256u  /* times that a run is parted */

/* ---- memory ------------------------------------------------------------------------------------------------------ */

int smear_runs_begin(struct smear_runs *runs, size_t n, size_t slots)
{
    *runs = (struct smear_runs){.chunk = heap_calloc(n, sizeof *runs->chunk),
                                .time = heap_calloc(slots, sizeof *runs->time),
                                .tag = heap_calloc(slots, sizeof *runs->tag),
                                .left_out = heap_calloc(slots, sizeof *runs->left_out),
                                .run = heap_calloc(RUNS_MAX, sizeof *runs->run),
                                .by_time = heap_calloc(RUNS_MAX, sizeof(struct smear_run *))};
    if (runs->chunk != NULL && runs->time != NULL && runs->tag != NULL && runs->left_out != NULL && runs->run != NULL
        && runs->by_time != NULL)
        return 0;
    smear_runs_end(runs);
    return -1;
}

void smear_runs_end(struct smear_runs *runs)
{
    heap_free(runs->chunk);
    heap_free(runs->time);
    heap_free(runs->tag);
    heap_free(runs->left_out);
    heap_free(runs->run);
    heap_free(runs->by_time);
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */

/* The stamp that a slot tells with its count of wraps, or -1. */
static int64_t told_stamp(const struct native_image *image, const unsigned char *slot)
{
    uint32_t head = native_head(slot);
    if (!native_is_traceevent(head))
        return (int64_t)native_stamp_in(image, slot);
    return native_is_control(slot, TLOG_CONTROL_TIME) ? (int64_t)(native_told_stamp(slot) & INT64_MAX) : -1;
}

/* The first slot that tells a stamp; else the first sound one; 0: there is none. */
static uint32_t find_origin(const struct native_view *view, const struct native_image *image, uint32_t slots)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i <= slots; i++) {
        const unsigned char *slot = native_view_slot(view, i);
        if (!native_is_sound(slot))
            continue;
        if (told_stamp(image, slot) >= 0)
            return i;
        first = first > 0 ? first : i;
    }
    return first;
}

/* Set the times of slots from `origin` on up to `end`, or down to it. One that tells no stamp is not half a wrap away
 * from the one before. */
static void set_times(const struct smear_runs *runs, const struct native_view *view, const struct native_image *image,
                      uint32_t origin, uint32_t end)
{
    const struct smear_chunk *chunk = &runs->chunk[runs->nchunks - 1u];
    const unsigned char *before = native_view_slot(view, origin);
    int64_t time = told_stamp(image, before);
    time = time >= 0 ? time : native_low_stamp(before);
    for (uint32_t i = origin; i != end; i = end > origin ? i + 1u : i - 1u) {
        const unsigned char *slot = native_view_slot(view, i);
        int64_t told;
        if (!native_is_sound(slot))
            continue;
        told = told_stamp(image, slot);
        time = told >= 0 ? told : time + (int32_t)(native_low_stamp(slot) - native_low_stamp(before));
        before = slot;
        runs->time[chunk->cells + i - 1u] = time;
        runs->tag[chunk->cells + i - 1u] = (unsigned char)(native_slot_tag(slot) >> TLOG_TAG_SHIFT);
    }
}

void smear_runs_add(struct smear_runs *runs, const struct native_view *view, const struct native_image *image)
{
    struct smear_chunk *chunk = &runs->chunk[runs->nchunks++];
    uint32_t origin = find_origin(view, image, chunk->slots);
    chunk->whole = image->layout.slots;
    chunk->cells = runs->cells;
    runs->cells += chunk->slots;
    if (origin == 0)
        return;
    set_times(runs, view, image, origin, chunk->slots + 1u);
    set_times(runs, view, image, origin, 0);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* Leave out the slots where runs meet. */
static void trim(const struct smear_runs *runs, struct smear_run *run)
{
    run->low = run->first + (run->first > 1u ? SMEAR_MEET : 0);
    run->high = run->last - (run->last < runs->chunk[run->chunk].whole ? SMEAR_MEET : 0);
}

/* Add the runs of a chunk. False: there are too many, or too many slots between two of them are broken. */
static bool add_runs(struct smear_runs *runs, uint32_t number)
{
    const struct smear_chunk *chunk = &runs->chunk[number];
    struct smear_run *run = NULL;
    uint32_t last = 0;
    for (uint32_t i = 1; i <= chunk->slots; i++) {
        uint32_t tag = (uint32_t)runs->tag[chunk->cells + i - 1u] << TLOG_TAG_SHIFT;
        if (tag == 0)
            continue;
        if (run == NULL || run->tag != tag) {
            if (runs->n == RUNS_MAX || i - last > BROKEN)
                return false;
            run = &runs->run[runs->n++];
            *run = (struct smear_run){.chunk = number, .first = i, .tag = tag};
        }
        run->last = last = i;
    }
    return chunk->slots - last < BROKEN;
}

/* The time of the first sound slot of a run that is relied on; 0: there is none. */
static int64_t first_time(const struct smear_runs *runs, const struct smear_run *run)
{
    for (uint32_t i = run->low; smear_is_relied_on(run) && i <= run->high; i++) {
        if (runs->tag[runs->chunk[run->chunk].cells + i - 1u] != 0)
            return *smear_time(runs, run, i);
    }
    return 0;
}

/* Leave out the slots of a run that are earlier than the last one in order: they may have the head of an event and the
 * words of another one. Returns how many these are. */
static uint32_t leave_disorders(const struct smear_runs *runs, struct smear_run *run)
{
    int64_t last = first_time(runs, run);
    uint32_t n = 0;
    for (uint32_t i = run->low; smear_is_relied_on(run) && i <= run->high; i++) {
        int64_t *time = smear_time(runs, run, i);
        bool is_sound = runs->tag[runs->chunk[run->chunk].cells + i - 1u] != 0;
        bool wrong = is_sound && *time < last;
        n += wrong;
        *smear_left_out(runs, run, i) = wrong;
        *time = wrong || !is_sound ? last : *time;
        last = *time;
    }
    return n;
}

static void take_times(const struct smear_runs *runs, struct smear_run *run)
{
    if (!smear_is_relied_on(run))
        return;
    run->from = *smear_time(runs, run, run->low);
    run->to = *smear_time(runs, run, run->high);
    run->end = run->last;
    while (run->end > run->high && *smear_time(runs, run, run->end) < run->to)
        run->end--;
}

static bool find_runs(struct smear_runs *runs)
{
    uint32_t disorders = 0;
    for (uint32_t i = 0; i < runs->nchunks; i++) {
        if (!add_runs(runs, i))
            return false;
    }
    for (uint32_t i = 0; i < runs->n; i++) {
        trim(runs, &runs->run[i]);
        disorders += leave_disorders(runs, &runs->run[i]);
        take_times(runs, &runs->run[i]);
    }
    return disorders <= SMEAR_DISORDERS * runs->nchunks && disorders <= runs->cells / 8u;
}

/* ---- the order of time ------------------------------------------------------------------------------------------- */

/* For qsort(): by time; runs that are not relied on last. */
static int time_order(const void *a, const void *b)
{
    const struct smear_run *left = *(const struct smear_run *const *)a, *right = *(const struct smear_run *const *)b;
    if (smear_is_relied_on(left) != smear_is_relied_on(right))
        return smear_is_relied_on(left) ? -1 : 1;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    return (left > right) - (left < right);
}

/* Put pointers to the runs in the order of time. Returns how many are relied on. */
static uint32_t order(const struct smear_runs *runs)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < runs->n; i++) {
        runs->by_time[i] = &runs->run[i];
        n += smear_is_relied_on(&runs->run[i]);
    }
    qsort(runs->by_time, runs->n, sizeof *runs->by_time, time_order);
    return n;
}

/* The last slot of a run that is not later than a time. */
static uint32_t last_until(const struct smear_runs *runs, const struct smear_run *run, int64_t time)
{
    uint32_t last = run->low;
    while (last < run->high && *smear_time(runs, run, last + 1u) <= time)
        last++;
    return last;
}

/* Part a run after slot `last`. The run ahead keeps its place. False: there are too many. */
static bool part(struct smear_runs *runs, struct smear_run *run, uint32_t last)
{
    if (runs->n == RUNS_MAX || runs->parted == PART_MAX)
        return false;
    for (struct smear_run *to = &runs->run[runs->n++]; to > run; to--)
        to[0] = to[-1];
    runs->parted++;
    run->last = last;
    run[1].first = last + 1u;
    for (unsigned i = 0; i < 2u; i++) {
        trim(runs, &run[i]);
        take_times(runs, &run[i]);
    }
    return true;
}

/* The first two runs whose times overlap: the firmware was a lap further on amid the first one, and the tags do not
 * show it. NULL: there are none. */
static struct smear_run *find_overlap(const struct smear_runs *runs, uint32_t n, struct smear_run **other)
{
    for (uint32_t i = 1; i < n; i++) {
        *other = runs->by_time[i];
        if (runs->by_time[i - 1u]->to > runs->by_time[i]->from)
            return runs->by_time[i - 1u];
    }
    return NULL;
}

uint32_t smear_runs_find(struct smear_runs *runs)
{
    struct smear_run *run, *other;
    uint32_t n, last;
    int64_t half;
    if (!find_runs(runs))
        return 0;
    half = smear_half_lap(runs);
    for (n = order(runs); (run = find_overlap(runs, n, &other)) != NULL; n = order(runs)) {
        last = last_until(runs, run, other->from);
        if (last >= run->high || *smear_time(runs, run, last + 1u) - *smear_time(runs, run, last) < half
            || !part(runs, run, last))
            return 0;
    }
    return n;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* For qsort(). */
static int step_order(const void *a, const void *b)
{
    const int64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

int64_t smear_half_lap(const struct smear_runs *runs)
{
    int64_t *step = heap_calloc(runs->cells, sizeof *step), half = INT64_MAX;
    size_t n = 0;
    for (uint32_t i = 0; step != NULL && i < runs->n; i++) {
        const struct smear_run *run = &runs->run[i];
        for (uint32_t k = run->low + 1u; smear_is_relied_on(run) && k <= run->high; k++) {
            int64_t ticks = *smear_time(runs, run, k) - *smear_time(runs, run, k - 1u);
            if (ticks > 0)
                step[n++] = ticks;
        }
    }
    if (n > 0) {
        qsort(step, n, sizeof *step, step_order);
        half = step[n / 4u] * (int64_t)(runs->cells / 2u);
    }
    heap_free(step);
    return half;
}
