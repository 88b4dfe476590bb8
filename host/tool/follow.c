/* follow.c - a board is followed: what it logs is read again and again while it runs, and decoded. See decode.h.
 *
 * What was read is put into a temporary file (follow_board.h), and decoded at the end as any dump is. Text needs no
 * such file: it is made of the images that a poll has changed (window.h), as is what --until looks at.
 */
#include "tool/decode.h"

#include "base/heap.h"
#include "base/text.h"
#include "io/live/live.h"
#include "io/output.h"
#include "os/os_file.h"
#include "os/os_signal.h"
#include "os/os_time.h"
#include "tool/follow_board.h"
#include "tool/follow_files.h"
#include "tool/follow_status.h"
#include "tool/follow_stream.h"
#include "tool/follow_watch.h"
#include "tool/message.h"
#include "tool/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define POLL_MS   50u
#define NS_PER_MS 1000000u
#define RETRY_MS  500u /* from one try to reach a server that is gone to the next */

struct follow {
    const struct decode_request *request;
    struct follow_board board;
    struct follow_status status;
    struct follow_stream *text; /* events are written as they come; NULL: at the end */
    uint64_t began;             /* ns of os_now_ns() */
    struct follow_files files;  /* where they go */
    struct follow_watch *watch; /* of --until; NULL: there is none */
    uint64_t end;               /* the same, when --after is over; 0: nothing was found yet */
    uint64_t written;           /* the same, when the output was written last, or it began */
    char told[512];             /* the error of the server that was told last, while it is waited for; else "" */
    enum decode_exit worst;     /* of the outputs of runs that are over */
};

/* ---- output ------------------------------------------------------------------------------------------------------ */

/* Decode all that was recorded of the run, to a path. quiet: without a summary. */
static enum decode_exit write_output(struct follow *follow, const char *path, bool quiet)
{
    struct follow_board *board = &follow->board;
    struct decode_request *request;
    struct tlog_bytes bytes;
    enum decode_exit result;
    if (follow_board_complete(board) != 0) {
        message_error("%s", board->trace.error);
        return DECODE_NOTHING;
    }
    progress_erase();
    request = heap_alloc(sizeof *request);
    if (request == NULL) {
        message_error("no memory");
        return DECODE_NOTHING;
    }
    *request = *follow->request;
    bytes = (struct tlog_bytes){request->inputs[0].path, board->whole, follow_board_read, board};
    request->inputs[0].bytes = &bytes;
    request->output = path;
    request->quiet = request->quiet || quiet;
    result = decode(request);
    heap_free(request);
    return result;
}

/* The output must be one that can be written: the user learns of it now. */
static int check_output(struct follow *follow)
{
    const struct decode_request *request = follow->request;
    struct output output = {.fd = -1, .final_fd = -1};
    int result = 0;
    if (request->output != NULL && strcmp(request->output, "-") != 0 && request->writer->may_replace == NULL)
        result = output_open(&output, &follow->board.trace, request->output, true);
    output_discard(&output);
    return result;
}

/* ---- what is told ------------------------------------------------------------------------------------------------ */

/* Tell what was lost because polls came too late, and what would have sufficed. */
static void tell_lost(const struct follow *follow)
{
    const struct native_recorded *told = native_recorder_told(follow->board.recorder);
    char enough[128] = "";
    if (told->overtaken == 0)
        return;
    if (told->needed > 0)
        snprintf(enough, sizeof enough,
                 ": a ring of %" PRIu64 " slots in place of %" PRIu64 ", or --poll=%" PRIu64 ", would have sufficed",
                 told->needed, told->ring, told->spare_ns / NS_PER_MS);
    message("%s: %" PRIu64 " event%s lost in %" PRIu64 " poll%s that came too late%s", follow->request->inputs[0].path,
            told->lost, text_plural(told->lost), told->overtaken, text_plural(told->overtaken), enough);
}

