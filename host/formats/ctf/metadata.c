/* metadata.c - see metadata.h. Names and shapes are those of LTTng's traces of Linux. */
#include "formats/ctf/metadata.h"

#include "base/printable.h"
#include "formats/ctf/tsdl.h"
#include "model/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define UUID_TEXT 40u

/* The part that is the same in every trace. stream.c writes the packets' headers, writer.c what every event bears, and
 * statedump.c the fields of the events of the state dump. */
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
    tsdl_text(to, target, strlen(target));
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
        tsdl_text(to, name, strlen(name));
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
    tsdl_text(to, name, strlen(name));
    fprintf(to, ";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n", id);
}

static void put_events(FILE *to, const struct ctf_output *output)
{
    static const char *const dumped[] = {"lttng_statedump_start", "lttng_statedump_process_state",
                                         "lttng_statedump_end"};
    for (unsigned i = 0; i < output->trace->ntypes; i++) {
        char name[TSDL_NAME_BYTES];
        if (output->shape[i].scratch == NULL)
            continue;
        tsdl_event_name(name, output->trace->types[i]);
        begin_event(to, name, i);
        tsdl_fields(to, output, (uint16_t)i);
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
    tsdl_names(to, output);
    put_common(to, output);
    put_events(to, output);
}

int ctf_metadata_write(const struct ctf_output *output)
{
    int fd = openat(output->stream.directory, CTF_METADATA, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool good = to != NULL;
    if (to == NULL && fd >= 0)
        close(fd);
    if (good) {
        put_all(to, output);
        good = ferror(to) == 0;
        good = fclose(to) == 0 && good;
    }
    return good ? 0 : trace_fail(output->trace, CTF_METADATA ": cannot write: %s", strerror(errno));
}
