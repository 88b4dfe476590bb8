/* SPDX-License-Identifier: MIT */
/* tx_user.h - as any; tlog's is the last line. The kernel's assembler files read it, too. */
#ifndef TX_USER_H
#define TX_USER_H

#define TX_TIMER_TICKS_PER_SECOND 1000

#include "tlog_threadx.h"

#endif
