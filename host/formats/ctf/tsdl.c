/* tsdl.c - see tsdl.h. */
#include "formats/ctf/tsdl.h"

#include "model/display.h"

#include <inttypes.h>
#include <string.h>

#define SYMBOLS_MOST 8192u /* symbols that are written: readers search them for each address */

void tsdl_text(FILE *to, const char *text, size_t n)
{
    fputc('"', to);
    for (size_t i = 0; i < n; i++) {
        bool is_good = text[i] >= ' ' && text[i] <= '~' && text[i] != '"' && text[i] != '\\';
        fputc(is_good ? text[i] : '_', to);
    }
    fputc('"', to);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Whether viewers know the system's events, and look for them by Linux's names. */
static bool is_linux(const struct trace_type *type)
{
    return strcmp(type->system, "sched") == 0 || strcmp(type->system, "irq") == 0;
}

void tsdl_event_name(char name[TSDL_NAME_BYTES], const struct trace_type *type)
{
    bool is_short = is_linux(type);
    snprintf(name, TSDL_NAME_BYTES, "%s%s%s", is_short ? "" : type->system, is_short ? "" : ":", type->name);
}

/* The name of a field in the metadata, before it is made unique. Linux's pid is the number of a thread, and LTTng calls
 * it tid. */
static void field_name(char name[TSDL_NAME_BYTES], const struct trace_type *type, const struct trace_field *field)
{
    size_t n;
    snprintf(name, TSDL_NAME_BYTES, "_%s", field->name);
    for (char *at = name; *at != '\0'; at++) {
        bool is_good = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9');
        *at = is_good ? *at : '_';
    }
    n = strlen(name);
    if (strcmp(type->system, "sched") == 0 && n >= 4u && strcmp(name + n - 4u, "_pid") == 0)
        memcpy(name + n - 3u, "tid", 3);
}

/* How many fields before this one have the same name. */
static unsigned count_same(const struct ctf_shape *shape, const struct trace_type *type, unsigned index)
{
    char name[TSDL_NAME_BYTES], other[TSDL_NAME_BYTES];
    unsigned same = 0;
    field_name(name, type, shape->member[index].field);
    for (unsigned i = 0; i < index; i++) {
        field_name(other, type, shape->member[i].field);
        same += strcmp(name, other) == 0;
    }
    return same;
}

/* ---- enumerations ------------------------------------------------------------------------------------------------ */

/* An enumeration that is being written. */
struct list {
    FILE *to;
    unsigned n;
};

static void put_label(struct list *list, const char *text, size_t n)
{
    fputs(list->n++ > 0 ? ", " : " ", list->to);
    tsdl_text(list->to, text, n);
}

static void put_name(void *ctx, uint32_t number, const char *name)
{
    struct list *list = ctx;
    put_label(list, name, strlen(name));
    fprintf(list->to, " = %" PRIu32, number);
}

/* Whether a field of that kind is in the trace, with so many bytes. */
static bool is_used(const struct ctf_output *output, enum trace_kind kind, unsigned size)
{
    for (unsigned i = 0; i < TRACE_TYPES_MAX; i++) {
        const struct ctf_shape *shape = &output->shape[i];
        for (unsigned k = 0; k < shape->nmembers; k++) {
            if (shape->member[k].field->kind == kind && shape->member[k].field->size == size)
                return true;
        }
    }
    return false;
}

/* Whether there are symbols, and not more than SYMBOLS_MOST. */
static bool has_symbols(const struct trace *trace)
{
    return trace->firmware != NULL && trace->firmware->nsymbols > 0 && trace->firmware->nsymbols <= SYMBOLS_MOST;
}

/* The symbols, each from its address to its end, or to the next one. */
static void put_symbols(FILE *to, const struct trace_firmware *firmware, unsigned size)
{
    struct list list = {to, 0};
    uint64_t most = size == 8u ? UINT64_MAX : UINT32_MAX;
    fprintf(to, "enum tlog_symbol%u : uint%u_hex_t {", 8u * size, 8u * size);
    for (size_t i = 0; i < firmware->nsymbols; i++) {
        const struct trace_symbol *symbol = &firmware->symbols[i];
        uint64_t last = symbol->address + symbol->size - 1u;
        if (i + 1u < firmware->nsymbols && last >= firmware->symbols[i + 1u].address)
            last = firmware->symbols[i + 1u].address - 1u;
        if (symbol->size == 0 || last < symbol->address || last > most)
            continue;
        put_label(&list, symbol->name, strlen(symbol->name));
        fprintf(to, " = %" PRIu64 " ... %" PRIu64, symbol->address, last);
    }
    if (list.n == 0)
        fprintf(to, " \"-\" = 0");
    fputs(" };\n", to);
}

void tsdl_names(FILE *to, const struct ctf_output *output)
{
    for (unsigned kind = TRACE_TASK; kind <= TRACE_OBJECT_LAST; kind++) {
        struct list list = {to, 0};
        if (!is_used(output, (enum trace_kind)kind, 4) || !display_by_name(output->trace, (enum trace_kind)kind))
            continue;
        fprintf(to, "enum tlog_name%u : uint32_t {", kind);
        display_each_name(output->trace, (enum trace_kind)kind, put_name, &list);
        fputs(" };\n", to);
    }
    for (unsigned size = 4; size <= 8u; size += 4u) {
        if (has_symbols(output->trace) && is_used(output, TRACE_ADDRESS, size))
            put_symbols(to, output->trace->firmware, size);
    }
}

/* Write the enumeration of the names that a print format has: those of a number as it is, or of bits. */
static void put_listed(FILE *to, const struct ctf_member *member)
{
    const char *at = member->piece->choice[0], *end = at + member->piece->choice_length[0], *name;
    struct list list = {to, 0};
    unsigned bits = 8u * member->field->size;
    uint64_t number;
    size_t length;
    fprintf(to, "enum : uint%u_t {", bits);
    while (at < end) {
        at++; /* the comma */
        if (!print_format_symbol(&at, &number, &name, &length))
            break;
        at += strspn(at, " ");
        if (bits < 64u && number >> bits != 0)
            continue;
        put_label(&list, name, length);
        fprintf(to, " = %" PRIu64, number);
    }
    if (list.n == 0)
        fputs(" \"-\" = 0", to);
    fputs(" }", to);
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static bool is_size_of_number(unsigned size)
{
    return size == 1u || size == 2u || size == 4u || size == 8u;
}

/* Write the type of a number. */
static void put_number(FILE *to, const struct ctf_output *output, const struct ctf_member *member)
{
    const struct trace_field *field = member->field;
    bool is_hex = field->kind == TRACE_HEX || field->kind == TRACE_ADDRESS;
    bool is_whole = is_size_of_number(field->size);
    if (member->piece != NULL && is_whole)
        put_listed(to, member);
    else if (field->kind == TRACE_ADDRESS && field->size >= 4u && is_whole && has_symbols(output->trace))
        fprintf(to, "enum tlog_symbol%u", 8u * field->size);
    else if (field->size == 4u && trace_kind_has_names(field->kind) && display_by_name(output->trace, field->kind))
        fprintf(to, "enum tlog_name%u", (unsigned)field->kind);
    else
        fprintf(to, "integer { size = %u; align = 8; signed = %s; base = %u; }", 8u * field->size,
                field->kind == TRACE_SIGNED ? "true" : "false", is_hex ? 16u : 10u);
}

/* Write the type of a field, its name, and what an array has behind it. */
static void put_field(FILE *to, const struct ctf_output *output, const struct ctf_member *member, const char *name)
{
    const struct trace_field *field = member->field;
    bool is_number = field->size <= 8u && field->kind != TRACE_BYTES;
    if (member->form == CTF_CHARS)
        fprintf(to, "char_t %s[%u]", name, field->size);
    else if (member->form == CTF_TEXT || member->form == CTF_STRING)
        fprintf(to, "string %s", name);
    else if (member->form == CTF_DOUBLE)
        fprintf(to, "double_t %s", name);
    else if (member->form == CTF_WORDS)
        fprintf(to, "uint32_t _%s_length;\n\t\tuint32_t %s[_%s_length]", name, name, name);
    else if (!is_number)
        fprintf(to, "uint8_hex_t %s[%u]", name, field->size);
    else
        put_number(to, output, member);
    if (member->form == CTF_COPY && is_number)
        fprintf(to, " %s", name);
}

void tsdl_fields(FILE *to, const struct ctf_output *output, uint16_t type)
{
    const struct ctf_shape *shape = &output->shape[type];
    for (unsigned i = 0; i < shape->nmembers; i++) {
        char name[TSDL_NAME_BYTES + 16u], plain[TSDL_NAME_BYTES];
        unsigned same = count_same(shape, output->trace->types[type], i);
        field_name(plain, output->trace->types[type], shape->member[i].field);
        if (same == 0)
            snprintf(name, sizeof name, "%s", plain);
        else
            snprintf(name, sizeof name, "%s__%u", plain, same + 1u);
        fputs("\t\t", to);
        put_field(to, output, &shape->member[i], name);
        fputs(";\n", to);
    }
}
