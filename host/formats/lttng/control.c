/* control.c - the control channels of a trace that is written: see output.h.
 *
 * facilities_0 has an id and a format event for each marker, also for those of the control channels themselves. The
 * other channels hold ordinary events.
 */
#include "base/heap.h"
#include "formats/lttng/output.h"

#include "formats/lttng/table.h"
#include "formats/lttng/marker.h"

#include "base/sort.h"
#include "base/text.h"
#include "model/display.h"
#include "os/os_file.h"
#include "text/print_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_BYTES 4096u /* of the longest format, with its NUL */
#define PRINT_PART   1024u /* bytes of a print format in an event: a block of any size has room for them */
#define FACTS        "task %u context %u group %u flags %u"
#define SYSTEM_MOST  63 /* characters of a system's name that are kept */
#define NAME_MOST    95 /* of a type's */
#define CONTROL      "control/"

/* Markers of control channels, in the order of their ids, which begin with LTTNG_FIRST_ID. */
enum control {
    CONTROL_WRITER,
    CONTROL_CLOCK,
    CONTROL_TYPE,
    CONTROL_FIELD,
    CONTROL_PRINT,
    CONTROL_NAME,
    CONTROL_PRIORITY,
    CONTROL_GROUP,
    CONTROL_EVENT,
    CONTROL_MODULE,
    CONTROL_PROCESS,
    CONTROL_FORK,
    CONTROL_EXIT,
    CONTROL_FREE,
    CONTROL_INTERRUPT,
    CONTROLS,
};

static const struct {
    const char *name, *format;
} controls[CONTROLS] = {
    [CONTROL_WRITER] = {LTTNG_TLOG_WRITER, "version %u"},
    [CONTROL_CLOCK] = {LTTNG_TLOG_CLOCK, "hz %llu start_ns %llu ran_before %u mapped %u"},
    [CONTROL_TYPE] = {LTTNG_TLOG_TYPE, "id %u system %s name %s class %s"},
    [CONTROL_FIELD] = {LTTNG_TLOG_FIELD, "id %u field %u kind %s size %u"},
    [CONTROL_PRINT] = {LTTNG_TLOG_PRINT, "id %u print %s"},
    [CONTROL_NAME] = {LTTNG_TLOG_NAME, "kind %u id %u name %s"},
    [CONTROL_PRIORITY] = {LTTNG_TLOG_PRIORITY, "task %u priority %d"},
    [CONTROL_GROUP] = {LTTNG_TLOG_GROUP, "name %s"},
    [CONTROL_EVENT] = {LTTNG_TLOG_EVENT, FACTS},
    [CONTROL_MODULE] = {"list_module", "name %s state %d ref %lu"},
    [CONTROL_PROCESS] = {"list_process_state",
                         "pid %d parent_pid %d name %s type %d mode %d submode %d status %d tgid %d"},
    [CONTROL_FORK] = {"kernel_process_fork", "parent_pid %d child_pid %d child_tgid %d"},
    [CONTROL_EXIT] = {"kernel_process_exit", "pid %d"},
    [CONTROL_FREE] = {"kernel_process_free", "pid %d"},
    [CONTROL_INTERRUPT] = {"list_interrupt", "name %s action %s irq_id %u"},
};

/* A control channel that is being written. */
struct control_file {
    struct lttng_output *output;
    struct lttng_output_file file;
    enum trace_name_kind kind; /* of the names that are being written */
    size_t life;               /* index in output->lives */
};

static uint32_t control_id(enum control control)
{
    return LTTNG_FIRST_ID + (uint32_t)control;
}

uint32_t lttng_control_facts_id(bool compact)
{
    return compact ? LTTNG_FIRST_COMPACT_ID : control_id(CONTROL_EVENT);
}

uint32_t lttng_control_first_id(void)
{
    return control_id(CONTROLS);
}

/* Create the file of a control channel and begin its first payload. */
static int open_control(struct control_file *control, struct lttng_output *output, const char *channel, unsigned number)
{
    control->output = output;
    control->life = 0;
    output->n = 0;
    return lttng_output_open(output, &control->file, CONTROL, channel, number);
}

/* Creating the file failed, or nothing is to be in it: free what it has. */
static int drop_control(struct control_file *control)
{
    lttng_output_file_drop(&control->file);
    return -1;
}

