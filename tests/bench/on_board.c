/* on_board.c - a program for your board: tests what tlog needs of it, measures events in cycles, and prints a row.
 *
 * Flash it and read what it prints: by semihosting, for which a debugger must be attached, or by a function of yours.
 * It needs no kernel and no other source than tlog's; target/README.md, "On your board", has the commands. If the
 * output ends within a line, the board has faulted in what that line tests.
 *
 * The options are those of any firmware: TLOG_CLOCK_HZ, TLOG_SLOTS, and TLOG_TRACEEVENTS=1, without which TLOG_PRINTK
 * is not measured. ON_BOARD_NAME is the board's name in the row. */
#include "tlog.h"

#include <stddef.h>

/* ---- where the text goes: the one place to change ----------------------------------------------------------------
 *
 * -DON_BOARD_PUT=uart_puts: your `int uart_puts(const char *text)` writes it, and no debugger is needed. */
#ifdef ON_BOARD_PUT
int ON_BOARD_PUT(const char *text);
#define put ON_BOARD_PUT
#else
#include "out_semihost.h"
static int put(const char *text)
{
    semihost_print(text);
    return 0;
}
#endif

#ifndef ON_BOARD_NAME
#define ON_BOARD_NAME "your board"
#endif

#if !defined(__ARM_ARCH_PROFILE) || __ARM_ARCH_PROFILE != 'M'
#error "on_board.c is for Cortex-M"
#endif
#if !TLOG_ENABLE || TLOG_CPUS > 1 || TLOG_SLOTS < 64
#error "on_board.c needs TLOG_ENABLE = 1, one CPU, and TLOG_SLOTS of 64 or more"
#endif
#ifdef __ARM_ARCH_6M__
#define V6M 1
#else
#define V6M 0
#endif

#define reg(address) ((volatile uint32_t *)(uintptr_t)(address))

#define CPUID     reg(0xE000ED00u)
#define ICTR      reg(0xE000E004u)
#define ICSR      reg(0xE000ED04u)
#define VTOR      reg(0xE000ED08u)
#define CCR       reg(0xE000ED14u)
#define DCIMVAC   reg(0xE000EF5Cu) /* forget a line of the data cache */
#define DCCMVAC   reg(0xE000EF68u) /* write it to memory */
#define DEMCR     reg(TLOG_PORT_DEMCR)
#define DWT_CTRL  reg(TLOG_PORT_DWT_CTRL)
#define CYCCNT    reg(TLOG_PORT_DWT_CYCCNT)
#define DWT_LAR   reg(TLOG_PORT_DWT_LAR)
#define PENDSVSET (1u << 28)

static void synchronize(void)
{
    __asm volatile("dsb\n\tisb" ::: "memory");
}

static uint32_t mask(void)
{
    uint32_t before;
    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(before)::"memory");
    return before;
}

