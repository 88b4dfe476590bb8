/* past_names.h - names that things had until a time, before their numbers were given to others. */
#ifndef MODEL_PAST_NAMES_H
#define MODEL_PAST_NAMES_H

#include "model/trace.h"

#define TRACE_PAST_NAME_BYTES 32u

/* Such a name. The list is in the order of time. */
struct trace_past_name {
    uint64_t time; /* when it ended */
    enum trace_name_kind kind;
    uint32_t id;
    bool is_last; /* nothing has had the number since, as far as is known */
    char text[TRACE_PAST_NAME_BYTES];
};

/* Add a name: in open(), in the order of time. False after trace_fail(). */
bool trace_add_past_name(struct trace *trace, const struct trace_past_name *name);

/* The last name of a number that ended at `from` or later, and ahead of `to`; or NULL. */
const struct trace_past_name *trace_past_name(const struct trace *trace, enum trace_name_kind kind, uint32_t id,
                                              uint64_t from, uint64_t to);

#endif
