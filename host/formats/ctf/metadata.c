/* metadata.c - see metadata.h. Names, and what packets and events have, are those of LTTng's traces of Linux.
 *
 * The language is TSDL. Every field's name begins with an underscore, as in LTTng's traces, so that no name is a word
 * of the language. Readers leave the underscore out.
 */
#include "formats/ctf/metadata.h"

#include "base/printable.h"
#include "model/clock.h"
#include "model/display.h"
#include "os/os_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define UUID_TEXT    40u
#define SYMBOLS_MOST 8192u /* symbols that are written: readers search them for each address */
#define FLAGS_MOST   8u    /* of a list of which each combination gets a label */
#define NAME_BYTES   256u  /* of the name of an event or a field, with its NUL */

/* The part that is the same in every trace. stream.c writes the packets' headers, writer.c the events of the state
 * dump. */
static const char types[] = "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
                            "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
                            "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
                            "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
                            "typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
                            "typealias integer { size = 8; align = 8; signed = false; base = 16; } := uint8_hex_t;\n"
                            "typealias integer { size = 32; align = 8; signed = false; base = 16; } := uint32_hex_t;\n"
                            "typealias integer { size = 64; align = 8; signed = false; base = 16; } := uint64_hex_t;\n"
                            "typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := char_t;\n"
                            "typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := double_t;\n";
static const char clocks[] =
    "typealias integer { size = 32; align = 8; signed = false; map = clock.monotonic.value; } := "
    "uint32_clock_monotonic_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := "
    "uint64_clock_monotonic_t;\n\n";
static const char packets[] = "struct packet_context {\n"
                              "\tuint64_clock_monotonic_t timestamp_begin;\n"
                              "\tuint64_clock_monotonic_t timestamp_end;\n"
                              "\tuint64_t content_size;\n"
                              "\tuint64_t packet_size;\n"
                              "\tuint64_t packet_seq_num;\n"
                              "\tuint64_t events_discarded;\n"
                              "\tuint32_t cpu_id;\n"
                              "};\n\n"
                              "struct event_header_large {\n"
                              "\tenum : uint16_t { compact = 0 ... 65534, extended = 65535 } id;\n"
                              "\tvariant <id> {\n"
                              "\t\tstruct {\n\t\t\tuint32_clock_monotonic_t timestamp;\n\t\t} compact;\n"
                              "\t\tstruct {\n\t\t\tuint32_t id;\n\t\t\tuint64_clock_monotonic_t timestamp;\n"
                              "\t\t} extended;\n"
                              "\t} v;\n"
                              "} align(8);\n\n";
static const char statedump[] =
    "\t\tint32_t _tid;\n\t\tint32_t _vtid;\n\t\tint32_t _pid;\n\t\tint32_t _vpid;\n\t\tint32_t _ppid;\n"
    "\t\tint32_t _vppid;\n\t\tchar_t _name[16];\n\t\tint32_t _type;\n\t\tint32_t _mode;\n\t\tint32_t _submode;\n"
    "\t\tint32_t _status;\n\t\tint32_t _ns_level;\n\t\tuint32_t _cpu;\n";

/* ---- texts and names --------------------------------------------------------------------------------------------- */

/* Write a text in quotation marks, escaped. Readers take printable ASCII characters only; others become '_'. */
static void put_quoted(FILE *to, const char *text, size_t n)
{
    fputc('"', to);
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"' || text[i] == '\\')
            fputc('\\', to);
        fputc(text[i] >= ' ' && text[i] <= '~' ? text[i] : '_', to);
    }
    fputc('"', to);
}

/* Whether viewers know the system's events, and look for them by Linux's names. */
static bool is_linux(const struct tlog_type *type)
{
    return strcmp(type->system, "sched") == 0 || strcmp(type->system, "irq") == 0;
}

/* The name of a type's events: Linux's have their own name, others have their system's name before it. */
static void event_name(char name[NAME_BYTES], const struct tlog_type *type)
{
    bool is_short = is_linux(type);
    snprintf(name, NAME_BYTES, "%s%s%s", is_short ? "" : type->system, is_short ? "" : ":", type->name);
}

/* The name of a field in the metadata, before it is made unique. Linux's pid is the number of a thread, and LTTng calls
 * it tid. */
