/* app.c - firmware of tests/system/printk/printk.sh: TLOG_PRINTK with every number of arguments and every type.
 * tests/system/printk/check.py has the same texts in the same order; change both together. */
#include "tlog.h"

/* The value, hidden from the compiler, so that it cannot treat it as a constant. */
static int computed(int value)
{
    __asm volatile("" : "+r"(value));
    return value;
}

static void numbers(void)
{
    unsigned u = (unsigned)computed(-1);
    short s = (short)computed(-2);
    unsigned char c = (unsigned char)computed(200);
    long l = computed(-70000);
    long long ll = -1234567890123456789ll * computed(1);
    TLOG_PRINTK("nothing");
    TLOG_PRINTK("nothing, with a newline\n");
    TLOG_PRINTK("per cent 100%%, one %d", computed(-5));
    TLOG_PRINTK("two %u %x", u, u);
    TLOG_PRINTK("three %hd %hhu %ld", s, c, l);
    TLOG_PRINTK("four %lld %d %llx %c", ll, computed(7), 0xFEDCBA9876543210ull, 'x');
    TLOG_PRINTK("five %5d|%-5d|%05d|%+d|%*d", computed(1), computed(2), computed(3), computed(4), 6, computed(5));
    TLOG_PRINTK("six %o %X %#x %i %lu %zu", u, u, u, computed(9), (unsigned long)u, sizeof(int));
    TLOG_PRINTK("seven %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, computed(7));
    TLOG_PRINTK("eight %d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, computed(8));
    TLOG_PRINTK("eight %lld %lld %lld %lld %lld %lld %lld %lld", ll, ll + 1, ll + 2, ll + 3, ll + 4, ll + 5, ll + 6,
                ll);
    TLOG_PRINTK("pointer %p", (void *)0x20001234);
    TLOG_PRINTK("truth %d, lone wide %llu", computed(1) == 1, 18446744073709551615ull);
}

static void texts(void)
{
    const char *name = "abcdefg", *four = "four", *none = "";
    char built[] = {'b', 'u', 'i', 'l', 't', '\0'};
    static const char longest[] = "0123456789012345678901234567890123456789012345678901234567890123456789";
    TLOG_PRINTK("text %s", name);
    TLOG_PRINTK("texts %s|%s|%s|%d|%s", four, none, built, computed(3), "literal");
    TLOG_PRINTK("field |%10s|%-10s|%.2s|", name, name, name);
    TLOG_PRINTK("cut %s, then %d", longest, computed(4));
    TLOG_PRINTK("null %s", (const char *)(uintptr_t)computed(0));
    TLOG_PRINTK("eight %s %s %s %s %s %s %s %s", name, four, none, built, name, four, none, longest);
}

static void floats(void)
{
    float third = 1.0f / 3.0f;
    double e = 2.718281828459045;
    TLOG_PRINTK("float %f %.15g %e %d", third, e, -e, computed(6));
    TLOG_PRINTK("infinite %f, long %.3Lf", (double)__builtin_inff(), (long double)e);
}

/* Filter out the class of TLOG_PRINTK, or let it through again. */
static void suppress(bool yes)
{
#if TLOG_ENABLE && TLOG_TRACEEVENTS
    tlog_filter_class(TLOG_CLASS_CONTROL, yes);
#else
    (void)yes;
#endif
}

int main(void)
{
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, 1, 2);
    numbers();
    texts();
    floats();
    suppress(true);
    TLOG_PRINTK("suppressed");
    TLOG_PRINTK("suppressed %d %d", computed(1), computed(2));
    suppress(false);
    for (int i = 0; i < 3; i++)
        TLOG_PRINTK("last %d", i);
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, 3, 4);
    return tlog_dropped() != 0;
}
