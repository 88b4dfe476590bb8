/* clock.c - see clock.h.
 *
 * A time goes through these steps: the shift between guest and host (option TIME_SHIFT), ticks to ns (TSC2NSEC), the
 * real time (DATE and OFFSET). All sums are modulo 2^64, as in trace-cmd.
 */
#include "formats/tracedat/read/clock.h"

#include "base/heap.h"
#include "formats/tracedat/ids.h"
#include "formats/tracedat/read/decompress.h"

#include <string.h>

enum {
    FLAG_INTERPOLATE = 1, /* of the option: the offset changes evenly between two samples */
    SAMPLE_SIZE = 24,     /* bytes of the option: time, offset and scaling */
};

/* How the clock of a CPU of the guest ran beside the host's: samples in order of time. From the time of a sample on, a
 * time of the guest becomes (time * scaling >> fraction) + offset. */
struct tracedat_clock_sync {
    uint32_t n;
    uint64_t *time, *offset, *scaling, *fraction; /* n of each, in one allocation, which is time's */
};

/* ---- names of clocks --------------------------------------------------------------------------------------------- */

/* Whether the clock of that name counts ns. For others only TSC2NSEC tells how to make ns. */
static bool counts_ns(const char *name)
{
    static const char *const names[] = {"local", "global", "uptime", "perf", "tsc2nsec", "tai", "boot"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return strncmp(name, "mono", 4) == 0;
}

void tracedat_clock_set_name(struct tracedat_clock *clock, const char *names)
{
    const char *open = strchr(names, '['), *from = open != NULL ? open + 1 : names;
    size_t length = strcspn(from, open != NULL ? "]" : " \n");
    char name[32];
    if (length == 0)
        return;
    length = length < sizeof name ? length : sizeof name - 1u;
    memcpy(name, from, length);
    name[length] = '\0';
    clock->is_ns = counts_ns(name);
}

/* ---- guest and host ---------------------------------------------------------------------------------------------- */

/* Take n numbers of 8 bytes. */
static bool take_numbers(struct cursor *cursor, uint64_t *to, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = cursor_number(cursor, 8);
    return !cursor->bad;
}

/* Take the samples of a CPU. False, and the cursor is bad, if they make no sense. The caller frees sync->time in any
 * case. */
static bool take_sync(struct cursor *cursor, struct tracedat_clock_sync *sync, uint64_t *memory)
{
    uint64_t n = cursor_number(cursor, 4);
    if (cursor->bad || n > cursor_left(cursor) / SAMPLE_SIZE
        || !tracedat_budget_take(memory, n * 4u * sizeof *sync->time)) {
        cursor->bad = true;
        return false;
    }
    sync->time = heap_calloc((size_t)n * 4u + 1u, sizeof *sync->time);
    if (sync->time == NULL) {
        cursor->bad = true;
        return false;
    }
    sync->n = (uint32_t)n;
    sync->offset = sync->time + n;
    sync->scaling = sync->offset + n;
    sync->fraction = sync->scaling + n;
    return take_numbers(cursor, sync->time, sync->n) && take_numbers(cursor, sync->offset, sync->n)
           && take_numbers(cursor, sync->scaling, sync->n);
}

/* Take the fractions, which stand behind the samples of all CPUs; older files have none. A bad one would make all times
 * of a CPU wrong, so it makes the cursor bad, and the option is not used. */
static void take_fractions(struct tracedat_clock *clock, struct cursor *cursor)
{
    for (uint32_t cpu = 0; cpu < clock->nsync; cpu++) {
        struct tracedat_clock_sync *sync = &clock->sync[cpu];
        for (uint32_t i = 0; i < sync->n && cursor->at < cursor->end; i++) {
            uint64_t fraction = cursor_number(cursor, 8);
            sync->fraction[i] = fraction;
            cursor->bad = cursor->bad || fraction > 63u;
        }
    }
}

void tracedat_clock_take_sync(struct tracedat_clock *clock, struct cursor *cursor, uint64_t *memory)
{
    uint64_t flags, n;
    cursor_number(cursor, 8); /* the peer's id */
    flags = cursor_number(cursor, 4);
    n = cursor_number(cursor, 4);
    if (cursor->bad || n > TRACEDAT_CPUS_MAX || clock->sync != NULL) {
        cursor->bad = true;
        return;
    }
    clock->interpolate = (flags & FLAG_INTERPOLATE) != 0;
    clock->sync = heap_calloc((size_t)n + 1u, sizeof *clock->sync);
    clock->nallocated = clock->sync != NULL ? (uint32_t)n : 0;
    for (uint32_t cpu = 0; clock->sync != NULL && cpu < n && take_sync(cursor, &clock->sync[cpu], memory); cpu++)
        clock->nsync = cpu + 1u;
    if (clock->nsync < n)
        cursor->bad = true;
    else
        take_fractions(clock, cursor);
    if (cursor->bad)
        clock->nsync = 0;
}

/* The last sample that is not later than the time. Another one must follow it, so it is never the very last one. */
static uint32_t sample_before(const struct tracedat_clock_sync *sync, uint64_t time)
{
    uint32_t low = 0, high = sync->n - 2u;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2u;
        if (sync->time[middle] <= time)
            low = middle;
        else
            high = middle - 1u;
    }
    return low;
}

/* The offset at a time, on the line from sample i to the next one, rounded. If the next one is not later, the offset is
 * that of sample i. */
static uint64_t interpolate(const struct tracedat_clock_sync *sync, uint32_t i, uint64_t time)
{
    int64_t span = (int64_t)(sync->time[i + 1u] - sync->time[i]);
    uint64_t rise = sync->offset[i + 1u] - sync->offset[i];
    int64_t product = (int64_t)((time - sync->time[i]) * rise + (uint64_t)(span / 2));
    return span > 0 ? sync->offset[i] + (uint64_t)(product / span) : sync->offset[i];
}

/* The time of the host for one of the guest. */
static uint64_t synchronised(const struct tracedat_clock *clock, uint64_t time, unsigned cpu)
{
    const struct tracedat_clock_sync *sync;
    uint64_t offset;
    uint32_t i;
    if (cpu >= clock->nsync || clock->sync[cpu].n == 0)
        return time;
    sync = &clock->sync[cpu];
    if (sync->n == 1)
        return time + sync->offset[0];
    i = sample_before(sync, time);
    offset = clock->interpolate ? interpolate(sync, i, time) : sync->offset[i];
    return (time * sync->scaling[i] >> sync->fraction[i]) + offset;
}

/* ---- all steps --------------------------------------------------------------------------------------------------- */

/* time * mult >> shift, where the product may have 96 bits. */
static uint64_t scale(uint64_t time, uint32_t mult, uint32_t shift)
{
    uint64_t low = (time & UINT32_MAX) * mult, high = (time >> 32) * mult;
    return (low >> shift) + (high << (32u - shift));
}

uint64_t tracedat_clock_ns(const struct tracedat_clock *clock, uint64_t time, unsigned cpu, bool top)
{
    if (top)
        time = synchronised(clock, time, cpu);
    if (clock->has_tsc)
        time = scale(time, clock->mult, clock->shift);
    return time + clock->offset;
}

void tracedat_clock_free(struct tracedat_clock *clock)
{
    for (uint32_t cpu = 0; cpu < clock->nallocated; cpu++)
        heap_free(clock->sync[cpu].time);
    heap_free(clock->sync);
}
