/* follow_board.h - a board that is followed: its server, which may go away and come back, and what was recorded of the
 * run, in a temporary file, as images of chunks (formats/native/follow/recorder.h).
 */
#ifndef TOOL_FOLLOW_BOARD_H
#define TOOL_FOLLOW_BOARD_H

#include "decode/request.h"
#include "formats/native/follow/recorder.h"
#include "formats/native/follow/window.h"
#include "model/trace.h"

struct firmware_file;
struct live_link;

/* Windows that the images which a poll has changed go to, too. */
enum follow_window { FOLLOW_OF_TEXT, FOLLOW_OF_WATCH, FOLLOW_WINDOWS };

/* All zero before it is opened. */
struct follow_board {
    const struct decode_request *request;
    struct trace trace; /* of the firmware, and for errors of the server */
    struct firmware_file *firmware;
    struct live_link *link; /* NULL: the server is not connected */
    bool is_gone;           /* the server has failed, or gone away: it can be waited for */
    struct segment *parts;  /* of the target's memory; nparts of them */
    size_t nparts;
    struct native_recorder *recorder; /* NULL: there is none yet */
    int spool;                        /* the temporary file: images of laps that are over, `size` bytes */
    uint64_t size;
    uint64_t whole; /* with the images of what goes on behind them, after follow_board_complete() */
    struct native_window *windows[FOLLOW_WINDOWS]; /* where images go, too, or NULL; the caller's */
    uint64_t halted_ns;                            /* the longest time for which the target stood */
    uint64_t halts;
};

/* Open the firmware's file and connect to the server. 0, or -1 after trace_fail() of the board's trace. */
int follow_board_open(struct follow_board *board, const struct decode_request *request);
void follow_board_release(struct follow_board *board);

/* Connect to the server again. 0, or -1 after trace_fail(). */
int follow_board_connect(struct follow_board *board);

/* Forget what was recorded: the firmware was started again. 0, or -1 after trace_fail(). */
int follow_board_begin_run(struct follow_board *board);

/* Read what is new. If there is a window, the images that a poll has changed are in it then. NATIVE_POLL_FAILED: after
 * trace_fail(); the server is disconnected then. */
enum native_polled follow_board_poll(struct follow_board *board);

/* Write what goes on behind the laps that are over, so that the temporary file is whole: board->whole bytes. What is
 * recorded later is written over it. 0, or -1 after trace_fail(). */
int follow_board_complete(struct follow_board *board);

/* Bytes of the temporary file, as struct tlog_bytes wants them; ctx is the board. */
size_t follow_board_read(void *ctx, uint64_t offset, void *to, size_t n);

/* trace_fail(): there is no memory. Returns -1. */
int follow_board_no_memory(struct follow_board *board);

#endif
