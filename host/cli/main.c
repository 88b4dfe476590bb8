/* main.c - tlog-decode: the options, and the two tables of what can be read and written. */
#include "decode/decode.h"
#include "model/module.h"
#include "model/message.h"
#include "io/input_udp.h"
#include "cli/modules.h"
#include "cli/options.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef TLOG_VERSION
#define TLOG_VERSION "0.1.0"
#endif

static const struct trace_reader *const readers[] = {&reader_native, &reader_tracedat, &reader_shark,
                                                     &reader_kev,    &reader_lttng,    NULL};
static const struct trace_writer *const writers[] = {
    &writer_tracedat, &writer_tracedat6, &writer_tracedat_text, &writer_text,
    &writer_shark,    &writer_kev,       &writer_lttng,         NULL};

static const char *const map_names[] = {[MAP_FULL] = "full", [MAP_EXACT] = "exact", [MAP_NATIVE] = "native"};

static const char *const function_names[] = {
    [TRACE_FUNCTIONS_GRAPH] = "graph", [TRACE_FUNCTIONS_FLAT] = "flat", [TRACE_FUNCTIONS_NONE] = "none"};

#define MAP_MODES (sizeof map_names / sizeof map_names[0])

static const char help[] =
    "Usage: tlog-decode [OPTION]... DUMP\n"
    "       tlog-decode [OPTION]... --merge DUMP DUMP...\n"
    "Turn a dump of tlog events (\"-\" = standard input) into a file that trace viewers open.\n"
    "\n"
    "Output:\n"
    "  -o, --output=FILE    write FILE (\"-\" = standard output, the default)\n"
    "      --format=NAME    output format; default: what FILE's suffix says, text without FILE\n"
    "  -f, --force          write a binary format to a terminal, too\n"
    "      --lttng=LIST     variant of --format=lttng: word=4, order=big, packed, heartbeat, ...\n"
    "Decoding:\n"
    "      --from=NAME      input format; default: whichever recognises the input\n"
    "      --map=MODE       full: events Linux has, too, become Linux events, and others are added\n"
    "                       that complete a viewer's picture (default); exact: none are added;\n"
    "                       native: every event keeps its own name\n"
    "      --function-trace=HOW  of functions a firmware logs: graph (default) their calls and returns,\n"
    "                       nested and with durations; flat: calls only; none: nothing\n"
    "      --elf=FILE       the firmware's ELF file: addresses become names\n"
    "      --run=N          of several runs of the firmware the one with that number; default: the newest;\n"
    "                       -1: the one before it\n"
    "      --clock-hz=N     the target's clock, in ticks per second, if the input does not tell\n"
    "Several boards:\n"
    "      --merge          all inputs into one file, CPUs and tasks numbered through\n"
    "      --guest=NAME:DUMP  another board's dump, into a file beside: FILE.dat and FILE-NAME.dat\n"
    "      --sync=HOW       how its clock is tied to the first one's: EVENT[:FIELD], which both log with the\n"
    "                       same numbers, or +SECONDS or -SECONDS, and perhaps ,PPM, to be added to its times\n"
    "trace.dat:\n"
    "      --compress=HOW   none (default), zstd, or zlib; version 7 only\n"
    "      --start-time=T   when the first event was: 2026-01-31T12:00:00.5Z, or @SECONDS since 1970\n"
    "      --raw-tsc        keep ticks for times, and say how to make ns of them\n"
    "      --instances      a buffer of its own for each chunk that stands alone; version 7 only\n"
    "      --endian=ORDER   little (default) or big\n"
    "      --long-size=N    bytes of a long on the target: 8 (default) or 4\n"
    "      --page-size=N    bytes of a page of events: 4096 (default) to 65536\n"
    "Receiving (DUMP = udp:PORT on this machine only, udp:ADDRESS:PORT, udp:*:PORT from everywhere):\n"
    "      --idle=SECONDS   stop when nothing came for so long after the first packet; default: 5\n"
    "      --wait=SECONDS   stop when no packet came for so long; default: wait without limit\n"
    "      --count=N        stop after N packets\n"
    "Messages:\n"
    "  -q, --quiet          errors only: no warnings, no summary\n"
    "  -v, --verbose        say what was recognised and chosen\n"
    "      --list-formats   show the input and output formats and exit\n"
    "  -h, --help           show this and exit\n"
    "  -V, --version        show the version and exit\n"
    "\n"
    "Examples:\n"
    "  tlog-decode dump.bin -o trace.dat                          for KernelShark and trace-cmd report\n"
    "  tlog-decode dump.bin | grep -A1 DROPPED                    what came after each loss\n"
    "  tlog-decode --map=native dump.bin -o events.txt            events as the firmware named them\n"
    "  nc -l 5555 | tlog-decode - -o trace.dat                    what a board sends over TCP\n"
    "  tlog-decode dump.bin --guest=b:b.bin --sync=user_event_0 -o trace.dat   two boards on one timeline\n"
    "  tlog-decode -q dump.bin --format=trace.dat -o - | gzip > trace.dat.gz\n"
    "\n"
    "Exit status: 0 written, input whole; 1 nothing written; 2 written, but input was damaged.\n";

