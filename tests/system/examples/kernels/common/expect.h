/* expect.h - in the place of the demo's: what the demo's kernel (tests/system/demo/kernel.c) tells goes to the kernel
 * that is built of it here, which runs its own hooks, and not to tlog. */
#ifndef SYSTEM_EXAMPLES_EXPECT_H
#define SYSTEM_EXAMPLES_EXPECT_H

#include <stdint.h>

#include "tlog.h"

#define BOARD_CORE_HZ                  25000000u
#define tlog_name(kind, context, name) ((void)(name))

/* An event of target/tlog_wire.h happens in the demo's kernel; contexts are its numbers of tasks. */
void demo_log(uint32_t code, uint32_t par1, uint32_t par2);

#endif
