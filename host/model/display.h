/* display.h - numbers of tasks, interrupts, mutexes and other objects as viewers show them: by name.
 *
 * trace.dat has a table of names in the print format of each field, and its readers look a number up there; lines of
 * text are to be the same. So what is shown is defined here, once:
 *   A number is shown by its name. If the trace has names of the kind, but not this one, the number is hexadecimal,
 *   because libtraceevent shows it like that; if it has none, all numbers are decimal.
 *   Tables stay small, because readers look through them: of a kind with more than DISPLAY_NAMES_MAX names none is shown.
 * The number itself may be any: kernels count tasks on, or know objects by their addresses.
 */
#ifndef MODEL_DISPLAY_H
#define MODEL_DISPLAY_H

#include "model/trace.h"

#define DISPLAY_NAMES_MAX  4096u
#define DISPLAY_NAME_BYTES 32u /* of a name, with its NUL */

/* What a field is called where it is shown: "task" for a task that the field calls "context", as S.Ha.R.K. does; else
 * the field's own name. */
const char *display_label(const struct trace_field *field);

/* Whether values of that kind are shown by name in this trace. */
bool display_by_name(const struct trace *trace, enum trace_kind kind);

/* The name of a value of a kind that is shown by name, copied to name: without quotation marks and backslashes, which
 * print formats do not take. False: it has none. */
bool display_name(const struct trace *trace, enum trace_kind kind, uint32_t number, char name[DISPLAY_NAME_BYTES]);

/* Call a function for every number of that kind that has a name, in their order. */
void display_each_name(const struct trace *trace, enum trace_kind kind,
                       void (*call)(void *ctx, uint32_t number, const char *name), void *ctx);

/* Whether the field is left out where it is 0: an optional one with a field of another kind before it. */
static inline bool display_if_set(const struct trace_type *type, const struct trace_field *field)
{
    return field->kind == TRACE_OPTIONAL && type->fields[0].kind != TRACE_OPTIONAL;
}

#endif
