/* SPDX-License-Identifier: MIT */
/* tlog_speed.h - makes the runtime fast where the firmware is not: each .c file of the runtime includes this first.
 *
 * Private to tlog. In a build without optimisation (-O0, as "Debug" of most IDEs is) gcc compiles what stands behind
 * this line for speed nevertheless, the inline functions of headers included. The firmware's own files are as the
 * build has them: there an event is a call (TLOG_BY_CALL in tlog_call.h).
 *
 * "inline" is needed because at -O0 gcc does not inline, whatever the level of a function is. The last one keeps gcc
 * from making calls of memset() and memcpy() of loops. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#pragma GCC optimize("O2", "inline", "no-tree-loop-distribute-patterns")
#endif
