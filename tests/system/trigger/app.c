/* app.c - firmware that sets a trigger: 10 further events, of records and events of three slots in turn. */
#include "out_semihost.h"
#include "tlog.h"

static void before(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, 1, i);
}

static void log_three(uint32_t i)
{
#if TLOG_TRACEEVENTS
    const uint32_t words[5] = {i, i, i, i, i};
    tlog_event_words(TLOG_TRACE_USER, 4, words, 5);
#else
    TRACER_LOGEVENT(FTrace_EVT_user_event_2, 2, i);
#endif
}

static void behind(uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 2u) {
        TRACER_LOGEVENT(FTrace_EVT_user_event_1, 2, i);
        log_three(i);
    }
}

int main(void)
{
    before(400);
    tlog_trigger(10);
    behind(50);
    semihost_exit(tlog_semihost_save("dump.bin") == 0 ? 0 : 1);
}
