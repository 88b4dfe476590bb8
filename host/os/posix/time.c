/* time.c - see os_time.h. */
#include "os/posix/features.h"

#include "os/os_time.h"

#include <time.h>

uint64_t os_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void os_sleep_ms(uint32_t ms)
{
    struct timespec time = {(time_t)(ms / 1000u), (long)(ms % 1000u) * 1000000};
    nanosleep(&time, NULL);
}
