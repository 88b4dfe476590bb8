/* SPDX-License-Identifier: MIT */
/* tlog_context.c - numbers for tasks that the kernel knows by an address.
 *
 * The number of a task is the place of its address in a table, from 1 on. An address stands at the place that its hash
 * tells, or behind it, with no free place in between. It is stored by one store-exclusive, only where the place is
 * free, and never taken out: so a search needs no lock, and two contexts that ask for one address at once find the
 * same free place, which one of them takes. */
#include "tlog_speed.h"
#include "tlog.h"

#include <stddef.h>

#if TLOG_ENABLE

TLOG_STATIC_ASSERT((TLOG_CONTEXTS) >= 1 && (TLOG_CONTEXTS) <= 0x8000 && ((TLOG_CONTEXTS) & ((TLOG_CONTEXTS)-1)) == 0,
                   "TLOG_CONTEXTS: a power of two, 1..32768");

static void *numbered[TLOG_CONTEXTS];

/* Control blocks often stand side by side and have one size. The product's high bits differ for them, too. */
static inline uint32_t place_of(const void *task)
{
    return ((uint32_t)(uintptr_t)task * 0x9E3779B1u >> 16) * (TLOG_CONTEXTS) >> 16;
}

/* Store an address where there is none. Returns the address that stands there then. */
static const void *take(void **place, const void *task)
{
    void *found;
    do {
        found = tlog_port_load_exclusive_pointer(place);
        if (found != NULL) {
            tlog_port_clear_exclusive();
            return found;
        }
    } while (tlog_port_store_exclusive_pointer((void *)(uintptr_t)task, place));
    return NULL;
}

/* The number of a task that is not at its first place. */
static TLOG_NOINLINE uint32_t find_number(const void *task, uint32_t at, const char *name)
{
    for (uint32_t left = TLOG_CONTEXTS; left > 0; left--) {
        const void *found = *(void *const volatile *)&numbered[at];
        if (found == NULL)
            found = take(&numbered[at], task);
        if (found == NULL && name != NULL)
            tlog_name(TLOG_NAME_TASK, at + 1u, name);
        if (found == NULL || found == task)
            return at + 1u;
        at = (at + 1u) % (TLOG_CONTEXTS);
    }
    return 0x8000u | ((uint32_t)(uintptr_t)task >> 3 & 0x7FFFu);
}

uint32_t tlog_context(const void *task, const char *name)
{
    const uint32_t at = place_of(task);
    if (task == NULL)
        return 0;
    return *(void *const volatile *)&numbered[at] == task ? at + 1u : find_number(task, at, name);
}

#endif
