/* input_udp.h - records of the S.Ha.R.K. tracer that come as UDP datagrams, put into one file in the order they were
 * sent.
 *
 * A datagram: "TRACER-V1.0" and a NUL; the packet's number, its count of records and the datagram's length in bytes, 4
 * bytes each; then 16 bytes per record. Numbers are little-endian. Packet numbers start at 1 and wrap at 2^32. The file
 * has the records alone, as the tracer's own files have.
 *
 * Datagrams may be lost, doubled, reordered or forged. A packet is taken once, wherever it comes in the order. A
 * datagram is not taken if its lengths contradict each other, or if it comes from another address than the first
 * packet. Memory is 16 bytes per packet, at most 256 MiB; the records are in a temporary file.
 */
#ifndef IO_INPUT_UDP_H
#define IO_INPUT_UDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace;

/* When to stop receiving: at whichever limit comes first, or at SIGINT. */
struct input_until {
    uint32_t wait_ms; /* ms without a packet at the beginning; 0 = no limit */
    uint32_t idle_ms; /* ms without a packet later; 0 = 5 s */
    uint64_t count;   /* packets received; 0 = no limit */
};

/* Where packets that were sent are missing in an input. */
struct input_gap {
    uint64_t offset;  /* of the byte before which they are missing */
    uint64_t packets; /* how many are missing */
};

/* What was received. */
struct input_udp_received {
    int fd;                 /* the records, in a temporary file */
    uint64_t size;          /* bytes in it */
    struct input_gap *gaps; /* ngaps of them, in order of offset */
    size_t ngaps;
};

/* Whether the name of an input is an address to receive at: udp:... */
bool input_udp_names(const char *name);

/* Open a socket that receives what is sent to udp:PORT on this machine's loopback address, to udp:ADDRESS:PORT, or to
 * udp:*:PORT on any interface. Port 0 is any free one. The caller closes the socket. -1 after trace_fail(). */
int input_udp_listen(struct trace *trace, const char *name);

/* Receive from a socket until a limit is reached, SIGINT comes, or the sender starts again; a second SIGINT ends the
 * program. Bad datagrams and missing packets are reported by trace_damage(). 0: the caller closes received->fd and
 * frees received->gaps. -1 after trace_fail(), also when no packet came. */
int input_udp_receive(struct trace *trace, int socket, const struct input_until *until,
                      struct input_udp_received *received);

#endif
