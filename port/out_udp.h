/* out_udp.h - the UDP sender of the S.Ha.R.K. New Tracer: records in datagrams, to `tlog-decode 'udp:*:20000'`.
 *
 * A datagram is 24 bytes of header and at most 60 records, all little-endian:
 *
 *   0  "TRACER-V1.0" and a NUL     12  number of the datagram, from 1
 *   16 records in it               20  its length in bytes, header included
 *   24 records of 16 bytes: tlog's slots without the lap tag (bits 9..8 of word 0), the mirror bit (31 of word 1), and context
 *
 * As the original does: empty slots are left out, a pause follows every datagram, and the numbers go on from one chunk
 * to the next. Unlike it: nothing is sent when nothing is left at the end of a chunk, where it sends a datagram of 0
 * bytes. With TLOG_ENABLE = 0 nothing is sent and the network is not brought up: all say NET_NOT_OPEN. Source: S.Ha.R.K. New
 * Tracer, FTrace_udp.c. Threads only. */
#ifndef OUT_UDP_H
#define OUT_UDP_H

#include "net.h"
#include "tlog.h"

TLOG_BEGIN_C

/* UDP port of both ends. */
#ifndef TLOG_UDP_PORT
#define TLOG_UDP_PORT 20000
#endif

/* Milliseconds of waiting after each datagram, 0 or more. */
#ifndef TLOG_UDP_PAUSE_MS
#define TLOG_UDP_PAUSE_MS 5
#endif

/* The network both ends may be in, and the way out of it (NULL: none, every target is asked directly). */
#ifndef TLOG_UDP_MASK
#define TLOG_UDP_MASK "255.255.255.0"
#endif
#ifndef TLOG_UDP_GATEWAY
#define TLOG_UDP_GATEWAY ((const char *)0)
#endif

/* Own Ethernet address, six bytes; all 0: made of the IP address. */
#ifndef TLOG_UDP_MAC
#define TLOG_UDP_MAC 0, 0, 0, 0, 0, 0
#endif

/* Also the Ethernet controller, on the command line: -DTLOG_UDP_DEVICE=name, a struct net_device (net.h) that is declared in
 * TLOG_CONFIG or the board's header; without it net_lan9118, at the address that net_lan9118.h tells. */

struct tlog_udp_counts {
    uint32_t packets; /* number of the last datagram made */
    uint32_t failed;  /* of those, not sent; the receiver reports them as missing */
    uint32_t records; /* records in the datagrams that were sent */
    uint32_t foreign; /* slots left out because S.Ha.R.K. has no such thing: traceevent slots */
};

#if TLOG_ENABLE

/* Bring up the network, own and target's address as "192.168.1.10". 0 or a negative enum net_error. After an error it
 * may be called again; datagram numbers go on from where they were. */
int tlog_udp_open(const char *local_ip, const char *target_ip);

/* Send the slots of one chunk (tlog_chunk_behind() in tlog.h gives them, tlog_chunk_slots() their slots), which nobody may be
 * filling, and what is left in a datagram that is not full. 0, or the first error: then the rest of the slots is not sent. */
int tlog_udp_send_slots(const struct tlog_slot *slots, uint32_t count);

/* The same in two steps, for a chunk that does not lie in one piece: any number of parts, then the flush. */
int tlog_udp_put_slots(const struct tlog_slot *slots, uint32_t count);
int tlog_udp_flush(void);

struct tlog_udp_counts tlog_udp_counts(void);

#else

TLOG_INLINE int tlog_udp_open(const char *local_ip, const char *target_ip)
{
    (void)local_ip, (void)target_ip;
    return NET_NOT_OPEN;
}
TLOG_INLINE int tlog_udp_send_slots(const struct tlog_slot *slots, uint32_t count)
{
    (void)slots, (void)count;
    return NET_NOT_OPEN;
}
TLOG_INLINE int tlog_udp_put_slots(const struct tlog_slot *slots, uint32_t count)
{
    (void)slots, (void)count;
    return NET_NOT_OPEN;
}
TLOG_INLINE int tlog_udp_flush(void)
{
    return NET_NOT_OPEN;
}
TLOG_INLINE struct tlog_udp_counts tlog_udp_counts(void)
{
    struct tlog_udp_counts none = {0, 0, 0, 0};
    return none;
}

#endif

TLOG_END_C

#endif
