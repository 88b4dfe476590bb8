/* past_names.c - see past_names.h. */
#include "model/past_names.h"

#include "base/heap.h"

bool trace_add_past_name(struct trace *trace, const struct trace_past_name *name)
{
    struct trace_past_name *past = heap_grow(trace->past, trace->npast, &trace->past_room, sizeof *past);
    if (past == NULL) {
        trace_fail(trace, "%s: no memory for names", trace->input_name);
        return false;
    }
    trace->past = past;
    past[trace->npast++] = *name;
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
