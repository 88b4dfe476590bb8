/* tlog_cxx.h - what all headers need, to be read by C++17 as well as by C11.
 *
 * Private to tlog. The runtime is compiled as C; what C++ calls of it has C's linkage. */
#ifndef TLOG_CXX_H
#define TLOG_CXX_H

/* In C++ a function that has the name of a struct shadows its constructor. */
#ifdef __cplusplus
#define TLOG_EXTERN_C extern "C"
#define TLOG_BEGIN_C                                                                                                   \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") extern "C"                           \
    {
#define TLOG_END_C                                                                                                     \
    }                                                                                                                  \
    _Pragma("GCC diagnostic pop")
#define TLOG_STATIC_ASSERT static_assert
#define TLOG_LITERAL(tag)  tag
#else
#define TLOG_EXTERN_C
#define TLOG_BEGIN_C
#define TLOG_END_C
#define TLOG_STATIC_ASSERT _Static_assert
#define TLOG_LITERAL(tag)  (struct tag)
#endif

/* Functions in headers are not instrumented (-finstrument-functions), for they are part of the call that they log. */
#define TLOG_INLINE        static inline __attribute__((no_instrument_function))
#define TLOG_ALWAYS_INLINE static inline __attribute__((always_inline, no_instrument_function))

#endif
