/* tlog_off.h - TLOG_ENABLE = 0: the calls of tlog.h and of what it includes, without anything behind them.
 *
 * Private to tlog. Arguments are evaluated, checked by the compiler as the real calls', and forgotten; what is returned
 * is what the real calls return when there is nothing, or when they did nothing. */
#ifndef TLOG_OFF_H
#define TLOG_OFF_H

#ifndef TLOG_H
#error "tlog: include tlog.h"
#endif

#define TLOG_OFF TLOG_ALWAYS_INLINE

TLOG_BEGIN_C

/* ---- tlog.h ------------------------------------------------------------------------------------------------------ */

TLOG_OFF void tlog_record_any(uint32_t par1, uint32_t par2, uint32_t code)
{
    (void)par1, (void)par2, (void)code;
}
TLOG_OFF void tlog_record_call(uint32_t code, uint32_t par1, uint32_t par2)
{
    (void)code, (void)par1, (void)par2;
}
TLOG_OFF void tlog_record(uint32_t code, uint32_t par1, uint32_t par2)
{
    (void)code, (void)par1, (void)par2;
}
TLOG_OFF void tlog_record_fast(uint32_t code, uint32_t par1, uint32_t par2)
{
    (void)code, (void)par1, (void)par2;
}
TLOG_OFF void tlog_record_emergency(uint32_t code, uint32_t par1, uint32_t par2)
{
    (void)code, (void)par1, (void)par2;
}
TLOG_OFF void tlog_disable(void)
{
}
TLOG_OFF void tlog_enable(void)
{
}
TLOG_OFF void tlog_filter(uint32_t family, bool suppress)
{
    (void)family, (void)suppress;
}
TLOG_OFF void tlog_filter_bit(uint32_t number, bool suppress)
{
    (void)number, (void)suppress;
}
TLOG_OFF void tlog_stop_when_full(bool stop)
{
    (void)stop;
}
TLOG_OFF void tlog_tick(void)
{
}
TLOG_OFF bool tlog_clock_slept(uint64_t ticks)
{
    (void)ticks;
    return false;
}
TLOG_OFF void tlog_start(void)
{
}
TLOG_OFF uint32_t tlog_dropped(void)
{
    return 0;
}
TLOG_OFF void tlog_name(uint32_t kind, uint32_t id, const char *name)
{
    (void)kind, (void)id, (void)name;
}
/* There is no memory to write, so the sink is not called. */
TLOG_OFF int tlog_dump(const struct tlog_sink *sink)
{
    (void)sink;
    return 0;
}
TLOG_OFF struct tlog_chunk *tlog_chunk_behind(const struct tlog_chunk *chunk)
{
    (void)chunk;
    return 0;
}
TLOG_OFF uint32_t tlog_old_runs(void)
{
    return 0;
}
TLOG_OFF int tlog_last_run(const struct tlog_sink *sink)
{
    (void)sink;
    return TLOG_NO_RUN;
}

/* ---- tlog_event.h ------------------------------------------------------------------------------------------------ */

TLOG_OFF void tlog_event(uint32_t cls, uint32_t event, uint32_t d0, uint32_t d1)
{
    if (__builtin_constant_p(cls) && __builtin_constant_p(event) && !tlog_event_ok(cls, event, 0))
        tlog_refuse_event();
    (void)d0, (void)d1;
}
TLOG_OFF void tlog_event_words(uint32_t cls, uint32_t event, const uint32_t *words, uint32_t count)
{
    if (__builtin_constant_p(cls) && __builtin_constant_p(event) && __builtin_constant_p(count)
        && !tlog_event_ok(cls, event, count))
        tlog_refuse_event();
    (void)words;
}
TLOG_OFF void tlog_event_text(uint32_t cls, uint32_t event, const char *text)
{
    (void)cls, (void)event, (void)text;
}
TLOG_OFF void tlog_filter_class(uint32_t cls, bool suppress)
{
    (void)cls, (void)suppress;
}

/* As while logging is disabled: a wrong number is told. */
TLOG_OFF int trace_logbc(unsigned cls, int event, const void *bytes, unsigned count)
{
    (void)bytes;
    return count <= TLOG_EVENT_WORDS_MAX * 4u && tlog_event_ok(cls >> TLOG_CLASS_SHIFT, (uint32_t)event, 0) ? 0 : -1;
}
TLOG_OFF int trace_logb(int code, const void *bytes, unsigned count)
{
    return trace_logbc(_TRACE_USER_C, code, bytes, count);
}
TLOG_OFF int trace_logi(int code, unsigned d0, unsigned d1)
{
    (void)d0, (void)d1;
    return trace_logb(code, 0, 8u);
}
TLOG_OFF int trace_logs(int code, const char *text)
{
    return trace_logb(code, text, 0);
}

