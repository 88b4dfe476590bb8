/* filter.h - which events the user wants, told by an expression such as
 *
 *   adc_sample.mv < -100 && ch == 3
 *
 * Numbers are compared as what they are: with signs, as floating point numbers, and by the names of their values.
 *
 *   expression   both || both ...
 *   both         term && term ...
 *   term         ! term, ( expression ), TYPE, or OPERAND OP VALUE
 *   TYPE         EVENT or SYSTEM:EVENT; true for events of these types. * and ? stand for any characters
 *   OPERAND      FIELD, EVENT.FIELD or SYSTEM:EVENT.FIELD; without a field of that name: event, system, task, cpu
 *   OP           == != < <= > >=; & for a number that has one of these bits; ~ for a text like a pattern
 *   VALUE        a number, "a text" or the NAME of a value
 *
 * A comparison is false for an event that does not have the field. */
#ifndef DECODE_FILTER_H
#define DECODE_FILTER_H

#include "decode/filter_parse.h"
#include "model/trace.h"

struct decode_filter;

/* A filter for the events of a trace, which stays the caller's. With trace NULL the expression is only checked. Returns
 * NULL if the expression is wrong, and *error says why; or if there is no memory, and error->why is NULL. */
struct decode_filter *decode_filter_new(const char *text, struct trace *trace, struct decode_filter_error *error);

/* Leave events for which the filter is false out of a batch of one CPU, and count them. Losses and damage stay. */
void decode_filter_batch(struct decode_filter *filter, unsigned cpu, struct trace_batch *batch);

/* Tell the user how many events are left, and which names of the expression no event had. */
void decode_filter_tell(struct decode_filter *filter);

/* NULL is allowed. */
void decode_filter_free(struct decode_filter *filter);

#endif
