/* tx_user.h - as an application's, for the stand-in. Its last line is all that a user writes. */
#ifndef TX_USER_H
#define TX_USER_H

#define TX_TIMER_TICKS_PER_SECOND 1000

#include "tlog_threadx.h"

#endif
