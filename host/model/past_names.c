/* past_names.c - see past_names.h. */
#include "model/past_names.h"

#include "base/heap.h"

/* The array grows whenever its length is a power of two. */
bool trace_add_past_name(struct trace *trace, const struct trace_past_name *name)
{
    size_t n = trace->npast;
    if ((n & (n - 1u)) == 0) {
        struct trace_past_name *more = heap_realloc(trace->past, (n > 0 ? 2u * n : 1u) * sizeof *more);
        if (more == NULL) {
            trace_fail(trace, "%s: no memory for names", trace->input_name);
            return false;
        }
        trace->past = more;
    }
    trace->past[trace->npast++] = *name;
    return true;
}

const struct trace_past_name *trace_past_name(const struct trace *trace, enum trace_name_kind kind, uint32_t id,
                                              uint64_t from, uint64_t to)
{
    for (size_t i = trace->npast; i-- > 0;) {
        const struct trace_past_name *name = &trace->past[i];
        if (name->kind == kind && name->id == id && name->time >= from && name->time < to)
            return name;
    }
    return NULL;
}