enum {
    OPTION_FORMAT = 256,
    OPTION_FROM,
    OPTION_MAP,
    OPTION_FUNCTIONS,
    OPTION_CLOCK,
    OPTION_ELF,
    OPTION_RUN,
    OPTION_LIST,
    OPTION_IDLE,
    OPTION_WAIT,
    OPTION_COUNT,
    OPTION_MERGE,
    OPTION_GUEST,
    OPTION_SYNC,
    OPTION_LTTNG,    /* a number of its own keeps --l ambiguous */
    OPTION_OF_WRITER /* options.h */
};

static const struct option options[] = {
    {"output", required_argument, NULL, 'o'},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"force", no_argument, NULL, 'f'},
    {"from", required_argument, NULL, OPTION_FROM},
    {"map", required_argument, NULL, OPTION_MAP},
    {"function-trace", required_argument, NULL, OPTION_FUNCTIONS},
    {"elf", required_argument, NULL, OPTION_ELF},
    {"run", required_argument, NULL, OPTION_RUN},
    {"clock-hz", required_argument, NULL, OPTION_CLOCK},
    {"merge", no_argument, NULL, OPTION_MERGE},
    {"guest", required_argument, NULL, OPTION_GUEST},
    {"sync", required_argument, NULL, OPTION_SYNC},
    {"lttng", required_argument, NULL, OPTION_LTTNG},
    {"idle", required_argument, NULL, OPTION_IDLE},
    {"wait", required_argument, NULL, OPTION_WAIT},
    {"count", required_argument, NULL, OPTION_COUNT},
    {"compress", required_argument, NULL, OPTION_OF_WRITER},
    {"start-time", required_argument, NULL, OPTION_OF_WRITER},
    {"raw-tsc", no_argument, NULL, OPTION_OF_WRITER},
    {"endian", required_argument, NULL, OPTION_OF_WRITER},
    {"instances", no_argument, NULL, OPTION_OF_WRITER},
    {"long-size", required_argument, NULL, OPTION_OF_WRITER},
    {"page-size", required_argument, NULL, OPTION_OF_WRITER},
    {"quiet", no_argument, NULL, 'q'},
    {"verbose", no_argument, NULL, 'v'},
    {"list-formats", no_argument, NULL, OPTION_LIST},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

/* What is to be done once all options are known to be good. */
enum task { TASK_DECODE, TASK_USAGE_ERROR, TASK_HELP, TASK_VERSION, TASK_LIST };

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static enum task usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

static enum task usage_error(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    message_list(format, arguments);
    va_end(arguments);
    return TASK_USAGE_ERROR;
}

static void list_formats(void)
{
    printf("Input formats (--from):\n");
    for (size_t i = 0; readers[i] != NULL; i++)
        printf("  %-14s %s\n", readers[i]->name, readers[i]->description);
    printf("Output formats (--format):\n");
    for (size_t i = 0; writers[i] != NULL; i++) {
        const char *suffix = writers[i]->suffix ? writers[i]->suffix : "";

        printf("  %-14s %s%s%s\n", writers[i]->name, writers[i]->description, suffix[0] ? "; suffix " : "", suffix);
    }
}

/* ---- names of formats -------------------------------------------------------------------------------------------- */

static enum task choose_reader(struct decode_request *request, const char *name)
{
    for (size_t i = 0; readers[i] != NULL; i++) {
        if (strcmp(readers[i]->name, name) == 0) {
            request->reader = readers[i];
            return TASK_DECODE;
        }
    }
    return usage_error("--from=%s: no such input format; see --list-formats", name);
}

static enum task choose_writer(struct decode_request *request, const char *name)
{
    for (size_t i = 0; writers[i] != NULL; i++) {
        if (strcmp(writers[i]->name, name) == 0) {
            request->writer = writers[i];
            return TASK_DECODE;
        }
    }
    return usage_error("--format=%s: no such output format; see --list-formats", name);
}

