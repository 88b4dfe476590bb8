/* FreeRTOSConfig.h - as an application's, for two cores. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#define configTICK_RATE_HZ      1000
#define configNUMBER_OF_CORES   2
#define configUSE_MUTEXES       1
#define configUSE_TICKLESS_IDLE 0

#ifndef __ASSEMBLER__
#include "tlog_freertos.h"
#endif

#endif
