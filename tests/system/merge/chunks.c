/* chunks.c - firmware of tests/system/merge/merge.sh. It logs into the ring, then by turns into two chunks of the
 * arena; the second chunk is small and starts over many times. par2 of an event is its number, par1 its place: 0 is the
 * ring, 1 + n is chunk n. */
#include "board.h"
#include "tlog.h"

enum { IN_RING = 50, TURNS = 40, PER_TURN = 25, LARGE = 2000, SMALL = 100 };

static uint32_t number;

static void log_some(uint32_t where, uint32_t n)
{
    for (; n > 0; n--)
        TRACER_LOGEVENT(FTrace_EVT_user_event_1, where, number++);
}

int main(void)
{
    int chunk[2];
    tlog_start();
    tlog_name(TLOG_NAME_TASK, 1, "producer");
    tlog_name(TLOG_NAME_TASK, 2, "consumer");
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
    log_some(0, IN_RING);
    chunk[0] = tlog_chunk_create(LARGE, 0, TLOG_CHUNK_FREE);
    chunk[1] = tlog_chunk_create(SMALL, 0, TLOG_CHUNK_FREE);
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        int now = chunk[turn & 1u];
        tlog_chunk_set_flags(now, TLOG_CHUNK_FREE);
        if (tlog_chunk_select(now) < 0)
            return 1;
        TRACER_LOGEVENT(FTrace_EVT_context_switch, 1u + (turn & 1u), 0);
        log_some(1u + (uint32_t)now, PER_TURN);
    }
    return tlog_dropped() != 0;
}
