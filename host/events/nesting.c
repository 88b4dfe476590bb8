/* nesting.c - fills in depths and times of functions and spans: see nesting.h. */
#include "events/nesting.h"

#include "base/heap.h"
#include "base/bytes.h"

#include <inttypes.h>
#include <stdlib.h>

#define FRAMES     64u        /* frames of a stack that are kept */
#define STACKS_MAX 4096u      /* tasks that come later have no stack: all there has depth 0 */
#define NO_TYPE    UINT16_MAX /* the type of no event; a firmware may log only one of entering and leaving */

/* ---- types of functions ------------------------------------------------------------------------------------------ */

/* Fields and formats are those of Linux's events of these names: viewers know them. */

static const struct tlog_field entry_fields[] = {{"func", TLOG_KIND_ADDRESS, 0, 8}, {"depth", TLOG_KIND_SIGNED, 8, 4}};
const struct tlog_type funcgraph_entry = {"ftrace",
                                          "funcgraph_entry",
                                          TLOG_MEANS_PLAIN,
                                          FUNCGRAPH_ENTRY_BYTES,
                                          2,
                                          entry_fields,
                                          "\"--> %ps (%d)\", REC->func, REC->depth"};

static const struct tlog_field exit_fields[] = {{"func", TLOG_KIND_ADDRESS, 0, 8},
                                                {"calltime", TLOG_KIND_UNSIGNED, 8, 8},
                                                {"rettime", TLOG_KIND_UNSIGNED, 16, 8},
                                                {"overrun", TLOG_KIND_UNSIGNED, 24, 4},
                                                {"depth", TLOG_KIND_SIGNED, 28, 4}};
const struct tlog_type funcgraph_exit = {
    "ftrace",
    "funcgraph_exit",
    TLOG_MEANS_PLAIN,
    FUNCGRAPH_EXIT_BYTES,
    5,
    exit_fields,
    "\"<-- %ps (%d) (start: %llu end: %llu) over: %u\", REC->func, REC->depth, REC->calltime, REC->rettime, "
    "REC->overrun"};

static const struct tlog_field function_fields[] = {{"ip", TLOG_KIND_ADDRESS, 0, 8},
                                                    {"parent_ip", TLOG_KIND_ADDRESS, 8, 8}};
const struct tlog_type funcgraph_function = {"ftrace",
                                             "function",
                                             TLOG_MEANS_PLAIN,
                                             FUNCGRAPH_FUNCTION_BYTES,
                                             2,
                                             function_fields,
                                             "\" %ps <-- %ps\", REC->ip, REC->parent_ip"};

/* ---- types of spans ---------------------------------------------------------------------------------------------- */

const struct tlog_field spans_begin_fields[] = {{"depth", TLOG_KIND_UNSIGNED, 0, 4}};
const char spans_begin_print[] = "\"depth=%u\", REC->depth";

/* begun is 0 where the beginning is not known: then depth and duration are 0. */
const struct tlog_field spans_end_fields[] = {
    {"duration", TLOG_KIND_UNSIGNED, 0, 8}, {"depth", TLOG_KIND_UNSIGNED, 8, 4}, {"begun", TLOG_KIND_UNSIGNED, 12, 4}};
const char spans_end_print[] =
    "\"duration=%lluns depth=%u%s\", REC->duration, REC->depth, REC->begun ? \"\" : \" (begin not seen)\"";

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

struct frame {
    uint64_t what; /* the function's address; or the index of the type that began the span */
    uint64_t time; /* ns, when it began */
};

struct stack {
    unsigned cpu;
    uint32_t task;
    bool in_interrupt;
    uint32_t depth;             /* may be more than FRAMES */
    struct frame frame[FRAMES]; /* the outermost one first */
};

struct stacks {
    const char *of; /* for messages */
    size_t n, last; /* how many there are; index of the one that was used last */
    struct stack *stack[STACKS_MAX];
};

