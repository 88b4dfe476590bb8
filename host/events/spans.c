/* spans.c - see spans.h. */
#include "events/spans.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <stdlib.h>

#define OPEN_MOST  64u   /* spans of a stack that are kept open */
#define STACKS_MAX 4096u /* spans of tasks that come later are not paired */

/* ---- types ------------------------------------------------------------------------------------------------------- */

const struct trace_field spans_begin_fields[] = {{"depth", TRACE_UNSIGNED, 0, 4}};
const char spans_begin_print[] = "\"depth=%u\", REC->depth";

/* begun is 0 where the beginning is not known: then depth and duration are 0. */
const struct trace_field spans_end_fields[] = {
    {"duration", TRACE_UNSIGNED, 0, 8}, {"depth", TRACE_UNSIGNED, 8, 4}, {"begun", TRACE_UNSIGNED, 12, 4}};
const char spans_end_print[] =
    "\"duration=%lluns depth=%u%s\", REC->duration, REC->depth, REC->begun ? \"\" : \" (begin not seen)\"";

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

struct open_span {
    uint16_t begin; /* index of the type that began it */
    uint64_t time;  /* ns */
};

struct stack {
    unsigned cpu;
    uint32_t task;
    bool in_interrupt;
    uint32_t depth; /* may be more than OPEN_MOST */
    struct open_span open[OPEN_MOST];
};

struct spans {
    struct trace *trace;
    unsigned ntypes; /* types of the trace that were looked at */
    bool used;       /* the trace has spans */
    uint64_t without_begin, without_end;
    size_t n, last; /* stacks there are; the one that was used last */
    struct stack *stack[STACKS_MAX];
};

struct spans *spans_new(struct trace *trace)
{
    struct spans *spans = calloc(1, sizeof *spans);
    if (spans != NULL)
        spans->trace = trace;
    return spans;
}

void spans_free(struct spans *spans)
{
    for (size_t i = 0; spans != NULL && i < spans->n; i++)
        free(spans->stack[i]);
    free(spans);
}

static bool is_of(const struct stack *stack, unsigned cpu, const struct trace_event *event)
{
    return stack->cpu == cpu && stack->task == event->task
           && stack->in_interrupt == ((event->flags & TRACE_IN_INTERRUPT) != 0);
}

/* The stack that the event's task or interrupt has on a CPU; a new one if there is none. NULL: there are too many, or
 * after trace_fail(). */
static struct stack *stack_of(struct spans *spans, unsigned cpu, const struct trace_event *event)
{
    struct stack *stack;
    if (spans->last < spans->n && is_of(spans->stack[spans->last], cpu, event))
        return spans->stack[spans->last];
    for (spans->last = 0; spans->last < spans->n; spans->last++) {
        if (is_of(spans->stack[spans->last], cpu, event))
            return spans->stack[spans->last];
    }
    if (spans->n == STACKS_MAX)
        return NULL;
    stack = calloc(1, sizeof *stack);
    if (stack == NULL) {
        trace_fail(spans->trace, "%s: no memory for spans", spans->trace->input_name);
        return NULL;
    }
    stack->cpu = cpu;
    stack->task = event->task;
    stack->in_interrupt = (event->flags & TRACE_IN_INTERRUPT) != 0;
    return spans->stack[spans->n++] = stack;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void begin(struct stack *stack, const struct trace_event *event, unsigned char *data)
{
    put_le32(data, stack != NULL ? stack->depth : 0);
    if (stack == NULL)
        return;
    if (stack->depth < OPEN_MOST)
        stack->open[stack->depth] = (struct open_span){event->type, event->time};
    stack->depth++;
}

/* Take the innermost span of that type off the stack, with all that began in it. NULL: there is none. */
static const struct open_span *close_span(struct spans *spans, struct stack *stack, uint16_t type)
{
    uint32_t kept = stack->depth < OPEN_MOST ? stack->depth : OPEN_MOST;
    for (uint32_t i = kept; i-- > 0;) {
        if (stack->open[i].begin != type)
            continue;
        spans->without_end += stack->depth - i - 1u;
        stack->depth = i;
        return &stack->open[i];
    }
    return NULL;
}

static void end(struct spans *spans, struct stack *stack, const struct trace_event *event, unsigned char *data)
{
    const struct open_span *open = NULL;
    bool is_deep = stack != NULL && stack->depth > OPEN_MOST;
    if (is_deep)
        stack->depth--;
    else if (stack != NULL)
        open = close_span(spans, stack, (uint16_t)(event->type - 1u));
    spans->without_begin += open == NULL && !is_deep;
    put_le64(data, open != NULL ? event->time - open->time : 0);
    put_le32(data + 8, open != NULL ? stack->depth : 0);
    put_le32(data + 12, open != NULL);
}

/* Look whether the trace has spans by now: readers declare a type when the first event of it comes. */
static void look_for_types(struct spans *spans)
{
    const struct trace *trace = spans->trace;
    for (; spans->ntypes < trace->ntypes; spans->ntypes++)
        spans->used = spans->used || trace->types[spans->ntypes]->fields == spans_begin_fields;
}

/* Spans may have begun and ended unseen: all that is open on the CPU is forgotten. */
static void forget(struct spans *spans, unsigned cpu)
{
    for (size_t i = 0; i < spans->n; i++) {
        if (spans->stack[i]->cpu == cpu)
            spans->stack[i]->depth = 0;
    }
}

int spans_batch(struct spans *spans, unsigned cpu, const struct trace_batch *batch, unsigned char *room)
{
    const struct trace *trace = spans->trace;
    look_for_types(spans);
    for (size_t i = 0; spans->used && i < batch->n; i++) {
        const struct trace_event *event = &batch->event[i];
        const struct trace_type *type = trace->types[event->type];
        if (type->class == TRACE_LOSS || type->class == TRACE_DAMAGE)
            forget(spans, cpu);
        else if (type->fields == spans_begin_fields)
            begin(stack_of(spans, cpu, event), event, room + (event->data - room));
        else if (type->fields == spans_end_fields)
            end(spans, stack_of(spans, cpu, event), event, room + (event->data - room));
    }
    return trace->failed ? -1 : 0;
}

void spans_tell(const struct spans *spans)
{
    uint64_t open = spans->without_end;
    for (size_t i = 0; i < spans->n; i++)
        open += spans->stack[i]->depth;
    if (open + spans->without_begin > 0)
        trace_note(spans->trace, "spans: %" PRIu64 " without an end, %" PRIu64 " without a beginning", open,
                   spans->without_begin);
}
