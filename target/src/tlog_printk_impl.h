/* SPDX-License-Identifier: MIT */
/* tlog_printk_impl.h - how TLOG_PRINTK() stores a format's address and its arguments.
 *
 * Private to tlog: firmware includes tlog.h.
 *
 * TLOG_PRINTK() counts its arguments and becomes TLOG_PRINTK_n. That computes, for each argument from its type: how
 * many words it takes (TLOG_PRINTK_WORDS), how it is stored (TLOG_PRINTK_PUT), and as what the compiler checks it
 * against the format (TLOG_PRINTK_SEE). TLOG_PRINTK_LOG() puts it together: the format into its section, the words into
 * an array, the array into an event. */
#ifndef TLOG_PRINTK_IMPL_H
#define TLOG_PRINTK_IMPL_H

#ifndef TLOG_PRINTK_H
#error "tlog: include tlog.h"
#endif

#include "tlog_event.h"

TLOG_BEGIN_C

/* ---- one macro for each number of arguments --------------------------------------------------------------------- */

#define TLOG_PRINTK_0(f) TLOG_PRINTK_LOG(f, 0u, , (f))
#define TLOG_PRINTK_1(f, a)                                                                                            \
    TLOG_PRINTK_LOG_(f, TLOG_PRINTK_WORDS(a), TLOG_PRINTK_PUT(a), (f, TLOG_PRINTK_SEE(a)),                             \
                     TLOG_PRINTK_WORDS(a) == TLOG_PRINTK_TEXT / 4u, TLOG_PRINTK_AS_TEXT(a))
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

/* ---- one argument: in C by _Generic. In C++ tlog_printk_cxx.h does the same by overloads ------------------------ */

#ifndef __cplusplus
/* The most words that an argument takes. */
#define TLOG_PRINTK_WORDS(a)                                                                                           \
    _Generic((a), char * : TLOG_PRINTK_TEXT / 4u, const char * : TLOG_PRINTK_TEXT / 4u, long long : 2u,                \
             unsigned long long : 2u, float : 2u, double : 2u, long double : 2u, default : 1u)

/* Store an argument at tlog_to, and advance tlog_to behind it. */
#define TLOG_PRINTK_PUT(a)                                                                                             \
    tlog_to = _Generic((a), char * : tlog_printk_text, const char * : tlog_printk_text, bool : tlog_printk_int,        \
                       char : tlog_printk_int, signed char : tlog_printk_int, unsigned char : tlog_printk_int,         \
                       short : tlog_printk_int, unsigned short : tlog_printk_int, int : tlog_printk_int,               \
                       unsigned : tlog_printk_unsigned, long : tlog_printk_long,                                       \
                       unsigned long : tlog_printk_unsigned_long, long long : tlog_printk_wide,                        \
                       unsigned long long : tlog_printk_unsigned_wide, float : tlog_printk_double,                     \
                       double : tlog_printk_double, long double : tlog_printk_long_double,                             \
                       default : tlog_printk_word)(tlog_to, TLOG_PRINTK_VALUE(a));

/* The value to store: pointers become numbers, and so do bit-fields, which have types of their own. */
#define TLOG_PRINTK_VALUE(a)                                                                                           \
    _Generic((a), char * : (a), const char * : (a), bool : (a), char : (a), signed char : (a), unsigned char : (a),    \
             short : (a), unsigned short : (a), int : (a), unsigned : (a), long : (a), unsigned long : (a),            \
             long long : (a), unsigned long long : (a), float : (a), double : (a), long double : (a),                  \
             default : (uintptr_t)(a))

/* The argument as the compiler checks it against the format: pointers to characters that are not copied become void *,
 * so that %s is refused for them. */
#define TLOG_PRINTK_SEE(a)                                                                                             \
    _Generic((a), signed char * : TLOG_PRINTK_VOID(a), const signed char * : TLOG_PRINTK_VOID(a),                      \
             unsigned char * : TLOG_PRINTK_VOID(a), const unsigned char * : TLOG_PRINTK_VOID(a),                       \
             volatile char * : TLOG_PRINTK_VOID(a), const volatile char * : TLOG_PRINTK_VOID(a), default : (a))
