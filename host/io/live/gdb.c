/* gdb.c - memory through the GDB remote serial protocol: QEMU, OpenOCD, J-Link, pyOCD, probe-rs and others serve it.
 *
 * Most servers halt the target when somebody connects; one that has not is asked to. When the memory has been read, or
 * cannot be, the target is told to go on. With several CPUs that goes for all of them.
 */
#include "io/live/memory.h"
#include "io/live/packet.h"

#include "base/heap.h"
#include "base/text.h"
#include "model/trace.h"
#include "os/os_time.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PACKET_USUAL  400u        /* bytes of a packet, if the server does not tell */
#define PACKET_LEAST  64u         /* of any use */
#define STATE_WAIT_MS 1000u       /* a server whose target runs does not answer "?" */
#define GO_ON_WAIT_MS 20u         /* one that cannot let it run says so at once */
#define OTHERS_MOST   100u        /* packets that are no answer */
#define MAP_MOST      65536u      /* bytes of a memory map */
#define RAM_MOST      (64u << 20) /* bytes that are taken without an ELF file */

struct session {
    struct live_memory *memory;
    struct trace *trace;
    struct live_packets packets;
    unsigned size; /* of a packet */
    bool has_no_ack, has_binary, has_map;
    bool is_halted;           /* for all that is known */
    bool goes_on;             /* it has gone on when it was asked to */
    uint64_t since;           /* when it was halted, as os_now_ns() tells it */
    unsigned char digit[256]; /* live_digit() of each character, without branches */
};

/* Fail because of what the server has answered. Always -1. */
static int fail_answer(struct session *session, const char *what)
{
    return trace_fail(session->trace, "%s: %s: the server answers \"%.60s\"", session->trace->input_name, what,
                      session->packets.bytes);
}

/* ---- the server -------------------------------------------------------------------------------------------------- */

/* Whether a packet tells that the target is halted. */
static bool is_stop(const struct session *session)
{
    const char *bytes = session->packets.bytes;
    return (bytes[0] == 'S' || bytes[0] == 'T') && live_digit(bytes[1]) < 16u && live_digit(bytes[2]) < 16u;
}

/* Send a packet, and wait for the answer. A server may tell of a halt first, such as QEMU when somebody connects. 0, or
 * -1 after trace_fail(). */
static int ask(struct session *session, const char *request)
{
    int got = live_packet_send(&session->packets, request) == 0 ? 1 : -1;
    for (unsigned i = 0; i < OTHERS_MOST && got == 1; i++) {
        got = live_packet_receive(&session->packets, LIVE_SILENCE_MS);
        if (got == 1 && !is_stop(session))
            return 0;
    }
    return got == 1 ? fail_answer(session, request) : -1;
}

/* Take what qSupported tells: words with ; between them. */
static void take_features(struct session *session)
{
    const char *size = strstr(session->packets.bytes, "PacketSize=");
    unsigned long told = size != NULL ? strtoul(size + strlen("PacketSize="), NULL, 16) : PACKET_USUAL;
    session->size = told < PACKET_LEAST ? PACKET_LEAST : told > LIVE_PACKET_MOST ? LIVE_PACKET_MOST : (unsigned)told;
    session->has_no_ack = strstr(session->packets.bytes, "QStartNoAckMode+") != NULL;
    session->has_binary = strstr(session->packets.bytes, "binary-upload+") != NULL;
    session->has_map = strstr(session->packets.bytes, "qXfer:memory-map:read+") != NULL;
}

/* 0, or -1 after trace_fail(). */
static int greet(struct session *session)
{
    struct live_packets *packets = &session->packets;
    if (ask(session, "qSupported:swbreak+") != 0)
        return -1;
    take_features(session);
    if (!session->has_no_ack)
        return 0;
    if (ask(session, "QStartNoAckMode") != 0)
        return -1;
    if (strcmp(packets->bytes, "OK") != 0)
        return fail_answer(session, "QStartNoAckMode");
    packets->acks = false;
    return 0;
}

/* ---- halting and going on ---------------------------------------------------------------------------------------- */

