/* signal.c - where there are no signals: see os_signal.h. */
#include "os/os_signal.h"

void os_catch_ending(void (*at_end)(void))
{
    (void)at_end;
}

void os_signals_hold(void)
{
}

void os_signals_release(void)
{
}

void os_interrupt_begin(bool all)
{
    (void)all;
}

void os_interrupt_end(void)
{
}

bool os_interrupted(void)
{
    return false;
}
