/* wire.h - a connection to a server that reads a target's memory, byte by byte, with a limit of time.
 *
 * A server may be slow, silent, or gone. Each wait has an end, and so has all of them together.
 */
#ifndef IO_LIVE_WIRE_H
#define IO_LIVE_WIRE_H

#include <stddef.h>
#include <stdint.h>

struct trace;

#define LIVE_SILENCE_MS 5000u /* without a byte, after which a server is given up */
#define LIVE_NONE       (-1)  /* nothing has come */
#define LIVE_FAILED     (-2)  /* after trace_fail() */

struct live_wire {
    struct trace *trace;
    int socket;       /* or -1 */
    uint64_t from;    /* when it was opened, in ns of os_now_ns() */
    uint64_t most_ms; /* what all of it may take */
    size_t at, n;     /* which of these bytes are not taken yet */
    unsigned char bytes[16384];
};

/* Connect to HOST:PORT. 0, or -1 after trace_fail(). live_wire_close() is wanted in either case. */
int live_wire_open(struct live_wire *wire, struct trace *trace, const char *address, unsigned most_ms);

/* The same with a socket that is connected, and which the wire closes. */
void live_wire_adopt(struct live_wire *wire, struct trace *trace, int socket, unsigned most_ms);
void live_wire_close(struct live_wire *wire);

/* Count the time that all may take from now on. */
void live_wire_begin_again(struct live_wire *wire);

/* Take a byte, or wait for it: 0 to 255, LIVE_NONE if none comes in that time, or LIVE_FAILED. With LIVE_SILENCE_MS it
 * is a failure that none comes. */
int live_wire_take(struct live_wire *wire, unsigned wait_ms);

/* Send them all. 0, or -1 after trace_fail(). */
int live_wire_send(struct live_wire *wire, const void *bytes, size_t n);

/* Send a few bytes if that can be done at once; nothing is told of it. */
void live_wire_try(struct live_wire *wire, const void *bytes, size_t n);

#endif
