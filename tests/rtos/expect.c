/* expect.c - the stand-ins' notes, their masks, and how they get into handlers. */
#include "expect.h"

#include <stdarg.h>

#include "board.h"
#include "out_semihost.h"
#include "tlog_irq.h"

#ifdef TRACED
enum { IS_TRACED = 1 };
#else
enum { IS_TRACED = 0 };
#endif

enum { TEXT_BYTES = 1024, LINE_BYTES = 128, HOOKS = 128, IRQ_NUMBER = 20 };

static char text[TEXT_BYTES];
static uint32_t used;
static int file = -1, failed;
static const char *ran[HOOKS];
static uint32_t nran;

static void flush(void)
{
    failed |= semihost_write(file, text, used);
    used = 0;
}

static void put(char c)
{
    if (used < sizeof text)
        text[used++] = c;
}

static void put_text(const char *from)
{
    while (*from != '\0')
        put(*from++);
}

static void put_number(uint32_t number, uint32_t base)
{
    char digits[10];
    uint32_t n = 0;
    do {
        uint32_t digit = number % base;
        digits[n++] = (char)(digit < 10u ? '0' + digit : 'a' + digit - 10u);
        number /= base;
    } while (number != 0);
    while (n > 0)
        put(digits[--n]);
}

static void put_signed(int number)
{
    if (number < 0)
        put('-');
    put_number(number < 0 ? 0u - (uint32_t)number : (uint32_t)number, 10);
}

void expect(const char *format, ...)
{
    va_list more;
    if (file < 0)
        file = semihost_open("expected.txt");
    if (used > TEXT_BYTES - LINE_BYTES)
        flush();
    va_start(more, format);
    for (; *format != '\0'; format++) {
        if (*format != '%')
            put(*format);
        else if (*++format == 's')
            put_text(va_arg(more, const char *));
        else if (*format == 'c')
            put((char)va_arg(more, int));
        else if (*format == 'd')
            put_signed(va_arg(more, int));
        else
            put_number(va_arg(more, uint32_t), *format == 'x' ? 16u : 10u);
    }
    put('\n');
    va_end(more);
}

void note_hook(const char *hook)
{
    for (uint32_t i = 0; i < nran; i++) {
        if (ran[i] == hook)
            return;
    }
    if (nran < HOOKS)
        ran[nran++] = hook;
}

static uint32_t ntold;

#if TLOG_ENABLE
/* With --wrap=tlog_rtos_quiescent the linker puts this ahead of the runtime's; without, nobody calls it. */
void __real_tlog_rtos_quiescent(void) __attribute__((weak));
void __wrap_tlog_rtos_quiescent(void);
void __wrap_tlog_rtos_quiescent(void)
{
    ntold++;
    __real_tlog_rtos_quiescent();
}
#endif

void expect_told(bool is_told, const char *where)
{
    if ((ntold != 0) != is_told)
        expect("%s: %s", is_told ? "not told" : "told", where);
    ntold = 0;
}

int expect_save(void)
{
    flush();
    semihost_close(file);
    file = semihost_open("ran.txt");
    for (uint32_t i = 0; i < nran; i++)
        expect("%s", ran[i]);
    flush();
    return failed | semihost_close(file) | (nran == HOOKS);
}

/* ---- contexts ---------------------------------------------------------------------------------------------------- */

static void (*volatile handled)(void *);
static void *volatile handled_argument;

#if __ARM_ARCH == 6
void mask(void)
{
    __asm volatile("cpsid i" ::: "memory");
}

void unmask(void)
{
    __asm volatile("cpsie i" ::: "memory");
}
#else
void mask(void)
{
    __asm volatile("msr basepri, %0\n\tisb" ::"r"(0x40u) : "memory");
}

void unmask(void)
{
    __asm volatile("msr basepri, %0\n\tisb" ::"r"(0u) : "memory");
}
#endif

static bool is_masked;

static void expect_handler(const char *what, uint32_t number, bool is_logged)
{
    if (is_logged)
        expect("irq_handler_%s: irq=%u", what, number);
}

void expect_entry(uint32_t number)
{
    expect_handler("entry", number, !IS_TRACED);
}

void expect_exit(uint32_t number)
{
    expect_handler("exit", number, !IS_TRACED);
}

static void start_tracing(void)
{
#if defined(TRACED) && TRACED == 1 && !defined(CONFIG_TLOG_ZEPHYR_IRQ_TRACE) /* with which the port does so */
    if (!tlog_irq_trace())
        failed = 1;
#endif
}

static void handle(void)
{
    if (is_masked)
        mask();
    handled(handled_argument);
    if (is_masked)
        unmask();
}

#if defined(TRACED) && TRACED == 2 /* the vectors are tlog_irq_any(), by the linker's --defsym */
#define systick_handler real_systick
#define irq_20_handler  real_irq_20
void systick_handler(void);
void irq_20_handler(void);
const tlog_irq_handler tlog_irq_handlers[] = {[15] = systick_handler, [16 + IRQ_NUMBER] = irq_20_handler};
#endif

void systick_handler(void);
void systick_handler(void)
{
    expect_handler("entry", 15, IS_TRACED);
    handle();
    expect_handler("exit", 15, IS_TRACED);
}

void irq_20_handler(void);
void irq_20_handler(void)
{
    expect_handler("entry", 16 + IRQ_NUMBER, IS_TRACED);
    handle();
    expect_handler("exit", 16 + IRQ_NUMBER, IS_TRACED);
}

static void log_two(void *argument)
{
    (void)argument;
    tlog_record_call(FTrace_EVT_user_event_0, 1, 2);
    tlog_record_call(FTrace_EVT_user_event_1, 1, 2);
}

void interrupt_early(void)
{
    if (TLOG_START == 1)
        in(IRQ, log_two, 0);
}

/* Priorities as kernels have them: PendSV and SysTick lowest. */
void in(enum where where, void (*function)(void *), void *argument)
{
    *(volatile uint32_t *)0xE000ED20u = 0xFFFF0000u;                /* SHPR3 */
    *(volatile uint32_t *)(0xE000E400u + IRQ_NUMBER) = 0x80808080u; /* NVIC_IPR5 */
    *(volatile uint32_t *)0xE000E100u = 1u << IRQ_NUMBER;           /* NVIC_ISER */
    start_tracing();
    handled = function;
    handled_argument = argument;
    if (where == THREAD) {
        handle();
        return;
    }
    if (where == SYSTICK)
        *(volatile uint32_t *)0xE000ED04u = 1u << 26; /* ICSR, PENDSTSET */
    else
        *(volatile uint32_t *)0xE000E200u = 1u << IRQ_NUMBER; /* NVIC_ISPR */
    __asm volatile("dsb\n\tisb" ::: "memory");
}

void at(enum where where, void (*function)(void *), void *argument)
{
    is_masked = true;
    in(where, function, argument);
    is_masked = false;
}
