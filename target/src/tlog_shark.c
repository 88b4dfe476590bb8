/* SPDX-License-Identifier: MIT */
/* tlog_shark.c - S.Ha.R.K.'s primitives, by calls of tlog's own functions: bytes become slots, errors become -1. */
#include "tlog_speed.h"
#include "tlog.h"

#include <stddef.h>

#if TLOG_ENABLE

int FTrace_enable(void)
{
    tlog_enable();
    return 0;
}

int FTrace_disable(void)
{
    tlog_disable();
    return 0;
}

void FTrace_set_filter(uint8_t family, int status)
{
    if (family < FTrace_filter_trace_Events || family > FTrace_filter_timer)
        return;
    if (!tlog_ring_filter(family & (uint32_t)FTrace_family_mask, (uint32_t)status))
        tlog_record_call(family, (uint32_t)status, 0);
}

#if TLOG_ARENA

/* S.Ha.R.K.'s functions return -1 for every error. */
static int shark_result(int result)
{
    return result < 0 ? -1 : result;
}

static uint32_t slots_in(int bytes)
{
    return (uint32_t)bytes / TLOG_SLOT_BYTES;
}

int FTrace_chunk_create(int normal_size, int emergency_size, FTrace_flags flags)
{
    if (normal_size < 0 || emergency_size < 0)
        return -1;
    return shark_result(tlog_chunk_create(slots_in(normal_size), slots_in(emergency_size), flags));
}

int FTrace_chunk_delete(int number)
{
    return shark_result(tlog_chunk_delete(number));
}

int FTrace_set_chunk_flags(int number, FTrace_flags flags)
{
    return shark_result(tlog_chunk_set_flags(number, flags));
}

int FTrace_get_chunk_flags(int number, FTrace_flags *flags)
{
    int found = tlog_chunk_flags(number);
    if (found < 0 || flags == NULL)
        return -1;
    *flags = (FTrace_flags)found;
    return 0;
}

int FTrace_actual_chunk_select(int number)
{
    return shark_result(tlog_chunk_select(number));
}

int FTrace_chunk_link(int chunk_A, int chunk_B)
{
    return shark_result(tlog_chunk_link(chunk_A, chunk_B));
}

int FTrace_get_first_chunk(FTrace_flags flags)
{
    return shark_result(tlog_chunk_first(flags));
}

FTrace_Chunk_Ptr *FTrace_get_chunk_table(void)
{
    return tlog_chunk_table();
}

int FTrace_compress_chunk(int number, FTrace_flags new_flags)
{
    return shark_result(tlog_chunk_compress(number, new_flags));
}

int FTrace_send_chunk(int number, int osd_flags, FTrace_flags new_flags)
{
    (void)osd_flags;
    return shark_result(tlog_chunk_send(number, new_flags));
}

#endif
#endif
