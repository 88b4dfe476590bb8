/* filter.c - see filter.h. What a comparison means for a type is found out when the type's first event comes. */
#include "decode/filter.h"

#include "base/heap.h"
#include "base/bytes.h"
#include "base/text.h"
#include "model/display.h"
#include "text/print_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_ROOM 256u /* bytes of a text that are compared */

/* What a comparison compares in events of a type. UNBOUND: that was not found out yet. ABSENT: they do not have it. */
enum source { UNBOUND, ABSENT, FIELD, OF_EVENT, OF_SYSTEM, OF_TASK, OF_CPU };

/* What a comparison means for one type. */
struct bound {
    unsigned char source; /* enum source */
    bool has_value;       /* the comparison has the name of a value, which is `value` here */
    uint64_t value;
    const struct tlog_field *field; /* of FIELD */
    const struct tlog_field *text;  /* the exact text of a number that the field has rounded, or NULL */
};

struct decode_filter {
    struct filter_tree tree;
    struct trace *trace;
    struct bound *bound[FILTER_NODES]; /* for each node a table by the type's index; NULL: no event has needed it yet */
    bool found[FILTER_NODES];          /* some type has the operand */
    bool valued[FILTER_NODES];         /* some type has the value's name */
    struct print_format pieces;        /* of the type that is being bound; kept to save allocations */
};

/* An event that is looked at. */
struct subject {
    const struct tlog_type *type;
    const struct tlog_event *event;
    unsigned cpu;
};

struct decode_filter *decode_filter_new(const char *text, struct trace *trace, struct decode_filter_error *error)
{
    struct decode_filter *filter = heap_calloc(1, sizeof *filter);
    *error = (struct decode_filter_error){0, NULL};
    if (filter == NULL)
        return NULL;
    filter->trace = trace;
    if (filter_parse(&filter->tree, text, error))
        return filter;
    decode_filter_free(filter);
    return NULL;
}

