/* events.c - events with their texts, and what they tell besides states: counters, spans, lines of a log, losses. */
#include "base/bytes.h"
#include "base/heap.h"
#include "events/nesting.h"
#include "formats/columns/rows.h"
#include "model/display.h"
#include "model/known.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    CACHED = 4096,     /* texts that are found by an event's payload; a power of two */
    CACHED_BYTES = 64, /* of such a payload */
    SYMBOL_BYTES = 512,
};

struct columns_cached {
    uint32_t text;
    unsigned naming; /* trace.naming + 1 when it was made; 0: free */
    uint16_t type, size;
    unsigned char data[CACHED_BYTES];
};

#define EXACT_MOST ((uint64_t)1 << 53) /* up to here doubles have all whole numbers */

/* ---- types ------------------------------------------------------------------------------------------------------- */

static bool is_span(const struct tlog_type *type, const char *suffix, const struct tlog_field *fields, unsigned n)
{
    size_t length = strlen(type->name), tail = strlen(suffix);
    if (type->nfields != n || length <= tail || strcmp(type->name + length - tail, suffix) != 0)
        return false;
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(type->fields[i].name, fields[i].name) != 0 || type->fields[i].size != fields[i].size)
            return false;
    }
    return true;
}

static bool is_called(const struct tlog_type *type, const char *name)
{
    return (strcmp(type->system, "ftrace") == 0 || strcmp(type->system, "tracing") == 0)
           && strcmp(type->name, name) == 0;
}

static enum columns_form form_of(const struct tlog_type *type)
{
    if (is_span(type, SPANS_BEGIN_SUFFIX, spans_begin_fields, SPANS_BEGIN_FIELDS))
        return FORM_SPAN;
    if (is_span(type, SPANS_END_SUFFIX, spans_end_fields, SPANS_END_FIELDS))
        return FORM_SPAN_END;
    if (is_called(type, "funcgraph_entry"))
        return FORM_FUNCTION;
    if (is_called(type, "funcgraph_exit"))
        return FORM_FUNCTION_END;
    return is_called(type, "print") || is_called(type, "bprint") || is_called(type, "bputs") ? FORM_LOG : FORM_EVENT;
}

/* What is known of a type, when its first event comes. NULL after trace_fail(). */
static struct columns_type *type_of(struct columns_state *state, uint16_t index)
{
    struct columns_type **type = &state->type[index];
    const struct tlog_type *of = state->trace->types[index];
    if (*type != NULL)
        return *type;
    *type = heap_calloc(1, sizeof **type);
    if (*type != NULL)
        (*type)->print = print_type_new(state->trace, of);
    if (*type == NULL || (*type)->print == NULL) {
        trace_fail(state->trace, "no memory for event types");
        return NULL;
    }
    (*type)->form = form_of(of);
    (*type)->counter = counter_of(of, index);
    (*type)->depth = tlog_field_named(of, "depth");
    (*type)->what = tlog_field_named(of, "func");
    if ((*type)->form == FORM_SPAN)
        (*type)->name = columns_string(&state->strings, of->name, strlen(of->name) - strlen(SPANS_BEGIN_SUFFIX));
    return *type;
}

bool columns_events_open(struct columns_state *state)
{
    state->cached = heap_calloc(CACHED, sizeof *state->cached);
    return state->cached != NULL;
}

