/* loop.c */
#include "tlog.h"

int main(void)
{
    for (unsigned n = 0;; n++) {
        for (volatile unsigned i = 0; i < 20000; i++)
            ;
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, n & 0xFFFFu, n);
    }
}
