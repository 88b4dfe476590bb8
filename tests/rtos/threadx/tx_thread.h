/* tx_thread.h - what the stand-in's scheduler shows. */
#ifndef TX_THREAD_H
#define TX_THREAD_H

extern TX_THREAD *_tx_thread_current_ptr, *_tx_thread_execute_ptr;
extern volatile UINT _tx_thread_preempt_disable;
extern volatile ULONG _tx_thread_system_state;
extern ULONG _tx_thread_priority_maps[TX_MAX_PRIORITIES / 32u]; /* only the tour of the idle kernel keeps them */

static inline ULONG tx_thread_state_here(void)
{
    ULONG ipsr;
    __asm volatile("mrs %0, ipsr" : "=r"(ipsr));
    return _tx_thread_system_state | ipsr;
}
#define TX_THREAD_GET_SYSTEM_STATE() tx_thread_state_here()

#endif
