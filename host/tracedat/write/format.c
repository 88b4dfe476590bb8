/* format.c - writes the format of each type from its fields, in the words of the kernel's format files. */
#include "tracedat/write/format.h"

#include <stdbool.h>
#include <string.h>

#include "tracedat/write/page.h"
#include "tracedat/write/text.h"

static const char common_fields[] = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                                    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
                                    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
                                    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
                                    "\n";

static const struct trace_type end_of_trace = {.system = "tlog", .name = "end_of_trace"};

/* Names of C types by size, and conversions that libtraceevent shows such a field with: it extends the sign of a short
 * field only when told its length. */
static const struct number {
    const char *unsigned_type, *signed_type, *unsigned_print, *signed_print, *hex_print;
} numbers[] = {
    {"unsigned char", "signed char", "%u", "%hhd", "0x%x"},
    {"unsigned short", "short", "%u", "%hd", "0x%x"},
    {"unsigned int", "int", "%u", "%d", "0x%x"},
    {"u64", "s64", "%llu", "%lld", "0x%llx"},
};

static const struct number *number_of(const struct trace_field *field)
{
    return &numbers[field->size >= 8 ? 3 : field->size >= 4 ? 2 : field->size >= 2 ? 1 : 0];
}

static void add_field(struct dat_text *text, const struct trace_field *field)
{
    const struct number *number = number_of(field);

    if (field->kind == TRACE_CHARS)
        dat_add_format(text, "\tfield:char %s[%u];", field->name, (unsigned)field->size);
    else if (field->kind == TRACE_STRING)
        dat_add_format(text, "\tfield:__data_loc char[] %s;", field->name);
    else if (field->kind == TRACE_WORDS)
        dat_add_format(text, "\tfield:u32 %s[];", field->name);
    else
        dat_add_format(text, "\tfield:%s %s;",
                       field->kind == TRACE_SIGNED ? number->signed_type : number->unsigned_type, field->name);
    dat_add_format(text, "\toffset:%u;\tsize:%u;\tsigned:%d;\n", TRACEDAT_COMMON_SIZE + (unsigned)field->offset,
                   (unsigned)field->size, field->kind == TRACE_SIGNED);
}

static const char *conversion(const struct trace_field *field)
{
    const struct number *number = number_of(field);

    switch (field->kind) {
    case TRACE_SIGNED:
        return number->signed_print;
    case TRACE_HEX:
        return number->hex_print;
    case TRACE_ADDRESS:
        return "%pS"; /* what the section of symbols has for it, else hexadecimal */
    case TRACE_CHARS:
    case TRACE_STRING:
        return "%s";
    case TRACE_UNSIGNED:
    case TRACE_OPTIONAL:
    case TRACE_WORDS: /* only in types that say how they are printed */
        break;
    }
    return number->unsigned_print;
}

/* Nothing at all for a zero: the name is chosen by the reader, and a precision of 0 leaves a zero without digits. */
static void add_arguments(struct dat_text *text, const struct trace_field *field, bool first)
{
    if (field->kind == TRACE_OPTIONAL)
        dat_add_format(text, ", REC->%s ? \"%s%s=\" : \"\", REC->%s", field->name, first ? "" : " ", field->name,
                       field->name);
    else
        dat_add_format(text, field->kind == TRACE_STRING ? ", __get_str(%s)" : ", REC->%s", field->name);
}

static void add_conversion(struct dat_text *text, const struct trace_field *field, bool first)
{
    if (field->kind == TRACE_OPTIONAL)
        dat_add_text(text, "%s%.0u");
    else
        dat_add_format(text, "%s%s=%s", first ? "" : " ", field->name, conversion(field));
}

/* "name=%u name=%s", REC->name, __get_str(name) */
static void add_print(struct dat_text *text, const struct trace_type *type)
{
    dat_add_text(text, "\"");
    for (unsigned i = 0; i < type->nfields; i++)
        add_conversion(text, &type->fields[i], i == 0);
    if (type->nfields > 0 && type->fields[0].kind == TRACE_OPTIONAL)
        dat_add_text(text, " "); /* libkshark takes an event of which there is nothing to show for one it cannot show */
    dat_add_text(text, "\"");
    for (unsigned i = 0; i < type->nfields; i++)
        add_arguments(text, &type->fields[i], i == 0);
}

static void add_event_format(struct dat_text *text, const struct trace_type *type, unsigned id)
{
    size_t at = text->used;

    dat_add_64(text, 0);
    dat_add_format(text, "name: %s\nID: %u\nformat:\n%s", type->name, id, common_fields);
    for (unsigned i = 0; i < type->nfields; i++)
        add_field(text, &type->fields[i]);
    dat_add_text(text, "\nprint fmt: ");
    if (type->print)
        dat_add_text(text, type->print);
    else
        add_print(text, type);
    dat_add_text(text, "\n");
    dat_set_size_64(text, at);
}

/* Losses are marks on pages, not events. */
static bool is_event(const struct trace_type *type)
{
    return type->class != TRACE_LOSS && type->class != TRACE_DAMAGE;
}

/* The formats of a system's types from index first on, after their number. */
static void add_system(struct dat_text *text, const struct trace *trace, const char *system, unsigned first)
{
    size_t at = text->used;
    uint32_t count = 0;

    dat_add_32(text, 0);
    for (unsigned i = first; i < trace->ntypes; i++) {
        if (!is_event(trace->types[i]) || strcmp(trace->types[i]->system, system) != 0)
            continue;
        add_event_format(text, trace->types[i], TRACEDAT_FIRST_ID + i);
        count++;
    }
    dat_set_32(text, at, count);
}

/* Whether type i is the first event of its system, and the system is not ftrace, which has a section of its own. */
static bool begins_system(const struct trace *trace, unsigned i)
{
    const char *system = trace->types[i]->system;

    if (!is_event(trace->types[i]) || strcmp(system, "ftrace") == 0)
        return false;
    for (unsigned k = 0; k < i; k++)
        if (is_event(trace->types[k]) && strcmp(trace->types[k]->system, system) == 0)
            return false;
    return true;
}

/* ---- interface ------------------------------------------------------------------------------------------------- */

void tracedat_add_ftrace_events(struct dat_text *text, const struct trace *trace)
{
    add_system(text, trace, "ftrace", 0);
}

void tracedat_add_event_formats(struct dat_text *text, const struct trace *trace)
{
    size_t at = text->used;
    uint32_t systems = 1;

    dat_add_32(text, 0);
    for (unsigned i = 0; i < trace->ntypes; i++) {
        if (!begins_system(trace, i))
            continue;
        dat_add_string(text, trace->types[i]->system);
        add_system(text, trace, trace->types[i]->system, i);
        systems++;
    }
    dat_add_string(text, end_of_trace.system);
    dat_add_32(text, 1);
    add_event_format(text, &end_of_trace, TRACEDAT_END_ID);
    dat_set_32(text, at, systems);
}