static enum task choose_map(struct decode_request *request, const char *name)
{
    for (size_t i = 0; i < MAP_MODES; i++) {
        if (map_names[i] != NULL && strcmp(map_names[i], name) == 0) {
            request->map = (enum map_mode)i;
            return TASK_DECODE;
        }
    }
    return usage_error("--map=%s: no such mode; there are full, exact and native", name);
}

static enum task choose_functions(struct decode_request *request, const char *name)
{
    for (size_t i = 0; i < sizeof function_names / sizeof function_names[0]; i++) {
        if (strcmp(function_names[i], name) == 0) {
            request->functions = (enum trace_functions)i;
            return TASK_DECODE;
        }
    }
    return usage_error("--function-trace=%s: no such form; there are graph, flat and none", name);
}

/* Ticks per second, up to what a S.Ha.R.K. record can tell: 2^32 - 1 per millisecond. */
static enum task take_clock(struct decode_request *request, const char *text)
{
    size_t digits = strspn(text, "0123456789");
    unsigned long long hz = digits > 0 && digits < 16u && text[digits] == '\0' ? strtoull(text, NULL, 10) : 0;

    if (hz == 0 || hz > UINT32_MAX * 1000ull)
        return usage_error("--clock-hz=%s: not a number of ticks per second", text);
    request->clock_hz = hz;
    return TASK_DECODE;
}

/* A run's number, 1 to 2^32 - 1, or how many runs before the newest, -1 and less. */
static enum task take_run(struct decode_request *request, const char *text)
{
    const char *digits = text + (text[0] == '-');
    size_t n = strspn(digits, "0123456789");
    long long run = n > 0 && n < 11u && digits[n] == '\0' ? strtoll(text, NULL, 10) : 0;

    if (run == 0 || run > UINT32_MAX || run < -(long long)UINT32_MAX)
        return usage_error("--run=%s: not the number of a run, nor -1 for the one before the newest, -2, ...", text);
    request->run = run;
    return TASK_DECODE;
}

static bool ends_with(const char *text, const char *suffix)
{
    size_t length = strlen(text);
    size_t tail = strlen(suffix);

    return length > tail && strcmp(text + length - tail, suffix) == 0;
}

/* The format the output's name asks for. Standard output, and devices and pipes by whatever name, get text. */
static enum task guess_writer(struct decode_request *request)
{
    const char *output = request->output;

    if (output == NULL || strcmp(output, "-") == 0 || strncmp(output, "/dev/", 5) == 0)
        return choose_writer(request, "text");
    for (size_t i = 0; writers[i] != NULL; i++) {
        if (writers[i]->suffix != NULL && ends_with(output, writers[i]->suffix)) {
            request->writer = writers[i];
            return TASK_DECODE;
        }
    }
    return usage_error("%s: the suffix does not tell the format; give --format, see --list-formats", output);
}

/* ---- limits of receiving ----------------------------------------------------------------------------------------- */

/* Seconds, with decimals if need be: 1 ms to a day. */
static enum task take_seconds(uint32_t *ms, const char *option, const char *text)
{
    char *end;
    double seconds = strtod(text, &end);

    if (strspn(text, "0123456789.") != strlen(text) || end == text || *end != '\0'
        || !(seconds >= 0.001 && seconds <= 86400))
        return usage_error("--%s=%s: not a number of seconds, 0.001 to 86400", option, text);
    *ms = (uint32_t)(seconds * 1000 + 0.5);
    return TASK_DECODE;
}

static enum task take_count(uint64_t *count, const char *text)
{
    errno = 0;
    *count = strtoull(text, NULL, 10);
    if (strspn(text, "0123456789") != strlen(text) || *count == 0 || errno != 0)
        return usage_error("--count=%s: not a number of packets, 1 or more", text);
    return TASK_DECODE;
}

/* ---- several boards ---------------------------------------------------------------------------------------------- */

/* Parts of the command line that only make sense together. */
struct boards {
    bool merge;
    unsigned nelf; /* of --elf */
    const char *elf[DECODE_MORE + 1u];
    struct sync_rule rule;
};

static struct boards boards;

static enum task take_more(struct decode_request *request, const char *path, const char *guest)
{
    if (request->nmore == DECODE_MORE)
        return usage_error("%s: more than %u inputs", path, DECODE_MORE + 1u);
    request->more[request->nmore++] = (struct decode_more){.path = path, .guest = guest};
    return TASK_DECODE;
}

