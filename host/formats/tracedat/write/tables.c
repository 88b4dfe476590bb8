/* tables.c - see tables.h. A format is written from the fields of its type, in the words of the kernel's format files:
 *
 *   name: sched_switch
 *   ID: 1003
 *   format:
 *           field:unsigned short common_type;       offset:0;       size:2; signed:0;
 *           ...
 *   print fmt: "next_pid=%d ...", REC->next_pid, ...
 */
#include "formats/tracedat/write/tables.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "model/display.h"
#include "formats/tracedat/write/layout.h"

/* ---- prologue and headers ---------------------------------------------------------------------------------------- */

void tracedat_add_prologue(struct tracedat_piece *piece, const struct trace_options *options, const char *version)
{
    tracedat_add_text(piece, "\x17\x08\x44tracing");
    tracedat_add_string(piece, version);
    tracedat_add_bytes(piece, options->big_endian ? "\1" : "\0", 1);
    tracedat_add_bytes(piece, tracedat_long_size(options) == 4 ? "\4" : "\10", 1);
    tracedat_add_32(piece, tracedat_page_size(options));
}

/* The description of a page: the size of a text, and the text, a line for each field. */
static void add_header_page(struct tracedat_piece *piece, unsigned long_size, unsigned page_size)
{
    size_t at = piece->used;
    unsigned data = 8 + long_size; /* behind time and commit word */
    tracedat_add_64(piece, 0);
    tracedat_add_text(piece, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n");
    tracedat_add_format(piece, "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n", long_size);
    tracedat_add_text(piece, "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n");
    tracedat_add_format(piece, "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:0;\n", data, page_size - data);
    tracedat_set_size_64(piece, at);
}

/* The second text describes the words in front of a record, as the kernel does. */
void tracedat_add_headers(struct tracedat_piece *piece, const struct trace_options *options)
{
    static const char event[] = "# compressed entry header\n"
                                "\ttype_len    :    5 bits\n"
                                "\ttime_delta  :   27 bits\n"
                                "\tarray       :   32 bits\n"
                                "\n"
                                "\tpadding     : type == 29\n"
                                "\ttime_extend : type == 30\n"
                                "\ttime_stamp : type == 31\n"
                                "\tdata max type_len  == 28\n";
    tracedat_add_string(piece, "header_page");
    add_header_page(piece, tracedat_long_size(options), tracedat_page_size(options));
    tracedat_add_string(piece, "header_event");
    tracedat_add_64(piece, sizeof event - 1);
    tracedat_add_text(piece, event);
}

/* ---- formats of events ------------------------------------------------------------------------------------------- */

static const char common_fields[] = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                                    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
                                    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
                                    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
                                    "\n";

/* The event that carries a loss which no event follows. */
static const struct tlog_type end_of_trace = {
    .system = "tlog", .name = TRACE_END_NAME, .print = "\"" TRACE_END_TEXT "\""};

/* C types of numbers of 1, 2, 4 and 8 bytes, and the conversions for them. libtraceevent extends the sign of a short
 * field only if the conversion says how short it is. */
static const struct number {
    const char *unsigned_type, *signed_type, *unsigned_print, *signed_print, *hex_print;
} numbers[] = {
    {"unsigned char", "signed char", "%u", "%hhd", "0x%x"},
    {"unsigned short", "short", "%u", "%hd", "0x%x"},
    {"unsigned int", "int", "%u", "%d", "0x%x"},
    {"u64", "s64", "%llu", "%lld", "0x%llx"},
};

/* The row of a number; that of 8 bytes for larger fields, which are no numbers. */
static const struct number *number_of(const struct tlog_field *field)
{
    return &numbers[field->size >= 8 ? 3 : field->size >= 4 ? 2 : field->size >= 2 ? 1 : 0];
}

/* A line for a field: its declaration, and where it is. */
static void add_field(struct tracedat_piece *piece, const struct tlog_field *field)
{
    const struct number *number = number_of(field);
    if (field->kind == TLOG_KIND_CHARS)
        tracedat_add_format(piece, "\tfield:char %s[%u];", field->name, (unsigned)field->size);
    else if (field->kind == TLOG_KIND_BYTES)
        tracedat_add_format(piece, "\tfield:u8 %s[%u];", field->name, (unsigned)field->size);
    else if (field->kind == TLOG_KIND_STRING)
        tracedat_add_format(piece, "\tfield:__data_loc char[] %s;", field->name);
    else if (field->kind == TLOG_KIND_WORDS)
        tracedat_add_format(piece, "\tfield:u32 %s[];", field->name);
    else
        tracedat_add_format(piece, "\tfield:%s %s;",
                            field->kind == TLOG_KIND_SIGNED ? number->signed_type : number->unsigned_type, field->name);
    tracedat_add_format(piece, "\toffset:%u;\tsize:%u;\tsigned:%d;\n", TRACEDAT_COMMON_SIZE + (unsigned)field->offset,
                        (unsigned)field->size, field->kind == TLOG_KIND_SIGNED);
}

/* The conversion by which libtraceevent shows a field. */
static const char *conversion(const struct trace *trace, const struct tlog_field *field)
{
    const struct number *number = number_of(field);
    if (tlog_kind_has_names(field->kind))
        return display_by_name(trace, field->kind) ? "%s"
               : display_is_handle(field->kind)    ? number->hex_print
                                                   : number->unsigned_print;
    switch (field->kind) {
    case TLOG_KIND_SIGNED:
        return number->signed_print;
    case TLOG_KIND_HEX:
        return number->hex_print;
    case TLOG_KIND_ADDRESS:
        return "%pS"; /* a name from the section of symbols and an offset, or hexadecimal */
    case TLOG_KIND_CHARS:
    case TLOG_KIND_STRING:
    case TLOG_KIND_BYTES:
        return "%s";
    default: /* among them TLOG_KIND_WORDS: only in types that say how they are printed */
        return number->unsigned_print;
    }
}

static void add_name_of(void *ctx, uint32_t number, const char *name)
{
    char shown[DISPLAY_NAME_BYTES];
    tracedat_add_format(ctx, ", { %u, \"%s\" }", number, display_print_name(name, shown));
}

/* The arguments for a field. An optional field, of which nothing is shown if it is 0, has two: " name=" or, for 0, "";
 * and its value, of which the precision of 0 shows no digits for 0. */
static void add_arguments(struct tracedat_piece *piece, const struct trace *trace, const struct tlog_type *type,
                          const struct tlog_field *field)
{
    if (display_if_set(type, field)) {
        tracedat_add_format(piece, ", REC->%s ? \" %s=\" : \"\", REC->%s", field->name, field->name, field->name);
    } else if (display_by_name(trace, field->kind)) {
        tracedat_add_format(piece, ", __print_symbolic(REC->%s", field->name);
        display_each_name(trace, field->kind, add_name_of, piece);
        tracedat_add_text(piece, ")");
    } else if (field->kind == TLOG_KIND_BYTES) {
        tracedat_add_format(piece, ", __print_hex_str(REC->%s, %u)", field->name, (unsigned)field->size);
    } else {
        tracedat_add_format(piece, field->kind == TLOG_KIND_STRING ? ", __get_str(%s)" : ", REC->%s", field->name);
    }
}

/* What stands for field i in the text of the print format: two conversions if it may be left out. */
static void add_conversion(struct tracedat_piece *piece, const struct trace *trace, const struct tlog_type *type,
                           unsigned i)
{
    const struct tlog_field *field = &type->fields[i];
    if (display_if_set(type, field))
        tracedat_add_text(piece, "%s%.0u");
    else
        tracedat_add_format(piece, "%s%s=%s", i == 0 ? "" : " ", display_label(field), conversion(trace, field));
}

/* A print format for all fields: "name=%u name=%s", REC->name, __get_str(name). The first field is always shown,
 * because libkshark takes an event with nothing to show for one that it cannot show. */
static void add_print(struct tracedat_piece *piece, const struct trace *trace, const struct tlog_type *type)
{
    tracedat_add_text(piece, "\"");
    for (unsigned i = 0; i < type->nfields; i++)
        add_conversion(piece, trace, type, i);
    tracedat_add_text(piece, "\"");
    for (unsigned i = 0; i < type->nfields; i++)
        add_arguments(piece, trace, type, &type->fields[i]);
}

/* The size of a format, and the format. */
static void add_event_format(struct tracedat_piece *piece, const struct trace *trace, const struct tlog_type *type,
                             unsigned id)
{
    size_t at = piece->used;
    tracedat_add_64(piece, 0);
    tracedat_add_format(piece, "name: %s\nID: %u\nformat:\n%s", type->name, id, common_fields);
    for (unsigned i = 0; i < type->nfields; i++)
        add_field(piece, &type->fields[i]);
    tracedat_add_text(piece, "\nprint fmt: ");
    if (type->print != NULL)
        tracedat_add_text(piece, type->print);
    else
        add_print(piece, trace, type);
    tracedat_add_text(piece, "\n");
    tracedat_set_size_64(piece, at);
}

/* Whether events of the type become records. Losses and damage become marks on pages. */
static bool is_event(const struct tlog_type *type)
{
    return type->means != TLOG_MEANS_LOSS && type->means != TLOG_MEANS_DAMAGE;
}

/* The number of a system's types from index first on, and their formats. */
static void add_system(struct tracedat_piece *piece, const struct trace *trace, const char *system, unsigned first)
{
    size_t at = piece->used;
    uint32_t count = 0;
    tracedat_add_32(piece, 0);
    for (unsigned i = first; i < trace->ntypes; i++) {
        if (!is_event(trace->types[i]) || strcmp(trace->types[i]->system, system) != 0)
            continue;
        add_event_format(piece, trace, trace->types[i], TRACEDAT_FIRST_ID + i);
        count++;
    }
    tracedat_set_32(piece, at, count);
}

/* Whether type i is the first one of its system. ftrace does not count: it has a section of its own. */
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

void tracedat_add_ftrace_events(struct tracedat_piece *piece, const struct trace *trace)
{
    add_system(piece, trace, "ftrace", 0);
}

void tracedat_add_event_formats(struct tracedat_piece *piece, const struct trace *trace)
{
    size_t at = piece->used;
    uint32_t systems = 1;
    tracedat_add_32(piece, 0);
    for (unsigned i = 0; i < trace->ntypes; i++) {
        if (!begins_system(trace, i))
            continue;
        tracedat_add_string(piece, trace->types[i]->system);
        add_system(piece, trace, trace->types[i]->system, i);
        systems++;
    }
    tracedat_add_string(piece, end_of_trace.system);
    tracedat_add_32(piece, 1);
    add_event_format(piece, trace, &end_of_trace, TRACEDAT_END_ID);
    tracedat_set_32(piece, at, systems);
}

/* ---- symbols, format strings, tasks ------------------------------------------------------------------------------ */

/* A line "address type name". Parsers end a name at a blank, and the whole table at a line without a name. */
static void add_symbol(struct tracedat_piece *piece, uint64_t address, char type, const char *name)
{
    size_t at;
    if (name[0] == '\0')
        return;
    tracedat_add_format(piece, "%016" PRIx64 " %c ", address, type);
    at = piece->used;
    tracedat_add_text(piece, name);
    for (; at < piece->used; at++)
        if (piece->bytes[at] <= ' ' || piece->bytes[at] > '~')
            piece->bytes[at] = '_';
    tracedat_add_text(piece, "\n");
}

/* A table that was read from a trace.dat file is written as it was. Of others: readers take an address to lie in the
 * symbol before it. But of the last symbol they know no end, and match its address only exactly; so one more is added
 * behind it. */
void tracedat_add_kallsyms(struct tracedat_piece *piece, const struct trace *trace)
{
    const struct trace_firmware *firmware = trace->firmware;
    size_t at = piece->used;
    tracedat_add_32(piece, 0);
    if (firmware != NULL && firmware->kallsyms != NULL) {
        tracedat_add_bytes(piece, firmware->kallsyms, firmware->kallsyms_size);
        tracedat_set_size_32(piece, at);
        return;
    }
    for (size_t i = 0; firmware != NULL && i < firmware->nsymbols; i++)
        add_symbol(piece, firmware->symbols[i].address, firmware->symbols[i].type, firmware->symbols[i].name);
    if (firmware != NULL && firmware->nsymbols > 0) {
        const struct trace_symbol *last = &firmware->symbols[firmware->nsymbols - 1];
        add_symbol(piece, last->address + (last->size != 0 ? last->size : 1), 'T', "_end_of_symbols");
    }
    tracedat_set_size_32(piece, at);
}

/* A format with escapes as in a C string. Readers only take ASCII. */
static void add_escaped(struct tracedat_piece *piece, const char *format)
{
    static const char escaped[] = "\n\t\r\\\"";
    for (; *format != '\0'; format++) {
        const char *escape = strchr(escaped, *format);
        if (escape != NULL)
            tracedat_add_format(piece, "\\%c", "ntr\\\""[escape - escaped]);
        else
            tracedat_add_format(piece, "%c", *format >= ' ' && *format <= '~' ? *format : '?');
    }
}

void tracedat_add_printk(struct tracedat_piece *piece, const struct trace *trace)
{
    size_t at = piece->used;
    tracedat_add_32(piece, 0);
    for (size_t i = 0; i < trace->nprintk; i++) {
        tracedat_add_format(piece, "0x%" PRIx64 " : \"", trace->printk[i].address);
        add_escaped(piece, trace->printk[i].format);
        tracedat_add_text(piece, "\"\n");
    }
    tracedat_set_size_32(piece, at);
}

/* A line "pid name". Parsers skip blanks before a name, and end the whole table at a line without a name. */
static void add_task(void *ctx, uint32_t id, const char *name)
{
    name += strspn(name, " ");
    if (id != 0 && id <= INT32_MAX && name[0] != '\0')
        tracedat_add_format(ctx, "%" PRIu32 " %s\n", id, name);
}

void tracedat_add_cmdlines(struct tracedat_piece *piece, const struct trace *trace)
{
    size_t at = piece->used;
    tracedat_add_64(piece, 0);
    trace_each_name(trace, TRACE_NAME_TASK, add_task, piece);
    tracedat_set_size_64(piece, at);
}
