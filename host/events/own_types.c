/* own_types.c - see own_types.h.
 *
 * A descriptor that is no good is left out, as are two of one event that say different things: then its events stay
 * numbers. */
#include "events/own_types.h"

#include "base/bytes.h"
#include "events/own_float.h"
#include "events/own_print.h"
#include "events/own_text.h"
#include "events/spans.h"
#include "model/message.h"
#include "tlog_wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDS         256u
#define HEADS       (OWN_CLASSES * IDS)
#define TAG_SHIFT   8u
#define TYPES_SPARE 64u                  /* types that are left for all that is not the firmware's own */
#define NAME_ROOM   (OWN_NAME_MAX + 24u) /* of a type's name: a suffix, and a number where the name is taken */
#define FIELD_ROOM  (OWN_NAME_MAX + 16u) /* of a field's name */

/* The type of a descriptor's events of one tag. */
struct own_type {
    struct trace_type type;
    uint16_t index; /* in the trace */
    bool is_plain;  /* the payload is the data of the event */
    uint16_t added; /* offset in the payload of what is added to the data */
    char name[NAME_ROOM];
    char *print;
    char (*names)[FIELD_ROOM];
    struct trace_field *field;
};

/* A descriptor that is good, and the types that were made of it. */
struct known {
    const struct trace_descriptors *at;
    const unsigned char *bytes;
    size_t size;
    struct own_descriptor *descriptor; /* NULL: there are others for the same event */
    struct known *same;                /* an equal one at another address, whose types these are; or NULL */
    struct own_type *type[OWN_TAGS];
};

struct own_types {
    struct trace *trace;
    const struct trace_firmware *firmware; /* whose descriptors were read, or NULL */
    bool is_read;
    bool is_full;         /* the trace has no room for further types */
    struct known *known;  /* n of them: those of sections, then those with an address in its order */
    size_t n, nsections;  /* all; those of sections */
    struct known **texts; /* ntexts of them, by the number of the format string; NULL: not looked at */
    size_t ntexts;
    uint16_t of[HEADS];  /* by group and id: its number in known + 1 */
    uint64_t untold;     /* events that stayed numbers */
    size_t bad;          /* descriptors that are left out */
    const char *bad_why; /* the first one of them */
    char bad_name[64];   /* ... and what it is called */
};

struct own_types *own_types_new(struct trace *trace)
{
    struct own_types *types = calloc(1, sizeof *types);
    if (types != NULL)
        types->trace = trace;
    return types;
}

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

static void note_bad(struct own_types *types, const char *why, const char *name)
{
    if (types->bad++ > 0)
        return;
    types->bad_why = why;
    snprintf(types->bad_name, sizeof types->bad_name, "%s", name);
}

/* Two descriptors of one event: the same thing twice is nothing bad. */
static void take_second(struct own_types *types, struct known *known, const unsigned char *bytes, size_t size)
{
    if (known->size == size && memcmp(known->bytes, bytes, size) == 0)
        return;
    if (known->descriptor != NULL)
        note_bad(types, "two of them for one event", known->descriptor->name);
    own_descriptor_free(known->descriptor);
    known->descriptor = NULL;
}

/* Index in types->of of a group's event. */
static size_t place_of(uint32_t group, uint32_t id)
{
    return (size_t)group * IDS + id;
}

/* Take a descriptor of a section. False: no memory. */
static bool take(struct own_types *types, const unsigned char *bytes, size_t size)
{
    const char *why;
    struct own_descriptor *descriptor = own_descriptor_parse(bytes, size, types->firmware->big_endian, &why);
    uint16_t *place;
    if (descriptor == NULL) {
        if (why != NULL)
            note_bad(types, why, "");
        return why != NULL;
    }
    if (descriptor->head == OWN_MAGIC) {
        note_bad(types, "not of an event of a group", descriptor->name);
        own_descriptor_free(descriptor);
        return true;
    }
    place = &types->of[place_of((descriptor->head >> TLOG_CLASS_SHIFT) - OWN_CLASS_FIRST, descriptor->head & 0xFFu)];
    if (*place != 0) {
        take_second(types, &types->known[*place - 1u], bytes, size);
        own_descriptor_free(descriptor);
        return true;
    }
    types->known[types->n] = (struct known){.bytes = bytes, .size = size, .descriptor = descriptor};
    *place = (uint16_t)++types->n;
    return true;
}

