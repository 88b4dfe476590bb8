/* SPDX-License-Identifier: MIT */
/* FreeRTOSConfig.h - as any; tlog's are the last lines. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#define configCPU_CLOCK_HZ                   25000000
#define configTICK_RATE_HZ                   1000
#define configTICK_TYPE_WIDTH_IN_BITS        TICK_TYPE_WIDTH_32_BITS
#define configUSE_PREEMPTION                 1
#define configUSE_IDLE_HOOK                  0
#define configUSE_TICK_HOOK                  0
#define configMAX_PRIORITIES                 5
#define configMINIMAL_STACK_SIZE             192
#define configTOTAL_HEAP_SIZE                16384
#define configMAX_TASK_NAME_LEN              16
#define configUSE_MUTEXES                    1
#define configQUEUE_REGISTRY_SIZE            8
#define configMAX_SYSCALL_INTERRUPT_PRIORITY 0x40
#define configKERNEL_INTERRUPT_PRIORITY      0xFF
#define configCHECK_HANDLER_INSTALLATION     0
#define INCLUDE_vTaskDelay                   1

#define vPortSVCHandler     SVC_Handler
#define xPortPendSVHandler  PendSV_Handler
#define xPortSysTickHandler SysTick_Handler

#ifndef __ASSEMBLER__
#include "tlog_freertos.h"
#endif

#endif
