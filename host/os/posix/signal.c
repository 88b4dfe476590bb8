/* signal.c - signals: see os_signal.h. */
#include "os/posix/features.h"

#include "os/os_signal.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

/* Those that a user or the system sends to end a program, and those of a fault in it. */
static const int ending_signals[] = {SIGHUP,  SIGINT, SIGQUIT, SIGTERM, SIGXCPU,
                                     SIGABRT, SIGBUS, SIGFPE,  SIGILL,  SIGSEGV};

#define ENDING_SIGNALS (sizeof ending_signals / sizeof ending_signals[0])
#define FIRST_FAULT    5u /* the signals from here on are those of faults */

static void (*before_ending)(void);

/* The signal handler. The signal then ends the program as if it had not been caught, so that the exit code tells which
 * signal it was. */
static void end(int number)
{
    before_ending();
    signal(number, SIG_DFL);
    raise(number);
}

/* Sanitizers catch faults themselves. */
void os_catch_ending(void (*at_end)(void))
{
    struct sigaction action, old;
    before_ending = at_end;
    memset(&action, 0, sizeof action);
    action.sa_handler = end;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < ENDING_SIGNALS; i++) {
        if (sigaction(ending_signals[i], NULL, &old) == 0 && (old.sa_handler == SIG_DFL || old.sa_handler == end))
            sigaction(ending_signals[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file that may not grow */
}

static sigset_t before; /* what was held before the outermost os_signals_hold() */
static unsigned pairs;  /* that are open */

void os_signals_hold(void)
{
    sigset_t set;
    if (pairs++ > 0)
        return;
    sigemptyset(&set);
    for (size_t i = 0; i < FIRST_FAULT; i++)
        sigaddset(&set, ending_signals[i]);
    sigprocmask(SIG_BLOCK, &set, &before);
}

void os_signals_release(void)
{
    if (--pairs == 0)
        sigprocmask(SIG_SETMASK, &before, NULL);
}

static volatile sig_atomic_t interrupted;
static const int asking_signals[] = {SIGINT, SIGTERM}; /* for an end in order */
static struct sigaction usual[2];                      /* of each: restored by the first one that comes */
static unsigned asking, open_pairs; /* how many of them are waited for; how many os_interrupt_begin() are open */

static void interrupt(int number)
{
    interrupted = 1;
    for (unsigned i = 0; i < asking; i++) {
        if (asking_signals[i] == number)
            sigaction(number, &usual[i], NULL);
    }
}

void os_interrupt_begin(bool all)
{
    struct sigaction action;
    if (open_pairs++ > 0)
        return;
    interrupted = 0;
    asking = all ? 2u : 1u;
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt;
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < asking; i++) {
        sigaction(asking_signals[i], NULL, &usual[i]);
        if (usual[i].sa_handler != SIG_IGN)
            sigaction(asking_signals[i], &action, NULL);
    }
}

void os_interrupt_end(void)
{
    if (--open_pairs > 0)
        return;
    for (unsigned i = 0; i < asking; i++)
        sigaction(asking_signals[i], &usual[i], NULL);
}

bool os_interrupted(void)
{
    return interrupted != 0;
}
