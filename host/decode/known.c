/* known.c - see known.h. */
#include "decode/known.h"

#include "model/known.h"

#include <string.h>

/* ---- events that tell who runs ----------------------------------------------------------------------------------- */

enum decode_teller decode_teller_of(const struct tlog_type *type)
{
    static const struct {
        const char *name;
        enum decode_teller teller;
    } tellers[] = {{"set_mutex_wait", DECODE_TELLS_WAIT},
                   {"task_sleep", DECODE_TELLS_TASK},
                   {"task_end_cycle", DECODE_TELLS_TASK},
                   {"set_mutex_lock", DECODE_TELLS_LOCK},
                   {"set_mutex_unlock", DECODE_TELLS_UNLOCK}};
    if (type->means == TLOG_MEANS_RUNNING)
        return DECODE_TELLS_TASK;
    for (size_t i = 0; strcmp(type->system, "shark") == 0 && i < sizeof tellers / sizeof tellers[0]; i++) {
        if (strcmp(type->name, tellers[i].name) == 0)
            return tellers[i].teller;
    }
    return DECODE_TELLS_NOTHING;
}

/* ---- losses ------------------------------------------------------------------------------------------------------ */

void decode_known_begin_losses(const struct trace *trace, struct trace_batch *batch, struct decode_moment *last)
{
    const struct tlog_type *const *types = trace->types;
    const struct tlog_event *before = NULL, *end = batch->event + batch->n;
    for (struct tlog_event *event = batch->event; event < end; event++) {
        if (!trace_class_is_gap(types[event->type]->means)) {
            before = event;
            continue;
        }
        if (before != NULL)
            *last = (struct decode_moment){before->time, before->rest};
        if (last->time < event->time) {
            event->time = last->time;
            event->rest = last->rest;
        }
    }
    if (before != NULL)
        *last = (struct decode_moment){before->time, before->rest};
}

/* ---- what the user wants ----------------------------------------------------------------------------------------- */

bool decode_known_edge(struct decode_window time, const struct decode_windows *around, size_t n,
                       struct decode_edge *edge)
{
    size_t most = around != NULL ? 2u * around->n : 2u;
    for (; n < most; n++) {
        struct decode_window window = around != NULL ? around->around[n / 2u] : time;
        window.from = window.from > time.from ? window.from : time.from;
        window.to = window.to < time.to ? window.to : time.to;
        *edge = (struct decode_edge){n % 2u == 0 ? window.from : window.to, n % 2u == 0, n + 1u};
        if (window.from <= window.to && edge->time > 0 && edge->time < UINT64_MAX)
            return true;
    }
    return false;
}
