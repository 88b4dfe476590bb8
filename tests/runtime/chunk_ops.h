/* chunk_ops.h - four chunks, and what firmware does with them through S.Ha.R.K.'s calls.
 *
 * The tests interrupt these operations, and interrupt others with them. None of them logs an event of the test's. */
#ifndef RUNTIME_CHUNK_OPS_H
#define RUNTIME_CHUNK_OPS_H

#include "tlog.h"

#ifndef CHUNK_SLOTS
#define CHUNK_SLOTS 8
#endif
#ifndef CHUNK_EMERGENCY
#define CHUNK_EMERGENCY 4
#endif

/* Indices into chunk_numbers; CHUNKS is their number. */
enum { A, B, C, D, CHUNKS };
extern int chunk_numbers[CHUNKS];

/* Make a chunk of CHUNK_SLOTS slots and CHUNK_EMERGENCY emergency slots. Returns its number, or -1. */
int chunk_make(uint32_t flags);

/* chunk_reset() deletes all chunks. chunk_make_all() does so and makes A (cyclic) -> B (jump to next) -> C (stop), and
 * D without a link. chunk_prepare() does that and selects A. */
void chunk_reset(void);
void chunk_make_all(void);
void chunk_prepare(void);

/* The sender that chunk_senders() sets at last. */
extern int (*chunk_sender)(const struct tlog_chunk *chunk);

void chunk_next(void);
void chunk_next_event(void);
void chunk_select(void);
void chunk_select_back(void);
void chunk_select_stop(void);
void chunk_link(void);
void chunk_send(void);
void chunk_send_current(void);
void chunk_flags(void);
void chunk_reopen(void);
void chunk_create_delete(void);
void chunk_compress(void);
void chunk_tick(void);
void chunk_senders(void);
void chunk_filter(void);
void chunk_delete(void);
void chunk_delete_next(void);
void chunk_replace(void);

#endif
