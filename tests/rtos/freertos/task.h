/* task.h - what tlog_freertos.c calls of a kernel. */
#ifndef INC_TASK_H
#define INC_TASK_H

#include "FreeRTOS.h"

#define tskKERNEL_VERSION_MAJOR STAND_IN

typedef struct tskTaskControlBlock *TaskHandle_t;

TaskHandle_t xTaskGetCurrentTaskHandle(void);
UBaseType_t uxTaskGetTaskNumber(TaskHandle_t task);
TickType_t xTaskGetTickCount(void);

#endif
