/* task.h - what tlog_freertos.c calls of a kernel. */
#ifndef INC_TASK_H
#define INC_TASK_H

#include "FreeRTOS.h"

#ifndef STAND_IN
#define STAND_IN 11
#endif
#ifndef STAND_IN_MINOR
#define STAND_IN_MINOR (STAND_IN == 10 ? 4 : 3)
#endif

/* V10.0.0 says that it is 9.0. */
#define tskKERNEL_VERSION_MAJOR (STAND_IN == 10 && STAND_IN_MINOR == 0 ? 9 : STAND_IN)
#define tskKERNEL_VERSION_MINOR STAND_IN_MINOR

typedef struct tskTaskControlBlock *TaskHandle_t;
#define tskIDLE_PRIORITY 0u

TaskHandle_t xTaskGetCurrentTaskHandle(void);
UBaseType_t uxTaskGetTaskNumber(TaskHandle_t task);
TickType_t xTaskGetTickCount(void);

#endif
