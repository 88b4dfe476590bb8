/* exit.c - semihosting output and exit for startup_m.c and the benches.
 *
 * port/out_semihost.c is not used: it also saves the trace, so it would link all of tlog into images that are to
 * contain the record path alone. */
#include "emit.h"
#include "out_semihost.h"

enum { SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20, ADP_STOPPED_APPLICATION_EXIT = 0x20026 };

#if __ARM_ARCH_PROFILE == 'M'
#define TRAP "bkpt 0xAB"
#elif defined(__thumb__)
#define TRAP "svc 0xAB"
#else
#define TRAP "svc 0x123456"
#endif

static void call(uint32_t operation, const void *arguments)
{
    register uint32_t r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = arguments;
    __asm volatile(TRAP : "+r"(r0) : "r"(r1) : "memory");
}

void semihost_print(const char *text)
{
    call(SYS_WRITE0, text);
}

void print_number(const char *text, uint32_t number)
{
    char digits[12];
    char *at = digits + sizeof(digits) - 1;
    *at = '\0';
    *--at = '\n';
    do
        *--at = (char)('0' + number % 10u);
    while ((number /= 10u) != 0);
    semihost_print(text);
    semihost_print(" ");
    semihost_print(at);
}

void board_exit(int code)
{
    uint32_t block[2] = {ADP_STOPPED_APPLICATION_EXIT, (uint32_t)code};
    for (;;)
        call(SYS_EXIT_EXTENDED, block);
}

const uint32_t emit_words[64] = {1};
char emit_text[1000];
