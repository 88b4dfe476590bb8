/* SPDX-License-Identifier: MIT */
/* tlog_chunk.h - chunks that are created, linked and selected at run time, beside the default ring.
 *
 * Needs TLOG_ARENA = 1, except for the two functions at the end: without it these calls do not compile. tlog.h includes
 * this header. The chunks' memory, the arena, is what the linker script sets aside between __tlog_arena_start and
 * __tlog_arena_end.
 *
 * A chunk has a number, 0..255, and flags, TLOG_CHUNK_* of tlog_wire.h, which say what happens when it is full:
 *   neither JTN nor STOP   it starts over, and overwrites its oldest events
 *   JTN                    logging goes on in the chunk that it is linked to; without a link it stops
 *   STOP, also with JTN    it stops: further events are lost, and counted
 * Other flags: FREE: the chunk may be selected and linked to. NODEL: it may not be deleted. FULL, BUSY and COMPR tell a
 * state. As an argument BUSY and COMPR are ignored, and FULL says that a full chunk stays full.
 *
 * Events go to the selected chunk; to the default ring, until the first chunk is selected.
 *
 * Calls that return an int return a negative enum tlog_chunk_error if they did nothing. Calls of create, delete,
 * select, link and compress must not overlap. A call that has interrupted another one, or preempted its thread, does
 * nothing and returns TLOG_CHUNK_NESTED.
 *
 * With TLOG_ENABLE = 0 no chunk has any number, and there is no room for a new one.
 *
 * Source: the chunks of S.Ha.R.K.'s New Tracer. tlog_shark.h has these calls by their old names. */
#include "tlog.h" /* includes this header where it belongs */

#ifndef TLOG_CHUNK_H
#define TLOG_CHUNK_H

TLOG_BEGIN_CALLS

/* How many numbers there are for chunks. */
#define TLOG_CHUNK_NUMBERS 256

enum tlog_chunk_error {
    TLOG_CHUNK_UNKNOWN = -1, /* no chunk has that number */
    TLOG_CHUNK_SIZE = -2,    /* slots are not 1..65534, or emergency slots not 0..65534 */
    TLOG_CHUNK_ROOM = -3,    /* no number is free, or not enough of the arena */
    TLOG_CHUNK_STATE = -4,   /* the chunk is current, being sent, or not FREE, or a writer has not finished in it */
    TLOG_CHUNK_NESTED = -5,  /* another call was at work */
    TLOG_CHUNK_SINK = -6,    /* the sender reports an error */
};

/* Forget all chunks: the whole arena is unused again. Only before the first chunk is selected, and while nothing is
 * logged. Callable from: thread. */
TLOG_ARENA_CALL void tlog_chunk_reset(void) TLOG_WHEN_OFF();

/* Create a chunk of 1..65534 slots and 0..65534 emergency slots, of 16 bytes each; TLOG_CHUNK_BYTES() of tlog_wire.h
 * tells its whole size. Returns the lowest free number, which the chunk gets, or an error. Callable from: any
 * context. */
TLOG_ARENA_CALL int tlog_chunk_create(uint32_t slots, uint32_t emergency, uint32_t flags)
    TLOG_WHEN_OFF(return TLOG_CHUNK_ROOM);

/* Delete a chunk. Its memory and that of its compressed region return to the arena, and links to it are cut. Returns 0
 * or an error; for a chunk with the flag NODEL it returns 0 and does nothing. Returned memory serves chunks that are
 * not larger; pieces are not joined, because a writer that was preempted may still hold a cursor's address.
 * Callable from: any context. */
TLOG_ARENA_CALL int tlog_chunk_delete(int number) TLOG_WHEN_OFF(return TLOG_CHUNK_UNKNOWN);

/* Replace a chunk's flags. Returns 0 or an error. Without FULL among them, a full chunk counts as read: it is not FULL
 * any more. Its events stay until it is filled again. If it is current and has stopped, it begins its next lap. With
 * FULL it stays as it is. Callable from: any context. */
TLOG_ARENA_CALL int tlog_chunk_set_flags(int number, uint32_t flags) TLOG_WHEN_OFF(return TLOG_CHUNK_UNKNOWN);

