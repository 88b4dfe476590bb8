/* windows.c - see windows.h. */
#include "decode/windows.h"

#include <stdlib.h>

enum { WINDOWS_FIRST = 64, WINDOWS_MOST = 1 << 20 };

static int by_begin(const void *a, const void *b)
{
    const struct decode_window *one = a, *other = b;
    return (one->from > other->from) - (one->from < other->from);
}

void decode_windows_order(struct decode_windows *windows)
{
    size_t kept = 0;
    if (windows->n > 0)
        qsort(windows->around, windows->n, sizeof *windows->around, by_begin);
    for (size_t i = 1; i < windows->n; i++) {
        struct decode_window *last = &windows->around[kept], *next = &windows->around[i];
        if (next->from > last->to)
            windows->around[++kept] = *next;
        else if (next->to > last->to)
            last->to = next->to;
    }
    windows->n = windows->n > 0 ? kept + 1u : 0;
}

/* Room for one more. NULL, or what failed. */
static const char *make_room(struct decode_windows *windows)
{
    size_t room = windows->room > 0 ? 2u * windows->room : WINDOWS_FIRST;
    struct decode_window *longer;
    if (windows->n == WINDOWS_MOST)
        decode_windows_order(windows);
    if (windows->n == WINDOWS_MOST)
        return "--around: more than a million windows apart";
    if (windows->n < windows->room)
        return NULL;
    longer = realloc(windows->around, room * sizeof *longer);
    if (longer == NULL)
        return "no memory for windows";
    windows->around = longer;
    windows->room = room;
    return NULL;
}

/* Events come in the order of time, as a rule: those windows that this one overlaps are the last ones. */
const char *decode_windows_add(struct decode_windows *windows, struct decode_window window)
{
    const char *why;
    while (windows->n > 0) {
        const struct decode_window *last = &windows->around[windows->n - 1u];
        if (window.from > last->to || window.to < last->from)
            break;
        window.from = last->from < window.from ? last->from : window.from;
        window.to = last->to > window.to ? last->to : window.to;
        windows->n--;
    }
    why = make_room(windows);
    if (why == NULL)
        windows->around[windows->n++] = window;
    return why;
}

size_t decode_windows_find(const struct decode_windows *windows, uint64_t time)
{
    size_t low = 0, high = windows->n; /* those before low begin at the time or before it, those from high on later */
    while (low < high) {
        size_t middle = low + (high - low) / 2u;
        if (windows->around[middle].from <= time)
            low = middle + 1u;
        else
            high = middle;
    }
    return low > 0 && time <= windows->around[low - 1u].to ? low : 0;
}

void decode_windows_free(struct decode_windows *windows)
{
    free(windows->around);
    *windows = (struct decode_windows){0};
}
