/* SPDX-License-Identifier: MIT */
/* out_udp.h - the UDP sender of the S.Ha.R.K. New Tracer: records in datagrams, for `tlog-decode 'udp:*:20000'`.
 *
 * A datagram is a header of 24 bytes and up to 60 records, all little-endian:
 *
 *   0    "TRACER-V1.0" and a NUL        12   number of the datagram, from 1 on
 *   16   records in the datagram        20   its length in bytes, header included
 *   24   records of 16 bytes: tlog's slots without the lap tag (bits 9..8 of the head), the mirror bit (bit 31 of word
 *        1), and the context
 *
 * As in the original, empty slots are left out, a pause follows every datagram, and the numbers of datagrams go on from
 * one chunk to the next. The original sends a datagram of 0 bytes when nothing is left at the end of a chunk; here none
 * is sent.
 *
 * With TLOG_ENABLE = 0 nothing is sent, the network is not brought up, and all calls return NET_NOT_OPEN.
 * Source: S.Ha.R.K. New Tracer, FTrace_udp.c. */
#ifndef TLOG_OUT_UDP_H
#define TLOG_OUT_UDP_H

#include "net.h"
#include "tlog.h"

TLOG_BEGIN_CALLS

/* ---- options, on the command line or in TLOG_CONFIG ------------------------------------------------------------- */

/* UDP port of both ends. Range: 1..65535. Default: 20000. */
#ifndef TLOG_UDP_PORT
#define TLOG_UDP_PORT 20000
#endif

/* Pause after each datagram, in milliseconds; the call waits actively. Range: 0 and more. Default: 5. */
#ifndef TLOG_UDP_PAUSE_MS
#define TLOG_UDP_PAUSE_MS 5
#endif

/* Mask of the network that both ends may be in, and gateway out of it. NULL: there is none, and the target itself is
 * asked for its Ethernet address. Default: a network of 24 bits without gateway. */
#ifndef TLOG_UDP_MASK
#define TLOG_UDP_MASK "255.255.255.0"
#endif
#ifndef TLOG_UDP_GATEWAY
#define TLOG_UDP_GATEWAY ((const char *)0)
#endif

/* Own Ethernet address, six bytes. Default: all 0: it is made of the IP address (net_udp.h). */
#ifndef TLOG_UDP_MAC
#define TLOG_UDP_MAC 0, 0, 0, 0, 0, 0
#endif

/* The Ethernet controller: -DTLOG_UDP_DEVICE=name, a struct net_device (net.h) that TLOG_CONFIG or the board's header
 * declares. Default: net_lan9118, at the address that net_lan9118.h tells. */

/* ---- calls ------------------------------------------------------------------------------------------------------ */

/* What has been sent since the start of the program. */
struct tlog_udp_counts {
    uint32_t packets; /* number of the last datagram that was made */
    uint32_t failed;  /* datagrams that could not be sent; the receiver reports them as missing */
    uint32_t records; /* records in the datagrams that were sent */
    uint32_t foreign; /* traceevent slots, which were left out because S.Ha.R.K. does not know them */
};

/* Bring up the network (net_udp_open()). local_ip is the own address, target_ip the receiver's, such as "192.168.1.10".
 * Returns 0 or a negative enum net_error; after an error it may be called again. Datagram numbers go on from where they
 * were. Callable from: thread. */
TLOG_CALL int tlog_udp_open(const char *local_ip, const char *target_ip) TLOG_WHEN_OFF(return NET_NOT_OPEN);

/* Send count slots of a chunk: tlog_chunk_behind() in tlog.h gives chunks, tlog_chunk_slots() their slots. No writer
 * may be filling the chunk meanwhile. The last datagram goes out even if it is not full. Returns 0, or the first enum
 * net_error; after an error the other slots are not sent. Callable from: thread. */
TLOG_CALL int tlog_udp_send_slots(const struct tlog_slot *slots, uint32_t count) TLOG_WHEN_OFF(return NET_NOT_OPEN);

/* The same in steps, for a chunk that is not in one piece: any number of parts, then the flush, which sends the
 * datagram that is not full. Callable from: thread. */
TLOG_CALL int tlog_udp_put_slots(const struct tlog_slot *slots, uint32_t count) TLOG_WHEN_OFF(return NET_NOT_OPEN);
TLOG_CALL int tlog_udp_flush(void) TLOG_WHEN_OFF(return NET_NOT_OPEN);

/* The counts so far. Callable from: thread. */
TLOG_CALL struct tlog_udp_counts tlog_udp_counts(void)
    TLOG_WHEN_OFF(const struct tlog_udp_counts none = {0, 0, 0, 0}; return none);

TLOG_END_CALLS

#endif
