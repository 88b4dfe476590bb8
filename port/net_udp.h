/* net_udp.h - Ethernet, ARP, IPv4 and UDP as far as sending datagrams to one host needs them.
 *
 * Static addresses, no fragments, one buffer. Time comes from the clock of the trace. Threads only. */
#ifndef NET_UDP_H
#define NET_UDP_H

#include "net.h"

#include <stdbool.h>

TLOG_BEGIN_C

/* Longest payload, bytes; sets the size of the one frame buffer. A frame holds 1472. */
#ifndef NET_PAYLOAD_MAX
#define NET_PAYLOAD_MAX 984
#endif

/* Ticks per second of the clock, for waiting: TLOG_CLOCK_HZ unless NET_CLOCK_HZ is given; 1000 at least. All NET_ options are
 * given on the command line. */

/* How long the link may take to come up: negotiation needs 2 to 3 s. */
#ifndef NET_LINK_MS
#define NET_LINK_MS 5000
#endif

/* ARP requests before giving up, and how long each one may take. */
#ifndef NET_ARP_TRIES
#define NET_ARP_TRIES 5
#endif
#ifndef NET_ARP_MS
#define NET_ARP_MS 500
#endif

struct net_udp_config {
    const struct net_device *device;
    const char *local;   /* own address, "192.168.1.10" */
    const char *target;  /* who gets the datagrams */
    const char *mask;    /* of the network both may be in, "255.255.255.0"; NULL: the target is always asked directly */
    const char *gateway; /* who takes what goes out of the network; NULL: the target is always asked directly */
    uint16_t port;       /* UDP port, of both ends */
    uint8_t mac[6];      /* own Ethernet address; all 0: 02-00 and the IP address */
};

/* Bring the device up, wait for the link, and find the Ethernet address of the target or of the gateway. 0 or an error.
 * Takes 0 to NET_LINK_MS + NET_ARP_TRIES * NET_ARP_MS milliseconds. */
int net_udp_open(const struct net_udp_config *config);

/* Where the next payload goes: NET_PAYLOAD_MAX bytes, 4-aligned. net_udp_send() changes none that it sends. */
void *net_udp_payload(void);

/* Send the first length bytes of the payload as one datagram. 0 or an error. */
int net_udp_send(uint32_t length);

/* Read "a.b.c.d" into the number a << 24 | b << 16 | c << 8 | d. 0, or NET_BAD_ADDRESS. */
int net_parse_address(const char *text, uint32_t *address);

/* Do nothing for so many milliseconds. */
void net_wait(uint32_t ms);

TLOG_END_C

#endif
