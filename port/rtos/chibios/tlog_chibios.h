/* SPDX-License-Identifier: MIT */
/* tlog_chibios.h - hooks of ChibiOS/RT 7 and 8, by the calls of tlog_rtos.h. Include it at the end of chconf.h, whose
 * hooks it replaces, and compile tlog_chibios.c. An example of a port that is small: what it shows, and what this
 * kernel has no hooks for, is in README.md of the folder above.
 *
 * If your chconf.h has hooks or fields of its own, define them again behind this header, with the call that stands here
 * beside yours. CH_DBG_TRACE_MASK must stay CH_DBG_TRACE_MASK_DISABLED: the kernel's own trace buffer uses the same
 * hook of threads that become ready. */
#ifndef TLOG_CHIBIOS_H
#define TLOG_CHIBIOS_H

#ifndef _FROM_ASM_ /* the kernel's assembler files include chconf.h, too */
#include "tlog.h"

#if TLOG_ENABLE
TLOG_BEGIN_C

struct ch_thread;

void tlog_chibios_start(struct ch_thread *running);
void tlog_chibios_create(struct ch_thread *thread);
void tlog_chibios_exit(struct ch_thread *thread);
void tlog_chibios_ready(struct ch_thread *thread);
void tlog_chibios_switch(struct ch_thread *next, struct ch_thread *leaving);
void tlog_chibios_handler(uint32_t code);

TLOG_END_C

#undef CH_CFG_THREAD_EXTRA_FIELDS
#undef CH_CFG_THREAD_INIT_HOOK
#undef CH_CFG_THREAD_EXIT_HOOK
#undef CH_CFG_OS_INSTANCE_INIT_HOOK
#undef CH_CFG_CONTEXT_SWITCH_HOOK
#undef CH_CFG_IRQ_PROLOGUE_HOOK
#undef CH_CFG_IRQ_EPILOGUE_HOOK

/* The priority and the name that the trace knows. */
#define TLOG_CHIBIOS_FIELDS                                                                                            \
    uint32_t tlog_priority;                                                                                            \
    const char *tlog_name;

#define CH_CFG_THREAD_EXTRA_FIELDS             TLOG_CHIBIOS_FIELDS
#define CH_CFG_THREAD_INIT_HOOK(thread)        tlog_chibios_create(thread)
#define CH_CFG_THREAD_EXIT_HOOK(thread)        tlog_chibios_exit(thread)
#define CH_CFG_OS_INSTANCE_INIT_HOOK(instance) tlog_chibios_start((instance)->rlist.current)
#define CH_CFG_CONTEXT_SWITCH_HOOK(next, last) tlog_chibios_switch(next, last)
#define CH_CFG_IRQ_PROLOGUE_HOOK()             tlog_chibios_handler(FTrace_EVT_interrupt_start)
#define CH_CFG_IRQ_EPILOGUE_HOOK()             tlog_chibios_handler(FTrace_EVT_interrupt_end)

/* A thread is made ready; the kernel's header leaves it to others to define this. */
#define __trace_ready(thread, message) tlog_chibios_ready(thread)
#endif
#endif

#endif
