/* type.c - see type.h.
 *
 * Fields for which the event model has no kind become texts. Such are fields whose content is elsewhere in the record
 * or in the printk section, and, as hex, all that is neither number nor text.
 */
#include "formats/tracedat/read/type.h"

#include "base/heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names and classes ------------------------------------------------------------------------------------------- */

/* Join an instance's name, or "", a mark and a system. *to: the memory of the result, which the caller frees. If there
 * is none, the result is the system alone. */
static const char *join(char **to, const char *prefix, const char *mark, const char *system)
{
    size_t room = strlen(prefix) + 1u + strlen(mark) + strlen(system) + 1u;
    *to = heap_alloc(room);
    if (*to == NULL)
        return system;
    snprintf(*to, room, "%s%s%s%s", prefix, prefix[0] != '\0' ? "_" : "", mark, system);
    return *to;
}

/* Whether an event of the system ftrace needs another system. libtraceevent knows these events by their names and
 * expects the kernel's records, but a writer makes other records of them. */
static bool is_renamed(const char *system, const char *name)
{
    static const char *const names[] = {"bprint", "kernel_stack", "user_stack", "raw_data", "power", "kmem_free"};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && strcmp(system, "ftrace") == 0; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* Name the type. prefix: the instance's name, or "". Viewers know many events by system and name, and rely on their
 * fields. So an event that is shown as hex gets a system that no viewer knows. */
static void name_type(struct tracedat_type *type, const char *system, const char *name, const char *prefix)
{
    const char *mark = type->special == TRACEDAT_UNKNOWN ? "unknown_" : "";
    if (mark[0] == '\0' && is_renamed(system, name))
        system = "tracing";
    type->type.name = name;
    type->type.system = prefix[0] != '\0' || mark[0] != '\0' ? join(&type->system, prefix, mark, system) : system;
}

/* Whether the format has a field of that name, which is not a common one. */
static bool has_field(const struct tracedat_format *format, const char *name)
{
    for (unsigned i = 0; i < format->nfields; i++) {
        if (strcmp(format->field[i].name, name) == 0)
            return true;
    }
    return false;
}

/* What an event means that Linux has, or that tells the end of a task of firmware. It is known by its system, its name,
 * and a field that it must have. */
static enum tlog_meaning class_of(const struct tracedat_format *format, const char *system)
{
    static const struct {
        const char *system, *name, *field;
        enum tlog_meaning means;
    } known[] = {
        {"sched", "sched_switch", "next_pid", TLOG_MEANS_SWITCH},
        {"sched", "sched_waking", "pid", TLOG_MEANS_WAKE},
        {"irq", "irq_handler_entry", "irq", TLOG_MEANS_IRQ_ENTRY},
        {"irq", "irq_handler_exit", "irq", TLOG_MEANS_IRQ_EXIT},
        {"shark", "task_end", "context", TLOG_MEANS_END},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(system, known[i].system) == 0 && strcmp(format->name, known[i].name) == 0
            && has_field(format, known[i].field))
            return known[i].means;
    }
    return TLOG_MEANS_PLAIN;
}

