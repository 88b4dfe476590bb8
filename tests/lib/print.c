/* print.c - where tests of the runtime on this machine print. */
#include <stdio.h>

#include "lib/test.h"

void test_print(const char *text)
{
    fputs(text, stdout);
    fflush(stdout);
}
