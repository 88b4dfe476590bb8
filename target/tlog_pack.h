/* SPDX-License-Identifier: MIT */
/* tlog_pack.h - compress a chunk: into a region of memory that holds the same slots in a fraction of the bytes.
 *
 *     static struct tlog_pack work;
 *     static uint32_t region[1024];
 *     for (struct tlog_chunk *chunk = tlog_chunk_behind(NULL); chunk != NULL; chunk = tlog_chunk_behind(chunk)) {
 *         int32_t bytes = tlog_pack(chunk, region, sizeof(region), &work);
 *         if (bytes > 0)
 *             send(region, (uint32_t)bytes);
 *     }
 *
 * The firmware keeps or sends the region instead of the chunk; the decoder makes the chunk of it again. The layout of a
 * region is described in target/FORMAT.md, "Compressed region".
 *
 * No allocation, no libc, no division. tlog_pack() calls nothing else of tlog, and needs neither tlog.h nor a port. */
#ifndef TLOG_PACK_H
#define TLOG_PACK_H

#include "src/tlog_call.h"
#include "tlog_wire.h"

#include "src/tlog_pack_impl.h"

TLOG_BEGIN_CALLS

/* Why there is no region. */
enum tlog_pack_error {
    TLOG_PACK_ROOM = -1,  /* the region is too small */
    TLOG_PACK_CHUNK = -2, /* that is no chunk: its magic, its tag or the CRC of its constant part is wrong */
};

/* Working memory of a call: struct tlog_pack, 540 bytes on a 32-bit target. It belongs to the caller, need not be
 * initialised, and holds nothing between two calls. Its members are private. */
struct tlog_pack;

/* Bytes of a region that is large enough for any chunk of that many slots and emergency slots, whatever they hold. */
#define TLOG_PACK_BYTES(slots, emergency)                                                                              \
    (TLOG_PACK_HEAD_BYTES + ((slots) + (emergency)) * TLOG_SLOT_BYTES                                                  \
     + (TLOG_GROUPS(slots) + TLOG_GROUPS(emergency)) * TLOG_PACK_GROUP_BYTES)

/* Compress a chunk.
 *   chunk:  is only read. It may be logged to in the meantime: then the region shows each slot as it was at some
 *           moment, as a copy of the chunk would.
 *   region: at most `bytes` bytes at an address that is a multiple of 4; it belongs to the caller
 *   work:   working memory
 * Returns the bytes written, a multiple of 4; or a negative enum tlog_pack_error, and then nothing in the region is
 * valid. With TLOG_ENABLE = 0 there are no chunks, and it returns TLOG_PACK_CHUNK. Stack: 128 bytes at most.
 * Callable from: any context; one call at a time for each region, and for each working memory. */
TLOG_CALL int32_t tlog_pack(const struct tlog_chunk *chunk, void *region, uint32_t bytes, struct tlog_pack *work)
    TLOG_WHEN_OFF(return TLOG_PACK_CHUNK);

TLOG_END_CALLS

#endif
