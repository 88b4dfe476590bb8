/* SPDX-License-Identifier: MIT */
/* net.h - what the UDP sender needs of an Ethernet controller, and the errors of everything in port/net_*.
 *
 * All functions of a device poll. They wait only for a bounded time. Callable from: thread; no call of net_*.h may be
 * made while another one is at work. */
#ifndef TLOG_NET_H
#define TLOG_NET_H

#include "src/tlog_cxx.h"

#include <stdint.h>

TLOG_BEGIN_C

/* Errors; net_error_text() describes them. */
enum net_error {
    NET_OK = 0,
    NET_NO_DEVICE = -1,   /* no such Ethernet controller at its address */
    NET_STUCK = -2,       /* the controller does not finish a command */
    NET_NO_LINK = -3,     /* no cable, or the other end is off */
    NET_BAD_ADDRESS = -4, /* not a.b.c.d, or not the address of one host */
    NET_NO_ANSWER = -5,   /* no answer to ARP from the target, or from the gateway to it */
    NET_NOT_OPEN = -6,    /* not opened, or opening failed */
    NET_TOO_LONG = -7,    /* more than a frame holds */
    NET_NOT_SENT = -8,    /* the controller reports that the frame did not go out */
};

/* An Ethernet controller: its driver defines one. Frames are passed without their CRC, and belong to the caller. */
struct net_device {
    /* Reset the controller, set its address, enable sending and receiving. Returns 0 or an error. */
    int (*open)(const uint8_t mac[6]);
    /* Whether the link is up. Returns 1: up, 0: down, or an error. */
    int (*link)(void);
    /* Send one frame of length bytes. Whole words are read: the up to three bytes ahead of it and behind it must be
     * readable memory. Returns 0 or an error. */
    int (*send)(const void *frame, uint32_t length);
    /* Take the next frame that was received, cut to room bytes. Returns its length; 0: none, or a damaged one; or an
     * error. */
    int (*receive)(void *frame, uint32_t room);
};

/* One line of text that describes an error, without a full stop. It is constant. Callable from: any context. */
const char *net_error_text(int error);

TLOG_END_C

#endif
