/* counters.c - see counters.h. */
#include "events/counters.h"

#include <string.h>

/* The counters that are not events of TLOG_COUNTER(); each is set by one or several types. Their numbers are above all
 * indices of types. */
static const struct {
    const char *system, *type, *field, *name, *unit;
    uint32_t number;
} shared[] = {
    {"rtos", "heap_allocate", "in_use", "heap in use", "bytes", TRACE_TYPES_MAX},
    {"rtos", "heap_free", "in_use", "heap in use", "bytes", TRACE_TYPES_MAX},
    {"shark", "interrupt_count", "count", "interrupts counted", "", TRACE_TYPES_MAX + 1u},
};

static bool is_whole(const struct tlog_field *field)
{
    return field->kind == TLOG_KIND_SIGNED || field->kind == TLOG_KIND_UNSIGNED;
}

/* TLOG_COUNTER() makes events whose only field is a whole number called value. */
static bool is_own(const struct tlog_type *type)
{
    return type->nfields == 1 && type->means == TLOG_MEANS_PLAIN && strcmp(type->fields[0].name, "value") == 0
           && is_whole(&type->fields[0]);
}

/* The field that has the value of the i-th of shared[], or NULL. */
static const struct tlog_field *shared_field(const struct tlog_type *type, size_t i)
{
    if (strcmp(type->system, shared[i].system) != 0 || strcmp(type->name, shared[i].type) != 0)
        return NULL;
    for (unsigned k = 0; k < type->nfields; k++) {
        if (strcmp(type->fields[k].name, shared[i].field) == 0 && is_whole(&type->fields[k]))
            return &type->fields[k];
    }
    return NULL;
}

struct counter counter_of(const struct tlog_type *type, uint16_t index)
{
    if (is_own(type))
        return (struct counter){&type->fields[0], type->name, NULL, index, true};
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        const struct tlog_field *field = shared_field(type, i);
        if (field != NULL)
            return (struct counter){field, shared[i].name, shared[i].unit, shared[i].number, false};
    }
    return (struct counter){0};
}

const char *counter_name(const struct trace *trace, uint32_t number)
{
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        if (shared[i].number == number)
            return shared[i].name;
    }
    return trace->types[number]->name;
}