/* NAME:FILE. The name becomes part of a file's. */
static enum task take_guest(struct decode_request *request, char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    size_t length = strspn(text, letters);

    if (length == 0 || length > 31 || text[length] != ':' || text[length + 1u] == '\0')
        return usage_error("--guest=%s: not NAME:DUMP with a name of letters, digits, \"_\" and \"-\", at most 31",
                           text);
    text[length] = '\0';
    for (unsigned i = 0; i < request->nmore; i++) {
        if (strcmp(request->more[i].guest, text) == 0)
            return usage_error("--guest=%s: two guests of that name", text);
    }
    return take_more(request, text + length + 1, text);
}

static enum task take_sync(struct decode_request *request, const char *text)
{
    request->sync = &boards.rule;
    return sync_parse(&boards.rule, text)
               ? TASK_DECODE
               : usage_error("--sync=%s: neither EVENT[:FIELD] nor +SECONDS[,PPM] or -SECONDS[,PPM]", text);
}

static enum task take_elf(const char *path)
{
    if (boards.nelf > DECODE_MORE)
        return usage_error("--elf=%s: more than %u", path, DECODE_MORE + 1u);
    boards.elf[boards.nelf++] = path;
    return TASK_DECODE;
}

/* The n-th ELF file is of the n-th input; one file has room for one firmware only. */
static enum task share_elfs(struct decode_request *request)
{
    unsigned room = boards.merge ? 1 : request->nmore + 1u;

    if (boards.nelf > room)
        return usage_error("--elf=%s: %s", boards.elf[room],
                           boards.merge ? "a merged file holds the names of one firmware" : "there is no input for it");
    request->elf = boards.elf[0];
    for (unsigned i = 0; i < request->nmore; i++)
        request->more[i].elf = boards.merge ? boards.elf[0] : boards.elf[i + 1u];
    return TASK_DECODE;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;

