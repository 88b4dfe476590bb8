/* SPDX-License-Identifier: MIT */
/* tlog_cxx.h - what all headers need so that C and C++11 to C++20 compile them. The runtime needs C11; files that only
 * include headers, such as a kernel's, may be C99, or gnu89.
 *
 * Private to tlog. The runtime is compiled as C; what C++ calls of it is declared extern "C". */
#ifndef TLOG_CXX_H
#define TLOG_CXX_H

/* TLOG_BEGIN_C and TLOG_END_C enclose declarations of C. They silence -Wshadow in C++, where a function with the name
 * of a struct shadows the struct's constructor (tlog_pack() and struct tlog_pack). TLOG_BEGIN_CXX and TLOG_END_CXX
 * enclose templates and overloads, for files that include a header in extern "C" { }. TLOG_LITERAL(tag){...} is a
 * compound literal. */
#ifdef __cplusplus
#define TLOG_EXTERN_C extern "C"
#define TLOG_BEGIN_C                                                                                                   \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") extern "C"                           \
    {
#define TLOG_END_C                                                                                                     \
    }                                                                                                                  \
    _Pragma("GCC diagnostic pop")
#define TLOG_BEGIN_CXX     extern "C++" {
#define TLOG_END_CXX       }
#define TLOG_STATIC_ASSERT static_assert
#define TLOG_LITERAL(tag)  tag
#else
#define TLOG_EXTERN_C
#define TLOG_BEGIN_C
#define TLOG_END_C
#define TLOG_STATIC_ASSERT __extension__ _Static_assert
#define TLOG_LITERAL(tag)  (struct tag)
#endif

/* TLOG_U32(value) is a number as uint32_t; TLOG_U64(value) as 64 bits; TLOG_ADDRESS(pointer) an address as uint32_t;
 * TLOG_NULL no pointer. In C++ they are no casts of C, which -Wold-style-cast and -Wuseless-cast would report in the
 * files of users. */
#ifdef __cplusplus
TLOG_BEGIN_CXX
template <class Type> constexpr inline __attribute__((always_inline)) __UINT32_TYPE__ tlog_u32(Type value)
{
    return static_cast<__UINT32_TYPE__>(value);
}
template <class Type> constexpr inline __attribute__((always_inline)) unsigned long long tlog_u64(Type value)
{
    return static_cast<unsigned long long>(value);
}
static inline __attribute__((always_inline)) __UINT32_TYPE__ tlog_address(const volatile void *pointer)
{
    return tlog_u32(reinterpret_cast<__UINTPTR_TYPE__>(pointer));
}
TLOG_END_CXX
#define TLOG_U32(value)       tlog_u32(value)
#define TLOG_U64(value)       tlog_u64(value)
#define TLOG_ADDRESS(pointer) tlog_address(pointer)
#define TLOG_NULL             nullptr
#else
#define TLOG_U32(value)       ((uint32_t)(value))
#define TLOG_U64(value)       ((unsigned long long)(value))
#define TLOG_ADDRESS(pointer) ((uint32_t)(uintptr_t)(pointer))
#define TLOG_NULL             ((void *)0)
#endif

/* Functions of headers. They are not instrumented (-finstrument-functions): they run as part of the function that logs,
 * and would otherwise log themselves. */
#define TLOG_INLINE        static inline __attribute__((no_instrument_function))
#define TLOG_ALWAYS_INLINE static inline __attribute__((always_inline, no_instrument_function))
/* A function that an own event is. Without optimisation gcc compiles it for speed nevertheless, as a function of its
 * own, as it does the runtime (tlog_speed.h): packed into words by code that is not optimised, its fields would take
 * hundreds of instructions. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#define TLOG_EVENT_FUNCTION                                                                                            \
    static inline __attribute__((no_instrument_function, optimize("O2", "inline", "no-tree-loop-distribute-patterns")))
#else
#define TLOG_EVENT_FUNCTION TLOG_ALWAYS_INLINE
#endif
/* The same for the runtime's own files, behind "static". */
#define TLOG_FORCE_INLINE inline __attribute__((always_inline))
#define TLOG_NOINLINE     __attribute__((noinline))

/* TLOG_CHECK_PAR1(value): refuse a constant that does not fit into 16 bits. What is a constant the language decides,
 * not the optimiser: so the answer is the same at each level, and a variable is never refused. In C the function is
 * never defined, and its call stands in the program only if the value is refused. */
#define TLOG_PAR1_TEXT "tlog: par1 is 0..65535: a record has 16 bits for it"
#ifdef __cplusplus
#define TLOG_CHECK_PAR1(value) static_assert(!__builtin_constant_p(value) || TLOG_U64(value) <= 0xFFFFu, TLOG_PAR1_TEXT)
#else
void tlog_refuse_par1(void) __attribute__((error(TLOG_PAR1_TEXT)));
#define TLOG_CHECK_PAR1(value)                                                                                         \
    if ((unsigned long long)__builtin_choose_expr(__builtin_constant_p(value), (value), 0) > 0xFFFFu)                  \
    tlog_refuse_par1()
#endif

#endif
