/* tlog_cxx.h - what the headers need to be read by C++17 as well as by C11.
 *
 * Private to tlog. The runtime is compiled as C; what C++ calls of it has C's linkage. */
#ifndef TLOG_CXX_H
#define TLOG_CXX_H

#ifdef __cplusplus
#define TLOG_EXTERN_C      extern "C"
#define TLOG_BEGIN_C       extern "C" {
#define TLOG_END_C         }
#define TLOG_STATIC_ASSERT static_assert
#else
#define TLOG_EXTERN_C
#define TLOG_BEGIN_C
#define TLOG_END_C
#define TLOG_STATIC_ASSERT _Static_assert
#endif

#endif
