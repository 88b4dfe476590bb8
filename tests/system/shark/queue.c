/* queue.c - firmware of tests/system/shark/shark.sh: gives S.Ha.R.K.'s disk writer more chunks than its queue has
 * places. Each of the CHUNKS chunks holds EVENTS events; par2 numbers the events of all chunks in one sequence. */
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
        /* The queue is full now: this call must fail, and must not count the events as lost. */
        if (i == QUEUE && FTrace_send_chunk(chunk, 0, FTRACE_CHUNK_FLAG_STOP) == 0)
            return 4;
        FTrace_disk_writer(FTrace_get_chunk_table()[chunk]);
    }
    return 0;
}
