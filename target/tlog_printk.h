/* tlog_printk.h - printf whose formats stay on the host.
 *
 *     TLOG_PRINTK("temp %d of %s", temperature, name);
 *
 * Nothing is formatted, and the format takes no flash: it is in section tlog_printk of the ELF file, which is not
 * loaded. The event (class CONTROL, event TLOG_CONTROL_PRINTK) has its address there and the arguments; the decoder puts
 * them together when it is given the ELF file. Needs TLOG_TRACEEVENTS = 1 and a linker script with that section (see
 * linker/sections.ld). Any context. In C++ not in templates, where gcc would have the format among the program's data. */
#include "tlog.h" /* which includes this where it belongs */

#ifndef TLOG_PRINTK_H
#define TLOG_PRINTK_H

#include "tlog_event.h"

/* Log a format, a string literal, with 0..8 arguments, which the compiler checks as printf's. Integers of up to 32 bits
 * and pointers take a word of the event, long long and double two. A text (char *) is copied as far as
 * TLOG_PRINTK_TEXT - 1 characters and must end with a NUL, also with %.*s; to log where it is, cast it to void *. Of
 * [un]signed char only the address is logged, and %s refused. With up to one word of arguments the event is one slot; with w words of arguments it takes w / 2 + 1. Arguments
 * are not always evaluated: they should do nothing else. */
#define TLOG_PRINTK(...) TLOG_PRINTK_JOIN(TLOG_PRINTK_, TLOG_PRINTK_COUNT(__VA_ARGS__))(__VA_ARGS__)

/* Bytes of a text at most, with its NUL; a multiple of 4. Longer ones are cut. */
#define TLOG_PRINTK_TEXT 64u

/* ---- how it is done --------------------------------------------------------------------------------------------- */

#define TLOG_PRINTK_JOIN(a, b)  TLOG_PRINTK_JOIN_(a, b)
#define TLOG_PRINTK_JOIN_(a, b) a##b
#define TLOG_PRINTK_COUNT(...)                                                                                         \
    TLOG_PRINTK_COUNT_(__VA_ARGS__, BAD, BAD, BAD, BAD, BAD, BAD, BAD, 8, 7, 6, 5, 4, 3, 2, 1, 0, )
#define TLOG_PRINTK_COUNT_(f, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, count, ...) count

#define TLOG_PRINTK_BAD(...) TLOG_STATIC_ASSERT(0, "TLOG_PRINTK: at most 8 arguments")

TLOG_BEGIN_C

/* Never executed: here the compiler checks arguments against the format. */
TLOG_INLINE __attribute__((format(printf, 1, 2))) void tlog_printk_check(const char *format, ...)
{
    (void)format;
}

#if TLOG_ENABLE && TLOG_TRACEEVENTS

#define TLOG_PRINTK_0(f)    TLOG_PRINTK_LOG(f, 0u, , (f))
#define TLOG_PRINTK_1(f, a) TLOG_PRINTK_LOG(f, TLOG_PRINTK_WORDS(a), TLOG_PRINTK_PUT(a), (f, TLOG_PRINTK_SEE(a)))
#define TLOG_PRINTK_2(f, a, b)                                                                                         \
    TLOG_PRINTK_LOG(f, TLOG_PRINTK_WORDS2(a, b), TLOG_PRINTK_PUT2(a, b), (f, TLOG_PRINTK_SEE2(a, b)))
#define TLOG_PRINTK_3(f, a, b, c)                                                                                      \
    TLOG_PRINTK_LOG(f, TLOG_PRINTK_WORDS2(a, b) + TLOG_PRINTK_WORDS(c), TLOG_PRINTK_PUT2(a, b) TLOG_PRINTK_PUT(c),     \
                    (f, TLOG_PRINTK_SEE2(a, b), TLOG_PRINTK_SEE(c)))
#define TLOG_PRINTK_4(f, a, b, c, d)                                                                                   \
    TLOG_PRINTK_LOG(f, TLOG_PRINTK_WORDS4(a, b, c, d), TLOG_PRINTK_PUT4(a, b, c, d), (f, TLOG_PRINTK_SEE4(a, b, c, d)))