void columns_events_free(struct columns_state *state)
{
    for (unsigned i = 0; i < TRACE_TYPES_MAX; i++) {
        if (state->type[i] != NULL)
            print_type_free(state->type[i]->print);
        heap_free(state->type[i]);
    }
    heap_free(state->cached);
    heap_free(state->text);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static struct columns_cached *cached_of(struct columns_state *state, const struct tlog_event *event)
{
    uint64_t hash = (uint64_t)event->type << 16 | event->size, word = 0;
    unsigned at = 0;
    for (; at + 8u <= event->size; at += 8u)
        hash = (hash ^ get_le64(event->data + at)) * 0x9E3779B97F4A7C15u;
    if (at < event->size) {
        memcpy(&word, event->data + at, event->size - at);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    }
    hash = (hash ^ hash >> 32) * 0x9E3779B97F4A7C15u;
    return &state->cached[hash >> 52];
}

static uint32_t print_text(struct columns_state *state, const struct columns_type *type, const struct tlog_event *event)
{
    char *end = print_event(state->text, type->print, event);
    return columns_string(&state->strings, state->text, (size_t)(end - state->text));
}

/* The number of an event's text. Equal events have equal texts, as long as no names are given. */
static uint32_t text_of(struct columns_state *state, const struct columns_type *type, const struct tlog_event *event)
{
    struct columns_cached *cached;
    if (event->size > CACHED_BYTES)
        return print_text(state, type, event);
    cached = cached_of(state, event);
    if (cached->naming == state->trace->naming + 1u && cached->type == event->type && cached->size == event->size
        && memcmp(cached->data, event->data, event->size) == 0)
        return cached->text;
    cached->text = print_text(state, type, event);
    cached->naming = state->trace->naming + 1u;
    cached->type = event->type;
    cached->size = event->size;
    memcpy(cached->data, event->data, event->size);
    return cached->text;
}

/* ---- counters and logs ------------------------------------------------------------------------------------------- */

/* A number as a double has it; where it cannot, that is noted. */
static uint64_t double_of(struct columns_state *state, uint64_t value, bool is_signed)
{
    bool is_negative = is_signed && (int64_t)value < 0;
    uint64_t size = is_negative ? 0 - value : value, bits;
    double number = is_negative ? -(double)size : (double)size;
    state->inexact += size > EXACT_MOST;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static void put_counter(struct columns_state *state, unsigned cpu, const struct counter *counter,
                        const struct tlog_event *event)
{
    uint64_t board = state->trace->boards != NULL ? state->trace->boards[cpu].number : 0;
    bool is_new;
    struct columns_row *row = columns_row_of_key(state, COLUMNS_COUNTER, board << 32 | counter->number, &is_new);
    uint32_t place;
    if (row == NULL || !tlog_event_has(event, counter->field))
        return;
    row->number = counter->number;
    row->board = (unsigned)board;
    place = columns_add(&row->store, &state->spill);
    if (place == UINT32_MAX)
        return;
    columns_set64(&row->store, ROW_START, place, event->time);
    columns_set64(&row->store, ROW_VALUE, place,
                  double_of(state, tlog_event_number(event, counter->field), counter->field->kind == TLOG_KIND_SIGNED));
}

static void put_log(struct columns_state *state, const struct tlog_event *event)
{
    bool is_new;
    struct columns_row *row = columns_row_of_key(state, COLUMNS_LOG, 0, &is_new);
    uint32_t place = row != NULL ? columns_add(&row->store, &state->spill) : UINT32_MAX;
    if (place == UINT32_MAX)
        return;
    columns_set64(&row->store, LOG_START, place, event->time);
    columns_set32(&row->store, LOG_WHAT, place, (uint32_t)state->events.n - 1u);
}

/* ---- spans and functions ----------------------------------------------------------------------------------------- */

/* End the spans of a row from a depth on. */
static void end_spans(struct columns_state *state, struct columns_row *row, uint64_t depth, uint64_t time)
{
    for (; row->depth > depth; row->depth--) {
        uint64_t record = row->open[row->depth - 1u];
        if (record != 0)
            columns_change(&row->store, &state->spill, record - 1u, ROW_END, time);
        row->open[row->depth - 1u] = 0;
    }
}

/* The row of the spans, or functions, of a task or an interrupt on a CPU. NULL: there is none. */
static struct columns_row *span_row(struct columns_state *state, unsigned cpu, uint32_t owner, bool is_function)
{
    bool is_new;
    uint64_t key = ((uint64_t)cpu << 32 | owner) << 1 | is_function;
    struct columns_row *row = columns_row_of_key(state, COLUMNS_SPAN, key, &is_new);
    if (row == NULL || !is_new)
        return row != NULL && row->open != NULL ? row : NULL;
    row->cpu = cpu;
    row->parent = owner;
    row->is_function = is_function;
    row->open = heap_calloc(COLUMNS_FRAMES, sizeof *row->open);
    if (row->open == NULL)
        trace_fail(state->trace, "no memory for rows");
    return row->open != NULL ? row : NULL;
}

/* The name of a function. */
static uint32_t function_name(struct columns_state *state, uint64_t address)
{
    char text[SYMBOL_BYTES + 32];
    uint64_t offset;
    const struct trace_symbol *symbol = trace_symbol_at(state->trace->firmware, address, &offset);
    int n = symbol == NULL ? snprintf(text, sizeof text, "0x%" PRIx64, address)
            : offset == 0  ? snprintf(text, sizeof text, "%.*s", SYMBOL_BYTES, symbol->name)
                           : snprintf(text, sizeof text, "%.*s+0x%" PRIx64, SYMBOL_BYTES, symbol->name, offset);
    return columns_string(&state->strings, text, (size_t)n);
}

static void begin_span(struct columns_state *state, struct columns_row *row, uint64_t depth, uint32_t name,
                       uint64_t time)
{
    end_spans(state, row, depth, time);
    row->open[depth] = columns_interval(state, row, time, COLUMN_OPEN, name, (unsigned)depth) + 1u;
    row->depth = (uint32_t)depth + 1u;
    if (row->is_listed)
        return;
    row->is_listed = true;
    row->next = state->lane[row->cpu].spans;
    state->lane[row->cpu].spans = row;
}

static void put_span(struct columns_state *state, unsigned cpu, const struct columns_type *type,
                     const struct tlog_event *event, uint32_t owner)
{
    bool is_function = type->form >= FORM_FUNCTION, begins = type->form == FORM_SPAN || type->form == FORM_FUNCTION;
    struct columns_row *row = span_row(state, cpu, owner, is_function);
    uint64_t depth = type->depth != NULL ? tlog_event_number(event, type->depth) : 0;
    if (row == NULL || depth >= COLUMNS_FRAMES)
        return;
    if (!begins)
        end_spans(state, row, depth, event->time);
    else if (is_function)
        begin_span(state, row, depth,
                   type->what != NULL ? function_name(state, tlog_event_number(event, type->what)) : 0, event->time);
    else
        begin_span(state, row, depth, type->name, event->time);
}

/* Events of a CPU are missing: the spans that go on there end. */
static void cut_spans(struct columns_state *state, unsigned cpu, uint64_t time)
{
    for (struct columns_row *row = state->lane[cpu].spans; row != NULL; row = row->next) {
        row->is_listed = false;
        end_spans(state, row, 0, time);
    }
    state->lane[cpu].spans = NULL;
}

/* ---- gaps -------------------------------------------------------------------------------------------------------- */

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Add what was lost to a gap of the same kind that goes on. False: there is none. */
static bool join_gap(struct columns_state *state, struct columns_lane *lane, enum columns_gap kind, uint64_t count)
{
    for (unsigned i = 0; i < lane->ngaps; i++) {
        if (lane->gap[i].kind != kind)
            continue;
        lane->gap[i].count += (double)count;
        columns_change(&state->gaps, &state->spill, lane->gap[i].record, GAP_COUNT, bits_of(lane->gap[i].count));
        return true;
    }
    return false;
}

/* A gap begins on a CPU: up to its next event. */
static void begin_gap(struct columns_state *state, unsigned cpu, enum columns_gap kind, uint64_t time, uint64_t count)
{
    struct columns_lane *lane = &state->lane[cpu];
    uint32_t place;
    if (lane->ngaps == COLUMNS_GAPS_OPEN && join_gap(state, lane, kind, count))
        return;
    place = lane->ngaps < COLUMNS_GAPS_OPEN ? columns_add(&state->gaps, &state->spill) : UINT32_MAX;
    if (place == UINT32_MAX)
        return;
    state->inexact += count > EXACT_MOST;
    columns_set64(&state->gaps, GAP_START, place, time);
    columns_set64(&state->gaps, GAP_END, place, COLUMN_OPEN);
    columns_set64(&state->gaps, GAP_COUNT, place, bits_of((double)count));
    columns_set16(&state->gaps, GAP_CPU, place, (uint16_t)cpu);
    columns_set8(&state->gaps, GAP_KIND, place, (uint8_t)kind);
    lane->gap[lane->ngaps].record = state->gaps.n - 1u;
    lane->gap[lane->ngaps].kind = kind;
    lane->gap[lane->ngaps++].count = (double)count;
}

static void end_gaps(struct columns_state *state, unsigned cpu, uint64_t time)
{
    struct columns_lane *lane = &state->lane[cpu];
    for (unsigned i = 0; i < lane->ngaps; i++)
        columns_change(&state->gaps, &state->spill, lane->gap[i].record, GAP_END, time);
    lane->ngaps = 0;
}

/* Whether the event tells of a gap, or of its end, and of nothing else. */
static bool put_gap(struct columns_state *state, unsigned cpu, const struct tlog_event *event)
{
    enum tlog_meaning means = state->trace->types[event->type]->means;
    bool begins = means != TLOG_MEANS_LEFT_OUT || event->size == 0 || event->data[0] == 0;
    if (means != TLOG_MEANS_LEFT_OUT && !trace_class_is_gap(means)) {
        if (state->lane[cpu].ngaps > 0)
            end_gaps(state, cpu, event->time);
        return false;
    }
    if (!begins) {
        end_gaps(state, cpu, event->time);
        return true;
    }
    cut_spans(state, cpu, event->time);
    begin_gap(state, cpu,
              means == TLOG_MEANS_LOSS     ? COLUMNS_LOSS
              : means == TLOG_MEANS_DAMAGE ? COLUMNS_DAMAGE
                                           : COLUMNS_LEFT_OUT,
              event->time, means != TLOG_MEANS_LEFT_OUT && event->size >= 8u ? get_le64(event->data) : 0);
    return true;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void put_event(struct columns_state *state, unsigned cpu, const struct columns_type *type,
                      const struct tlog_event *event, uint32_t owner)
{
    struct columns_store *events = &state->events;
    uint32_t text = text_of(state, type, event), place = columns_add(events, &state->spill);
    if (place == UINT32_MAX)
        return;
    columns_set64(events, EVENT_TIME, place, event->time);
    columns_set32(events, EVENT_ROW, place, owner);
    columns_set32(events, EVENT_TEXT, place, text);
    columns_set16(events, EVENT_TYPE, place, event->type);
    columns_set16(events, EVENT_CPU, place, (uint16_t)cpu);
    columns_set8(events, EVENT_FLAGS, place, event->flags);
}

/* Count the event, as --stat does, and find out whose it is: an exit is the interrupt's, which ends with it. */
static uint32_t count(struct columns_state *state, unsigned cpu, const struct tlog_event *event)
{
    uint32_t before;
    if (trace_event_is_extra(event))
        return columns_owner(state, cpu, event);
    state->event = event;
    state->cpu = cpu;
    if (state->stat->roles.of[event->type].role != ROLE_EXIT) {
        stat_event(state->stat, cpu, event);
        return columns_owner(state, cpu, event);
    }
    before = columns_owner(state, cpu, event);
    stat_event(state->stat, cpu, event);
    return before != COLUMNS_NO_ROW ? before : columns_owner(state, cpu, event);
}

int columns_event(struct columns_state *state, unsigned cpu, const struct tlog_event *event)
{
    const struct columns_type *type = type_of(state, event->type);
    uint32_t owner;
    if (type == NULL)
        return -1;
    owner = count(state, cpu, event);
    if (put_gap(state, cpu, event))
        return state->trace->failed ? -1 : 0;
    put_event(state, cpu, type, event, owner);
    if (type->counter.field != NULL)
        put_counter(state, cpu, &type->counter, event);
    if (type->form == FORM_LOG)
        put_log(state, event);
    else if (type->form != FORM_EVENT)
        put_span(state, cpu, type, event, owner);
    if (state->trace->types[event->type]->means == TLOG_MEANS_PAUSE)
        begin_gap(state, cpu, COLUMNS_PAUSE, event->time, 0);
    return state->trace->failed ? -1 : 0;
}
