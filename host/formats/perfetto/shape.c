/* shape.c - see shape.h. The form of a type follows from its system, name and fields. So events of a trace.dat file
 * look the same in viewers as those that the mapping makes. */
#include "formats/perfetto/shape.h"

#include "base/heap.h"
#include "base/digits.h"
#include "base/printable.h"
#include "base/text.h"
#include "events/nesting.h"
#include "text/print_format.h"
#include "formats/perfetto/proto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ARG_BYTES = 64, /* of an argument with its label's number, without texts */
    NAME_BYTES = 4 * DISPLAY_NAME_BYTES,
    CACHED = 1024, /* names of numbers that are remembered */
    SYMBOL_SHOWN = 512,
};

/* ---- forms ------------------------------------------------------------------------------------------------------- */

struct form {
    enum perfetto_form form;
    const char *system, *name; /* NULL: any */
    const char *fields[PERFETTO_PLACES];
};

/* cpu.c and event.c rely on the order of these fields: perfetto_shape.place has it. */
static const struct form forms[] = {
    {FORM_SWITCH,
     "sched",
     "sched_switch",
     {"prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio"}},
    {FORM_WAKING, "sched", "sched_waking", {"comm", "pid", "prio", "target_cpu"}},
    {FORM_WAKEUP, "sched", "sched_wakeup", {"comm", "pid", "prio", "target_cpu"}},
    {FORM_IRQ_ENTRY, "irq", "irq_handler_entry", {"irq", "name"}},
    {FORM_IRQ_EXIT, "irq", "irq_handler_exit", {"irq", "ret"}},
    {FORM_BEGIN, "ftrace", "funcgraph_entry", {"func"}},
    {FORM_END, "ftrace", "funcgraph_exit", {"func", "overrun"}},
    {FORM_LOCK, "shark", "set_mutex_lock", {"context", "mutex"}},
    {FORM_UNLOCK, "shark", "set_mutex_unlock", {"context", "mutex"}},
    {FORM_PRIORITY, "shark", "set_priority", {"context", "priority"}},
    {FORM_LOG, "ftrace", "print", {NULL}},
    {FORM_LOG, "ftrace", "bprint", {NULL}},
    {FORM_LOG, "ftrace", "bputs", {NULL}},
    {FORM_LOG, "tracing", "print", {NULL}},
    {FORM_LOG, "tracing", "bprint", {NULL}},
    {FORM_LOG, "tracing", "bputs", {NULL}},
};

static const struct tlog_field *field_named(const struct tlog_type *type, const char *name)
{
    for (unsigned i = 0; i < type->nfields; i++) {
        if (strcmp(type->fields[i].name, name) == 0)
            return &type->fields[i];
    }
    return NULL;
}

/* Whether the type has the system, the name and the fields of the form. The fields become the shape's places. */
static bool takes_form(struct perfetto_shape *shape, const struct form *form)
{
    if (strcmp(shape->type->system, form->system) != 0 || strcmp(shape->type->name, form->name) != 0)
        return false;
    for (unsigned i = 0; i < PERFETTO_PLACES && form->fields[i] != NULL; i++) {
        shape->place[i] = field_named(shape->type, form->fields[i]);
        if (shape->place[i] == NULL)
            return false;
    }
    return true;
}

/* Whether the type is the beginning or the end of a span: its name ends with the suffix, and it has these fields of
 * events/nesting.h. */
static bool is_span(struct perfetto_shape *shape, const char *suffix, const struct tlog_field *fields, unsigned n)
{
    const struct tlog_type *type = shape->type;
    size_t length = strlen(type->name), tail = strlen(suffix);
    if (type->nfields != n || length <= tail || strcmp(type->name + length - tail, suffix) != 0)
        return false;
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(type->fields[i].name, fields[i].name) != 0 || type->fields[i].size != fields[i].size)
            return false;
    }
    shape->length = length - tail;
    return true;
}