#define TLOG_PRINTK_5(f, a, b, c, d, e)                                                                                \
    TLOG_PRINTK_LOG(f, TLOG_PRINTK_WORDS4(a, b, c, d) + TLOG_PRINTK_WORDS(e),                                          \
                    TLOG_PRINTK_PUT4(a, b, c, d) TLOG_PRINTK_PUT(e),                                                   \
                    (f, TLOG_PRINTK_SEE4(a, b, c, d), TLOG_PRINTK_SEE(e)))
#define TLOG_PRINTK_6(f, a, b, c, d, e, g)                                                                             \
    TLOG_PRINTK_LOG(f, TLOG_PRINTK_WORDS4(a, b, c, d) + TLOG_PRINTK_WORDS2(e, g),                                      \
                    TLOG_PRINTK_PUT4(a, b, c, d) TLOG_PRINTK_PUT2(e, g),                                               \
                    (f, TLOG_PRINTK_SEE4(a, b, c, d), TLOG_PRINTK_SEE2(e, g)))
#define TLOG_PRINTK_7(f, a, b, c, d, e, g, h)                                                                          \
    TLOG_PRINTK_LOG(f, TLOG_PRINTK_WORDS4(a, b, c, d) + TLOG_PRINTK_WORDS2(e, g) + TLOG_PRINTK_WORDS(h),               \
                    TLOG_PRINTK_PUT4(a, b, c, d) TLOG_PRINTK_PUT2(e, g) TLOG_PRINTK_PUT(h),                            \
                    (f, TLOG_PRINTK_SEE4(a, b, c, d), TLOG_PRINTK_SEE2(e, g), TLOG_PRINTK_SEE(h)))
#define TLOG_PRINTK_8(f, a, b, c, d, e, g, h, i)                                                                       \
    TLOG_PRINTK_LOG(f, TLOG_PRINTK_WORDS4(a, b, c, d) + TLOG_PRINTK_WORDS4(e, g, h, i),                                \
                    TLOG_PRINTK_PUT4(a, b, c, d) TLOG_PRINTK_PUT4(e, g, h, i),                                         \
                    (f, TLOG_PRINTK_SEE4(a, b, c, d), TLOG_PRINTK_SEE4(e, g, h, i)))

#ifndef __cplusplus
/* How many words an argument takes, at most. For C++ tlog_printk_cxx.h has all this. */
#define TLOG_PRINTK_WORDS(a)                                                                                           \
    _Generic((a), char * : TLOG_PRINTK_TEXT / 4u, const char * : TLOG_PRINTK_TEXT / 4u, long long : 2u,                \
             unsigned long long : 2u, float : 2u, double : 2u, long double : 2u, default : 1u)

/* Put an argument to where tlog_to points, and let that point behind it. */
#define TLOG_PRINTK_PUT(a)                                                                                             \
    tlog_to = _Generic((a), char * : tlog_printk_text, const char * : tlog_printk_text, bool : tlog_printk_int,        \
                       char : tlog_printk_int, signed char : tlog_printk_int, unsigned char : tlog_printk_int,         \
                       short : tlog_printk_int, unsigned short : tlog_printk_int, int : tlog_printk_int,               \
                       unsigned : tlog_printk_unsigned, long : tlog_printk_long,                                       \
                       unsigned long : tlog_printk_unsigned_long, long long : tlog_printk_wide,                        \
                       unsigned long long : tlog_printk_unsigned_wide, float : tlog_printk_double,                     \
                       double : tlog_printk_double, long double : tlog_printk_long_double,                             \
                       default : tlog_printk_word)(tlog_to, TLOG_PRINTK_VALUE(a));

/* Pointers, and bit-fields, which have types of their own, as a number. */
#define TLOG_PRINTK_VALUE(a)                                                                                           \
    _Generic((a), char * : (a), const char * : (a), bool : (a), char : (a), signed char : (a), unsigned char : (a),    \
             short : (a), unsigned short : (a), int : (a), unsigned : (a), long : (a), unsigned long : (a),            \
             long long : (a), unsigned long long : (a), float : (a), double : (a), long double : (a),                  \
             default : (uintptr_t)(a))

/* What the compiler checks against the format: those that it takes for texts, and that are not copied, as pointers. */
#define TLOG_PRINTK_SEE(a)                                                                                             \
    _Generic((a), signed char * : TLOG_PRINTK_VOID(a), const signed char * : TLOG_PRINTK_VOID(a),                      \
             unsigned char * : TLOG_PRINTK_VOID(a), const unsigned char * : TLOG_PRINTK_VOID(a),                       \
             volatile char * : TLOG_PRINTK_VOID(a), const volatile char * : TLOG_PRINTK_VOID(a), default : (a))
