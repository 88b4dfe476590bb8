/* seal.h - the seal that a dump puts behind a chunk's slots. */
#ifndef LIB_SEAL_H
#define LIB_SEAL_H

#include "tlog.h"

#include "lib/test.h"

/* A seal whose fields match the header has the right checksum. rests: no event is being written to the chunk; then it
 * has such a seal. */
static inline void check_seal(const struct tlog_chunk *chunk, bool rests)
{
    const uint32_t *slots = (const uint32_t *)(chunk + 1);
    const uint32_t *claims = slots + (TLOG_SLOTS + 1u + TLOG_EMERGENCY_SLOTS) * 4u;
    const struct tlog_seal *seal = (const struct tlog_seal *)(const void *)(claims + TLOG_CLAIMS);
    bool holds = seal->magic == TLOG_WIRE_SEAL && seal->cursor == chunk->cursor && seal->lap == chunk->lap
                 && seal->dropped == chunk->dropped && seal->reported == chunk->reported
                 && seal->dropped_high == chunk->dropped_high && seal->lap_high == chunk->lap_high
                 && seal->extra_high == chunk->extra_high && seal->extra == chunk->extra
                 && seal->trigger == chunk->trigger && seal->emergency_used == chunk->emergency_used;
    CHECK(holds || !rests);
    CHECK(!holds || ~tlog_ring_crc(~0u, slots, TLOG_SLOTS * 4u) == *(const uint32_t *)(seal + 1));
}

#endif