static enum perfetto_form form_of(struct perfetto_shape *shape)
{
    const struct tlog_type *type = shape->type;
    if (type->means == TLOG_MEANS_LOSS || type->means == TLOG_MEANS_DAMAGE)
        return type->means == TLOG_MEANS_LOSS ? FORM_LOSS : FORM_DAMAGE;
    if (type->means == TLOG_MEANS_LEFT_OUT)
        return FORM_LEFT_OUT;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (takes_form(shape, &forms[i]))
            return forms[i].form;
    }
    if (is_span(shape, SPANS_BEGIN_SUFFIX, spans_begin_fields, SPANS_BEGIN_FIELDS))
        return FORM_BEGIN;
    if (is_span(shape, SPANS_END_SUFFIX, spans_end_fields, SPANS_END_FIELDS))
        return FORM_END;
    shape->place[0] = type->nfields > 0 ? &type->fields[0] : NULL;
    shape->place[1] = type->nfields > 1 ? &type->fields[1] : NULL;
    if (type->means == TLOG_MEANS_PRIORITY && type->nfields > 1)
        return FORM_PRIORITY;
    return shape->counter.is_all ? FORM_COUNTER : FORM_INSTANT;
}

/* ---- arguments of a type ----------------------------------------------------------------------------------------- */

static enum perfetto_value value_of(const struct tlog_field *field)
{
    if (tlog_kind_has_names(field->kind))
        return VALUE_NAMED;
    switch (field->kind) {
    case TLOG_KIND_HEX:
        return VALUE_HEX;
    case TLOG_KIND_CHARS:
        return VALUE_CHARS;
    case TLOG_KIND_STRING:
        return VALUE_STRING;
    case TLOG_KIND_ADDRESS:
        return VALUE_ADDRESS;
    case TLOG_KIND_BYTES:
        return VALUE_BYTES;
    case TLOG_KIND_WORDS:
        return VALUE_WORDS;
    default:
        return VALUE_NUMBER;
    }
}

/* Add field i. Returns the index of the next one. */
static unsigned add_arg(struct perfetto_shape *shape, unsigned i)
{
    const struct tlog_field *field = &shape->type->fields[i];
    struct perfetto_arg *arg = &shape->arg[shape->nargs++];
    bool is_number = trace_field_is_rounded(shape->type, i);
    arg->field = is_number ? field + 1 : field;
    arg->value = is_number ? VALUE_DOUBLE : value_of(field);
    arg->label = display_label(field);
    arg->if_set = display_if_set(shape->type, field);
    shape->strings += arg->value == VALUE_STRING;
    shape->room += ARG_BYTES + strlen(arg->label) + (arg->value == VALUE_NAMED ? NAME_BYTES : 0)
                   + (arg->value == VALUE_CHARS || arg->value == VALUE_BYTES ? 4u * (size_t)field->size : 0)
                   + (arg->value == VALUE_WORDS ? 4u * (size_t)TRACE_PAYLOAD_MAX : 0)
                   + (arg->value == VALUE_ADDRESS ? 4u * 512u : 0);
    return i + (is_number ? 2u : 1u);
}

/* False: no memory. */
static bool make_args(struct perfetto_shape *shape)
{
    shape->arg = heap_calloc(shape->type->nfields + 1u, sizeof *shape->arg);
    for (unsigned i = 0; shape->arg != NULL && i < shape->type->nfields;)
        i = add_arg(shape, i);
    return shape->arg != NULL;
}

/* ---- what only the print format tells ---------------------------------------------------------------------------- */

static struct perfetto_arg *arg_of(struct perfetto_shape *shape, const struct tlog_field *field)
{
    for (unsigned i = 0; i < shape->nargs; i++) {
        if (shape->arg[i].field == field)
            return &shape->arg[i];
    }
    return NULL;
}

/* Take the names of numbers from the list in the print format: { 7, "name" }, ... False: no memory. */
static bool take_symbols(struct perfetto_shape *shape, struct perfetto_arg *arg, const struct piece *piece)
{
    const char *at = piece->choice[0], *end = at + piece->choice_length[0];
    unsigned most = 0;
    for (const char *c = at; c < end; c++)
        most += *c == '{';
    arg->symbol = heap_calloc(most + 1u, sizeof *arg->symbol);
    if (arg->symbol == NULL)
        return false;
    while (arg->nsymbols < most) {
        struct perfetto_symbol *symbol = &arg->symbol[arg->nsymbols];
        if (!print_format_next_symbol(&at, end, &symbol->value, &symbol->name, &symbol->length))
            break;
        shape->room += symbol->length + 1u;
        arg->nsymbols++;
    }
    arg->value = piece->kind == PIECE_SYMBOL ? VALUE_SYMBOL : VALUE_FLAGS;
    shape->room += piece->choice_length[0];
    return true;
}

