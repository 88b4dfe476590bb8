/* SPDX-License-Identifier: MIT */
/* tlog_need.h - lets the linker refuse files that were compiled with other options than the runtime.
 *
 * Private to tlog.
 *
 * For options that change inlined code, or the state that it uses; others need no such check. Inlined code that logs
 * refers to a symbol that bears the option and its value, such as tlog_all_files_need_TLOG_CONTEXT_1. tlog.c defines
 * the symbols of the values that it was compiled with. So a file with another value leaves an undefined reference with
 * that name. The references are relocations of type NONE: they change no byte of the program. The symbols are absolute:
 * they take no memory. */
#ifndef TLOG_NEED_H
#define TLOG_NEED_H

#include "tlog_config.h"

/* TLOG_NEED_EACH(X) is X("option_value") for each of these options, two lines of assembly each. */
#define TLOG_NEED_TEXT(value)  TLOG_NEED_TEXT_(value)
#define TLOG_NEED_TEXT_(value) #value
#if TLOG_CONTEXT
#define TLOG_NEED_CONTEXT "TLOG_CONTEXT_1"
#else
#define TLOG_NEED_CONTEXT "TLOG_CONTEXT_0"
#endif
#if TLOG_UNIQUE_STAMPS
#define TLOG_NEED_UNIQUE "TLOG_UNIQUE_STAMPS_1"
#else
#define TLOG_NEED_UNIQUE "TLOG_UNIQUE_STAMPS_0"
#endif
#if TLOG_TRACEEVENTS
#define TLOG_NEED_TRACEEVENTS "TLOG_TRACEEVENTS_1"
#else
#define TLOG_NEED_TRACEEVENTS "TLOG_TRACEEVENTS_0"
#endif
#if TLOG_RUNS > 1
#define TLOG_NEED_RUNS "TLOG_RUNS_above_1"
#else
#define TLOG_NEED_RUNS "TLOG_RUNS_1"
#endif
#if TLOG_CPUS > 1 && defined(TLOG_CPU_ADDRESS)
#define TLOG_NEED_CPU "TLOG_CPU_ADDRESS"
#elif defined(TLOG_ONLY_CPU_ADDRESS)
#define TLOG_NEED_CPU "TLOG_ONLY_CPU_ADDRESS"
#else
#define TLOG_NEED_CPU "no_TLOG_CPU_ADDRESS"
#endif
#if defined(TLOG_CLOCK_READ) && defined(TLOG_CLOCK_DOWN) && TLOG_CLOCK_DOWN
#define TLOG_NEED_CLOCK "TLOG_CLOCK_READ_and_TLOG_CLOCK_DOWN_1"
#elif defined(TLOG_CLOCK_READ)
#define TLOG_NEED_CLOCK "TLOG_CLOCK_READ"
#elif defined(__ARM_ARCH_7A__) && !defined(TLOG_CLOCK_ADDRESS)
#define TLOG_NEED_CLOCK "no_TLOG_CLOCK_ADDRESS"
#elif defined(__ARM_ARCH_7A__) && TLOG_CLOCK_DOWN
#define TLOG_NEED_CLOCK "TLOG_CLOCK_ADDRESS_and_TLOG_CLOCK_DOWN_1"
#elif defined(__ARM_ARCH_7A__)
#define TLOG_NEED_CLOCK "TLOG_CLOCK_ADDRESS_and_TLOG_CLOCK_DOWN_0"
#elif defined(TLOG_CLOCK_DOWN) && TLOG_CLOCK_DOWN
#define TLOG_NEED_CLOCK "TLOG_CLOCK_DOWN_1"
#else
#define TLOG_NEED_CLOCK "TLOG_CLOCK_DOWN_0"
#endif
#if TLOG_CLOCK_BITS == 32
#define TLOG_NEED_BITS ""
#else
#define TLOG_NEED_BITS "_and_TLOG_CLOCK_BITS_" TLOG_NEED_TEXT(TLOG_CLOCK_BITS)
#endif
#define TLOG_NEED_EACH(X)                                                                                              \
    X("TLOG_ENABLE_1")                                                                                                 \
    X("TLOG_CPUS_" TLOG_NEED_TEXT(TLOG_CPUS))                                                                          \
    X(TLOG_NEED_CONTEXT)                                                                                               \
    X(TLOG_NEED_UNIQUE)                                                                                                \
    X(TLOG_NEED_TRACEEVENTS)                                                                                           \
    X(TLOG_NEED_RUNS)                                                                                                  \
    X(TLOG_NEED_CPU)                                                                                                   \
    X(TLOG_NEED_CLOCK TLOG_NEED_BITS)

/* .globl, because clang forgets a symbol that nothing but .reloc names. The value means nothing; on x86 the linker
 * refuses an absolute one. */
#ifdef __arm__
#define TLOG_NEED_NONE  "R_ARM_NONE"
#define TLOG_NEED_VALUE "1"
#else
#define TLOG_NEED_NONE  "BFD_RELOC_NONE"
#define TLOG_NEED_VALUE "."
#endif
#define TLOG_NEED_REFER(option)                                                                                        \
    "\t.globl tlog_all_files_need_" option "\n\t.reloc ., " TLOG_NEED_NONE ", tlog_all_files_need_" option "\n"
#define TLOG_NEED_DEFINE(option)                                                                                       \
    "\t.globl tlog_all_files_need_" option "\n\t.set tlog_all_files_need_" option ", " TLOG_NEED_VALUE "\n"

/* TLOG_NEED_16_LINES: the references, as assembly of 16 lines for a function. TLOG_NEED_OPTIONS(): a statement of it.
 * TLOG_NEED_DEFINITIONS: the definitions, as assembly outside of functions. */
#ifdef __ELF__
#define TLOG_NEED_16_LINES    TLOG_NEED_EACH(TLOG_NEED_REFER)
#define TLOG_NEED_OPTIONS()   __asm volatile(TLOG_NEED_16_LINES)
#define TLOG_NEED_DEFINITIONS TLOG_NEED_EACH(TLOG_NEED_DEFINE)
#else
#define TLOG_NEED_16_LINES    "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
#define TLOG_NEED_OPTIONS()   ((void)0)
#define TLOG_NEED_DEFINITIONS ""
#endif

#endif