/* Take all descriptors of a section, up to one whose size cannot be. Words of 0 between them are padding. */
static bool take_section(struct own_types *types, const struct trace_descriptors *section)
{
    size_t at = 0, size;
    for (; at + 4u <= section->size; at += size) {
        size = 4u;
        if (get_le32(section->bytes + at) == 0)
            continue;
        size = own_descriptor_size(section->bytes + at, section->size - at, types->firmware->big_endian);
        if (size == 0) {
            note_bad(types, "a size that cannot be", "");
            return true;
        }
        if (!take(types, section->bytes + at, size))
            return false;
    }
    return true;
}

/* The first of those with an address that is equal; NULL: there is none. Each file that defines an event may have a
 * copy, and so have a span's beginning and end. */
static struct known *find_equal(struct own_types *types, const struct trace_descriptors *at)
{
    for (size_t i = types->nsections; i < types->n; i++) {
        const struct trace_descriptors *other = types->known[i].at;
        if (other->size == at->size && memcmp(other->bytes, at->bytes, at->size) == 0)
            return &types->known[i];
    }
    return NULL;
}

/* Take the descriptors that have addresses. Nothing is told of bad ones: their bytes may be no descriptors at all. */
static bool take_others(struct own_types *types)
{
    const struct trace_firmware *firmware = types->firmware;
    const char *why;
    for (size_t i = firmware->nsections; i < firmware->ndescriptors; i++) {
        const struct trace_descriptors *at = &firmware->descriptors[i];
        size_t size = own_descriptor_size(at->bytes, at->size, firmware->big_endian);
        struct own_descriptor *descriptor = own_descriptor_parse(at->bytes, size, firmware->big_endian, &why);
        if (descriptor == NULL && why == NULL)
            return false;
        if (descriptor != NULL) {
            struct known *same = find_equal(types, at);
            types->known[types->n++] = (struct known){.at = at, .descriptor = descriptor, .same = same};
        }
    }
    return true;
}

/* ---- what the user is told --------------------------------------------------------------------------------------- */

static void tell_bad(const struct own_types *types)
{
    const char *name = types->bad_name;
    if (types->bad > 0 && !types->trace->quiet)
        message(
            "%s: %zu description%s of events cannot be used, the first one%s%s because it has %s: these events stay "
            "numbers",
            types->firmware->path, types->bad, types->bad == 1u ? "" : "s", name[0] != '\0' ? ", of " : "", name,
            types->bad_why);
}

/* The first event came, and nothing is known that it could be. */
static void tell_none(const struct own_types *types)
{
    const struct trace_firmware *firmware = types->trace->firmware;
    if (types->trace->missed_firmware)
        return;
    if (firmware == NULL || firmware->path == NULL)
        trace_note(types->trace, "events that the firmware defines stay numbers: --elf=FILE tells what they are");
    else if (!firmware->is_wrong && !types->trace->quiet)
        message("%s: no descriptions of events in it: those that the firmware defines stay numbers", firmware->path);
}

/* Read all descriptors, when the first event comes. False after trace_fail(). */
static bool read_all(struct own_types *types)
{
    const struct trace_firmware *firmware = types->trace->firmware;
    bool good = true;
    types->is_read = true;
    if (firmware == NULL || firmware->ndescriptors == 0 || firmware->is_wrong) {
        tell_none(types);
        return true;
    }
    types->firmware = firmware;
    types->known = calloc(HEADS + firmware->ndescriptors, sizeof *types->known);
    for (size_t i = 0; types->known != NULL && good && i < firmware->nsections; i++)
        good = take_section(types, &firmware->descriptors[i]);
    types->nsections = types->n;
    if (types->known == NULL || !good || !take_others(types))
        return trace_fail(types->trace, "%s: no memory for what is in it", firmware->path) == 0;
    tell_bad(types);
    return true;
}

/* ---- making types ------------------------------------------------------------------------------------------------ */

static enum trace_kind kind_of(const struct own_field *field)
{
    return field->form == OWN_SIGNED || field->form == OWN_FLOAT ? TRACE_SIGNED
           : field->form == OWN_HEX                              ? TRACE_HEX
           : field->form == OWN_POINTER                          ? TRACE_ADDRESS
           : field->form == OWN_TEXT                             ? TRACE_STRING
                                                                 : TRACE_UNSIGNED;
}