/* Take the unit of a counter: what follows the last value in the print format, without a blank between. */
static void take_unit(struct perfetto_shape *shape, const struct print_format *pieces)
{
    const struct piece *last = pieces->n > 0 ? &pieces->piece[pieces->n - 1u] : NULL;
    size_t n = last != NULL && last->kind == PIECE_PLAIN ? last->length : 0;
    if (shape->form == FORM_COUNTER && n < sizeof shape->unit && (n == 0 || last->text[0] != ' '))
        snprintf(shape->unit, sizeof shape->unit, "%.*s", (int)n, n > 0 ? last->text : "");
}

/* False: no memory. */
static bool take_print(struct perfetto_shape *shape)
{
    struct print_format pieces = {0, NULL};
    bool good = true;
    if (shape->type->print == NULL || !print_format_parse(&pieces, shape->type)) {
        heap_free(pieces.piece);
        return true;
    }
    for (unsigned i = 0; good && i < pieces.n; i++) {
        const struct piece *piece = &pieces.piece[i];
        struct perfetto_arg *arg = arg_of(shape, piece->field);
        if ((piece->kind == PIECE_SYMBOL || piece->kind == PIECE_FLAGS) && arg != NULL && arg->symbol == NULL)
            good = take_symbols(shape, arg, piece);
    }
    take_unit(shape, &pieces);
    heap_free(pieces.piece);
    return good;
}

/* The name that the type's print format has for a number, or NULL. */
static const struct perfetto_symbol *symbol_of(const struct perfetto_shape *shape, const struct tlog_field *field,
                                               uint32_t number)
{
    for (unsigned i = 0; i < shape->nargs; i++) {
        const struct perfetto_arg *arg = &shape->arg[i];
        for (unsigned k = 0; arg->field == field && arg->value == VALUE_SYMBOL && k < arg->nsymbols; k++) {
            if (arg->symbol[k].value == number)
                return &arg->symbol[k];
        }
    }
    return NULL;
}