/* ---- tlog_chunk.h: no chunk has any number, and no new one can be had -------------------------------------------- */

TLOG_OFF void tlog_chunk_reset(void)
{
}
TLOG_OFF int tlog_chunk_create(uint32_t slots, uint32_t emergency, uint32_t flags)
{
    (void)slots, (void)emergency, (void)flags;
    return TLOG_CHUNK_ROOM;
}
TLOG_OFF int tlog_chunk_delete(int number)
{
    (void)number;
    return TLOG_CHUNK_UNKNOWN;
}
TLOG_OFF int tlog_chunk_set_flags(int number, uint32_t flags)
{
    (void)number, (void)flags;
    return TLOG_CHUNK_UNKNOWN;
}
TLOG_OFF int tlog_chunk_flags(int number)
{
    (void)number;
    return TLOG_CHUNK_UNKNOWN;
}
TLOG_OFF int tlog_chunk_select(int number)
{
    (void)number;
    return TLOG_CHUNK_UNKNOWN;
}
TLOG_OFF int tlog_chunk_link(int from, int to)
{
    (void)from, (void)to;
    return TLOG_CHUNK_UNKNOWN;
}
TLOG_OFF int tlog_chunk_first(uint32_t flags)
{
    (void)flags;
    return TLOG_CHUNK_UNKNOWN;
}
/* Takes memory only where it is called. */
TLOG_INLINE struct tlog_chunk **tlog_chunk_table(void)
{
    static struct tlog_chunk *none[TLOG_CHUNK_NUMBERS];
    return none;
}
TLOG_OFF int tlog_chunk_compress(int number, uint32_t flags)
{
    (void)number, (void)flags;
    return TLOG_CHUNK_UNKNOWN;
}
TLOG_OFF int tlog_chunk_send(int number, uint32_t flags)
{
    (void)number, (void)flags;
    return TLOG_CHUNK_UNKNOWN;
}
TLOG_OFF void tlog_chunk_set_sender(int (*send)(const struct tlog_chunk *chunk))
{
    (void)send;
}
TLOG_OFF void tlog_next_chunk(void)
{
}

/* ---- tlog_shark.h: the same ---------------------------------------------------------------------------------------- */

TLOG_OFF int FTrace_enable(void)
{
    return 0;
}
TLOG_OFF int FTrace_disable(void)
{
    return 0;
}
TLOG_OFF void FTrace_set_filter(uint8_t family, int status)
{
    (void)family, (void)status;
}
TLOG_OFF int FTrace_chunk_create(int normal_size, int emergency_size, FTrace_flags flags)
{
    (void)normal_size, (void)emergency_size, (void)flags;
    return -1;
}
TLOG_OFF int FTrace_chunk_delete(int number)
{
    (void)number;
    return -1;
}
TLOG_OFF int FTrace_set_chunk_flags(int number, FTrace_flags flags)
{
    (void)number, (void)flags;
    return -1;
}
TLOG_OFF int FTrace_get_chunk_flags(int number, FTrace_flags *flags)
{
    (void)number, (void)flags;
    return -1;
}
TLOG_OFF int FTrace_actual_chunk_select(int number)
{
    (void)number;
    return -1;
}
TLOG_OFF int FTrace_chunk_link(int chunk_A, int chunk_B)
{
    (void)chunk_A, (void)chunk_B;
    return -1;
}
TLOG_OFF int FTrace_get_first_chunk(FTrace_flags flags)
{
    (void)flags;
    return -1;
}
TLOG_OFF FTrace_Chunk_Ptr *FTrace_get_chunk_table(void)
{
    return tlog_chunk_table();
}
TLOG_OFF int FTrace_compress_chunk(int number, FTrace_flags new_flags)
{
    (void)number, (void)new_flags;
    return -1;
}
TLOG_OFF int FTrace_send_chunk(int number, int osd_flags, FTrace_flags new_flags)
{
    (void)number, (void)osd_flags, (void)new_flags;
    return -1;
}
TLOG_OFF int FTrace_init_disk_writer(char *fname, int flag, char *l_ip, char *t_ip)
{
    (void)fname, (void)flag, (void)l_ip, (void)t_ip;
    return -1;
}
TLOG_OFF void FTrace_disk_writer(FTrace_Chunk_Ptr c)
{
    (void)c;
}
TLOG_OFF int FTrace_OSD_init_udp(int flag, char *l_ip, char *t_ip)
{
    (void)flag, (void)l_ip, (void)t_ip;
    return -1;
}

TLOG_END_C

#endif
