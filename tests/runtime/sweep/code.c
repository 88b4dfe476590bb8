/* code.c - linked in front of the code whose instructions are interrupted one by one; see hits.h. What that code and
 * the runtime keep in memory stands behind test_data and test_bss. */
#include <stdint.h>

__asm(".section .text.test_code,\"ax\"\n\t.global test_code\ntest_code:\n\tnop\n\tnop\n\t.previous");

uint32_t test_data[1] = {1};
uint32_t test_bss[1];