#define TLOG_PRINTK_VOID(a) ((const void *)(uintptr_t)(a))

/* Where the format goes. */
#define TLOG_PRINTK_SECTION "tlog_printk"
#define TLOG_PRINTK_PLACE
#endif

#define TLOG_PRINTK_WORDS2(a, b)       TLOG_PRINTK_WORDS(a) + TLOG_PRINTK_WORDS(b)
#define TLOG_PRINTK_WORDS4(a, b, c, d) TLOG_PRINTK_WORDS2(a, b) + TLOG_PRINTK_WORDS2(c, d)
#define TLOG_PRINTK_SEE2(a, b)         TLOG_PRINTK_SEE(a), TLOG_PRINTK_SEE(b)
#define TLOG_PRINTK_SEE4(a, b, c, d)   TLOG_PRINTK_SEE2(a, b), TLOG_PRINTK_SEE2(c, d)
#define TLOG_PRINTK_PUT2(a, b)         TLOG_PRINTK_PUT(a) TLOG_PRINTK_PUT(b)
#define TLOG_PRINTK_PUT4(a, b, c, d)   TLOG_PRINTK_PUT2(a, b) TLOG_PRINTK_PUT2(c, d)

/* words: of the arguments; put: statements that fill them; all: format and arguments in parentheses. What can have a text,
 * or does not fit into four slots, is a call, and looks at the filter before it looks at its arguments; so is all where the
 * compiler is asked for small code. */
#define TLOG_PRINTK_LOG(f, words, put, all)                                                                            \
    do {                                                                                                               \
        TLOG_PRINTK_PLACE                                                                                              \
        static const char tlog_format[] __attribute__((section(TLOG_PRINTK_SECTION), used, aligned(1))) = f;           \
        uint32_t tlog_words[(words) + 2u], *tlog_to = tlog_words;                                                      \
        if (0)                                                                                                         \
            tlog_printk_check all;                                                                                     \
        if ((words) > TLOG_PRINTK_INLINE                                                                               \
            && tlog_ring_is_class_muted(((volatile struct tlog_cpu *)tlog_cpu_here())->filter, TLOG_CLASS_CONTROL))    \
            break;                                                                                                     \
        *tlog_to++ = (uint32_t)(uintptr_t)tlog_format;                                                                 \
        put *tlog_to = 0;                                                                                              \
        if ((words) > TLOG_PRINTK_INLINE)                                                                              \
            tlog_printk_words(tlog_words, (uint32_t)(tlog_to - tlog_words));                                           \
        else                                                                                                           \
            tlog_printk_few(tlog_words, (words) + 1u);                                                                 \
    } while (0)

/* Words of arguments that are logged without a call. */
#ifdef __OPTIMIZE_SIZE__
#define TLOG_PRINTK_INLINE 1u
#else
#define TLOG_PRINTK_INLINE 7u
#endif

/* Log the address of a format and its arguments, count words. Does not look at the filter. */
void tlog_printk_words(const uint32_t *words, uint32_t count);

/* The same for two, three and four slots, by value, so that the words need not be in memory before; c to h may be 0. */
void tlog_printk_slow(uint32_t a, uint32_t b, uint32_t c, uint32_t d);
void tlog_printk_slow3(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f);
void tlog_printk_slow4(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f, uint32_t g, uint32_t h);

/* The same for a constant count of up to eight, with a look at the filter. Behind the words is a zero. */
TLOG_ALWAYS_INLINE void tlog_printk_few(const uint32_t *words, uint32_t count)
{
    struct tlog_cpu *cpu = tlog_cpu_here();
    tlog_port_home home;
    uint32_t word0 = tlog_event_first(TLOG_CLASS_CONTROL, TLOG_CONTROL_PRINTK, count);
    struct tlog_reserved at;
    if (count <= 2u) {
        tlog_event(TLOG_CLASS_CONTROL, TLOG_CONTROL_PRINTK, words[0], words[1]);
        return;
    }
    if (tlog_ring_is_class_muted(tlog_port_filter(cpu, &home), TLOG_CLASS_CONTROL))
        return;
    if (__builtin_expect(tlog_event_reserve(cpu, tlog_port_cursor(home), TLOG_TRACE_SLOTS(count), &at), 1)) {
        __asm("" : "+r"(word0)); /* one load, not two instructions that put it together */
        tlog_event_fill_all(&at, word0, words, count);
    } else if (count <= 4u)
        tlog_printk_slow(words[0], words[1], words[2], words[3]);
    else if (count <= 6u)
        tlog_printk_slow3(words[0], words[1], words[2], words[3], words[4], count > 5u ? words[5] : 0);
    else
        tlog_printk_slow4(words[0], words[1], words[2], words[3], words[4], words[5], words[6],
                          count > 7u ? words[7] : 0);
}

