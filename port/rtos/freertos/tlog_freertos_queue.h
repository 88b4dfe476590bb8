/* SPDX-License-Identifier: MIT */
/* tlog_freertos_queue.h - the hooks of a message or token that is sent or received, which are the most frequent ones of
 * queues. tlog_freertos.h includes this. */
#ifndef TLOG_FREERTOS_QUEUE_H
#define TLOG_FREERTOS_QUEUE_H

#ifndef TLOG_FREERTOS_H
#error "tlog: include tlog_freertos.h"
#endif

/* What uxQueueNumber, which the kernel leaves to tracers, is XORed with a queue's kind, if each send and receive
 * changes its count by 1, and the count always fits in a record: so of semaphores. The hooks of others, and of a
 * semaphore that the application gives a number of its own, look at all that the queue has. */
#define TLOG_FREERTOS_PLAIN 0x6C006C00u

/* A message or token is about to be sent or received. number and count: uxQueueNumber and uxMessagesWaiting. */
TLOG_ALWAYS_INLINE void tlog_freertos_move(uint32_t operation, const void *queue, uint32_t number, uint32_t count)
{
    const uint32_t kind = number ^ TLOG_FREERTOS_PLAIN;
    if (__builtin_expect(kind < 1u << TLOG_RTOS_COUNT_SHIFT, 1))
        tlog_record(operation << 4 | TLOG_RTOS_FAMILY,
                    TLOG_RTOS_REASON(operation == TLOG_RTOS_send ? count + 1u : count - 1u, kind),
                    (uint32_t)(uintptr_t)queue);
    else
        tlog_freertos_queue(operation, queue);
}

/* These hooks are the most frequent ones: inline where code is compiled for speed. */
void tlog_freertos_send(const void *queue);
void tlog_freertos_receive(const void *queue);
#if TLOG_BY_CALL
#define TLOG_FREERTOS_MOVES(call, queue) call(queue)
#else
#define TLOG_FREERTOS_MOVES(call, queue) call##_inline((queue), (queue)->uxQueueNumber, (queue)->uxMessagesWaiting)
#define tlog_freertos_send_inline(queue, number, count)                                                                \
    tlog_freertos_move(TLOG_RTOS_send, (queue), (uint32_t)(number), (uint32_t)(count))
#define tlog_freertos_receive_inline(queue, number, count)                                                             \
    tlog_freertos_move(TLOG_RTOS_receive, (queue), (uint32_t)(number), (uint32_t)(count))
#endif

#endif
