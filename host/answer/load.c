/* load.c - see load.h. */
#include "answer/load.h"

#include "answer/figures.h"

#include <string.h>

enum { WIDTH_FIRST = 64 };

/* Make one step of every two. */
static void widen(struct cpu_load *load)
{
    for (unsigned i = 0; i < LOAD_STEPS / 2u; i++)
        load->busy[i] = load->busy[2u * i] + load->busy[2u * i + 1u];
    memset(load->busy + LOAD_STEPS / 2u, 0, sizeof load->busy / 2u);
    load->width *= 2u;
}

void cpu_load_change(struct cpu_load *load, uint64_t from, uint64_t to, bool is_added)
{
    from = load != NULL ? stat_elapsed(load->first, from) : to;
    to = load != NULL ? stat_elapsed(load->first, to) : to;
    if (from >= to)
        return;
    load->width = load->width > 0 ? load->width : WIDTH_FIRST;
    while ((to - 1u) / load->width >= LOAD_STEPS)
        widen(load);
    for (uint64_t step = from / load->width; from < to; step++) {
        uint64_t end = (step + 1u) * load->width;
        end = end > from && end < to ? end : to; /* the end of the last step may be 0 */
        load->busy[step] += is_added ? end - from : from - end;
        from = end;
    }
}

void cpu_load_add(struct cpu_load *load, uint64_t from, uint64_t to)
{
    cpu_load_change(load, from, to, true);
}

double cpu_load_part(const struct cpu_load *load, uint64_t end, unsigned i, unsigned n)
{
    double length = end > load->first ? (double)(end - load->first) : 0, width = (double)load->width, busy = 0;
    double from = length * i / n, to = length * (i + 1u) / n;
    if (load->width == 0 || to <= from)
        return 0;
    for (unsigned step = 0; step < LOAD_STEPS; step++) {
        double begin = from > step * width ? from : step * width;
        double stop = to < (step + 1u) * width ? to : (step + 1u) * width;
        double last = (step + 1u) * width < length ? width : length - step * width; /* the trace may end inside of it */
        if (stop > begin)
            busy += (double)load->busy[step] * (stop - begin) / last;
    }
    return busy < to - from ? busy / (to - from) : 1;
}
