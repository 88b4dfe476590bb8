/* runs.c - the runs of the firmware in a dump: see runs.h.
 *
 * A run's number is the word boot in the headers of its chunks. Times of different runs cannot be compared, so only one
 * run is decoded at a time.
 */
#include "formats/native/runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_SHOWN 8u /* in messages about those left out */

/* For qsort(): runs with higher numbers first. */
static int boot_order(const void *a, const void *b)
{
    uint32_t left = ((const struct native_image *)a)->boot, right = ((const struct native_image *)b)->boot;
    return (left < right) - (left > right);
}

/* How many of n images, which are in the order of runs, are of the run that begins at first. */
static size_t count_images(const struct native_image *images, size_t n, size_t first)
{
    size_t count = 1;
    while (first + count < n && images[first + count].boot == images[first].boot)
        count++;
    return count;
}

/* Where the newest run begins. Numbers of runs wrap, so the newest one is that with the widest gap above its number. */
static size_t find_newest(const struct native_image *images, size_t n)
{
    uint32_t above = images[n - 1u].boot, widest = 0;
    size_t newest = 0;
    for (size_t at = 0; at < n; at += count_images(images, n, at)) {
        uint32_t gap = above - images[at].boot - 1u; /* if there is only one run: as wide as can be */
        if (gap > widest) {
            widest = gap;
            newest = at;
        }
        above = images[at].boot;
    }
    return newest;
}

static void reverse(struct native_image *images, size_t n)
{
    for (size_t i = 0; i < n / 2u; i++) {
        struct native_image swap = images[i];
        images[i] = images[n - 1u - i];
        images[n - 1u - i] = swap;
    }
}

/* Order the images by run: those of the newest run first, then those of the run before it, and so on. */
static void order_by_run(struct native_image *images, size_t n)
{
    size_t newest;
    qsort(images, n, sizeof *images, boot_order);
    newest = find_newest(images, n);
    reverse(images, newest);
    reverse(images + newest, n - newest);
    reverse(images, n);
}

/* Find where the images of the wanted run begin: a number above 0 is that of a run, 0 means the newest run, -1 the one
 * before it, and so on. Returns 0, or -1 after trace_fail(). */
static int choose_run(const struct native_image *images, size_t n, struct trace *trace, size_t *chosen)
{
    int64_t wanted = trace->run;
    size_t at = 0;
    for (; at < n; at += count_images(images, n, at)) {
        if (wanted > 0 ? images[at].boot == wanted : wanted++ == 0)
            break;
    }
    *chosen = at;
    if (at < n)
        return 0;
    return trace_fail(trace, "%s: there is no such run; the newest is run %" PRIu32, trace->input_name, images[0].boot);
}

/* Tell which runs are left out, but not more than RUNS_SHOWN of them. */
static void note_others(const struct native_image *images, size_t n, size_t chosen, const struct trace *trace)
{
    unsigned shown = 0;
    size_t count;
    for (size_t at = 0; at < n && shown <= RUNS_SHOWN; at += count) {
        count = count_images(images, n, at);
        if (at == chosen)
            continue;
        if (shown++ == RUNS_SHOWN)
            trace_note(trace, "and further runs");
        else
            trace_note(trace, "run %" PRIu32 " of the firmware is left out (%zu chunk%s); decoding run %" PRIu32,
                       images[at].boot, count, count == 1 ? "" : "s", images[chosen].boot);
    }
}

int native_keep_one_run(struct native_image *images, size_t *n, struct trace *trace)
{
    size_t chosen, runs = 0;
    order_by_run(images, *n);
    for (size_t at = 0; at < *n; at += count_images(images, *n, at))
        runs++;
    trace_tell_fact(trace, "runs", runs);
    if (choose_run(images, *n, trace, &chosen) != 0)
        return -1;
    note_others(images, *n, chosen, trace);
    trace_tell_fact(trace, "run", images[chosen].boot);
    *n = count_images(images, *n, chosen);
    trace_tell_fact(trace, "chunks", *n);
    memmove(images, images + chosen, *n * sizeof *images);
    return 0;
}
