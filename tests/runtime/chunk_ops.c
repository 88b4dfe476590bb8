/* chunk_ops.c - implements chunk_ops.h: four chunks and the primitives that act on them. */
#include "chunk_ops.h"

#include "lib/test.h"

#include <stddef.h>

int chunk_numbers[CHUNKS];
int (*chunk_sender)(const struct tlog_chunk *chunk);

/* S.Ha.R.K. gives sizes in bytes; a slot has 16. */
int chunk_make(uint32_t flags)
{
    return FTrace_chunk_create(CHUNK_SLOTS * 16, CHUNK_EMERGENCY * 16, (FTrace_flags)flags);
}

void chunk_reset(void)
{
    tlog_cpu0 = (struct tlog_cpu)TLOG_CPU_INIT(tlog_cpu0.ring);
    tlog_ring_untold = 0; /* of a pause that found no room for its records */
    tlog_chunk_reset();
    tlog_start();
}

void chunk_make_all(void)
{
    int *number = chunk_numbers;
    chunk_reset();
    number[A] = chunk_make(FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC);
    number[B] = chunk_make(FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_JTN);
    number[C] = chunk_make(FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_STOP);
    number[D] = chunk_make(FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_JTN);
    CHECK(number[A] == 0 && number[B] == 1 && number[C] == 2 && number[D] == 3);
    CHECK(FTrace_chunk_link(number[A], number[B]) == 0 && FTrace_chunk_link(number[B], number[C]) == 0);
}

void chunk_prepare(void)
{
    chunk_make_all();
    CHECK(FTrace_actual_chunk_select(chunk_numbers[A]) == 0);
}

/* ---- from chunk to chunk ----------------------------------------------------------------------------------------- */

void chunk_next(void)
{
    tlog_next_chunk();
}

void chunk_next_event(void)
{
    TRACER_LOGEVENT(FTrace_EVT_next_chunk, 0, 0);
}

static void select_as(int number, uint32_t flags)
{
    FTrace_set_chunk_flags(number, (FTrace_flags)(FTRACE_CHUNK_FLAG_FREE | flags));
    FTrace_actual_chunk_select(number);
}

void chunk_select(void)
{
    select_as(chunk_numbers[D], FTRACE_CHUNK_FLAG_JTN);
}

void chunk_select_back(void)
{
    select_as(chunk_numbers[A], FTRACE_CHUNK_FLAG_JTN);
}

/* Chunk C stops when full, and has emergency slots. */
void chunk_select_stop(void)
{
    select_as(chunk_numbers[C], FTRACE_CHUNK_FLAG_STOP);
}

void chunk_link(void)
{
    FTrace_chunk_link(chunk_numbers[A], chunk_numbers[D]);
}

/* ---- the chunks' contents ---------------------------------------------------------------------------------------- */

void chunk_send(void)
{
    FTrace_send_chunk(chunk_numbers[B], 0, FTRACE_CHUNK_FLAG_JTN);
}

void chunk_send_current(void)
{
    FTrace_send_chunk(chunk_numbers[A], 0, FTRACE_CHUNK_FLAG_CYC);
}

void chunk_compress(void)
{
    FTrace_compress_chunk(chunk_numbers[A], FTRACE_CHUNK_FLAG_JTN);
}

/* The calls that set the sender. The target alone has them. The address is invalid, so the network stays down. */
void chunk_senders(void)
{
#ifndef __unix__
    static char name[] = "chunk.disk", local[] = "10.0.2.15", nowhere[] = "10.0.2.256";
    FTrace_init_disk_writer(name, 0, NULL, NULL);
    FTrace_disk_writer(FTrace_get_chunk_table()[chunk_numbers[A]]);
    FTrace_OSD_init_udp(1, local, nowhere);
    FTrace_OSD_init_udp(0, local, nowhere);
#endif
    tlog_chunk_set_sender(chunk_sender);
}

/* ---- the chunks' states ------------------------------------------------------------------------------------------ */

void chunk_flags(void)
{
    FTrace_flags flags;
    FTrace_get_chunk_flags(chunk_numbers[A], &flags);
    FTrace_set_chunk_flags(chunk_numbers[A], FTRACE_CHUNK_FLAG_JTN);
    FTrace_get_first_chunk(FTRACE_CHUNK_FLAG_JTN);
}

void chunk_reopen(void)
{
    for (int i = A; i < CHUNKS; i++)
        FTrace_set_chunk_flags(chunk_numbers[i], FTRACE_CHUNK_FLAG_STOP);
}

void chunk_create_delete(void)
{
    int number = chunk_make(FTRACE_CHUNK_FLAG_FREE);
    if (number >= 0)
        FTrace_chunk_delete(number);
}

void chunk_delete(void)
{
    FTrace_chunk_delete(chunk_numbers[D]);
}

void chunk_delete_next(void)
{
    FTrace_chunk_delete(chunk_numbers[B]);
}

/* The chunk's memory becomes another chunk with the same number, unless a writer is still at work in it. */
void chunk_replace(void)
{
    chunk_select_back();
    if (FTrace_chunk_delete(chunk_numbers[D]) == 0)
        chunk_make(FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_JTN);
}

/* ---- what is logged ---------------------------------------------------------------------------------------------- */

void chunk_filter(void)
{
    FTrace_set_filter(FTrace_filter_timer, 1);
    FTrace_disable();
    FTrace_enable();
    FTrace_set_filter(FTrace_filter_timer, 0);
}

void chunk_tick(void)
{
    tlog_tick();
}
