/* FreeRTOSConfig.h - as an application's, for the stand-in. Its last lines are all that a user writes. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#define configTICK_RATE_HZ      1000
#define configUSE_MUTEXES       1
#define configUSE_TICKLESS_IDLE 1
#ifdef IDLE_HOOK
#define configUSE_IDLE_HOOK 1
#else
#define configUSE_IDLE_HOOK 0
#endif

/* With V11, the name of the idle task is cut off. */
#if defined(STAND_IN) && STAND_IN == 11
#define configMAX_TASK_NAME_LEN 8
#define configIDLE_TASK_NAME    "IDLEtask"
#else
#define configMAX_TASK_NAME_LEN 16
#endif

#ifndef __ASSEMBLER__
#include "tlog_freertos.h"
#endif

#endif
