/* smp.h - shared by the parts of the stress test of several CPUs.
 *
 *    stream   events of one kind that one context of one CPU logs to one ring, numbered from 0 on
 *    origin   the CPU that logs; it is the ring's, except for threads that were moved in the middle of a call
 *    round    all CPUs log at once; then, at rest, each CPU checks all that its ring holds */
#ifndef RUNTIME_SMP_SMP_H
#define RUNTIME_SMP_SMP_H

#include "tlog.h"

/* Records of a thread, of two levels of interrupts, records by FAST_TRACER_LOGEVENT, the baton's, records that a filter
 * suppresses at times; traceevents of one slot and of three. */
enum stream { THREAD, LOW, HIGH, FAST, BATON, OPTIONAL, SHORT, LONG, STREAMS };

#define SMP_WORDS 6u /* words of a LONG event */

/* Counts of one CPU; only that CPU changes them. */
struct smp_counts {
    uint64_t events, looks, unfinished, pairs, switches, batons, kept;
    uint32_t interrupts, nested, dumps, sealed, retries;
    uint32_t violations;
} __attribute__((aligned(64)));

extern struct smp_counts smp_counts[TLOG_CPUS];
extern volatile uint32_t smp_issued[TLOG_CPUS][TLOG_CPUS][STREAMS]; /* by ring and origin: how many numbers were used */
extern volatile bool smp_off;                                       /* logging is disabled at times in this round */

/* The 16 bits that are logged with a number: origin in bits 15..13, the rest a hash. */
static inline uint32_t smp_mark(uint32_t origin, enum stream stream, uint32_t number)
{
    return origin << 13 | ((number * 0x9E3779B1u + (uint32_t)stream * 0x85EBCA6Bu + origin * 77u) >> 19);
}

/* Print what is wrong, once per CPU, and count it. */
void smp_violation(const char *what, uint32_t a, uint32_t b);

/* Look at a slot of a chunk while another CPU fills it: a slot that is marked as filled must be whole. */
void smp_look(uint32_t ring, uint32_t chunk, uint32_t slot);

/* At rest: check everything that a ring holds, and its counts. */
void smp_check_ring(uint32_t ring);

/* At rest: with TLOG_RUNS > 1, the banks of older runs have not changed. */
void smp_check_banks(uint32_t ring);

/* At rest: count how often two rings' events that are neighbours in time come from different CPUs. */
void smp_interleave(uint32_t ring, uint32_t other);

/* At rest: of the batons' events of all rings, those with higher numbers have later stamps. */
void smp_check_batons(void);

/* At rest: every filter is as it was last set; all chunks have the same boot number; every header is right. */
void smp_check_state(void);

/* A sink for tlog_dump(): every seal that fits its header is right. */
int smp_sink(void *ctx, const void *bytes, uint32_t length);

#endif