struct nesting {
    struct trace *trace;
    unsigned ntypes;                     /* types of the trace that look_for_types() has seen */
    bool used;                           /* the trace has one of the types below */
    uint16_t entry, exit;                /* of functions: indices of the types in the trace, or NO_TYPE */
    uint64_t without_begin, without_end; /* spans */
    struct stacks functions, spans;
};

struct nesting *nesting_new(struct trace *trace)
{
    struct nesting *nesting = heap_calloc(1, sizeof *nesting);
    if (nesting == NULL)
        return NULL;
    nesting->trace = trace;
    nesting->entry = nesting->exit = NO_TYPE;
    nesting->functions.of = "stacks of functions";
    nesting->spans.of = "spans";
    return nesting;
}

static void free_stacks(struct stacks *stacks)
{
    for (size_t i = 0; i < stacks->n; i++)
        heap_free(stacks->stack[i]);
}

void nesting_free(struct nesting *nesting)
{
    if (nesting == NULL)
        return;
    free_stacks(&nesting->functions);
    free_stacks(&nesting->spans);
    heap_free(nesting);
}

static bool is_of(const struct stack *stack, unsigned cpu, uint32_t task, bool in_interrupt)
{
    return stack->cpu == cpu && stack->task == task && stack->in_interrupt == in_interrupt;
}

/* The stack of a task, or of interrupts that came while it ran, on a CPU; a new one if there is none. NULL: there are
 * too many, or after trace_fail(). The stack used last is tried first: a task mostly logs several events in turn. */
static struct stack *stack_of(struct trace *trace, struct stacks *stacks, unsigned cpu, uint32_t task,
                              bool in_interrupt)
{
    struct stack *stack;
    if (stacks->last < stacks->n && is_of(stacks->stack[stacks->last], cpu, task, in_interrupt))
        return stacks->stack[stacks->last];
    for (stacks->last = 0; stacks->last < stacks->n; stacks->last++) {
        if (is_of(stacks->stack[stacks->last], cpu, task, in_interrupt))
            return stacks->stack[stacks->last];
    }
    if (stacks->n == STACKS_MAX)
        return NULL;
    stack = heap_calloc(1, sizeof *stack);
    if (stack == NULL) {
        trace_fail(trace, "%s: no memory for %s", trace->input_name, stacks->of);
        return NULL;
    }
    stack->cpu = cpu;
    stack->task = task;
    stack->in_interrupt = in_interrupt;
    return stacks->stack[stacks->n++] = stack;
}

/* Put a frame on a stack, which may be NULL. Returns its depth. */
static uint32_t push(struct stack *stack, uint64_t what, uint64_t time)
{
    if (stack == NULL)
        return 0;
    if (stack->depth < FRAMES)
        stack->frame[stack->depth] = (struct frame){what, time};
    return stack->depth++;
}

/* Take the innermost frame of that function or span off a stack, which may be NULL, with all frames that are in it.
 * NULL: there is none, or it was too deep to be kept. */
static const struct frame *pop(struct stack *stack, uint64_t what)
{
    if (stack == NULL)
        return NULL;
    if (stack->depth > FRAMES) {
        stack->depth--;
        return NULL;
    }
    for (uint32_t i = stack->depth; i-- > 0;) {
        if (stack->frame[i].what != what)
            continue;
        stack->depth = i;
        return &stack->frame[i];
    }
    return NULL;
}

