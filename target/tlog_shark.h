/* SPDX-License-Identifier: MIT */
/* tlog_shark.h - the calls of S.Ha.R.K.'s New Tracer, by the names and signatures of its manual.
 *
 * They are thin over the calls of tlog.h and tlog_chunk.h, which say in detail what each does. tlog.h includes this
 * header. TRACER_LOGEVENT() and FAST_TRACER_LOGEVENT() are in tlog.h; the codes of events, FTrace_EVT_*, in
 * tlog_wire.h; S.Ha.R.K.'s types, such as SYS_FLAGS, in tlog_type_names.h.
 *
 * All calls from FTrace_chunk_create() on need TLOG_ARENA = 1; without it a use of them is an error at compile time.
 *
 * Calls that return an int return 0, or the number that is asked for; or -1 if they did nothing. Sizes are in bytes, 16
 * for an event. Chunks have numbers 0..255.
 *
 * Source: S.Ha.R.K. New Tracer, its manual; for the senders its FTrace_disk.c and FTrace_udp.c. */
#include "tlog.h" /* includes this header where it belongs */

#ifndef TLOG_SHARK_H
#define TLOG_SHARK_H

#include "tlog_chunk.h"

TLOG_BEGIN_CALLS

/* Flags of a chunk, and a pointer to one, which stays tlog's own. */
typedef uint8_t FTrace_flags;
typedef struct tlog_chunk *FTrace_Chunk_Ptr;

#define FTRACE_CHUNK_FLAG_CYC   0x00             /* when full start over */
#define FTRACE_CHUNK_FLAG_FREE  TLOG_CHUNK_FREE  /* may be selected and linked to */
#define FTRACE_CHUNK_FLAG_FULL  TLOG_CHUNK_FULL  /* reported: no slot is left */
#define FTRACE_CHUNK_FLAG_JTN   TLOG_CHUNK_JTN   /* when full go on in the chunk it is linked to */
#define FTRACE_CHUNK_FLAG_STOP  TLOG_CHUNK_STOP  /* when full stop */
#define FTRACE_CHUNK_FLAG_BUSY  TLOG_CHUNK_BUSY  /* reported: being sent */
#define FTRACE_CHUNK_FLAG_NODEL TLOG_CHUNK_NODEL /* must not be deleted */
#define FTRACE_CHUNK_FLAG_COMPR TLOG_CHUNK_COMPR /* reported: a compressed copy of it is in the arena */

/* The code of a slot in which no event stands. It cannot be logged. */
#define FTrace_EVT_empty 0x00

/* ---- logging ---------------------------------------------------------------------------------------------------- */

/* Enable logging, and disable it: tlog_enable(), tlog_disable(), which log FTrace_EVT_trace_start with the ticks per
 * ms, and FTrace_EVT_trace_stop. They return 0, because there is always a current chunk. Callable from: any context. */
TLOG_CALL int FTrace_enable(void) TLOG_WHEN_OFF(return 0);
TLOG_CALL int FTrace_disable(void) TLOG_WHEN_OFF(return 0);

/* Suppress (status 1) or record (0) a family, one of FTrace_filter_*; other values are ignored. Each call logs an event
 * with the family's FTrace_filter_* as its code and status as par1. Callable from: any context. */
TLOG_CALL void FTrace_set_filter(uint8_t family, int status) TLOG_WHEN_OFF();

/* ---- chunks ----------------------------------------------------------------------------------------------------- */

/* Create a chunk with normal_size bytes for events and emergency_size bytes for emergency events, at most 1,048,544 of
 * either: tlog_chunk_create(). Returns its number. Callable from: any context. */
TLOG_ARENA_CALL int FTrace_chunk_create(int normal_size, int emergency_size, FTrace_flags flags)
    TLOG_WHEN_OFF(return -1);

/* Delete a chunk, unless it has the flag NODEL: tlog_chunk_delete(). Callable from: any context. */
TLOG_ARENA_CALL int FTrace_chunk_delete(int number) TLOG_WHEN_OFF(return -1);

/* Replace a chunk's flags: tlog_chunk_set_flags(). Without FULL it is not FULL any more. Callable from: any context. */
TLOG_ARENA_CALL int FTrace_set_chunk_flags(int number, FTrace_flags flags) TLOG_WHEN_OFF(return -1);

/* Store a chunk's flags in *flags: tlog_chunk_flags(). Returns -1 also for a null pointer. Callable from: any
 * context. */
TLOG_ARENA_CALL int FTrace_get_chunk_flags(int number, FTrace_flags *flags) TLOG_WHEN_OFF(return -1);

