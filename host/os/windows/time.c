/* time.c - see os_time.h. */
#include "os/windows/back.h"

#include "os/os_time.h"

#define NS_A_SECOND UINT64_C(1000000000)

uint64_t os_now_ns(void)
{
    LARGE_INTEGER now, frequency;
    uint64_t seconds, rest;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&now);
    seconds = (uint64_t)(now.QuadPart / frequency.QuadPart);
    rest = (uint64_t)(now.QuadPart % frequency.QuadPart);
    return seconds * NS_A_SECOND + rest * NS_A_SECOND / (uint64_t)frequency.QuadPart;
}

void os_sleep_ms(uint32_t ms)
{
    Sleep(ms);
}
