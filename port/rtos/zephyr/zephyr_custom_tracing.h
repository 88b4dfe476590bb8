/* SPDX-License-Identifier: MIT */
/* zephyr_custom_tracing.h - for versions of Zephyr with CONFIG_TRACING_CUSTOM: the kernel includes a header of this
 * name, and tracing_hooks.h defines the hooks that are not defined here. */
#ifndef TLOG_ZEPHYR_CUSTOM_TRACING_H
#define TLOG_ZEPHYR_CUSTOM_TRACING_H

/* Trap: the first versions with CONFIG_TRACING_CUSTOM, of early 2026, define no hooks beside those of this header. */
#if !__has_include(<zephyr/tracing/tracing_hooks.h>)
#error "this version of Zephyr needs CONFIG_TRACING_USER instead of CONFIG_TRACING_CUSTOM"
#endif

#include "tlog_zephyr.h"

/* Functions, because assembler code calls them; they are in tlog_zephyr_isr.c. */
void sys_trace_isr_enter(void);
void sys_trace_isr_exit(void);
void sys_trace_isr_exit_to_scheduler(void);
void sys_trace_idle(void);
void sys_trace_idle_exit(void);

#define sys_trace_sys_init_enter(entry, level)
#define sys_trace_sys_init_exit(entry, level, result)

#endif
