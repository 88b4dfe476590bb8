/* port_v6m.c - the exclusive load and store that ARMv6-M lacks. In assembly, so that the stack pointer in them is their
 * caller's. */
#include "tlog_port.h"

#ifdef TLOG_PORT_V6M_H

uint32_t tlog_port_watch;

#define FUNCTION(name)                                                                                                 \
    ".section .text." name ",\"ax\",%progbits\n\t.syntax unified\n\t.thumb\n\t.align 2\n\t.global " name "\n\t"        \
    ".thumb_func\n\t.type " name ", %function\n" name ":\n\t"
#define END(name) ".align 2\n9: .word tlog_port_watch\n\t.size " name ", . - " name "\n\t.previous\n"

__asm(FUNCTION("tlog_port_load_exclusive") /* r0: word */
      "ldr r2, 9f\n\t"
      "mov r3, sp\n\t"
      "str r3, [r2]\n\t"
      "ldr r0, [r0]\n\t"
      "bx lr\n\t" END("tlog_port_load_exclusive"));

__asm(FUNCTION("tlog_port_store_exclusive") /* r0: value, r1: word */
      "ldr r2, 9f\n\t"
      "mrs r3, primask\n\t"
      "cpsid i\n\t"
      "ldr r2, [r2]\n\t"
      "cmp sp, r2\n\t"
      "bne 1f\n\t"
      "str r0, [r1]\n\t"
      "msr primask, r3\n\t"
      "movs r0, #0\n\t"
      "bx lr\n"
      "1: msr primask, r3\n\t"
      "movs r0, #1\n\t"
      "bx lr\n\t" END("tlog_port_store_exclusive"));

#endif
