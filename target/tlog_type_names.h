/* SPDX-License-Identifier: MIT */
/* tlog_type_names.h - S.Ha.R.K.'s and QNX's names of integer types, for code that was written for these systems.
 *
 *     #include "tlog.h"
 *     #include "tlog_type_names.h"
 *     SYS_FLAGS f;
 *
 * No other header includes this one, because names like BYTE and WORD are taken in many systems. It may stand beside
 * a header that declares them alike: where a long has 4 bytes, DWORD is one, as in S.Ha.R.K.
 *
 * Source: S.Ha.R.K., hw-data.h; QNX Neutrino, sys/target_nto.h. */
#ifndef TLOG_TYPE_NAMES_H
#define TLOG_TYPE_NAMES_H

#include <stdint.h>

/* S.Ha.R.K. SYS_FLAGS is what its kernel returns when it disables interrupts. */
typedef uint8_t BYTE;
typedef uint16_t WORD;
#if __SIZEOF_LONG__ == 4
typedef unsigned long DWORD;
#else
typedef uint32_t DWORD;
#endif
typedef DWORD SYS_FLAGS;

/* QNX. */
typedef int8_t _Int8t;
typedef uint8_t _Uint8t;
typedef int16_t _Int16t;
typedef uint16_t _Uint16t;
typedef int32_t _Int32t;
typedef uint32_t _Uint32t;
typedef int64_t _Int64t;
typedef uint64_t _Uint64t;
typedef intptr_t _Intptrt;
typedef uintptr_t _Uintptrt;

#endif
