/* openocd.c - memory through the Tcl port of OpenOCD: a command and the byte 0x1A, then the answer and 0x1A.
 *
 * The target is not halted: a debugger of Arm's Cortex-M reads its memory while it runs. Where that cannot be, OpenOCD
 * says so. What was read while the firmware logs is of many moments.
 */
#include "io/live/memory.h"

#include "base/heap.h"
#include "model/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MOST 65536u
#define PIECE_BYTES 4096u /* a multiple of 4 */
#define WORD        4u
#define END         0x1A

struct session {
    struct live_memory *memory;
    struct trace *trace;
    bool is_old; /* it has no read_memory: releases before 0.12 */
    bool failed; /* the last command has */
    char *told;  /* what it tells: in the answer, behind the code */
    char answer[ANSWER_MOST];
};

/* Take an answer. 0, or -1 after trace_fail(). */
static int receive(struct session *session)
{
    for (size_t n = 0; n < sizeof session->answer; n++) {
        int byte = live_wire_take(&session->memory->wire, LIVE_SILENCE_MS);
        if (byte < 0)
            return -1;
        session->answer[n] = byte == END ? '\0' : (char)byte;
        if (byte == END)
            return 0;
    }
    return trace_fail(session->trace, "%s: the server sends an answer of more than 64 KiB", session->trace->input_name);
}

/* Take the code of a command, which is 0 if it has not failed, and is the answer's first word. False: there is none. */
static bool take_code(struct session *session)
{
    (void)strtol(session->answer, &session->told, 10);
    if (session->told == session->answer || (*session->told != ' ' && *session->told != '\0'))
        return false;
    session->failed = session->answer[0] != '0';
    session->told += *session->told == ' ';
    return true;
}

/* Do a command. 0: told and failed are set. -1 after trace_fail(). */
static int ask(struct session *session, const char *command)
{
    char text[128];
    int n = snprintf(text, sizeof text, "concat [catch {%s} tlog_told] $tlog_told%c", command, END);
    if (live_wire_send(&session->memory->wire, text, (size_t)n) != 0 || receive(session) != 0)
        return -1;
    if (take_code(session))
        return 0;
    return trace_fail(session->trace, "%s: this is not OpenOCD's Tcl port: it answers \"%.60s\"",
                      session->trace->input_name, session->answer);
}

/* Take words of width bytes, as many as were asked for. What is an address in the answer of old releases ends in a
 * colon. How many bytes; -1 after trace_fail(). */
static int take_words(struct session *session, uint64_t address, unsigned count, unsigned width, unsigned char *to)
{
    char *at = session->told;
    unsigned n = 0;
    for (;;) {
        char *end;
        unsigned long long word;
        at += strspn(at, " \t\r\n");
        if (*at == '\0')
            break;
        word = strtoull(at, &end, 16);
        if (end != at && *end == ':') {
            at = end + 1;
            continue;
        }
        if (end == at || strchr(" \t\r\n", *end) == NULL || word >> 8u * width != 0 || n == count)
            return trace_fail(session->trace, "%s: 0x%" PRIx64 " cannot be read: the server answers \"%.60s\"",
                              session->trace->input_name, address, at);
        for (unsigned i = 0; i < width; i++)
            to[n * width + i] = (unsigned char)(word >> 8u * i);
        n++;
        at = end;
    }
    if (n == count)
        return (int)(n * width);
    return trace_fail(session->trace, "%s: 0x%" PRIx64 " cannot be read: %u words come of %u",
                      session->trace->input_name, address, n, count);
}

/* Ask for words in the way of the server's release. 0, or -1 after trace_fail(). */
static int ask_words(struct session *session, uint64_t address, unsigned count, unsigned width)
{
    char command[80];
    if (session->is_old)
        snprintf(command, sizeof command, "capture {md%c 0x%" PRIx64 " %u}", width == WORD ? 'w' : 'b', address, count);
    else
        snprintf(command, sizeof command, "read_memory 0x%" PRIx64 " %u %u", address, 8u * width, count);
    return ask(session, command);
}

static int read_memory(void *protocol, uint64_t address, unsigned n, unsigned char *to)
{
    struct session *session = protocol;
    const unsigned width = address % WORD == 0 && n % WORD == 0 ? WORD : 1u;
    if (ask_words(session, address, n / width, width) != 0)
        return -1;
    if (session->failed && !session->is_old && strstr(session->told, "invalid command name") != NULL) {
        session->is_old = true;
        return read_memory(session, address, n, to);
    }
    if (!session->failed)
        return take_words(session, address, n / width, width, to);
    return trace_fail(session->trace, "%s: 0x%" PRIx64 " cannot be read: the server answers \"%.60s\"",
                      session->trace->input_name, address, session->told);
}

static void *open_session(struct live_memory *memory)
{
    struct session *session;
    if (memory->nparts == 0) {
        trace_fail(memory->trace, "%s: where tlog's memory is, --elf=firmware.elf tells", memory->trace->input_name);
        return NULL;
    }
    session = heap_alloc(sizeof *session);
    if (session == NULL) {
        trace_fail(memory->trace, "%s: no memory", memory->trace->input_name);
        return NULL;
    }
    session->memory = memory;
    session->trace = memory->trace;
    session->is_old = false;
    memory->most = PIECE_BYTES;
    return session;
}

/* The target is not halted, and need not go on. */
static int stay(void *state)
{
    (void)state;
    return 0;
}

const struct live_protocol live_openocd = {
    .prefix = "openocd:",
    .open = open_session,
    .halt = stay,
    .go_on = stay,
    .read = read_memory,
    .close = heap_free,
};
