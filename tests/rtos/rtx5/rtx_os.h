/* rtx_os.h - the types of the stand-in for RTX5: of the kernel's, the members that tlog_rtx5.c reads. */
#ifndef RTX_OS_H
#define RTX_OS_H

#include <stddef.h>
#include <stdint.h>

typedef void *osThreadId_t, *osTimerId_t, *osEventFlagsId_t, *osMutexId_t, *osSemaphoreId_t, *osMemoryPoolId_t,
    *osMessageQueueId_t;
typedef void (*osTimerFunc_t)(void *argument);
typedef enum { osPriorityIdle = 1, osPriorityLow = 8, osPriorityNormal = 24, osPriorityHigh = 40 } osPriority_t;

enum { osErrorParameter = -4, osErrorNoMemory = -5, osErrorISR = -6, osMutexPrioInherit = 2 };
enum { osRtxThreadReady = 1, osRtxThreadRunning = 2, osRtxThreadBlocked = 3, osRtxThreadTerminated = 4 };
enum { osRtxErrorStackOverflow = 1, osRtxErrorISRQueueOverflow = 2 };

typedef struct osRtxThread_s {
    uint8_t state;
    const char *name;
    int8_t priority, priority_base;
    uint32_t thread_addr;
} osRtxThread_t;

typedef struct {
    uint8_t attr;
    osRtxThread_t *owner_thread;
} osRtxMutex_t;

typedef struct {
    uint16_t tokens, max_tokens;
} osRtxSemaphore_t;

typedef struct {
    uint32_t event_flags;
} osRtxEventFlags_t;

typedef struct {
    uint32_t max_blocks, used_blocks;
} osRtxMpInfo_t;

typedef struct {
    osRtxMpInfo_t mp_info;
} osRtxMemoryPool_t;

typedef struct {
    osRtxMpInfo_t mp_info;
    uint32_t msg_count;
} osRtxMessageQueue_t;

typedef struct {
    struct {
        uint32_t tick;
    } kernel;
    struct {
        struct {
            osRtxThread_t *curr, *next;
        } run;
        struct {
            osRtxThread_t *thread_list; /* only the tour of the idle thread keeps it */
        } ready;
    } thread;
    struct {
        void *stack, *mp_data, *mq_data, *common;
    } mem;
} osRtxInfo_t;

typedef struct {
    uint32_t tick_freq;
} osRtxConfig_t;

extern osRtxInfo_t osRtxInfo;
extern const osRtxConfig_t osRtxConfig;
void osRtxIdleThread(void *argument);

#endif
