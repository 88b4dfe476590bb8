/* clock.c - whether the clock found at run time is DWT CYCCNT or the board's timer.
 *
 * Tested on the target with memory words in place of the DWT's registers, and with QEMU's DWT, whose CYCCNT stands
 * still. */
#include "board.h"
#include "out_semihost.h"
#include "lib/test.h"

static volatile uint32_t demcr, ctrl, lar, still;
static uintptr_t cyccnt;

#define TLOG_PORT_DEMCR       ((uintptr_t)&demcr)
#define TLOG_PORT_DWT_CTRL    ((uintptr_t)&ctrl)
#define TLOG_PORT_DWT_CYCCNT  cyccnt
#define TLOG_PORT_DWT_LAR     ((uintptr_t)&lar)
#define tlog_port_clock_start look
#include "port_v7m.c"
#undef tlog_port_clock_start

const volatile uint32_t *tlog_port_clock_start(void);

enum { TRCENA = 1 << 24, CYCCNTENA = 1 << 0, NOCYCCNT = 1 << 25 };

static const volatile uint32_t *board_clock(void)
{
    return (const volatile uint32_t *)TLOG_CLOCK_ADDRESS;
}

static void cyccnt_counts_here(void)
{
    cyccnt = (uintptr_t)&BOARD_TIMER0->value;
    demcr = 5;
    ctrl = 0x40000000u;
    CHECK(look() == &BOARD_TIMER0->value);
    CHECK(demcr == (5u | TRCENA));
    CHECK(ctrl == (0x40000000u | CYCCNTENA));
    CHECK(lar == 0xC5ACCE55u);
    CHECK(look() == &BOARD_TIMER0->value);
}

static void cyccnt_stands_still(void)
{
    cyccnt = (uintptr_t)&still;
    ctrl = 0;
    CHECK(look() == board_clock());
}

static void cyccnt_is_not_there(void)
{
    cyccnt = (uintptr_t)&BOARD_TIMER0->value;
    ctrl = NOCYCCNT;
    CHECK(look() == board_clock());
    CHECK(ctrl == NOCYCCNT);
}

static void qemu_has_none(void)
{
    const volatile uint32_t *clock = tlog_port_clock_start();
    CHECK(clock == board_clock());
    uint32_t first = *clock;
    for (int i = 0; i < 100; i++)
        __asm volatile("nop");
    CHECK(*clock - first > 0 && *clock - first < 10000u);
}

void test_print(const char *text)
{
    semihost_print(text);
}

int main(void)
{
    test_run("CYCCNT counts", cyccnt_counts_here);
    test_run("CYCCNT stands still", cyccnt_stands_still);
    test_run("CYCCNT is not there", cyccnt_is_not_there);
    test_run("QEMU's", qemu_has_none);
    return test_end();
}
