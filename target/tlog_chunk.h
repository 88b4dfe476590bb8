/* tlog_chunk.h - chunks that are made, linked and selected at run time, beside the default ring (TLOG_ARENA = 1).
 *
 * Their memory is the arena, which the linker script sets aside between __tlog_arena_start and __tlog_arena_end. A chunk
 * has a number, 0..255, and flags, TLOG_CHUNK_* of tlog_wire.h, which say what happens when it is full: it starts over
 * (neither JTN nor STOP), the chunk it is linked to follows (JTN; without a link it stops), or it stops (STOP, also with
 * JTN). Events go to the selected chunk; before the first one is selected, to the default ring.
 *
 * Functions that return an int return a negative enum tlog_chunk_error when they did nothing. They may be called from any
 * context; but create, delete, select, link and compress, while another of these is at work, be it interrupted or
 * preempted, do nothing, and return TLOG_CHUNK_NESTED. Source: the chunks of
 * S.Ha.R.K.'s New Tracer; the FTrace_ functions of tlog_shark.h are these by their old names. */
#include "tlog.h" /* which includes this where it belongs */

#ifndef TLOG_CHUNK_H
#define TLOG_CHUNK_H

TLOG_BEGIN_C

#define TLOG_CHUNK_NUMBERS 256

enum tlog_chunk_error {
    TLOG_CHUNK_UNKNOWN = -1, /* no chunk has that number */
    TLOG_CHUNK_SIZE = -2,    /* slots: 1..65534, emergency slots: 0..65534 */
    TLOG_CHUNK_ROOM = -3,    /* no number, or not enough of the arena, is left */
    TLOG_CHUNK_STATE = -4,   /* it is current, being sent, not FREE, or a writer has not finished in it */
    TLOG_CHUNK_NESTED = -5,  /* another call was at work */
    TLOG_CHUNK_SINK = -6,    /* the sender reports an error */
};

#if TLOG_ARENA
#define TLOG_NEEDS_ARENA
#else
#define TLOG_NEEDS_ARENA __attribute__((error("tlog: chunks made at run time need TLOG_ARENA = 1")))
#endif

#if TLOG_ENABLE

/* Forget all chunks: the arena is unused again. Thread, while nothing logs, and before the first chunk
 * is selected. */
TLOG_NEEDS_ARENA void tlog_chunk_reset(void);

/* Make a chunk of so many slots and emergency slots. The lowest number that is not taken, or an error. Of flags, those
 * that tell a state (FULL, BUSY, COMPR) are ignored, here and everywhere. */
TLOG_NEEDS_ARENA int tlog_chunk_create(uint32_t slots, uint32_t emergency, uint32_t flags);

/* Give the memory of a chunk, and of regions compressed from it, back; links to it are cut. With NODEL: 0, and nothing
 * is done. The arena does not join neighbours, because a preempted writer may still hold the address of a cursor: memory
 * given back serves chunks that are not larger. */
TLOG_NEEDS_ARENA int tlog_chunk_delete(int number);

/* Replace the flags. A chunk that is full and stopped begins its next lap, unless STOP and FULL are given. */
TLOG_NEEDS_ARENA int tlog_chunk_set_flags(int number, uint32_t flags);

/* The flags, FULL and BUSY included: FULL when no normal slot is left and nothing has been said since. */
TLOG_NEEDS_ARENA int tlog_chunk_flags(int number);

/* Make a FREE chunk the current one and clear FREE. It is filled further from where it was left, or, when it is full,
 * from its first slot on. */
TLOG_NEEDS_ARENA int tlog_chunk_select(int number);

/* Let chunk `to`, which must be FREE, follow chunk `from`, and clear its FREE. */
TLOG_NEEDS_ARENA int tlog_chunk_link(int from, int to);

/* The lowest number of a chunk that has one of the flags. */
TLOG_NEEDS_ARENA int tlog_chunk_first(uint32_t flags);

/* All chunks by their numbers, TLOG_CHUNK_NUMBERS of them; NULL where there is none. */
TLOG_NEEDS_ARENA struct tlog_chunk **tlog_chunk_table(void);

/* Compress a chunk into a region of the arena, then replace its flags. The region stays until the chunk is deleted. */
TLOG_NEEDS_ARENA int tlog_chunk_compress(int number, uint32_t flags);

/* Hand a chunk to the sender while no lap of it is begun, then replace its flags. Without a sender: only the flags. */
TLOG_NEEDS_ARENA int tlog_chunk_send(int number, uint32_t flags);

/* Who sends chunks: 0, or an error of its own, after which the flags stay what they were. NULL: nobody. */
TLOG_NEEDS_ARENA void tlog_chunk_set_sender(int (*send)(const struct tlog_chunk *chunk));

/* Leave the current chunk for the one that follows it. If there is none, or it is being sent, events are lost and
 * counted until there is. Nothing while logging is disabled. Any context. Source: FTrace_EVT_next_chunk. */
TLOG_NEEDS_ARENA void tlog_next_chunk(void);

#endif

/* The chunk's slots, and its emergency slots, as sinks want them. */
TLOG_INLINE const struct tlog_slot *tlog_chunk_slots(const struct tlog_chunk *chunk)
{
    return (const struct tlog_slot *)(const void *)(chunk + 1);
}

TLOG_INLINE const struct tlog_slot *tlog_chunk_emergency_slots(const struct tlog_chunk *chunk)
{
    return tlog_chunk_slots(chunk) + chunk->slots + 1;
}

TLOG_END_C

#endif