/* A chunk's flags, FULL and BUSY included, or an error. FULL: no normal slot is left, and the flags were not replaced
 * since. A current chunk that starts over at its next event is not FULL. Callable from: any context. */
TLOG_ARENA_CALL int tlog_chunk_flags(int number) TLOG_WHEN_OFF(return TLOG_CHUNK_UNKNOWN);

/* Make a FREE chunk the current one, and clear FREE. It is filled from where it was left; a full chunk from its first
 * slot on. Returns 0 or an error. Callable from: any context. */
TLOG_ARENA_CALL int tlog_chunk_select(int number) TLOG_WHEN_OFF(return TLOG_CHUNK_UNKNOWN);

/* Link chunk `from` to the FREE chunk `to`, and clear its FREE. Then `to` follows when `from` is full (JTN). Returns 0
 * or an error. Callable from: any context. */
TLOG_ARENA_CALL int tlog_chunk_link(int from, int to) TLOG_WHEN_OFF(return TLOG_CHUNK_UNKNOWN);

/* The lowest number of a chunk that has one of these flags, or TLOG_CHUNK_UNKNOWN. Callable from: any context. */
TLOG_ARENA_CALL int tlog_chunk_first(uint32_t flags) TLOG_WHEN_OFF(return TLOG_CHUNK_UNKNOWN);

/* The table of all chunks by their numbers: TLOG_CHUNK_NUMBERS pointers, NULL where there is no chunk. It belongs to
 * tlog and must not be written. Callable from: any context. */
TLOG_ARENA_CALL struct tlog_chunk **tlog_chunk_table(void)
    TLOG_WHEN_OFF(static struct tlog_chunk *none[TLOG_CHUNK_NUMBERS]; return none);

/* Compress a chunk into a region of the arena (tlog_pack.h), then replace its flags. The region stays until the chunk
 * is deleted, and so do the chunk and its events: with FREE among the flags it can be selected again, and a full one is
 * then filled from its first slot on. It is not emptied; a dump has its events, and a decoder shows them once. Returns
 * 0 or an error. Callable from: any context. */
TLOG_ARENA_CALL int tlog_chunk_compress(int number, uint32_t flags) TLOG_WHEN_OFF(return TLOG_CHUNK_UNKNOWN);

/* Hand a chunk to the sender, then replace its flags. Meanwhile (BUSY) no lap of it is begun: events that find no room
 * are lost and counted, and the records of a loss tell that. The chunk is not emptied, and its memory is not freed: as
 * with tlog_chunk_compress(). Returns 0; or an error,
 * and the flags are what they were. Without a sender only the flags are replaced. Callable from: any context that the
 * sender allows. */
TLOG_ARENA_CALL int tlog_chunk_send(int number, uint32_t flags) TLOG_WHEN_OFF(return TLOG_CHUNK_UNKNOWN);

/* Set the function that tlog_chunk_send() hands chunks to; NULL: none. It returns 0, or a number of its own for an
 * error. Callable from: any context. */
TLOG_ARENA_CALL void tlog_chunk_set_sender(int (*send)(const struct tlog_chunk *chunk)) TLOG_WHEN_OFF();

/* Leave the current chunk for the chunk that follows it. While there is none, or it is being sent, events are lost and
 * counted. Does nothing while logging is disabled. TRACER_LOGEVENT(FTrace_EVT_next_chunk, 0, 0) does the same. Callable
 * from: any context. Source: S.Ha.R.K. New Tracer, FTrace_EVT_next_chunk. */
TLOG_ARENA_CALL void tlog_next_chunk(void) TLOG_WHEN_OFF();

/* A chunk's slots (chunk->slots of them) and its emergency slots (chunk->emergency), for functions that send slots,
 * such as tlog_udp_send_slots(). Callable from: any context. */
TLOG_INLINE const struct tlog_slot *tlog_chunk_slots(const struct tlog_chunk *chunk)
{
    return (const struct tlog_slot *)(const void *)(chunk + 1);
}

TLOG_INLINE const struct tlog_slot *tlog_chunk_emergency_slots(const struct tlog_chunk *chunk)
{
    return tlog_chunk_slots(chunk) + chunk->slots + 1;
}

TLOG_END_CALLS

#endif