void decode_filter_free(struct decode_filter *filter)
{
    if (filter == NULL)
        return;
    for (unsigned i = 0; i < FILTER_NODES; i++)
        heap_free(filter->bound[i]);
    heap_free(filter->pieces.piece);
    heap_free(filter->tree.texts);
    heap_free(filter);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static bool is_type(const struct filter_node *node, const struct tlog_type *type)
{
    return (node->system == NULL || text_fits(node->system, type->system))
           && (node->event == NULL || text_fits(node->event, type->name));
}

/* The field with the text of a number that is rounded: NAME_text. */
static const struct tlog_field *find_text(const struct tlog_type *type, const struct tlog_field *field)
{
    char name[TEXT_ROOM];
    const struct tlog_field *text;
    if (field->kind != TLOG_KIND_SIGNED || field->size != 8u)
        return NULL;
    snprintf(name, sizeof name, "%s_text", field->name);
    text = tlog_field_named(type, name);
    return text != NULL && text->kind == TLOG_KIND_STRING ? text : NULL;
}

/* The piece of the type's print format that shows the field's numbers as names, or NULL. */
static const struct piece *names_of(struct decode_filter *filter, const struct tlog_type *type,
                                    const struct tlog_field *field)
{
    if (type->print == NULL || !print_format_parse(&filter->pieces, type))
        return NULL;
    for (unsigned i = 0; i < filter->pieces.n; i++) {
        const struct piece *piece = &filter->pieces.piece[i];
        if (piece->field == field && (piece->kind == PIECE_SYMBOL || piece->kind == PIECE_FLAGS))
            return piece;
    }
    return NULL;
}

/* Look for a name among those that the print format has for the field's numbers. */
static bool find_value(struct decode_filter *filter, const struct tlog_type *type, const struct tlog_field *field,
                       const char *wanted, uint64_t *value)
{
    const struct piece *piece = names_of(filter, type, field);
    const char *name, *at, *end;
    size_t length;
    if (piece == NULL)
        return false;
    at = piece->choice[0];
    end = at + piece->choice_length[0];
    while (print_format_next_symbol(&at, end, value, &name, &length)) {
        if (strlen(wanted) == length && memcmp(wanted, name, length) == 0)
            return true;
    }
    return false;
}

/* What an operand means if the type has no field of that name. */
static enum source source_called(const struct filter_node *node)
{
    static const char *const names[] = {
        [OF_EVENT] = "event", [OF_SYSTEM] = "system", [OF_TASK] = "task", [OF_CPU] = "cpu"};
    for (unsigned i = OF_EVENT; i <= OF_CPU; i++) {
        if (strcmp(node->field, names[i]) == 0)
            return (enum source)i;
    }
    return ABSENT;
}

/* Find out what the comparison of a node means for a type. */
static void bind(struct decode_filter *filter, unsigned index, const struct tlog_type *type, struct bound *bound)
{
    const struct filter_node *node = &filter->tree.node[index];
    *bound = (struct bound){.source = ABSENT};
    if (!is_type(node, type))
        return;
    if (node->field == NULL) { /* any type will do */
        bound->source = OF_EVENT;
    } else {
        bound->field = tlog_field_named(type, node->field);
        bound->source = (unsigned char)(bound->field != NULL ? FIELD : source_called(node));
    }
    filter->found[index] = filter->found[index] || bound->source != ABSENT;
    if (bound->field == NULL)
        return;
    bound->text = find_text(type, bound->field);
    if (node->text != NULL)
        bound->has_value = find_value(filter, type, bound->field, node->text, &bound->value);
    filter->valued[index] = filter->valued[index] || bound->has_value;
}

/* What the comparison of a node means for the event's type. NULL: there is no memory. */
static const struct bound *bound_of(struct decode_filter *filter, unsigned index, const struct subject *subject)
{
    struct bound *bound = filter->bound[index];
    if (bound == NULL)
        bound = filter->bound[index] = heap_calloc(TRACE_TYPES_MAX, sizeof *bound);
    if (bound == NULL) {
        trace_fail(filter->trace, "%s: no memory for the filter", filter->trace->input_name);
        return NULL;
    }
    bound += subject->event->type;
    if (bound->source == UNBOUND)
        bind(filter, index, subject->type, bound);
    return bound;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static struct filter_number whole(uint64_t value, bool is_signed)
{
    bool is_negative = is_signed && value >> 63 != 0;
    return (struct filter_number){.is_negative = is_negative, .size = is_negative ? 0 - value : value};
}

static long double real(const struct filter_number *number)
{
    return number->is_real       ? number->real
           : number->is_negative ? -(long double)number->size
                                 : (long double)number->size;
}

/* -1, 0 or 1 if a is less than b, equal, or greater; 2 if one of them is not a number (NaN). */
static int compare(const struct filter_number *a, const struct filter_number *b)
{
    if (a->is_real || b->is_real) {
        long double x = real(a), y = real(b);
        return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
    }
    if (a->is_negative != b->is_negative)
        return a->is_negative ? -1 : 1;
    return a->size == b->size ? 0 : (a->size < b->size) != a->is_negative ? -1 : 1;
}

static bool is_true(enum filter_op op, int order)
{
    switch (op) {
    case FILTER_EQUAL:
        return order == 0;
    case FILTER_UNEQUAL:
        return order != 0;
    case FILTER_LESS:
        return order == -1;
    case FILTER_LESS_OR_EQUAL:
        return order == -1 || order == 0;
    case FILTER_GREATER:
        return order == 1;
    case FILTER_GREATER_OR_EQUAL:
        return order == 1 || order == 0;
    default:
        return false;
    }
}

static bool is_inside(const struct tlog_event *event, const struct tlog_field *field)
{
    return field->size <= event->size && field->offset <= event->size - field->size;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* Copy n bytes, or those before a NUL, as far as there is room. Always true. */
static bool copy(char *to, const void *from, size_t n)
{
    n = text_length(from, n < TEXT_ROOM ? n : TEXT_ROOM - 1u);
    memcpy(to, from, n);
    to[n] = '\0';
    return true;
}

static bool string_of(const struct tlog_event *event, uint32_t place, char *to)
{
    uint32_t offset = place & 0xFFFFu, length = place >> 16;
    if (offset > event->size || length > event->size - offset)
        return false;
    return copy(to, event->data + offset, length);
}

/* The text of a field: its characters, or the name of its number. False: it has none. */
static bool text_of_field(const struct trace *trace, const struct tlog_event *event, const struct tlog_field *field,
                          char *to)
{
    uint64_t value, offset;
    const struct trace_symbol *symbol;
    if (!is_inside(event, field))
        return false;
    if (field->kind == TLOG_KIND_CHARS)
        return copy(to, event->data + field->offset, field->size);
    if (field->size > 8u)
        return false;
    value = number_at(event->data + field->offset, field->size, false);
    if (field->kind == TLOG_KIND_STRING)
        return string_of(event, (uint32_t)value, to);
    if (field->kind >= TLOG_KIND_TASK && field->kind <= TLOG_KIND_MUTEX)
        return display_plain_name(trace, field->kind, (uint32_t)value, to);
    symbol = field->kind == TLOG_KIND_ADDRESS ? trace_symbol_at(trace->firmware, value, &offset) : NULL;
    return symbol != NULL && copy(to, symbol->name, TEXT_ROOM);
}

static bool text_of_task(const struct trace *trace, uint32_t task, char *to)
{
    const char *name = task == 0 ? "idle" : trace_name(trace, TRACE_NAME_TASK, task);
    return name != NULL && copy(to, name, TEXT_ROOM);
}

static bool text_of(const struct trace *trace, const struct subject *subject, const struct bound *bound, char *to)
{
    switch (bound->source) {
    case FIELD:
        return text_of_field(trace, subject->event, bound->field, to);
    case OF_EVENT:
        return copy(to, subject->type->name, TEXT_ROOM);
    case OF_SYSTEM:
        return copy(to, subject->type->system, TEXT_ROOM);
    case OF_TASK:
        return text_of_task(trace, subject->event->task, to);
    default:
        return false;
    }
}

static bool compare_texts(const struct trace *trace, const struct subject *subject, const struct bound *bound,
                          const struct filter_node *node)
{
    char text[TEXT_ROOM];
    if (!text_of(trace, subject, bound, text))
        return false;
    if (node->op == FILTER_LIKE)
        return text_fits(node->text, text);
    return is_true(node->op == FILTER_EQUAL || node->op == FILTER_UNEQUAL ? node->op : FILTER_LIKE,
                   strcmp(text, node->text) != 0);
}

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

/* The number in a field. False: it has none. */
static bool number_of_field(const struct tlog_event *event, const struct bound *bound, struct filter_number *number)
{
    const struct tlog_field *field = bound->field;
    bool is_signed = field->kind == TLOG_KIND_SIGNED;
    unsigned spare = field->size < 8u ? 64u - 8u * field->size : 0;
    char text[TEXT_ROOM], *end;
    uint64_t value;
    if (!is_inside(event, field) || field->size == 0 || field->size > 8u || field->kind == TLOG_KIND_CHARS
        || field->kind == TLOG_KIND_STRING || field->kind == TLOG_KIND_BYTES)
        return false;
    value = number_at(event->data + field->offset, field->size, false);
    *number = whole(is_signed ? (uint64_t)((int64_t)(value << spare) >> spare) : value, is_signed);
    if (bound->text == NULL || !text_of_field(NULL, event, bound->text, text))
        return true;
    number->real = text_to_real(text, &end);
    number->is_real = end > text && *end == '\0';
    return true;
}

static bool number_of(const struct decode_filter *filter, const struct subject *subject, const struct bound *bound,
                      struct filter_number *number)
{
    if (bound->source == FIELD)
        return number_of_field(subject->event, bound, number);
    *number = whole(bound->source == OF_CPU ? subject->cpu + filter->trace->cpu_base : subject->event->task, false);
    return bound->source == OF_CPU || bound->source == OF_TASK;
}

static bool compare_one(struct decode_filter *filter, unsigned index, const struct subject *subject)
{
    const struct filter_node *node = &filter->tree.node[index];
    const struct bound *bound = bound_of(filter, index, subject);
    struct filter_number is, wanted = node->number;
    if (bound == NULL || bound->source == ABSENT)
        return false;
    if (node->op == FILTER_TYPE)
        return true;
    if (node->op == FILTER_LIKE || (node->kind != FILTER_NUMBER && !bound->has_value))
        return compare_texts(filter->trace, subject, bound, node);
    if (node->kind != FILTER_NUMBER)
        wanted = whole(bound->value, bound->field->kind == TLOG_KIND_SIGNED);
    if (!number_of(filter, subject, bound, &is))
        return false;
    if (node->op == FILTER_BITS)
        return !is.is_real && !wanted.is_real
               && ((is.is_negative ? 0 - is.size : is.size) & (wanted.is_negative ? 0 - wanted.size : wanted.size));
    return is_true(node->op, compare(&is, &wanted));
}

/* Whether the node holds for the event. The parser bounds the depth of the recursion. */
static bool holds(struct decode_filter *filter, unsigned index, const struct subject *subject)
{
    const struct filter_node *node = &filter->tree.node[index];
    switch (node->op) {
    case FILTER_OR:
        return holds(filter, node->left, subject) || holds(filter, node->right, subject);
    case FILTER_AND:
        return holds(filter, node->left, subject) && holds(filter, node->right, subject);
    case FILTER_NOT:
        return !holds(filter, node->left, subject);
    default:
        return compare_one(filter, index, subject);
    }
}

void decode_filter_batch(struct decode_filter *filter, unsigned cpu, struct trace_batch *batch)
{
    struct trace_counts *counts = &filter->trace->counts;
    size_t kept = 0;
    for (size_t i = 0; i < batch->n; i++) {
        const struct tlog_event *event = &batch->event[i];
        struct subject subject = {filter->trace->types[event->type], event, cpu};
        bool is_gap = subject.type->means == TLOG_MEANS_LOSS || subject.type->means == TLOG_MEANS_DAMAGE;
        if (is_gap || holds(filter, filter->tree.root, &subject))
            batch->event[kept++] = *event;
        else if ((event->flags & TLOG_FLAG_DERIVED) != 0)
            counts->derived_left_out++;
        else
            counts->left_out++;
    }
    batch->n = kept;
}

/* ---- what the user is told --------------------------------------------------------------------------------------- */

/* Bind a node to all types: some may never have been asked for, because other nodes decided. */
static void bind_all(struct decode_filter *filter, unsigned index)
{
    struct bound any;
    for (unsigned i = 0; i < filter->trace->ntypes && !filter->trace->failed; i++) {
        if (!filter->found[index] || !filter->valued[index])
            bind(filter, index, filter->trace->types[i], &any);
    }
}

static void tell_of_node(struct decode_filter *filter, unsigned index)
{
    const struct filter_node *node = &filter->tree.node[index];
    const char *dot = node->event != NULL && node->field != NULL ? "." : "";
    if (node->op < FILTER_TYPE)
        return;
    bind_all(filter, index);
    if (!filter->found[index])
        trace_note(filter->trace, "--filter: no event is or has %s%s%s%s%s", node->system != NULL ? node->system : "",
                   node->system != NULL ? ":" : "", node->event != NULL ? node->event : "", dot,
                   node->field != NULL ? node->field : "");
    else if (node->kind == FILTER_NAME && node->op != FILTER_TYPE && !filter->valued[index]
             && source_called(node) == ABSENT)
        trace_note(filter->trace, "--filter: no field %s has a value that is called %s", node->field, node->text);
}

void decode_filter_tell(struct decode_filter *filter)
{
    const struct trace_counts *counts = &filter->trace->counts;
    trace_note(filter->trace, "--filter: %" PRIu64 " of %" PRIu64 " events are left",
               counts->events + counts->derived - counts->left_out - counts->derived_left_out,
               counts->events + counts->derived);
    for (unsigned i = 0; i < filter->tree.n; i++)
        tell_of_node(filter, i);
}
