/* packet.h - packets of the GDB remote serial protocol: $bytes#sum, of which each is acknowledged until both sides
 * leave that out. In a packet } escapes a byte, and * repeats the one before it.
 */
#ifndef IO_LIVE_PACKET_H
#define IO_LIVE_PACKET_H

#include "io/live/wire.h"

#include <stdbool.h>

#define LIVE_PACKET_MOST 65536u /* bytes of a packet's contents */

struct live_packets {
    struct live_wire *wire;
    bool acks;        /* they are acknowledged */
    bool owes;        /* the last one that came is not acknowledged yet: that goes with the next one */
    unsigned repeats; /* how often a packet was wanted again */
    char sent[64];    /* behind room for a +: the last one, as it was sent */
    size_t nsent;
    size_t n; /* of the last one that came: its bytes, behind which is a NUL */
    char bytes[LIVE_PACKET_MOST + 1u];
};

/* The value of a hexadecimal digit; 16: it is none. */
static inline unsigned live_digit(int digit)
{
    return digit >= '0' && digit <= '9'   ? (unsigned)(digit - '0')
           : digit >= 'a' && digit <= 'f' ? (unsigned)(digit - 'a' + 10)
           : digit >= 'A' && digit <= 'F' ? (unsigned)(digit - 'A' + 10)
                                          : 16u;
}

/* Begin, with acknowledgements. */
void live_packets_begin(struct live_packets *packets, struct live_wire *wire);

/* Send a packet of at most 57 characters that need no escape. 0, or -1 after trace_fail(). */
int live_packet_send(struct live_packets *packets, const char *text);

/* Wait for a packet. 1; 0 if none begins in that time; -1 after trace_fail(). */
int live_packet_receive(struct live_packets *packets, unsigned wait_ms);

#endif
