/* example.c - the example program of S.Ha.R.K.'s manual as firmware, with the manual's comments.
 *
 * Only what belongs to S.Ha.R.K.'s kernel, which is absent here, was added: `i`, proc_table, exec_shadow and
 * clk_per_msec are defined here, and "do something" logs events. By default chunks are sent
 * by UDP to the address TARGET; with -DDISK they are written as files, the manual's other way. */
#include "board.h"
#include "tlog.h"
#include "tlog_type_names.h"

static const struct {
    uint32_t context;
} proc_table[10] = {{5}, {0}, {7}, {8}, {0}, {0}, {9}, {10}, {11}, {0}};
enum { exec_shadow = 2, clk_per_msec = TLOG_CLOCK_HZ / 1000 };

static void do_something(unsigned events)
{
    for (unsigned i = 0; i < events; i++) {
        TRACER_LOGEVENT(FTrace_EVT_timer_post, 0, i);
        TRACER_LOGEVENT(FTrace_EVT_user_event_3, i, ~i);
    }
}

/* Prepare the sender of chunks. Returns 0, or else on failure. */
static int init_output(void)
{
#ifdef DISK
    return FTrace_init_disk_writer("trace.dat", 0, 0, 0);
#else
    /* Initialize the network for remotely saving the trace. */
    return FTrace_OSD_init_udp(1, "10.0.2.15", TARGET);
#endif
}

int main(void)
{
    /* Declarations */
    int a, b, c;
    SYS_FLAGS f;
    int i;
    FTrace_flags flags;

    /* Create 3 chunks for storing the tracer events. */
    a = FTrace_chunk_create(1000000, 1000000, FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC);
    b = FTrace_chunk_create(1000000, 1000000, FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_JTN);
    c = FTrace_chunk_create(1000000, 1000000, FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC);

    FTrace_chunk_link(a, b);
    FTrace_chunk_link(b, c);

    /* Select the first chunk for saving the events. */
    FTrace_actual_chunk_select(a);

    /* Start the tracer. */
    FTrace_enable();

    /* Enable filtering for timer related events. */
    FTrace_set_filter(FTrace_filter_timer, 1);
    TRACER_LOGEVENT(FTrace_EVT_trace_start, proc_table[exec_shadow].context, clk_per_msec);

    for (i = 0; i < 10; i++)
        if (proc_table[i].context != 0)
            TRACER_LOGEVENT(FTrace_EVT_id, (unsigned short int)proc_table[i].context, (unsigned)i);

    do_something(300);

    /** Enable filtering for timer related events. */
    FTrace_set_filter(FTrace_filter_timer, 0);

    /** Change the chunk where the events are stored. */
    TRACER_LOGEVENT(FTrace_EVT_next_chunk, 0, 0);
    TRACER_LOGEVENT(FTrace_EVT_ipoint, 6000, 0);

    do_something(200);

    /* Store a TFrace stop event. */
    TRACER_LOGEVENT(FTrace_EVT_trace_stop, 0, 0);

    /* Stop the tracer. */
    FTrace_disable();

    if (init_output() != 0)
        return 2;

    /* Save the chunk. */
    if (FTrace_send_chunk(a, 0, FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC) != 0)
        return 3;
    if (FTrace_send_chunk(b, 0, FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_JTN) != 0)
        return 4;
    f = FTrace_get_chunk_flags(a, &flags) != 0 ? 0 : flags;
    return f != FTRACE_CHUNK_FLAG_FREE || c < 0;
}
