/* SPDX-License-Identifier: MIT */
/* tlog_ring_type.h - what is constant about a ring, and its initial value.
 *
 * Private to tlog: tlog_ring.h includes it. */
#ifndef TLOG_RING_TYPE_H
#define TLOG_RING_TYPE_H

#ifndef TLOG_H
#error "tlog: include tlog.h"
#endif

#include "tlog_wire.h"

TLOG_BEGIN_C

/* A ring: the chunks that a CPU fills in turn, and the constant part of their headers. Constant itself. The chunks lie
 * side by side in memory. With TLOG_RUNS > 1 there are TLOG_RUNS banks of these chunks, side by side: one bank per
 * run. */
#define TLOG_PATTERN_WORDS     10u
#define TLOG_PATTERN_PLACE     3u
#define TLOG_PATTERN_SLOTS     4u
#define TLOG_PATTERN_EMERGENCY 5u
#define TLOG_PATTERN_SIZE      6u
struct tlog_ring {
    struct tlog_chunk *first; /* of the first bank */
    uint32_t chunks;          /* in a bank */
    uint32_t last_flags;      /* flags that only a bank's last chunk has: TLOG_CHUNK_STOP or 0 */
    uint32_t pattern[TLOG_PATTERN_WORDS];
#if !TLOG_MINIMAL
    uint32_t sum;  /* what the pattern adds to `check` of the first chunk */
    uint32_t seal; /* offset of the seal in a chunk */
#endif
};

/* The powers of TLOG_CHECK_ROOT, modulo 2^32. */
#define TLOG_POWER_1  TLOG_CHECK_ROOT
#define TLOG_POWER_2  (TLOG_POWER_1 * TLOG_CHECK_ROOT)
#define TLOG_POWER_3  (TLOG_POWER_2 * TLOG_CHECK_ROOT)
#define TLOG_POWER_4  (TLOG_POWER_3 * TLOG_CHECK_ROOT)
#define TLOG_POWER_5  (TLOG_POWER_4 * TLOG_CHECK_ROOT)
#define TLOG_POWER_6  (TLOG_POWER_5 * TLOG_CHECK_ROOT)
#define TLOG_POWER_7  (TLOG_POWER_6 * TLOG_CHECK_ROOT)
#define TLOG_POWER_8  (TLOG_POWER_7 * TLOG_CHECK_ROOT)
#define TLOG_POWER_9  (TLOG_POWER_8 * TLOG_CHECK_ROOT)
#define TLOG_POWER_10 (TLOG_POWER_9 * TLOG_CHECK_ROOT)
#define TLOG_POWER_11 (TLOG_POWER_10 * TLOG_CHECK_ROOT)
#define TLOG_POWER_12 (TLOG_POWER_11 * TLOG_CHECK_ROOT)
#define TLOG_POWER_13 (TLOG_POWER_12 * TLOG_CHECK_ROOT)
#define TLOG_POWER_14 (TLOG_POWER_13 * TLOG_CHECK_ROOT)
#define TLOG_POWER_15 (TLOG_POWER_14 * TLOG_CHECK_ROOT)

/* With TLOG_CONTEXT the low bits of a stamp's high word hold the context, and the wraps of the clock stand above it. */
#if TLOG_CONTEXT
#define TLOG_WRAP_SHIFT      TLOG_CONTEXT_BITS
#define TLOG_RING_ROLE(role) ((uint32_t)(role) << 16 | ((role) == TLOG_ROLE_NAMES ? 0u : TLOG_PORT_CONTEXT))
#else
#define TLOG_WRAP_SHIFT      0u
#define TLOG_RING_ROLE(role) ((uint32_t)(role) << 16)
#endif

/* The rate of the clock as the header tells it: 0 if marks in the ring tell it. And what a decoder must know. */
#define TLOG_RING_FREQ  (TLOG_CLOCK_CHANGES ? 0u : TLOG_CLOCK_RATE)
#define TLOG_RING_NEEDS (TLOG_CLOCK_CHANGES ? TLOG_NEEDS_RATES : 0u)

