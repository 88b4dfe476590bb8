/* code.c - the beginning of the code under test, whose instructions are interrupted one by one; see hits.h. It is
 * linked in front of that code. The variables of that code and of the runtime are linked after test_data and test_bss.
 */
#include <stdint.h>

__asm(".section .text.test_code,\"ax\"\n\t.global test_code\ntest_code:\n\tnop\n\tnop\n\t.previous");

uint32_t test_data[1] = {1};
uint32_t test_bss[1];