static void tell(const struct follow *follow)
{
    const struct follow_board *board = &follow->board;
    const struct native_recorded *told = native_recorder_told(board->recorder);
    if (follow->request->quiet)
        return;
    if (board->halts > 0)
        message("%s: %" PRIu64 " bytes read; the target was halted %" PRIu64 " times, for %" PRIu64 ".%" PRIu64
                " ms at most",
                board->trace.input_name, told->bytes, board->halts, board->halted_ns / NS_PER_MS,
                board->halted_ns / (NS_PER_MS / 10u) % 10u);
    else
        message("%s: %" PRIu64 " bytes read while the target ran", board->trace.input_name, told->bytes);
    tell_lost(follow);
}

/* ---- polls ------------------------------------------------------------------------------------------------------- */

/* Whether the user wants no more. */
static bool is_over(const struct follow *follow)
{
    uint32_t most = follow->request->follow.duration_ms;
    return os_interrupted() || (most != 0 && os_now_ns() - follow->began >= (uint64_t)most * NS_PER_MS)
           || (follow->end != 0 && os_now_ns() >= follow->end);
}

/* Wait for the time of the next poll; not beyond the end. */
static void wait_until(const struct follow *follow, uint64_t next)
{
    while (!is_over(follow)) {
        uint64_t now = os_now_ns();
        if (now >= next)
            break;
        os_sleep_ms(next - now < 100 * (uint64_t)NS_PER_MS ? (uint32_t)((next - now + NS_PER_MS - 1u) / NS_PER_MS)
                                                           : 100u);
    }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* The output of a run that is over: FILE.dat becomes FILE-run7.dat. 0, or -1 after trace_fail(). */
static int write_run(struct follow *follow, uint32_t boot)
{
    enum decode_exit result;
    char word[16], *path;
    snprintf(word, sizeof word, "run%" PRIu32, boot);
    path = follow_files_name(follow->request->output, word);
    if (path == NULL)
        return follow_board_no_memory(&follow->board);
    result = write_output(follow, path, false);
    follow->worst = result != DECODE_WHOLE ? DECODE_DAMAGED : follow->worst;
    heap_free(path);
    return 0;
}

static int open_text(struct follow *follow)
{
    int result = follow_stream_open(follow->text, follow->request);
    follow->board.windows[FOLLOW_OF_TEXT] = follow->text->window;
    return result == 0 ? follow_files_open(&follow->files, follow->text) : -1;
}

/* Look for the event of --until, unless it was found. 0, or -1 after trace_fail() of the board's trace. */
static int open_watch(struct follow *follow)
{
    struct follow_watch *watch = follow->watch;
    int result;
    if (watch == NULL || follow->end != 0)
        return 0;
    follow_watch_release(watch);
    result = follow_watch_open(watch, follow->request);
    follow->board.windows[FOLLOW_OF_WATCH] = watch->stream.window;
    return result == 0 ? 0 : trace_fail(&follow->board.trace, "%s", watch->stream.decoder.source.trace.error);
}

/* The text of a run is whole; that of the next one follows. */
static int begin_text(struct follow *follow)
{
    int result = follow->text->is_started ? follow_stream_end(follow->text) : 0;
    if (result != 0)
        return -1;
    follow_stream_release(follow->text);
    return open_text(follow);
}

/* The board was started again: what was recorded is a run of its own. 0, or -1 after trace_fail(). */
static int begin_run(struct follow *follow)
{
    struct follow_board *board = &follow->board;
    const struct native_recorded *told = native_recorder_told(board->recorder);
    const char *output = follow->request->output;
    message("%s: the board was started again: run %" PRIu32 " is over", board->trace.input_name, told->boot);
    tell(follow);
    if (follow->text != NULL && begin_text(follow) != 0)
        return -1;
    if (follow->text == NULL && (output == NULL || strcmp(output, "-") == 0))
        return trace_fail(&board->trace, "%s: standard output takes one run: -o FILE takes more",
                          board->trace.input_name);
    if (follow->text == NULL && told->slots > 0 && write_run(follow, told->boot) != 0)
        return -1;
    follow_status_next_run(&follow->status);
    return open_watch(follow) == 0 ? follow_board_begin_run(board) : -1;
}

/* ---- a server that is gone --------------------------------------------------------------------------------------- */

/* Tell of the error, once, and wait until the server is there again, or the user wants no more. 0, or -1 if something
 * else than the server has failed. */
static int wait_for_server(struct follow *follow)
{
    struct follow_board *board = &follow->board;
    do {
        if (os_interrupted())
            return 0;
        if (!board->is_gone)
            return -1;
        if (strcmp(follow->told, board->trace.error) != 0)
            message_error("%s; it is waited for", board->trace.error);
        snprintf(follow->told, sizeof follow->told, "%s", board->trace.error);
        board->trace.failed = false;
        wait_until(follow, os_now_ns() + RETRY_MS * (uint64_t)NS_PER_MS);
    } while (!is_over(follow) && follow_board_connect(board) != 0);
    return 0;
}

/* The server has answered again. */
static void tell_back(struct follow *follow)
{
    if (follow->told[0] != '\0')
        message("%s: the server answers again", follow->board.trace.input_name);
    follow->told[0] = '\0';
}

/* ---- all polls --------------------------------------------------------------------------------------------------- */

/* Look for the event of --until. 0, or -1 after trace_fail() of the board's trace. */
static int look(struct follow *follow, bool overtaken)
{
    struct follow_board *board = &follow->board;
    int found = 0;
    if (follow->watch != NULL && follow->end == 0)
        found = follow_watch_look(follow->watch, live_link_halts(board->link), overtaken);
    if (found < 0)
        return trace_fail(&board->trace, "%s", follow->watch->stream.decoder.source.trace.error);
    if (found == 0)
        return 0;
    follow->end = os_now_ns() + follow->request->follow.after_ms * (uint64_t)NS_PER_MS;
    board->windows[FOLLOW_OF_WATCH] = NULL;
    return 0;
}

/* Poll once. 0, or -1 after trace_fail() of the board's or the text's trace. */
static int poll(struct follow *follow)
{
    struct follow_board *board = &follow->board;
    uint64_t overtaken = native_recorder_told(board->recorder)->overtaken, began = os_now_ns();
    enum native_polled polled = follow_board_poll(board);
    if (polled == NATIVE_POLL_FAILED)
        return wait_for_server(follow);
    tell_back(follow);
    follow_status_polled(&follow->status, native_recorder_told(board->recorder), began);
    if (polled == NATIVE_POLL_OTHER_RUN)
        return begin_run(follow);
    overtaken = native_recorder_told(board->recorder)->overtaken - overtaken;
    if (follow->text != NULL
        && (follow_stream_write(follow->text, live_link_halts(board->link), overtaken > 0) != 0
            || follow_files_go_on(&follow->files, follow->text) != 0))
        return -1;
    return look(follow, overtaken > 0);
}

/* Write what was recorded so far, if it is time for that. What cannot be written is told, and recorded all the same. */
static void write_meanwhile(struct follow *follow)
{
    uint64_t every = (uint64_t)follow->request->follow.every_ms * NS_PER_MS;
    if (every == 0 || follow->text != NULL || os_now_ns() - follow->written < every
        || native_recorder_told(follow->board.recorder)->slots == 0)
        return;
    write_output(follow, follow->request->output, true);
    follow->board.trace.failed = false;
    follow->written = os_now_ns();
}

/* Poll until the user wants no more. The polls' times do not move if one takes long. 0, or -1 after trace_fail(). */
static int poll_all(struct follow *follow)
{
    const uint32_t told = follow->request->follow.poll_ms, poll_ms = told != 0 ? told : POLL_MS;
    uint64_t next = follow->began;
    do {
        if (poll(follow) != 0)
            return -1;
        write_meanwhile(follow);
        next += (uint64_t)poll_ms * NS_PER_MS;
        if (os_now_ns() > next)
            next = os_now_ns();
        wait_until(follow, next);
    } while (!is_over(follow));
    return native_recorder_told(follow->board.recorder)->boot != 0
               ? 0
               : trace_fail(&follow->board.trace, "%s: no chunk of tlog was found in the target's memory",
                            follow->board.trace.input_name);
}

/* Write the events as they come. */
static enum decode_exit follow_as_text(struct follow *follow)
{
    struct follow_board *board = &follow->board;
    const struct trace *trace = &follow->text->decoder.source.trace;
    int result = follow_board_open(board, follow->request);
    if (result == 0 && open_text(follow) == 0 && open_watch(follow) == 0)
        result = poll_all(follow);
    else
        result = -1;
    if (result != 0 && !follow->text->job.reader_gone)
        message_error("%s", board->trace.failed ? board->trace.error : trace->error);
    if (follow->text->is_started && !trace->failed && follow_stream_end(follow->text) == 0)
        tell(follow);
    else
        result = -1;
    return result == 0 ? DECODE_WHOLE : follow->text->is_started ? DECODE_DAMAGED : DECODE_NOTHING;
}

/* Write the output at the end. */
static enum decode_exit follow_to_file(struct follow *follow)
{
    struct follow_board *board = &follow->board;
    enum decode_exit result;
    int followed = -1;
    if (follow_board_open(board, follow->request) == 0 && check_output(follow) == 0 && open_watch(follow) == 0)
        followed = poll_all(follow);
    if (followed != 0)
        message_error("%s", board->trace.error);
    if (board->recorder == NULL || (followed != 0 && native_recorder_told(board->recorder)->slots == 0))
        return DECODE_NOTHING;
    board->trace.failed = false;
    tell(follow);
    result = write_output(follow, follow->request->output, false);
    result = result == DECODE_WHOLE ? follow->worst : result;
    return followed != 0 && result == DECODE_WHOLE ? DECODE_DAMAGED : result;
}

/* Whether events are written as they come: they go to standard output, in a format for that, or from file to file. */
static bool comes_as_text(const struct decode_request *request)
{
    return request->writer->flush != NULL
           && (request->output == NULL || strcmp(request->output, "-") == 0 || decode_follow_rotates(&request->follow));
}

/* Follow, in the way that the output asks for. */
static enum decode_exit follow_it(struct follow *follow)
{
    enum decode_exit result;
    if ((comes_as_text(follow->request) && (follow->text = heap_calloc(1, sizeof *follow->text)) == NULL)
        || (follow->request->follow.until != NULL && (follow->watch = heap_calloc(1, sizeof *follow->watch)) == NULL)) {
        message_error("no memory");
        return DECODE_NOTHING;
    }
    if (!follow->request->quiet)
        follow_status_begin(&follow->status, follow->text != NULL && !decode_follow_rotates(&follow->request->follow));
    result = follow->text != NULL ? follow_as_text(follow) : follow_to_file(follow);
    if (follow->watch != NULL && follow->end == 0 && result != DECODE_NOTHING && !follow->request->quiet)
        message_warning("%s: no event came for which --until=%s holds", follow->request->inputs[0].path,
                        follow->request->follow.until);
    return result;
}

enum decode_exit decode_follow(const struct decode_request *request)
{
    struct follow *follow = heap_calloc(1, sizeof *follow);
    enum decode_exit result;
    if (follow == NULL) {
        message_error("no memory");
        return DECODE_NOTHING;
    }
    follow->request = request;
    os_interrupt_begin(true);
    follow->began = follow->written = os_now_ns();
    result = follow_it(follow);
    if (follow->text != NULL)
        follow_stream_release(follow->text);
    if (follow->watch != NULL)
        follow_watch_release(follow->watch);
    follow_files_release(&follow->files);
    heap_free(follow->text);
    heap_free(follow->watch);
    follow_board_release(&follow->board);
    progress_erase();
    os_interrupt_end();
    heap_free(follow);
    return result;
}
