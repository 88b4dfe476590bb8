/* SPDX-License-Identifier: MIT */
/* tlog_printk_cxx.h - what tlog_printk_impl.h does by _Generic in C, by overloads in C++.
 *
 * Private to tlog: firmware includes tlog.h. */
#ifndef TLOG_PRINTK_CXX_H
#define TLOG_PRINTK_CXX_H

#ifndef TLOG_PRINTK_H
#error "tlog: include tlog.h"
#endif

TLOG_BEGIN_CXX

/* Store a pointer that is no text. */
TLOG_ALWAYS_INLINE uint32_t *tlog_printk_pointer(uint32_t *to, const volatile void *value)
{
    return tlog_printk_word(to, reinterpret_cast<uintptr_t>(value));
}

/* For an argument of `type`: tlog_printk_size() tells how many words it takes, by the size of what it returns, and is
 * never defined; tlog_printk_put() stores it by calling `function`. */
#define TLOG_PRINTK_TYPE(type, words, function)                                                                        \
    char(&tlog_printk_size(type))[words];                                                                              \
    TLOG_ALWAYS_INLINE uint32_t *tlog_printk_put(uint32_t *to, type value)                                             \
    {                                                                                                                  \
        return function(to, value);                                                                                    \
    }
TLOG_PRINTK_TYPE(const char *, TLOG_PRINTK_TEXT / 4u, tlog_printk_text)
TLOG_PRINTK_TYPE(const volatile void *, 1, tlog_printk_pointer)
TLOG_PRINTK_TYPE(int, 1, tlog_printk_int)
TLOG_PRINTK_TYPE(unsigned, 1, tlog_printk_unsigned)
TLOG_PRINTK_TYPE(long, 1, tlog_printk_long)
TLOG_PRINTK_TYPE(unsigned long, 1, tlog_printk_unsigned_long)
TLOG_PRINTK_TYPE(long long, 2, tlog_printk_wide)
TLOG_PRINTK_TYPE(unsigned long long, 2, tlog_printk_unsigned_wide)
TLOG_PRINTK_TYPE(double, 2, tlog_printk_double)
TLOG_PRINTK_TYPE(long double, 2, tlog_printk_long_double)

#define TLOG_PRINTK_WORDS(a) (TLOG_U32(sizeof(tlog_printk_size(a))))
#define TLOG_PRINTK_PUT(a)   tlog_to = tlog_printk_put(tlog_to, a);

/* A text as it is, anything else as none. */
template <class Type> static inline const char *tlog_printk_as_text(Type)
{
    return nullptr;
}
static inline const char *tlog_printk_as_text(const char *text)
{
    return text;
}
static inline const char *tlog_printk_as_text(char *text)
{
    return text;
}
#define TLOG_PRINTK_AS_TEXT(a) tlog_printk_as_text(a)

/* The argument as the compiler checks it against the format: pointers become const void *, except pointers to texts,
 * which are copied. */
template <class Type> static inline Type tlog_printk_see(Type value)
{
    return value;
}
template <class Type> static inline const void *tlog_printk_see(Type *value)
{
    return reinterpret_cast<const void *>(reinterpret_cast<uintptr_t>(value));
}
static inline const char *tlog_printk_see(const char *text)
{
    return text;
}
static inline const char *tlog_printk_see(char *text)
{
    return text;
}
#define TLOG_PRINTK_SEE(a) tlog_printk_see(a)

/* Each format has a section of its own: formats of inline functions cannot share a section with others. */
#define TLOG_PRINTK_SECTION      TLOG_PRINTK_NUMBERED(__COUNTER__)
#define TLOG_PRINTK_NUMBERED(n)  TLOG_PRINTK_NUMBERED_(n)
#define TLOG_PRINTK_NUMBERED_(n) "tlog_printk." #n

/* gcc ignores the section of an object in a template. Templates are refused; their names contain "[with". */
#ifdef __clang__
#define TLOG_PRINTK_PLACE
#else
constexpr bool tlog_printk_is_with(const char *name)
{
    return name[0] == '[' && name[1] == 'w' && name[2] == 'i' && name[3] == 't' && name[4] == 'h';
}
/* Whether "[with" begins at one of the n characters from `name` on. By halves, because C++11 has no loop here, and the
 * compiler limits how deep calls nest. */
constexpr bool tlog_printk_is_template(const char *name, uint32_t n)
{
    return n > 1 ? tlog_printk_is_template(name, n / 2) || tlog_printk_is_template(name + n / 2, n - n / 2)
                 : tlog_printk_is_with(name);
}
#define TLOG_PRINTK_PLACE                                                                                              \
    static_assert(!tlog_printk_is_template(__PRETTY_FUNCTION__, sizeof(__PRETTY_FUNCTION__)),                          \
                  "TLOG_PRINTK cannot stand in a template: let it call a function that has it");
#endif

TLOG_END_CXX

#endif
