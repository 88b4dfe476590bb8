/* options.c - the options of the command line.
 *
 * The program knows its options from the table below alone: --help, getopt's tables and messages are made of it. The
 * manual page and the completion for bash describe the same options, which tests/system/cli.sh checks.
 *
 * To add an option, write a function take_...(), here or in option_values.c, and a row of the table that names it.
 */
#include "cli/formats.h"
#include "cli/option_values.h"
#include "cli/suggest.h"
#include "tool/message.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const headings[HEADINGS] = {
    [OUTPUT] = "Output:",
    [ANSWERS] = "Answers:",
    [DECODING] = "Decoding:",
    [CHOOSING] = "Choosing events:",
    [BOARDS] = "Several boards:",
    [TRACE_DAT] = "trace.dat:",
    [RECEIVING] = "Receiving (DUMP = udp:PORT, udp:ADDRESS:PORT, udp:*:PORT, gdb:HOST:PORT, openocd:HOST:PORT):",
    [MESSAGES] = "Messages:",
};

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* The number that is all of the text, in at most max digits; 0: the text is something else, or 0. */
static long long parse_number(const char *text, size_t max)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits <= max && text[digits] == '\0' ? strtoll(text, NULL, 10) : 0;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

/* Without --format the suffix of this name tells the format. */
static enum cli_action take_output(const struct given *given)
{
    given->request->output = given->text;
    return CLI_DECODE;
}

static enum cli_action take_format(const struct given *given)
{
    const char *meant;
    for (size_t i = 0; cli_writers[i] != NULL; i++) {
        if (strcmp(cli_writers[i]->name, given->text) == 0) {
            given->request->writer = cli_writers[i];
            return CLI_DECODE;
        }
    }
    meant = cli_format_meant(given->text);
    return meant == NULL ? refuse(given)
                         : cli_usage_error("--format=%s: no such output format; did you mean %s?", given->text, meant);
}

static enum cli_action take_force(const struct given *given)
{
    given->request->force = true;
    return CLI_DECODE;
}

/* The writer parses the value, and may refuse it. */
static enum cli_action take_lttng(const struct given *given)
{
    given->request->options.variant = given->text;
    return CLI_DECODE;
}

