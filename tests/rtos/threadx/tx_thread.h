/* tx_thread.h - what the stand-in's scheduler shows. */
#ifndef TX_THREAD_H
#define TX_THREAD_H

extern TX_THREAD *_tx_thread_current_ptr, *_tx_thread_execute_ptr;
extern volatile UINT _tx_thread_preempt_disable;

#endif
