/* tracing_user.h - the kernel's own hooks, which do nothing here, and which tlog's header of this name replaces. */
#ifndef TRACING_USER_H
#define TRACING_USER_H

#include <zephyr/tracing/tracing_hooks.h>

#define sys_trace_named_event(name, arg0, arg1)

#endif