/* The kind of a field that does not become a text. */
static enum tlog_kind kind_of(const struct tracedat_field *field)
{
    if (field->shape == TRACEDAT_CHARS)
        return TLOG_KIND_CHARS;
    if (field->shape == TRACEDAT_BYTES)
        return TLOG_KIND_BYTES;
    if (field->hex)
        return TLOG_KIND_HEX;
    if (field->optional)
        return TLOG_KIND_OPTIONAL;
    return field->is_signed ? TLOG_KIND_SIGNED : TLOG_KIND_UNSIGNED;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* The next field of the type, for which make_room() has made room. */
static struct tlog_field *add_field(struct tracedat_type *type)
{
    return &type->fields[type->type.nfields++];
}

/* The elements of an array become fields NAME_0, NAME_1 ... *names: memory for their names; afterwards for the next
 * ones. */
static void add_elements(struct tracedat_type *type, const struct tracedat_field *field, char **names)
{
    for (uint32_t i = 0; i < field->count; i++) {
        uint32_t offset = field->offset - type->format->common + i * field->element;
        int length = sprintf(*names, "%s_%u", field->name, (unsigned)i);
        *add_field(type) = (struct tlog_field){*names, kind_of(field), (uint16_t)offset, (uint16_t)field->element};
        *names += length + 1;
    }
}

/* Add a field that becomes a text. The 4 bytes that say where the text is stand where the record has such bytes, too;
 * if it has none, they are added at the end of the fixed part. */
static void add_text(struct tracedat_type *type, const struct tracedat_field *field)
{
    uint32_t offset = field->offset - type->format->common;
    if (!tracedat_is_located(field->shape)) {
        offset = type->type.size;
        type->type.size = (uint16_t)(type->type.size + 4u);
    }
    type->texts++;
    type->has_hex =
        type->has_hex
        || (field->shape != TRACEDAT_DATA_LOC && field->shape != TRACEDAT_REL_LOC && field->shape != TRACEDAT_FLEXIBLE);
    *add_field(type) = (struct tlog_field){field->name, TLOG_KIND_STRING, (uint16_t)offset, 4};
}

/* Get memory for the fields of the type, and for the names that are not the format's. */
static bool make_room(struct tracedat_type *type)
{
    size_t fields = 1, names = 1;
    for (unsigned i = 0; i < type->format->nfields; i++) {
        const struct tracedat_field *field = &type->format->field[i];
        fields += field->shape == TRACEDAT_ARRAY ? field->count : 1u;
        names += field->shape == TRACEDAT_ARRAY ? field->count * (strlen(field->name) + 5u) : 0u;
    }
    type->fields = heap_calloc(fields, sizeof *type->fields);
    type->names = heap_alloc(names);
    return type->fields != NULL && type->names != NULL;
}

/* Make the fields of the type from those of the format. */
static void add_fields(struct tracedat_type *type)
{
    const struct tracedat_format *format = type->format;
    char *names = type->names;
    type->added = (format->fixed - format->common + 3u) & ~3u;
    type->type.size = (uint16_t)type->added;
    for (unsigned i = 0; i < format->nfields; i++) {
        const struct tracedat_field *field = &format->field[i];
        uint32_t offset = field->offset - format->common;
        if (field->shape == TRACEDAT_ARRAY)
            add_elements(type, field, &names);
        else if (tracedat_is_text(field->shape))
            add_text(type, field);
        else
            *add_field(type) =
                (struct tlog_field){field->name, kind_of(field), (uint16_t)offset, (uint16_t)field->size};
    }
    type->type.fields = type->fields;
    type->plain = true;
    for (unsigned i = 0; i < format->nfields; i++)
        type->plain =
            type->plain && !tracedat_is_text(format->field[i].shape) && format->field[i].shape != TRACEDAT_CHARS;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* Make a type of the event of trace_printk(). Its record has the address of a format and the packed arguments; its
 * payload has the finished text in the place of both. False if this is no such event. */
static bool become_bprint(struct tracedat_type *type, struct tracedat_format *format)
{
    if (strcmp(format->name, "bprint") != 0 || format->nfields != 3 || strcmp(format->field[0].name, "ip") != 0
        || strcmp(format->field[1].name, "fmt") != 0 || strcmp(format->field[2].name, "buf") != 0
        || format->field[1].size > 8)
        return false;
    type->fmt_at = format->field[1].offset;
    type->fmt_size = format->field[1].size;
    format->field[0].hex = true;
    format->field[2].shape = TRACEDAT_FLEXIBLE;
    /* The field of the arguments takes the place of that of the address. */
    heap_free(format->field[1].name);
    format->field[1] = format->field[2];
    format->nfields = 2;
    return true;
}

/* Make what the type has besides its names. */
static void make_type(struct tracedat_type *type, const char *system)
{
    struct tracedat_format *format = type->format;
    struct tracedat_field *last = format->nfields > 0 ? &format->field[format->nfields - 1u] : NULL;
    /* The last field of this event is declared as text, but holds anything. */
    if (strcmp(system, "ftrace") == 0 && strcmp(format->name, "raw_data") == 0 && last != NULL
        && last->shape == TRACEDAT_FLEXIBLE)
        last->shape = TRACEDAT_FLEXIBLE_HEX;
    if (strcmp(system, "ftrace") == 0 && become_bprint(type, format)) {
        type->special = TRACEDAT_BPRINT;
        type->type.print = "\"%ps: %s\", (void *)REC->ip, __get_str(buf)";
    } else {
        type->print = tracedat_print_make(format);
        type->type.print = type->print;
    }
    add_fields(type);
    type->has_hex = type->has_hex || type->special == TRACEDAT_BPRINT;
}

/* A type for events whose format cannot be used: their whole record is told as hex. */
static void become_unknown(struct tracedat_type *type)
{
    static const struct tlog_field fields[] = {{"id", TLOG_KIND_UNSIGNED, 0, 4}, {"data", TLOG_KIND_STRING, 4, 4}};
    type->special = TRACEDAT_UNKNOWN;
    type->type.size = 8;
    type->type.nfields = 2;
    type->type.fields = fields;
    type->has_hex = true;
}

static void type_free(struct tracedat_type *type)
{
    if (type == NULL)
        return;
    if (type->format != NULL)
        tracedat_format_free(type->format);
    heap_free(type->format);
    heap_free(type->print);
    heap_free(type->system);
    heap_free(type->names);
    heap_free(type->fields);
    heap_free(type);
}

/* The type of all events that have none of their own. The reason is reported for the first one only. NULL after
 * trace_fail(). */
static struct tracedat_type *unknown_type(struct tracedat_file *file, const char *why)
{
    struct tracedat_type *type = file->unknown;
    if (type != NULL)
        return type;
    type = heap_calloc(1, sizeof *type);
    if (type == NULL) {
        trace_fail(file->trace, "%s: no memory for types of event", file->trace->input_name);
        return NULL;
    }
    trace_damage(file->trace, 0, 0, 0, "%s: they are shown as hex", why);
    become_unknown(type);
    type->type.system = "trace_dat";
    type->type.name = "unknown_event";
    type->id = trace_type(file->trace, &type->type);
    file->unknown = type;
    return type;
}

/* Bytes of memory that the type of a format may take: its print format is there up to five times (print_format.c), and
 * its names twice. */
static uint64_t memory_of(const struct tracedat_format_text *text)
{
    return sizeof(struct tracedat_type) + sizeof(struct tracedat_format) + 6u * (uint64_t)text->size;
}

/* Make and declare the type for a format. prefix: as for name_type(). NULL after trace_fail(). */
static struct tracedat_type *parse_type(struct tracedat_file *file, const struct tracedat_format_text *text,
                                        const char *prefix)
{
    struct tracedat_type *type = heap_calloc(1, sizeof *type);
    bool good;
    if (type != NULL)
        type->format = heap_calloc(1, sizeof *type->format);
    if (type == NULL || type->format == NULL) {
        trace_fail(file->trace, "%s: no memory for types of event", file->trace->input_name);
        type_free(type);
        return NULL;
    }
    good = tracedat_format_parse(type->format, text->text, file->long_size, NULL);
    if (good) {
        tracedat_print_learn(type->format);
    } else {
        trace_damage(file->trace, text->at, strlen(text->text), 0,
                     "the format of %s:%s makes no sense: its events are shown as hex", text->system,
                     type->format->name != NULL ? type->format->name : "?");
    }
    if (!good || !make_room(type))
        become_unknown(type);
    name_type(type, text->system, type->format->name != NULL ? type->format->name : "unknown_event", prefix);
    if (type->special != TRACEDAT_UNKNOWN) {
        type->type.means = prefix[0] == '\0' ? class_of(type->format, text->system) : TLOG_MEANS_PLAIN;
        make_type(type, text->system);
    }
    type->id = trace_type(file->trace, &type->type);
    return type;
}

struct tracedat_type *tracedat_type_of(struct tracedat_file *file, unsigned buffer, uint32_t id)
{
    struct tracedat_type **type;
    if (id >= file->tables.nformats || file->tables.format[id] == NULL)
        return unknown_type(file, "there are events without a format");
    if (file->types == NULL)
        file->types = heap_calloc(file->nbuffers, sizeof *file->types);
    if (file->types != NULL && file->types[buffer] == NULL) {
        if (!tracedat_budget_take(&file->budget.memory, file->tables.nformats * sizeof *file->types[buffer]))
            return unknown_type(file, "there are events of too many types");
        file->types[buffer] = heap_calloc(file->tables.nformats, sizeof *file->types[buffer]);
    }
    if (file->types == NULL || file->types[buffer] == NULL) {
        trace_fail(file->trace, "%s: no memory for types of event", file->trace->input_name);
        return NULL;
    }
    type = &file->types[buffer][id];
    /* The last type that the trace has room for is kept for the events that get none of their own. */
    if (*type == NULL
        && (file->trace->ntypes + 1u >= TRACE_TYPES_MAX
            || !tracedat_budget_take(&file->budget.memory, memory_of(file->tables.format[id]))))
        return unknown_type(file, "there are events of too many types");
    if (*type == NULL)
        *type = parse_type(file, file->tables.format[id], file->buffer[buffer].prefix);
    return *type;
}

void tracedat_types_free(struct tracedat_file *file)
{
    for (unsigned i = 0; file->types != NULL && i < file->nbuffers; i++) {
        for (uint32_t id = 0; file->types[i] != NULL && id < file->tables.nformats; id++)
            type_free(file->types[i][id]);
        heap_free(file->types[i]);
    }
    heap_free(file->types);
    type_free(file->unknown);
}
