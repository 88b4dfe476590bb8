/* arguments.c - takes the inputs, and refuses options and inputs that do not fit together. */
#include "cli/command.h"
#include "cli/formats.h"
#include "tool/run_files.h"
#include "tool/show.h"
#include "io/input.h"
#include "io/input_udp.h"
#include "io/live/live.h"
#include "os/os_file.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define GZIP_SUFFIX ".gz"

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/* The n-th ELF file is for the n-th input. A merged output can have the names of only one firmware. */
static enum cli_action assign_elfs(struct cli_command *command)
{
    struct decode_request *request = &command->request;
    unsigned room = command->merge ? 1 : request->ninputs;
    if (command->nelf > room)
        return cli_usage_error("--elf=%s: %s", request->inputs[room].elf,
                               command->merge ? "a merged file holds the names of one firmware"
                                              : "there is no input for it");
    for (unsigned i = 1; command->merge && i < request->ninputs; i++)
        request->inputs[i].elf = request->inputs[0].elf;
    return CLI_DECODE;
}

/* Whether both paths lead to one file, perhaps by a link. If there is no such file, the texts are compared. */
static bool is_same_file(const char *a, const char *b)
{
    return strcmp(a, b) == 0 || os_is_same(a, b);
}

/* Check several inputs: no two may be the same, and none may be received, because each one is read twice. */
static enum cli_action check_inputs(const struct decode_request *request)
{
    const struct decode_input *inputs = request->inputs;
    for (unsigned i = 1; i < request->ninputs; i++) {
        const char *path = inputs[i].path;
        if (input_is_received(path) || input_is_received(inputs[0].path))
            return cli_usage_error("%s: receives, and that is for one input alone",
                                   input_is_received(path) ? path : inputs[0].path);
        for (unsigned k = 0; k < i; k++) {
            if (is_same_file(path, inputs[k].path))
                return cli_usage_error("%s: is given twice", path);
        }
    }
    return CLI_DECODE;
}

/* Set the further files of an input, whose own path is the first of n. Returns how many paths it takes. */
static unsigned take_run(const struct decode_request *request, struct decode_input *input, char **paths, int n)
{
    unsigned run = decode_run_files(request, paths, (unsigned)n);
    input->more = paths + 1;
    input->nmore = run - 1u;
    return run;
}

/* One input, or several with --merge; guests were added when their options were taken. The files of a run are one
 * input. */