static void unmask(uint32_t before)
{
    __asm volatile("msr primask, %0" ::"r"(before) : "memory");
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void put_number(uint32_t number)
{
    char digits[11], *at = digits + sizeof digits - 1;
    *at = '\0';
    do
        *--at = (char)('0' + number % 10u);
    while ((number /= 10u) != 0);
    put(at);
}

static void put_tenths(uint32_t tenths)
{
    put_number(tenths / 10u);
    put(".");
    put_number(tenths % 10u);
}

static void put_address(const volatile void *address)
{
    char text[11] = "0x";
    for (uint32_t i = 0; i < 8; i++)
        text[2 + i] = "0123456789abcdef"[(uint32_t)(uintptr_t)address >> (28 - 4 * i) & 15u];
    text[10] = '\0';
    put(text);
}

/* How a test ended: what was seen, and what to do. */
static void result(const char *how, const char *seen, const char *help)
{
    put(how);
    put(": ");
    put(seen);
    put(help != NULL ? "\n        " : "\n");
    put(help != NULL ? help : "");
    put(help != NULL ? "\n" : "");
}

#define passes(seen)          result("PASS", seen, NULL)
#define fails(seen, help)     result("FAIL", seen, help)
#define is_absent(seen, help) result("ABSENT", seen, help)

/* ---- the clock --------------------------------------------------------------------------------------------------- */

/* What measures: CYCCNT, or else tlog's clock; NULL if neither counts. */
static const volatile uint32_t *counter;
static bool in_cycles;

/* Wait for about 3 cycles each, without a look at any clock. */
static void spin(uint32_t times)
{
    for (; times > 0; times--)
        __asm volatile("nop" ::: "memory");
}

static bool counts(const volatile uint32_t *clock)
{
    uint32_t first = tlog_port_read(clock);
    for (uint32_t i = 0; i < 1000; i++) {
        spin(100);
        if (tlog_port_read(clock) != first)
            return true;
    }
    return false;
}

static void test_cyccnt(void)
{
#if V6M
    is_absent("this core has no CYCCNT", "tlog's clock measures instead: the figures are its ticks, not cycles");
#else
    const char *help = "give TLOG_CLOCK_ADDRESS, a counter of the chip; the figures below are its ticks, not cycles";
    *DEMCR |= 1u << 24;
    *DWT_LAR = 0xC5ACCE55u;
    if (!(*DEMCR >> 24 & 1u)) {
        fails("DEMCR.TRCENA stays 0: the core has no DWT, or the chip locks it", help);
    } else if (*DWT_CTRL >> 25 & 1u) {
        is_absent("the core was built without CYCCNT", help);
    } else {
        *DWT_CTRL |= 1u;
        uint32_t first = *CYCCNT;
        spin(100);
        in_cycles = *CYCCNT != first;
        if (!in_cycles) {
            fails("it stands still", help);
            return;
        }
        counter = CYCCNT;
        passes("it counts");
    }
#endif
}

/* Start what measures. The ring is open, so tlog's clock runs if it ever does. */
static bool test_clock(void)
{
    const volatile uint32_t *clock = tlog_port_clock_start();
    bool moves = counts(clock);
    put("at ");
    put_address(clock);
    put(" ");
    if (moves)
        passes("it counts");
    else
        fails("it stands still: all events have one time",
              "start that counter, or take its address from the chip's manual: port/README.md, Time stands still");
    if (moves && !in_cycles)
        counter = clock;
    return moves;
}

static void wait_ticks(uint32_t ticks)
{
    const volatile uint32_t *clock = tlog_port_clock_start();
    uint32_t start = tlog_port_now_at(clock);
    while (tlog_port_now_at(clock) - start < ticks)
        spin(100);
}

extern uint32_t SystemCoreClock __attribute__((weak));

static void tell_core_clock(void)
{
    if (&SystemCoreClock == NULL)
        return;
    put("        SystemCoreClock says ");
    put_number(SystemCoreClock);
    put(" Hz\n");
}

#ifndef ON_BOARD_PUT
/* The host's time in hundredths of a second, or -1 if the debugger does not tell it. */
static int32_t host_clock(void)
{
    register uint32_t r0 __asm("r0") = 0x10; /* SYS_CLOCK */
    register uint32_t r1 __asm("r1") = 0;
    __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return (int32_t)r0;
}

/* In a second by the clock the core is not halted: CYCCNT would stand still. So the host is asked before and after. */
static void test_rate(void)
{
    const uint32_t ticks = TLOG_CLOCK_RATE ? TLOG_CLOCK_RATE : 100000000u;
    int32_t before = host_clock();
    wait_ticks(ticks);
    int32_t passed = host_clock() - before;
    put_number(ticks);
    put(" ticks took ");
    put_number((uint32_t)passed * 10u);
    put(" ms by the host's clock ");
    if (before < 0)
        is_absent("the debugger does not tell the time", "compare TLOG_CLOCK_HZ with the chip's clock tree");
    else if (TLOG_CLOCK_HZ && passed >= 95 && passed <= 105)
        passes("the rate is the one that was told");
    else
        fails("the rate is another one than was told, TLOG_CLOCK_HZ",
              "for CYCCNT that is the core's frequency, as set up by your start-up code: port/README.md, Wrong times");
    tell_core_clock();
}
#else
/* No host is there to ask. */
static void test_rate(void)
{
    put("look at a watch: from here to the next line 5 s must pass ...");
    for (uint32_t i = 0; TLOG_CLOCK_HZ && i < 5; i++)
        wait_ticks(TLOG_CLOCK_RATE);
    put("\n        here; if not, TLOG_CLOCK_HZ is not the clock's rate: port/README.md, Wrong times\n");
    tell_core_clock();
}
#endif

/* ---- vectors and exclusives -------------------------------------------------------------------------------------- */

/* The most vectors that a core has, in RAM, at a multiple of their size. */
#define VECTORS (V6M ? 48 : 512)
static volatile uint32_t table[VECTORS] __attribute__((aligned(V6M ? 256 : 2048)));
static volatile uint32_t exceptions;
static uint32_t old_table;

static void count_exception(void)
{
    exceptions++;
}

static void have_pendsv_come(void)
{
    *ICSR = PENDSVSET;
    synchronize();
}

/* Use a table in RAM whose PendSV is count_exception(); false if VTOR does not take it. */
static bool take_table(void)
{
    uint32_t lines = 16u + 32u * ((*ICTR & 15u) + 1u);
    old_table = *VTOR;
    for (uint32_t i = 0; i < lines && i < VECTORS; i++)
        table[i] = reg(old_table)[i];
    table[14] = (uint32_t)(uintptr_t)count_exception;
    *VTOR = (uint32_t)(uintptr_t)table;
    synchronize();
    return *VTOR == (uint32_t)(uintptr_t)table;
}

static void give_table_back(void)
{
    *VTOR = old_table;
    synchronize();
}

static bool test_vectors(void)
{
    uint32_t masked = mask();
    bool taken = take_table();
    if (taken) {
        unmask(0);
        have_pendsv_come();
    }
    unmask(masked);
    give_table_back();
    if (exceptions > 0)
        passes("an exception came by a table in RAM");
    else if (taken)
        fails("VTOR takes a table in RAM, but PendSV did not come", "is BASEPRI or FAULTMASK set ahead of main()?");
    else
        is_absent("VTOR does not take the address of a table in RAM",
                  "tlog_irq_trace() needs that, tlog_irq_any() does not: port/README.md, Interrupts");
    return exceptions > 0;
}

/* How many of ten store-exclusives, of the value that is there, did not store. */
static uint32_t failed_stores(uint32_t *word, bool interrupted)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < 10; i++) {
        uint32_t value = tlog_port_load_exclusive(word);
        if (interrupted)
            have_pendsv_come();
        failed += tlog_port_store_exclusive(value, word) != 0;
    }
    return failed;
}