#define TLOG_PRINTK_VOID(a) ((const void *)(uintptr_t)(a))

/* A text as it is, anything else as none. */
#define TLOG_PRINTK_AS_TEXT(a) _Generic((a), char * : (a), const char * : (a), default : (const char *)0)

/* The section that the format is placed in. */
#define TLOG_PRINTK_SECTION "tlog_printk"
#define TLOG_PRINTK_PLACE
#endif

/* ---- all arguments ---------------------------------------------------------------------------------------------- */

#define TLOG_PRINTK_WORDS2(a, b)       TLOG_PRINTK_WORDS(a) + TLOG_PRINTK_WORDS(b)
#define TLOG_PRINTK_WORDS4(a, b, c, d) TLOG_PRINTK_WORDS2(a, b) + TLOG_PRINTK_WORDS2(c, d)
#define TLOG_PRINTK_SEE2(a, b)         TLOG_PRINTK_SEE(a), TLOG_PRINTK_SEE(b)
#define TLOG_PRINTK_SEE4(a, b, c, d)   TLOG_PRINTK_SEE2(a, b), TLOG_PRINTK_SEE2(c, d)
#define TLOG_PRINTK_PUT2(a, b)         TLOG_PRINTK_PUT(a) TLOG_PRINTK_PUT(b)
#define TLOG_PRINTK_PUT4(a, b, c, d)   TLOG_PRINTK_PUT2(a, b) TLOG_PRINTK_PUT2(c, d)

/* Log format f.
 *   words: the most words that the arguments take
 *   put:   statements that store them
 *   all:   format and arguments, in parentheses
 * With up to TLOG_PRINTK_INLINE words of arguments the event is logged inline, or by a call that takes them by value.
 * With more, which includes all events with a text, the filter is looked at before the arguments are evaluated, and the
 * event is logged by a call that reads them from memory. An only argument
 * that is a text goes into the slots without a copy between (is_text, text). */
#define TLOG_PRINTK_LOG(f, words, put, all) TLOG_PRINTK_LOG_(f, words, put, all, false, TLOG_NULL)
#define TLOG_PRINTK_LOG_(f, words, put, all, is_text, text)                                                            \
    do {                                                                                                               \
        TLOG_PRINTK_PLACE                                                                                              \
        static const char tlog_format[] __attribute__((section(TLOG_PRINTK_SECTION), used, aligned(1))) = f;           \
        uint32_t tlog_words[(words) + 2u], *tlog_to = tlog_words;                                                      \
                                                                                                                       \
        if (0)                                                                                                         \
            tlog_printk_check all;                                                                                     \
        if ((words) > TLOG_PRINTK_INLINE                                                                               \
            && tlog_ring_is_class_muted(tlog_cpu_here_volatile()->filter, TLOG_CLASS_CONTROL))                         \
            break;                                                                                                     \
        if (is_text) {                                                                                                 \
            TLOG_NEED_OPTIONS();                                                                                       \
            tlog_text_behind(TLOG_ADDRESS(tlog_format), text,                                                          \
                             TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_PRINTK));                                \
            break;                                                                                                     \
        }                                                                                                              \
        *tlog_to++ = TLOG_ADDRESS(tlog_format);                                                                        \
        put *tlog_to = 0;                                                                                              \
        if ((words) > TLOG_PRINTK_INLINE) {                                                                            \
            TLOG_NEED_OPTIONS();                                                                                       \
            tlog_printk_words(tlog_words, TLOG_U32(tlog_to - tlog_words));                                             \
        } else                                                                                                         \
            TLOG_PRINTK_FEW(words)                                                                                     \
    } while (0)

/* The most words of arguments that are logged inline, or passed by value; how that is done. Behind two words of
 * arguments there is another one, or a zero. */
