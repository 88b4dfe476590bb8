/* port_v6m.c - the word that takes the place of the monitor that ARMv6-M lacks. */
#include "tlog.h"

#ifdef TLOG_PORT_V6M_H

uint32_t tlog_port_watch;

#endif
