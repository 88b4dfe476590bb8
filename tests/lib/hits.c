/* hits.c - implements hits.h: which sweep is to run, and the hit map of the running test. */
#include "hits.h"

#include <stdbool.h>

#include "out_semihost.h"
#include "test.h"
#include "irq.h"

enum { SYS_GET_CMDLINE = 0x15 };

extern const char test_code[];

static struct hits_row row;
static uint32_t interrupted[4]; /* where a context of each level was interrupted last */
static uint32_t thread_call;
static bool is_used;

static int digit(uint32_t index)
{
    static char line[16];
    if (line[0] == 0) {
        static struct {
            char *text;
            uint32_t size;
        } block = {line, sizeof(line)};
        register uint32_t r0 __asm("r0") = SYS_GET_CMDLINE;
        register const void *r1 __asm("r1") = &block;
        __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    }
    return line[index] - '0';
}

int hits_set(void)
{
    return digit(0);
}

int test_irq_levels(void)
{
    static int levels = -1;
    if (levels < 0)
        levels = digit(1);
    return levels;
}

static void write_row(void)
{
    static int file = -1;
    if (file < 0)
        file = semihost_open("hits.bin");
    if (file < 0 || semihost_write(file, &row, sizeof(row)) != 0)
        test_fail(__FILE__, __LINE__, "hits.bin");
    for (uint32_t i = 0; i < HITS_WORDS; i++)
        row.bits[i] = 0;
    is_used = false;
}

void hits_call(uintptr_t call)
{
    thread_call = (uint32_t)call & ~1u;
}

void hits_end(void)
{
    if (is_used)
        write_row();
}

static bool is_code(uint32_t pc)
{
    return pc - (uint32_t)(uintptr_t)test_code < HITS_WORDS * 64u;
}

void test_hit(int level, uint32_t pc)
{
    uint32_t prefix[HITS_PREFIX] = {level > 1 ? interrupted[1] : 0, level > 2 ? interrupted[2] : 0, thread_call};
    uint32_t at = (pc - (uint32_t)(uintptr_t)test_code) / 2u;
    interrupted[level] = pc;
    test_note(level == 1 ? "pc" : level == 2 ? "pc in 1" : "pc in 2", pc);
    if (level != test_irq_levels() || !is_code(pc))
        return;
    for (int i = 0; i < HITS_CALL; i++)
        if (prefix[i] != 0 && !is_code(prefix[i]))
            return;
    for (int i = 0; i < HITS_PREFIX; i++)
        if (is_used && prefix[i] != row.prefix[i])
            write_row();
    for (int i = 0; i < HITS_PREFIX; i++)
        row.prefix[i] = prefix[i];
    row.bits[at / 32u] |= 1u << at % 32u;
    is_used = true;
}
