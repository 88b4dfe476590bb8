/* FreeRTOS.h - the types of the stand-in, and the hooks that are empty where nobody defines them. */
#ifndef INC_FREERTOS_H
#define INC_FREERTOS_H

#include "FreeRTOSConfig.h"

#include <stddef.h>
#include <stdint.h>

#ifndef configIDLE_TASK_NAME
#define configIDLE_TASK_NAME "IDLE"
#endif

typedef unsigned long UBaseType_t;
typedef long BaseType_t;
typedef uint32_t TickType_t;

#define pdPASS                   1
#define pdTRUE                   1
#define pdFALSE                  0
#define taskDISABLE_INTERRUPTS() __asm volatile("cpsid i" ::: "memory")

/* What the kernel tells of the layouts of queue.c's and stream_buffer.c's control blocks. */
typedef struct {
    void *pvDummy1[3];
    union {
        void *pvDummy2;
    } u;
    UBaseType_t uxDummy4[3];
    UBaseType_t uxDummy8;
    uint8_t ucDummy9;
} StaticQueue_t;

typedef struct {
    size_t uxDummy1[4];
    void *pvDummy2[3];
    uint8_t ucDummy3;
} StaticStreamBuffer_t;

size_t xPortGetFreeHeapSize(void);

#define taskENTER_CRITICAL() __asm volatile("cpsid i" ::: "memory")
#define taskEXIT_CRITICAL()  __asm volatile("cpsie i" ::: "memory")

/* The lists of ready tasks. */
typedef struct {
    UBaseType_t uxNumberOfItems;
} List_t;
typedef struct {
    const List_t *pxContainer;
} ListItem_t;
#define listCURRENT_LIST_LENGTH(list)       ((list)->uxNumberOfItems)
#define listIS_CONTAINED_WITHIN(list, item) ((item)->pxContainer == (list))

/* Since V10.0. */
#if !defined(STAND_IN) || STAND_IN >= 10
#define configPRE_SUPPRESS_TICKS_AND_SLEEP_PROCESSING(ticks)
#endif

#ifndef traceTASK_SWITCHED_OUT
#define traceTASK_SWITCHED_OUT()
#endif
#ifndef traceQUEUE_SET_SEND
#define traceQUEUE_SET_SEND traceQUEUE_SEND
#endif
#define traceSTARTING_SCHEDULER(handles)
#define tracePOST_MOVED_TASK_TO_READY_STATE(task)
#define traceMOVED_TASK_TO_DELAYED_LIST()
#define traceCREATE_MUTEX(queue)
#define traceTAKE_MUTEX_RECURSIVE_FAILED(mutex)

#endif
