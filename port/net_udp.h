/* SPDX-License-Identifier: MIT */
/* net_udp.h - Ethernet, ARP, IPv4 and UDP, as far as sending datagrams to one host needs them.
 *
 * Static addresses, no fragments, one frame buffer. Time comes from the clock of the trace.
 *
 * Use: net_udp_open(); then, for each datagram, write at most NET_PAYLOAD_MAX bytes at net_udp_payload() and call
 * net_udp_send(). Functions that return an int return 0 (NET_OK) or a negative enum net_error. */
#ifndef TLOG_NET_UDP_H
#define TLOG_NET_UDP_H

#include "net.h"

#include <stdbool.h>

TLOG_BEGIN_C

/* ---- options, on the command line ----------------------------------------------------------------------------------
 *
 * NET_CLOCK_HZ, ticks per second of the clock, for waiting. Range: 1000 and more. Default: TLOG_CLOCK_RATE. */

/* The longest payload, in bytes; it determines the size of the frame buffer. Range: 18..1472. Default: 984. */
#ifndef NET_PAYLOAD_MAX
#define NET_PAYLOAD_MAX 984
#endif

/* How long the link may take to come up, in milliseconds: negotiation takes 2 to 3 s. Default: 5000. */
#ifndef NET_LINK_MS
#define NET_LINK_MS 5000
#endif

/* How many ARP requests are sent before giving up, and the milliseconds to wait for the answer to each. Default: 5,
 * 500. */
#ifndef NET_ARP_TRIES
#define NET_ARP_TRIES 5
#endif
#ifndef NET_ARP_MS
#define NET_ARP_MS 500
#endif

/* ---- calls ------------------------------------------------------------------------------------------------------ */

/* Both ends. Addresses are texts such as "192.168.1.10". If the target is inside the network that mask tells, or mask
 * or gateway is NULL, it is asked (by ARP) for its own Ethernet address. Otherwise the gateway is asked for its own,
 * and forwards the datagrams. */
struct net_udp_config {
    const struct net_device *device;
    const char *local;   /* own address */
    const char *target;  /* address of the receiver */
    const char *mask;    /* of the own network, or NULL */
    const char *gateway; /* out of that network, or NULL */
    uint16_t port;       /* UDP port of both ends */
    uint8_t mac[6];      /* own Ethernet address; all 0: 02-00 and the IP address */
};

/* Bring the device up, wait for the link, and find the Ethernet address of the target or of the gateway. Takes from 0
 * to NET_LINK_MS + NET_ARP_TRIES * NET_ARP_MS milliseconds. It reads the config during the call only; the device must
 * stay. Callable from: thread. */
int net_udp_open(const struct net_udp_config *config);

/* The memory of the next payload: NET_PAYLOAD_MAX bytes, aligned to 4. It belongs to tlog; net_udp_send() leaves the
 * bytes that it sends unchanged. Callable from: thread. */
void *net_udp_payload(void);

/* Send the first length bytes of the payload as one datagram. Returns NET_NOT_OPEN, NET_TOO_LONG for more than
 * NET_PAYLOAD_MAX bytes, or what the device returns. A datagram that is lost on its way is not noticed.
 * Callable from: thread. */
int net_udp_send(uint32_t length);

/* Read a text "a.b.c.d" into *address, as a << 24 | b << 16 | c << 8 | d. Returns 0 or NET_BAD_ADDRESS. Callable from:
 * any context. */
int net_parse_address(const char *text, uint32_t *address);

/* Wait actively for that many milliseconds; if the clock stands still, for a bounded time. Callable from: thread. */
void net_wait(uint32_t ms);

TLOG_END_C

#endif
