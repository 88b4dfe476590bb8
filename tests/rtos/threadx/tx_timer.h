/* tx_timer.h - the stand-in's ticks. */
#ifndef TX_TIMER_H
#define TX_TIMER_H

extern TX_THREAD _tx_timer_thread;
extern volatile ULONG _tx_timer_system_clock;

#endif