/* Make a FREE chunk the current one: tlog_chunk_select(). Callable from: any context. */
TLOG_ARENA_CALL int FTrace_actual_chunk_select(int number) TLOG_WHEN_OFF(return -1);

/* Let chunk_B, which must be FREE, follow chunk_A: tlog_chunk_link(). Callable from: any context. */
TLOG_ARENA_CALL int FTrace_chunk_link(int chunk_A, int chunk_B) TLOG_WHEN_OFF(return -1);

/* The lowest number of a chunk that has one of the flags: tlog_chunk_first(). Callable from: any context. */
TLOG_ARENA_CALL int FTrace_get_first_chunk(FTrace_flags flags) TLOG_WHEN_OFF(return -1);

/* The table of all chunks by their numbers: tlog_chunk_table(). Callable from: any context. */
TLOG_ARENA_CALL FTrace_Chunk_Ptr *FTrace_get_chunk_table(void) TLOG_WHEN_OFF(return tlog_chunk_table());

/* Compress a chunk into the arena, then replace its flags: tlog_chunk_compress(). The chunk stays as it is; with
 * FTRACE_CHUNK_FLAG_FREE in new_flags it is used again, and FTrace_chunk_delete() frees it and its region. Callable
 * from: any context. */
TLOG_ARENA_CALL int FTrace_compress_chunk(int number, FTrace_flags new_flags) TLOG_WHEN_OFF(return -1);

/* Hand a chunk to the sender, then replace its flags: tlog_chunk_send(). Without FULL in new_flags the chunk is not
 * FULL any more once it is sent. It is not emptied: with FTRACE_CHUNK_FLAG_FREE in new_flags it may be selected again,
 * and is filled from its first slot on. osd_flags is ignored. FTrace_init_disk_writer() or FTrace_OSD_init_udp() sets
 * the sender. Callable from: any context with the disk writer, thread with UDP. */
TLOG_ARENA_CALL int FTrace_send_chunk(int number, int osd_flags, FTrace_flags new_flags) TLOG_WHEN_OFF(return -1);

/* ---- senders ---------------------------------------------------------------------------------------------------- */

/* Let chunks that are sent go to files on the host, by semihosting: "0" and fname, "1" and fname, in the order of
 * sending. Each is a S.Ha.R.K. trace file. The files are written when the program ends (board_exit() of
 * port/out_semihost.h), with what is in the chunks then: so do not delete or fill a chunk again after it was sent. Up
 * to 64 chunks can be sent; sending a 65th is an error. At most 255 bytes of fname are kept, in a copy; the other
 * parameters are ignored. Implemented by port/out_disk.c. Callable from: thread. */
TLOG_ARENA_CALL int FTrace_init_disk_writer(char *fname, int flag, char *l_ip, char *t_ip) TLOG_WHEN_OFF(return -1);

/* Have a chunk written to a file when the program ends; it must not be deleted before. There is room for 64 chunks,
 * sent ones included. Of further chunks only the events are counted, as many as a chunk has at the call. For each of
 * them the last file holds a blackout_start and a blackout_end record at the time of the chunk's last event: par2 is
 * the ticks since its first event, and the number of its events. From the 16th of these chunks on, events are counted
 * together. Implemented by port/out_disk.c. Callable from: any context. */
TLOG_ARENA_CALL void FTrace_disk_writer(FTrace_Chunk_Ptr c) TLOG_WHEN_OFF();

/* Let chunks that are sent go out by UDP, from address l_ip to t_ip, each a text such as "192.168.1.10". flag 1: bring
 * the network up (tlog_udp_open() of port/out_udp.h); returns -1 if that fails. Other values: the application has done
 * that, and the addresses are ignored; while the network is not up, sending is an error. Implemented by
 * port/out_shark_udp.c. Callable from: thread. */
TLOG_ARENA_CALL int FTrace_OSD_init_udp(int flag, char *l_ip, char *t_ip) TLOG_WHEN_OFF(return -1);

/* The head of a slot as word 0 of a S.Ha.R.K. record, without the tag. The two records that report a loss get their
 * codes there, without the upper bits of their values, for which S.Ha.R.K. has no place. Callable from: any context. */
TLOG_INLINE uint32_t tlog_shark_head(const struct tlog_slot *slot)
{
    const uint32_t head = slot->word[TLOG_WORD_HEAD] & ~TLOG_TAG_MASK;
    if ((head & (TLOG_CLASS_MASK | TLOG_RECORD_CODE)) != TLOG_RECORD_LOSS)
        return head;
    return head >> 16 & TLOG_LOSS_END ? (uint32_t)FTrace_EVT_blackout_end : (uint32_t)FTrace_EVT_blackout_start;
}

TLOG_END_CALLS

#endif
