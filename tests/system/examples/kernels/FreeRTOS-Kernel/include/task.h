/* task.h - the stand-in's tasks. */
#ifndef TASK_H
#define TASK_H

#include "version.h"

#define portMAX_DELAY     0xFFFFFFFFu
#define pdMS_TO_TICKS(ms) ((TickType_t)(ms))

BaseType_t xTaskCreate(void (*code)(void *), const char *name, uint32_t stack_words, void *argument,
                       UBaseType_t priority, TaskHandle_t *handle);
void vTaskStartScheduler(void);
void vTaskDelay(TickType_t ticks);

#endif
