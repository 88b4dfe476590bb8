/* type.c - types of the event model for formats of events, and payloads for records: see tracedat/read/file.h.
 *
 *   record    common fields | fields, each at its offset | texts and arrays of any length
 *   payload                   fields, each at its offset | slots | texts
 *
 * What the model has no kind for is told as text: fields that point elsewhere, and as hex what is not text.
 */
#include "tracedat/read/file.h"

#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEX_MAX = 1900, /* bytes that are told as hex; what is longer ends in "..." */
};

static bool is_text(enum td_shape shape)
{
    return shape != TD_SCALAR && shape != TD_CHARS && shape != TD_ARRAY;
}

static bool has_place(enum td_shape shape)
{
    return shape == TD_DATALOC || shape == TD_RELLOC || shape == TD_DATAHEX || shape == TD_RELHEX;
}

static uint32_t round_up(uint32_t n)
{
    return (n + 3u) & ~3u;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static const char *join(char **to, const char *a, const char *separator, const char *b)
{
    size_t room = strlen(a) + strlen(separator) + strlen(b) + 1u;

    *to = malloc(room);
    if (*to == NULL)
        return b;
    snprintf(*to, room, "%s%s%s", a, separator, b);
    return *to;
}

/* libtraceevent takes these by their names for what the kernel writes, and that they no longer are. */
static bool is_renamed(const char *system, const char *name)
{
    static const char *const names[] = {"bprint", "kernel_stack", "user_stack", "raw_data", "power", "kmem_free"};

    for (size_t i = 0; i < sizeof names / sizeof names[0] && strcmp(system, "ftrace") == 0; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

static void name_type(struct td_type *type, const char *system, const char *name, const char *prefix)
{
    system = is_renamed(system, name) ? "tracing" : system;
    type->type.name = name;
    type->type.system = prefix[0] != '\0' ? join(&type->system, prefix, "_", system) : system;
}

static bool has_field(const struct td_format *format, const char *name)
{
    for (unsigned i = 0; i < format->nfields; i++) {
        if (strcmp(format->field[i].name, name) == 0)
            return true;
    }
    return false;
}

/* What Linux's own events mean; elsewhere names mean nothing. */
static enum trace_class class_of(const struct td_format *format, const char *system)
{
    static const struct {
        const char *system, *name, *field;
        enum trace_class class;
    } known[] = {
        {"sched", "sched_switch", "next_pid", TRACE_SWITCH},
        {"sched", "sched_waking", "pid", TRACE_WAKE},
        {"irq", "irq_handler_entry", "irq", TRACE_IRQ_ENTRY},
        {"irq", "irq_handler_exit", "irq", TRACE_IRQ_EXIT},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(system, known[i].system) == 0 && strcmp(format->name, known[i].name) == 0
            && has_field(format, known[i].field))
            return known[i].class;
    }
    return TRACE_PLAIN;
}

static enum trace_kind kind_of(const struct td_field *field)
{
    if (field->shape == TD_CHARS)
        return TRACE_CHARS;
    if (field->hex)
        return TRACE_HEX;
    if (field->optional)
        return TRACE_OPTIONAL;
    return field->is_signed ? TRACE_SIGNED : TRACE_UNSIGNED;
}

static struct trace_field *add_field(struct td_type *type)
{
    return &type->fields[type->type.nfields++];
}

/* The elements of an array, as fields NAME_0, NAME_1 ... whose names go where *names is. */
static void add_elements(struct td_type *type, const struct td_field *field, char **names)
{
    for (uint32_t i = 0; i < field->count; i++) {
        uint32_t offset = field->offset - type->format->common + i * field->element;
        int length = sprintf(*names, "%s_%u", field->name, (unsigned)i);

        *add_field(type) = (struct trace_field){*names, kind_of(field), (uint16_t)offset, (uint16_t)field->element};
        *names += length + 1;
    }
}

static void add_text(struct td_type *type, const struct td_field *field)
{
    uint32_t offset = field->offset - type->format->common;

    if (!has_place(field->shape)) {
        offset = type->type.size;
        type->type.size = (uint16_t)(type->type.size + 4u);
    }
    type->texts++;
    type->has_hex =
        type->has_hex || (field->shape != TD_DATALOC && field->shape != TD_RELLOC && field->shape != TD_OPEN);
    *add_field(type) = (struct trace_field){field->name, TRACE_STRING, (uint16_t)offset, 4};
}

static bool make_room(struct td_type *type)
{
    size_t fields = 1, names = 1;

    for (unsigned i = 0; i < type->format->nfields; i++) {
        const struct td_field *field = &type->format->field[i];

        fields += field->shape == TD_ARRAY ? field->count : 1u;
        names += field->shape == TD_ARRAY ? field->count * (strlen(field->name) + 5u) : 0u;
    }
    type->fields = calloc(fields, sizeof *type->fields);
    type->names = malloc(names);
    return type->fields != NULL && type->names != NULL;
}

static void add_fields(struct td_type *type)
{
    const struct td_format *format = type->format;
    char *names = type->names;

    type->slots = round_up(format->fixed - format->common);
    type->type.size = (uint16_t)type->slots;
    for (unsigned i = 0; i < format->nfields; i++) {
        const struct td_field *field = &format->field[i];
        uint32_t offset = field->offset - format->common;

        if (field->shape == TD_ARRAY)
            add_elements(type, field, &names);
        else if (is_text(field->shape))
            add_text(type, field);
        else
            *add_field(type) =
                (struct trace_field){field->name, kind_of(field), (uint16_t)offset, (uint16_t)field->size};
    }
    type->type.fields = type->fields;
    type->plain = true;
    for (unsigned i = 0; i < format->nfields; i++)
        type->plain = type->plain && (format->field[i].shape == TD_SCALAR || format->field[i].shape == TD_ARRAY);
}

/* trace_printk(): the record has the address of the text and its arguments; the payload has what they make. */
static bool become_bprint(struct td_type *type, struct td_format *format)
{
    if (strcmp(format->name, "bprint") != 0 || format->nfields != 3 || strcmp(format->field[0].name, "ip") != 0
        || strcmp(format->field[1].name, "fmt") != 0 || strcmp(format->field[2].name, "buf") != 0
        || format->field[1].size > 8)
        return false;
    type->fmt_at = format->field[1].offset;
    type->fmt_size = format->field[1].size;
    format->field[0].hex = true;
    format->field[2].shape = TD_OPEN;
    free(format->field[1].name);
    format->field[1] = format->field[2];
    format->nfields = 2;
    return true;
}

static void make_type(struct td_type *type, const char *system)
{
    struct td_format *format = type->format;
    struct td_field *last = format->nfields > 0 ? &format->field[format->nfields - 1u] : NULL;

    if (strcmp(system, "ftrace") == 0 && strcmp(format->name, "raw_data") == 0 && last != NULL
        && last->shape == TD_OPEN)
        last->shape = TD_OPENHEX;
    if (strcmp(system, "ftrace") == 0 && become_bprint(type, format)) {
        type->special = TD_BPRINT;
        type->type.print = "\"%ps: %s\", (void *)REC->ip, __get_str(buf)";
    } else {
        type->print = td_print_make(format);
        type->type.print = type->print;
    }
    add_fields(type);
    type->has_hex = type->has_hex || type->special == TD_BPRINT;
}

/* Nothing is known but the name, or not even that: the whole record is told as hex. */
static void become_unknown(struct td_type *type, const char *system, const char *name)
{
    static const struct trace_field fields[] = {{"id", TRACE_UNSIGNED, 0, 4}, {"data", TRACE_STRING, 4, 4}};

    type->special = TD_UNKNOWN;
    type->type.system = system;
    type->type.name = name;
    type->type.size = 8;
    type->type.nfields = 2;
    type->type.fields = fields;
    type->has_hex = true;
}

static void type_free(struct td_type *type)
{
    if (type == NULL)
        return;
    if (type->format != NULL)
        td_format_free(type->format);
    free(type->format);
    free(type->print);
    free(type->system);
    free(type->names);
    free(type->fields);
    free(type);
}

/* The one type for all events that have none of their own; why is said once. */
static struct td_type *unknown_type(struct tdfile *file, const char *why)
{
    struct td_type *type = file->unknown;

    if (type != NULL)
        return type;
    type = calloc(1, sizeof *type);
    if (type == NULL) {
        trace_fail(file->trace, "%s: no memory for types of event", file->trace->input_name);
        return NULL;
    }
    trace_damage(file->trace, 0, 0, 0, "%s: they are shown as hex", why);
    become_unknown(type, "trace_dat", "unknown_event");
    type->id = trace_type(file->trace, &type->type);
    file->unknown = type;
    return type;
}

static struct td_type *parse_type(struct tdfile *file, const struct td_source *source, const char *prefix)
{
    struct td_type *type = calloc(1, sizeof *type);
    bool good;

    if (type != NULL)
        type->format = calloc(1, sizeof *type->format);
    if (type == NULL || type->format == NULL) {
        trace_fail(file->trace, "%s: no memory for types of event", file->trace->input_name);
        type_free(type);
        return NULL;
    }
    good = td_format_parse(type->format, source->text, file->long_size, NULL);
    if (!good) {
        trace_damage(file->trace, source->at, strlen(source->text), 0,
                     "the format of %s:%s makes no sense: its events are shown as hex", source->system,
                     type->format->name ? type->format->name : "?");
    }
    if (good && make_room(type)) {
        name_type(type, source->system, type->format->name, prefix);
        type->type.class = prefix[0] == '\0' ? class_of(type->format, source->system) : TRACE_PLAIN;
        make_type(type, source->system);
    } else {
        become_unknown(type, source->system, type->format->name ? type->format->name : "unknown_event");
    }
    type->id = trace_type(file->trace, &type->type);
    return type;
}

/* The last number is kept for the events that get none of their own. */
struct td_type *td_type_of(struct tdfile *file, unsigned buffer, uint32_t id)
{
    struct td_type **slot;

    if (id >= file->tables.nsources || file->tables.source[id] == NULL)
        return unknown_type(file, "there are events without a format");
    if (file->types == NULL)
        file->types = calloc(file->nbuffers, sizeof *file->types);
    if (file->types != NULL && file->types[buffer] == NULL)
        file->types[buffer] = calloc(file->tables.nsources, sizeof *file->types[buffer]);
    if (file->types == NULL || file->types[buffer] == NULL) {
        trace_fail(file->trace, "%s: no memory for types of event", file->trace->input_name);
        return NULL;
    }
    slot = &file->types[buffer][id];
    if (*slot == NULL && file->trace->ntypes + 1u >= TRACE_TYPES_MAX)
        return unknown_type(file, "there are events of too many types");
    if (*slot == NULL)
        *slot = parse_type(file, file->tables.source[id], file->buffer[buffer].prefix);
    return *slot;
}

void td_types_free(struct tdfile *file)
{
    for (unsigned i = 0; file->types != NULL && i < file->nbuffers; i++) {
        for (uint32_t id = 0; file->types[i] != NULL && id < file->tables.nsources; id++)
            type_free(file->types[i][id]);
        free(file->types[i]);
    }
    free(file->types);
    type_free(file->unknown);
}

/* ---- payloads ---------------------------------------------------------------------------------------------------- */

struct packing {
    const struct tdfile *file;
    const struct td_type *type;
    const unsigned char *record;
    size_t size;
    unsigned char *to;
    size_t used; /* bytes of to */
};

size_t td_payload_room(const struct td_type *type, size_t size)
{
    size_t room = type->type.size + type->texts * (size + 1u) + 8u;

    return type->has_hex || room > TDFILE_PAYLOAD_MAX ? TDFILE_PAYLOAD_MAX : room;
}

/* Bytes that a text may have, beside its NUL, and that the payload still ends on 4. */
static size_t text_room(const struct packing *packing)
{
    return packing->used + 8u < TDFILE_PAYLOAD_MAX ? TDFILE_PAYLOAD_MAX - 8u - packing->used : 0;
}

/* A text of n bytes is in place: give it its NUL, and have the field tell it. */
static void end_text(struct packing *packing, uint32_t field, size_t n)
{
    packing->to[packing->used + n] = '\0';
    put_le32(packing->to + field, (uint32_t)packing->used | (uint32_t)(n + 1u) << 16);
    packing->used += n + 1u;
}

/* A text of at most n bytes, or up to its NUL. */
static void put_text(struct packing *packing, uint32_t field, const unsigned char *from, size_t n)
{
    const unsigned char *nul = n > 0 ? memchr(from, '\0', n) : NULL;
    size_t room = text_room(packing);

    n = nul != NULL ? (size_t)(nul - from) : n;
    if (n > room && room >= 3u) {
        memcpy(packing->to + packing->used + room - 3u, "...", 3);
        memcpy(packing->to + packing->used, from, room - 3u);
        n = room;
    } else if (n > room) {
        n = 0;
    } else if (n > 0) {
        memcpy(packing->to + packing->used, from, n);
    }
    end_text(packing, field, n);
}

static void put_hex(struct packing *packing, uint32_t field, const unsigned char *from, size_t n)
{
    size_t room = text_room(packing), most = room > 3u ? (room - 3u) / 2u : 0;
    unsigned char *to = packing->to + packing->used, *at = to;

    most = most < HEX_MAX ? most : HEX_MAX;
    for (size_t i = 0; i < n && i < most; i++) {
        *at++ = (unsigned char)"0123456789abcdef"[from[i] >> 4];
        *at++ = (unsigned char)"0123456789abcdef"[from[i] & 15u];
    }
    if (n > most && room >= 3u) {
        memcpy(at, "...", 3);
        at += 3;
    }
    end_text(packing, field, (size_t)(at - to));
}

/* A text, or bytes, that the record has somewhere behind the fields, and where and how long it is in the field. */
static void put_located(struct packing *packing, const struct td_field *field, uint32_t to)
{
    uint32_t place = (uint32_t)number_at(packing->record + field->offset, 4, packing->file->big);
    bool relative = field->shape == TD_RELLOC || field->shape == TD_RELHEX;
    size_t offset = (place & UINT16_MAX) + (relative ? field->offset + 4u : 0u), length = place >> 16;

    if (length > 0 && offset >= packing->size) {
        put_le32(packing->to + to, UINT32_MAX); /* nowhere: shown as ? */
        return;
    }
    if (field->shape == TD_DATALOC || field->shape == TD_RELLOC)
        put_text(packing, to, packing->record + offset, length > 0 ? packing->size - offset : 0);
    else
        put_hex(packing, to, packing->record + offset,
                length < packing->size - offset ? length : packing->size - offset);
}

static void put_pointed(struct packing *packing, const struct td_field *field, uint32_t to)
{
    uint64_t address = number_at(packing->record + field->offset, field->size, packing->file->big);
    const char *text = td_texts_find(&packing->file->tables.printk, address);
    char number[24];

    if (text == NULL) {
        snprintf(number, sizeof number, "%llx", (unsigned long long)address);
        text = number;
    }
    put_text(packing, to, (const unsigned char *)text, strlen(text));
}

static void put_open(struct packing *packing, const struct td_field *field, uint32_t to)
{
    size_t offset = field->offset < packing->size ? field->offset : packing->size;

    if (field->shape == TD_OPEN)
        put_text(packing, to, packing->record + offset, packing->size - offset);
    else
        put_hex(packing, to, packing->record + offset, packing->size - offset);
}

static void put_text_field(struct packing *packing, const struct td_field *field, uint32_t to)
{
    if (has_place(field->shape))
        put_located(packing, field, to);
    else if (field->shape == TD_POINTED)
        put_pointed(packing, field, to);
    else if (field->shape == TD_HEX)
        put_hex(packing, to, packing->record + field->offset, field->size);
    else
        put_open(packing, field, to);
}

static void put_number(unsigned char *to, uint64_t value, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        to[i] = (unsigned char)(value >> 8u * i);
}

/* The kernel pads with whatever was there; the model wants zeros, and one at the end. */
static void clean_chars(unsigned char *text, size_t size)
{
    unsigned char *nul = memchr(text, '\0', size - 1u);

    if (nul != NULL)
        memset(nul, 0, size - (size_t)(nul - text));
    text[size - 1u] = '\0';
}

/* A field that is in the payload what it is in the record, but for the order of its bytes. */
static void put_field(struct packing *packing, const struct td_field *field, uint32_t to)
{
    uint32_t element = field->shape == TD_ARRAY ? field->element : field->size;

    if (field->shape == TD_CHARS) {
        clean_chars(packing->to + to, field->size);
        return;
    }
    for (uint32_t i = 0; packing->file->big && i < field->size; i += element)
        put_number(packing->to + to + i, number_at(packing->record + field->offset + i, element, true), element);
}

static void put_bprint(struct packing *packing, uint32_t field)
{
    uint32_t at = packing->type->format->field[1].offset;
    uint64_t address = number_at(packing->record + packing->type->fmt_at, packing->type->fmt_size, packing->file->big);
    const char *text = td_texts_find(&packing->file->tables.printk, address);
    char made[2048];

    if (text == NULL) {
        snprintf(made, sizeof made, "(NO FORMAT FOUND at %llx)", (unsigned long long)address);
        put_text(packing, field, (const unsigned char *)made, strlen(made));
        return;
    }
    put_text(packing, field, (const unsigned char *)made,
             td_bprint(packing->file, made, sizeof made, text, packing->record + at, packing->size - at));
}

static void put_fields(struct packing *packing)
{
    const struct td_format *format = packing->type->format;
    uint32_t slot = packing->type->slots;

    for (unsigned i = 0; i < format->nfields; i++) {
        const struct td_field *field = &format->field[i];
        uint32_t to = field->offset - format->common;

        if (!is_text(field->shape)) {
            put_field(packing, field, to);
            continue;
        }
        if (!has_place(field->shape)) {
            to = slot;
            slot += 4u;
        }
        if (packing->type->special == TD_BPRINT)
            put_bprint(packing, to);
        else
            put_text_field(packing, field, to);
    }
}

static size_t pack_unknown(struct packing *packing)
{
    packing->used = 8;
    put_le32(packing->to,
             (uint32_t)number_at(packing->record + packing->file->tables.common.type_at, 2, packing->file->big));
    put_hex(packing, 4, packing->record, packing->size);
    return packing->used;
}

/* A record that ends before its fields do: as far as it goes, and no texts. */
static size_t pack_short(struct packing *packing)
{
    uint32_t base = packing->type->format->common;
    size_t there = packing->size > base ? packing->size - base : 0;

    memset(packing->to, 0, packing->used);
    for (unsigned i = 0; i < packing->type->format->nfields; i++) {
        const struct td_field *field = &packing->type->format->field[i];

        if (field->offset + field->size > packing->size || is_text(field->shape))
            continue;
        memcpy(packing->to + field->offset - base, packing->record + field->offset, field->size);
        put_field(packing, field, field->offset - base);
    }
    return there & ~(size_t)3;
}

size_t td_payload(const struct tdfile *file, const struct td_type *type, const unsigned char *record, size_t size,
                  unsigned char *to)
{
    struct packing packing = {file, type, record, size, to, type->type.size};
    uint32_t fixed;

    if (type->special == TD_UNKNOWN) {
        pack_unknown(&packing);
    } else if (size < type->format->fixed) {
        return pack_short(&packing);
    } else {
        fixed = type->format->fixed - type->format->common;
        memcpy(to, record + type->format->common, fixed);
        memset(to + fixed, 0, type->type.size - fixed);
        if (file->big || !type->plain)
            put_fields(&packing);
    }
    while (packing.used % 4u != 0)
        to[packing.used++] = '\0';
    return packing.used;
}