#if TLOG_BY_CALL
#define TLOG_PRINTK_INLINE 3u
#define TLOG_PRINTK_FEW(words)                                                                                         \
    {                                                                                                                  \
        TLOG_NEED_OPTIONS();                                                                                           \
        if ((words) > 1u)                                                                                              \
            tlog_printk_two(tlog_words[0], tlog_words[1], tlog_words[(words) > 1u ? 2 : 0],                            \
                            tlog_words[(words) > 1u ? 3 : 0]);                                                         \
        else                                                                                                           \
            tlog_printk_one(tlog_words[0], tlog_words[1]);                                                             \
    }
#else
#define TLOG_PRINTK_INLINE     7u
#define TLOG_PRINTK_FEW(words) tlog_printk_few(tlog_words, (words) + 1u);
#endif

/* ---- tlog_printk.c. Callable from: any context ------------------------------------------------------------------- */

/* Log count words, the address of a format and its arguments, unless the filter suppresses it. */
void tlog_printk_words(const uint32_t *words, uint32_t count);

/* The same for events of one and two slots; words behind the last argument are 0. */
void tlog_printk_one(uint32_t a, uint32_t b);
void tlog_printk_two(uint32_t a, uint32_t b, uint32_t c, uint32_t d);

/* The same for events of two, three and four slots, without a look at the filter. The words are passed by value, so
 * that a caller need not have them in memory; words behind the last argument are 0. */
void tlog_printk_slow(uint32_t a, uint32_t b, uint32_t c, uint32_t d);
void tlog_printk_slow3(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f);
void tlog_printk_slow4(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f, uint32_t g, uint32_t h);

/* The same for a constant count of up to 8, inline. A zero stands behind the words. */
TLOG_ALWAYS_INLINE void tlog_printk_few(const uint32_t *words, uint32_t count)
{
    struct tlog_cpu *cpu = tlog_cpu_here();
    tlog_port_home home;
    uint32_t head = tlog_event_first(TLOG_CLASS_CONTROL, TLOG_CONTROL_PRINTK, count);
    struct tlog_reserved at;
    if (count <= 2u) {
        tlog_event(TLOG_CLASS_CONTROL, TLOG_CONTROL_PRINTK, words[0], words[1]);
        return;
    }
    if (tlog_ring_is_class_muted(tlog_port_filter(cpu, &home), TLOG_CLASS_CONTROL))
        return;
    if (__builtin_expect(tlog_event_reserve(cpu, tlog_port_cursor(home), TLOG_TRACE_SLOTS(count), &at), 1)) {
        __asm("" : "+r"(head)); /* makes it one load; otherwise two instructions compute it */
        tlog_event_fill_all(&at, head, words, count);
    } else if (count <= 4u)
        tlog_printk_slow(words[0], words[1], words[2], words[3]);
    else if (count <= 6u)
        tlog_printk_slow3(words[0], words[1], words[2], words[3], words[4], count > 5u ? words[5] : 0);
    else
        tlog_printk_slow4(words[0], words[1], words[2], words[3], words[4], words[5], words[6],
                          count > 7u ? words[7] : 0);
}

/* Copy a text to `to`: at most TLOG_PRINTK_TEXT bytes with its NUL, padded with zeros to whole words. For a null
 * pointer the text is "(null)". Returns the address behind it. */
uint32_t *tlog_printk_text(uint32_t *to, const char *text);

/* Log an event that ends with a text, without a look at the filter: the text alone, behind one word, or behind count
 * words, where there is room for the text. head is without the tag and the structure. */
void tlog_text_alone(const char *text, uint32_t head);
void tlog_text_behind(uint32_t first, const char *text, uint32_t head);
void tlog_text_words(uint32_t *words, uint32_t count, const char *text, uint32_t head);

/* Store a value of each other type at `to`, the low word first. They return the address behind it. */

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
    return tlog_printk_unsigned(to, TLOG_U32(value));
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

TLOG_END_C

#ifdef __cplusplus
#include "tlog_printk_cxx.h"
#endif

#endif
