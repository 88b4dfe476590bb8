/* encoder.c - see encoder.h. Events are known by system, name and fields, so those that come from a trace.dat file are
 * shown like those that the mapping makes. */
#include "formats/vcd/encoder.h"

#include "base/heap.h"
#include "base/printable.h"
#include "model/display.h"
#include "text/print_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SYMBOL_BYTES = 512, /* of an address's name: names in C++ can be of any length */
    REAL_MOST = 40,     /* characters of a floating point number */
};

/* ---- forms ------------------------------------------------------------------------------------------------------- */

/* states.c relies on the order of the fields. */
static const struct {
    enum vcd_form form;
    const char *system, *name;
    const char *fields[VCD_NEEDED];
} forms[] = {
    {VCD_FORM_SWITCH, "sched", "sched_switch", {"prev_comm", "prev_pid", "prev_state", "next_comm", "next_pid"}},
    {VCD_FORM_WAKING, "sched", "sched_waking", {"comm", "pid"}},
    {VCD_FORM_WAKING, "sched", "sched_wakeup", {"comm", "pid"}},
    {VCD_FORM_ENTRY, "irq", "irq_handler_entry", {"irq", "name"}},
    {VCD_FORM_EXIT, "irq", "irq_handler_exit", {"irq", "ret"}},
    {VCD_FORM_LOCK, "shark", "set_mutex_lock", {"context", "mutex"}},
    {VCD_FORM_UNLOCK, "shark", "set_mutex_unlock", {"context", "mutex"}},
};

/* Find the fields that a form needs. False: the type has not all of them. */
static bool find_needed(struct vcd_encoder *encoder, const char *const *names)
{
    for (unsigned i = 0; i < VCD_NEEDED && names[i] != NULL; i++) {
        encoder->needed[i] = tlog_field_named(encoder->type, names[i]);
        if (encoder->needed[i] == NULL)
            return false;
    }
    return true;
}

static void find_priorities(struct vcd_encoder *encoder, enum vcd_form form)
{
    if (form != VCD_FORM_SWITCH)
        return;
    encoder->left = tlog_field_named(encoder->type, "prev_prio");
    encoder->next = tlog_field_named(encoder->type, "next_prio");
}

static enum vcd_form form_of(struct vcd_encoder *encoder)
{
    const struct tlog_type *type = encoder->type;
    if (type->means == TLOG_MEANS_LOSS || type->means == TLOG_MEANS_DAMAGE)
        return VCD_FORM_GAP;
    if (type->means == TLOG_MEANS_LEFT_OUT)
        return VCD_FORM_LEFT_OUT;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(type->system, forms[i].system) == 0 && strcmp(type->name, forms[i].name) == 0
            && find_needed(encoder, forms[i].fields)) {
            find_priorities(encoder, forms[i].form);
            return forms[i].form;
        }
    }
    return encoder->counter.is_all ? VCD_FORM_COUNTER : VCD_FORM_EVENT;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* The part of the print format that has names for the field's numbers, or NULL. */
static const struct piece *names_of(const struct vcd_encoder *encoder, const struct tlog_field *field)
{
    for (unsigned i = 0; i < encoder->pieces.n; i++) {
        const struct piece *piece = &encoder->pieces.piece[i];
        if (piece->field == field && (piece->kind == PIECE_SYMBOL || piece->kind == PIECE_FLAGS))
            return piece;
    }
    return NULL;
}

static enum vcd_value value_of(const struct vcd_field *of)
{
    enum tlog_kind kind = of->field->kind;
    if (kind == TLOG_KIND_CHARS || kind == TLOG_KIND_STRING)
        return VCD_TEXT;
    if (kind == TLOG_KIND_BYTES || kind == TLOG_KIND_WORDS || of->field->size == 0 || of->field->size > 8u)
        return VCD_HEX;
    if (of->piece != NULL)
        return VCD_SYMBOL;
    return tlog_kind_has_names(kind) ? VCD_NAMED : kind == TLOG_KIND_ADDRESS ? VCD_ADDRESS : VCD_NUMBER;
}

static void make_fields(struct vcd_encoder *encoder)
{
    for (unsigned i = 0; i < encoder->type->nfields; i++) {
        struct vcd_field *of = &encoder->field[encoder->nfields++];
        of->field = &encoder->type->fields[i];
        of->piece = names_of(encoder, of->field);
        of->value = value_of(of);
        encoder->ids += of->value >= VCD_NAMED ? 2u : 1u;
        if (trace_field_is_rounded(encoder->type, i)) {
            of->value = VCD_REAL;
            i++;
        }
    }
}

/* Make the encoder of the type with that index. NULL: no memory. */
static struct vcd_encoder *new_encoder(const struct trace *trace, uint16_t index)
{
    const struct tlog_type *type = trace->types[index];
    struct vcd_encoder *encoder = heap_calloc(1, sizeof *encoder);
    if (encoder == NULL)
        return NULL;
    encoder->type = type;
    encoder->counter = counter_of(type, index);
    encoder->form = form_of(encoder);
    encoder->of_running = type->means == TLOG_MEANS_LOCK_RUNNING || type->means == TLOG_MEANS_BLOCK_RUNNING;
    encoder->blocks = type->means == TLOG_MEANS_LOCK || type->means == TLOG_MEANS_BLOCK || encoder->of_running;
    encoder->unblocks = type->means == TLOG_MEANS_UNBLOCK;
    encoder->ends = trace_ends_task(type);
    encoder->object = trace_object_of(type);
    if (type->print != NULL && !print_format_parse(&encoder->pieces, type))
        encoder->pieces.n = 0;
    encoder->field = heap_calloc(type->nfields + 1u, sizeof *encoder->field);
    if (encoder->field == NULL) {
        vcd_encoder_free(encoder);
        return NULL;
    }
    make_fields(encoder);
    return encoder;
}

