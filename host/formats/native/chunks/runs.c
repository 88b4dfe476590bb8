/* runs.c - the images of one run of the firmware: see runs.h. */
#include "formats/native/chunks/runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_NOTED 8u /* in messages about those left out */

/* ---- the choice -------------------------------------------------------------------------------------------------- */

/* For qsort(): runs with higher numbers first. */
static int boot_order(const void *a, const void *b)
{
    uint32_t left = ((const struct native_image *)a)->boot, right = ((const struct native_image *)b)->boot;
    return (left < right) - (left > right);
}

/* How many of n images, which are in the order of runs, are of the run of number `first`. */
static size_t count_images(const struct native_image *images, size_t n, size_t first)
{
    size_t count = 1;
    while (first + count < n && images[first + count].boot == images[first].boot)
        count++;
    return count;
}

/* The first image of the newest run. Numbers of runs wrap: the newest is the one with the widest gap above its
 * number. */
static size_t find_newest(const struct native_image *images, size_t n)
{
    uint32_t above = images[n - 1u].boot, widest = 0;
    size_t newest = 0;
    for (size_t at = 0; at < n; at += count_images(images, n, at)) {
        uint32_t gap = above - images[at].boot - 1u; /* of a single run: as wide as can be */
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

/* Find the first image of the run that trace->run asks for: above 0 it is a run's number, 0 the newest run, -1 the one
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

/* Note which runs are left out, but not more than RUNS_NOTED of them. */
static void note_others(const struct native_image *images, size_t n, size_t chosen, const struct trace *trace)
{
    unsigned noted = 0;
    size_t count;
    for (size_t at = 0; at < n && noted <= RUNS_NOTED; at += count) {
        count = count_images(images, n, at);
        if (at == chosen)
            continue;
        if (noted++ == RUNS_NOTED)
            trace_note(trace, "and further runs");
        else
            trace_note(trace, "run %" PRIu32 " of the firmware is left out (%zu chunk%s); decoding run %" PRIu32,
                       images[at].boot, count, count == 1 ? "" : "s", images[chosen].boot);
    }
}

/* Keep the images of the run that trace->run asks for, of at least one image, and tell which other runs there are. The
 * order of the images changes. Returns 0, or -1 after trace_fail() if there is no such run. */
static int keep_one_run(struct native_image_list *list, struct trace *trace)
{
    struct native_image *images = list->image;
    size_t n = list->n, chosen, runs = 0;
    order_by_run(images, n);
    for (size_t at = 0; at < n; at += count_images(images, n, at))
        runs++;
    trace_set_detail(trace, "runs", runs);
    if (choose_run(images, n, trace, &chosen) != 0)
        return -1;
    note_others(images, n, chosen, trace);
    trace_set_detail(trace, "run", images[chosen].boot);
    list->n = count_images(images, n, chosen);
    trace_set_detail(trace, "chunks", list->n);
    memmove(images, images + chosen, list->n * sizeof *images);
    for (size_t i = 0; i < list->n; i++)
        trace->counts.slots += native_role(&images[i]) == TLOG_ROLE_NAMES ? 0 : images[i].layout.slots;
    return 0;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* Note of which CPUs there are rings. */
static void find_rings(const struct native_image_list *list, bool has_ring[NATIVE_CPUS])
{
    for (size_t i = 0; i < list->n; i++) {
        if (native_role(&list->image[i]) != TLOG_ROLE_NAMES)
            has_ring[native_cpu(&list->image[i])] = true;
    }
}

/* Report CPUs of which the run has facts, but of which no run has a ring: the input may have been cut. */
static void check_facts(const struct native_image_list *list, const bool has_ring[NATIVE_CPUS],
                        struct native_view *view)
{
    bool has_facts[NATIVE_CPUS] = {false};
    for (size_t i = 0; i < list->n; i++) {
        if (native_role(&list->image[i]) == TLOG_ROLE_NAMES && list->image[i].used > 0)
            has_facts[native_cpu(&list->image[i])] = true;
    }
    for (unsigned cpu = 0; cpu < NATIVE_CPUS; cpu++) {
        if (has_facts[cpu] && !has_ring[cpu])
            trace_damage(view->trace, input_size(view->in), 0, 0,
                         "the chunks of CPU %u are missing: there are only its names", cpu);
    }
}

/* There is no image: tell why. Returns -1. */
static int fail(const struct native_image_list *list, const struct native_view *view)
{
    struct trace *trace = view->trace;
    const struct native_unread *unread = &list->unread;
    if (unread->reason[0] == '\0')
        return trace_fail(trace, "%s: no tlog chunk found in %" PRIu64 " bytes", trace->input_name,
                          input_size(view->in));
    return trace_fail_at(trace, trace->input_name, unread->problem, "%s", unread->reason);
}

int native_runs_choose(struct native_image_list *list, struct native_view *view)
{
    bool has_ring[NATIVE_CPUS] = {false};
    if (list->n == 0)
        return fail(list, view);
    if (list->unread.foreign)
        trace_damage(view->trace, list->unread.problem, 0, 0, "%s", list->unread.reason);
    find_rings(list, has_ring);
    if (keep_one_run(list, view->trace) != 0)
        return -1;
    check_facts(list, has_ring, view);
    return 0;
}
