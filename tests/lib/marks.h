/* marks.h - the marks that the runtime logs by itself, among a test's events. */
#ifndef TEST_LIB_MARKS_H
#define TEST_LIB_MARKS_H

#include "tlog.h"

#include <stdbool.h>

/* Whether a record is trace_stop, trace_start, or a change of a filter; a test's own events have another par1. */
static inline bool marks_is_one(const volatile uint32_t *slot)
{
    const uint32_t code = slot[TLOG_WORD_HEAD] & TLOG_RECORD_CODE, par1 = slot[TLOG_WORD_HEAD] >> 16;
    return (code == FTrace_EVT_trace_stop && par1 == 0) || (code == FTrace_EVT_trace_start && par1 == 0)
           || (code >= 0xF0u && code <= FTrace_filter_timer && par1 <= 1u && slot[TLOG_WORD_PAR2] == 0);
}

/* Whether a record is one of the two that tell of a pause. */
static inline bool marks_is_pause(const volatile uint32_t *slot)
{
    return (slot[TLOG_WORD_HEAD] & TLOG_RECORD_CODE) == TLOG_RECORD_LOSS && slot[TLOG_WORD_HEAD] >> 31 != 0;
}

#endif