/* At the word that tlog itself uses. */
static void test_exclusives(bool with_exceptions)
{
    uint32_t *word = tlog_cpu0.cursor;
    put("at ");
    put_address(word);
    put(" ");
    if (V6M) {
        is_absent("this core has none", "tlog masks interrupts for five instructions; an NMI handler must not log");
        return;
    }
    uint32_t masked = mask();
    uint32_t alone = failed_stores(word, false), interrupted = 10;
    if (with_exceptions && take_table()) {
        unmask(0);
        interrupted = failed_stores(word, true);
        mask();
        give_table_back();
    }
    unmask(masked);
    if (alone > 0)
        fails("STREX does not store: every event would hang or be lost",
              "this memory has no exclusive monitor: place the chunks in internal RAM, not shareable by the MPU");
    else if (interrupted < 10)
        fails("STREX stores behind an exception, and should not: events of interrupts would be destroyed",
              "please report the chip");
    else
        passes(with_exceptions ? "STREX stores, and not behind an exception"
                               : "STREX stores; not tested behind an exception, which needs a table in RAM");
}

/* ---- the data cache ---------------------------------------------------------------------------------------------- */

#if !V6M
/* Whether a word stays in the cache when it is written: then forgetting its line brings the old value back. */
static bool writes_back(volatile uint32_t *word)
{
    uint32_t masked = mask(), old = *word;
    *word = old;
    *DCCMVAC = (uint32_t)(uintptr_t)word;
    synchronize();
    *word = ~old;
    synchronize();
    *DCIMVAC = (uint32_t)(uintptr_t)word;
    synchronize();
    bool behind = *word == old;
    *word = old;
    *DCCMVAC = (uint32_t)(uintptr_t)word;
    synchronize();
    unmask(masked);
    return behind;
}
#endif

