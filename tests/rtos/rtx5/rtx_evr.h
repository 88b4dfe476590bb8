/* rtx_evr.h - RTX5's hooks as tlog_rtx5.c defines them, with the kernel's types of arguments. */
#ifndef RTX_EVR_H
#define RTX_EVR_H

#include "rtx_os.h"

/* Hooks of an object alone; with a number; with a name. */
#define RTX_ID(type, name)     void EvrRtx##name(type id);
#define RTX_NUMBER(type, name) void EvrRtx##name(type id, uint32_t number);
#define RTX_STATUS(type, name) void EvrRtx##name(type id, int32_t status);
#define RTX_NAME(type, name)   void EvrRtx##name(type id, const char *called);

void EvrRtxThreadCreated(osThreadId_t thread_id, uint32_t thread_addr, const char *name);
void EvrRtxThreadPriorityUpdated(osThreadId_t thread_id, osPriority_t priority);
RTX_ID(osThreadId_t, ThreadDestroyed)
RTX_ID(osThreadId_t, ThreadSwitched)
RTX_ID(osThreadId_t, ThreadSuspended)
RTX_ID(osThreadId_t, ThreadResumed)
RTX_ID(osThreadId_t, ThreadJoinPending)
RTX_ID(osThreadId_t, ThreadJoined)
RTX_NUMBER(osThreadId_t, ThreadUnblocked)
RTX_NUMBER(osThreadId_t, ThreadBlocked)
RTX_STATUS(osThreadId_t, ThreadError)

RTX_NUMBER(osThreadId_t, ThreadFlagsSetDone)
RTX_ID(osThreadId_t, ThreadFlagsWaitTimeout)
void EvrRtxThreadFlagsWaitPending(uint32_t flags, uint32_t options, uint32_t timeout);
void EvrRtxThreadFlagsWaitCompleted(uint32_t flags, uint32_t options, uint32_t thread_flags, osThreadId_t thread_id);
void EvrRtxThreadFlagsWaitNotCompleted(uint32_t flags, uint32_t options);

RTX_NAME(osEventFlagsId_t, EventFlagsCreated)
RTX_ID(osEventFlagsId_t, EventFlagsDestroyed)
RTX_ID(osEventFlagsId_t, EventFlagsWaitTimeout)
RTX_NUMBER(osEventFlagsId_t, EventFlagsSetDone)
RTX_NUMBER(osEventFlagsId_t, EventFlagsClearDone)
RTX_STATUS(osEventFlagsId_t, EventFlagsError)
void EvrRtxEventFlagsWaitPending(osEventFlagsId_t ef_id, uint32_t flags, uint32_t options, uint32_t timeout);
void EvrRtxEventFlagsWaitCompleted(osEventFlagsId_t ef_id, uint32_t flags, uint32_t options, uint32_t event_flags);
void EvrRtxEventFlagsWaitNotCompleted(osEventFlagsId_t ef_id, uint32_t flags, uint32_t options);

RTX_NAME(osMutexId_t, MutexCreated)
RTX_ID(osMutexId_t, MutexDestroyed)
RTX_ID(osMutexId_t, MutexAcquireTimeout)
RTX_ID(osMutexId_t, MutexNotAcquired)
RTX_NUMBER(osMutexId_t, MutexAcquirePending)
RTX_NUMBER(osMutexId_t, MutexAcquired)
RTX_NUMBER(osMutexId_t, MutexReleased)
RTX_STATUS(osMutexId_t, MutexError)

RTX_NAME(osSemaphoreId_t, SemaphoreCreated)
RTX_ID(osSemaphoreId_t, SemaphoreDestroyed)
RTX_ID(osSemaphoreId_t, SemaphoreAcquireTimeout)
RTX_ID(osSemaphoreId_t, SemaphoreNotAcquired)
RTX_NUMBER(osSemaphoreId_t, SemaphoreAcquirePending)
RTX_NUMBER(osSemaphoreId_t, SemaphoreAcquired)
RTX_NUMBER(osSemaphoreId_t, SemaphoreReleased)
RTX_STATUS(osSemaphoreId_t, SemaphoreError)

RTX_NAME(osMessageQueueId_t, MessageQueueCreated)
RTX_ID(osMessageQueueId_t, MessageQueueDestroyed)
RTX_ID(osMessageQueueId_t, MessageQueueResetDone)
RTX_ID(osMessageQueueId_t, MessageQueueGetTimeout)
RTX_ID(osMessageQueueId_t, MessageQueuePutTimeout)
RTX_STATUS(osMessageQueueId_t, MessageQueueError)
void EvrRtxMessageQueueGetPending(osMessageQueueId_t mq_id, void *msg_ptr, uint32_t timeout);
void EvrRtxMessageQueuePutPending(osMessageQueueId_t mq_id, const void *msg_ptr, uint32_t timeout);
void EvrRtxMessageQueueInserted(osMessageQueueId_t mq_id, const void *msg_ptr);
void EvrRtxMessageQueueNotInserted(osMessageQueueId_t mq_id, const void *msg_ptr);
void EvrRtxMessageQueueRetrieved(osMessageQueueId_t mq_id, void *msg_ptr);
void EvrRtxMessageQueueNotRetrieved(osMessageQueueId_t mq_id, void *msg_ptr);

RTX_NAME(osMemoryPoolId_t, MemoryPoolCreated)
RTX_ID(osMemoryPoolId_t, MemoryPoolDestroyed)
RTX_ID(osMemoryPoolId_t, MemoryPoolAllocTimeout)
RTX_ID(osMemoryPoolId_t, MemoryPoolAllocFailed)
RTX_NUMBER(osMemoryPoolId_t, MemoryPoolAllocPending)
RTX_STATUS(osMemoryPoolId_t, MemoryPoolError)
void EvrRtxMemoryPoolAllocated(osMemoryPoolId_t mp_id, void *block);
void EvrRtxMemoryPoolDeallocated(osMemoryPoolId_t mp_id, void *block);
void EvrRtxMemoryPoolFreeFailed(osMemoryPoolId_t mp_id, void *block);

RTX_NAME(osTimerId_t, TimerCreated)
RTX_ID(osTimerId_t, TimerDestroyed)
RTX_ID(osTimerId_t, TimerStarted)
RTX_ID(osTimerId_t, TimerStopped)
RTX_STATUS(osTimerId_t, TimerError)
void EvrRtxTimerCallback(osTimerFunc_t func, void *argument);

void EvrRtxMemoryAlloc(void *mem, uint32_t size, uint32_t type, void *block);
void EvrRtxMemoryFree(void *mem, void *block, uint32_t result);
void EvrRtxKernelInitialized(void);
void EvrRtxKernelSuspended(uint32_t sleep_ticks);
void EvrRtxKernelResume(uint32_t sleep_ticks);
void EvrRtxKernelResumed(void);
void EvrRtxKernelErrorNotify(uint32_t code, void *object_id);

#endif
