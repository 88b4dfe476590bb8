/* tlog_func.c - functions entered and left, for firmware compiled with -finstrument-functions.
 *
 * The compiler calls these two at the beginning and the end of every function. What they call must not be instrumented
 * itself, nor what runs before .data and .bss are in place:
 *     -finstrument-functions -finstrument-functions-exclude-file-list=target/,port/,linker/,board.h
 * or compile target/, port/ and the startup code without it. What stands in tlog's headers is not
 * instrumented. Each event is one slot of class CONTROL. Any context. */
#include "tlog.h"

/* Without logging the compiler still calls them. */
#if !TLOG_ENABLE || TLOG_TRACEEVENTS

void __cyg_profile_func_enter(void *function, void *site) __attribute__((no_instrument_function));
void __cyg_profile_func_exit(void *function, void *site) __attribute__((no_instrument_function));

void __cyg_profile_func_enter(void *function, void *site)
{
    tlog_event(TLOG_CLASS_CONTROL, TLOG_CONTROL_FUNC_ENTER, (uint32_t)(uintptr_t)function, (uint32_t)(uintptr_t)site);
}

void __cyg_profile_func_exit(void *function, void *site)
{
    tlog_event(TLOG_CLASS_CONTROL, TLOG_CONTROL_FUNC_EXIT, (uint32_t)(uintptr_t)function, (uint32_t)(uintptr_t)site);
}

#endif
