/* context.c - the names of exceptions and modes: see context.h. */
#include "model/context.h"

#include "model/trace.h"

#include <stdio.h>

enum {
    EXCEPTIONS = 16,   /* of the core; the numbers from here on are those of interrupts, from interrupt 0 */
    MODE_FIRST = 0x10, /* number of the first mode, User */
    MODES = 16
};

static const char *const exceptions[EXCEPTIONS] = {
    [1] = "reset",       [2] = "nmi",  [3] = "hardfault", [4] = "memmanage", [5] = "busfault", [6] = "usagefault",
    [7] = "securefault", [11] = "svc", [12] = "debugmon", [14] = "pendsv",   [15] = "systick",
};

/* User and System mode have no name: they are those of tasks. */
static const char *const modes[MODES] = {
    [1] = "fiq", [2] = "irq", [3] = "supervisor", [6] = "monitor", [7] = "abort", [10] = "hyp", [11] = "undefined",
};

static bool is_mode(uint16_t context)
{
    return (context & TRACE_CONTEXT_MODE) != 0;
}

/* Index of a mode in modes. */
static unsigned mode_of(uint16_t context)
{
    return ((unsigned)context - MODE_FIRST) % MODES;
}

const char *context_name(uint16_t context, char text[CONTEXT_NAME_BYTES])
{
    if (is_mode(context))
        return modes[mode_of(context)];
    if (context == 0)
        return NULL;
    if (context < EXCEPTIONS && exceptions[context] != NULL)
        return exceptions[context];
    if (context < EXCEPTIONS)
        snprintf(text, CONTEXT_NAME_BYTES, "exception %u", (unsigned)context);
    else
        snprintf(text, CONTEXT_NAME_BYTES, "irq %u", (unsigned)(uint16_t)(context - EXCEPTIONS));
    return text;
}

/* Of modes, those that only an exception enters: FIQ, IRQ, Abort and Undefined. In Supervisor mode some systems run
 * their tasks. */
bool context_is_interrupt(uint16_t context)
{
    static const unsigned entered = 1u << 1 | 1u << 2 | 1u << 7 | 1u << 11;
    return is_mode(context) ? (entered >> mode_of(context) & 1u) != 0 : context != 0;
}
