/* answers.c - runs --stat, --info and --check.
 *
 * Each input is decoded by a decode() of its own, so memory does not grow with their number. The writers write to the
 * answer (answer/answer.h). The output that decode() opens is standard output, to which nothing is written.
 */
#include "answer/answer.h"
#include "cli/command.h"
#include "cli/formats.h"
#include "tool/decode.h"
#include "tool/run_files.h"
#include "io/firmware/firmware.h"
#include "io/input.h"
#include "io/output.h"
#include "tool/message.h"
#include "os/os_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- where the answer goes --------------------------------------------------------------------------------------- */

/* Whether the user's locale is one of UTF-8; without a locale, whether the output is. */
static bool is_utf8(int output)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (unsigned i = 0; i < 3 && (locale == NULL || locale[0] == '\0'); i++)
        locale = getenv(variables[i]);
    if (locale == NULL || locale[0] == '\0')
        return os_takes_utf8(output);
    return strstr(locale, "UTF-8") != NULL || strstr(locale, "utf8") != NULL || strstr(locale, "utf-8") != NULL;
}

/* Open the output, unless it is one of the inputs, and make the answer that goes there. 0, or -1 after trace_fail(). */
static int open_output(const struct cli_command *command, struct output *output, struct trace *trace,
                       struct answer *answer)
{
    if (output_open(output, trace, command->request.output, false) != 0)
        return -1;
    for (unsigned i = 0; i < command->ninputs; i++) {
        if (output_replaces(output, command->inputs[i]))
            return trace_fail(trace, "%s: is the input, and stays as it is", output->name);
    }
    answer->to = os_stream(output->fd, "w");
    if (answer->to == NULL)
        return trace_fail(trace, "%s: %s", output->name, strerror(errno));
    *answer = (struct answer){.to = answer->to,
                              .is_json = command->json,
                              .is_dense = command->answer == &writer_check,
                              .has_blocks = is_utf8(output->fd),
                              .has_colour = cli_has_colour(output->fd)};
    return 0;
}

/* ---- one input --------------------------------------------------------------------------------------------------- */

/* What --check is told: damage is its answer. */
static void tell(void *ctx, const struct tlog_message *message)
{
    if (message->told == TLOG_TOLD_DAMAGE)
        answer_damage(ctx, message->input, message->offset, message->length, message->events, message->text);
    else
        message_sink.tell(message_sink.ctx, message);
}

static enum decode_exit worse(enum decode_exit a, enum decode_exit b)
{
    return a == b ? a : DECODE_DAMAGED;
}

/* Whether the input is a file, which can be read more than once. */
static bool is_file(const char *path)
{
    return strcmp(path, "-") != 0 && os_is_file(path);
}

/* Of an input that is not there an error was told, which is all. */
static bool is_there(const char *path, enum decode_exit result)
{
    struct os_status status;
    if (input_is_received(path))
        return result != DECODE_NOTHING;
    return strcmp(path, "-") == 0 || os_status(path, &status);
}

/* Check all runs of the firmware in an input; or the one that the user asks for; or the newest one if the input can be
 * read only once. */
static enum decode_exit check(const struct decode_request *request, struct answer *answer)
{
    const struct tlog_sink sink = {tell, message_sink.progress, answer};
    struct decode_request run = *request;
    enum decode_exit result;
    struct trace_counts counts;
    uint64_t runs;
    run.sink = &sink;
    result = decode(&run);
    counts = answer->counts;
    runs = request->run == 0 && is_file(request->inputs[0].path) ? answer->runs : 0;
    for (uint64_t i = 1; i < runs; i++) {
        run.run = -(int64_t)i;
        result = worse(result, decode(&run));
        counts.events += answer->counts.events;
        counts.dropped += answer->counts.dropped;
        counts.overwritten += answer->counts.overwritten;
        counts.damaged += answer->counts.damaged;
        counts.gaps += answer->counts.gaps;
        counts.pauses += answer->counts.pauses;
        counts.paused += answer->counts.paused;
        counts.is_uncounted |= answer->counts.is_uncounted;
    }
    answer->counts = counts;
    if (answer->is_json || is_there(request->inputs[0].path, result))
        answer_verdict(answer, request->inputs[0].path, (int)result);
    return result;
}

/* Check a firmware's ELF file, which is no dump. */
static enum decode_exit check_firmware(const char *path, bool quiet, struct answer *answer)
{
    struct trace trace;
    enum decode_exit result;
    trace_init(&trace, path);
    trace.quiet = quiet;
    trace.sink = &message_sink;
    result = (enum decode_exit)answer_firmware(answer, &trace, path);
    if (result == DECODE_NOTHING) {
        message_error("%s", trace.error);
        answer_verdict(answer, path, (int)result);
    }
    trace_free(&trace);
    return result;
}

/* Answer one input, of n files. If there is only one ELF file, it is for all inputs. */
static enum decode_exit answer_input(const struct cli_command *command, unsigned i, unsigned n, struct answer *answer)
{
    char error[sizeof((struct trace *)NULL)->error] = "";
    struct decode_request request = command->request;
    unsigned elf = command->nelf > 1 ? i : 0;
    enum decode_exit result;
    if (command->answer == &writer_check && request.reader == NULL && firmware_is_program(command->inputs[i]))
        return check_firmware(command->inputs[i], request.quiet, answer);
    request.inputs[0].path = command->inputs[i];
    request.inputs[0].more = command->inputs + i + 1;
    request.inputs[0].nmore = n - 1u;
    request.inputs[0].elf = elf < DECODE_INPUTS_MAX ? command->request.inputs[elf].elf : NULL;
    request.ninputs = 1;
    request.output = NULL;
    request.session = NULL;
    request.writer = command->answer;
    request.map = TLOG_MAP_EXACT;
    request.options.answer = answer;
    request.error = error;
    if (command->answer == &writer_check)
        return check(&request, answer);
    result = decode(&request);
    if (result == DECODE_NOTHING && answer->is_json) {
        answer_begin_input(answer, command->inputs[i]);
        json_text(&answer->json, "error", error);
        answer_end_input(answer);
    }
    return result;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* Publish the answer. 0, or -1 after trace_fail(). *is_told: the user is to be told, because the output's other end is
 * not merely closed. */
static int finish(struct output *output, struct trace *trace, struct answer *answer, bool *is_told)
{
    bool whole = answer_end(answer);
    int error = errno;
    whole = fclose(answer->to) == 0 && whole;
    *is_told = !output_is_closed(output);
    if (!whole)
        return trace_fail(trace, "%s: %s", output->name, strerror(error));
    return output_finish(output, trace);
}

enum decode_exit cli_answer(const struct cli_command *command)
{
    struct output output = {.fd = -1, .final_fd = -1};
    struct answer answer = {0};
    struct trace trace;
    enum decode_exit result = DECODE_NOTHING;
    bool is_told = true;
    int opened;
    trace_init(&trace, command->inputs[0]);
    trace.sink = &message_sink;
    opened = open_output(command, &output, &trace, &answer);
    if (opened == 0)
        answer_begin(&answer);
    for (unsigned i = 0, n; opened == 0 && i < command->ninputs && !ferror(answer.to); i += n) {
        enum decode_exit one;
        n = decode_run_files(&command->request, command->inputs + i, command->ninputs - i);
        one = answer_input(command, i, n, &answer);
        result = i > 0 ? worse(result, one) : one;
    }
    if (opened != 0 || finish(&output, &trace, &answer, &is_told) != 0) {
        if (is_told)
            message_error("%s", trace.error);
        output_discard(&output);
        result = DECODE_NOTHING;
    }
    trace_free(&trace);
    return result;
}
