/* os_time.h - how time goes by. */
#ifndef OS_TIME_H
#define OS_TIME_H

#include <stdint.h>

/* ns of a clock that is never set. */
uint64_t os_now_ns(void);

/* Wait for so long, or until a signal comes. */
void os_sleep_ms(uint32_t ms);

#endif
