/* app.c - logs for ever, at an uneven pace: events whose words tell the same number several times, so that one that is
 * made of two shows. KIND 0: records; 1: traceevents, simple and combine ones. */
#include "tlog.h"

int main(void);
int main(void)
{
    for (uint32_t i = 0;; i++) {
#if KIND == 0
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, i & 0xFFFFu, i);
#else
        unsigned words[5] = {i, ~i, i ^ 0x55555555u, i, ~i};
        if (i % 8u == 7u)
            trace_logb(8, words, sizeof words);
        else
            trace_logi(7, i, ~i);
#endif
        for (volatile uint32_t k = 0; k < (i * 2654435761u >> 25) * PACE; k++) {
        }
    }
}
