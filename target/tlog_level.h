/* SPDX-License-Identifier: MIT */
/* tlog_level.h - levels: texts and own events that are compiled, or recorded, only if they matter enough.
 *
 *     TLOG_WARNING("motor %u is hot: %d", motor, temperature);
 *
 * Each level has a number. Texts and events above TLOG_LEVEL are not compiled, and leave neither code nor a format
 * string in the firmware. The texts that are compiled can be suppressed at run time by level (tlog_filter_level()), own
 * events by group. Their level is TLOG_EVENT_LEVEL (tlog_define.h). tlog.h includes this header. */
#include "tlog.h" /* includes this header where it belongs */

#ifndef TLOG_LEVEL_H
#define TLOG_LEVEL_H

#define TLOG_LEVEL_ERROR   1
#define TLOG_LEVEL_WARNING 2
#define TLOG_LEVEL_INFO    3
#define TLOG_LEVEL_DEBUG   4

/* The highest level that is compiled. Files may have different ones: define it before you include tlog.h.
 * Range: 0 (none) .. 4, a plain number. Default: 4. */
#ifndef TLOG_LEVEL
#define TLOG_LEVEL 4
#endif

/* TLOG_ERROR(format, arguments...) to TLOG_DEBUG(): TLOG_PRINTK() with the name of the level and ": " before the text.
 * These are part of the format string, so they cost nothing on the target. What holds for TLOG_PRINTK() holds here. The
 * arguments are evaluated only if the level is recorded; that test takes four instructions.
 * Callable from: any context. */
#if TLOG_LEVEL >= 1
#define TLOG_ERROR(...) TLOG_LEVEL_TEXT(TLOG_LEVEL_ERROR, "error: " __VA_ARGS__)
#else
#define TLOG_ERROR(...) TLOG_LEVEL_OFF(__VA_ARGS__)
#endif
#if TLOG_LEVEL >= 2
#define TLOG_WARNING(...) TLOG_LEVEL_TEXT(TLOG_LEVEL_WARNING, "warning: " __VA_ARGS__)
#else
#define TLOG_WARNING(...) TLOG_LEVEL_OFF(__VA_ARGS__)
#endif
#if TLOG_LEVEL >= 3
#define TLOG_INFO(...) TLOG_LEVEL_TEXT(TLOG_LEVEL_INFO, "info: " __VA_ARGS__)
#else
#define TLOG_INFO(...) TLOG_LEVEL_OFF(__VA_ARGS__)
#endif
#if TLOG_LEVEL >= 4
#define TLOG_DEBUG(...) TLOG_LEVEL_TEXT(TLOG_LEVEL_DEBUG, "debug: " __VA_ARGS__)
#else
#define TLOG_DEBUG(...) TLOG_LEVEL_OFF(__VA_ARGS__)
#endif

TLOG_BEGIN_CALLS

/* Suppress (true) or record (false) the texts of a level, 1..4; at reset all are recorded. On all CPUs. Other levels
 * are ignored. Callable from: any context. */
TLOG_EVENT_CALL void tlog_filter_level(uint32_t level, bool suppress) TLOG_WHEN_OFF();

TLOG_END_CALLS

/* ---- what these expand to --------------------------------------------------------------------------------------- */

/* Bit n: level n is suppressed (tlog_printk.c). */
TLOG_BEGIN_C
extern uint32_t tlog_muted_levels;
TLOG_END_C

#if TLOG_ENABLE
#define TLOG_LEVEL_IS_MUTED(level)                                                                                     \
    __builtin_expect((*(const volatile uint32_t *)&tlog_muted_levels & 1u << (level)) != 0, 0)
#else
#define TLOG_LEVEL_IS_MUTED(level) false
#endif
#define TLOG_LEVEL_TEXT(level, ...)                                                                                    \
    do {                                                                                                               \
        if (!TLOG_LEVEL_IS_MUTED(level))                                                                               \
            TLOG_PRINTK(__VA_ARGS__);                                                                                  \
    } while (0)

/* The compiler still checks the arguments against the format. */
#define TLOG_LEVEL_OFF(...)                                                                                            \
    do {                                                                                                               \
        if (0)                                                                                                         \
            tlog_printk_check(__VA_ARGS__);                                                                            \
    } while (0)

#endif