/* Halt a target that runs. 0, or -1 after trace_fail(). */
static int halt(struct session *session)
{
    session->since = os_now_ns();
    session->is_halted = true;
    if (live_wire_send(session->packets.wire, "\003", 1) != 0)
        return -1;
    for (unsigned i = 0; i < OTHERS_MOST; i++) {
        if (live_packet_receive(&session->packets, LIVE_SILENCE_MS) != 1)
            return -1;
        if (is_stop(session))
            return 0;
        if (session->packets.bytes[0] != 'O') /* what the target prints */
            break;
    }
    return fail_answer(session, "the target cannot be halted");
}

/* See to it that the target is halted. 0, or -1 after trace_fail(). */
static int find_halted(struct session *session)
{
    int got = live_packet_send(&session->packets, "?");
    if (got == 0)
        got = live_packet_receive(&session->packets, STATE_WAIT_MS);
    if (got < 0)
        return -1;
    if (got == 0)
        return halt(session);
    return is_stop(session) ? 0 : fail_answer(session, "it has no target that could be halted");
}

/* Let the target run. What does not know c may know D. 0, or -1 after trace_fail(). */
static int go_on(struct session *session)
{
    struct live_packets *packets = &session->packets;
    int got = live_packet_send(packets, "c");
    session->memory->halted = os_now_ns() - session->since;
    session->is_halted = false;
    if (got == 0 && !session->goes_on)
        got = live_packet_receive(packets, GO_ON_WAIT_MS);
    session->goes_on = got >= 0;
    if (got != 1 || is_stop(session) || packets->bytes[0] == 'O')
        return got < 0 ? -1 : 0;
    if (ask(session, "D") != 0)
        return -1;
    return strcmp(packets->bytes, "OK") == 0 ? 0 : fail_answer(session, "the target does not go on");
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Fail because the server cannot read at an address. Always -1. */
static int fail_read(struct session *session, uint64_t address, const char *what)
{
    return trace_fail(session->trace, "%s: 0x%" PRIx64 " cannot be read: %s \"%.60s\"", session->trace->input_name,
                      address, what, session->packets.bytes);
}

/* Take digits. How many bytes they make; -1 after trace_fail(). */
static int take_digits(struct session *session, uint64_t address, unsigned n, unsigned char *to)
{
    const unsigned char *digits = (const unsigned char *)session->packets.bytes;
    const size_t count = session->packets.n / 2u;
    unsigned wrong = 0;
    if (count == 0)
        return fail_read(session, address, "the server does not read memory, and answers");
    if (digits[0] == 'E' && (session->packets.n == 3 || digits[1] == '.'))
        return fail_read(session, address, "the server answers");
    if (session->packets.n % 2u != 0 || count > n)
        return fail_read(session, address, count > n ? "more bytes come than were asked for:" : "half a byte comes:");
    for (size_t i = 0; i < count; i++) {
        unsigned high = session->digit[digits[2 * i]], low = session->digit[digits[2 * i + 1]];
        wrong |= high | low;
        to[i] = (unsigned char)(high << 4 | low);
    }
    return wrong < 16u ? (int)count : fail_read(session, address, "what comes are no digits:");
}

/* Take bytes, which are behind a b. How many; -1 after trace_fail(). */
static int take_bytes(struct session *session, uint64_t address, unsigned n, unsigned char *to)
{
    const size_t count = session->packets.n - 1u;
    if (session->packets.n < 2 || session->packets.bytes[0] != 'b')
        return fail_read(session, address, "the server answers");
    if (count > n)
        return fail_read(session, address, "more bytes come than were asked for:");
    memcpy(to, session->packets.bytes + 1, count);
    return (int)count;
}

static int read_memory(void *protocol, uint64_t address, unsigned n, unsigned char *to)
{
    struct session *session = protocol;
    char request[48];
    snprintf(request, sizeof request, "%c%" PRIx64 ",%x", session->has_binary ? 'x' : 'm', address, n);
    if (ask(session, request) != 0)
        return -1;
    return session->has_binary ? take_bytes(session, address, n, to) : take_digits(session, address, n, to);
}

/* ---- the memory map ---------------------------------------------------------------------------------------------- */

/* The number in an attribute of an element, NAME="0x20000000"; 0: there is none. */
static uint64_t attribute(const char *element, const char *end, const char *name)
{
    const char *at = text_find(element, end, name);
    at = at != NULL ? at + strlen(name) : NULL;
    return at != NULL && at + 2 < end && at[0] == '=' && (at[1] == '"' || at[1] == '\'') ? strtoull(at + 2, NULL, 0)
                                                                                         : 0;
}

/* Take the parts that are RAM. 0, or -1 after trace_fail(). */
static int take_map(struct session *session, const char *map)
{
    struct live_memory *memory = session->memory;
    for (const char *at = map; (at = strstr(at, "<memory ")) != NULL && memory->nparts < LIVE_PARTS_MAX;) {
        const char *end = strchr(at, '>');
        uint64_t start, length;
        if (end == NULL)
            break;
        start = attribute(at, end, "start");
        length = attribute(at, end, "length");
        if (text_find(at, end, "ram") != NULL && length > 0 && length - 1u <= UINT64_MAX - start)
            memory->parts[memory->nparts++] = (struct segment){.address = start, .size = length};
        at = end;
    }
    memory->nparts = segments_join(memory->parts, memory->nparts, &memory->size);
    if (memory->nparts > 0 && memory->size <= RAM_MOST)
        return 0;
    return trace_fail(session->trace, "%s: the server tells of %" PRIu64 " MiB of RAM: give --elf=firmware.elf",
                      session->trace->input_name, memory->size >> 20);
}

/* Read the map, piece by piece. 0, or -1 after trace_fail(). */
static int read_map(struct session *session, struct growing_text *map)
{
    const unsigned most = session->size > 256u ? session->size - 16u : session->size / 2u;
    char request[64];
    for (;;) {
        snprintf(request, sizeof request, "qXfer:memory-map:read::%zx,%x", map->n, most);
        if (ask(session, request) != 0)
            return -1;
        if ((session->packets.bytes[0] != 'l' && session->packets.bytes[0] != 'm')
            || (session->packets.bytes[0] == 'm' && session->packets.n < 2) || map->n > MAP_MOST)
            return fail_answer(session, "the memory map cannot be read");
        text_add(map, "%s", session->packets.bytes + 1);
        if (map->failed)
            return trace_fail(session->trace, "%s: no memory", session->trace->input_name);
        if (session->packets.bytes[0] == 'l')
            return 0;
    }
}

/* Learn what RAM there is, if the firmware does not tell where its chunks are. 0, or -1 after trace_fail(). */
static int find_ram(struct session *session)
{
    struct growing_text map = {0};
    int result;
    if (session->memory->nparts > 0)
        return 0;
    if (!session->has_map)
        return trace_fail(session->trace, "%s: where tlog's memory is, --elf=firmware.elf tells",
                          session->trace->input_name);
    result = read_map(session, &map) == 0 ? take_map(session, map.bytes) : -1;
    heap_free(map.bytes);
    live_memory_limit(session->memory);
    return result;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* Most servers halt the target when somebody connects. 0, or -1 after trace_fail(). */
static int begin(struct session *session)
{
    session->is_halted = true;
    session->since = session->memory->wire.from;
    live_packets_begin(&session->packets, &session->memory->wire);
    if (greet(session) != 0 || find_ram(session) != 0 || find_halted(session) != 0)
        return -1;
    session->memory->most = session->has_binary ? session->size - 1u : session->size / 2u;
    if (session->memory->most > LIVE_PIECE_MOST)
        session->memory->most = LIVE_PIECE_MOST;
    return 0;
}

/* A target that cannot be told to go on any more is asked to. */
static void close_session(void *state)
{
    static const char go_on_at_once[] = "+$c#63";
    struct session *session = state;
    if (session->is_halted)
        live_wire_try(&session->memory->wire, go_on_at_once, sizeof go_on_at_once - 1u);
    heap_free(session);
}

static void *open_session(struct live_memory *memory)
{
    struct session *session = heap_calloc(1, sizeof *session);
    if (session == NULL) {
        trace_fail(memory->trace, "%s: no memory", memory->trace->input_name);
        return NULL;
    }
    session->memory = memory;
    session->trace = memory->trace;
    for (int i = 0; i < 256; i++)
        session->digit[i] = (unsigned char)live_digit(i);
    if (begin(session) == 0)
        return session;
    close_session(session);
    return NULL;
}

static int halt_again(void *state)
{
    struct session *session = state;
    return session->is_halted ? 0 : halt(session);
}

static int let_run(void *state)
{
    return go_on(state);
}

const struct live_protocol live_gdb = {
    .prefix = "gdb:",
    .halts = true,
    .open = open_session,
    .halt = halt_again,
    .go_on = let_run,
    .read = read_memory,
    .close = close_session,
};