/* Frames may have come and gone unseen: all stacks of the CPU begin anew. */
static void forget(struct stacks *stacks, unsigned cpu)
{
    for (size_t i = 0; i < stacks->n; i++) {
        if (stacks->stack[i]->cpu == cpu)
            stacks->stack[i]->depth = 0;
    }
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Fill in a function's entry; stack may be NULL. The payload: function, 8 bytes; depth, 4. */
static void enter(struct stack *stack, const struct tlog_event *event, unsigned char *data)
{
    put_le32(data + 8, push(stack, get_le64(data), event->time));
}

/* Fill in a function's exit; stack may be NULL. The payload: function, calltime, rettime, 8 bytes each; overrun, depth,
 * 4. */
static void leave(struct stack *stack, const struct tlog_event *event, unsigned char *data)
{
    const struct frame *frame = pop(stack, get_le64(data));
    put_le64(data + 8, frame != NULL ? frame->time : event->time);
    put_le64(data + 16, event->time);
    put_le32(data + 24, frame == NULL);
    put_le32(data + 28, stack != NULL ? stack->depth : 0);
}

/* Fill in a span's end; stack may be NULL. The payload: duration, 8 bytes; depth, begun, 4. */
static void end(struct nesting *nesting, struct stack *stack, const struct tlog_event *event, unsigned char *data)
{
    uint32_t before = stack != NULL ? stack->depth : 0;
    const struct frame *begun = pop(stack, event->type - 1u);
    if (begun != NULL)
        nesting->without_end += before - stack->depth - 1u;
    else
        nesting->without_begin += before <= FRAMES;
    put_le64(data, begun != NULL ? event->time - begun->time : 0);
    put_le32(data + 8, begun != NULL ? stack->depth : 0);
    put_le32(data + 12, begun != NULL);
}

/* Look whether the trace has the types by now: readers declare a type when the first event of it comes. */
static void look_for_types(struct nesting *nesting)
{
    const struct trace *trace = nesting->trace;
    for (; nesting->ntypes < trace->ntypes; nesting->ntypes++) {
        const struct tlog_type *type = trace->types[nesting->ntypes];
        if (type == &funcgraph_entry)
            nesting->entry = (uint16_t)nesting->ntypes;
        else if (type == &funcgraph_exit)
            nesting->exit = (uint16_t)nesting->ntypes;
        else if (type->fields != spans_begin_fields)
            continue;
        nesting->used = true;
    }
}

static void take_event(struct nesting *nesting, unsigned cpu, const struct tlog_event *event, unsigned char *data)
{
    struct trace *trace = nesting->trace;
    const struct tlog_type *type = trace->types[event->type];
    bool in_interrupt = (event->flags & TLOG_FLAG_IN_INTERRUPT) != 0;
    if (event->type == nesting->entry)
        enter(stack_of(trace, &nesting->functions, cpu, event->task, false), event, data);
    else if (event->type == nesting->exit)
        leave(stack_of(trace, &nesting->functions, cpu, event->task, false), event, data);
    else if (type->fields == spans_begin_fields)
        put_le32(data,
                 push(stack_of(trace, &nesting->spans, cpu, event->task, in_interrupt), event->type, event->time));
    else if (type->fields == spans_end_fields)
        end(nesting, stack_of(trace, &nesting->spans, cpu, event->task, in_interrupt), event, data);
}

int nesting_batch(struct nesting *nesting, unsigned cpu, const struct trace_batch *batch, unsigned char *room)
{
    look_for_types(nesting);
    for (size_t i = 0; nesting->used && i < batch->n; i++) {
        const struct tlog_event *event = &batch->event[i];
        enum tlog_meaning means = nesting->trace->types[event->type]->means;
        if (means == TLOG_MEANS_LOSS || means == TLOG_MEANS_DAMAGE) {
            forget(&nesting->functions, cpu);
            forget(&nesting->spans, cpu);
        } else {
            take_event(nesting, cpu, event, room + (event->data - room));
        }
    }
    return nesting->trace->failed ? -1 : 0;
}

void nesting_tell(const struct nesting *nesting)
{
    const struct stacks *spans = &nesting->spans;
    uint64_t open = nesting->without_end;
    for (size_t i = 0; i < spans->n; i++)
        open += spans->stack[i]->depth;
    if (open + nesting->without_begin > 0)
        trace_note(nesting->trace, "spans: %" PRIu64 " without an end, %" PRIu64 " without a beginning", open,
                   nesting->without_begin);
}
