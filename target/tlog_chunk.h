/* tlog_chunk.h - chunks that are created, linked and selected at run time, beside the default ring.
 *
 * Needs TLOG_ARENA = 1, except for the two functions at the end; without it a use of these calls is an error at compile
 * time. tlog.h includes this header.
 *
 * The chunks' memory is the arena, which the linker script sets aside between __tlog_arena_start and __tlog_arena_end.
 *
 * A chunk has a number, 0..255, and flags, TLOG_CHUNK_* of tlog_wire.h, which say what happens when it is full:
 *   neither JTN nor STOP   it starts over, and overwrites its oldest events
 *   JTN                    logging goes on in the chunk that it is linked to; without a link it stops
 *   STOP, also with JTN    it stops: further events are lost, and counted
 * Other flags: FREE: the chunk may be selected and linked to. NODEL: it may not be deleted. FULL, BUSY and COMPR tell a
 * state; where a caller gives flags, BUSY and COMPR are ignored, and FULL says that a full chunk is to stay full.
 *
 * Events go to the selected chunk; to the default ring, until the first chunk is selected.
 *
 * Calls that return an int return a negative enum tlog_chunk_error if they did nothing. Two calls of create, delete,
 * select, link and compress must not overlap: one that is made while another one is interrupted, or its thread
 * preempted, does nothing and returns TLOG_CHUNK_NESTED.
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

/* Create a chunk of so many slots, 1..65534, and emergency slots, 0..65534, of 16 bytes each: at most 1,048,544 bytes
 * of either (TLOG_CHUNK_BYTES() of tlog_wire.h tells the whole chunk's size). Returns its number, the lowest one that
 * is free, or an error. Callable from: any context. */
TLOG_ARENA_CALL int tlog_chunk_create(uint32_t slots, uint32_t emergency, uint32_t flags)
    TLOG_WHEN_OFF(return TLOG_CHUNK_ROOM);

/* Delete a chunk: its memory, and that of its compressed region, returns to the arena, and links to it are cut. Returns
 * 0 or an error. With the flag NODEL nothing is done and 0 returned. Pieces of returned memory are not joined, because
 * a writer that was preempted may still hold the address of a cursor; they serve chunks that are not larger.
 * Callable from: any context. */
TLOG_ARENA_CALL int tlog_chunk_delete(int number) TLOG_WHEN_OFF(return TLOG_CHUNK_UNKNOWN);

/* Replace a chunk's flags. Returns 0 or an error. Without FULL among them a chunk that was full is not FULL any more:
 * its events have been read. They stay in it until it is filled again; if it is the current one, and has stopped, it
 * begins its next lap. With FULL it stays as it is. Callable from: any context. */
TLOG_ARENA_CALL int tlog_chunk_set_flags(int number, uint32_t flags) TLOG_WHEN_OFF(return TLOG_CHUNK_UNKNOWN);

/* A chunk's flags, FULL and BUSY included, or an error. FULL: no normal slot is left, and the flags were not replaced
 * since; but the current chunk is not FULL if its next event starts it over. Callable from: any context. */
TLOG_ARENA_CALL int tlog_chunk_flags(int number) TLOG_WHEN_OFF(return TLOG_CHUNK_UNKNOWN);

/* Make a FREE chunk the current one, and clear FREE. Filling goes on where it was left; a full chunk is filled from its
 * first slot on. Returns 0 or an error. Callable from: any context. */
TLOG_ARENA_CALL int tlog_chunk_select(int number) TLOG_WHEN_OFF(return TLOG_CHUNK_UNKNOWN);

/* Link chunk `from` to chunk `to`, which must be FREE: `to` follows when `from` is full (JTN). Clears the FREE of `to`.
 * Returns 0 or an error. Callable from: any context. */
TLOG_ARENA_CALL int tlog_chunk_link(int from, int to) TLOG_WHEN_OFF(return TLOG_CHUNK_UNKNOWN);

/* The lowest number of a chunk that has one of these flags, or TLOG_CHUNK_UNKNOWN. Callable from: any context. */
TLOG_ARENA_CALL int tlog_chunk_first(uint32_t flags) TLOG_WHEN_OFF(return TLOG_CHUNK_UNKNOWN);

/* The table of all chunks by their numbers: TLOG_CHUNK_NUMBERS pointers, NULL where there is no chunk. It belongs to
 * tlog and must not be written. Callable from: any context. */
TLOG_ARENA_CALL struct tlog_chunk **tlog_chunk_table(void)
    TLOG_WHEN_OFF(static struct tlog_chunk *none[TLOG_CHUNK_NUMBERS]; return none);

/* Compress a chunk into a region of the arena (tlog_pack.h), then replace its flags. The region stays until the chunk
 * is deleted. Returns 0 or an error. Callable from: any context. */
TLOG_ARENA_CALL int tlog_chunk_compress(int number, uint32_t flags) TLOG_WHEN_OFF(return TLOG_CHUNK_UNKNOWN);

/* Hand a chunk to the sender, then replace its flags. While it is being sent (BUSY) no lap of it is begun. Returns 0 or
 * an error; after an error the flags are what they were. Without a sender only the flags are replaced.
 * Callable from: any context that the sender allows. */
TLOG_ARENA_CALL int tlog_chunk_send(int number, uint32_t flags) TLOG_WHEN_OFF(return TLOG_CHUNK_UNKNOWN);

/* Set the function that tlog_chunk_send() hands chunks to; NULL: none. It returns 0, or a number of its own for an
 * error. Callable from: any context. */
TLOG_ARENA_CALL void tlog_chunk_set_sender(int (*send)(const struct tlog_chunk *chunk)) TLOG_WHEN_OFF();

/* Leave the current chunk for the chunk that follows it. If there is none, or it is being sent, events are lost and
 * counted until there is one. Does nothing while logging is disabled. TRACER_LOGEVENT(FTrace_EVT_next_chunk, 0, 0) does
 * the same. Callable from: any context. Source: S.Ha.R.K. New Tracer, FTrace_EVT_next_chunk. */
TLOG_ARENA_CALL void tlog_next_chunk(void) TLOG_WHEN_OFF();

/* The slots of a chunk, chunk->slots of them, and its emergency slots, chunk->emergency of them. For functions that
 * send slots, such as tlog_udp_send_slots(). Callable from: any context. */
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
