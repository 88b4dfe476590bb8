/* app.c - logs events in every context that the core has.
 *
 * par1 of each event is the context's number as its handler knows it, and par2 is the number of events before it.
 * context_m.c or context_a.c enters the contexts. */
#include "context.h"

static volatile uint32_t logged;
volatile bool is_urgent;

void log_in(uint32_t context)
{
    uint32_t n;
    do
        n = tlog_port_load_exclusive((uint32_t *)(uintptr_t)&logged);
    while (tlog_port_store_exclusive(n + 1u, (uint32_t *)(uintptr_t)&logged));
    if (is_urgent)
        tlog_record_emergency(FTrace_EVT_user_event_1, context, n);
    else
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, context, n);
}

/* Logs from all contexts to the ring; with an arena, also to a chunk of the arena, which is then compressed; without
 * one, fills the ring and then logs one event to an emergency slot. */
int main(void)
{
    prepare_contexts();
    log_everywhere();
#if TLOG_TRACEEVENTS
    tlog_event(TLOG_TRACE_USER, 7, 1, 2);
    log_everywhere();
#endif
#if TLOG_ARENA
    int chunk = tlog_chunk_create(40, 0, TLOG_CHUNK_FREE | TLOG_CHUNK_STOP);
    tlog_chunk_select(chunk);
    log_everywhere();
    tlog_chunk_compress(chunk, TLOG_CHUNK_STOP);
    FTrace_init_disk_writer("context.shark", 0, 0, 0);
    FTrace_disk_writer(tlog_chunk_table()[chunk]);
#else
    while (tlog_dropped() == 0)
        TRACER_LOGEVENT(FTrace_EVT_user_event_2, 0, 0);
    is_urgent = true;
    log_in_interrupt();
#endif
    return 0;
}