/* Words of the pattern. */
#define TLOG_RING_FORMAT                  (TLOG_WIRE_VERSION | TLOG_HEADER_BYTES << 16 | (uint32_t)sizeof(void *) << 24)
#define TLOG_RING_PLACE(cpu, count, role) ((uint32_t)(cpu) | TLOG_RING_ROLE(role) | (uint32_t)(count) << 24)
#define TLOG_RING_SUM(place, slots, emergency)                                                                         \
    (TLOG_CHECK_TERM(TLOG_WIRE_MAGIC, TLOG_POWER_1) + TLOG_CHECK_TERM(TLOG_WIRE_TAG, TLOG_POWER_2)                     \
     + TLOG_CHECK_TERM(TLOG_RING_FORMAT, TLOG_POWER_3) + TLOG_CHECK_TERM(place, TLOG_POWER_4)                          \
     + TLOG_CHECK_TERM(slots, TLOG_POWER_5) + TLOG_CHECK_TERM(emergency, TLOG_POWER_6)                                 \
     + TLOG_CHECK_TERM(TLOG_CHUNK_BYTES(slots, emergency), TLOG_POWER_7)                                               \
     + TLOG_CHECK_TERM(TLOG_RING_FREQ, TLOG_POWER_8) + TLOG_CHECK_TERM(TLOG_COARSE_HZ, TLOG_POWER_9)                   \
     + TLOG_CHECK_TERM(TLOG_RING_NEEDS, TLOG_POWER_10))

#if TLOG_MINIMAL
#define TLOG_RING_SUM_AND_SEAL(place, slots, emergency)
#else
#define TLOG_RING_SUM_AND_SEAL(place, slots, emergency)                                                                \
    .sum = TLOG_RING_SUM(place, slots, emergency),                                                                     \
    .seal = TLOG_HEADER_BYTES + ((slots) + 1u + (emergency)) * TLOG_SLOT_BYTES + TLOG_CLAIMS * 4u,
#endif

/* Initial value of a ring: its chunks stand at `memory`; role is TLOG_ROLE_EVENTS or TLOG_ROLE_NAMES. */
#define TLOG_RING(memory, cpu, slots, emergency, chunk_count, role, stop_when_full)                                    \
    {                                                                                                                  \
        .first = (struct tlog_chunk *)(void *)(memory), .chunks = (chunk_count),                                       \
        .last_flags = (stop_when_full) ? TLOG_CHUNK_STOP : 0u,                                                         \
        .pattern =                                                                                                     \
            {                                                                                                          \
                TLOG_WIRE_MAGIC,                                                                                       \
                TLOG_WIRE_TAG,                                                                                         \
                TLOG_RING_FORMAT,                                                                                      \
                TLOG_RING_PLACE(cpu, chunk_count, role),                                                               \
                (slots),                                                                                               \
                (emergency),                                                                                           \
                TLOG_CHUNK_BYTES(slots, emergency),                                                                    \
                TLOG_RING_FREQ,                                                                                        \
                TLOG_COARSE_HZ,                                                                                        \
                TLOG_RING_NEEDS,                                                                                       \
            },                                                                                                         \
        TLOG_RING_SUM_AND_SEAL(TLOG_RING_PLACE(cpu, chunk_count, role), slots, emergency)                              \
    }

/* What counts the calls of a CPU that may not log: a chunk behind the ring (tlog_refuse.c). */
#ifdef TLOG_ONLY_CPU_ADDRESS
#define TLOG_REFUSED_WORDS (TLOG_CHUNK_BYTES(1u, 0u) / 4u)
void tlog_refuse_begin(void); /* count them there from now on */
uint32_t tlog_refused(void);  /* how many there were */
#else
#define TLOG_REFUSED_WORDS  0u
#define tlog_refuse_begin() ((void)0)
#define tlog_refused()      0u
#endif

TLOG_END_C

#endif
