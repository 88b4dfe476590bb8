/* SPDX-License-Identifier: MIT */
/* tlog_printk.h - TLOG_PRINTK(): printf whose formats stay on the host.
 *
 *     TLOG_PRINTK("temp %d of %s", temperature, name);
 *
 * Nothing is formatted on the target. The format takes no flash: it stands in section tlog_printk of the ELF file,
 * which is not loaded. The event holds the format's address and the arguments (class CONTROL, event
 * TLOG_CONTROL_PRINTK, see target/FORMAT.md). Given the ELF file, the decoder makes the text of them.
 *
 * Needs TLOG_TRACEEVENTS = 1: without it a use does not compile. The linker script should have that section
 * (linker/tlog.ld); without it formats are loaded like other constants, and nothing else changes. With TLOG_ENABLE = 0
 * the compiler checks arguments, and does not evaluate them. tlog.h includes this header. */
#include "tlog.h" /* includes this header where it belongs */

#ifndef TLOG_PRINTK_H
#define TLOG_PRINTK_H

/* Log a format with 0..8 arguments.
 *
 * The format must be a string literal. The compiler checks the arguments against it as for printf. They should have no
 * side effects: they are not evaluated while class CONTROL is suppressed or logging is disabled.
 *
 * Words that an argument takes in the event:
 *   1   integers of up to 32 bits, bit-fields, and pointers
 *   2   long long, float, double; long double is logged as a double
 *   n   char *, const char *: the text is copied, up to TLOG_PRINTK_TEXT bytes, 4 bytes to the word. It must end with a
 *       NUL, also with %.*s. To log the pointer instead, cast it to void * and write %p.
 * Of pointers to signed char, unsigned char and volatile char only the address is logged, and %s is refused.
 *
 * Size of the event, with w words of arguments: 1 slot for w = 0 or 1, else w / 2 + 1 slots, of 16 bytes each. Up to 7
 * words (with -Os 1), without a text, are logged inline, without a call on the usual path. Otherwise the words of the
 * event stand on the stack: 64 bytes for each text, whatever its length.
 *
 * In C++ it cannot be used in a template, because gcc would place the format among the program's data. Let the template
 * call a function that uses it.
 *
 * Callable from: any context. */
#define TLOG_PRINTK(...) TLOG_PRINTK_JOIN(TLOG_PRINTK_, TLOG_PRINTK_COUNT(__VA_ARGS__))(__VA_ARGS__)

/* The most bytes of a text that are logged, its NUL included; a multiple of 4. A longer text is cut. */
#define TLOG_PRINTK_TEXT 64u

/* ---- how the arguments are counted and checked ------------------------------------------------------------------ */

#define TLOG_PRINTK_JOIN(a, b)  TLOG_PRINTK_JOIN_(a, b)
#define TLOG_PRINTK_JOIN_(a, b) a##b

/* The number of arguments behind the format; BAD for more than 8. */
#define TLOG_PRINTK_COUNT(...)                                                                                         \
    TLOG_PRINTK_COUNT_(__VA_ARGS__, BAD, BAD, BAD, BAD, BAD, BAD, BAD, 8, 7, 6, 5, 4, 3, 2, 1, 0, )
#define TLOG_PRINTK_COUNT_(f, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, count, ...) count

#define TLOG_PRINTK_BAD(...) TLOG_STATIC_ASSERT(0, "TLOG_PRINTK: at most 8 arguments")

TLOG_BEGIN_C

/* Never called at run time: here the compiler checks the arguments against the format. */
TLOG_INLINE __attribute__((format(printf, 1, 2))) void tlog_printk_check(const char *format, ...)
{
    (void)format;
}

TLOG_END_C

#if TLOG_ENABLE && TLOG_TRACEEVENTS
#include "src/tlog_printk_impl.h" /* TLOG_PRINTK_0() to TLOG_PRINTK_8() */
#else

/* Without TLOG_TRACEEVENTS a use is refused; with TLOG_ENABLE = 0 its arguments are only checked. */
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

#endif
