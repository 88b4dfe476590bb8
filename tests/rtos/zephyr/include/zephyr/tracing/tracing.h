/* tracing.h - chooses the hooks, as the kernel does: with CONFIG_TRACING_USER its own of an early version, and with
 * CONFIG_TRACING_CUSTOM those of a header that the kernel has not, whose gaps it fills. Of functions it fills none: if
 * that header leaves one out, a file that calls it does not compile. */
#ifndef ZEPHYR_TRACING_H
#define ZEPHYR_TRACING_H

#if defined(CONFIG_TRACING_USER)
#include "tracing_user.h"
#else
#include "zephyr_custom_tracing.h"

#include "tracing_hooks.h"
#endif

/* An object's hook. The kernel passes what it becomes through a macro of one argument. */
#define TRACE(type, hook, ...)                                                                                         \
    do {                                                                                                               \
        note_hook("sys_port_trace_" #type "_" #hook);                                                                  \
        TRACE_MASKED(sys_port_trace_##type##_##hook(__VA_ARGS__));                                                     \
    } while (0)
#define TRACE_MASKED(call) TRACE_MASK(call)
#define TRACE_MASK(call)   call

#endif
