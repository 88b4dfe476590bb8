/* net.h - what the UDP sender needs of an Ethernet device, and the errors of everything in port/net_*.
 *
 * All calls poll, wait only for a bounded time, and are for threads: none of them may be interrupted by another one. */
#ifndef NET_H
#define NET_H

#include "tlog_cxx.h"

#include <stdint.h>

TLOG_BEGIN_C

enum net_error {
    NET_OK = 0,
    NET_NO_DEVICE = -1,   /* nothing that looks like the Ethernet controller at its address */
    NET_STUCK = -2,       /* the controller does not finish what it was told to do */
    NET_NO_LINK = -3,     /* no cable, or the other end is off */
    NET_BAD_ADDRESS = -4, /* not a.b.c.d, or not the address of one host */
    NET_NO_ANSWER = -5,   /* nobody answers ARP for the target, or for the gateway to it */
    NET_NOT_OPEN = -6,    /* opening was not tried, or failed */
    NET_TOO_LONG = -7,    /* more than a frame holds */
    NET_NOT_SENT = -8,    /* the controller reports that the frame did not go out */
};

struct net_device {
    /* Reset the controller, give it its address, let it send and receive. 0 or an error. */
    int (*open)(const uint8_t mac[6]);
    /* 1 = up, 0 = down, or an error. */
    int (*link)(void);
    /* Send one frame without its CRC. The up to three bytes ahead of it, back to a multiple of 4, and those behind it
     * must be readable memory. 0 or an error. */
    int (*send)(const void *frame, uint32_t length);
    /* Take the next frame that came, cut to room bytes. Its length; 0 = none, or a damaged one. */
    int (*receive)(void *frame, uint32_t room);
};

/* One line of text for an error, without the full stop. Any context. */
const char *net_error_text(int error);

TLOG_END_C

#endif
