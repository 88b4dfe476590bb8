/* signal.c - what ends the program: see os_signal.h. Windows calls a handler in a thread of its own for Ctrl-C,
 * Ctrl-Break, and when the window is closed or the user leaves; and another one for faults.
 *
 * To hold signals is to have the lock that the handler waits for. Once it has it, it keeps it, so that the other
 * threads change nothing any more that it has removed.
 */
#include "os/windows/back.h"

#include "os/os_signal.h"

static CRITICAL_SECTION held;
static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
static void (*before_ending)(void);

static BOOL CALLBACK make_lock(INIT_ONCE *which, void *argument, void **context)
{
    (void)which, (void)argument, (void)context;
    InitializeCriticalSection(&held);
    return TRUE;
}

void os_signals_hold(void)
{
    InitOnceExecuteOnce(&once, make_lock, NULL, NULL);
    EnterCriticalSection(&held);
}

void os_signals_release(void)
{
    LeaveCriticalSection(&held);
}

static volatile LONG interrupts; /* that are waited for: 1, and 2 when one has come */
static unsigned open_pairs;      /* of os_interrupt_begin() */

/* The handler that Windows calls then ends the program. */
static BOOL WINAPI end(DWORD event)
{
    if (event == CTRL_C_EVENT && InterlockedCompareExchange(&interrupts, 2, 1) == 1)
        return TRUE;
    os_signals_hold();
    if (before_ending != NULL)
        before_ending();
    console_end();
    return FALSE;
}

static LONG WINAPI end_by_fault(EXCEPTION_POINTERS *fault)
{
    (void)fault;
    end(CTRL_CLOSE_EVENT);
    return EXCEPTION_CONTINUE_SEARCH;
}

/* Have the handlers called, once. */
static void catch_all(void)
{
    static bool are_caught;
    if (!are_caught) {
        SetConsoleCtrlHandler(end, TRUE);
        SetUnhandledExceptionFilter(end_by_fault);
    }
    are_caught = true;
}

void os_catch_ending(void (*at_end)(void))
{
    before_ending = at_end;
    catch_all();
}

void os_interrupt_begin(bool all)
{
    (void)all; /* Windows has no other that asks */
    if (open_pairs++ > 0)
        return;
    InterlockedExchange(&interrupts, 1);
    catch_all();
}

void os_interrupt_end(void)
{
    if (--open_pairs == 0)
        InterlockedCompareExchange(&interrupts, 0, 1);
}

bool os_interrupted(void)
{
    return interrupts == 2;
}
