/* SPDX-License-Identifier: MIT */
/* net_lan9118.h - the LAN9118 family of Ethernet controllers (also LAN9220), polled, with a 32-bit bus. */
#ifndef TLOG_NET_LAN9118_H
#define TLOG_NET_LAN9118_H

#include "net.h"

TLOG_BEGIN_C

/* Address of the controller. Default: that of the Arm MPS2 boards. */
#ifndef NET_LAN9118_BASE
#define NET_LAN9118_BASE 0x40200000u
#endif

/* The device, for struct net_udp_config and TLOG_UDP_DEVICE. */
extern const struct net_device net_lan9118;

TLOG_END_C

#endif