static enum cli_action take_timescale(const struct given *given)
{
    static const char *const scales[] = {"1ns", "1us", NULL};
    int scale = find_word(scales, given->text);
    given->request->options.timescale = scale == 1 ? 1000 : 1;
    return scale >= 0 ? CLI_DECODE : refuse(given);
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* One question at a time. */
static enum cli_action ask(const struct given *given, const struct trace_writer *answer)
{
    const struct trace_writer *before = given->command->answer;
    if (before != NULL && before != answer)
        return cli_usage_error("--%s and --%s contradict each other", before->name, answer->name);
    given->command->answer = answer;
    return CLI_DECODE;
}

static enum cli_action take_stat(const struct given *given)
{
    return ask(given, &writer_stat);
}

static enum cli_action take_info(const struct given *given)
{
    return ask(given, &writer_info);
}

static enum cli_action take_check(const struct given *given)
{
    return ask(given, &writer_check);
}

/* Without --stat, --info or --check it is an error: cli_take_arguments(). */
static enum cli_action take_json(const struct given *given)
{
    given->command->json = true;
    return CLI_DECODE;
}

/* ---- decoding ---------------------------------------------------------------------------------------------------- */

static enum cli_action take_from(const struct given *given)
{
    for (size_t i = 0; library_readers[i] != NULL; i++) {
        if (strcmp(library_readers[i]->name, given->text) == 0) {
            given->request->reader = library_readers[i];
            return CLI_DECODE;
        }
    }
    return refuse(given);
}

/* The words are in the order of the enum, which makes a word's index its value: here and in the next functions. */
static enum cli_action take_map(const struct given *given)
{
    static const char *const modes[] = {
        [TLOG_MAP_FULL] = "full", [TLOG_MAP_EXACT] = "exact", [TLOG_MAP_NATIVE] = "native", NULL};
    int mode = find_word(modes, given->text);
    given->request->map = (enum tlog_map_mode)mode;
    return mode >= 0 ? CLI_DECODE : refuse(given);
}

static enum cli_action take_function_trace(const struct given *given)
{
    static const char *const forms[] = {
        [TRACE_FUNCTIONS_GRAPH] = "graph", [TRACE_FUNCTIONS_FLAT] = "flat", [TRACE_FUNCTIONS_NONE] = "none", NULL};
    int form = find_word(forms, given->text);
    given->request->functions = (enum trace_functions)form;
    return form >= 0 ? CLI_DECODE : refuse(given);
}

/* May be given once for each input, before or after it. */
static enum cli_action take_elf(const struct given *given)
{
    if (given->command->nelf == DECODE_INPUTS_MAX)
        return refuse(given);
    given->request->inputs[given->command->nelf++].elf = given->text;
    return CLI_DECODE;
}

/* Folders where firmware is searched by its build id. Those of the environment come after them. */
static enum cli_action take_elf_dir(const struct given *given)
{
    given->request->elf_folders[0] = given->text;
    return CLI_DECODE;
}

static enum cli_action take_typed_text(const struct given *given)
{
    given->request->typed_text = true;
    return CLI_DECODE;
}

/* A run's number, from 1 to 2^32 - 1; or -1, -2 ..., which count back from the newest run. */
static enum cli_action take_run(const struct given *given)
{
    bool back = given->text[0] == '-';
    long long number = parse_number(given->text + back, 10);
    if (number == 0 || number > UINT32_MAX)
        return refuse(given);
    given->request->run = back ? -number : number;
    return CLI_DECODE;
}

/* An address: decimal, or hexadecimal with 0x. */
static enum cli_action take_base(const struct given *given)
{
    bool hexadecimal = strncmp(given->text, "0x", 2) == 0 || strncmp(given->text, "0X", 2) == 0;
    const char *digits = given->text + (hexadecimal ? 2 : 0);
    const char *all = hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
    errno = 0;
    given->request->base = strtoull(digits, NULL, hexadecimal ? 16 : 10);
    if (*digits == '\0' || strspn(digits, all) != strlen(digits) || errno != 0)
        return refuse(given);
    given->request->has_base = true;
    return CLI_DECODE;
}

/* Ticks per second, up to what a record of S.Ha.R.K. can tell: 2^32 - 1 per millisecond. */
static enum cli_action take_clock_hz(const struct given *given)
{
    long long hz = parse_number(given->text, 15);
    if (hz == 0 || hz > UINT32_MAX * 1000LL)
        return refuse(given);
    given->request->clock_hz = (uint64_t)hz;
    return CLI_DECODE;
}

/* MiB, up to a PiB. */
static enum cli_action take_mib(const struct given *given, uint64_t *bytes)
{
    long long mib = parse_number(given->text, 10);
    if (mib == 0 || mib > 1LL << 30)
        return refuse(given);
    *bytes = (uint64_t)mib << 20;
    return CLI_DECODE;
}

static enum cli_action take_unpack(const struct given *given)
{
    return take_mib(given, &given->request->unpack_most);
}

static enum cli_action take_spool(const struct given *given)
{
    return take_mib(given, &given->request->spool_most);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* With --verbose it is an error: cli_take_arguments(). */
static enum cli_action take_quiet(const struct given *given)
{
    given->request->quiet = true;
    return CLI_DECODE;
}

static enum cli_action take_verbose(const struct given *given)
{
    given->request->verbose = true;
    return CLI_DECODE;
}

static enum cli_action take_color(const struct given *given)
{
    static const char *const words[] = {
        [CLI_COLOUR_AUTO] = "auto", [CLI_COLOUR_ALWAYS] = "always", [CLI_COLOUR_NEVER] = "never", NULL};
    int word = find_word(words, given->text);
    if (word < 0)
        return refuse(given);
    cli_set_colour((enum cli_colour)word);
    return CLI_DECODE;
}

/* The last three end the command line: options after them are ignored, and nothing is decoded. */
static enum cli_action take_list_formats(const struct given *given)
{
    (void)given;
    return CLI_LIST_FORMATS;
}

static enum cli_action take_help(const struct given *given)
{
    given->command->topic = given->text;
    return given->text == NULL || cli_is_topic(given->text) ? CLI_HELP : refuse(given);
}

static enum cli_action take_version(const struct given *given)
{
    (void)given;
    return CLI_VERSION;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* The order matters in two places: --help lists the options of a heading in this order, and so does getopt those that
 * an ambiguous abbreviation could mean. */
/* clang-format off */
static const struct option_row table[] = {
    {"output", 'o', OUTPUT, "FILE", take_output, 0, NULL,
     "write FILE (\"-\" = standard output, the default)"},
    {"format", 0, OUTPUT, "NAME", take_format, 0, "no such output format; see --list-formats",
     "output format; default: what FILE's suffix says, text without FILE"},
    {"force", 'f', OUTPUT, NULL, take_force, 0, NULL,
     "write a binary format to a terminal, too"},
    {"lttng", 0, OUTPUT, "LIST", take_lttng, TRACE_OPTION_VARIANT, NULL,
     "variant of --format=lttng: word=4, order=big, packed, heartbeat, ..."},
    {"timescale", 0, OUTPUT, "STEP", take_timescale, TRACE_OPTION_TIMESCALE, "no such step; there are 1ns and 1us",
     "step of the times in vcd: 1ns (default) or 1us"},
    {"session", 0, OUTPUT, "FILE", cli_take_session, TRACE_OPTION_SESSION, NULL,
     "also write FILE, with which KernelShark (trace.dat) or GTKWave (vcd) shows\n"
     "every task and interrupt: kernelshark -s FILE; gtkwave FILE.gtkw"},
    {"open", 0, OUTPUT, NULL, cli_take_open, 0, NULL,
     "then show FILE, if it is a trace.dat, perfetto, vcd or html, in its viewer"},

    {"stat", 0, ANSWERS, NULL, take_stat, 0, NULL,
     "figures of tasks, interrupts, mutexes and the CPUs' load instead of events"},
    {"info", 0, ANSWERS, NULL, take_info, 0, NULL,
     "what each input is, and how many events of each name it has"},
    {"check", 0, ANSWERS, NULL, take_check, 0, NULL,
     "validate each input; tell what is damaged, with its offset, and write no events;\n"
     "of a firmware's ELF file: what will go wrong with its trace"},
    {"json", 0, ANSWERS, NULL, take_json, 0, NULL,
     "the answer as JSON"},

    {"from", 0, DECODING, "NAME", take_from, 0, "no such input format; see --list-formats",
     "input format; default: whichever recognises the input"},
    {"map", 0, DECODING, "MODE", take_map, 0, "no such mode; there are full, exact and native",
     "full: events Linux has, too, become Linux events, and others are added\n"
     "that complete a viewer's picture (default); exact: none are added;\n"
     "native: every event keeps its own name"},
    {"function-trace", 0, DECODING, "HOW", take_function_trace, 0, "no such form; there are graph, flat and none",
     "how to show functions that a firmware logs: graph (default): calls and returns,\n"
     "nested and with durations; flat: calls only; none: nothing"},
    {"elf", 0, DECODING, "FILE", take_elf, 0, "more than 8",
     "the firmware's ELF file, or what --save-events made of it: addresses become\n"
     "names, and the firmware's own events get their fields"},
    {"elf-dir", 0, DECODING, "DIR[:DIR]", take_elf_dir, 0, NULL,
     "folders where the file of the dump's firmware is found by its build id; the\n"
     "environment's TLOG_ELF_PATH adds further ones"},
    {"save-events", 0, DECODING, "ELF", cli_take_save_events, 0, NULL,
     "decode nothing, but write what ELF tells to a small file for --elf"},
    {"typed-text", 0, DECODING, NULL, take_typed_text, 0, NULL,
     "texts like \"motor: rpm=%d state=%u\" become events with these fields"},
    {"base", 0, DECODING, "ADDR", take_base, 0, "not an address, decimal or hexadecimal with 0x",
     "the target's address of the first byte of a copy of memory: then --elf tells\n"
     "where a chunk is whose header and seal are both damaged"},
    {"clock-hz", 0, DECODING, "N", take_clock_hz, 0, "not a number of ticks per second",
     "the target's clock, in ticks per second, if the input does not tell"},
    {"unpack", 0, DECODING, "MIB", take_unpack, 0, "not a number of MiB, 1 to 1073741824",
     "MiB that an archive or a compressed input may unpack to; default: 64 times its\n"
     "size, at least 256"},
    {"spool", 0, DECODING, "MIB", take_spool, 0, "not a number of MiB, 1 to 1073741824",
     "MiB that an input which is no file, such as a pipe, may have; default: 4096"},

    {"filter", 0, CHOOSING, "EXPR", cli_take_filter, 0, NULL,
     "only events for which EXPR holds, like 'adc_sample.mv < -100 && ch == 3'"},
    {"time", 0, CHOOSING, "A..B", cli_take_time, 0, NULL,
     "only events from A to B, in seconds as text shows them, or from an event to\n"
     "the next one of a name, like start..stop; A or B may be missing"},
    {"around", 0, CHOOSING, "EVENT:TIME", cli_take_around, 0, NULL,
     "only events near those of a name: task_deadline_miss:50ms; 50ms,10ms: before, after"},
    {"task", 0, CHOOSING, "LIST", cli_take_task, 0, NULL,
     "only events of these tasks, switches to and from them, and their wake-ups:\n"
     "numbers, names like 'net*', or both: worker:3, with commas between them"},
    {"cpu", 0, CHOOSING, "LIST", cli_take_cpu, 0, NULL,
     "only events of these CPUs, like 0,2-3"},
    {"event", 0, CHOOSING, "LIST", cli_take_event, 0, NULL,
     "only events of these names, like 'adc_*,sched:*'"},
    {"irq", 0, CHOOSING, "LIST", cli_take_irq, 0, NULL,
     "only these interrupts and what happens in them: numbers and names"},
    {"run", 0, CHOOSING, "N", take_run, 0, "not the number of a run, nor -1 for the one before the newest, -2, ...",
     "if there are several runs of the firmware, the one with that number;\n"
     "default: the newest; -1: the one before it"},

    {"merge", 0, BOARDS, NULL, cli_take_merge, 0, NULL,
     "all inputs into one file, CPUs and tasks numbered through"},
    {"guest", 0, BOARDS, "NAME:DUMP", cli_take_guest, 0,
     "not NAME:DUMP with a name of letters, digits, \"_\" and \"-\", at most 31",
     "another board's dump, into a second file: FILE.dat and FILE-NAME.dat"},
    {"sync", 0, BOARDS, "HOW", cli_take_sync, 0, "neither EVENT[:FIELD] nor +SECONDS[,PPM] or -SECONDS[,PPM]",
     "how its clock is tied to the first one's: EVENT[:FIELD], which both log with the\n"
     "same numbers, or +SECONDS or -SECONDS, and perhaps ,PPM, to be added to its times"},

    {"where", 0, RECEIVING, "ELF", cli_take_where, 0, NULL,
     "decode nothing, but print the commands that take the memory of this firmware\n"
     "with OpenOCD, gdb, J-Link, pyOCD, probe-rs and others"},
    {"follow", 0, RECEIVING, NULL, cli_take_follow, 0, NULL,
     "gdb:, openocd:: read what the board logs until Ctrl-C, and then write the output"},
    {"poll", 0, RECEIVING, "MS", cli_take_poll, 0, "not 1 to 60000 ms", "--follow: read so often; default: 50"},
    {"duration", 0, RECEIVING, "SECONDS", cli_take_duration, 0, NOT_SECONDS, "--follow: stop after that long"},
    {"until", 0, RECEIVING, "EXPR", cli_take_until, 0, NULL,
     "--follow: stop when an event came for which EXPR, as of --filter, holds"},
    {"after", 0, RECEIVING, "SECONDS", cli_take_after, 0, NOT_SECONDS, "--until: go on for so long; default: 0"},
    {"every", 0, RECEIVING, "SECONDS", cli_take_every, 0, NOT_SECONDS,
     "--follow: write the file of -o so often, with all that came so far"},
    {"rotate", 0, RECEIVING, "SECONDS|SIZE", cli_take_rotate, 0,
     "neither a number of seconds, 0.001 to 4000000, nor a size like 64K, 10M or 1G",
     "--follow: text, CSV, JSON lines of -o into FILE-0001.txt and so on, each so long"},
    {"keep", 0, RECEIVING, "N", cli_take_keep, 0, "not a number of files, 1 to 1000000",
     "--rotate: only the last N files stay"},
    {"idle", 0, RECEIVING, "SECONDS", cli_take_idle, 0, "not a number of seconds, 0.001 to 86400",
     "stop when no packet came for that long after the first one; default: 5"},
    {"wait", 0, RECEIVING, "SECONDS", cli_take_wait, 0, "not a number of seconds, 0.001 to 86400",
     "stop when the first packet has not come after that long; default: no limit;\n"
     "gdb:, openocd:: when the memory has not come; default: what its size asks for"},
    {"count", 0, RECEIVING, "N", cli_take_count, 0, "not a number of packets, 1 or more",
     "stop after N packets"},

    {"compress", 0, TRACE_DAT, "HOW", cli_take_compress, TRACE_OPTION_COMPRESS,
     "no such method; there are none, zstd and zlib",
     "none (default), zstd, or zlib; version 7, and gzip for perfetto"},
    {"start-time", 0, TRACE_DAT, "T", cli_take_start_time, TRACE_OPTION_START_TIME,
     "not a time like 2026-01-31T12:00:00Z or @1769860800.5, from 1970 to 2200",
     "real time of the first event: 2026-01-31T12:00:00.5Z, or @SECONDS since 1970"},
    {"raw-tsc", 0, TRACE_DAT, NULL, cli_take_raw_tsc, TRACE_OPTION_RAW_TSC, NULL,
     "store times as ticks, with the factor that makes ns of them"},
    {"instances", 0, TRACE_DAT, NULL, cli_take_instances, TRACE_OPTION_INSTANCES, NULL,
     "a buffer of its own for each chunk that stands alone; version 7 only"},
    {"endian", 0, TRACE_DAT, "ORDER", cli_take_endian, TRACE_OPTION_ENDIAN,
     "no such byte order; there are little and big",
     "little (default) or big"},
    {"long-size", 0, TRACE_DAT, "N", cli_take_long_size, TRACE_OPTION_LONG_SIZE, "a long has 4 or 8 bytes",
     "bytes of a long on the target: 8 (default) or 4"},
    {"page-size", 0, TRACE_DAT, "N", cli_take_page_size, TRACE_OPTION_PAGE_SIZE,
     "not a power of two from 4096 to 65536",
     "bytes of a page of events: 4096 (default) to 65536"},

    {"quiet", 'q', MESSAGES, NULL, take_quiet, 0, NULL,
     "errors only: no warnings, no summary, no progress"},
    {"verbose", 'v', MESSAGES, NULL, take_verbose, 0, NULL,
     "say what was recognised and chosen"},
    {"color", 0, MESSAGES, "WHEN", take_color, 0, "not auto, always or never",
     "colours of messages and headings: auto (default: on terminals, unless the\n"
     "environment has NO_COLOR), always (but never in a file) or never"},
    {"list-formats", 0, MESSAGES, NULL, take_list_formats, 0, NULL,
     "show the input and output formats and exit"},
    {"help", 'h', MESSAGES, "[TOPIC]", take_help, 0,
     "no such topic; there are output, answers, decoding, choosing, boards and all",
     "show what the usual calls are, or the options of a topic, and exit"},
    {"version", 'V', MESSAGES, NULL, take_version, 0, NULL,
     "show the version and exit"},
};
/* clang-format on */

#define OPTIONS (sizeof table / sizeof table[0])

_Static_assert(DECODE_INPUTS_MAX == 8, "the table says how many ELF files there can be");

/* ---- getopt ------------------------------------------------------------------------------------------------------ */

/* What getopt returns for a long option: LONG plus its index in the table. LONG is above all characters, which getopt
 * returns for short options. Every option needs a number of its own: if two options had the same, getopt would not
 * refuse an abbreviation that could mean either. */
enum { LONG = 256 };

/* What getopt_long() is given. */
struct tables {
    struct option longs[OPTIONS + 1u];
    char letters[2 * OPTIONS + 2u];
};

/* Whether the option's value may be missing. */
static bool is_optional(const struct option_row *option)
{
    return option->value != NULL && option->value[0] == '[';
}

/* Make getopt's tables, which are zero before, of ours. Both end with a zero. The colon in front has getopt tell a
 * missing value from an unknown option. */
static void make_tables(struct tables *tables)
{
    char *letters = tables->letters;
    *letters++ = ':';
    for (size_t i = 0; i < OPTIONS; i++) {
        int has_argument = table[i].value == NULL   ? no_argument
                           : is_optional(&table[i]) ? optional_argument
                                                    : required_argument;
        tables->longs[i] = (struct option){table[i].name, has_argument, NULL, LONG + (int)i};
        if (table[i].letter == 0)
            continue;
        *letters++ = table[i].letter;
        if (has_argument == required_argument)
            *letters++ = ':';
    }
}

/* The option of a number that getopt has; NULL: it is none of ours. */
static const struct option_row *find_option(int value)
{
    if (value >= LONG)
        return &table[value - LONG];
    for (size_t i = 0; i < OPTIONS; i++) {
        if (table[i].letter != 0 && table[i].letter == value)
            return &table[i];
    }
    return NULL;
}

/* getopt has refused an option, the one with the number optopt: tell why. C libraries would tell it each in its own
 * words. lacks: a value, otherwise it is too much. text: the option as given, if no long option has that name. */
static enum cli_action refuse_option(bool lacks, const char *text)
{
    const char *names[OPTIONS];
    if (optopt >= LONG)
        return cli_usage_error(lacks ? "option '--%s' requires an argument" : "option '--%s' doesn't allow an argument",
                               find_option(optopt)->name);
    if (optopt > 0)
        return cli_usage_error(lacks ? "option requires an argument -- '%c'" : "invalid option -- '%c'", optopt);
    for (size_t i = 0; i < OPTIONS; i++)
        names[i] = table[i].name;
    cli_refuse_option(text, names, OPTIONS);
    return CLI_USAGE_ERROR;
}

enum cli_action cli_take_options(struct cli_command *command, int argc, char **argv)
{
    struct tables tables = {0};
    int value;
    make_tables(&tables);
    opterr = 0;
    while ((value = getopt_long(argc, argv, tables.letters, tables.longs, NULL)) != -1) {
        const struct option_row *option = find_option(value);
        struct given given = {option, optarg, command, &command->request};
        enum cli_action action;
        if (option == NULL)
            return refuse_option(value == ':', argv[optind - 1]);
        command->request.options.given |= option->writer_bit;
        action = option->take(&given);
        if (action == CLI_DECODE)
            action = cli_keep_for_page(&given);
        if (action != CLI_DECODE)
            return action;
    }
    return CLI_DECODE;
}

/* ---- options and writers ----------------------------------------------------------------------------------------- */

const char *cli_unheeded_option(const struct trace_options *options, const struct trace_writer *writer)
{
    unsigned unheeded = options->given & ~writer->takes;
    unsigned lowest = unheeded & (~unheeded + 1u);
    for (size_t i = 0; i < OPTIONS; i++) {
        if ((table[i].writer_bit & lowest) != 0)
            return table[i].name;
    }
    return NULL;
}

/* ---- help -------------------------------------------------------------------------------------------------------- */

enum { HELP_COLUMN = 23 }; /* where the descriptions of options begin, the first column being 0 */

/* Print an option and the lines of its description: "  -o, --output=FILE    write ...". */
static void print_option(const struct option_row *option)
{
    char letter[] = "    ";
    int width;
    if (option->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    width = printf("  %s--%s%s%s", letter, option->name,
                   is_optional(option)     ? "[="
                   : option->value != NULL ? "="
                                           : "",
                   option->value != NULL ? option->value + is_optional(option) : "");
    printf("%*s", width + 2 > HELP_COLUMN ? 2 : HELP_COLUMN - width, "");
    for (const char *line = option->help; line != NULL;) {
        const char *end = strchr(line, '\n');
        printf("%.*s\n", end != NULL ? (int)(end - line) : (int)strlen(line), line);
        line = end != NULL ? end + 1 : NULL;
        if (line != NULL)
            printf("%*s", HELP_COLUMN, "");
    }
}

/* What --help=TOPIC is about. */
static const struct {
    const char *name;
    enum heading headings[2];
} topics[] = {
    {"output", {OUTPUT, TRACE_DAT}},    {"answers", {ANSWERS, ANSWERS}}, {"decoding", {DECODING, DECODING}},
    {"choosing", {CHOOSING, CHOOSING}}, {"boards", {BOARDS, RECEIVING}}, {"all", {OUTPUT, MESSAGES}},
};

#define TOPICS (sizeof topics / sizeof topics[0])

bool cli_is_topic(const char *name)
{
    for (size_t i = 0; i < TOPICS; i++) {
        if (strcmp(topics[i].name, name) == 0)
            return true;
    }
    return false;
}

static void print_heading(enum heading heading)
{
    printf("%s\n", headings[heading]);
    for (size_t i = 0; i < OPTIONS; i++) {
        if (table[i].heading == heading)
            print_option(&table[i]);
    }
}

void cli_print_options(const char *topic)
{
    bool is_all = strcmp(topic, "all") == 0;
    for (int heading = 0; is_all && heading < HEADINGS; heading++)
        print_heading((enum heading)heading);
    for (size_t i = 0; !is_all && i < TOPICS; i++) {
        if (strcmp(topics[i].name, topic) != 0)
            continue;
        print_heading(topics[i].headings[0]);
        if (topics[i].headings[1] != topics[i].headings[0])
            print_heading(topics[i].headings[1]);
    }
}
