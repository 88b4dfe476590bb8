/* args.c - see args.h. */
#include "formats/perfetto/args.h"

#include "base/printable.h"
#include "model/display.h"
#include "formats/perfetto/fields.h"

#include <stdio.h>
#include <stdlib.h>

enum { CACHED = 1024, SYMBOL_SHOWN = 512 };

/* How the number of a task, a mutex ... is shown. */
struct cached {
    enum trace_kind kind;
    uint32_t number;
    unsigned naming; /* 1 + trace.naming when it was looked up; 0: never */
    uint64_t iid;    /* of its name; 0: it has none */
};

struct perfetto_args {
    unsigned naming[TRACE_OBJECT_LAST + 1]; /* 1 + trace.naming when by_name was set */
    bool by_name[TRACE_OBJECT_LAST + 1];    /* kinds whose numbers are shown by name */
    struct cached cached[CACHED];
};

struct perfetto_args *perfetto_args_new(void)
{
    return calloc(1, sizeof(struct perfetto_args));
}

void perfetto_args_free(struct perfetto_args *args)
{
    free(args);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static unsigned char *put_string(unsigned char *to, const char *text, size_t n)
{
    unsigned char *begin = proto_begin(to, ANNOTATION_STRING);
    return proto_end_text(begin, (unsigned char *)printable_put((char *)begin, text, n, false));
}

static unsigned char *put_hex(unsigned char *to, const unsigned char *data, size_t n)
{
    unsigned char *begin = proto_begin(to, ANNOTATION_STRING);
    return proto_end(begin, (unsigned char *)hex_put((char *)begin, data, n));
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_by_name(struct perfetto *state, enum trace_kind kind)
{
    struct perfetto_args *args = state->args;
    if (args->naming[kind] != state->trace->naming + 1u) {
        args->by_name[kind] = display_by_name(state->trace, kind);
        args->naming[kind] = state->trace->naming + 1u;
    }
    return args->by_name[kind];
}

/* The iid of the name of a number; 0: it is shown as a number. */
static uint64_t name_of(struct perfetto *state, enum trace_kind kind, uint32_t number)
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

/* ---- addresses, enumerators -------------------------------------------------------------------------------------- */

static unsigned char *put_address(const struct perfetto *state, unsigned char *to, uint64_t address)
{
    uint64_t offset;
    const struct trace_symbol *symbol = trace_symbol_at(state->trace->firmware, address, &offset);
    unsigned char *begin;
    char *at;
    if (symbol == NULL)
        return proto_number(to, ANNOTATION_POINTER, address);
    begin = proto_begin(to, ANNOTATION_STRING);
    at = printable_put((char *)begin, symbol->name, strnlen(symbol->name, SYMBOL_SHOWN), false);
    *at++ = '+';
    *at++ = '0';
    *at++ = 'x';
    for (int shift = 60; shift >= 0; shift -= 4) {
        if (shift == 0 || offset >> shift != 0)
            *at++ = "0123456789abcdef"[offset >> shift & 15u];
    }
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

/* ---- annotations ------------------------------------------------------------------------------------------------- */

/* The words from the field's offset up to the end of the payload. */
static unsigned char *put_words(unsigned char *to, const struct trace_event *event, const struct trace_field *field)
{
    for (size_t at = field->offset; at + 4u <= event->size; at += 4u) {
        unsigned char *word = proto_begin(to, ANNOTATION_ARRAY);
        to = proto_end(word, proto_number(word, ANNOTATION_UINT, get_le32(event->data + at)));
    }
    return to;
}

/* A text in the payload; as a floating point number if it is one. */
static unsigned char *put_text(unsigned char *to, const struct trace_event *event, const struct perfetto_arg *arg)
{
    size_t length;
    const char *text = perfetto_string(event, arg->field, &length);
    char copy[64], *end;
    if (text == NULL)
        return put_string(to, "?", 1);
    if (arg->value != VALUE_DOUBLE || length >= sizeof copy)
        return put_string(to, text, length);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return proto_double(to, ANNOTATION_DOUBLE, strtod(copy, &end));
}

static unsigned char *put_number(unsigned char *to, const struct trace_field *field, uint64_t value)
{
    return proto_number(to, field->kind == TRACE_SIGNED ? ANNOTATION_INT : ANNOTATION_UINT, value);
}

static unsigned char *put_value(struct perfetto *state, unsigned char *to, struct perfetto_arg *arg,
                                const struct trace_event *event)
{
    uint64_t value = perfetto_number(event, arg->field), iid;
    switch (arg->value) {
    case VALUE_NUMBER:
        return put_number(to, arg->field, value);
    case VALUE_HEX:
        return proto_number(to, ANNOTATION_POINTER, value);
    case VALUE_NAMED:
        iid = name_of(state, arg->field->kind, (uint32_t)value);
        return iid != 0 ? proto_number(to, ANNOTATION_STRING_IID, iid) : proto_number(to, ANNOTATION_UINT, value);
    case VALUE_ADDRESS:
        return put_address(state, to, value);
    case VALUE_BYTES:
        return put_hex(to, event->data + arg->field->offset, arg->field->size);
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
                                 const struct trace_event *event)
{
    for (unsigned i = 0; i < shape->nargs; i++) {
        struct perfetto_arg *arg = &shape->arg[i];
        unsigned char *annotation;
        if (!perfetto_has(event, arg->field) || (arg->if_set && perfetto_number(event, arg->field) == 0))
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
