/* test_code.c - linked in front of the code whose instructions are interrupted one by one; see hits.h. */
__asm(".section .text.test_code,\"ax\"\n\t.global test_code\ntest_code:\n\tnop\n\tnop\n\t.previous");
