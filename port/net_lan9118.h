/* net_lan9118.h - the LAN9118 family of Ethernet controllers (also LAN9220), polled, 32-bit wide. */
#ifndef NET_LAN9118_H
#define NET_LAN9118_H

#include "net.h"

TLOG_BEGIN_C

/* Where the controller is; the default is that of the Arm MPS2 boards. */
#ifndef NET_LAN9118_BASE
#define NET_LAN9118_BASE 0x40200000u
#endif

extern const struct net_device net_lan9118;

TLOG_END_C

#endif