static void field_name(char name[NAME_BYTES], const struct tlog_type *type, const struct tlog_field *field)
{
    size_t n;
    snprintf(name, NAME_BYTES, "_%s", field->name);
    for (char *at = name; *at != '\0'; at++) {
        bool is_good = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9');
        *at = is_good ? *at : '_';
    }
    n = strlen(name);
    if (strcmp(type->system, "sched") == 0 && n >= 4u && strcmp(name + n - 4u, "_pid") == 0)
        memcpy(name + n - 3u, "tid", 3);
}

/* How many fields before this one have the same name. */
static unsigned count_same(const struct ctf_encoder *encoder, const struct tlog_type *type, unsigned index)
{
    char name[NAME_BYTES], other[NAME_BYTES];
    unsigned same = 0;
    field_name(name, type, encoder->member[index].field);
    for (unsigned i = 0; i < index; i++) {
        field_name(other, type, encoder->member[i].field);
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
    put_quoted(list->to, text, n);
}

static void put_name(void *ctx, uint32_t number, const char *name)
{
    struct list *list = ctx;
    put_label(list, name, strlen(name));
    fprintf(list->to, " = %" PRIu32, number);
}

/* Whether a field of that kind is in the trace, with so many bytes. */
static bool is_used(const struct ctf_output *output, enum tlog_kind kind, unsigned size)
{
    for (unsigned i = 0; i < TRACE_TYPES_MAX; i++) {
        const struct ctf_encoder *encoder = &output->encoder[i];
        for (unsigned k = 0; k < encoder->nmembers; k++) {
            if (encoder->member[k].field->kind == kind && encoder->member[k].field->size == size)
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

/* Write the enumerations that fields of any type use: names of tasks, interrupts ... and symbols of the firmware. */
static void put_enumerations(FILE *to, const struct ctf_output *output)
{
    for (unsigned kind = TLOG_KIND_TASK; kind <= TLOG_KIND_OBJECT_LAST; kind++) {
        struct list list = {to, 0};
        if (!is_used(output, (enum tlog_kind)kind, 4) || !display_by_name(output->trace, (enum tlog_kind)kind))
            continue;
        fprintf(to, "enum tlog_name%u : uint32_t {", kind);
        display_each_name(output->trace, (enum tlog_kind)kind, put_name, &list);
        fputs(" };\n", to);
    }
    for (unsigned size = 4; size <= 8u; size += 4u) {
        if (has_symbols(output->trace) && is_used(output, TLOG_KIND_ADDRESS, size))
            put_symbols(to, output->trace->firmware, size);
    }
}

/* The bits that a list of flags has names for, of a number of so many bits. */
static uint64_t bits_of(const struct piece *piece, unsigned bits)
{
    const char *at = piece->choice[0], *end = at + piece->choice_length[0], *name;
    uint64_t number, all = 0;
    size_t length;
    while (print_format_next_symbol(&at, end, &number, &name, &length))
        all |= number;
    return bits < 64u ? all & ((UINT64_C(1) << bits) - 1u) : all;
}

/* Whether each combination of a list's flags can have a label: CTF knows no other way to show several bits. */
static bool has_few_flags(const struct piece *piece)
{
    uint64_t all = bits_of(piece, 64);
    unsigned n = 0;
    for (; all != 0; all &= all - 1u)
        n++;
    return n <= FLAGS_MOST;
}

/* Write the enumeration of all combinations of flags, each as text shows it. */
static void put_flags(FILE *to, const struct ctf_member *member)
{
    unsigned bits = 8u * member->field->size;
    uint64_t all = bits_of(member->piece, bits), number = 0;
    struct list list = {to, 0};
    fprintf(to, "enum : integer { size = %u; align = 8; signed = false; base = 16; } {", bits);
    do {
        char text[PIECE_NAMES_BYTES];
        struct out out = {text, text + sizeof text};
        print_format_names(&out, member->piece, number);
        put_label(&list, text, (size_t)(out.at - text));
        fprintf(to, " = %" PRIu64, number);
        number = (number - all) & all; /* the next number that has only such bits */
    } while (number != 0);
    fputs(" }", to);
}

/* Write the enumeration of the names that a print format has for numbers. */
static void put_listed(FILE *to, const struct ctf_member *member)
{
    const char *at = member->piece->choice[0], *end = at + member->piece->choice_length[0], *name;
    struct list list = {to, 0};
    unsigned bits = 8u * member->field->size;
    uint64_t number;
    size_t length;
    fprintf(to, "enum : uint%u_t {", bits);
    while (print_format_next_symbol(&at, end, &number, &name, &length)) {
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

/* Write the type of a plain number. */
static void put_integer(FILE *to, const struct tlog_field *field, bool are_flags)
{
    bool is_hex =
        are_flags || field->kind == TLOG_KIND_HEX || field->kind == TLOG_KIND_ADDRESS || display_is_handle(field->kind);
    fprintf(to, "integer { size = %u; align = 8; signed = %s; base = %u; }", 8u * field->size,
            field->kind == TLOG_KIND_SIGNED ? "true" : "false", is_hex ? 16u : 10u);
}

/* Write the type of a number. */
static void put_number(FILE *to, const struct ctf_output *output, const struct ctf_member *member)
{
    const struct tlog_field *field = member->field;
    bool is_whole = is_size_of_number(field->size);
    bool are_flags = member->piece != NULL && member->piece->kind == PIECE_FLAGS;
    if (are_flags && is_whole && has_few_flags(member->piece))
        put_flags(to, member);
    else if (member->piece != NULL && !are_flags && is_whole)
        put_listed(to, member);
    else if (field->kind == TLOG_KIND_ADDRESS && field->size >= 4u && is_whole && has_symbols(output->trace))
        fprintf(to, "enum tlog_symbol%u", 8u * field->size);
    else if (field->size == 4u && tlog_kind_has_names(field->kind) && display_by_name(output->trace, field->kind))
        fprintf(to, "enum tlog_name%u", (unsigned)field->kind);
    else
        put_integer(to, field, are_flags);
}

/* Write the type of a field, its name, and what an array has behind it. */
static void put_field(FILE *to, const struct ctf_output *output, const struct ctf_member *member, const char *name)
{
    const struct tlog_field *field = member->field;
    bool is_number = field->size <= 8u && field->kind != TLOG_KIND_BYTES;
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

/* Write the fields of a type's events, a line each. */
static void put_fields(FILE *to, const struct ctf_output *output, uint16_t type)
{
    const struct ctf_encoder *encoder = &output->encoder[type];
    for (unsigned i = 0; i < encoder->nmembers; i++) {
        char name[NAME_BYTES + 16u], plain[NAME_BYTES];
        unsigned same = count_same(encoder, output->trace->types[type], i);
        field_name(plain, output->trace->types[type], encoder->member[i].field);
        if (same == 0)
            snprintf(name, sizeof name, "%s", plain);
        else
            snprintf(name, sizeof name, "%s__%u", plain, same + 1u);
        fputs("\t\t", to);
        put_field(to, output, &encoder->member[i], name);
        fputs(";\n", to);
    }
}

/* ---- the trace --------------------------------------------------------------------------------------------------- */

static void put_trace(FILE *to, const struct ctf_output *output)
{
    static const unsigned char groups[] = {4, 2, 2, 2, 6}; /* bytes between the hyphens */
    char text[UUID_TEXT], *at = text;
    const unsigned char *from = output->stream.uuid;
    for (unsigned i = 0; i < sizeof groups; i++) {
        if (i > 0)
            *at++ = '-';
        at = hex_put(at, from, groups[i]);
        from += groups[i];
    }
    *at = '\0';
    fprintf(to,
            "trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%s\";\n\tbyte_order = le;\n"
            "\tpacket.header := struct {\n\t\tuint32_t magic;\n\t\tuint8_t uuid[16];\n\t\tuint32_t stream_id;\n"
            "\t\tuint64_t stream_instance_id;\n\t};\n};\n\n",
            text);
}

static void put_env(FILE *to, const struct trace *trace)
{
    const char *target = trace->target != NULL && trace->target[0] != '\0' ? trace->target : "target";
    fputs("env {\n\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n\tkernel_release = \"tlog\";\n"
          "\tkernel_version = \"tlog\";\n\ttracer_name = \"lttng-modules\";\n\ttracer_major = 2;\n"
          "\ttracer_minor = 13;\n\ttracer_patchlevel = 0;\n\thostname = ",
          to);
    put_quoted(to, target, strlen(target));
    fprintf(to, ";\n\tclock_hz = %" PRIu64 ";\n};\n\n", trace->clock_hz <= INT64_MAX ? trace->clock_hz : 0);
}

/* The real time of the clock's 0. */
static int64_t offset_of(const struct ctf_output *output)
{
    uint64_t first = output->stream.first;
    return output->has_start && first != UINT64_MAX ? (int64_t)((uint64_t)output->start - first) : 0;
}

/* The offset has two numbers: whole seconds, which may be negative, and ns, which may not. */
static void put_clock(FILE *to, const struct ctf_output *output)
{
    int64_t offset = offset_of(output), s = offset / TICKS_NS_PER_S, ns = offset % TICKS_NS_PER_S;
    if (ns < 0) {
        s--;
        ns += TICKS_NS_PER_S;
    }
    fprintf(to,
            "clock {\n\tname = \"monotonic\";\n\tdescription = \"%s\";\n\tfreq = %u;\n\toffset_s = %" PRId64
            ";\n\toffset = %" PRId64 ";\n};\n\n",
            output->trace->clock_hz != 0 ? "ns"
                                         : "ticks of the target, whose frequency is not known: 1 is shown as 1 ns",
            TICKS_NS_PER_S, s, ns);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* What every event bears. */
static void put_common(FILE *to, const struct ctf_output *output)
{
    fputs("stream {\n\tid = 0;\n\tevent.header := struct event_header_large;\n"
          "\tpacket.context := struct packet_context;\n\tevent.context := struct {\n"
          "\t\tint32_t _tid;\n\t\tstring _procname;\n\t\tenum : uint16_t { \"task\" = 0",
          to);
    for (uint16_t i = 1; i < CTF_CONTEXTS; i++) {
        char text[TRACE_CONTEXT_NAME_BYTES];
        const char *name = output->context_used[i] ? trace_context_name(i, text) : NULL;
        if (name == NULL)
            continue;
        fputs(", ", to);
        put_quoted(to, name, strlen(name));
        fprintf(to, " = %u", (unsigned)i);
    }
    fputs(" } _context;\n"
          "\t\tuint8_hex_t _flags; /* 1 in an interrupt, 2 derived, 4 unchecked, 8 emergency slot */\n",
          to);
    if (output->has_groups) {
        fputs("\t\tenum : uint16_t { \"\" = 0", to);
        for (unsigned i = 0; i < output->trace->ngroups; i++)
            fprintf(to, ", \"%s\" = %u", output->trace->groups[i].name, i + 1u);
        fputs(" } _group;\n", to);
    }
    fputs("\t};\n};\n\n", to);
}

static void begin_event(FILE *to, const char *name, unsigned id)
{
    fputs("event {\n\tname = ", to);
    put_quoted(to, name, strlen(name));
    fprintf(to, ";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n", id);
}

static void put_events(FILE *to, const struct ctf_output *output)
{
    static const char *const dumped[] = {"lttng_statedump_start", "lttng_statedump_process_state",
                                         "lttng_statedump_end"};
    for (unsigned i = 0; i < output->trace->ntypes; i++) {
        char name[NAME_BYTES];
        if (output->encoder[i].scratch == NULL)
            continue;
        event_name(name, output->trace->types[i]);
        begin_event(to, name, i);
        put_fields(to, output, (uint16_t)i);
        fputs("\t};\n};\n\n", to);
    }
    for (unsigned i = 0; i < 3u; i++) {
        begin_event(to, dumped[i], CTF_STATEDUMP_START + i);
        fprintf(to, "%s\t};\n};\n\n", i == 1u ? statedump : "");
    }
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static void put_all(FILE *to, const struct ctf_output *output)
{
    fputs(CTF_METADATA_START ". */\n\n", to);
    fputs(types, to);
    fputs("\n", to);
    put_trace(to, output);
    put_env(to, output->trace);
    put_clock(to, output);
    fputs(clocks, to);
    fputs(packets, to);
    put_enumerations(to, output);
    put_common(to, output);
    put_events(to, output);
}

int ctf_metadata_write(const struct ctf_output *output)
{
    int fd = os_create_in(output->stream.directory, CTF_METADATA);
    FILE *to = fd >= 0 ? os_stream(fd, "w") : NULL;
    bool good = to != NULL;
    if (good) {
        put_all(to, output);
        good = ferror(to) == 0;
        good = fclose(to) == 0 && good;
    }
    if (fd >= 0)
        good = os_close(fd) && good;
    return good ? 0 : trace_fail(output->trace, CTF_METADATA ": cannot write: %s", strerror(errno));
}