void vcd_encoder_free(struct vcd_encoder *encoder)
{
    if (encoder == NULL)
        return;
    heap_free(encoder->pieces.piece);
    heap_free(encoder->field);
    heap_free(encoder);
}

struct vcd_encoder *vcd_encoder_of(struct vcd *vcd, uint16_t type)
{
    struct vcd_encoder **encoder = &vcd->encoder[type];
    if (*encoder == NULL)
        *encoder = new_encoder(vcd->trace, type);
    if (*encoder == NULL)
        trace_fail(vcd->trace, "no memory for event types");
    return *encoder;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* symbol+0x14, or symbol at its first byte; 0 without a symbol. */
static size_t put_symbol(const struct trace *trace, uint64_t address, char *to, size_t size)
{
    uint64_t offset;
    const struct trace_symbol *symbol = trace_symbol_at(trace->firmware, address, &offset);
    if (symbol == NULL)
        return 0;
    if (offset == 0)
        return (size_t)snprintf(to, size, "%.*s", SYMBOL_BYTES - 32, symbol->name);
    return (size_t)snprintf(to, size, "%.*s+0x%" PRIx64, SYMBOL_BYTES - 32, symbol->name, offset);
}

size_t vcd_number_name(const struct trace *trace, const struct vcd_encoder *encoder, const struct tlog_field *field,
                       uint64_t number, char *to, size_t size)
{
    const struct piece *piece = names_of(encoder, field);
    char name[DISPLAY_NAME_BYTES];
    size_t n;
    if (piece != NULL) {
        struct out out = {to, to + size};
        print_format_names(&out, piece, number);
        return (size_t)(out.at - to);
    }
    if (field->kind == TLOG_KIND_ADDRESS) {
        n = put_symbol(trace, number, to, size);
        if (n > 0)
            return n;
    }
    n = display_number(trace, field->kind, number, !trace->only_numbers, name);
    return n < size ? (size_t)snprintf(to, size, "%s", name) : 0;
}

/* A text that is not a number is not written: a trace may hold any text there. */
static void put_real(struct vcd *vcd, uint32_t id, const struct tlog_event *event, const struct tlog_field *field)
{
    size_t n = 0;
    const char *text = tlog_event_string(event, field, &n);
    if (text == NULL || n == 0 || n > REAL_MOST)
        return;
    for (size_t i = 0; i < n; i++) {
        if (strchr("0123456789+-.einfa", text[i]) == NULL)
            return;
    }
    vcd_real(vcd, id, text, n);
}

static void put_hex_bytes(struct vcd *vcd, uint32_t id, const struct tlog_event *event, const struct tlog_field *field)
{
    char text[2u * TRACE_PAYLOAD_MAX];
    size_t size = field->offset <= event->size ? event->size - (size_t)field->offset : 0;
    if (field->kind != TLOG_KIND_WORDS && !tlog_event_has(event, field))
        return;
    size = field->kind == TLOG_KIND_WORDS ? size & ~(size_t)3 : field->size;
    size = size <= TRACE_PAYLOAD_MAX ? size : TRACE_PAYLOAD_MAX;
    vcd_text(vcd, id, text, (size_t)(hex_put(text, event->data + field->offset, size) - text));
}

static void put_number(struct vcd *vcd, uint32_t id, const struct vcd_encoder *encoder, const struct vcd_field *of,
                       const struct tlog_event *event)
{
    char text[PIECE_NAMES_BYTES];
    uint64_t value = tlog_event_number(event, of->field);
    if (!tlog_event_has(event, of->field))
        return;
    vcd_number(vcd, id, value & UINT64_MAX >> (64u - 8u * of->field->size));
    if (of->value >= VCD_NAMED)
        vcd_text(vcd, id + 1u, text, vcd_number_name(vcd->trace, encoder, of->field, value, text, sizeof text));
}

void vcd_fields(struct vcd *vcd, const struct vcd_encoder *encoder, const struct tlog_event *event, uint32_t id)
{
    for (unsigned i = 0; i < encoder->nfields; i++) {
        const struct vcd_field *of = &encoder->field[i];
        const char *text;
        size_t n = 0;
        if (of->value == VCD_REAL) {
            put_real(vcd, id, event, of->field + 1);
        } else if (of->value == VCD_HEX) {
            put_hex_bytes(vcd, id, event, of->field);
        } else if (of->value == VCD_TEXT) {
            text = tlog_event_string(event, of->field, &n);
            if (text != NULL)
                vcd_text(vcd, id, text, n);
        } else {
            put_number(vcd, id, encoder, of, event);
        }
        id += of->value >= VCD_NAMED ? 2u : 1u;
    }
}
