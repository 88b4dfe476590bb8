/* smp.h - the stress test of several CPUs: what its parts share.
 *
 *   stream   events of one kind that one context of one CPU logs into one ring, numbered from 0 on
 *   origin   the CPU that logs, which is the ring's but for threads that were moved in the middle of a call
 *   round    all CPUs log at once; then, at rest, each looks at all that its ring holds */
#ifndef RUNTIME_SMP_SMP_H
#define RUNTIME_SMP_SMP_H

#include "tlog.h"

/* Records of a thread, of two levels of interrupts, unchecked ones, the baton, ones that a filter holds back at times;
 * traceevents of one slot and of three. */
enum stream { THREAD, LOW, HIGH, FAST, BATON, OPTIONAL, SHORT, LONG, STREAMS };

#define SMP_WORDS 6u /* of a long one */

/* Counts of one CPU; it alone changes them. */
struct smp_counts {
    uint64_t events, looks, unfinished, pairs, switches, batons, kept;
    uint32_t interrupts, nested, dumps, sealed, retries;
    uint32_t violations;
} __attribute__((aligned(64)));

extern struct smp_counts smp_counts[TLOG_CPUS];
extern volatile uint32_t smp_issued[TLOG_CPUS][TLOG_CPUS][STREAMS]; /* ring, origin: numbers given away */
extern volatile bool smp_off;                                       /* logging was disabled at times in this round */

/* The 16 bits that go with a number: origin in 15..13, the rest a hash. */
static inline uint32_t smp_mark(uint32_t origin, enum stream stream, uint32_t number)
{
    return origin << 13 | ((number * 0x9E3779B1u + (uint32_t)stream * 0x85EBCA6Bu + origin * 77u) >> 19);
}

/* Say what is wrong, once per CPU; counted always. */
void smp_violation(const char *what, uint32_t a, uint32_t b);

/* Look at a slot of a chunk that another CPU fills meanwhile: what shows as filled must be whole. */
void smp_look(uint32_t ring, uint32_t chunk, uint32_t slot);

/* At rest: everything that a ring holds, and its counts. */
void smp_check_ring(uint32_t ring);

/* At rest: with TLOG_RUNS > 1 the banks of older runs are what they were. */
void smp_check_banks(uint32_t ring);

/* At rest: how often two rings' events, in the order of time, come from different CPUs. */
void smp_interleave(uint32_t ring, uint32_t other);

/* At rest: the baton's events of all rings, by number: later ones have later stamps. */
void smp_check_batons(void);

/* At rest: every filter follows from what was last said; one boot number in all chunks; every header is right. */
void smp_check_state(void);

/* A sink for tlog_dump(): every seal that holds is right. */
int smp_sink(void *ctx, const void *bytes, uint32_t length);

#endif