/* In the first slots of the ring, a line and more behind the cursor. */
static void test_cache(void)
{
#if V6M
    passes("this core has none");
#else
    if (!(*CCR >> 16 & 1u))
        passes("no data cache is on");
    else if (!writes_back(tlog_cpu0.cursor + 64))
        passes("the ring's memory is written through");
    else
        fails("the newest events are in the cache only: a reset, or a debugger that reads past it, misses them",
              "write-through memory by the MPU, DTCM, or a clean before the dump: port/README.md, Data cache");
#endif
}

/* ---- what an event takes ----------------------------------------------------------------------------------------- */

/* An own event of two fields, on any linker script that has tlog.ld, or with TLOG_PORTABLE_EVENTS. */
TLOG_DEFINE_EVENT(on_board, (u8, first), (i16, second))

typedef void (*event)(uint32_t a, uint32_t b);

static __attribute__((noinline)) void log_nothing(uint32_t a, uint32_t b)
{
    __asm volatile("" ::"r"(a), "r"(b));
}

static __attribute__((noinline)) void log_inlined(uint32_t a, uint32_t b)
{
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, a, b);
}

static __attribute__((noinline)) void log_by_call(uint32_t a, uint32_t b)
{
    tlog_record_call(FTrace_EVT_user_event_0, a, b);
}

static __attribute__((noinline)) void log_own(uint32_t a, uint32_t b)
{
    trace_on_board((uint8_t)a, (int16_t)b);
}

#if TLOG_TRACEEVENTS
static __attribute__((noinline)) void log_printk(uint32_t a, uint32_t b)
{
    TLOG_PRINTK("%u %u", (unsigned)a, (unsigned)b);
}
#else
#define log_printk NULL
#endif

struct figure {
    uint32_t least, most, sum, calls;
};

/* ISB: what was begun before is done when the counter is read. */
static uint32_t read_counter(void)
{
    __asm volatile("isb" ::: "memory");
    return V6M ? tlog_port_read(counter) : *counter;
}

static uint32_t elapsed(uint32_t start, uint32_t end)
{
    return in_cycles ? end - start : TLOG_PORT_TIME(end) - TLOG_PORT_TIME(start);
}

/* A call of `log`, an empty one included. */
static uint32_t time_one(event log, uint32_t a, uint32_t b)
{
    uint32_t masked = mask();
    uint32_t start = read_counter();
    log(a, b);
    uint32_t end = read_counter();
    unmask(masked);
    return elapsed(start, end);
}

/* Least, average and worst of as many calls as the ring has slots, less what an empty one takes. */
static struct figure measure(event log, uint32_t empty)
{
    struct figure figure = {.least = 0xFFFFFFFFu, .calls = TLOG_SLOTS * TLOG_CHUNKS};
    uint32_t a = 0x2545F491u;
    for (uint32_t i = 0; i < figure.calls; i++) {
        a = a * 1664525u + 1013904223u;
        uint32_t took = time_one(log, a >> 16, a);
        took = took > empty ? took - empty : 0;
        figure.sum += took;
        if (took < figure.least)
            figure.least = took;
        if (took > figure.most)
            figure.most = took;
    }
    return figure;
}

static void put_figure(const struct figure *figure)
{
    if (figure->calls == 0) {
        put("- |");
        return;
    }
    put_number(figure->least);
    put(" / ");
    put_tenths((figure->sum * 10u + figure->calls / 2u) / figure->calls);
    put(" / ");
    put_number(figure->most);
    put(" |");
}

