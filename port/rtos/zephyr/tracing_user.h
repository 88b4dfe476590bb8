/* SPDX-License-Identifier: MIT */
/* tracing_user.h - for CONFIG_TRACING_USER, which versions of Zephyr without tracing_hooks.h need: this folder must
 * come before subsys/tracing/user on the include path. Trap: the kernel's own header of this name has no hooks for
 * objects, and passes other hooks on to functions whose arguments differ between versions. So its hooks are
 * replaced. */
#ifndef TLOG_ZEPHYR_TRACING_USER_H
#define TLOG_ZEPHYR_TRACING_USER_H

#include_next <tracing_user.h>

#include "tlog_zephyr.h"

#endif