static int close_control(struct control_file *control)
{
    return lttng_output_file_close(&control->file, control->output->first);
}

/* Write the payload that was made as an event of a time, and begin the next one. */
static void put_event_at(struct control_file *control, uint32_t id, uint64_t tsc)
{
    struct lttng_output *output = control->output;
    lttng_output_file_add(&control->file, id, tsc, output->payload, output->n);
    output->n = 0;
}

/* The same at the time of the trace's first event, as nearly all events of control channels are. */
static void put_event(struct control_file *control, uint32_t id)
{
    put_event_at(control, id, control->output->first);
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* The conversion of a field. Sizes of 1 and 2 bytes are given by a type before it, in the only form that readers of
 * 2008 understand. */
static const char *conversion(const struct trace *trace, const struct tlog_field *field)
{
    unsigned row = field->size == 1 ? 0 : field->size == 2 ? 1 : field->size == 8 ? 3 : 2;
    static const char *const is_unsigned[] = {"#1u%u", "#2u%u", "%u", "%llu"};
    static const char *const is_signed[] = {"#1d%d", "#2d%d", "%d", "%lld"};
    static const char *const is_hex[] = {"#1x0x%x", "#2x0x%x", "0x%x", "0x%llx"};
    switch (field->kind) {
    case TLOG_KIND_SIGNED:
        return is_signed[row];
    case TLOG_KIND_HEX:
        return is_hex[row];
    case TLOG_KIND_ADDRESS:
        return field->size == 4 ? "#4x%p" : is_hex[row];
    case TLOG_KIND_CHARS:
    case TLOG_KIND_STRING:
    case TLOG_KIND_BYTES:
        return "%s";
    default:
        return display_is_handle(field->kind) && !display_by_name(trace, field->kind) ? is_hex[row] : is_unsigned[row];
    }
}

/* Make the format of a type: "name conversion name conversion". */
static void make_format(const struct trace *trace, const struct tlog_type *type, char *format)
{
    size_t used = 0;
    format[0] = '\0';
    if (lttng_output_is_count(type)) {
        snprintf(format, FORMAT_BYTES, "count %%llu");
        return;
    }
    for (unsigned i = 0; i < type->nfields && used < FORMAT_BYTES; i++)
        used += (size_t)snprintf(format + used, FORMAT_BYTES - used, "%s%s %s", i > 0 ? " " : "", type->fields[i].name,
                                 conversion(trace, &type->fields[i]));
}

/* The name of a type's marker: system_name. Returns its length. */
static size_t compose_name(const struct tlog_type *type, char *name)
{
    return (size_t)snprintf(name, LTTNG_OUTPUT_NAME, "%.*s_%.*s", SYSTEM_MOST, type->system, NAME_MOST, type->name);
}

/* Has a marker of control channels, or of an earlier type, this name of so many characters? */
static bool is_taken(const struct lttng_output *output, unsigned index, const char *name, size_t length)
{
    char other[LTTNG_OUTPUT_NAME];
    for (unsigned i = 0; i < CONTROLS; i++) {
        if (strcmp(controls[i].name, name) == 0)
            return true;
    }
    for (unsigned i = 0; i < index; i++) {
        const struct tlog_type *type = output->trace->types[i];
        size_t characters = text_length(type->system, SYSTEM_MOST) + 1u + text_length(type->name, NAME_MOST);
        if (output->marker[i].id != 0 && characters == length && compose_name(type, other) == length
            && strcmp(other, name) == 0)
            return true;
    }
    return false;
}

/* Make the name of a type's marker. Readers identify markers by their names, so no two may have the same: a name that
 * is taken gets the id at its end. */
static void make_name(const struct lttng_output *output, unsigned index, char *name)
{
    size_t length = compose_name(output->trace->types[index], name);
    if (is_taken(output, index, name, length))
        snprintf(name + length, LTTNG_OUTPUT_NAME - length, "_%u", output->marker[index].id);
}

/* ---- facilities -------------------------------------------------------------------------------------------------- */

/* Describe a marker: its id with the sizes of int, long, pointer and size_t, and the alignment; then its format. */
static void put_marker(struct control_file *control, uint32_t id, const char *name, const char *format)
{
    struct lttng_output *output = control->output;
    uint8_t word = output->options.word;
    lttng_output_text(output, name);
    lttng_output_number(output, 2, id);
    lttng_output_number(output, 1, 4);
    lttng_output_number(output, 1, word);
    lttng_output_number(output, 1, word);
    lttng_output_number(output, 1, word);
    lttng_output_number(output, 1, output->options.packed ? 0 : word);
    put_event(control, LTTNG_MARKER_ID);
    lttng_output_text(output, name);
    lttng_output_text(output, format);
    put_event(control, LTTNG_MARKER_FORMAT);
}

static int write_facilities(struct lttng_output *output)
{
    char name[LTTNG_OUTPUT_NAME], format[FORMAT_BYTES];
    struct control_file control;
    if (open_control(&control, output, "facilities", 0) != 0)
        return drop_control(&control);
    for (unsigned i = 0; i < CONTROLS; i++)
        put_marker(&control, control_id((enum control)i), controls[i].name, controls[i].format);
    if (output->options.compact)
        put_marker(&control, LTTNG_FIRST_COMPACT_ID, LTTNG_TLOG_COMPACT, FACTS);
    for (unsigned i = 0; i < output->trace->ntypes; i++) {
        if (output->marker[i].id == 0)
            continue;
        make_name(output, i, name);
        make_format(output->trace, output->trace->types[i], format);
        put_marker(&control, output->marker[i].id, name, format);
    }
    return close_control(&control);
}

/* Has a CPU events, and so files of its own? */
static bool has_events(const struct lttng_output *output, unsigned cpu)
{
    char path[LTTNG_OUTPUT_NAME];
    struct os_status status;
    lttng_output_path(output, path, "", "cpu", cpu);
    return os_status_in(output->directory, path, false, &status);
}

/* Write a CPU's file of facilities without descriptions: readers count CPUs by these files. That of a CPU without
 * events is empty, since an input may declare thousands of CPUs that have none. */
static int write_other_cpu(struct lttng_output *output, unsigned cpu)
{
    struct control_file control;
    bool is_silent = !has_events(output, cpu);
    if (is_silent && cpu >= LTTNG_CPUS_MAX) /* the reader would not count it */
        return 0;
    if (open_control(&control, output, "facilities", cpu) != 0)
        return drop_control(&control);
    if (!is_silent)
        return close_control(&control);
    drop_control(&control);
    return 0;
}

static int write_other_cpus(struct lttng_output *output)
{
    for (unsigned i = 1; i < output->trace->ncpus; i++) {
        if (write_other_cpu(output, i) != 0)
            return -1;
    }
    return 0;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The next two are called back for each name. */
static void put_name(void *ctx, uint32_t id, const char *name)
{
    struct control_file *control = ctx;
    lttng_output_number(control->output, 4, control->kind);
    lttng_output_number(control->output, 4, id);
    lttng_output_text(control->output, name);
    put_event(control, control_id(CONTROL_NAME));
}

static void put_interrupt(void *ctx, uint32_t id, const char *name)
{
    struct control_file *control = ctx;
    lttng_output_text(control->output, "");
    lttng_output_text(control->output, name);
    lttng_output_number(control->output, 4, id);
    put_event(control, control_id(CONTROL_INTERRUPT));
}

static int write_interrupts(struct lttng_output *output)
{
    struct control_file control;
    if (open_control(&control, output, "interrupts", 0) != 0)
        return drop_control(&control);
    trace_each_name(output->trace, TRACE_NAME_IRQ, put_interrupt, &control);
    return close_control(&control);
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

static int order_by_task(const void *a, const void *b)
{
    const struct lttng_output_life *left = a, *right = b;
    if (left->task != right->task)
        return left->task < right->task ? -1 : 1;
    if (left->tsc != right->tsc)
        return (int64_t)(left->tsc - right->tsc) < 0 ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

static int order_by_cpu(const void *a, const void *b)
{
    const struct lttng_output_life *left = a, *right = b;
    return left->cpu != right->cpu ? (left->cpu < right->cpu ? -1 : 1)
                                   : (left->order < right->order ? -1 : left->order > right->order);
}

static void put_process(struct control_file *control, uint32_t task, const char *name, uint64_t tsc)
{
    struct lttng_output *output = control->output;
    lttng_output_number(output, 4, task);
    lttng_output_number(output, 4, 0); /* parent_pid */
    lttng_output_text(output, name);
    for (unsigned i = 0; i < 4u; i++) /* type, mode, submode, status: not known */
        lttng_output_number(output, 4, 0);
    lttng_output_number(output, 4, task); /* tgid: each task is a process */
    put_event_at(control, control_id(CONTROL_PROCESS), tsc);
}

/* List a task whose number another one has later: the name is that one's. */
static void put_replaced(struct control_file *control, uint32_t task, uint64_t tsc)
{
    char name[24];
    snprintf(name, sizeof name, "task-%" PRIu32, task);
    put_process(control, task, name, tsc);
}

/* Called back for each name, in the order of tasks: list the task, unless it is created later, as the first thing that
 * is known of it. Readers of 2008 end at once if a process that exists is created. */
static void put_first_process(void *ctx, uint32_t task, const char *name)
{
    struct control_file *control = ctx;
    const struct lttng_output *output = control->output;
    const struct lttng_output_life *end = output->lives + output->nlives, *life = output->lives + control->life;
    while (life < end && life->task < task)
        life++;
    control->life = (size_t)(life - output->lives);
    if (life == end || life->task != task || (life->ends && !life->replaced))
        put_process(control, task, name, output->first);
    else if (life->ends)
        put_replaced(control, task, output->first);
}

/* That a task is created: its name follows. One that exists, because it is only known to have ended, or not even that,
 * is freed before. */
static void put_creation(struct control_file *control, const struct lttng_output_life *life)
{
    struct lttng_output *output = control->output;
    const char *name = trace_name(output->trace, TRACE_NAME_TASK, life->task);
    if (life->again) {
        lttng_output_number(output, 4, life->task);
        put_event_at(control, control_id(CONTROL_FREE), life->tsc);
    }
    lttng_output_number(output, 4, 0);          /* parent_pid */
    lttng_output_number(output, 4, life->task); /* child_pid, */
    lttng_output_number(output, 4, life->task); /* child_tgid */
    put_event_at(control, control_id(CONTROL_FORK), life->tsc);
    if (name != NULL && life->replaced)
        put_replaced(control, life->task, life->tsc);
    else if (name != NULL)
        put_process(control, life->task, name, life->tsc);
}

/* Write the creations and ends on a CPU, which are the next ones. */
static void put_lives(struct control_file *control, size_t *next, unsigned cpu)
{
    struct lttng_output *output = control->output;
    for (; *next < output->nlives && output->lives[*next].cpu == cpu; ++*next) {
        const struct lttng_output_life *life = &output->lives[*next];
        if (!life->ends) {
            put_creation(control, life);
            continue;
        }
        lttng_output_number(output, 4, life->task);
        put_event_at(control, control_id(CONTROL_EXIT), life->tsc);
    }
}

/* Sort creations and ends by task, and see which tasks have a number that was given before, or is later. */
static void order_lives(struct lttng_output *output)
{
    struct lttng_output_life *lives = output->lives;
    sort(lives, output->nlives, sizeof *lives, order_by_task);
    for (size_t i = 1; i < output->nlives; i++)
        lives[i].again = !lives[i].ends && lives[i].task == lives[i - 1u].task;
    for (size_t i = output->nlives; i > 1; i--) {
        bool is_same = lives[i - 1u].task == lives[i - 2u].task;
        lives[i - 2u].replaced = is_same && (lives[i - 1u].replaced || !lives[i - 1u].ends);
    }
}

/* The tasks that there are when the trace begins; then creations and ends, each on its CPU, at its time. */
static int write_processes(struct lttng_output *output)
{
    struct control_file control;
    size_t next = 0;
    unsigned cpu = 0;
    order_lives(output);
    if (open_control(&control, output, "processes", 0) != 0)
        return drop_control(&control);
    trace_each_name(output->trace, TRACE_NAME_TASK, put_first_process, &control);
    sort(output->lives, output->nlives, sizeof *output->lives, order_by_cpu);
    for (;;) {
        put_lives(&control, &next, cpu);
        if (close_control(&control) != 0 || next == output->nlives)
            return output->trace->failed ? -1 : 0;
        cpu = output->lives[next].cpu;
        if (open_control(&control, output, "processes", cpu) != 0)
            return drop_control(&control);
    }
}

/* ---- modules ----------------------------------------------------------------------------------------------------- */

static void put_type(struct control_file *control, unsigned index)
{
    struct lttng_output *output = control->output;
    const struct tlog_type *type = output->trace->types[index];
    lttng_output_number(output, 4, output->marker[index].id);
    lttng_output_text(output, type->system);
    lttng_output_text(output, type->name);
    lttng_output_text(output, lttng_meaning_name(type->means));
    put_event(control, control_id(CONTROL_TYPE));
}

/* The kinds of a type's fields, where its format does not tell them. */
static void put_fields(struct control_file *control, unsigned index)
{
    struct lttng_output *output = control->output;
    const struct tlog_type *type = output->trace->types[index];
    for (unsigned i = 0; i < type->nfields && !lttng_output_is_count(type); i++) {
        const char *kind = lttng_kind_name(type->fields[i].kind);
        if (kind == NULL)
            continue;
        lttng_output_number(output, 4, output->marker[index].id);
        lttng_output_number(output, 4, i);
        lttng_output_text(output, kind);
        lttng_output_number(output, 4, type->fields[i].size);
        put_event(control, control_id(CONTROL_FIELD));
    }
}

/* The print format of a type: units, and names of values. One that no output understands is left out: all of them show
 * such a type by its fields. */
static void put_print(struct control_file *control, unsigned index)
{
    struct lttng_output *output = control->output;
    const struct tlog_type *type = output->trace->types[index];
    struct print_format pieces = {0};
    char part[PRINT_PART + 1u];
    const char *at = type->print != NULL && print_format_parse(&pieces, type) ? type->print : "";
    heap_free(pieces.piece);
    while (*at != '\0') {
        at += snprintf(part, sizeof part, "%.*s", (int)text_length(at, PRINT_PART), at);
        lttng_output_number(output, 4, output->marker[index].id);
        lttng_output_text(output, part);
        put_event(control, control_id(CONTROL_PRINT));
    }
}

static void put_types(struct control_file *control)
{
    const struct lttng_output *output = control->output;
    for (unsigned i = 0; i < output->trace->ntypes; i++) {
        if (output->marker[i].id == 0)
            continue;
        put_type(control, i);
        put_fields(control, i);
        put_print(control, i);
    }
}

static void put_priorities(struct control_file *control)
{
    struct lttng_output *output = control->output;
    const struct trace *trace = output->trace;
    for (size_t i = 0; i < trace->npriorities; i++) {
        lttng_output_number(output, 4, trace->priorities[i].task);
        lttng_output_number(output, 4, (uint32_t)trace->priorities[i].priority);
        put_event(control, control_id(CONTROL_PRIORITY));
    }
}

/* The firmware is the one module of the kernel. What else is here is for tlog-decode: see marker.h. */
static int write_modules(struct lttng_output *output)
{
    const struct trace *trace = output->trace;
    struct control_file control;
    if (open_control(&control, output, "modules", 0) != 0)
        return drop_control(&control);
    lttng_output_text(output, trace->target != NULL ? trace->target : "firmware");
    lttng_output_number(output, 4, 0);                    /* state */
    lttng_output_number(output, output->options.word, 0); /* ref */
    put_event(&control, control_id(CONTROL_MODULE));
    lttng_output_number(output, 8, trace->clock_hz);
    lttng_output_number(output, 8, output->start_ns);
    lttng_output_number(output, 4, trace->ran_before);
    lttng_output_number(output, 4, trace->mapped);
    put_event(&control, control_id(CONTROL_CLOCK));
    put_types(&control);
    put_priorities(&control);
    for (unsigned i = 0; i < trace->ngroups; i++) {
        lttng_output_text(output, trace->groups[i].name);
        put_event(&control, control_id(CONTROL_GROUP));
    }
    for (unsigned kind = 0; kind < TRACE_NAME_KINDS; kind++) {
        control.kind = (enum trace_name_kind)kind;
        trace_each_name(trace, control.kind, put_name, &control);
    }
    return close_control(&control);
}

int lttng_control_write(struct lttng_output *output)
{
    bool good = write_facilities(output) == 0 && write_other_cpus(output) == 0 && write_modules(output) == 0;
    return good && write_processes(output) == 0 ? write_interrupts(output) : -1;
}
