/* chunks.c - firmware of tests/system/shark/shark.sh: logs into several chunks by turns, sends one of them to the host
 * compressed, and uses emergency slots. par2 of each event is its number, by which chunks.py checks the order. */
#include "tlog.h"

static uint32_t number;

static void log_many(uint32_t count)
{
    while (count-- > 0) {
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, 0, number);
        number++;
    }
}

static int make(uint32_t slots, uint32_t emergency, FTrace_flags mode)
{
    return FTrace_chunk_create((int)slots * 16, (int)emergency * 16, FTRACE_CHUNK_FLAG_FREE | mode);
}

static int select(int chunk, FTrace_flags mode)
{
    return FTrace_set_chunk_flags(chunk, FTRACE_CHUNK_FLAG_FREE | mode) | FTrace_actual_chunk_select(chunk);
}

int main(void)
{
    log_many(10); /* in the default chunk */
    int a = make(100, 0, FTRACE_CHUNK_FLAG_CYC), b = make(40, 0, FTRACE_CHUNK_FLAG_JTN);
    int c = make(50, 8, FTRACE_CHUNK_FLAG_STOP), d = make(64, 0, FTRACE_CHUNK_FLAG_JTN);
    int failed = FTrace_chunk_link(a, b) | FTrace_chunk_link(b, c) | FTrace_actual_chunk_select(a);
    log_many(30);
    TRACER_LOGEVENT(FTrace_EVT_next_chunk, 0, 0); /* b */
    log_many(20);
    /* a goes on where it was left and overwrites its own oldest events: 260 events in 100 slots. */
    failed |= select(a, FTRACE_CHUNK_FLAG_CYC);
    log_many(260);
    failed |= select(d, FTRACE_CHUNK_FLAG_JTN);
    log_many(64);
    failed |= select(b, FTRACE_CHUNK_FLAG_JTN);
    /* Deleting d also frees the region with its compressed slots. */
    failed |= FTrace_compress_chunk(d, FTRACE_CHUNK_FLAG_JTN) | FTrace_chunk_delete(d);
    log_many(20 + 50); /* 20 fill b, 50 fill c */
    log_many(7);       /* lost: c has stopped */
    TRACER_LOGEVENT(FTrace_EVT_task_deadline_miss, 0, number);
    tlog_record_emergency(FTrace_EVT_user_event_1, 0, number + 1u);
    number += 2;
    log_many(3);
    failed |= FTrace_compress_chunk(a, FTRACE_CHUNK_FLAG_CYC);
    failed |= select(a, FTRACE_CHUNK_FLAG_CYC); /* the next 25 events overwrite slots that have been compressed */
    log_many(25);
    return failed;
}
