/* SPDX-License-Identifier: MIT */
/* port_v6m.c - the word that replaces the exclusive monitor, which ARMv6-M does not have: see port_v6m.h. */
#include "src/tlog_speed.h"
#include "tlog.h"

#ifdef TLOG_PORT_V6M_H

uint32_t tlog_port_watch;

#endif
