/* SPDX-License-Identifier: MIT */
/* tlog_func.c - logs when functions are entered and left, in firmware compiled with -finstrument-functions.
 *
 * With that option the compiler calls these two functions at the beginning and at the end of every function. The
 * functions that they call must not be instrumented, nor the code that runs before .data and .bss are in place:
 *     -finstrument-functions -finstrument-functions-exclude-file-list=target/,port/,linker/,board.h
 * or compile target/, port/ and the startup code without the option. Functions in tlog's headers are never
 * instrumented. Each event takes one slot, of class CONTROL. Callable from: any context. */
#include "tlog_speed.h"
#include "tlog.h"

/* Also defined with TLOG_ENABLE = 0, because the compiler calls them then, too. */
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
