/* funcgraph.c - fills in depths and times of functions entered and left: see funcgraph.h. */
#include "events/funcgraph.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES     64u        /* frames of a stack that are kept */
#define STACKS_MAX 4096u      /* tasks that come later have no stack, and functions of depth 0 */
#define NO_TYPE    UINT16_MAX /* the type of no event; firmware may log only one of entering and leaving */

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* Fields and formats are those of Linux's events of these names: viewers know them. */

static const struct trace_field entry_fields[] = {{"func", TRACE_ADDRESS, 0, 8}, {"depth", TRACE_SIGNED, 8, 4}};
const struct trace_type funcgraph_entry = {"ftrace",
                                           "funcgraph_entry",
                                           TRACE_PLAIN,
                                           FUNCGRAPH_ENTRY_BYTES,
                                           2,
                                           entry_fields,
                                           "\"--> %ps (%d)\", REC->func, REC->depth"};

static const struct trace_field exit_fields[] = {{"func", TRACE_ADDRESS, 0, 8},
                                                 {"calltime", TRACE_UNSIGNED, 8, 8},
                                                 {"rettime", TRACE_UNSIGNED, 16, 8},
                                                 {"overrun", TRACE_UNSIGNED, 24, 4},
                                                 {"depth", TRACE_SIGNED, 28, 4}};
const struct trace_type funcgraph_exit = {
    "ftrace",
    "funcgraph_exit",
    TRACE_PLAIN,
    FUNCGRAPH_EXIT_BYTES,
    5,
    exit_fields,
    "\"<-- %ps (%d) (start: %llu end: %llu) over: %u\", REC->func, REC->depth, REC->calltime, REC->rettime, "
    "REC->overrun"};

static const struct trace_field function_fields[] = {{"ip", TRACE_ADDRESS, 0, 8}, {"parent_ip", TRACE_ADDRESS, 8, 8}};
const struct trace_type funcgraph_function = {"ftrace",
                                              "function",
                                              TRACE_PLAIN,
                                              FUNCGRAPH_FUNCTION_BYTES,
                                              2,
                                              function_fields,
                                              "\" %ps <-- %ps\", REC->ip, REC->parent_ip"};

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

struct frame {
    uint64_t function; /* its address */
    uint64_t time;     /* ns, when it was entered */
};

struct stack {
    unsigned cpu;
    uint32_t task;
    uint32_t depth;             /* functions entered and not left; may be more than FRAMES */
    struct frame frame[FRAMES]; /* the outermost function first */
};

struct funcgraph {
    struct trace *trace;
    unsigned ntypes;      /* types of the trace that look_for_types() has seen */
    bool used;            /* the trace has one of the types below */
    uint16_t entry, exit; /* indices of the types in the trace, or NO_TYPE */
    size_t n, last;       /* stacks there are; index of the stack that was used last */
    struct stack *stack[STACKS_MAX];
};

struct funcgraph *funcgraph_new(struct trace *trace)
{
    struct funcgraph *graph = calloc(1, sizeof *graph);
    if (graph == NULL)
        return NULL;
    graph->trace = trace;
    graph->entry = graph->exit = NO_TYPE;
    return graph;
}

void funcgraph_free(struct funcgraph *graph)
{
    for (size_t i = 0; graph != NULL && i < graph->n; i++)
        free(graph->stack[i]);
    free(graph);
}

static bool is_of(const struct stack *stack, unsigned cpu, uint32_t task)
{
    return stack->cpu == cpu && stack->task == task;
}

/* The stack of a task on a CPU; a new one if there is none. NULL: there are too many, or after trace_fail(). The stack
 * used last is tried first: a task mostly logs several functions in turn. */
static struct stack *stack_of(struct funcgraph *graph, unsigned cpu, uint32_t task)
{
    struct stack *stack;
    if (graph->last < graph->n && is_of(graph->stack[graph->last], cpu, task))
        return graph->stack[graph->last];
    for (size_t i = 0; i < graph->n; i++) {
        graph->last = i;
        if (is_of(graph->stack[i], cpu, task))
            return graph->stack[i];
    }
    if (graph->n == STACKS_MAX)
        return NULL;
    stack = calloc(1, sizeof *stack);
    if (stack == NULL) {
        trace_fail(graph->trace, "%s: no memory for stacks of functions", graph->trace->input_name);
        return NULL;
    }
    stack->cpu = cpu;
    stack->task = task;
    graph->last = graph->n;
    return graph->stack[graph->n++] = stack;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Fill in an entry; stack may be NULL. The payload: function, 8 bytes; depth, 4. */
static void enter(struct stack *stack, const struct trace_event *event, unsigned char *data)
{
    uint32_t depth = stack != NULL ? stack->depth : 0;
    put_le32(data + 8, depth);
    if (stack == NULL)
        return;
    if (depth < FRAMES)
        stack->frame[depth] = (struct frame){get_le64(data), event->time};
    stack->depth++;
}

/* Take the function's frame off the stack, with all frames above it. NULL: the function has none. */
static const struct frame *leave_frame(struct stack *stack, uint64_t function)
{
    if (stack->depth > FRAMES) {
        stack->depth--;
        return NULL;
    }
    for (uint32_t i = stack->depth; i-- > 0;) {
        if (stack->frame[i].function != function)
            continue;
        stack->depth = i;
        return &stack->frame[i];
    }
    return NULL;
}

/* Fill in an exit; stack may be NULL. The payload: function, calltime, rettime, 8 bytes each; overrun, depth, 4. */
static void leave(struct stack *stack, const struct trace_event *event, unsigned char *data)
{
    const struct frame *frame = stack != NULL ? leave_frame(stack, get_le64(data)) : NULL;
    put_le64(data + 8, frame != NULL ? frame->time : event->time);
    put_le64(data + 16, event->time);
    put_le32(data + 24, frame == NULL);
    put_le32(data + 28, stack != NULL ? stack->depth : 0);
}

/* Look whether the trace has the types by now: readers declare a type when the first event of it comes. */
static void look_for_types(struct funcgraph *graph)
{
    const struct trace *trace = graph->trace;
    for (; graph->ntypes < trace->ntypes; graph->ntypes++) {
        const struct trace_type *type = trace->types[graph->ntypes];
        if (type == &funcgraph_entry)
            graph->entry = (uint16_t)graph->ntypes;
        else if (type == &funcgraph_exit)
            graph->exit = (uint16_t)graph->ntypes;
        else
            continue;
        graph->used = true;
    }
}

/* Functions may have been entered and left unseen: all stacks of the CPU begin anew. */
static void forget(struct funcgraph *graph, unsigned cpu)
{
    for (size_t i = 0; i < graph->n; i++) {
        if (graph->stack[i]->cpu == cpu)
            graph->stack[i]->depth = 0;
    }
}

int funcgraph_batch(struct funcgraph *graph, unsigned cpu, const struct trace_batch *batch, unsigned char *room)
{
    look_for_types(graph);
    for (size_t i = 0; graph->used && i < batch->n; i++) {
        const struct trace_event *event = &batch->event[i];
        enum trace_class class = graph->trace->types[event->type]->class;
        if (class == TRACE_LOSS || class == TRACE_DAMAGE)
            forget(graph, cpu);
        else if (event->type == graph->entry)
            enter(stack_of(graph, cpu, event->task), event, room + (event->data - room));
        else if (event->type == graph->exit)
            leave(stack_of(graph, cpu, event->task), event, room + (event->data - room));
    }
    return graph->trace->failed ? -1 : 0;
}
