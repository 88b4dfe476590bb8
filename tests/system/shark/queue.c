/* queue.c - more chunks for S.Ha.R.K.'s disk writer than its queue has places: CHUNKS of them, each with EVENTS events,
 * which are numbered through. */
#include "tlog.h"

enum { CHUNKS = 82, EVENTS = 4, QUEUE = 64 };

int main(void)
{
    static char name[] = "queue";
    uint32_t number = 0;
    if (FTrace_init_disk_writer(name, 0, 0, 0) != 0)
        return 2;
    for (int i = 0; i < CHUNKS; i++) {
        int chunk = FTrace_chunk_create(EVENTS * TLOG_SLOT_BYTES, 0, FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_STOP);
        if (chunk != i || FTrace_actual_chunk_select(chunk) != 0)
            return 3;
        for (uint32_t n = 0; n < EVENTS; n++)
            TRACER_LOGEVENT(FTrace_EVT_user_event_0, i, number++);
        if (i == QUEUE && FTrace_send_chunk(chunk, 0, FTRACE_CHUNK_FLAG_STOP) == 0) /* says so, and counts nothing */
            return 4;
        FTrace_disk_writer(FTrace_get_chunk_table()[chunk]);
    }
    return 0;
}
