/* filter.h - --filter: only events for which an expression holds, such as
 *
 *   adc_sample.mv < -100 && ch == 3
 *
 *   expression   both || both ...
 *   both         term && term ...
 *   term         ! term, ( expression ), TYPE, or OPERAND OP VALUE
 *   TYPE         EVENT or SYSTEM:EVENT; holds for events of these types. * and ? stand for any characters
 *   OPERAND      FIELD, EVENT.FIELD or SYSTEM:EVENT.FIELD; or event, system, task or cpu, unless a field has that name
 *   OP           == != < <= > >=; & for a number that has one of these bits; ~ for a text that matches a pattern
 *   VALUE        a number, "a text", or the NAME of a field's value
 *
 * A comparison does not hold for events without the field. Numbers are compared by their value, whatever their size,
 * and signed and floating point numbers as such.
 */
#ifndef DECODE_FILTER_H
#define DECODE_FILTER_H

#include "decode/filter_parse.h"
#include "model/trace.h"

struct decode_filter;

/* Make a filter for the events of a trace, which stays the caller's; or with NULL only check the expression. Returns
 * NULL if the expression is wrong, and *error tells why. If there is no memory, error->why is NULL. */
struct decode_filter *decode_filter_new(const char *text, struct trace *trace, struct decode_filter_error *error);

/* Remove the events for which the expression does not hold from a batch of one CPU, and count them. Losses and damage
 * stay. */
void decode_filter_batch(struct decode_filter *filter, unsigned cpu, struct trace_batch *batch);

/* Tell the user how many events are left, and which names in the expression no event has. */
void decode_filter_tell(struct decode_filter *filter);

/* NULL is allowed. */
void decode_filter_free(struct decode_filter *filter);

#endif
