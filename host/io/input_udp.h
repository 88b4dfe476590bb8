/* input_udp.h - records of the S.Ha.R.K. tracer that come as UDP datagrams, put into one file in the order they were
 * sent.
 *
 * A datagram: "TRACER-V1.0" and a NUL, the packet's number, its count of records, its length, each 4 bytes, then 16
 * bytes per record; numbers start at 1, are little-endian and wrap at 2^32. The file is the records alone, which is
 * what the tracer's own files are.
 *
 * Datagrams may be lost, doubled, reordered or forged. A packet is taken once, wherever it comes in the order; a
 * datagram whose lengths do not agree, or which comes from another address than the first one, is not taken. Memory is
 * 16 bytes per packet, at most 256 MiB; the records are in a temporary file.
 */
#ifndef IO_INPUT_UDP_H
#define IO_INPUT_UDP_H

#include "io/input.h"

#include <stdbool.h>
#include <sys/types.h>

struct udp_received {
    int fd;        /* the records, in an unlinked temporary file */
    uint64_t size; /* bytes of them */
    struct input_gap *gaps;
    size_t ngaps;
};

/* Is this the name of an address to receive from: udp:...? */
bool input_udp_names(const char *name);

/* A socket that receives what is sent to udp:PORT on this machine's loopback address, to udp:ADDRESS:PORT, or to
 * udp:*:PORT on any interface. Port 0 is any free one. -1 after trace_fail(). */
int input_udp_listen(struct trace *trace, const char *name);

/* Receive until the limits, SIGINT, or a sender that starts again say stop; a second SIGINT ends the program. Bad
 * datagrams and missing packets are reported as damage. On success fd and gaps are the caller's. 0, or -1 after
 * trace_fail(), also when nothing came. The socket stays open. */
int input_udp_receive(struct trace *trace, int socket, const struct input_until *until, struct udp_received *received);

#endif