/* Copy a text, up to TLOG_PRINTK_TEXT bytes, padded to whole words with zeros; a null pointer is "(null)". */
uint32_t *tlog_printk_text(uint32_t *to, const char *text);

TLOG_ALWAYS_INLINE uint32_t *tlog_printk_unsigned(uint32_t *to, unsigned value)
{
    *to = value;
    return to + 1;
}

TLOG_ALWAYS_INLINE uint32_t *tlog_printk_int(uint32_t *to, int value)
{
    return tlog_printk_unsigned(to, (unsigned)value);
}

TLOG_ALWAYS_INLINE uint32_t *tlog_printk_unsigned_long(uint32_t *to, unsigned long value)
{
    return tlog_printk_unsigned(to, (unsigned)value);
}

TLOG_ALWAYS_INLINE uint32_t *tlog_printk_long(uint32_t *to, long value)
{
    return tlog_printk_unsigned(to, (unsigned)value);
}

TLOG_ALWAYS_INLINE uint32_t *tlog_printk_word(uint32_t *to, uintptr_t value)
{
    return tlog_printk_unsigned(to, (unsigned)value);
}

TLOG_ALWAYS_INLINE uint32_t *tlog_printk_unsigned_wide(uint32_t *to, unsigned long long value)
{
    to[0] = (uint32_t)value;
    to[1] = (uint32_t)(value >> 32);
    return to + 2;
}

TLOG_ALWAYS_INLINE uint32_t *tlog_printk_wide(uint32_t *to, long long value)
{
    return tlog_printk_unsigned_wide(to, (unsigned long long)value);
}

TLOG_ALWAYS_INLINE uint32_t *tlog_printk_double(uint32_t *to, double value)
{
    const union {
        double value;
        unsigned long long bits;
    } both = {value};
    return tlog_printk_unsigned_wide(to, both.bits);
}

TLOG_ALWAYS_INLINE uint32_t *tlog_printk_long_double(uint32_t *to, long double value)
{
    return tlog_printk_double(to, (double)value);
}

#else

#if TLOG_ENABLE
#define TLOG_PRINTK_NONE(...) TLOG_STATIC_ASSERT(0, "TLOG_PRINTK needs TLOG_TRACEEVENTS=1")
#else
#define TLOG_PRINTK_NONE(...)                                                                                          \
    do {                                                                                                               \
        if (0)                                                                                                         \
            tlog_printk_check(__VA_ARGS__);                                                                            \
    } while (0)
#endif

#define TLOG_PRINTK_0(...) TLOG_PRINTK_NONE(__VA_ARGS__)
#define TLOG_PRINTK_1(...) TLOG_PRINTK_NONE(__VA_ARGS__)
#define TLOG_PRINTK_2(...) TLOG_PRINTK_NONE(__VA_ARGS__)
#define TLOG_PRINTK_3(...) TLOG_PRINTK_NONE(__VA_ARGS__)
#define TLOG_PRINTK_4(...) TLOG_PRINTK_NONE(__VA_ARGS__)
#define TLOG_PRINTK_5(...) TLOG_PRINTK_NONE(__VA_ARGS__)
#define TLOG_PRINTK_6(...) TLOG_PRINTK_NONE(__VA_ARGS__)
#define TLOG_PRINTK_7(...) TLOG_PRINTK_NONE(__VA_ARGS__)
#define TLOG_PRINTK_8(...) TLOG_PRINTK_NONE(__VA_ARGS__)

#endif

TLOG_END_C

#if defined(__cplusplus) && TLOG_ENABLE && TLOG_TRACEEVENTS
#include "tlog_printk_cxx.h"
#endif

#endif