/* Add a field of the type. */
static struct trace_field *add_field(struct own_type *type, enum trace_kind kind, uint32_t offset, uint32_t size)
{
    struct trace_field *field = &type->field[type->type.nfields];
    *field = (struct trace_field){type->names[type->type.nfields], kind, (uint16_t)offset, (uint16_t)size};
    type->type.nfields++;
    return field;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void name_field(const struct own_type *type, const char *format, const char *name, unsigned i)
{
    snprintf(type->names[type->type.nfields], FIELD_ROOM, format, name, i);
}
#pragma GCC diagnostic pop

/* Add a field that is not in the data, at *added, which goes behind it. */
static void add_behind(struct own_type *type, enum trace_kind kind, const char *format, const char *name,
                       uint32_t *added)
{
    uint32_t size = kind == TRACE_STRING ? 4u : 8u;
    name_field(type, format, name, 0);
    add_field(type, kind, *added, size);
    *added += size;
}

/* Add the fields for one of the descriptor's. *added: offset of the next one that is not in the data. put_more() puts
 * them in the same order. */
static void add_fields(struct own_type *type, const struct own_field *field, uint32_t *added)
{
    for (unsigned i = 0; i < field->elements; i++) {
        name_field(type, OWN_ELEMENT, field->name, i);
        add_field(type, TRACE_UNSIGNED, field->offset + i * field->size, field->size);
    }
    if (field->form == OWN_FLOAT || field->form == OWN_TEXT) {
        add_behind(type, kind_of(field), "%s", field->name, added);
    } else if (field->elements == 0) {
        name_field(type, "%s", field->name, 0);
        add_field(type, kind_of(field), field->offset, field->size);
    }
    if (field->form == OWN_FLOAT)
        add_behind(type, TRACE_STRING, OWN_SHOWN, field->name, added);
    if (own_unit_is_field(field))
        add_behind(type, TRACE_STRING, OWN_UNIT, field->name, added);
}

/* Make the fields of a span's beginning or end, by which spans.c knows them. */
static void make_span(struct own_type *type, enum own_tag tag)
{
    bool begins = tag == OWN_TAG_BEGIN;
    type->type.fields = begins ? spans_begin_fields : spans_end_fields;
    type->type.nfields = begins ? SPANS_BEGIN_FIELDS : SPANS_END_FIELDS;
    type->type.size = begins ? SPANS_BEGIN_BYTES : SPANS_END_BYTES;
    type->type.print = begins ? spans_begin_print : spans_end_print;
    type->is_plain = begins;
}

/* How many fields the type may get: 1 at least. */
static size_t count_fields(const struct own_descriptor *of)
{
    size_t n = 1;
    for (unsigned i = 0; i < of->nfields; i++)
        n += (of->field[i].elements > 0 ? of->field[i].elements : 1u) + 2u;
    return n;
}

/* Make the fields of any other event. False: no memory. */
static bool make_fields(struct own_type *type, const struct own_descriptor *of)
{
    uint32_t added = 4u * of->words, data = of->words > 2u ? (4u * of->words + 7u) & ~7u : 8u;
    size_t most = count_fields(of);
    type->names = calloc(most, sizeof *type->names);
    type->field = calloc(most, sizeof *type->field);
    type->type.print = type->print = own_print(of);
    if (type->names == NULL || type->field == NULL || type->print == NULL)
        return false;
    type->added = (uint16_t)added;
    type->is_plain = true;
    for (unsigned i = 0; i < of->nfields; i++) {
        add_fields(type, &of->field[i], &added);
        type->is_plain = type->is_plain && of->field[i].form != OWN_POINTER;
    }
    type->is_plain = type->is_plain && added == type->added;
    type->type.fields = type->field;
    type->type.size = (uint16_t)(type->is_plain ? data : added);
    return true;
}

static void free_type(struct own_type *type)
{
    if (type == NULL)
        return;
    free(type->print);
    free(type->names);
    free(type->field);
    free(type);
}

/* Whether a type of the trace has the name already. */
static bool is_taken(const struct trace *trace, const char *system, const char *name)
{
    for (unsigned i = 0; i < trace->ntypes; i++) {
        if (strcmp(trace->types[i]->system, system) == 0 && strcmp(trace->types[i]->name, name) == 0)
            return true;
    }
    return false;
}

/* Name the type: with _2, _3 ... behind a name that is taken, because users look for events by name. */
static void name_type(struct own_type *type, const struct trace *trace, const struct own_descriptor *of,
                      enum own_tag tag)
{
    static const char *const suffix[OWN_TAGS] = {"", SPANS_BEGIN_SUFFIX, SPANS_END_SUFFIX};
    snprintf(type->name, sizeof type->name, "%s%s", of->name, suffix[tag]);
    for (unsigned n = 2; is_taken(trace, of->system, type->name); n++)
        snprintf(type->name, sizeof type->name, "%s%s_%u", of->name, suffix[tag], n);
    type->type.system = of->system;
    type->type.name = type->name;
}

/* Whether the trace has room for further types. If not, that is told once. */
static bool have_room(struct own_types *types)
{
    if (types->trace->ntypes + TYPES_SPARE < TRACE_TYPES_MAX)
        return true;
    if (!types->is_full)
        trace_note(types->trace, "more types of event than there is room for: some events stay numbers");
    types->is_full = true;
    return false;
}

/* Make and declare the type of a descriptor's events of one tag. NULL after trace_fail(). */
static struct own_type *make_type(struct own_types *types, const struct own_descriptor *of, enum own_tag tag)
{
    struct trace *trace = types->trace;
    struct own_type *type = calloc(1, sizeof *type);
    if (type != NULL && of->kind == OWN_SPAN)
        make_span(type, tag);
    if (type == NULL || (of->kind != OWN_SPAN && !make_fields(type, of))) {
        free_type(type);
        trace_fail(trace, "%s: no memory for types of event", trace->input_name);
        return NULL;
    }
    name_type(type, trace, of, tag);
    type->index = trace_type(trace, &type->type);
    return type;
}

/* Make the type of a tag; of a span both types, as spans.c wants them. */
static void make_types(struct own_types *types, struct known *known, enum own_tag tag)
{
    enum own_tag first = tag == OWN_TAG_END ? OWN_TAG_BEGIN : tag, last = tag == OWN_TAG_BEGIN ? OWN_TAG_END : tag;
    for (unsigned i = first; i <= (unsigned)last; i++)
        known->type[i] = make_type(types, known->descriptor, (enum own_tag)i);
}

/* The type of such events; NULL: they have none. */
static struct own_type *type_of(struct own_types *types, struct known *known, enum own_tag tag)
{
    if (known != NULL && known->same != NULL)
        known = known->same;
    if (known == NULL || known->descriptor == NULL || tag >= OWN_TAGS)
        return NULL;
    if ((known->descriptor->kind == OWN_SPAN) != (tag != OWN_TAG_EVENT))
        return NULL;
    if (known->type[tag] == NULL && have_room(types))
        make_types(types, known, tag);
    return known->type[tag];
}

/* ---- payloads ---------------------------------------------------------------------------------------------------- */

/* What is added behind the data of an event. */
struct more {
    unsigned char *data;
    size_t at;   /* of the next field */
    size_t used; /* with the texts */
};

/* Add a text of n bytes with its NUL, to which the next field leads. */
static void add_text(struct more *more, const void *text, size_t n)
{
    memcpy(more->data + more->used, text, n);
    put_le32(more->data + more->at, (uint32_t)more->used | (uint32_t)n << 16);
    more->used += n;
    more->at += 4u;
}

/* Add a floating point number as a whole one and as a text. */
static void add_float(struct more *more, const unsigned char *from, unsigned size)
{
    double value = own_float_at(from, size);
    char text[OWN_FLOAT_TEXT];
    size_t length = own_float_text(text, value, size);
    put_le64(more->data + more->at, (uint64_t)own_float_round(value));
    more->at += 8u;
    add_text(more, text, length + 1u);
}

/* Put the payload of an event whose payload is more than its data. */
static uint16_t put_more(const struct own_type *type, const struct own_descriptor *of,
                         const struct trace_firmware *firmware, struct own_data from, unsigned char *data)
{
    size_t words = 4u * (size_t)of->words;
    struct more more = {data, type->added, type->type.size};
    memset(data, 0, type->type.size);
    memcpy(data, from.words, words);
    for (unsigned i = 0; i < of->nfields; i++) {
        const struct own_field *field = &of->field[i];
        if (field->form == OWN_POINTER)
            own_data_clear_thumb(firmware, data + field->offset);
        else if (field->form == OWN_TEXT)
            add_text(&more, from.words + words, own_data_text(of, from));
        else if (field->form == OWN_FLOAT)
            add_float(&more, from.words + field->offset, field->size);
        if (own_unit_is_field(field))
            add_text(&more, field->unit, strlen(field->unit) + 1u);
    }
    for (; more.used % 4u != 0; more.used++)
        data[more.used] = 0;
    return (uint16_t)more.used;
}

static uint16_t put_plain(const struct own_type *type, const struct own_descriptor *of, struct own_data from,
                          unsigned char *data)
{
    memset(data, 0, type->type.size);
    memcpy(data, from.words, 4u * (size_t)of->words);
    return type->type.size;
}

/* Put the payload of an event of a known descriptor. 0: it has no type, or other data. */
static uint16_t put(struct own_types *types, struct known *known, enum own_tag tag, struct own_data from,
                    unsigned char *data, struct own_type **type)
{
    const struct own_descriptor *of = known != NULL ? known->descriptor : NULL;
    *type = type_of(types, known, tag);
    if (*type == NULL || !own_data_is_of(of, from))
        return 0;
    return (*type)->is_plain || of->kind == OWN_SPAN ? put_plain(*type, of, from, data)
                                                     : put_more(*type, of, types->trace->firmware, from, data);
}

uint16_t own_types_payload(struct own_types *types, uint32_t group, uint32_t number, struct own_data from,
                           unsigned char *data, uint16_t *type, bool *is_plain)
{
    uint32_t tag = number >> TAG_SHIFT;
    struct own_type *of;
    uint16_t found, size;
    if (!types->is_read && !read_all(types))
        return 0;
    found = types->of[place_of(group % OWN_CLASSES, number % IDS)];
    size = put(types, found > 0 ? &types->known[found - 1u] : NULL, tag < OWN_TAGS ? (enum own_tag)tag : OWN_TAGS, from,
               data, &of);
    types->untold += size == 0 && types->firmware != NULL;
    *type = size > 0 ? of->index : 0;
    *is_plain = size > 0 && of->is_plain;
    return size;
}

bool own_types_are_known(const struct own_types *types)
{
    return types->firmware != NULL;
}

static int address_order(const void *address, const void *known)
{
    uint64_t left = *(const uint64_t *)address, right = ((const struct known *)known)->at->address;
    return (left > right) - (left < right);
}

/* The known descriptor at an address, or NULL. */
static struct known *find_at(struct own_types *types, uint64_t address)
{
    size_t first = types->nsections;
    if (types->n <= first)
        return NULL;
    return bsearch(&address, types->known + first, types->n - first, sizeof *types->known, address_order);
}

uint16_t own_types_payload_at(struct own_types *types, uint64_t address, enum own_tag tag, struct own_data from,
                              unsigned char *data, uint16_t *type)
{
    struct own_type *of;
    uint16_t size;
    if (!types->is_read && !read_all(types))
        return 0;
    size = put(types, find_at(types, address), tag, from, data, &of);
    types->untold += size == 0 && types->firmware != NULL;
    *type = size > 0 ? of->index : 0;
    return size;
}

/* What is known of the format at an address. NULL: there is no format, or after trace_fail(). */
static struct known *known_text(struct own_types *types, uint64_t address)
{
    const struct trace *trace = types->trace;
    const struct trace_printk *printk = trace_printk_exactly_at(trace, address);
    struct known **known;
    if (types->texts == NULL && trace->nprintk > 0)
        types->texts = calloc(trace->nprintk, sizeof *types->texts);
    if (printk == NULL || types->texts == NULL)
        return NULL;
    known = &types->texts[printk - trace->printk];
    types->ntexts = trace->nprintk;
    if (*known == NULL) {
        *known = calloc(1, sizeof **known);
        if (*known != NULL)
            (*known)->descriptor = own_text_describe(printk->format);
    }
    return *known;
}

uint16_t own_types_payload_of_text(struct own_types *types, uint64_t address, struct own_data from, unsigned char *data,
                                   uint16_t *type)
{
    struct own_type *of;
    uint16_t size = put(types, known_text(types, address), OWN_TAG_EVENT, from, data, &of);
    *type = size > 0 ? of->index : 0;
    return size;
}

/* Free what a descriptor has, and its types. */
static void free_known(struct known *known)
{
    for (unsigned tag = 0; tag < OWN_TAGS; tag++)
        free_type(known->type[tag]);
    own_descriptor_free(known->descriptor);
}

void own_types_free(struct own_types *types)
{
    if (types == NULL)
        return;
    if (types->untold > 0)
        trace_note(types->trace, "%" PRIu64 " event%s that the firmware defines stayed numbers: not as described in %s",
                   types->untold, types->untold == 1u ? "" : "s", types->firmware->path);
    for (size_t i = 0; i < types->n; i++)
        free_known(&types->known[i]);
    for (size_t i = 0; i < types->ntexts; i++) {
        if (types->texts[i] != NULL)
            free_known(types->texts[i]);
        free(types->texts[i]);
    }
    free(types->known);
    free(types->texts);
    free(types);
}
