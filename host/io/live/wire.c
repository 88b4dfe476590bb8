/* wire.c - see wire.h. */
#include "io/live/wire.h"

#include "base/text.h"
#include "model/trace.h"
#include "os/os_signal.h"
#include "os/os_socket.h"
#include "os/os_time.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_MS   100u /* longest single wait: an interrupt just before it is noticed only after it */
#define HOST_ROOM 256u

/* ---- the address ------------------------------------------------------------------------------------------------- */

/* The port behind the last colon of a text, or which is all of it; 0: there is none. */
static uint16_t port_of(const char *text)
{
    const char *colon = strrchr(text, ':'), *at = colon != NULL ? colon + 1 : text;
    size_t digits = strspn(at, "0123456789");
    long port = digits > 0 && digits <= 5 && at[digits] == '\0' ? strtol(at, NULL, 10) : 0;
    return port <= 65535 ? (uint16_t)port : 0;
}

/* The host before that colon; none is this machine, and one with colons is in brackets. False: it is too long. */
static bool host_of(const char *text, char host[static HOST_ROOM])
{
    const char *colon = strrchr(text, ':');
    size_t n = colon != NULL ? (size_t)(colon - text) : 0;
    if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
        text++;
        n -= 2;
    }
    if (n >= HOST_ROOM)
        return false;
    memcpy(host, n > 0 ? text : "localhost", n > 0 ? n : sizeof "localhost");
    if (n > 0)
        host[n] = '\0';
    return true;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

void live_wire_adopt(struct live_wire *wire, struct trace *trace, int socket, unsigned most_ms)
{
    wire->trace = trace;
    wire->socket = socket;
    wire->from = os_now_ns();
    wire->most_ms = most_ms;
    wire->at = wire->n = 0;
}

int live_wire_open(struct live_wire *wire, struct trace *trace, const char *address, unsigned most_ms)
{
    char host[HOST_ROOM];
    uint16_t port = port_of(address);
    live_wire_adopt(wire, trace, -1, most_ms);
    if (port == 0 || !host_of(address, host))
        return trace_fail(trace, "%s: behind the first colon there is no HOST:PORT", trace->input_name);
    wire->socket = os_stream_connect(host, port, LIVE_SILENCE_MS);
    if (wire->socket >= 0)
        return 0;
    return trace_fail(trace, "%s: cannot connect: %s", trace->input_name,
                      errno == ENOSYS   ? "this program was built without sockets"
                      : errno == ENOENT ? "there is no such host"
                      : errno == EAGAIN ? "nobody answers there"
                                        : strerror(errno));
}

void live_wire_close(struct live_wire *wire)
{
    if (wire->socket >= 0)
        os_socket_close(wire->socket);
    wire->socket = -1;
}

void live_wire_begin_again(struct live_wire *wire)
{
    wire->from = os_now_ns();
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

/* ms until all must be done; 0: the time is over. */
static unsigned left_ms(const struct live_wire *wire)
{
    uint64_t gone = (os_now_ns() - wire->from) / 1000000u;
    return gone < wire->most_ms ? (unsigned)(wire->most_ms - gone) : 0;
}

/* Fail because nothing came or went for so long, or because the whole time is over. Always LIVE_FAILED. */
static int fail_late(struct live_wire *wire)
{
    const char *name = wire->trace->input_name;
    if (left_ms(wire) == 0)
        trace_fail(wire->trace, "%s: not done after %" PRIu64 ".%" PRIu64 " s; --wait=SECONDS allows more", name,
                   wire->most_ms / 1000u, wire->most_ms % 1000u / 100u);
    else
        trace_fail(wire->trace, "%s: the server does not answer for %u s", name, LIVE_SILENCE_MS / 1000u);
    return LIVE_FAILED;
}

/* Whether the user wants no more. */
static bool is_stopped(struct live_wire *wire)
{
    return os_interrupted() && trace_fail(wire->trace, "%s: interrupted", wire->trace->input_name) != 0;
}

/* A wait of so many ms, as far as there is time. */
static unsigned next_wait(const struct live_wire *wire, unsigned wait_ms)
{
    unsigned left = left_ms(wire);
    return wait_ms < left ? wait_ms : left;
}

/* Wait for bytes. 1, LIVE_NONE or LIVE_FAILED. */
static int fill(struct live_wire *wire, unsigned wait_ms)
{
    const uint64_t begin = os_now_ns();
    for (;;) {
        uint64_t gone = (os_now_ns() - begin) / 1000000u;
        unsigned remain = gone < wait_ms ? wait_ms - (unsigned)gone : 0;
        int64_t n = os_stream_receive(wire->socket, wire->bytes, sizeof wire->bytes,
                                      next_wait(wire, remain < WAIT_MS ? remain : WAIT_MS));
        wire->at = 0;
        wire->n = n > 0 ? (size_t)n : 0;
        if (is_stopped(wire))
            return LIVE_FAILED;
        if (n > 0)
            return 1;
        if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
            trace_fail(wire->trace, "%s: %s", wire->trace->input_name,
                       n == 0 ? "the server closed the connection" : strerror(errno));
            return LIVE_FAILED;
        }
        if (left_ms(wire) == 0)
            return fail_late(wire);
        if (remain == 0)
            return wait_ms < LIVE_SILENCE_MS ? LIVE_NONE : fail_late(wire);
    }
}

/* A server that sends without end does not prolong the time. */
int live_wire_take(struct live_wire *wire, unsigned wait_ms)
{
    int result = wire->at < wire->n ? 1 : left_ms(wire) > 0 ? fill(wire, wait_ms) : fail_late(wire);
    return result == 1 ? wire->bytes[wire->at++] : result;
}

int live_wire_send(struct live_wire *wire, const void *bytes, size_t n)
{
    if (os_stream_send(wire->socket, bytes, n, next_wait(wire, LIVE_SILENCE_MS)))
        return 0;
    if (errno != EAGAIN)
        return trace_fail(wire->trace, "%s: cannot send: %s", wire->trace->input_name, strerror(errno));
    fail_late(wire);
    return -1;
}

void live_wire_try(struct live_wire *wire, const void *bytes, size_t n)
{
    if (wire->socket >= 0)
        (void)os_stream_send(wire->socket, bytes, n, 0);
}