static enum cli_action take_inputs(struct cli_command *command, int argc, char **argv)
{
    struct decode_request *request = &command->request;
    bool guests = decode_has_guests(request);
    int next = optind + 1;
    if (optind == argc)
        return cli_usage_error("no input given");
    request->inputs[0].path = argv[optind];
    next = optind + (int)take_run(request, &request->inputs[0], argv + optind, argc - optind);
    if (argc > next && !command->merge)
        return cli_usage_error("%s: one input at a time, and that is %s%s", argv[next], argv[optind],
                               guests ? "" : "; --merge or --guest is for dumps of several boards");
    if (command->merge && guests)
        return cli_usage_error("--merge and --guest contradict each other");
    if (command->merge && argc - optind == 1)
        return cli_usage_error("--merge is for several inputs, and there is only %s", argv[optind]);
    while (next < argc) {
        if (cli_add_input(command, argv[next], NULL) != CLI_DECODE)
            return CLI_USAGE_ERROR;
        next += (int)take_run(request, &request->inputs[request->ninputs - 1u], argv + next, argc - next);
    }
    return check_inputs(request) == CLI_DECODE ? assign_elfs(command) : CLI_USAGE_ERROR;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

/* Whether the text ends with the suffix, and something is before it. */
static bool ends_with(const char *text, const char *suffix)
{
    size_t length = strlen(text);
    size_t tail = strlen(suffix);
    return length > tail && strcmp(text + length - tail, suffix) == 0;
}

/* Whether the output's name ends in the writer's suffix, or in that and .gz if it compresses such outputs. */
static bool has_suffix(const struct trace_writer *writer, const char *output)
{
    char packed[32];
    if (writer->suffix == NULL)
        return false;
    snprintf(packed, sizeof packed, "%s" GZIP_SUFFIX, writer->suffix);
    return ends_with(output, writer->suffix) || (writer->gzips && ends_with(output, packed));
}

/* An output called .gz is compressed with zlib, unless the user says otherwise. */
static void take_gzip(struct decode_request *request)
{
    struct trace_options *options = &request->options;
    if (!request->writer->gzips || request->output == NULL || !ends_with(request->output, GZIP_SUFFIX)
        || (options->given & TRACE_OPTION_COMPRESS))
        return;
    options->given |= TRACE_OPTION_COMPRESS;
    options->compression = TRACE_COMPRESS_ZLIB;
}

/* The writer for an output: the one that has the suffix of its name. Standard output and devices get text. NULL: no
 * format has that suffix. */
static const struct trace_writer *guess_writer(const char *output)
{
    bool text = output == NULL || strcmp(output, "-") == 0 || os_is_device_name(output);
    for (size_t i = 0; cli_writers[i] != NULL; i++) {
        if (text ? strcmp(cli_writers[i]->name, "text") == 0 : has_suffix(cli_writers[i], output))
            return cli_writers[i];
    }
    return NULL;
}

/* ---- contradictions ---------------------------------------------------------------------------------------------- */

/* Guests need a format whose files can refer to each other, and an output whose name theirs can be made of. A start
 * time is for one file only: times of host and guests are tied to each other already. */
static enum cli_action check_guests(const struct decode_request *request)
{
    if (!(request->writer->takes & TRACE_OPTION_GUESTS))
        return cli_usage_error("--guest is not for %s", request->writer->name);
    if (request->options.given & TRACE_OPTION_START_TIME)
        return cli_usage_error("--start-time is not for --guest");
    if (request->output == NULL || strcmp(request->output, "-") == 0)
        return cli_usage_error("--guest writes a second file beside the first: -o FILE says where");
    return CLI_DECODE;
}

/* Whether the output is a file, as far as its name tells. */
static bool is_file(const char *output)
{
    return output != NULL && strcmp(output, "-") != 0 && !os_is_device_name(output);
}

/* Viewers open files, and only some formats have one. */
static enum cli_action check_show(const struct cli_command *command)
{
    const struct decode_request *request = &command->request;
    if (command->show && !is_file(request->output))
        return cli_usage_error("--open is for a file: -o FILE says where");
    if (command->show && !decode_has_viewer(request->writer))
        return cli_usage_error("--open is not for %s, but for trace.dat, perfetto, vcd and html",
                               request->writer->name);
    return CLI_DECODE;
}

/* A session is about one file, whose name it tells. */
static enum cli_action check_session(const struct cli_command *command)
{
    const struct decode_request *request = &command->request;
    if (request->session == NULL)
        return check_show(command);
    if (!is_file(request->output))
        return cli_usage_error(
            "--session is for a file that KernelShark or GTKWave can open: -o FILE.dat or -o FILE.vcd says where");
    if (strcmp(request->session, request->output) == 0)
        return cli_usage_error("--session=%s: is the output", request->session);
    return decode_has_guests(request) ? cli_usage_error("--session is not for --guest") : check_show(command);
}

/* Refuse options that need several inputs, or that cannot be right for several: a fixed offset is for one further
 * clock, and ticks of one clock mean nothing to another. */
static enum cli_action check_boards(const struct decode_request *request)
{
    if (request->ninputs == 1)
        return request->sync == NULL ? CLI_DECODE : cli_usage_error("--sync is for several inputs");
    if (request->sync != NULL && request->sync->fixed && request->ninputs > 2)
        return cli_usage_error("--sync: one offset cannot be right for %u inputs; name an event",
                               request->ninputs - 1u);
    if (request->options.given & TRACE_OPTION_RAW_TSC)
        return cli_usage_error("--raw-tsc is for one clock, not for several inputs");
    return decode_has_guests(request) ? check_guests(request) : CLI_DECODE;
}

/* Refuse the address of an input's first byte where there are several inputs, or none that has one. */
static enum cli_action check_base(const struct decode_request *request, unsigned ninputs, const char *path)
{
    if (!request->has_base)
        return CLI_DECODE;
    if (ninputs > 1)
        return cli_usage_error("--base is for one input, and there are %u", ninputs);
    return input_is_received(path) ? cli_usage_error("--base is for a copy of memory, and %s receives", path)
                                   : CLI_DECODE;
}

/* With --save-events nothing is decoded, so there must be no input. */
static enum cli_action check_save(const struct cli_command *command, int argc, char **argv)
{
    if (command->show)
        return cli_usage_error("--open is for a trace, not for --save-events");
    return optind < argc ? cli_usage_error("%s: --save-events takes no input", argv[optind]) : CLI_SAVE_EVENTS;
}

/* With --where nothing is decoded either. */
static enum cli_action check_where(int argc, char **argv)
{
    return optind < argc ? cli_usage_error("%s: --where takes no input", argv[optind]) : CLI_WHERE;
}

/* Take the inputs of an answer: there may be any number, and each is answered by itself. */
static enum cli_action check_answer(struct cli_command *command, int argc, char **argv)
{
    const struct decode_request *request = &command->request;
    const char *name = command->answer->name, *unheeded = cli_unheeded_option(&request->options, command->answer);
    command->inputs = argv + optind;
    command->ninputs = (unsigned)(argc - optind);
    if (optind == argc)
        return cli_usage_error("no input given");
    if (command->show || request->follow.on)
        return cli_usage_error("--%s is for a trace, not for --%s", command->show ? "open" : "follow", name);
    if (request->writer != NULL)
        return cli_usage_error("--format and --%s contradict each other", name);
    if (command->merge || decode_has_guests(request) || request->sync != NULL)
        return cli_usage_error("--%s answers each input by itself: --merge, --guest and --sync are not for it", name);
    if (unheeded != NULL)
        return cli_usage_error("--%s is not for --%s", unheeded, name);
    if (command->nelf > 1 && command->nelf > command->ninputs)
        return cli_usage_error("--elf=%s: there is no input for it", request->inputs[command->nelf - 1u].elf);
    return check_base(request, command->ninputs, argv[optind]) == CLI_DECODE ? CLI_ANSWER : CLI_USAGE_ERROR;
}

/* Refuse an option that the writer does not heed. Text is written for want of -o, which the user may have forgotten. */
static enum cli_action refuse_unheeded(const struct decode_request *request)
{
    const char *unheeded = cli_unheeded_option(&request->options, request->writer);
    bool is_default = request->output == NULL && strcmp(request->writer->name, "text") == 0;
    if (unheeded == NULL)
        return CLI_DECODE;
    return cli_usage_error("--%s is not for %s%s", unheeded, request->writer->name,
                           is_default ? "; -o FILE says what to write, as in -o trace.dat" : "");
}

/* Whether an option is given that is for --follow. */
static bool has_option_of_follow(const struct decode_follow *follow)
{
    return follow->poll_ms != 0 || follow->duration_ms != 0 || follow->until != NULL || follow->after_ms != 0
           || follow->every_ms != 0 || decode_follow_rotates(follow) || follow->keep != 0;
}

/* Refuse options about files that do not fit together. */
static enum cli_action check_followed_files(const struct decode_request *request)
{
    const struct decode_follow *follow = &request->follow;
    const bool is_file = request->output != NULL && strcmp(request->output, "-") != 0;
    if (follow->every_ms != 0 && decode_follow_rotates(follow))
        return cli_usage_error("--every and --rotate contradict each other");
    if (follow->every_ms != 0 && !is_file)
        return cli_usage_error("--every is for a file: -o FILE says which");
    if (decode_follow_rotates(follow) && !is_file)
        return cli_usage_error("--rotate is for files: -o FILE says which");
    return follow->keep == 0 || decode_follow_rotates(follow) ? CLI_DECODE : cli_usage_error("--keep is for --rotate");
}

static enum cli_action check_follow(const struct decode_request *request)
{
    const struct decode_follow *follow = &request->follow;
    const char *path = request->inputs[0].path;
    if (!follow->on)
        return has_option_of_follow(follow)
                   ? cli_usage_error("--poll, --duration, --until, --after, --every, --rotate and --keep are for "
                                     "--follow")
                   : CLI_DECODE;
    if (follow->after_ms != 0 && follow->until == NULL)
        return cli_usage_error("--after is for --until");
    if (request->ninputs > 1 || !live_names(path))
        return cli_usage_error("--follow is for one board, and %s is neither gdb:HOST:PORT nor openocd:HOST:PORT",
                               request->ninputs > 1 ? request->inputs[1].path : path);
    return check_followed_files(request);
}

/* Refuse options of receiving that do not suit the input. */
static enum cli_action check_receiving(const struct decode_request *request)
{
    const struct input_until *until = &request->until;
    if ((until->idle_ms > 0 || until->count > 0) && !input_udp_names(request->inputs[0].path))
        return cli_usage_error("--idle and --count are for receiving, and %s is not udp:PORT", request->inputs[0].path);
    if (until->wait_ms > 0 && !input_is_received(request->inputs[0].path))
        return cli_usage_error("--wait is for receiving, and %s is neither udp:PORT nor gdb:HOST:PORT nor "
                               "openocd:HOST:PORT",
                               request->inputs[0].path);
    return check_follow(request);
}

/* Of several mistakes the user is told the one that is checked first. */
enum cli_action cli_take_arguments(struct cli_command *command, int argc, char **argv)
{
    struct decode_request *request = &command->request;
    if (command->where != NULL)
        return check_where(argc, argv);
    if (command->save_events != NULL)
        return check_save(command, argc, argv);
    if (command->answer != NULL)
        return check_answer(command, argc, argv);
    if (command->json)
        return cli_usage_error("--json is for --stat, --info and --check");
    if (take_inputs(command, argc, argv) != CLI_DECODE
        || check_base(request, request->ninputs, request->inputs[0].path) != CLI_DECODE)
        return CLI_USAGE_ERROR;
    if (request->quiet && request->verbose)
        return cli_usage_error("--quiet and --verbose contradict each other");
    if (check_receiving(request) != CLI_DECODE)
        return CLI_USAGE_ERROR;
    if (request->writer == NULL)
        request->writer = guess_writer(request->output);
    if (request->writer == NULL)
        return cli_usage_error("%s: the suffix does not tell the format; give --format, see --list-formats",
                               request->output);
    if (decode_follow_rotates(&request->follow) && request->writer->flush == NULL)
        return cli_usage_error("--rotate is for text, CSV and JSON lines, and not for %s", request->writer->name);
    take_gzip(request);
    if (refuse_unheeded(request) != CLI_DECODE)
        return CLI_USAGE_ERROR;
    return check_session(command) == CLI_DECODE ? check_boards(request) : CLI_USAGE_ERROR;
}