/* A trace.dat file has the names of numbers in its print formats; a firmware's names are in the trace. */
void perfetto_number_name(const struct trace *trace, const struct perfetto_shape *shape, const struct tlog_field *field,
                          uint32_t number, char to[DISPLAY_NAME_BYTES])
{
    const struct perfetto_symbol *symbol = symbol_of(shape, field, number);
    if (symbol != NULL)
        *put_bytes(to, symbol->name, symbol->length < DISPLAY_NAME_BYTES ? symbol->length : DISPLAY_NAME_BYTES - 1u) =
            '\0';
    else
        display_number(trace, field->kind, number, !trace->only_numbers, to);
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

struct perfetto_shape *perfetto_shape_new(const struct trace *trace, uint16_t index)
{
    const struct tlog_type *type = trace->types[index];
    struct perfetto_shape *shape = heap_calloc(1, sizeof *shape);
    if (shape == NULL)
        return NULL;
    shape->type = type;
    shape->name = type->name;
    shape->length = shape->type_length = strlen(type->name);
    shape->system_length = strlen(type->system);
    shape->counter = counter_of(type, index);
    if (shape->counter.unit != NULL)
        snprintf(shape->unit, sizeof shape->unit, "%s", shape->counter.unit);
    shape->form = form_of(shape);
    if (shape->form == FORM_LOG)
        shape->print = print_type_new(trace, type);
    if ((shape->form != FORM_LOG || shape->print != NULL) && make_args(shape) && take_print(shape))
        return shape;
    perfetto_shape_free(shape);
    return NULL;
}

void perfetto_shape_free(struct perfetto_shape *shape)
{
    if (shape == NULL)
        return;
    for (unsigned i = 0; shape->arg != NULL && i < shape->nargs; i++)
        heap_free(shape->arg[i].symbol);
    heap_free(shape->arg);
    print_type_free(shape->print);
    heap_free(shape);
}

/* ---- arguments of an event --------------------------------------------------------------------------------------- */

/* How the number of a task, a mutex ... is shown. */
struct cached {
    enum tlog_kind kind;
    uint32_t number;
    unsigned naming; /* 1 + trace.naming when it was looked up; 0: never */
    uint64_t iid;    /* of its name; 0: it has none */
};

struct perfetto_args {
    unsigned naming[TLOG_KIND_OBJECT_LAST + 1]; /* 1 + trace.naming when by_name was set */
    bool by_name[TLOG_KIND_OBJECT_LAST + 1];    /* kinds whose numbers are shown by name */
    struct cached cached[CACHED];
};

struct perfetto_args *perfetto_args_new(void)
{
    return heap_calloc(1, sizeof(struct perfetto_args));
}

void perfetto_args_free(struct perfetto_args *args)
{
    heap_free(args);
}

/* ---- arguments of an event: texts -------------------------------------------------------------------------------- */

static unsigned char *put_string(unsigned char *to, const char *text, size_t n)
{
    unsigned char *begin = proto_begin(to, ANNOTATION_STRING);
    return proto_end_text(begin, (unsigned char *)printable_put((char *)begin, text, n, false));
}

static unsigned char *put_hex_bytes(unsigned char *to, const unsigned char *data, size_t n)
{
    unsigned char *begin = proto_begin(to, ANNOTATION_STRING);
    return proto_end(begin, (unsigned char *)hex_put((char *)begin, data, n));
}

/* ---- arguments of an event: names -------------------------------------------------------------------------------- */

static bool is_by_name(struct perfetto *state, enum tlog_kind kind)
{
    struct perfetto_args *args = state->args;
    if (args->naming[kind] != state->trace->naming + 1u) {
        args->by_name[kind] = display_by_name(state->trace, kind);
        args->naming[kind] = state->trace->naming + 1u;
    }
    return args->by_name[kind];
}

/* The iid of the name of a number; 0: it is shown as a number. */
static uint64_t name_of(struct perfetto *state, enum tlog_kind kind, uint32_t number)
{
    struct cached *cached = &state->args->cached[(number * 31u + (uint32_t)kind) % CACHED];
    char name[DISPLAY_NAME_BYTES];
    if (cached->naming == state->trace->naming + 1u && cached->kind == kind && cached->number == number)
        return cached->iid;
    *cached = (struct cached){kind, number, state->trace->naming + 1u, 0};
    if (is_by_name(state, kind) && display_name(state->trace, kind, number, name))
        cached->iid = perfetto_intern(&state->user, INTERNED_STRINGS, name, strlen(name));
    return cached->iid;
}

/* ---- arguments of an event: addresses, enumerators --------------------------------------------------------------- */

static unsigned char *put_address(const struct perfetto *state, unsigned char *to, uint64_t address)
{
    uint64_t offset;
    const struct trace_symbol *symbol = trace_symbol_at(state->trace->firmware, address, &offset);
    unsigned char *begin;
    char *at;
    if (symbol == NULL)
        return proto_number(to, ANNOTATION_POINTER, address);
    begin = proto_begin(to, ANNOTATION_STRING);
    at = printable_put((char *)begin, symbol->name, text_length(symbol->name, SYMBOL_SHOWN), false);
    if (offset > 0)
        at = put_hex(put_word(at, "+"), offset);
    return proto_end_text(begin, (unsigned char *)at);
}

static unsigned char *put_symbol(struct perfetto *state, unsigned char *to, struct perfetto_arg *arg, uint64_t value)
{
    for (unsigned i = 0; i < arg->nsymbols; i++) {
        struct perfetto_symbol *symbol = &arg->symbol[i];
        if (symbol->value != value)
            continue;
        if (symbol->iid == 0)
            symbol->iid = perfetto_intern(&state->user, INTERNED_STRINGS, symbol->name, symbol->length);
        if (symbol->iid != 0)
            return proto_number(to, ANNOTATION_STRING_IID, symbol->iid);
    }
    return proto_number(to, ANNOTATION_UINT, value);
}

/* The names of the bits that are set with | between them, and the rest as a number, as in text. */
static unsigned char *put_flags(unsigned char *to, const struct perfetto_arg *arg, uint64_t value)
{
    unsigned char *begin = proto_begin(to, ANNOTATION_STRING);
    char *at = (char *)begin;
    for (unsigned i = 0; i < arg->nsymbols; i++) {
        const struct perfetto_symbol *symbol = &arg->symbol[i];
        if (symbol->value == 0 || (value & symbol->value) != symbol->value)
            continue;
        if (at != (char *)begin)
            *at++ = '|';
        memcpy(at, symbol->name, symbol->length);
        at += symbol->length;
        value &= ~symbol->value;
    }
    if (value != 0)
        at += snprintf(at, 24, "%s0x%llx", at != (char *)begin ? "|" : "", (unsigned long long)value);
    return proto_end_text(begin, (unsigned char *)at);
}

/* ---- arguments of an event: annotations -------------------------------------------------------------------------- */

/* The words from the field's offset up to the end of the payload. */
static unsigned char *put_words(unsigned char *to, const struct tlog_event *event, const struct tlog_field *field)
{
    for (size_t at = field->offset; at + 4u <= event->size; at += 4u) {
        unsigned char *word = proto_begin(to, ANNOTATION_ARRAY);
        to = proto_end(word, proto_number(word, ANNOTATION_UINT, get_le32(event->data + at)));
    }
    return to;
}

/* A text in the payload; as a floating point number if it is one. */
static unsigned char *put_text(unsigned char *to, const struct tlog_event *event, const struct perfetto_arg *arg)
{
    size_t length;
    const char *text = tlog_event_string(event, arg->field, &length);
    char copy[64], *end;
    if (text == NULL)
        return put_string(to, "?", 1);
    if (arg->value != VALUE_DOUBLE || length >= sizeof copy)
        return put_string(to, text, length);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return proto_double(to, ANNOTATION_DOUBLE, strtod(copy, &end));
}

static unsigned char *put_number(unsigned char *to, const struct tlog_field *field, uint64_t value)
{
    return proto_number(to, field->kind == TLOG_KIND_SIGNED ? ANNOTATION_INT : ANNOTATION_UINT, value);
}

static unsigned char *put_value(struct perfetto *state, unsigned char *to, struct perfetto_arg *arg,
                                const struct tlog_event *event)
{
    uint64_t value = tlog_event_number(event, arg->field), iid;
    switch (arg->value) {
    case VALUE_NUMBER:
        return put_number(to, arg->field, value);
    case VALUE_HEX:
        return proto_number(to, ANNOTATION_POINTER, value);
    case VALUE_NAMED:
        iid = name_of(state, arg->field->kind, (uint32_t)value);
        if (iid != 0)
            return proto_number(to, ANNOTATION_STRING_IID, iid);
        return proto_number(to, display_is_handle(arg->field->kind) ? ANNOTATION_POINTER : ANNOTATION_UINT, value);
    case VALUE_ADDRESS:
        return put_address(state, to, value);
    case VALUE_BYTES:
        return put_hex_bytes(to, event->data + arg->field->offset, arg->field->size);
    case VALUE_WORDS:
        return put_words(to, event, arg->field);
    case VALUE_SYMBOL:
        return put_symbol(state, to, arg, value);
    case VALUE_FLAGS:
        return put_flags(to, arg, value);
    default:
        return put_text(to, event, arg);
    }
}

/* The label, by its number if it has one. */
static unsigned char *put_label(struct perfetto *state, unsigned char *to, uint64_t *iid, const char *label)
{
    if (*iid == 0)
        *iid = perfetto_intern(&state->user, INTERNED_ANNOTATION_NAMES, label, strlen(label));
    return *iid != 0 ? proto_number(to, ANNOTATION_NAME_IID, *iid) : proto_text(to, ANNOTATION_NAME, label);
}

unsigned char *perfetto_put_args(struct perfetto *state, unsigned char *to, struct perfetto_shape *shape,
                                 const struct tlog_event *event)
{
    for (unsigned i = 0; i < shape->nargs; i++) {
        struct perfetto_arg *arg = &shape->arg[i];
        unsigned char *annotation;
        if (!tlog_event_has(event, arg->field) || (arg->if_set && tlog_event_number(event, arg->field) == 0))
            continue;
        annotation = proto_begin(to, EVENT_ANNOTATIONS);
        to = put_label(state, annotation, &arg->iid, arg->label);
        to = proto_end(annotation, put_value(state, to, arg, event));
    }
    return to;
}

unsigned char *perfetto_put_text_arg(struct perfetto *state, unsigned char *to, const char *label, const char *text)
{
    unsigned char *annotation = proto_begin(to, EVENT_ANNOTATIONS);
    uint64_t iid = 0;
    to = put_label(state, annotation, &iid, label);
    return proto_end(annotation, put_string(to, text, strlen(text)));
}
