/* SPDX-License-Identifier: MIT */
/* tlog_event.h - traceevents: events of a class, with up to 224 words of data, and texts.
 *
 *     tlog_event(TLOG_TRACE_USER, 7, temperature, pressure);
 *     trace_logi(7, temperature, pressure);                     the same by the name that QNX gives it
 *
 * Needs TLOG_TRACEEVENTS = 1; without it a use of these calls is an error at compile time. tlog.h includes this header.
 *
 * A simple event takes one slot and has two words of data; a combine event takes several slots. A class is a number
 * 1..31, TLOG_TRACE_* of tlog_traceevent.h; an event of a class is a number 0..1023. A traceevent has a 32-bit time
 * stamp; slots of tlog's own tell the wraps of the clock, at the beginning of each lap and where the clock wraps.
 *
 * The slots of a combine event are reserved in one step. They stand side by side and bear one time stamp; no event of
 * an interrupt stands between them. An event that does not fit into the rest of a chunk goes whole into the next lap.
 * An event that fits into no lap is lost whole, and counted as one event (tlog_dropped()).
 *
 * Constants out of range do not compile (with optimisation). Variables out of range are counted as lost events. While
 * logging is disabled or the class is suppressed, nothing is logged and nothing counted.
 *
 * Source: QNX Neutrino, TraceEvent(), trace_logi(), trace_logb(), trace_logbc(). */
#include "tlog.h" /* includes this header where it belongs */

#ifndef TLOG_EVENT_H
#define TLOG_EVENT_H

#include "tlog_traceevent.h"

TLOG_BEGIN_CALLS

/* The most words of data that an event has, and the most bytes. */
#define TLOG_EVENT_WORDS_MAX 224u
#define TLOG_EVENT_BYTES_MAX (TLOG_EVENT_WORDS_MAX * 4u)

/* Whether an event can be logged: class 1..31, event 0..1023, up to 224 words. Callable from: any context. */
TLOG_INLINE bool tlog_event_ok(uint32_t cls, uint32_t event, uint32_t count)
{
    return cls - 1u < 31u && event < 1024u && count <= TLOG_EVENT_WORDS_MAX;
}

/* Log a simple event with the words d0 and d1. Inline, without a call on the usual path. Callable from: any context. */
TLOG_EVENT_INLINE void tlog_event(uint32_t cls, uint32_t event, uint32_t d0, uint32_t d1);

/* Log an event of count words, 0..224, which are copied. From 3 words on it is a combine event of (count + 1) / 2
 * slots. With constant class and count up to three slots are filled inline. Callable from: any context. */
TLOG_EVENT_INLINE void tlog_event_words(uint32_t cls, uint32_t event, const uint32_t *words, uint32_t count);

/* Log a text, with its NUL, as the data of an event; of a longer text the first 895 bytes. It is copied from where it
 * stands, so the need of stack does not depend on its length. Callable from: any context. */
TLOG_EVENT_CALL void tlog_event_text(uint32_t cls, uint32_t event, const char *text) TLOG_WHEN_OFF();

/* Suppress (true) or record (false) the events of a class, 1..15, on all CPUs. Takes effect also while logging is
 * disabled. Callable from: any context. */
TLOG_EVENT_CALL void tlog_filter_class(uint32_t cls, bool suppress) TLOG_WHEN_OFF();

/* ---- by the names that QNX gives them --------------------------------------------------------------------------- */

/* Log a simple event of class USER. Returns 0; or -1, and logs nothing, if the code is not 0..1023. Callable from: any
 * context. */
TLOG_EVENT_INLINE int trace_logi(int code, unsigned d0, unsigned d1);

/* Log count bytes, 0..896, which are copied, as an event of class cls: _TRACE_USER_C and so on, a class number shifted
 * left by 10. The last word is filled up with zeros. Returns 0; or -1, and logs nothing: more bytes, no class, or an
 * event that is not 0..1023. Callable from: any context. */
TLOG_EVENT_CALL int trace_logbc(unsigned cls, int event, const void *bytes, unsigned count)
    TLOG_WHEN_OFF(bool ok = count <= TLOG_EVENT_BYTES_MAX && tlog_event_ok(cls >> TLOG_CLASS_SHIFT, (uint32_t)event, 0);
                  return ok ? 0 : -1);

/* The same as an event of class USER. Callable from: any context. */
TLOG_EVENT_CALL int trace_logb(int code, const void *bytes, unsigned count)
    TLOG_WHEN_OFF(return trace_logbc(_TRACE_USER_C, code, bytes, count));

/* Log a text as an event of class USER, as tlog_event_text() does. Returns 0; or -1, and logs nothing, if the code is
 * not 0..1023. Callable from: any context. */
TLOG_EVENT_CALL int trace_logs(int code, const char *text) TLOG_WHEN_OFF(return trace_logb(code, text, 0));

TLOG_END_CALLS

#include "src/tlog_event_impl.h"

#endif
