/* SPDX-License-Identifier: MIT */
/* tlog_define.h - your own events: a name and typed fields, of which no character is stored on the target.
 *
 *     enum motor_state { IDLE, RUN, STALL = 7 };
 *     TLOG_DEFINE_EVENT(adc_sample, (u8, ch), (i16, mv, "mV"))
 *     TLOG_DEFINE_EVENT(motor_state, (u8, motor), (enum8, state, IDLE, RUN, STALL), (bool, braked), (f32, rpm))
 *     TLOG_DEFINE_SPAN(filter)
 *
 *     trace_adc_sample(3, -120);
 *     trace_motor_state(1, STALL, false, 624.5f);
 *     TLOG_SPAN_BEGIN(filter); ... TLOG_SPAN_END(filter);
 *     TLOG_COUNTER(queue_depth, n);
 *
 * Put definitions at file scope, usually in a header that any number of files include, in C11 and in C++11 to C++20.
 * Calls may be anywhere, also in templates, lambdas and inline functions. Names, units and enumerators go to section
 * tlog_event of the ELF file, which is not loaded; there the decoder finds them (--elf). You give no numbers: the
 * linker numbers the events that are called.
 *
 * Needs TLOG_TRACEEVENTS = 1. Without it an event is a record, and its fields may have 32 bits together; more bits, or
 * a text, do not compile. The linker script must have linker/tlog.ld's sections for events; otherwise the linker's
 * error names a missing symbol that says so. With -DTLOG_PORTABLE_EVENTS the script needs no sections: descriptions are
 * constants in flash, and an event has one word more. With TLOG_ENABLE = 0 nothing of all this is left. tlog.h includes
 * this header. */
#include "tlog.h" /* includes this header where it belongs */

#ifndef TLOG_DEFINE_H
#define TLOG_DEFINE_H

/* ---- options of definitions ----------------------------------------------------------------------------------------
 *
 * Three macros that a file may define before definitions and #undef after them, like Linux's TRACE_SYSTEM:
 *
 *   TLOG_EVENT_SYSTEM   a name for a part of the firmware, such as `adc`. Default: user
 *   TLOG_EVENT_GROUP    0..3: the group; tlog_filter_group() switches the events of a group together. Default: 0. Each
 *                       group has 256 events at most; more of them are an error of the linker
 *   TLOG_EVENT_LEVEL    TLOG_LEVEL_ERROR .. TLOG_LEVEL_DEBUG: calls of events above TLOG_LEVEL are not compiled, and
 *                       leave nothing (tlog_level.h). Default: TLOG_LEVEL_ERROR */

/* ---- definitions ------------------------------------------------------------------------------------------------ */

/* TLOG_DEFINE_EVENT(name, field...): define trace_NAME(values...), which logs an event with 0..8 fields. A field is
 * (type, name), with a unit (type, name, "mV"), or with the names of its values:
 *
 *   u8 u16 u32 u64 i8 i16 i32 i64   integers; also uint8_t, int16_t and so on
 *   bool, f32, f64                  bool, float, double
 *   hex8 hex16 hex32 hex64          unsigned integers that are shown in hexadecimal
 *   enum8 enum16 enum32             unsigned; enumerators follow the field's name, up to 24 in an event
 *   flags8 flags16 flags32          unsigned; enumerators follow the field's name, each of which is one bit
 *   ptr                             any pointer to data, shown as symbol; cast a function's address to const void *
 *   u8[4] u16[n] u32[n]             an array, of which a pointer to the first element is passed; n is a plain number
 *   str                             const char *, of which up to 63 characters are copied. The last field only
 *
 * Enumerators must not be macros, because a macro's name is lost. The values are parameters of an inline function with
 * these types, so the compiler checks and converts them as for any function.
 *
 * The event has the fields in this order, each at a multiple of its size, those of 64 bits at a multiple of 4 bytes. A
 * slot holds 8 bytes of fields; an event may have 896 bytes. Callable from: any context. */
#define TLOG_DEFINE_EVENT(...)                                                                                         \
    TLOG_OWN_JOIN(TLOG_OWN_FUNCTION_, TLOG_OWN_COUNT(__VA_ARGS__))                                                     \
    (__VA_ARGS__)

/* TLOG_COUNTER(name, value): log the present value of something that changes, such as the depth of a queue: signed, 32
 * bits. It needs no definition. The decoder shows an event NAME with a field `value`. Callable from: any context. */
#define TLOG_COUNTER(name, value) TLOG_OWN_COUNTER(name, value)

/* TLOG_DEFINE_SPAN(name): define a span, a time whose beginning and end the program logs. Spans may be inside each
 * other; the decoder pairs beginnings and ends by task and by interrupt. */
#define TLOG_DEFINE_SPAN(name) TLOG_OWN_SPAN(name)

/* Tell that a span begins, or ends. Callable from: any context. */
#define TLOG_SPAN_BEGIN(name) tlog_span_begin_##name()
#define TLOG_SPAN_END(name)   tlog_span_end_##name()

/* A declaration: the span begins here, and ends when the enclosing block is left, in any way. Callable from: any
 * context. */
#define TLOG_SPAN_SCOPE(name) TLOG_OWN_SCOPE(name, __LINE__)

/* ---- switching -------------------------------------------------------------------------------------------------- */

/* Suppress (true) or record (false) the events, counters and spans of a group, 0..3. On all CPUs; takes effect also
 * while logging is disabled. A suppressed event costs what any suppressed event does. Callable from: any context. */
TLOG_ALWAYS_INLINE void tlog_filter_group(uint32_t group, bool suppress)
{
    if (group < TLOG_OWN_GROUPS)
        tlog_filter_bit(15u + TLOG_CLASS_OWN + group, suppress);
}

/* TLOG_NAME_GROUP(2, "motor"): give a group, 0..3 as a plain number, a name for tlog_group_enable(). Put it at file
 * scope, in one file only: a second name for a group is an error of the linker. Cost: flash for the name; nothing if
 * tlog_group_enable() is not called and the linker drops unused sections. */
#define TLOG_NAME_GROUP(group, name) TLOG_OWN_NAME_GROUP(group, name)

/* Record (true) or suppress (false) the events of the group with that name, as tlog_filter_group() does by number. For
 * commands of the firmware, and for debuggers: `call tlog_group_enable("motor", 1)` in gdb. Something must refer to the
 * function then, for example the linker's option -u tlog_group_enable. Returns false, and changes nothing, if no group
 * has that name. Cost: flash, 124 bytes and the names. Callable from: any context.
 *
 * There are four groups because the filter word, which each event tests anyway, has four bits left for them. A fifth
 * one would need a word of its own, and each of its events four instructions more: 26 for two u32 instead of 22
 * (Cortex-M3 at -O2). */
TLOG_BEGIN_CALLS
TLOG_CALL bool tlog_group_enable(const char *name, bool enable) TLOG_WHEN_OFF(return false);
TLOG_END_CALLS

#include "src/tlog_define_impl.h"

#endif