    return strcmp(a, b) == 0 || (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

/* Every input is another one, and can be read twice. */
static enum task check_inputs(const struct decode_request *request)
{
    for (unsigned i = 0; i < request->nmore; i++) {
        const char *path = request->more[i].path;

        if (input_udp_names(path) || input_udp_names(request->input))
            return usage_error("%s: receives, and that is for one input alone",
                               input_udp_names(path) ? path : request->input);
        if (same_file(path, request->input))
            return usage_error("%s: is given twice", path);
        for (unsigned k = 0; k < i; k++) {
            if (same_file(path, request->more[k].path))
                return usage_error("%s: is given twice", path);
        }
    }
    return TASK_DECODE;
}

/* What would have another meaning in every input. */
static enum task check_options(const struct decode_request *request)
{
    bool guests = request->nmore > 0 && request->more[0].guest != NULL;

    if (request->nmore == 0)
        return request->sync == NULL ? TASK_DECODE : usage_error("--sync is for several inputs");
    if (request->sync != NULL && boards.rule.fixed && request->nmore > 1)
        return usage_error("--sync: one offset cannot be right for %u inputs; name an event", request->nmore);
    if (request->options.given & TRACE_OPTION_RAW_TSC)
        return usage_error("--raw-tsc is for one clock, not for several inputs");
    if (!guests)
        return TASK_DECODE;
    if (!(request->writer->takes & TRACE_OPTION_GUESTS))
        return usage_error("--guest is not for %s", request->writer->name);
    if (request->options.given & TRACE_OPTION_START_TIME)
        return usage_error("--start-time is not for --guest");
    if (request->output == NULL || strcmp(request->output, "-") == 0)
        return usage_error("--guest writes a second file beside the first: -o FILE says where");
    return TASK_DECODE;
}

/* ---- the command line -------------------------------------------------------------------------------------------- */

/* index: of the option in the table. */
static enum task take_writer_option(struct decode_request *request, int index)
{
    const char *name = options[index].name;
    const char *wanted = options_take(&request->options, name, optarg);

    return wanted == NULL ? TASK_DECODE : usage_error("--%s=%s: %s", name, optarg, wanted);
}

/* An option that cannot be wrong; false: it is another one. */
static bool set_plain(struct decode_request *request, int option)
{
    switch (option) {
    case 'o':
        request->output = optarg;
        return true;
    case 'f':
        request->force = true;
        return true;
    case 'q':
        request->quiet = true;
        return true;
    case 'v':
        request->verbose = true;
        return true;
    case OPTION_MERGE:
        boards.merge = true;
        return true;
    default:
        return false;
    }
}

static enum task take_option(struct decode_request *request, int option, int index)
{
    if (set_plain(request, option))
        return TASK_DECODE;
    switch (option) {
    case OPTION_FORMAT:
        return choose_writer(request, optarg);
    case OPTION_FROM:
        return choose_reader(request, optarg);
    case OPTION_MAP:
        return choose_map(request, optarg);
    case OPTION_FUNCTIONS:
        return choose_functions(request, optarg);
    case OPTION_CLOCK:
        return take_clock(request, optarg);
    case OPTION_ELF:
        return take_elf(optarg);
    case OPTION_GUEST:
        return take_guest(request, optarg);
    case OPTION_SYNC:
        return take_sync(request, optarg);
    case OPTION_RUN:
        return take_run(request, optarg);
    case OPTION_IDLE:
        return take_seconds(&request->until.idle_ms, "idle", optarg);
    case OPTION_WAIT:
        return take_seconds(&request->until.wait_ms, "wait", optarg);
    case OPTION_COUNT:
        return take_count(&request->until.count, optarg);
    case OPTION_LIST:
        return TASK_LIST;
    case 'h':
        return TASK_HELP;
    case 'V':
        return TASK_VERSION;
    case OPTION_LTTNG:
    case OPTION_OF_WRITER:
        return take_writer_option(request, index);
    default: /* getopt has said what is wrong */
        return TASK_USAGE_ERROR;
    }
}

/* The inputs: one, and others only where it is said what becomes of them. */
static enum task take_inputs(struct decode_request *request, int argc, char **argv)
{
    bool guests = request->nmore > 0;

    if (optind == argc)
        return usage_error("no input given");
    request->input = argv[optind];
    if (argc - optind > 1 && !boards.merge)
        return usage_error("%s: one input at a time, and that is %s%s", argv[optind + 1], argv[optind],
                           guests ? "" : "; --merge or --guest is for dumps of several boards");
    if (boards.merge && guests)
        return usage_error("--merge and --guest contradict each other");
    if (boards.merge && argc - optind == 1)
        return usage_error("--merge is for several inputs, and there is only %s", argv[optind]);
    for (int i = optind + 1; i < argc; i++) {
        if (take_more(request, argv[i], NULL) != TASK_DECODE)
            return TASK_USAGE_ERROR;
    }
    return check_inputs(request) == TASK_DECODE ? share_elfs(request) : TASK_USAGE_ERROR;
}

static enum task take_arguments(struct decode_request *request, int argc, char **argv)
{
    const char *unheeded;

    if (take_inputs(request, argc, argv) != TASK_DECODE)
        return TASK_USAGE_ERROR;
    if (request->quiet && request->verbose)
        return usage_error("--quiet and --verbose contradict each other");
    if ((request->until.idle_ms || request->until.wait_ms || request->until.count) && !input_udp_names(request->input))
        return usage_error("--idle, --wait and --count are for receiving, and %s is not udp:PORT", request->input);
    if (request->writer == NULL && guess_writer(request) != TASK_DECODE)
        return TASK_USAGE_ERROR;
    unheeded = options_unheeded(&request->options, request->writer);
    if (unheeded != NULL)
        return usage_error("--%s is not for %s", unheeded, request->writer->name);
    return check_options(request);
}

static enum task parse(struct decode_request *request, int argc, char **argv)
{
    int option, index = 0;

    while ((option = getopt_long(argc, argv, "o:fqvhV", options, &index)) != -1) {
        enum task task = take_option(request, option, index);

        if (task != TASK_DECODE)
            return task;
    }
    return take_arguments(request, argc, argv);
}

/* ---- main -------------------------------------------------------------------------------------------------------- */

/* Started without standard streams, we would open files in their places and write messages into them. What is opened
 * here cannot be written, so that output to a closed standard output is still an error. */
static void fill_standard_streams(void)
{
    int fd;

    do {
        fd = open("/dev/null", O_RDONLY);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* Whoever asked for help or a list must learn when it did not arrive whole. */
static int flush_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return DECODE_WHOLE;
    perror("tlog-decode: standard output");
    return DECODE_NOTHING;
}

int main(int argc, char **argv)
{
    static char program[] = "tlog-decode";
    struct decode_request request = {.readers = readers, .map = MAP_FULL};

    fill_standard_streams();
    if (argc > 0)
        argv[0] = program; /* getopt's messages begin like all others */
    switch (parse(&request, argc, argv)) {
    case TASK_DECODE:
        return (int)decode(&request);
    case TASK_HELP:
        fputs(help, stdout);
        return flush_output();
    case TASK_VERSION:
        puts("tlog-decode " TLOG_VERSION);
        return flush_output();
    case TASK_LIST:
        list_formats();
        return flush_output();
    default:
        fputs("Try 'tlog-decode --help'.\n", stderr);
        return DECODE_NOTHING;
    }
}
