/* tx_api.h - the stand-in's threads and queues. */
#ifndef STAND_IN_TX_API_H
#define STAND_IN_TX_API_H

#include "tx_types.h"

#define TX_2_ULONG       2u
#define TX_AUTO_START    1u
#define TX_NO_TIME_SLICE 0u
#define TX_WAIT_FOREVER  0xFFFFFFFFu

void tx_kernel_enter(void);
void tx_application_define(VOID *first_unused);
UINT tx_thread_create(TX_THREAD *thread, CHAR *name, VOID (*entry)(ULONG), ULONG input, VOID *stack, ULONG bytes,
                      UINT priority, UINT threshold, ULONG time_slice, UINT auto_start);
UINT tx_thread_sleep(ULONG ticks);
UINT tx_queue_create(TX_QUEUE *queue, CHAR *name, UINT message_words, VOID *storage, ULONG bytes);
UINT tx_queue_send(TX_QUEUE *queue, VOID *message, ULONG wait);
UINT tx_queue_receive(TX_QUEUE *queue, VOID *message, ULONG wait);

#endif