enum { INLINED, BY_CALL, OWN, PRINTK, DROPPED, FIGURES };

/* False if events were lost that should not be, or none where all should be. */
static bool measure_all(struct figure figures[FIGURES])
{
    static const event logs[DROPPED] = {log_inlined, log_by_call, log_own, log_printk};
    const struct figure none = {0};
    uint32_t empty = measure(log_nothing, 0).least;
    for (uint32_t i = 0; i < DROPPED; i++)
        figures[i] = logs[i] != NULL ? measure(logs[i], empty) : none;
    bool kept = tlog_dropped() == 0;
    tlog_stop_when_full(true);
    for (uint32_t i = 0; i < 2u * TLOG_SLOTS * TLOG_CHUNKS && tlog_dropped() == 0; i++)
        log_inlined(i, i);
    uint32_t before = tlog_dropped();
    figures[DROPPED] = measure(log_inlined, empty);
    return kept && tlog_dropped() - before == figures[DROPPED].calls;
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

static void put_core(void)
{
    static const struct {
        uint32_t part;
        const char *name;
    } cores[] = {{0xC20, "M0"},  {0xC60, "M0+"}, {0xC21, "M1"},   {0xC23, "M3"},  {0xC24, "M4"},  {0xC27, "M7"},
                 {0xD21, "M33"}, {0xD22, "M55"}, {0xD31, "M35P"}, {0xD23, "M85"}, {0xD24, "M52"}, {0x132, "M33"}};
    const char *name = "M?";
    for (uint32_t i = 0; i < sizeof cores / sizeof cores[0]; i++)
        if ((*CPUID >> 4 & 0xFFFu) == cores[i].part)
            name = cores[i].name;
    put("Cortex-");
    put(name);
    put(" r");
    put_number(*CPUID >> 20 & 15u);
    put("p");
    put_number(*CPUID & 15u);
}

static void put_compiler(void)
{
#ifdef __clang__
    put("clang " __clang_version__);
#else
    put("gcc " __VERSION__);
#endif
#if defined(__OPTIMIZE_SIZE__)
    put(" -Os");
#elif defined(__OPTIMIZE__)
    put(" -O");
#else
    put(" -O0");
#endif
}

static void report(const struct figure figures[FIGURES])
{
    put("\nLeast / average / worst of ");
    put_number(figures[INLINED].calls);
    put(" calls, the change of laps included. Your board's row:\n\n");
    put("| board | core | clock | compiler | in | event, inlined | event by a call | own event, u8 and i16 |");
    put(" `TLOG_PRINTK`, two integers | dropped |\n|---|---|---|---|---|---|---|---|---|---|\n| " ON_BOARD_NAME " | ");
    put_core();
    put(" | ");
    put_tenths((TLOG_CLOCK_HZ + 50000u) / 100000u);
    put(" MHz | ");
    put_compiler();
    put(in_cycles ? " | cycles |" : " | **ticks of the clock, not cycles** |");
    for (uint32_t i = 0; i < FIGURES; i++) {
        put(" ");
        put_figure(&figures[i]);
    }
    put("\n");
}

static void test_board(void)
{
    put("tlog on a board: ");
    put_core();
    put(", ");
    put_compiler();
    put("\n  CYCCNT: ");
    test_cyccnt();
    put("  tlog's clock ");
    bool clock = test_clock();
    put("  its rate: ");
    if (clock)
        test_rate();
    else
        fails("not tested", "the clock stands still");
    put("  vectors: ");
    bool vectors = test_vectors();
    put("  exclusives ");
    test_exclusives(vectors);
    put("  data cache: ");
    test_cache();
}

int main(void)
{
    struct figure figures[FIGURES];
    tlog_start();
    test_board();
    put("  events: ");
    if (counter == NULL) {
        fails("not measured", "no clock counts");
        return 0;
    }
    if (measure_all(figures))
        passes("each was kept where there was room, and counted where there was none");
    else
        fails("some were lost, or not counted", "please report the chip, and what else failed");
    report(figures);
    return 0;
}
