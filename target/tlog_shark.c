/* tlog_shark.c - S.Ha.R.K.'s primitives over tlog's own: sizes from bytes to slots, errors to -1. */
#include "tlog.h"

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
    tlog_filter(family, status != 0);
    tlog_record_call(family, (uint32_t)status, 0);
}

#if TLOG_ARENA

static int answer(int result)
{
    return result < 0 ? -1 : result;
}

int FTrace_chunk_create(int normal_size, int emergency_size, FTrace_flags flags)
{
    if (normal_size < 0 || emergency_size < 0)
        return -1;
    return answer(
        tlog_chunk_create((uint32_t)normal_size / TLOG_SLOT_BYTES, (uint32_t)emergency_size / TLOG_SLOT_BYTES, flags));
}

int FTrace_chunk_delete(int number)
{
    return answer(tlog_chunk_delete(number));
}

int FTrace_set_chunk_flags(int number, FTrace_flags flags)
{
    return answer(tlog_chunk_set_flags(number, flags));
}

int FTrace_get_chunk_flags(int number, FTrace_flags *flags)
{
    int has = tlog_chunk_flags(number);
    if (has < 0 || !flags)
        return -1;
    *flags = (FTrace_flags)has;
    return 0;
}

int FTrace_actual_chunk_select(int number)
{
    return answer(tlog_chunk_select(number));
}

int FTrace_chunk_link(int chunk_A, int chunk_B)
{
    return answer(tlog_chunk_link(chunk_A, chunk_B));
}

int FTrace_get_first_chunk(FTrace_flags flags)
{
    return answer(tlog_chunk_first(flags));
}

FTrace_Chunk_Ptr *FTrace_get_chunk_table(void)
{
    return tlog_chunk_table();
}

int FTrace_compress_chunk(int number, FTrace_flags new_flags)
{
    return answer(tlog_chunk_compress(number, new_flags));
}

int FTrace_send_chunk(int number, int osd_flags, FTrace_flags new_flags)
{
    (void)osd_flags;
    return answer(tlog_chunk_send(number, new_flags));
}

#endif
#endif
