/* follow_board.c - see follow_board.h. */
#include "tool/follow_board.h"

#include "base/heap.h"
#include "io/firmware/firmware.h"
#include "io/live/live.h"
#include "io/temp_file.h"
#include "os/os_file.h"
#include "os/os_time.h"
#include "tool/message.h"

#include <inttypes.h>
#include <string.h>

#define PENDING_NS 100000000u /* for which events wait for an earlier one that is not finished */

/* ---- the temporary file ------------------------------------------------------------------------------------------ */

int follow_board_no_memory(struct follow_board *board)
{
    return trace_fail(&board->trace, "%s: no memory", board->trace.input_name);
}

/* Where images are put. */
struct place {
    struct follow_board *board;
    uint64_t *at; /* the end of those before */
};

static int put_in_windows(void *ctx, const unsigned char *image, uint32_t size)
{
    struct follow_board *board = ctx;
    for (unsigned i = 0; i < FOLLOW_WINDOWS; i++) {
        if (board->windows[i] != NULL && native_window_add(board->windows[i], image, size) != 0)
            return follow_board_no_memory(board);
    }
    return 0;
}

static int put_in_file(void *ctx, const unsigned char *image, uint32_t size)
{
    const struct place *place = ctx;
    struct trace *trace = &place->board->trace;
    int error;
    if (*place->at + size > temp_file_most(trace))
        return trace_fail(trace, "%s: what was recorded has more than %" PRIu64 " MiB, which --spool=MIB raises",
                          trace->input_name, temp_file_most(trace) >> 20);
    error = os_write_at(place->board->spool, image, size, *place->at);
    if (error != 0)
        return trace_fail(trace, "%s: cannot spool to %s: %s", trace->input_name, os_temporary_directory(),
                          strerror(error));
    *place->at += size;
    return 0;
}

/* The image of a lap that is over. */
static int put(void *ctx, const unsigned char *image, uint32_t size)
{
    struct follow_board *board = ((const struct place *)ctx)->board;
    if (put_in_windows(board, image, size) != 0)
        return -1;
    return board->windows[FOLLOW_OF_TEXT] != NULL ? 0 : put_in_file(ctx, image, size);
}

int follow_board_complete(struct follow_board *board)
{
    struct place place = {board, &board->whole};
    const struct record_sink sink = {put_in_file, &place};
    board->whole = board->size;
    return board->recorder == NULL || native_recorder_rest(board->recorder, &sink, UINT64_MAX) == 0
               ? 0
               : follow_board_no_memory(board);
}

/* ---- the server -------------------------------------------------------------------------------------------------- */

/* The result of a call of the server. */
static int from_server(struct follow_board *board, int result)
{
    board->is_gone = board->is_gone || result != 0;
    return result;
}

static int read_memory(void *ctx, uint64_t address, void *to, size_t n)
{
    struct follow_board *board = ctx;
    return from_server(board, live_link_read(board->link, address, to, n));
}

int follow_board_begin_run(struct follow_board *board)
{
    native_recorder_free(board->recorder);
    board->recorder = native_recorder_new(board->trace.firmware, board->parts, board->nparts);
    board->size = 0;
    return board->recorder != NULL ? 0 : follow_board_no_memory(board);
}

int follow_board_connect(struct follow_board *board)
{
    const struct decode_request *request = board->request;
    const struct segment *parts;
    board->link = live_link_open(&board->trace, request->inputs[0].path, request->until.wait_ms);
    if (board->link == NULL)
        return from_server(board, -1);
    if (board->recorder != NULL)
        return 0;
    board->nparts = live_link_parts(board->link, &parts);
    board->parts = heap_calloc(board->nparts + 1u, sizeof *parts);
    if (board->parts == NULL)
        return follow_board_no_memory(board);
    memcpy(board->parts, parts, board->nparts * sizeof *parts);
    return follow_board_begin_run(board);
}

int follow_board_open(struct follow_board *board, const struct decode_request *request)
{
    struct trace *trace = &board->trace;
    board->request = request;
    board->spool = -1;
    trace_init(trace, request->inputs[0].path);
    trace->quiet = request->quiet;
    trace->sink = &message_sink;
    trace->spool_most = request->spool_most;
    if (request->inputs[0].elf != NULL) {
        board->firmware = firmware_open(trace, request->inputs[0].elf);
        if (board->firmware == NULL)
            return -1;
    }
    board->spool = temp_file_open(trace, trace->input_name);
    return board->spool >= 0 ? follow_board_connect(board) : -1;
}

static enum native_polled disconnect(struct follow_board *board)
{
    live_link_close(board->link);
    board->link = NULL;
    follow_board_no_memory(board); /* unless another error was kept */
    return NATIVE_POLL_FAILED;
}

enum native_polled follow_board_poll(struct follow_board *board)
{
    struct place place = {board, &board->size};
    const struct record_sink sink = {put, &place};
    const struct record_sink windows = {put_in_windows, board};
    const struct native_memory memory = {read_memory, board, live_link_halts(board->link)};
    enum native_polled polled;
    uint64_t halted;
    board->is_gone = false;
    if (from_server(board, live_link_begin(board->link)) != 0)
        return disconnect(board);
    for (unsigned i = 0; i < FOLLOW_WINDOWS; i++) {
        if (board->windows[i] != NULL)
            native_window_begin(board->windows[i]);
    }
    polled = native_recorder_poll(board->recorder, &memory, &sink, os_now_ns());
    if (polled == NATIVE_POLL_FAILED || from_server(board, live_link_end(board->link, &halted)) != 0
        || native_recorder_rest(board->recorder, &windows, PENDING_NS) != 0)
        return disconnect(board);
    if (memory.halted) {
        board->halts++;
        board->halted_ns = halted > board->halted_ns ? halted : board->halted_ns;
    }
    return polled;
}

void follow_board_release(struct follow_board *board)
{
    live_link_close(board->link);
    native_recorder_free(board->recorder);
    heap_free(board->parts);
    firmware_close(board->firmware);
    if (board->spool >= 0)
        os_close(board->spool);
    trace_free(&board->trace);
}

/* ---- what was recorded ------------------------------------------------------------------------------------------- */

size_t follow_board_read(void *ctx, uint64_t offset, void *to, size_t n)
{
    const struct follow_board *board = ctx;
    int error;
    return os_read_at(board->spool, offset, to, n, &error);
}
