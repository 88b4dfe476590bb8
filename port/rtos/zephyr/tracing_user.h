/* tracing_user.h - for versions of Zephyr without CONFIG_TRACING_CUSTOM, with CONFIG_TRACING_USER: this folder must
 * come before subsys/tracing/user on the include path. Trap: the kernel's own header of this name has no hooks for
 * objects, and passes other hooks on to functions whose arguments differ between versions. So its hooks are
 * replaced. */
#ifndef TLOG_ZEPHYR_TRACING_USER_H
#define TLOG_ZEPHYR_TRACING_USER_H

#include_next <tracing_user.h>

#include "tlog_zephyr.h"

#endif
