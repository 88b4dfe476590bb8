/* SPDX-License-Identifier: MIT */
/* tlog_call.h - how the public headers declare a call: once, for TLOG_ENABLE = 1 and for TLOG_ENABLE = 0.
 *
 * Private to tlog. A declaration of a public header looks like this:
 *
 *     TLOG_CALL uint32_t tlog_dropped(void) TLOG_WHEN_OFF(return 0);
 *
 * With TLOG_ENABLE = 1 it declares a function of the runtime:
 *
 *     uint32_t tlog_dropped(void);
 *
 * With TLOG_ENABLE = 0 it defines a function that does what TLOG_WHEN_OFF() holds, which may be nothing. The compiler
 * checks and evaluates the arguments as it does for the real call, and nothing else is left of it:
 *
 *     static inline uint32_t tlog_dropped(void) { return 0; }
 *
 * Inline calls (TLOG_INLINE, TLOG_ALWAYS_INLINE) have one definition in a private header, whose body looks at
 * TLOG_ENABLE.
 *
 * Some calls are there in some configurations only:
 *   TLOG_ARENA_CALL   a function that needs TLOG_ARENA = 1; without it a use of the call is an error at compile time
 *   TLOG_EVENT_CALL   a function that needs TLOG_TRACEEVENTS = 1; likewise
 *   TLOG_EVENT_INLINE the same for an inline call
 *   TLOG_RUNS_CALL    a function that needs TLOG_RUNS > 1. With TLOG_RUNS = 1 or TLOG_ENABLE = 0 it does what its
 *                     TLOG_WITHOUT_RUNS() holds
 *   TLOG_FORGET_CALL  a function that needs TLOG_MINIMAL = 0. With TLOG_MINIMAL = 1 or TLOG_ENABLE = 0 it does nothing
 *
 * TLOG_BEGIN_CALLS and TLOG_END_CALLS enclose these declarations. */
#ifndef TLOG_CALL_H
#define TLOG_CALL_H

#include "tlog_config.h"
#include "tlog_cxx.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether the file is compiled without optimisation (1), and whether events are calls into the runtime there: without
 * optimisation, where inlined code would be ten times as long, and where it is to be small. The runtime's own files are
 * always optimised (tlog_speed.h). -Og looks like -O1, and does well with inlined events. */
#ifdef __OPTIMIZE__
#define TLOG_UNOPTIMIZED 0
#else
#define TLOG_UNOPTIMIZED 1
#endif
#if TLOG_UNOPTIMIZED || defined(__OPTIMIZE_SIZE__)
#define TLOG_BY_CALL 1
#else
#define TLOG_BY_CALL 0
#endif

/* A function's body. The declaration behind it changes nothing; it takes the semicolon that follows TLOG_WHEN_OFF(),
 * because ISO C does not allow one alone. */
#define TLOG_BODY(...)                                                                                                 \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }                                                                                                                  \
    struct tlog_chunk

#if TLOG_ENABLE
#define TLOG_CALL
#define TLOG_WHEN_OFF(...)
#else
#define TLOG_CALL     TLOG_ALWAYS_INLINE
#define TLOG_WHEN_OFF TLOG_BODY
#endif

/* Wait for an interrupt. */
#ifdef __arm__
#define TLOG_PORT_WAIT() __asm volatile("dsb\n\twfi" ::: "memory")
#else
#define TLOG_PORT_WAIT() ((void)0)
#endif

#if TLOG_ENABLE && !TLOG_ARENA
#define TLOG_ARENA_CALL __attribute__((error("tlog: chunks made at run time need TLOG_ARENA = 1")))
#else
#define TLOG_ARENA_CALL TLOG_CALL
#endif

#if TLOG_ENABLE && !TLOG_TRACEEVENTS
#define TLOG_EVENT_CALL   __attribute__((error("tlog: traceevents need TLOG_TRACEEVENTS = 1")))
#define TLOG_EVENT_INLINE TLOG_EVENT_CALL
#else
#define TLOG_EVENT_CALL   TLOG_CALL
#define TLOG_EVENT_INLINE TLOG_ALWAYS_INLINE
#endif

#if TLOG_ENABLE && !TLOG_MINIMAL
#define TLOG_FORGET_CALL
#define TLOG_WITHOUT_FORGET(...)
#else
#define TLOG_FORGET_CALL    TLOG_ALWAYS_INLINE
#define TLOG_WITHOUT_FORGET TLOG_BODY
#endif

#if TLOG_ENABLE && TLOG_RUNS > 1
#define TLOG_RUNS_CALL
#define TLOG_WITHOUT_RUNS(...)
#else
#define TLOG_RUNS_CALL    TLOG_ALWAYS_INLINE
#define TLOG_WITHOUT_RUNS TLOG_BODY
#endif

/* Most bodies in TLOG_WHEN_OFF() use none of the parameters. */
#define TLOG_BEGIN_CALLS                                                                                               \
    TLOG_BEGIN_C                                                                                                       \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-parameter\"")
#define TLOG_END_CALLS _Pragma("GCC diagnostic pop") TLOG_END_C

#endif
